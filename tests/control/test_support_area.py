"""Areas of the zero-moment point: known polygons, the static region, and linear programs for single wrenches."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.control.balance import margin, support_polygon
from footfall.control.support_area import solve_static_region, solve_support_area
from footfall.control.wrench_cone import Support, solve_contact_forces, wrench_edges
from footfall.errors import InvalidInput

LEVEL = [
    Support((x, y, 0.0), friction=0.5) for x, y in ((0.2, 0.1), (-0.2, 0.15), (-0.1, -0.2), (0.25, -0.1))
]
POLYGON = support_polygon(np.array([each.position for each in LEVEL]))
WALL = Support((0.5, 0.1, 1.1), (-1.0, 0.0, 0.1), 0.6)
STAIRS = [
    Support((0.3, 0.2, 0.0), friction=0.7),
    Support((-0.2, 0.1, 0.0), friction=0.7),
    Support((0.4, -0.3, 0.3), (-0.3, 0.2, 1.0), 0.6),
]


def test_in_the_plane_of_the_ground_it_is_the_support_polygon() -> None:
    area = solve_support_area(LEVEL, tolerance=1e-6)
    assert area.gap < 1e-6
    for corner in area.inner:
        assert abs(margin(corner, POLYGON)) < 1e-9
    for corner in POLYGON:
        assert abs(margin(corner, area.inner)) < 1e-6


def test_above_the_ground_friction_widens_it() -> None:
    """Each edge of a pyramid meets the plane somewhere: the area is the hull of these points."""
    edges = wrench_edges(STAIRS)
    starts = np.repeat([each.position for each in STAIRS], 4, axis=0)
    met = starts + edges[:, :3] * ((0.5 - starts[:, 2:]) / edges[:, 2:3])
    expected = support_polygon(met)
    area = solve_support_area(STAIRS, height=0.5, tolerance=1e-6)
    for corner in area.inner:
        assert abs(margin(corner, expected)) < 1e-9
    for corner in expected:
        assert abs(margin(corner, area.inner)) < 1e-6


def test_pendulum_on_level_ground() -> None:
    """The force points from the zero-moment point to the centre: it must be in the polygon and in the pyramid."""
    center = np.array([0.05, -0.02, 0.3])
    area = solve_support_area(LEVEL, center=center, tolerance=1e-6)
    random = np.random.default_rng(0)
    verdicts = []
    for point in random.uniform(-0.3, 0.3, (200, 2)):
        steepness = np.abs(center[:2] - point).sum() / center[2]  # edges of the pyramid lie along x and y
        expected = min(margin(point, POLYGON), 0.5 - steepness)
        if abs(expected) > 1e-5:
            verdicts.append(margin(point, area.inner) > 0.0)
            assert verdicts[-1] == (expected > 0.0)
    assert 20 < sum(verdicts) < 180
    assert margin(POLYGON[0], area.inner) < -0.01  # friction of 0.5 does not reach the corner


@pytest.mark.parametrize("supports", [STAIRS, [*STAIRS, WALL]])
def test_pendulum_against_single_wrenches(supports: list[Support]) -> None:
    """A zero-moment point is possible iff forces exist for the wrench of that motion."""
    center, height = np.array([0.15, 0.0, 0.8]), 0.1
    area = solve_support_area(supports, center=center, height=height)
    middle = area.inner.mean(axis=0)

    def possible(point: Array) -> bool:
        force = np.array([*(center[:2] - point) / (center[2] - height), 1.0])
        return solve_contact_forces(supports, np.concatenate([force, np.cross(center, force)])).feasible

    for corner in area.inner:
        assert possible(middle + 0.999 * (corner - middle))
    refused = 0
    for direction, reach in zip(area.directions, area.reach, strict=True):
        outside = middle + (reach - middle @ direction + 2e-3) * direction
        if np.abs(outside).max() < 90.0:  # the wall can push as hard as one likes
            refused += 1
            assert not possible(outside)
    assert refused >= 3


def test_centre_at_rest_above_itself() -> None:
    """A centre is in the static region iff its pendular area has the point below it, whatever its height."""
    region = solve_static_region(STAIRS)
    verdicts = []
    for place in np.random.default_rng(1).uniform(-0.2, 0.4, (20, 2)):
        try:
            area = solve_support_area(STAIRS, center=np.array([*place, 0.7]))
            inside = bool((area.directions @ place <= area.reach + 1e-9).all())
        except InvalidInput:
            inside = False
        distance = margin(place, region.inner)
        if abs(distance) > 2e-3:
            verdicts.append(distance > 0.0)
            assert inside == verdicts[-1]
    assert 3 < sum(verdicts) < 17


def test_line_and_point() -> None:
    """Two feet leave a line, one foot a point."""
    line = solve_support_area(LEVEL[:2]).inner
    assert np.abs(line - np.array([[-0.2, 0.15], [0.2, 0.1]])).max() < 1e-9
    assert np.abs(solve_support_area(LEVEL[:1]).inner - [[0.2, 0.1]]).max() < 1e-9


def test_clamping_hands_reach_anywhere() -> None:
    hands = [Support((x, 0.0, 1.0), (-x, 0.0, 0.0), 0.5) for x in (-0.4, 0.4)]
    assert solve_support_area(hands, bound=3.0).inner[:, 0].max() == pytest.approx(3.0)


def test_nothing_carries() -> None:
    with pytest.raises(InvalidInput, match="no forces of the contacts carry"):
        solve_support_area([Support((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0)])
    with pytest.raises(InvalidInput, match="no forces of the contacts carry"):
        solve_support_area(LEVEL, center=np.array([5.0, 0.0, 0.3]))
    with pytest.raises(InvalidInput, match="no contacts"):
        solve_support_area([])
