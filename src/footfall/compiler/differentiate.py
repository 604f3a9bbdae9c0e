"""Derivatives of what has been traced, by forward accumulation with sparse rows.

Every node carries the partial derivatives with respect to the chosen variables that it depends on; a loop is
repeated with the derivatives of its state beside the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.functions import where
from footfall.compiler.graph import CONDITIONS, Graph, Loop, operands
from footfall.compiler.source_location import user_location
from footfall.compiler.symbols import Condition, Symbol, graph_of, node_index
from footfall.errors import TraceError

Row = dict[int, Any]  # variable -> partial derivative
FLAT = CONDITIONS | {"const", "input", "state", "floor"}


def jacobian(values: Any, variables: Any) -> Array:
    """Partial derivatives of traced values, shape `values.shape + variables.shape`.

    variables: symbols, usually inputs of the kernel or parts of them; anything computed from them by this trace is
    followed. At kinks (abs, minimum, where) the branch taken counts; tables count as flat.
    """
    targets = np.asarray(values, dtype=object)
    chosen = np.asarray(variables, dtype=object)
    graph = graph_of(*targets.ravel(), *chosen.ravel())
    if graph is None:
        return np.zeros(targets.shape + chosen.shape)
    for symbol in chosen.ravel():
        if not isinstance(symbol, Symbol):
            raise TraceError(f"jacobian at {user_location()}: variables must be symbols, not {symbol!r}")
    sweep = _Sweep(graph, [symbol.index for symbol in chosen.ravel()])
    result = np.zeros((targets.size, chosen.size), dtype=object)
    for k, value in enumerate(targets.ravel()):
        for column, partial in sweep.row(node_index(graph, value)).items():
            result[k, column] = partial
    return result.reshape(targets.shape + chosen.shape)


def rate_of(values: Any, variables: Any, rates: Any) -> Array:
    """Rates of traced values while variables change with the given rates: their Jacobian times rates, in one column.

    values: any shape. variables: symbols; rates: numbers or symbols of the same shape, which count as constant.
    """
    targets = np.asarray(values, dtype=object)
    chosen = np.asarray(variables, dtype=object)
    given = np.asarray(rates, dtype=object)
    if given.shape != chosen.shape:
        raise TraceError(
            f"rate_of at {user_location()}: rates have shape {given.shape}, the variables {chosen.shape}"
        )
    graph = graph_of(*targets.ravel(), *chosen.ravel())
    if graph is None:
        return np.zeros(targets.shape)
    for symbol in chosen.ravel():
        if not isinstance(symbol, Symbol):
            raise TraceError(f"rate_of at {user_location()}: variables must be symbols, not {symbol!r}")
    sweep = _Sweep(graph, [])
    sweep.columns = 1
    sweep.rows = {symbol.index: {0: rate} for symbol, rate in zip(chosen.ravel(), given.ravel(), strict=True)}
    result = np.array(
        [sweep.row(node_index(graph, value)).get(0, 0.0) for value in targets.ravel()], dtype=object
    )
    return result.reshape(targets.shape)


class _Sweep:
    """Derivatives of nodes with respect to variables, each computed once."""

    def __init__(self, graph: Graph, variables: list[int]) -> None:
        self.graph = graph
        self.rows: dict[int, Row] = {index: {column: 1.0} for column, index in enumerate(variables)}
        self.columns = len(variables)

    def row(self, target: int) -> Row:
        """Derivatives of one node; those it is computed from come first, without recursion."""
        stack = [target]
        while stack:
            index = stack[-1]
            if index in self.rows:
                stack.pop()
                continue
            node = self.graph.nodes[index]
            needed = operands(node)
            if node[0] == "result":
                needed = tuple(self.graph.loops[self.graph.nodes[node[1]][1]].initial)
            missing = [operand for operand in needed if operand not in self.rows]
            if missing:
                stack.extend(missing)
                continue
            if node[0] == "result":
                self.differentiate_loop(node[1])
            else:
                self.rows[index] = self.differentiate(index)
            stack.pop()
        return self.rows[target]

    def differentiate(self, index: int) -> Row:
        node = self.graph.nodes[index]
        operation = node[0]
        if operation in FLAT or operation.startswith("gather:"):
            return {}
        if operation.startswith("call:"):
            raise TraceError(f"jacobian at {user_location()}: a native call cannot be differentiated")
        symbols = [self.symbol(operand) for operand in node[1:]]
        rows = [self.rows[operand] for operand in node[1:]]
        if operation == "select":
            return _combine(rows[1:], lambda a, b: where(symbols[0], a, b))
        if operation in ("min", "max"):
            first = symbols[0] <= symbols[1] if operation == "min" else symbols[0] >= symbols[1]
            return _combine(rows, lambda a, b: where(first, a, b))
        if operation == "add":
            return _combine(rows, lambda a, b: a + b)
        if operation == "sub":
            return _combine(rows, lambda a, b: a - b)
        if not any(rows):
            return {}
        factors = _PARTIALS[operation](Symbol(self.graph, index), *symbols)
        return _combine(rows, lambda *partials: sum(f * p for f, p in zip(factors, partials, strict=True)))

    def symbol(self, index: int) -> Any:
        value = self.graph.value_of(index)
        if value is not None:
            return value
        if self.graph.nodes[index][0] in CONDITIONS:
            return Condition(self.graph, index)
        return Symbol(self.graph, index)

    def differentiate_loop(self, number: int) -> None:
        """Repeat the loop with d(state)/d(variables) as more state."""
        graph = self.graph
        loop = graph.loops[graph.nodes[number][1]]
        count = len(loop.states)
        tangents = [self.rows[index] for index in loop.initial]
        initial = list(loop.initial)
        for row in tangents:
            initial += [node_index(graph, row.get(column, 0.0)) for column in range(self.columns)]
        wide = graph.open_loop(initial, loop.limit)
        copy = _BodyCopy(graph, loop, wide.states[:count])
        wide.following = [copy.index(index) for index in loop.following]
        if loop.done is not None:
            wide.done = copy.index(loop.done)
        inner = _Sweep(graph, [])
        inner.columns = self.columns
        inner.rows = dict(self.rows)
        for k, state in enumerate(wide.states[:count]):
            first = count + k * self.columns
            inner.rows[state] = {
                column: Symbol(graph, wide.states[first + column]) for column in range(self.columns)
            }
        derivatives = []
        for index in wide.following:
            row = inner.row(index)
            derivatives += [node_index(graph, row.get(column, 0.0)) for column in range(self.columns)]
        wide.following += derivatives
        results = graph.close_loop(wide)
        for k in range(count):
            first = count + k * self.columns
            row = {c: Symbol(graph, results[first + c]) for c in range(self.columns)}
            for index in self._results_of(number, k):
                self.rows[index] = row

    def _results_of(self, number: int, position: int) -> list[int]:
        nodes = self.graph.nodes
        found = []
        for index in range(number + 1, len(nodes)):  # results follow their loop at once
            if nodes[index][:2] != ("result", number):
                break
            if nodes[index][2] == position:
                found.append(index)
        return found


class _BodyCopy:
    """The body of a loop once more, on other state nodes."""

    def __init__(self, graph: Graph, loop: Loop, states: list[int]) -> None:
        self.graph = graph
        self.region = loop.region
        self.copies = dict(zip(loop.states, states, strict=True))

    def index(self, target: int) -> int:
        graph = self.graph
        stack = [target]
        while stack:
            index = stack[-1]
            if index in self.copies:
                stack.pop()
                continue
            node = graph.nodes[index]
            if not self.inside(index):
                self.copies[index] = index
            elif node[0] in ("result", "part") or node[0].startswith("call:"):
                raise TraceError(
                    "jacobian: loops inside loops and native calls in loops cannot be differentiated"
                )
            else:
                missing = [operand for operand in operands(node) if operand not in self.copies]
                if missing:
                    stack.extend(missing)
                    continue
                self.copies[index] = graph.node(node[0], *(self.copies[operand] for operand in node[1:]))
            stack.pop()
        return self.copies[target]

    def inside(self, index: int) -> bool:
        region = self.graph.region[index]
        while region > 0 and region != self.region:
            region = self.graph.parents[region]
        return region == self.region


def _combine(rows: list[Row], rule: Callable[..., Any]) -> Row:
    """Apply a rule to the partial derivatives in each column that any row has."""
    columns = dict.fromkeys(column for row in rows for column in row)
    combined = {column: rule(*(row.get(column, 0.0) for row in rows)) for column in columns}
    return {
        column: value for column, value in combined.items() if not (type(value) is float and value == 0.0)
    }


# Partial derivatives of an operation by its operands, given its own value and theirs
_PARTIALS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "mul": lambda value, a, b: (b, a),
    "div": lambda value, a, b: (1.0 / b, -value / b),
    "neg": lambda value, a: (-1.0,),
    "sqrt": lambda value, a: (0.5 / value,),
    "abs": lambda value, a: (where(a < 0.0, -1.0, 1.0),),
    "sin": lambda value, a: (a.cos(),),
    "cos": lambda value, a: (-a.sin(),),
    "tan": lambda value, a: (1.0 + value * value,),
    "asin": lambda value, a: (1.0 / (1.0 - a * a).sqrt(),),
    "acos": lambda value, a: (-1.0 / (1.0 - a * a).sqrt(),),
    "atan": lambda value, a: (1.0 / (1.0 + a * a),),
    "exp": lambda value, a: (value,),
    "log": lambda value, a: (1.0 / a,),
    "atan2": lambda value, a, b: (b / (a * a + b * b), -a / (a * a + b * b)),
}
