"""Where an axis, that of a capsule or of a cylinder, comes over a face of a box, leaves it or crosses an edge.

A bar that lies across a beam touches it with points of its mantle that move along it with every step, so they are
searched for: in native code, one call an axis and a box. Each of them may touch, whichever is chosen: none of them is a
contact that is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.shared_calls import shared_call
from footfall.math.transform import Transform

AXIS_PLACES = 2  # a line enters and leaves a face


@dataclass(frozen=True)
class AxisCrossing:
    """One of the `AXIS_PLACES` in which an axis crosses a box.

    length: of the axis, m, along z of `placement` in its body. place: which, from 0. mantle: radius, m, of a cylinder
    about the axis, whose mantle touches there; 0: the axis itself does.
    """

    length: float
    placement: Transform
    place: int
    mantle: float


def axis_crossings(length: float, box: Any, pose: Transform) -> Array:
    """Places (AXIS_PLACES, 7) on an axis, all in the frame of the box: point (3), normal (3) towards the axis and
    distance, m. Those that are not needed are far away.

    length: of the axis, along z of `pose` in the frame of the box; numbers or symbols. box: edge lengths (3,), m.
    """
    from footfall.contact.native_crossings import (
        find_axis_crossings,
        native_axis_crossings,
    )  # imports this file

    data = np.concatenate([[length], np.asarray(box, float)]) / 2
    inputs = np.concatenate([pose.rotation[:, 2], pose.translation])
    if inputs.dtype != object:
        result = np.empty(7 * AXIS_PLACES)
        find_axis_crossings(inputs.astype(float), result, data)
        return result.reshape(AXIS_PLACES, 7)
    return shared_call(native_axis_crossings(data.tobytes()), inputs).reshape(AXIS_PLACES, 7)
