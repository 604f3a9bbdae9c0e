"""Symbols: scalars that record what is done to them. They live in ordinary NumPy object arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.compiler.graph import ACTIVE, BINARY, COMPARISONS, UNARY, Graph, fold
from footfall.compiler.source_location import user_location
from footfall.errors import TraceError

Number = (int, float, np.integer, np.floating)


class Symbol:
    """A number that is known only when the kernel runs."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    # Arithmetic. Results are symbols, or plain floats where they are known already.

    def __add__(self, other: Any) -> Any:
        if type(other) is Symbol:
            return wrap(self.graph, self.graph.add(self.index, same_graph(self, other)))
        if isinstance(other, Number):
            return Symbol(self.graph, self.graph.add_number(self.index, float(other)))
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if type(other) is Symbol:
            return wrap(self.graph, self.graph.sub(self.index, same_graph(self, other)))
        if isinstance(other, Number):
            return Symbol(self.graph, self.graph.add_number(self.index, -float(other)))
        return NotImplemented

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, Number):
            return Symbol(self.graph, self.graph.subtract_from_number(float(other), self.index))
        return NotImplemented

    def __mul__(self, other: Any) -> Any:
        if type(other) is Symbol:
            return Symbol(self.graph, self.graph.mul(self.index, same_graph(self, other)))
        if isinstance(other, Number):
            return wrap(self.graph, self.graph.mul_number(self.index, float(other)))
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is Symbol:
            return Symbol(self.graph, self.graph.div(self.index, same_graph(self, other)))
        if isinstance(other, Number):
            return wrap(self.graph, self.graph.div_number(self.index, float(other)))
        return NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, Number):
            return wrap(self.graph, self.graph.divide_number(float(other), self.index))
        return NotImplemented

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, Number):
            number = float(exponent)
            if number == 0.5:
                return self.sqrt()
            if number.is_integer() and abs(number) <= 64:
                power = _integer_power(self, abs(int(number)))
                return power if number >= 0 else 1.0 / power
        raise TraceError(
            f"power {exponent!r} of a symbol at {user_location()}: "
            "only whole exponents up to 64 and 0.5 can be traced; use exp(p * log(x))"
        )

    def __neg__(self) -> Symbol:
        return Symbol(self.graph, self.graph.neg(self.index))

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Any:
        return unary("abs", self)

    def __lt__(self, other: Any) -> Any:
        return compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return compare("ge", self, other)

    def __eq__(self, other: object) -> Any:
        return compare("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return compare("ne", self, other)

    def __hash__(self) -> int:
        return hash((id(self.graph), self.index))

    def __bool__(self) -> bool:
        raise TraceError(
            f"a symbol has no truth value (at {user_location()}): its number is known only when the kernel runs. "
            "Instead of `if`, `and`, `or`, `min`, `max` or an array comparison use footfall.compiler's "
            "where(condition, a, b), minimum, maximum, or element-wise comparisons"
        )

    def __float__(self) -> float:
        raise TraceError(
            f"a symbol cannot become a float (at {user_location()}). To store symbols in an array, build it from "
            "a list, or make it with dtype=object; instead of functions for numbers only (math.*, np.linalg.*), "
            "use those of footfall.compiler, @ and NumPy's elementary functions"
        )

    def __int__(self) -> int:
        return int(float(self))

    __index__ = None

    def __repr__(self) -> str:
        return f"Symbol({self.index}: {self.graph.nodes[self.index][0]})"

    # NumPy calls these methods for the elements of object arrays

    def sqrt(self) -> Any:
        return unary("sqrt", self)

    def sin(self) -> Any:
        return unary("sin", self)

    def cos(self) -> Any:
        return unary("cos", self)

    def tan(self) -> Any:
        return unary("tan", self)

    def arcsin(self) -> Any:
        return unary("asin", self)

    def arccos(self) -> Any:
        return unary("acos", self)

    def arctan(self) -> Any:
        return unary("atan", self)

    def arctan2(self, other: Any) -> Any:
        return binary("atan2", self, other)

    def exp(self) -> Any:
        return unary("exp", self)

    def log(self) -> Any:
        return unary("log", self)

    def floor(self) -> Any:
        return unary("floor", self)

    def conjugate(self) -> Symbol:
        return self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy functions with a symbol as a direct argument, next to numbers or arrays."""
        function = _UFUNCS.get(ufunc)
        if function is None or method != "__call__" or options:
            raise TraceError(
                f"np.{ufunc.__name__}{'.' + method if method != '__call__' else ''} cannot be traced "
                f"(at {user_location()}); there are: "
                + ", ".join(sorted(f"np.{known.__name__}" for known in _UFUNCS))
            )
        if any(isinstance(value, np.ndarray) and value.ndim for value in inputs):
            result = np.frompyfunc(function, len(inputs), 1)(*(_as_object(value) for value in inputs))
            return result
        return function(
            *(value.item() if isinstance(value, (np.ndarray, np.generic)) else value for value in inputs)
        )


class Condition:
    """A comparison whose outcome is known only when the kernel runs."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    def __and__(self, other: Any) -> Any:
        return self._combine("and", other, neutral=True)

    def __or__(self, other: Any) -> Any:
        return self._combine("or", other, neutral=False)

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Condition:
        node = self.graph.nodes[self.index]
        return Condition(self.graph, node[1] if node[0] == "not" else self.graph.node("not", self.index))

    def _combine(self, operation: str, other: Any, *, neutral: bool) -> Any:
        if isinstance(other, (bool, np.bool_)):
            return self if bool(other) is neutral else bool(other)
        if isinstance(other, Condition):
            a, b = sorted((self.index, same_graph(self, other)))
            return self if a == b else Condition(self.graph, self.graph.node(operation, a, b))
        return NotImplemented

    __bool__ = Symbol.__bool__

    def __repr__(self) -> str:
        return f"Condition({self.index}: {self.graph.nodes[self.index][0]})"


def wrap(graph: Graph, value: int | float) -> Any:
    """A symbol for a node index; a float stays one."""
    return Symbol(graph, value) if type(value) is int else value


def same_graph(a: Symbol | Condition, b: Symbol | Condition) -> int:
    """Index of b, which must belong to the same trace as a."""
    if a.graph is not b.graph:
        raise TraceError(
            f"symbols of two different traces meet at {user_location()}; pass the value from the other trace "
            "as an input of this kernel, or use `call` to call the other kernel"
        )
    return b.index


def node_index(graph: Graph, value: Any) -> int:
    """Index of the node for a symbol or a number."""
    if isinstance(value, Symbol):
        if value.graph is not graph:
            same_graph(Symbol(graph, 0), value)
        return value.index
    if isinstance(value, (*Number, bool, np.bool_)):
        return graph.constant(float(value))
    raise TraceError(f"a number or a symbol is needed at {user_location()}, not {type(value).__name__}")


def graph_of(*values: Any) -> Graph | None:
    """The trace that the first symbol among the values belongs to."""
    for value in values:
        if isinstance(value, (Symbol, Condition)):
            return value.graph
    return None


def active_graph(*values: Any) -> Graph | None:
    """The same, or the trace that is under way: for loops and calls that start from numbers."""
    return graph_of(*values) or ACTIVE.get()


def unary(operation: str, value: Any) -> Any:
    if isinstance(value, Symbol):
        return wrap(value.graph, value.graph.unary(operation, value.index))
    return fold(UNARY[operation], value)


def binary(operation: str, a: Any, b: Any) -> Any:
    """min, max and atan2 of symbols and numbers."""
    graph = graph_of(a, b)
    if graph is None:
        return fold(BINARY[operation], a, b)
    left, right = node_index(graph, a), node_index(graph, b)
    if operation in ("min", "max") and left == right:
        return a
    return Symbol(graph, graph.node(operation, left, right))


def compare(operation: str, a: Any, b: Any) -> Any:
    graph = graph_of(a, b)
    if graph is None:
        return bool(COMPARISONS[operation](a, b))
    if isinstance(a, (Symbol, *Number)) and isinstance(b, (Symbol, *Number)):
        return Condition(graph, graph.node(operation, node_index(graph, a), node_index(graph, b)))
    return NotImplemented


def _integer_power(base: Symbol, exponent: int) -> Any:
    result: Any = 1.0
    square: Any = base
    while exponent:
        if exponent & 1:
            result = result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return result


def _as_object(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(object)
    array = np.empty((), dtype=object)
    array[()] = value
    return array


def _unary_function(operation: str) -> Callable[[Any], Any]:
    return lambda value: unary(operation, value)


def _binary_function(operation: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: binary(operation, a, b)


def _comparison(operation: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(operation, a, b)


_UFUNCS: dict[np.ufunc, Callable[..., Any]] = {
    **{ufunc: _unary_function(name) for name, ufunc in UNARY.items()},
    **{BINARY[name]: _binary_function(name) for name in ("min", "max", "atan2")},
    **{ufunc: _comparison(name) for name, ufunc in COMPARISONS.items()},
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.power: operator.pow,
    np.square: lambda value: value * value,
}
