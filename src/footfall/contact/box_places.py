"""Where two boxes touch: corners of one over faces of the other, and edges that cross.

Of all these places the nearest eight are kept: a patch in which two rectangles overlap has no more corners. They are
searched for in native code, one call a pair of boxes. Every one of them is a point of a box, whichever is chosen: none
is a contact that is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.shared_calls import shared_call
from footfall.math.transform import Transform

PLACES = 8


@dataclass(frozen=True)
class BoxPlace:
    """One of the `PLACES` in which a box touches another one.

    size: edge lengths of the box, m, at `placement` in its body. place: which, from 0.
    """

    size: tuple[float, float, float]
    placement: Transform
    place: int


def box_places(size: Any, other: Any, pose: Transform, *, rounding: Any) -> Array:
    """Places (PLACES, 7) in which a box may touch another one, all in the frame of that one: point (3), normal (3)
    towards the box and gap, m. A place keeps its row from step to step; those that are not needed are far away.

    size, other: edge lengths (3,) of both, m. pose: of the box in the frame of the other; numbers or symbols.
    rounding: (2,) radii of the corners of both and of the edges of the first, m.
    """
    from footfall.contact.native_box_places import find_box_places, native_box_places  # it imports this file

    halves = np.concatenate([np.asarray(size, float), np.asarray(other, float)]) / 2
    data = np.concatenate([halves, np.asarray(rounding, float)])
    inputs = np.concatenate([np.ravel(pose.rotation), pose.translation])
    if inputs.dtype != object:
        result = np.empty(7 * PLACES)
        find_box_places(inputs.astype(float), result, data)
        return result.reshape(PLACES, 7)
    return shared_call(native_box_places(data.tobytes()), inputs).reshape(PLACES, 7)
