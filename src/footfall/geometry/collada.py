"""What the head of a COLLADA file says of all that is in it: which axis is up, and how long a unit is."""

from __future__ import annotations

import re

import numpy as np

from footfall.arrays import Array
from footfall.errors import GeometryError

_HEAD = 65536  # bytes: the element <asset> comes first
# Into x right, y to the back, z up: COLLADA 1.4.1, <up_axis>.
_TO_Z_UP = {
    "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "Z_UP": np.eye(3),
}
_WRITES_Y_UP_ALWAYS = "MeshLab"  # whatever the axes of its meshes are; what it wrote is left as it is


def to_metres_and_z_up(content: bytes, source: str) -> Array:
    """Matrix (3, 3) that brings vertices of a COLLADA file into metres, with z upwards; source: its path, in errors."""
    head = content[:_HEAD].decode(errors="replace")
    asset = head[head.find("<asset") : head.find("</asset>")]
    axis = re.search(r"<up_axis>\s*([XYZ]_UP)\s*</up_axis>", asset)
    unit = re.search(r"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)[\"']", asset)
    known = axis is not None and _WRITES_Y_UP_ALWAYS not in asset
    turn = _TO_Z_UP[axis.group(1)] if axis is not None and known else np.eye(3)
    return _metres(unit.group(1), source) * turn if unit else turn


def _metres(text: str, source: str) -> float:
    try:
        metres = float(text)
    except ValueError:
        metres = 0.0
    if not 0.0 < metres < np.inf:
        raise GeometryError(f"its unit is {text!r} m; it must be a number above zero", source=source)
    return metres
