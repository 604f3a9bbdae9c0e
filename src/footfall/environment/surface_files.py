"""Surfaces of objects as PLY files, with normals, colours and confidence at each vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.environment.formats.ply import ply_bytes, read_ply
from footfall.environment.objects import ObjectSurface
from footfall.errors import GeometryError, InvalidEnvironment
from footfall.geometry.mesh import TriangleMesh

_AXES = ("x", "y", "z")
_NORMALS = ("nx", "ny", "nz")
_COLORS = ("red", "green", "blue")
CONFIDENCE = "confidence"


def surface_bytes(surface: ObjectSurface) -> bytes:
    """A binary PLY file with all that the surface has, to the bit."""
    assert surface.normals is not None
    assert surface.confidence is not None
    columns: dict[str, Any] = dict(zip(_AXES, surface.mesh.vertices.T, strict=True))
    columns |= dict(zip(_NORMALS, surface.normals.T, strict=True))
    if surface.colors is not None:
        columns |= dict(zip(_COLORS, surface.colors.T, strict=True))
    columns[CONFIDENCE] = surface.confidence
    return ply_bytes(columns, surface.mesh.triangles)


def read_surface(content: bytes, *, source: str = "<ply>", name: str = "surface") -> ObjectSurface:
    """The surface of a PLY file's content; what it does not have is as `ObjectSurface` has it by default."""
    file = read_ply(content, source=source)
    columns = file.columns

    def stacked(names: tuple[str, ...], kind: Any) -> Any:
        if not set(names) <= set(columns):
            return None
        return np.stack([columns[each] for each in names], axis=1).astype(kind)

    confidence = columns.get(CONFIDENCE)
    colors = stacked(_COLORS, np.float64)
    if colors is not None and columns[_COLORS[0]].dtype.kind == "f":
        colors = 255.0 * colors  # some write them as numbers in [0, 1]
    if colors is not None and not ((colors >= 0.0) & (colors <= 255.0)).all():
        raise InvalidEnvironment("has colours beyond 0 to 255", source=source)
    try:
        mesh = TriangleMesh(stacked(_AXES, np.float64), file.triangles, name)
        return ObjectSurface(
            mesh,
            stacked(_NORMALS, np.float64),
            None if colors is None else np.rint(colors).astype(np.uint8),
            None if confidence is None else confidence.astype(np.float32),
        )
    except (GeometryError, InvalidEnvironment) as error:
        raise InvalidEnvironment(error.message, subject=error.subject, source=source) from None
