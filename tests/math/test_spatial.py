"""Spatial vectors and inertias: against matrix algebra, and what must not depend on the frame."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.math.spatial import (
    acceleration_gradient,
    axial_difference,
    congruence,
    cross,
    force_to_parent,
    motion_cross_force,
    motion_to_child,
    rigid_inertia,
    rotate,
    rotate_inertia,
    shift_force,
    shift_inertia,
    skew,
    symmetric,
    turn_inertia,
    turn_matrix,
    turn_symmetric,
)
from footfall.math.transform import Transform
from tests.random_robots import random_rotation

SEEDS = range(5)


def random_inertia(rng: np.random.Generator) -> Array:
    """Any symmetric one: articulated inertias need not be rigid."""
    matrix = rng.normal(size=(6, 6))
    return matrix + matrix.T


def random_pose(rng: np.random.Generator) -> Transform:
    return Transform(random_rotation(rng), rng.normal(size=3))


def turn_about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def motion_matrix(pose: Transform) -> Array:
    """(6, 6): motion in the parent frame to motion in the frame at `pose`."""
    r = pose.rotation.T
    return np.block([[r, -r @ skew(pose.translation)], [np.zeros((3, 3)), r]])


@pytest.mark.parametrize("seed", SEEDS)
def test_products_of_vectors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 3))
    np.testing.assert_allclose(cross(a, b), np.cross(a, b), rtol=1e-14)
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), rtol=1e-14)
    np.testing.assert_allclose(skew(a) @ skew(b), np.outer(b, a) - (a @ b) * np.eye(3), rtol=1e-13)  # A.8
    matrix = rng.normal(size=(3, 3))
    np.testing.assert_allclose(skew(axial_difference(matrix)), matrix - matrix.T, rtol=1e-14)
    gradient = skew(b) + skew(a) @ skew(a)
    np.testing.assert_allclose(acceleration_gradient(a, b), gradient, rtol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_the_same_in_all_frames(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose, motion, force = random_pose(rng), rng.normal(size=6), rng.normal(size=6)
    np.testing.assert_allclose(motion_to_child(pose, motion), motion_matrix(pose) @ motion, rtol=1e-12)
    np.testing.assert_allclose(force_to_parent(pose, force), motion_matrix(pose).T @ force, rtol=1e-12)
    power = motion_to_child(pose, motion) @ force
    assert power == pytest.approx(motion @ force_to_parent(pose, force), rel=1e-12)
    moved = shift_force(pose.translation, rotate(pose.rotation, force))
    np.testing.assert_array_equal(force_to_parent(pose, force), moved)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_force_carried_along_changes_as_its_pose_does(seed: int) -> None:
    """Derivative of `force_to_parent` at the identity, along a small motion."""
    rng = np.random.default_rng(seed)
    motion, force, h = rng.normal(size=6), rng.normal(size=6), 1e-6

    def moved(step: float) -> Array:
        pose = Transform(np.eye(3) + step * skew(motion[3:]), step * motion[:3])
        return force_to_parent(pose, force)

    rate = (moved(h) - moved(-h)) / (2 * h)
    np.testing.assert_allclose(motion_cross_force(motion, force), rate, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_turns_about_z_are_congruences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    angle, matrix, inertia = rng.uniform(-4, 4), rng.normal(size=(3, 3)), random_inertia(rng)
    turn, cosine, sine = turn_about_z(angle), np.cos(angle), np.sin(angle)
    np.testing.assert_allclose(turn_matrix(cosine, sine, matrix), turn @ matrix @ turn.T, atol=1e-14)
    block = inertia[:3, :3]
    np.testing.assert_allclose(turn_symmetric(cosine, sine, block), turn @ block @ turn.T, atol=1e-13)
    np.testing.assert_allclose(turn_inertia(cosine, sine, inertia), rotate_inertia(turn, inertia), atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_inertias_move_like_quadratic_forms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose, inertia = random_pose(rng), random_inertia(rng)
    there = shift_inertia(pose.translation, rotate_inertia(pose.rotation, inertia))
    matrix = motion_matrix(pose)
    np.testing.assert_allclose(there, matrix.T @ inertia @ matrix, atol=1e-11)
    np.testing.assert_array_equal(there, there.T)
    block = inertia[3:, 3:]
    np.testing.assert_allclose(
        congruence(pose.rotation, block), pose.rotation @ block @ pose.rotation.T, atol=1e-13
    )


def test_rigid_inertia_is_that_of_its_points() -> None:
    """Kinetic energy of four mass points that move together, by hand and by the matrix."""
    rng = np.random.default_rng(8)
    masses, points, motion = rng.uniform(1, 2, 4), rng.normal(size=(4, 3)), rng.normal(size=6)
    about_origin = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, points, strict=True))
    inertia = rigid_inertia(masses.sum(), masses @ points, about_origin)
    velocities = [motion[:3] + np.cross(motion[3:], x) for x in points]
    energy = sum(0.5 * m * u @ u for m, u in zip(masses, velocities, strict=True))
    assert 0.5 * motion @ inertia @ motion == pytest.approx(energy, rel=1e-13)


def test_symmetric_asks_for_the_lower_triangle_only() -> None:
    asked: list[tuple[int, int]] = []

    def entry(i: int, j: int) -> float:
        asked.append((i, j))
        return 10.0 * i + j

    np.testing.assert_array_equal(symmetric(2, entry), [[0.0, 10.0], [10.0, 11.0]])
    assert asked == [(0, 0), (1, 0), (1, 1)]
