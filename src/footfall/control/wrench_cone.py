"""The wrenches that contacts can give, alone and together, Seiwald 2023, chapter 2.

Friction cones as pyramids: directions that span them, and inequalities that bound them. A rectangular sole: sixteen
inequalities in closed form, exact for four corner forces in four-sided pyramids along its edges (Caron). Any contacts
together: the contact-wrench cone, as sums of edges (what contact forces make) and as inequalities (what limits them);
the same question for a single wrench is a linear program, which also says with which forces. All must agree.

What is in axes, `unit_axes`, `rows_in_axes` and `sole_rows`, works on floats and on symbols; the rest checks its
arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import less, sqrt, where
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput
from footfall.math.spatial import cross


def contact_axes(normal: Sequence[float] | Array) -> Array:
    """Axes (3, 3) of a contact as columns (t1, t2, n): t1 is the world's x axis in the plane, or y if x is normal."""
    along = checked_array("normal", normal, (3,))
    length = float(np.linalg.norm(along))
    if length == 0.0:
        raise InvalidInput("a normal is zero; it must have a direction, (0, 0, 1) say")
    return unit_axes(along / length)


def unit_axes(normal: Array) -> Array:
    """The same for a normal (3,) of length one, on floats or symbols."""
    hint = where(less(normal[0] * normal[0], 0.81), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    t1 = hint - (hint @ normal) * normal
    t1 = t1 / sqrt(t1 @ t1)
    return np.stack([t1, cross(normal, t1), normal], axis=1)


def pyramid_edges(
    normal: Sequence[float] | Array, friction: float, *, facets: int = 4, inside: bool = True
) -> Array:
    """Edges (facets, 3) of the pyramid, each with one unit along the normal (3,); forces are sums of them.

    inside: the pyramid lies in the cone, its edges on it; otherwise it lies around the cone.
    """
    angles = _angles(friction, facets)
    reach = friction if inside else friction / np.cos(np.pi / facets)
    local = np.column_stack([reach * np.cos(angles), reach * np.sin(angles), np.ones(facets)])
    return np.asarray(local @ contact_axes(normal).T, dtype=np.float64)


def pyramid_rows(
    normal: Sequence[float] | Array, friction: float, *, facets: int = 4, inside: bool = True
) -> Array:
    """Rows A (facets, 3) with `A f >= 0` for all forces f in the pyramid of `pyramid_edges`."""
    _angles(friction, facets)
    rows = rows_in_axes(contact_axes(normal), friction, facets=facets, inside=inside)
    return np.asarray(rows, dtype=np.float64)


def rows_in_axes(axes: Array, friction: Any, *, facets: int = 4, inside: bool = True) -> Array:
    """The same for axes (3, 3) of a contact, on floats or symbols."""
    bound = friction * np.cos(np.pi / facets) if inside else friction
    middles = 2.0 * np.pi * np.arange(facets) / facets + np.pi / facets  # of the faces, between the edges
    return np.array([bound * axes[:, 2] - np.cos(m) * axes[:, 0] - np.sin(m) * axes[:, 1] for m in middles])


def _angles(friction: float, facets: int) -> Array:
    if not isinstance(facets, int) or facets < 3:
        raise InvalidInput(f"a pyramid has {facets} facets; it needs at least 3, a whole number")
    if not (np.isfinite(friction) and friction >= 0.0):
        raise InvalidInput(f"friction is {friction}; it must be finite and not negative")
    return np.asarray(2.0 * np.pi * np.arange(facets) / facets, dtype=np.float64)


def rectangular_rows(friction: float, half_length: float, half_width: float) -> Array:
    """Rows A (16, 6) with `A w >= 0` for wrenches w = [f; n] on the robot about the centre, in the axes of the sole.

    The sole reaches half_length along x and half_width along y, m; z is its normal. friction: coefficient.
    """
    for name, value in (("friction", friction), ("half_length", half_length), ("half_width", half_width)):
        if not (np.isfinite(value) and value >= 0.0):
            raise InvalidInput(f"{name} is {value}; it must be finite and not negative")
    return sole_rows(friction, half_length, half_width)


def sole_rows(friction: Any, half_length: Any, half_width: Any) -> Array:
    """The same without checks, on floats or symbols."""
    x, y, mu = half_length, half_width, friction
    fx, fy, fz, tx, ty, tz = np.eye(6)
    rows = [mu * fz + sign * f for f in (fx, fy) for sign in (1.0, -1.0)]
    rows += [y * fz + sign * tx for sign in (1.0, -1.0)]
    rows += [x * fz + sign * ty for sign in (1.0, -1.0)]
    for first in (1.0, -1.0):
        for second in (1.0, -1.0):
            # t_z from above and from below; each absolute value opens into both signs
            above = first * (y * fx + mu * tx) + second * (x * fy + mu * ty)
            below = first * (y * fx - mu * tx) + second * (x * fy - mu * ty)
            rows.append(mu * (x + y) * fz - tz - above)
            rows.append(mu * (x + y) * fz + tz - below)
    return np.array(rows)


def in_rectangular_cone(
    wrench: Array, friction: float, half_length: float, half_width: float, *, tolerance: float = 1e-9
) -> bool:
    """Whether a sole can give a wrench [f; n] (6,); tolerance: relative to it."""
    given = checked_array("wrench", wrench, (6,))
    slack = rectangular_rows(friction, half_length, half_width) @ given
    return bool(slack.min() >= -tolerance * max(1.0, float(np.abs(given).max())))


@dataclass(frozen=True, slots=True)
class Support:
    """A point (3,), m, that can be pushed along a normal (3,) with some friction; a great one, 1e3 say, for none that
    slips."""

    position: tuple[float, float, float]
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    friction: float = 0.7

    def __post_init__(self) -> None:
        for name in ("position", "normal"):
            value = checked_array(f"{name} of a support", getattr(self, name), (3,))
            object.__setattr__(self, name, tuple(value.tolist()))
        pyramid_edges(self.normal, self.friction)  # refuses what makes none


class ContactForces(NamedTuple):
    """Whether forces exist, and forces (n, 3), N, of the contacts on the robot if so (zeros otherwise)."""

    feasible: bool
    forces: Array


def wrench_edges(supports: Sequence[Support], *, facets: int = 4) -> Array:
    """Edges (n facets, 6) of the contact-wrench cone: wrench [f; n] about the origin of each edge of each pyramid."""
    if not supports:
        raise InvalidInput("there are no contacts; at least one is needed")
    edges = []
    for support in supports:
        forces = pyramid_edges(support.normal, support.friction, facets=facets)
        edges.append(np.hstack([forces, np.cross(np.asarray(support.position), forces)]))
    return np.vstack(edges)


def solve_contact_forces(supports: Sequence[Support], wrench: Array, *, facets: int = 4) -> ContactForces:
    """Forces in the pyramids that sum to a wrench [f; n] (6,) about the origin, by a linear program."""
    from scipy.optimize import linprog

    asked = checked_array("wrench", wrench, (6,))
    edges = wrench_edges(supports, facets=facets)
    found = linprog(np.ones(len(edges)), A_eq=edges.T, b_eq=asked, bounds=(0.0, None), method="highs")
    if found.status != 0:
        return ContactForces(False, np.zeros((len(supports), 3)))
    parts = found.x[:, None] * edges[:, :3]
    return ContactForces(True, parts.reshape(len(supports), facets, 3).sum(axis=1))


@dataclass(frozen=True)
class WrenchCone:
    """`rows w >= 0` (k, 6) and `equalities w = 0` (m, 6) for exactly the wrenches w = [f; n] that contacts can give.

    Equalities are there when contacts cannot give every direction, as of points on a line.
    """

    rows: Array
    equalities: Array

    def slack(self, wrench: Array) -> float:
        """Distance to the nearest face, negative outside; rows have unit length, so in N and N m together."""
        given = checked_array("wrench", wrench, (6,))
        off = float(np.abs(self.equalities @ given).max(initial=0.0))
        inside = float((self.rows @ given).min(initial=np.inf))
        return inside if off <= 1e-9 * max(1.0, float(np.abs(given).max())) else -max(off, -inside)

    def contains(self, wrench: Array, *, tolerance: float = 1e-9) -> bool:
        """Whether contacts can give a wrench [f; n] (6,) about the origin; tolerance: relative to it."""
        return self.slack(wrench) >= -tolerance * max(1.0, float(np.abs(wrench).max()))


def build_wrench_cone(supports: Sequence[Support], *, facets: int = 4) -> WrenchCone:
    """Inequalities of the contact-wrench cone, about the origin of the world.

    The cone is what a polytope with corners at zero and at the edges looks like from zero: its faces are those of the
    polytope that pass through there.
    """
    from scipy.spatial import ConvexHull

    edges = wrench_edges(supports, facets=facets)
    edges = edges / np.linalg.norm(edges, axis=1, keepdims=True)
    _, values, axes = np.linalg.svd(edges)
    rank = int(np.count_nonzero(values > 1e-9 * values[0]))
    span, rest = axes[:rank], axes[rank:]
    if rank == 1:
        signs = np.sign(edges @ span[0])
        one_sided = span * signs[0] if np.all(signs == signs[0]) else np.zeros((0, 6))
        return WrenchCone(one_sided, rest)
    local = np.vstack([np.zeros(rank), edges @ span.T])
    faces = ConvexHull(local).equations  # normal and offset, normal x + offset <= 0 inside
    through_zero = faces[np.abs(faces[:, -1]) < 1e-9, :-1]
    distinct = np.unique(np.round(through_zero, 9), axis=0)
    return WrenchCone(-distinct @ span, rest)
