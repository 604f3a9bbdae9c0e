"""Shapes that do not move against each other and lie side by side: what slides over their seam does not feel it.

A ball that rolls from one box onto the next touches the first with its lowest point, and the edge of the second beside
it, along a normal that leans back. That edge lies in the plane that the ball touches, and all of the second box below:
whatever is above the plane cannot hit it.
"""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import ArrayOf, Vector3, routine
from footfall.contact.detection.memory import ContactMemory, ShapeTable
from footfall.contact.detection.narrow import solid_of
from footfall.contact.detection.shapes import Kind, Touch
from footfall.contact.detection.solids import support

_FLUSH = 1e-5  # of the touching shape's size: what lies less above a plane lies below it
_SMALLEST = 1e-3  # m: size of smaller shapes
_OTHER = 1e-9  # one minus the cosine between normals that differ


@routine
def without_seams(
    table: ShapeTable, memory: ContactMemory, found: ArrayOf[Touch], start: int, end: int
) -> int:
    """Of the touches of one shape from `start` on, leave those out that lie below a plane which the same shape touches
    on a neighbour; where they end then."""
    slack = _FLUSH * max(table.shapes[found[start].first].bound, _SMALLEST)
    hidden = np.zeros(end - start, dtype=np.bool_)
    for k in range(start, end):
        for j in range(start, end):
            if found[j].second != found[k].second and not hidden[j - start]:
                hidden[k - start] = hidden[k - start] or _hides(table, memory, found[j], found[k], slack)
    kept = start
    for k in range(start, end):
        if not hidden[k - start]:
            found[kept] = found[k]
            kept += 1
    return kept


@routine
def _hides(table: ShapeTable, memory: ContactMemory, one: Touch, other: Touch, slack: float) -> bool:
    """Whether the shape that the second touch is on lies below the plane of the first one."""
    if table.shapes[one.second].body != table.shapes[other.second].body:
        return False
    cosine = one.normal @ other.normal
    if cosine < 0.0 or 1.0 - cosine < _OTHER:
        return False
    above = 0.5 * one.gap if 0 <= table.shapes[one.second].body < table.links else 0.0  # see `Touch.position`
    level = one.normal @ one.position - above + slack
    return bool(_top(table, memory, other.second, one.normal) <= level)


@routine
def _top(table: ShapeTable, memory: ContactMemory, number: int, up: Vector3) -> float:
    """How far a shape reaches along a direction, m; of meshes their boxes do."""
    shape = table.shapes[number]
    if shape.bound == np.inf:
        return np.inf
    place = memory.places[number]
    along = place.rotation.T @ up
    if shape.kind == Kind.MESH:
        return float(up @ place.translation + np.abs(along) @ shape.size)
    point, _ = support(table.pools, solid_of(table, number), along, 0)
    return float(up @ place.translation + along @ point) + shape.radius
