"""Cones of forces and wrenches: edges against faces, closed forms against linear programs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from footfall.arrays import Array
from footfall.control.balance import margin, support_polygon
from footfall.control.wrench_cone import (
    Support,
    build_wrench_cone,
    contact_axes,
    in_rectangular_cone,
    pyramid_edges,
    pyramid_rows,
    rectangular_rows,
    solve_contact_forces,
    wrench_edges,
)
from footfall.errors import InvalidInput

CORNERS = [Support((x, y, 0.0), friction=0.6) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
UNEVEN = [
    Support((0.3, 0.2, 0.0), (0.3, 0.0, 1.0), 0.5),
    Support((-0.2, 0.3, 0.2), (0.0, -0.5, 1.0), 0.8),
    Support((0.0, -0.4, 0.1), (0.1, 0.2, 0.9), 0.4),
    Support((0.5, 0.0, 1.2), (-1.0, 0.0, 0.1), 0.6),
]


@pytest.mark.parametrize("facets", [3, 4, 8])
@pytest.mark.parametrize("inside", [True, False])
def test_edges_and_rows_of_a_pyramid(facets: int, inside: bool) -> None:
    normal = np.array([0.3, -0.2, 0.9])
    edges = pyramid_edges(normal, 0.5, facets=facets, inside=inside)
    rows = pyramid_rows(normal, 0.5, facets=facets, inside=inside)
    slack = rows @ edges.T
    assert slack.min() > -1e-12
    assert (np.abs(slack) < 1e-12).sum() == 2 * facets  # each edge lies on two faces
    n = normal / np.linalg.norm(normal)
    tangential = np.linalg.norm(edges - np.outer(edges @ n, n), axis=1) / (edges @ n)
    assert tangential == pytest.approx(0.5 if inside else 0.5 / np.cos(np.pi / facets))
    assert np.abs(contact_axes(normal).T @ contact_axes(normal) - np.eye(3)).max() < 1e-14
    assert np.linalg.det(contact_axes(np.array([1.0, 0.0, 0.0]))) == pytest.approx(1.0)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["corners", "uneven", "line"]))
def test_faces_agree_with_linear_programs(seed: int, kind: str) -> None:
    supports = {"corners": CORNERS, "uneven": UNEVEN, "line": CORNERS[:2]}[kind]
    cone = build_wrench_cone(supports)
    random = np.random.default_rng(seed)
    edges = wrench_edges(supports)
    inside = random.uniform(0.1, 1.0, len(edges)) @ edges
    assert cone.contains(inside)
    assert solve_contact_forces(supports, inside).feasible
    wrench = inside + random.normal(size=6) * random.uniform(0.1, 4.0)
    if abs(cone.slack(wrench)) > 1e-6:  # not on the edge, where rounding decides
        found = solve_contact_forces(supports, wrench)
        assert cone.contains(wrench) == found.feasible


def test_forces_make_the_wrench_and_keep_their_pyramids() -> None:
    wrench = np.random.default_rng(0).uniform(0.1, 1.0, 16) @ wrench_edges(UNEVEN)
    found = solve_contact_forces(UNEVEN, wrench)
    places = np.array([support.position for support in UNEVEN])
    total = np.concatenate([found.forces.sum(axis=0), np.cross(places, found.forces).sum(axis=0)])
    assert np.abs(total - wrench).max() < 1e-9
    for support, force in zip(UNEVEN, found.forces, strict=True):
        assert (pyramid_rows(support.normal, support.friction) @ force).min() > -1e-9


def test_cone_of_one_point_is_flat() -> None:
    """A point force has no moment about itself: three equalities remain."""
    cone = build_wrench_cone([Support((0.0, 0.0, 0.0), friction=0.5)])
    assert cone.equalities.shape == (3, 6)
    assert cone.contains(np.array([0.1, 0.1, 1.0, 0.0, 0.0, 0.0]))
    assert not cone.contains(np.array([0.6, 0.0, 1.0, 0.0, 0.0, 0.0]))
    assert not cone.contains(np.array([0.0, 0.0, 1.0, 0.1, 0.0, 0.0]))


def test_opposed_points_without_friction_push_both_ways() -> None:
    """They span a line, not a ray."""
    points = [Support((0.0, 0.0, z), (0.0, 0.0, n), 0.0) for z, n in ((0.0, 1.0), (1.0, -1.0))]
    cone = build_wrench_cone(points)
    for load in (2.0, -2.0):
        wrench = np.array([0.0, 0.0, load, 0.0, 0.0, 0.0])
        assert cone.contains(wrench)
        assert solve_contact_forces(points, wrench).feasible
    one = build_wrench_cone(points[:1])
    assert not one.contains(np.array([0.0, 0.0, -2.0, 0.0, 0.0, 0.0]))


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_any_contacts_against_linear_programs(seed: int) -> None:
    """Feet, walls, slopes, with and without friction, some twice, near and far from the origin."""
    random = np.random.default_rng(seed)
    origin = random.normal(size=3) * 10.0 ** random.uniform(-1.0, 2.0)
    normals = [(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), tuple(random.normal(size=3))]
    supports = [
        Support(
            tuple(origin + 0.5 * random.normal(size=3)),
            normals[random.integers(4)],
            float(random.choice([0.0, 0.3, 0.8, 5.0])),
        )
        for _ in range(random.integers(1, 6))
    ]
    supports += supports[: random.integers(2)]
    cone, edges = build_wrench_cone(supports), wrench_edges(supports)
    inside = (random.uniform(size=len(edges)) * (random.random(len(edges)) < 0.6)) @ edges
    assert cone.contains(inside, tolerance=1e-7)
    wrench = inside + random.normal(size=6) * random.uniform(0.05, 3.0)
    if abs(cone.slack(wrench)) > 1e-5 * max(1.0, float(np.abs(wrench).max())):
        assert cone.contains(wrench) == solve_contact_forces(supports, wrench).feasible


def test_great_friction_leaves_the_zmp_criterion() -> None:
    """On level ground a wrench without twist is possible iff its zero-moment point lies in the polygon."""
    supports = [Support(each.position, friction=50.0) for each in CORNERS]
    cone, polygon = build_wrench_cone(supports), support_polygon(np.array([s.position for s in supports]))
    random = np.random.default_rng(0)
    verdicts = []
    for _ in range(60):
        point = random.uniform(-0.3, 0.3, 2)
        force = np.array([*random.uniform(-0.3, 0.3, 2), 1.0])
        wrench = np.concatenate([force, np.cross([*point, 0.0], force)])
        verdicts.append(margin(point, polygon) > 0.0)
        assert cone.contains(wrench) == verdicts[-1]
    assert 10 < sum(verdicts) < 50


def corner_edges(friction: float, x: float, y: float) -> Array:
    """Wrenches (16, 6) of four corner forces along the edges of |fx|, |fy| <= friction fz."""
    # a pyramid around the diagonals, with a reach of friction sqrt(2) there
    turned = np.array([[1, -1, 0], [1, 1, 0], [0, 0, np.sqrt(2)]]) / np.sqrt(2)
    edges = pyramid_edges((0.0, 0.0, 1.0), np.sqrt(2.0) * friction) @ turned.T
    corners = np.array([[a, b, 0.0] for a in (-x, x) for b in (-y, y)])
    return np.vstack([np.hstack([edges, np.cross(corner, edges)]) for corner in corners])


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_rectangular_cone_agrees_with_corner_forces(seed: int) -> None:
    """Closed form against a linear program with four corner forces in pyramids along the edges."""
    random = np.random.default_rng(seed)
    friction, x, y = 0.6, 0.2, 0.1
    spanned = corner_edges(friction, x, y)
    inside = random.uniform(0.0, 1.0, 16) @ spanned
    assert in_rectangular_cone(inside, friction, x, y)
    wrench = inside + random.normal(size=6) * np.array([1, 1, 1, 0.2, 0.2, 0.2]) * random.uniform(0, 3)
    slack = (rectangular_rows(friction, x, y) @ wrench).min()
    if abs(slack) > 1e-6:
        found = linprog(np.ones(16), A_eq=spanned.T, b_eq=wrench, bounds=(0, None))
        assert in_rectangular_cone(wrench, friction, x, y) == (found.status == 0)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_rectangular_cone_touches_corner_forces(seed: int) -> None:
    """For any force and tipping moments that are possible, the greatest twists either way are those of a program."""
    random = np.random.default_rng(seed)
    friction, x, y = random.uniform(0.2, 1.0), random.uniform(0.05, 0.3), random.uniform(0.05, 0.3)
    spanned, rows = corner_edges(friction, x, y), rectangular_rows(friction, x, y)
    given = random.uniform(0.0, 1.0, 16) @ spanned
    for sign in (1.0, -1.0):
        found = linprog(-sign * spanned[:, 5], A_eq=spanned[:, :5].T, b_eq=given[:5], bounds=(0, None))
        twisting = sign * rows[:, 5] < 0.0  # rows that bound the twist on that side
        bound = (rows[twisting, :5] @ given[:5] / (-sign * rows[twisting, 5])).min()
        assert -found.fun == pytest.approx(bound, abs=1e-9)


def test_limits_of_a_sole() -> None:
    """Pressed with 1 N: friction 0.5 N, tipping at the edges, twisting mu (X + Y)."""
    for row, reach in ((0, 0.5), (1, 0.5), (3, 0.05), (4, 0.1), (5, 0.5 * 0.15)):
        for factor, expected in ((0.999, True), (1.001, False)):
            wrench = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
            wrench[row] = factor * reach
            assert in_rectangular_cone(wrench, 0.5, 0.1, 0.05) is expected
    assert rectangular_rows(0.5, 0.1, 0.05).shape == (16, 6)


def test_bad_requests() -> None:
    with pytest.raises(InvalidInput, match="no contacts"):
        build_wrench_cone([])
    with pytest.raises(InvalidInput, match="2 facets"):
        pyramid_edges((0.0, 0.0, 1.0), 0.5, facets=2)
    with pytest.raises(InvalidInput, match="friction is -1"):
        rectangular_rows(-1, 0.1, 0.1)
    with pytest.raises(InvalidInput, match="must have a direction"):
        contact_axes((0.0, 0.0, 0.0))
    with pytest.raises(InvalidInput, match=r"position of a support is .* must be finite"):
        Support((0.0, np.nan, 0.0))
    with pytest.raises(InvalidInput, match="friction is inf"):
        Support((0.0, 0.0, 0.0), friction=np.inf)
    with pytest.raises(InvalidInput, match="a whole number"):
        wrench_edges(CORNERS, facets=4.5)  # type: ignore[arg-type]
