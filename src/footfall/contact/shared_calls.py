"""One native call for all candidates that need its results."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from footfall.arrays import Array
from footfall.compiler import NativeFunction, call
from footfall.compiler.graph import ACTIVE, Graph
from footfall.compiler.symbols import Symbol, node_index

# Nodes of the calls that a trace has made; no symbols, which would keep their graph alive.
_made: WeakKeyDictionary[Graph, dict[tuple[Any, ...], list[int]]] = WeakKeyDictionary()


def shared_call(function: NativeFunction, inputs: Array) -> Array:
    """Results (n,) of a function for symbols (m,), as one node of the graph however often it is asked for."""
    graph = ACTIVE.get()
    assert graph is not None
    key = (function.name, graph.open_regions[-1], *(node_index(graph, value) for value in inputs))
    known = _made.setdefault(graph, {})
    if key not in known:
        known[key] = [symbol.index for symbol in call(function, inputs)]
    return np.array([Symbol(graph, index) for index in known[key]], dtype=object)
