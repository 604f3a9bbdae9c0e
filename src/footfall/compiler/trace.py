"""Run a function on symbols and keep what it did: a program with named, shaped inputs and outputs."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.compiler.graph import ACTIVE, Graph
from footfall.compiler.source_location import traceback_location
from footfall.compiler.symbols import Condition, Symbol, node_index
from footfall.errors import TraceError

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """Names and shapes of a kernel's arrays, in order."""

    inputs: tuple[tuple[str, Shape], ...]
    outputs: tuple[tuple[str, Shape], ...]


@dataclass(frozen=True, eq=False)
class Program:
    """A traced function: its graph and, for each output, the nodes of its elements."""

    signature: Signature
    graph: Graph
    outputs: tuple[tuple[int, ...], ...]

    def digest(self) -> str:
        """Hash of the graph; equal for equal programs."""
        graph = self.graph
        loops = [
            (loop.region, loop.limit, loop.states, loop.initial, loop.following, loop.done)
            for loop in graph.loops
        ]
        functions = [(function.outputs, function.data is None) for function in graph.functions]
        sizes = [len(table) for table in graph.tables]
        content = (self.signature, graph.nodes, graph.region, loops, functions, sizes, self.outputs)
        return hashlib.sha256(repr(content).encode()).hexdigest()


def trace(function: Callable[..., Any], inputs: Mapping[str, Shape | int], *, wide: bool = False) -> Program:
    """Call `function(**arrays of symbols)` and record it.

    inputs: shape of each argument. The function returns an array (an output named `result`), or a mapping or named
    tuple of arrays. wide: for code that runs in several lanes.
    """
    _check_arguments(function, inputs)
    graph = Graph(wide=wide)
    shapes = {name: (shape,) if isinstance(shape, int) else tuple(shape) for name, shape in inputs.items()}
    arguments = {}
    for number, (name, shape) in enumerate(shapes.items()):
        size = math.prod(shape)
        array = np.empty(size, dtype=object)
        array[:] = [Symbol(graph, graph.unique("input", number, k, region=0)) for k in range(size)]
        arguments[name] = array.reshape(shape)
    token = ACTIVE.set(graph)
    try:
        result = function(**arguments)
    except TraceError:
        raise
    except (TypeError, AttributeError) as error:  # NumPy's ways of saying that it cannot do this with objects
        raise TraceError(
            f"cannot trace {getattr(function, '__name__', 'function')}: {error} "
            f"(at {traceback_location(error.__traceback__)}). Functions for numbers only, such as np.linalg.*, cannot "
            "be traced, nor NumPy functions on arrays that mix numbers and symbols: "
            "use those of footfall.compiler, which take both"
        ) from error
    finally:
        ACTIVE.reset(token)
    if isinstance(result, Mapping):
        named = dict(result)
    elif isinstance(result, tuple) and hasattr(result, "_fields"):
        named = dict(zip(result._fields, result, strict=True))
    else:
        named = {"result": result}
    outputs, signature = [], []
    for name, value in named.items():
        array = np.asarray(value, dtype=object)
        signature.append((name, array.shape))
        outputs.append(tuple(_output_index(graph, element) for element in array.ravel()))
    return Program(Signature(tuple(shapes.items()), tuple(signature)), graph, tuple(outputs))


def _check_arguments(function: Callable[..., Any], inputs: Mapping[str, Any]) -> None:
    """Every argument without a default needs a shape, and every shape an argument."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables do not tell
        return
    try:
        signature.bind(**inputs)
    except TypeError as error:
        raise TraceError(
            f"inputs {list(inputs)} do not fit {getattr(function, '__name__', 'function')}{signature}: {error}"
        ) from None


def _output_index(graph: Graph, element: Any) -> int:
    if isinstance(element, Condition):  # conditions leave a kernel as 1 and 0
        return graph.node("select", element.index, graph.constant(1.0), graph.constant(0.0))
    return node_index(graph, element)
