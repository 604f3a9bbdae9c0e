"""Where a robot may have its centre of mass at rest: known regions, and a linear program for single points."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.control.balance import margin, support_polygon
from footfall.control.support_area import solve_static_reach, solve_static_region
from footfall.control.wrench_cone import Support, solve_contact_forces
from footfall.errors import InvalidInput

STAIRS = [
    Support((0.3, 0.2, 0.0), friction=0.7),
    Support((-0.2, 0.1, 0.0), friction=0.7),
    Support((0.5, -0.3, 0.3), (-0.3, 0.2, 1.0), 0.6),
    Support((0.1, -0.3, 0.15), friction=0.4),
]


def area(corners: Array) -> float:
    x, y = corners.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def test_level_ground_gives_the_support_polygon() -> None:
    supports = [
        Support((x, y, 0.0)) for x, y in ((0.2, 0.1), (-0.2, 0.15), (-0.1, -0.2), (0.25, -0.1), (0.0, 0.0))
    ]
    polygon = support_polygon(np.array([each.position for each in supports]))
    region = solve_static_region(supports)
    assert region.gap < 1e-3
    assert area(region.inner) == pytest.approx(area(polygon), rel=1e-6)
    for corner in region.inner:
        assert abs(margin(corner, polygon)) < 1e-9


def test_inner_points_carry_and_outer_ones_do_not() -> None:
    """Between the polygons by at most the gap; the verdict of a linear program with the wrench of the weight."""
    region = solve_static_region(STAIRS, mass=30.0)
    middle = region.inner.mean(axis=0)
    assert region.gap <= 1e-3

    def carries(point: Array) -> bool:
        weight = np.array([0.0, 0.0, 30.0 * 9.81])
        return solve_contact_forces(
            STAIRS, np.concatenate([weight, np.cross([*point, 0.0], weight)])
        ).feasible

    for corner in region.inner:
        assert carries(middle + 0.999 * (corner - middle))
    for direction, reach in zip(region.directions, region.reach, strict=True):
        outside = middle + (reach - middle @ direction + 2e-3) * direction
        assert not carries(outside)
    assert (region.directions @ region.inner.T <= region.reach[:, None] + 1e-9).all()


def test_a_hand_on_a_wall_widens_the_region() -> None:
    """Feet at x <= 0.1 m, a hand 1 m high at x = 0.5 m, in closed form.

    With all load on the front feet and the weight as unit, a push N of the wall, friction at the hand F down and at
    the feet N: c_x = 0.1 (1 + F) - 0.5 F + N with F = N / 2 and N = 0.7 (1 + F), so c_x = 25 / 26.
    """
    feet = [Support((x, y, 0.0), friction=0.7) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    hand = Support((0.5, 0.0, 1.0), (-1.0, 0.0, 0.0), 0.5)
    forward = np.array([1.0, 0.0])
    assert solve_static_reach(feet, forward, mass=50.0)[0] == pytest.approx(0.1, abs=1e-9)
    assert solve_static_reach([*feet, hand], forward, mass=50.0)[0] == pytest.approx(25 / 26, abs=1e-9)


def test_mass_does_not_matter() -> None:
    light, heavy = (solve_static_reach(STAIRS, np.array([0.3, 0.9]), mass=mass) for mass in (1.0, 80.0))
    assert np.abs(light - heavy).max() < 1e-9


def test_clamped_between_walls_it_can_be_anywhere() -> None:
    """Two opposed hands with friction hold a robot; along the walls the lever of friction is the limit."""
    walls = [Support((0.5, y, z), (-1.0, 0.0, 0.0), 1.0) for y in (-0.1, 0.1) for z in (0.9, 1.1)]
    walls += [Support((-0.5, y, z), (1.0, 0.0, 0.0), 1.0) for y in (-0.1, 0.1) for z in (0.9, 1.1)]
    assert solve_static_reach(walls, np.array([1.0, 0.0]), mass=10.0, bound=7.0)[0] == pytest.approx(7.0)


def test_nothing_carries() -> None:
    with pytest.raises(InvalidInput, match="no forces of the 1 contacts carry"):
        solve_static_reach([Support((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.5)], np.array([1.0, 0.0]), mass=1.0)
    with pytest.raises(InvalidInput, match="no contacts"):
        solve_static_region([])
    with pytest.raises(InvalidInput, match="mass is 0 kg"):
        solve_static_region(STAIRS, mass=0.0)
