"""Functions for code that runs on numbers, on arrays and on symbols alike.

NumPy's own `+ - * / @`, `np.sin`, `np.sqrt`, `np.concatenate` and the like work on symbols as they are. These are the
ones for which NumPy wants to know the numbers: choices, comparisons, loops and tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.compiler.graph import BINARY, COMPARISONS, UNARY, NativeFunction
from footfall.compiler.source_location import user_location
from footfall.compiler.symbols import (
    Condition,
    Symbol,
    active_graph,
    binary,
    compare,
    node_index,
    same_graph,
    unary,
)
from footfall.errors import TraceError


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, (Symbol, Condition)) or (isinstance(value, np.ndarray) and value.dtype == object)


def _elementwise(scalar: Callable[..., Any], numeric: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    """Apply `scalar` to symbols, `numeric` (a NumPy function) where everything is a number."""
    values = tuple(np.asarray(value) if isinstance(value, (list, tuple)) else value for value in values)
    if not any(_is_symbolic(value) for value in values):
        return numeric(*values)
    if not any(isinstance(value, np.ndarray) and value.ndim for value in values):
        return scalar(*(value.item() if isinstance(value, np.ndarray) else value for value in values))
    return np.frompyfunc(scalar, len(values), 1)(*(_boxed(value) for value in values))


def _boxed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    box = np.empty((), dtype=object)
    box[()] = value
    return box


def _unary(operation: str) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        return _elementwise(lambda value: unary(operation, value), UNARY[operation], (x,))

    apply.__name__ = operation
    apply.__doc__ = f"{operation}(x), element-wise, on numbers, arrays or symbols."
    return apply


def _binary(operation: str, name: str) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        return _elementwise(lambda x, y: binary(operation, x, y), BINARY[operation], (a, b))

    apply.__name__ = name
    apply.__doc__ = f"{name}(a, b), element-wise, on numbers, arrays or symbols."
    return apply


def _comparison(operation: str, name: str) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        return _elementwise(lambda x, y: compare(operation, x, y), COMPARISONS[operation], (a, b))

    apply.__name__ = name
    apply.__doc__ = (
        f"{name}(a, b), element-wise, on numbers, arrays or symbols; the result goes into `where`."
    )
    return apply


sqrt = _unary("sqrt")
sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
asin = _unary("asin")
acos = _unary("acos")
atan = _unary("atan")
exp = _unary("exp")
log = _unary("log")
floor = _unary("floor")
absolute = _unary("abs")
minimum = _binary("min", "minimum")
maximum = _binary("max", "maximum")
atan2 = _binary("atan2", "atan2")
less = _comparison("lt", "less")
less_equal = _comparison("le", "less_equal")
greater = _comparison("gt", "greater")
greater_equal = _comparison("ge", "greater_equal")
equal = _comparison("eq", "equal")


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b; element-wise. Both are computed, so neither may be a trap."""
    return _elementwise(_choose, np.where, (condition, a, b))


def _choose(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(condition, (bool, np.bool_)):
        return a if condition else b
    if not isinstance(condition, Condition):
        raise TraceError(f"where needs a comparison at {user_location()}, not {type(condition).__name__}")
    graph = condition.graph
    yes, no = node_index(graph, a), node_index(graph, b)
    return a if yes == no else Symbol(graph, graph.node("select", condition.index, yes, no))


def gather(table: Any, index: Any) -> Any:
    """`table[index]`, the index rounded down and kept within the table.

    table: (n,) numbers, of which the kernel keeps a reference (later changes in place are seen), or a short list of
    symbols. index: number, symbol or array of them.
    """
    values = np.asarray(table)
    if values.ndim != 1 or len(values) == 0:
        raise TraceError(f"gather needs a one-dimensional table with entries at {user_location()}")
    if values.dtype == object:
        return _elementwise(lambda number: _pick(values, number), lambda n: _pick_number(values, n), (index,))
    if values.dtype != np.float64 or not values.flags.c_contiguous:
        values = np.ascontiguousarray(values, dtype=np.float64)

    def look_up(number: Any) -> Any:
        if not isinstance(number, Symbol):
            return float(values[int(np.clip(np.floor(number), 0, len(values) - 1))])
        graph = number.graph
        position = next((k for k, known in enumerate(graph.tables) if known is values), None)
        if position is None:
            position = len(graph.tables)
            graph.tables.append(values)
        return Symbol(graph, graph.node(f"gather:{position}", number.index))

    return _elementwise(look_up, lambda number: _pick_number(values, number), (index,))


def _pick_number(values: Any, index: Any) -> Any:
    return values[np.clip(np.floor(index), 0, len(values) - 1).astype(int)]


def _pick(values: Any, index: Any) -> Any:
    """Entry of a list of symbols, by halving."""
    if not isinstance(index, Symbol):
        return values[int(np.clip(np.floor(index), 0, len(values) - 1))]
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    low = _pick(values[:half], index)
    return _choose(index < half, low, _pick(values[half:], index - half))


def call(function: NativeFunction, *arguments: Any, in_lanes: Callable[[], Any] | None = None) -> Any:
    """Call a native function, once a lane, with all elements of the arguments in order; gives (outputs,) symbols.

    in_lanes: gives the same as symbols, bit for bit. Code for several lanes has it in place of a call in each of them.
    """
    flat = np.concatenate([np.ravel(np.asarray(argument, dtype=object)) for argument in arguments])
    graph = active_graph(*flat)
    if graph is None:
        raise TraceError(f"call works inside traced code only (at {user_location()})")
    if in_lanes is not None:
        graph.forked = True
        if graph.wide:
            return np.ravel(in_lanes())
    known = [(each.address, id(each.data)) for each in graph.functions]
    if (function.address, id(function.data)) not in known:
        known.append((function.address, id(function.data)))
        graph.functions.append(function)
    position = known.index((function.address, id(function.data)))
    region = graph.open_regions[-1]  # it may have effects of its own: keep it where it is called
    number = graph.unique(f"call:{position}", *(node_index(graph, value) for value in flat), region=region)
    parts = [graph.unique("part", number, k, region=region) for k in range(function.outputs)]
    return np.array([Symbol(graph, part) for part in parts], dtype=object)


def repeat(
    body: Callable[..., Any],
    state: Any,
    *,
    count: int,
    until: Callable[..., Any] | None = None,
) -> Any:
    """Run `state = body(*state)` as a loop in the kernel.

    state: an array or a tuple of arrays; the body takes them as arguments and returns them anew, in the same shapes.
    count: how often, or at most how often if `until` is given. until: `until(*state)` is tested before each
    repetition; where it holds the state stays frozen from then on, lane by lane.
    On numbers it is an ordinary loop.
    """
    single = not isinstance(state, tuple)
    parts = [np.asarray(part) for part in ((state,) if single else state)]
    shapes = [part.shape for part in parts]
    flat = np.concatenate([part.ravel().astype(object) for part in parts])
    if count <= 0:
        return state
    graph = active_graph(*flat)
    if graph is None:
        return _repeat_numbers(body, parts, count, until, single)

    def split(values: list[Any]) -> list[Any]:
        result, start = [], 0
        for shape in shapes:
            size = int(np.prod(shape))
            array = np.empty(size, dtype=object)
            array[:] = values[start : start + size]
            result.append(array.reshape(shape) if shape else array[0])
            start += size
        return result

    loop = graph.open_loop([node_index(graph, value) for value in flat], count)
    try:
        states = split([Symbol(graph, index) for index in loop.states])
        if until is not None:
            done = until(*states)
            done = done.item() if isinstance(done, np.ndarray) else done
            if isinstance(done, Condition):
                loop.done = same_graph(Symbol(graph, loop.states[0]), done)
            elif done:
                loop.limit = 0
        following = body(*states)
        following = (following,) if single else tuple(following)
        given = [np.shape(part) for part in following]
        if given != shapes:
            raise TraceError(
                f"the body of repeat at {user_location()} returns shapes {given}, but the state has {shapes}"
            )
        loop.following = [
            node_index(graph, value) for part in following for value in np.asarray(part, dtype=object).ravel()
        ]
    except BaseException:
        graph.open_regions.pop()
        raise
    final = split([Symbol(graph, index) for index in graph.close_loop(loop)])
    return final[0] if single else tuple(final)


def _repeat_numbers(body: Any, parts: list[Any], count: int, until: Any, single: bool) -> Any:
    values: tuple[Any, ...] = tuple(parts)
    for _ in range(count):
        if until is not None and bool(until(*values)):
            break
        following = body(*values)
        values = (following,) if single else tuple(following)
    return values[0] if single else values
