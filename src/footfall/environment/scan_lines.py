"""Triangles drawn line by line: where a line crosses one, and how values at its corners go on in between.

Corners are (line, place): the first coordinate counts the lines, the second goes along them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector2, Vector3, routine


class FlatTriangle(NamedTuple):
    """Corners in the plane of what is drawn."""

    a: Vector2
    b: Vector2
    c: Vector2


class Span(NamedTuple):
    """Part of a line; empty if it ends before it begins."""

    begin: float
    end: float


@routine
def doubled_area(triangle: FlatTriangle) -> float:
    """Positive if its corners go from the first axis to the second."""
    b, c = triangle.b - triangle.a, triangle.c - triangle.a
    return float(b[0] * c[1] - b[1] * c[0])


@routine
def slopes(triangle: FlatTriangle, area: float, values: Vector3) -> Vector2:
    """Change of a value per unit across and along lines, given at the corners; area: the doubled one, not zero."""
    b, c = triangle.b - triangle.a, triangle.c - triangle.a
    to_b, to_c = values[1] - values[0], values[2] - values[0]
    return np.array([(to_b * c[1] - to_c * b[1]) / area, (to_c * b[0] - to_b * c[0]) / area])


@routine
def span_at(triangle: FlatTriangle, line: float) -> Span:
    """What a line has of a triangle."""
    span = _joined(Span(np.inf, -np.inf), triangle.a, triangle.b, line)
    span = _joined(span, triangle.b, triangle.c, line)
    return _joined(span, triangle.c, triangle.a, line)


@routine
def _joined(span: Span, p: Vector2, q: Vector2, line: float) -> Span:
    """With where the line crosses an edge."""
    if not min(p[0], q[0]) <= line <= max(p[0], q[0]):
        return span
    if p[0] == q[0]:
        return Span(min(span.begin, p[1], q[1]), max(span.end, p[1], q[1]))
    place = p[1] + (q[1] - p[1]) * (line - p[0]) / (q[0] - p[0])
    return Span(min(span.begin, place), max(span.end, place))
