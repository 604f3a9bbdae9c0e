"""Support polygons and margins in closed form, and the zero-moment point two ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall
from footfall.control.balance import com_margin, margin, support_polygon, zmp, zmp_from_motion, zmp_margin
from footfall.errors import InvalidInput

SQUARE = np.array([[0.0, 0.0, 0.1], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0], [1.0, 0.5, 0.0]])


def test_polygon_of_a_square() -> None:
    polygon = support_polygon(SQUARE)
    assert polygon.tolist() == [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    assert margin(np.array([1.0, 1.0]), polygon) == 1.0
    assert margin(np.array([1.0, 0.25, 7.0]), polygon) == 0.25
    assert margin(np.array([1.0, -0.25]), polygon) == -0.25
    assert margin(np.array([-3.0, -4.0]), polygon) == -5.0


def test_corners_may_go_round_either_way() -> None:
    polygon = support_polygon(SQUARE)
    for point in ([1.0, 0.25], [1.0, -0.25], [3.0, 3.0]):
        assert margin(np.array(point), polygon[::-1]) == margin(np.array(point), polygon)


def test_line_and_point() -> None:
    line = support_polygon(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]]))
    assert line.tolist() == [[0.0, 0.0], [2.0, 0.0]]
    assert margin(np.array([1.0, 0.0]), line) == 0.0
    assert margin(np.array([1.0, 0.3]), line) == -0.3
    assert margin(np.array([3.0, 0.0]), line) == -1.0
    assert margin(np.array([0.0, 1.0]), support_polygon(np.array([[0.0, 0.0]]))) == -1.0


@given(st.integers(0, 2**32 - 1), st.integers(3, 12))
def test_polygon_holds_all_its_points(seed: int, count: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 2))
    polygon = support_polygon(points)
    edges = np.roll(polygon, -1, axis=0) - polygon
    for point in points:
        outside = edges[:, 0] * (point - polygon)[:, 1] - edges[:, 1] * (point - polygon)[:, 0]
        assert outside.min() > -1e-9
        assert margin(point, polygon) > -1e-9
    assert margin(points.mean(axis=0), polygon) > 0.0
    assert margin(points.max(axis=0) + 1.0, polygon) < 0.0


def test_center_of_mass_of_the_standing_quadruped() -> None:
    robot = footfall.load("quadruped")
    q = robot.configuration("stand")
    feet = footfall.forward_kinematics(robot, q, frames=("RB", "LB", "RF", "LF")).position
    # 0.3 m to the sides; fore and aft is farther
    assert com_margin(robot, q, feet) == pytest.approx(0.3, abs=1e-12)
    # On a diagonal: the offset of the centre of mass times the sine of the line's angle.
    offset = footfall.center_of_mass(robot, q)[0] - feet[:, 0].mean()
    assert com_margin(robot, q, feet[[0, 3]]) == pytest.approx(-offset * 0.3 / np.hypot(0.6, 0.3), rel=1e-9)


def test_zmp_of_forces_and_of_motion() -> None:
    """Any forces at any points: the momentum that they cause has the same zero-moment point."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        positions, forces = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)) * 100
        forces[:, 2] = rng.uniform(10.0, 200.0, 5)
        mass, center = rng.uniform(10.0, 50.0), rng.normal(size=3)
        acceleration = forces.sum(axis=0) / mass - [0.0, 0.0, 9.81]
        moment = np.cross(positions - center, forces).sum(axis=0)
        height = rng.normal()
        by_force = zmp(positions, forces, height=height)
        by_motion = zmp_from_motion(center, acceleration, moment, mass=mass, height=height)
        assert by_force == pytest.approx(by_motion, abs=1e-11)
        # no horizontal moment is left there
        left = np.cross(positions - [*by_force, height], forces).sum(axis=0)
        assert np.abs(left[:2]).max() < 1e-10
        assert by_force != pytest.approx(zmp(positions, forces, height=height + 0.1), abs=1e-6)


def test_zmp_margin_counts_loaded_feet_only() -> None:
    feet = SQUARE[:4] * [1.0, 1.0, 0.0]
    assert zmp_margin(feet, np.tile([0.0, 0.0, 10.0], (4, 1))) == pytest.approx(1.0)
    two = np.array([[0.0, 0.0, 10.0], [0.0, 0.0, 0.0], [0.0, 0.0, 10.0], [0.0, 0.0, 0.0]])
    assert zmp_margin(feet, two) == pytest.approx(0.0, abs=1e-12)


def test_without_support() -> None:
    with pytest.raises(InvalidInput, match=r"shape \(0, 3\)"):
        support_polygon(np.zeros((0, 3)))
    with pytest.raises(InvalidInput, match="carry 0 N"):
        zmp(SQUARE, np.zeros((5, 3)))
    with pytest.raises(InvalidInput, match=r"the polygon has shape \(0, 2\)"):
        margin(np.zeros(2), np.zeros((0, 2)))
    with pytest.raises(InvalidInput, match="the point is"):
        margin(np.array([np.nan, 0.0]), support_polygon(SQUARE))
    with pytest.raises(InvalidInput, match=r"forces has shape \(3, 3\); it must be \(5, 3\)"):
        zmp(SQUARE, np.ones((3, 3)))
    with pytest.raises(InvalidInput, match=r"center is .* must be finite"):
        zmp_from_motion(np.full(3, np.nan), np.zeros(3), np.zeros(3), mass=1.0)
    with pytest.raises(InvalidInput, match="takes -"):
        zmp_from_motion(np.zeros(3), np.array([0.0, 0.0, -10.0]), np.zeros(3), mass=1.0)
