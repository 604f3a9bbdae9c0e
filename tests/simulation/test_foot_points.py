"""Feet are found from the description, and hulls that are balls become balls."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput
from footfall.simulation import find_feet
from footfall.simulation.lanes.foot_points import fitted_ball


@pytest.mark.parametrize(
    "name, bodies, points",
    [
        ("go2", ["FL_foot", "FR_foot", "RL_foot", "RR_foot"], 4),
        ("anymal", ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"], 4),
        ("g1", ["left_ankle_roll_link", "right_ankle_roll_link"], 8),
        ("lola", ["sfr", "zfr", "sfl", "zfl"], 16),
    ],
)
def test_feet_are_what_robots_stand_on(name, bodies, points):
    feet = find_feet(footfall.load(name))
    assert [foot.body for foot in feet] == bodies
    assert sum(len(foot.points) for foot in feet) == points


def test_a_mesh_that_is_nearly_a_ball_becomes_one_and_says_how_nearly():
    feet = find_feet(footfall.load("go2"))
    for foot in feet:
        (ball,) = foot.points
        assert 0.02 < ball.radius < 0.025  # m; the maker's drawing has 0.022
        assert 0.0 < foot.deviation < 0.2 * ball.radius


def test_no_ball_where_none_is_near_enough():
    feet = find_feet(footfall.load("go2"), tolerance=0.01)
    assert all(len(foot.points) == 4 and foot.deviation == 0.0 for foot in feet)


def test_ball_through_points_of_a_sphere():
    # Points of a sphere of radius r about c: the fit is exact, however little of it is seen.
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points = np.array([0.1, -0.2, 0.3]) + 0.05 * directions[directions[:, 2] < 0.1]
    center, radius, apart = fitted_ball(points, np.array([0.0, 0.0, -1.0]))
    np.testing.assert_allclose(center, [0.1, -0.2, 0.3], atol=1e-12)
    assert radius == pytest.approx(0.05, abs=1e-12)
    assert apart < 1e-12
    points[0] *= 1.1  # negative: a dent is seen
    assert fitted_ball(points, np.array([0.0, 0.0, -1.0]))[2] > 1e-3


def test_feet_by_name():
    (foot,) = find_feet(footfall.load("go2"), bodies=["FL_calf"])
    assert foot.body == "FL_calf"
    with pytest.raises(InvalidInput, match=r"foot 'left_paw' is no body.*FL_foot"):
        find_feet(footfall.load("go2"), bodies=["left_paw"])
    with pytest.raises(InvalidInput, match=r"foot 'FL_hip' has no collision shape"):
        find_feet(footfall.load("go2"), bodies=["FL_hip"])
