"""Moments of mass and of vectors: against sums over points; what lumping keeps and what it clears."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.arrays import Array
from footfall.dynamics.derivatives import VectorMoments, vector_moments_in_parent
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.mass_moments import (
    MassMoments,
    body_moments,
    lumped_moments,
    moments_in_parent,
    rotate_moments,
    shift_moments,
    turn_moments,
)
from footfall.math.spatial import rigid_inertia, skew
from footfall.robot.model import Robot
from tests.random_robots import random_robot, random_rotation, random_state, robots


def of_points(masses: Array, points: Array) -> MassMoments:
    return MassMoments(masses.sum(), masses @ points, np.einsum("k,ki,kj->ij", masses, points, points))


def assert_same(actual: MassMoments, expected: MassMoments) -> None:
    for ours, theirs in zip(actual, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_moments_move_with_their_points() -> None:
    rng = np.random.default_rng(1)
    masses, points, shift = rng.uniform(1, 2, 5), rng.normal(size=(5, 3)), rng.normal(size=3)
    rotation, angle = random_rotation(rng), 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    moments = of_points(masses, points)
    assert_same(rotate_moments(rotation, moments), of_points(masses, points @ rotation.T))
    assert_same(turn_moments(np.cos(angle), np.sin(angle), moments), of_points(masses, points @ turn.T))
    assert_same(shift_moments(shift, moments), of_points(masses, points + shift))
    assert_same(moments + moments, of_points(2 * masses, points))
    assert_same(moments - moments, of_points(0 * masses, points))


def test_momentum_and_inertia() -> None:
    rng = np.random.default_rng(2)
    masses, points, motion = rng.uniform(1, 2, 5), rng.normal(size=(5, 3)), rng.normal(size=6)
    moments = of_points(masses, points)
    velocities = motion[:3] + np.cross(motion[3:], points)
    expected = np.concatenate([masses @ velocities, masses @ np.cross(points, velocities)])
    np.testing.assert_allclose(moments.momentum(motion), expected, rtol=1e-12)
    inertia = rigid_inertia(moments.mass, moments.first, moments.rotational_inertia())
    np.testing.assert_allclose(inertia @ motion, expected, rtol=1e-12)


def test_moments_of_a_body() -> None:
    """A body's inertia about its centre, moved to the origin by the parallel-axis rule."""
    body = random_robot(5, types=["revolute"]).bodies[0]
    moments = body_moments(body)
    steiner = -body.mass * skew(body.center_of_mass) @ skew(body.center_of_mass)  # RSL 2022, (3.14)-(3.25)
    np.testing.assert_allclose(moments.rotational_inertia(), body.inertia + steiner, rtol=1e-12)
    np.testing.assert_allclose(moments.first, body.mass * body.center_of_mass)


def whole(robot: Robot, q: Array, moments: list[MassMoments]) -> MassMoments:
    """Of all links together, about the origin of the world."""
    poses, total = joint_transforms(robot.tree, q), list(moments)
    world = MassMoments(0.0, np.zeros(3), np.zeros((3, 3)))
    for index, link in reversed(list(enumerate(robot.tree.links))):
        above = moments_in_parent(link, q, poses[index], total[index])
        if link.parent >= 0:
            total[link.parent] += above
        else:
            world += above
    return world


@settings(max_examples=30)
@given(robot=robots(floating_base=True))
def test_lumping_moves_mass_along_axes_only(robot: Robot) -> None:
    """In every configuration the lumped robot has the same mass distribution up to second order."""
    q = random_state(robot, 3).q
    lumped = lumped_moments(robot.tree)
    expected = whole(robot, q, [body_moments(link) for link in robot.tree.links])
    actual = whole(robot, q, lumped)
    assert actual.mass == pytest.approx(expected.mass, rel=1e-12)
    scale = 1 + np.linalg.norm(expected.second)
    np.testing.assert_allclose(actual.first, expected.first, atol=1e-12 * scale)
    slides = any(link.kind == "prismatic" for link in robot.tree.links[3:])
    if not slides:  # second moments on a slide are counted where they are, not where they are carried to
        np.testing.assert_allclose(actual.second, expected.second, atol=1e-12 * scale)


def test_lumping_leaves_exact_zeros() -> None:
    robot = random_robot(4, types=["floating", "revolute", "spherical", "prismatic"], ups=[0, 0, 0, 0])
    _, _, last_slide, ball, hinge, second_ball, slide = lumped_moments(robot.tree)
    assert hinge.mass == hinge.first[2] == hinge.second[2, 2] == 0.0
    assert ball.mass == second_ball.mass == 0.0
    assert not np.any(slide.second)
    assert slide.mass > 0.0
    assert last_slide.mass + slide.mass == pytest.approx(robot.mass)


def test_vector_moments_move_with_their_points() -> None:
    rng = np.random.default_rng(6)
    vectors, points, w, motion = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), *rng.normal(size=(2, 6))
    moments = VectorMoments(vectors.sum(0), vectors.T @ points)
    turned = np.cross(w[:3], vectors)
    resultant = np.concatenate([turned.sum(0), np.cross(points, turned).sum(0)])
    np.testing.assert_allclose(moments.turned(w[:3]), resultant, rtol=1e-12)
    assert moments.gradient(motion) @ w[:3] == pytest.approx(motion @ resultant, rel=1e-12)
    robot = random_robot(7, types=["revolute", "prismatic", "spherical"], ups=[0, 0, 0])
    q = random_state(robot, 7).q
    for link, pose in zip(robot.tree.links, joint_transforms(robot.tree, q), strict=True):
        there = points @ pose.rotation.T + pose.translation
        above = vector_moments_in_parent(link, q, pose, moments)
        np.testing.assert_allclose(above.first, (vectors @ pose.rotation.T).sum(0), atol=1e-13)
        np.testing.assert_allclose(above.second, pose.rotation @ vectors.T @ there, atol=1e-13)


def test_a_couple_is_a_second_moment() -> None:
    """Turning a couple n by w gives the moment w x n."""
    n, w = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.5, -0.7])
    couple = VectorMoments(np.zeros(3), skew(n))
    np.testing.assert_allclose(couple.turned(w), [0, 0, 0, *np.cross(w, n)], rtol=1e-14)
