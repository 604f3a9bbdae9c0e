"""The wrenches that contacts can give together: the contact-wrench cone, Seiwald 2023, chapter 2.

As sums of edges (what contact forces make) and as inequalities (what limits them). The same question for a single
wrench is a linear program, which also says with which forces; both must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.friction_pyramid import pyramid_edges
from footfall.control.requests import checked_array
from footfall.errors import InvalidInput


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
        one_way = span * signs[0] if np.all(signs == signs[0]) else np.zeros((0, 6))
        return WrenchCone(one_way, rest)
    local = np.vstack([np.zeros(rank), edges @ span.T])
    faces = ConvexHull(local).equations  # normal and offset, normal x + offset <= 0 inside
    through_zero = faces[np.abs(faces[:, -1]) < 1e-9, :-1]
    distinct = np.unique(np.round(through_zero, 9), axis=0)
    return WrenchCone(-distinct @ span, rest)
