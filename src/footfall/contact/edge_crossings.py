"""Where the edges of a box cross those of another: points in which boxes touch besides their corners.

A beam that lies across another one touches it with points inside of its edges. They move along the edges with every
step, so they are searched for: in native code, one call a pair of boxes. Every point of an edge may touch, whichever
is chosen: none of them is a contact that is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from footfall.compiler import call
from footfall.compiler.graph import ACTIVE, Graph
from footfall.compiler.symbols import Symbol, node_index
from footfall.math.transform import Transform

Array = np.ndarray[Any, np.dtype[Any]]

PLACES = 8  # corners of the patch in which two rectangles can overlap
AXIS_PLACES = 2  # a line enters and leaves a face

# Nodes of the calls that a trace has made; no symbols, which would keep their graph alive.
_made: WeakKeyDictionary[Graph, dict[tuple[Any, ...], list[int]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Crossing:
    """One of the `PLACES` in which the edges of a box cross those of another.

    size: edge lengths of the box whose edges these are, m, at `placement` in its body; a line, such as the axis of a
    capsule, is a box with one length only, and has `AXIS_PLACES`. place: which, from 0.
    """

    size: tuple[float, float, float]
    placement: Transform
    place: int


def crossings(size: Any, other: Any, pose: Transform) -> Array:
    """Places (PLACES, 7) on edges of a box where they cross those of another box, all in the frame of that one: point
    (3), normal (3) towards the box and distance, m. The nearest are kept, in the order of the edges; those that are
    not needed are far away.

    size, other: edge lengths (3,) of both, m. pose: of the box in the frame of the other; numbers or symbols.
    """
    from footfall.contact.native_crossings import (  # Numba takes its time to import
        find_crossings,
        native_crossings,
    )

    data = np.concatenate([np.asarray(size, float), np.asarray(other, float)]) / 2
    inputs = np.concatenate([np.ravel(pose.rotation), pose.translation])
    if inputs.dtype != object:
        result = np.empty(7 * PLACES)
        find_crossings(inputs.astype(float), data, result)
        return result.reshape(PLACES, 7)
    graph = ACTIVE.get()
    assert graph is not None
    key = (data.tobytes(), graph.open_regions[-1], *(node_index(graph, value) for value in inputs))
    known = _made.setdefault(graph, {})
    if key not in known:  # one call for all places
        made = call(native_crossings(data.tobytes()), inputs)
        known[key] = [symbol.index for symbol in made]
    symbols = [Symbol(graph, index) for index in known[key]]
    return np.array(symbols, dtype=object).reshape(PLACES, 7)
