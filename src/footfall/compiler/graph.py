"""The expression graph that tracing fills: shared nodes, folded constants, simple algebra.

A node is a tuple `(operation, operands...)`, operands being indices of earlier nodes; equal nodes are one node.
Operands that are known numbers never become nodes unless an operation with an unknown needs them, so that the
zeros and ones of a robot's geometry vanish while it is traced. Algebra is exact in IEEE arithmetic with three
deliberate exceptions, which make structural zeros vanish: `x * 0 = 0`, `0 / x = 0` and `x - x = 0` even where x is
infinite or NaN, and `x + 0 = x` even where x is -0.

Loops: every node belongs to a region, the innermost loop body that it depends on (0: none). So what does not
change inside a loop leaves it by itself.
"""

from __future__ import annotations

import math
import struct
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.compiler.source_location import user_location
from footfall.errors import TraceError

Node = tuple[Any, ...]
ACTIVE: ContextVar[Graph | None] = ContextVar("footfall_active_trace", default=None)

UNARY = {
    "sqrt": np.sqrt,
    "abs": np.abs,
    "floor": np.floor,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "exp": np.exp,
    "log": np.log,
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "atan2": np.arctan2,
}
COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
CONDITIONS = frozenset({*COMPARISONS, "and", "or", "not"})  # nodes that hold or do not hold
LEAVES = frozenset({"const", "input", "state", "loop"})  # nodes that are not computed from others
ODD = {"sin", "tan", "asin", "atan"}
EVEN = {"cos", "abs"}


@dataclass
class Loop:
    """A repeated body: state nodes of its region, their first and next values, and when a lane is done."""

    region: int
    limit: int
    states: list[int]
    initial: list[int]
    following: list[int] = field(default_factory=list)
    done: int | None = None


@dataclass(frozen=True, eq=False)
class NativeFunction:
    """A native `void f(const double* in, double* out, void* data)` that traced code may call, once a lane."""

    name: str
    address: int
    outputs: int
    data: np.ndarray[Any, Any] | None = None
    owner: object = None  # keeps the code at `address` alive


class Graph:
    """Nodes of one trace.

    wide: whether the code will run in several lanes. forked: whether it would be another graph if it ran in one.
    """

    def __init__(self, *, wide: bool = False) -> None:
        self.wide = wide
        self.forked = False
        self.nodes: list[Node] = []
        self.region: list[int] = []
        self.index: dict[Node, int] = {}
        self.parents: list[int] = [-1]  # of each region
        self.depths: list[int] = [0]
        self.open_regions: list[int] = [0]
        self.loops: list[Loop] = []
        self.tables: list[np.ndarray[Any, Any]] = []
        self.functions: list[NativeFunction] = []

    # Nodes

    def node(self, *key: Any) -> int:
        """Index of the node with this operation and these operands, new or shared."""
        found = self.index.get(key)
        if found is not None:
            return found
        region = self.region
        inner = 0
        for operand in key[1:]:
            other = region[operand]
            if other != inner:
                inner = self._inner(inner, other)
        return self._append(key, inner)

    def constant(self, value: float) -> int:
        key = ("const", struct.pack("<d", value))
        found = self.index.get(key)
        return self._append(key, 0) if found is None else found

    def unique(self, *key: Any, region: int) -> int:
        """A node that is never shared, such as a loop."""
        self.nodes.append(key)
        self.region.append(region)
        return len(self.nodes) - 1

    def value_of(self, index: int) -> float | None:
        """The number that a constant node stands for."""
        node = self.nodes[index]
        return float(struct.unpack("<d", node[1])[0]) if node[0] == "const" else None

    def _append(self, key: Node, region: int) -> int:
        number = len(self.nodes)
        self.nodes.append(key)
        self.region.append(region)
        self.index[key] = number
        return number

    def _inner(self, one: int, other: int) -> int:
        """The deeper of two regions, which must lie on one path and be open."""
        deep, shallow = (one, other) if self.depths[one] >= self.depths[other] else (other, one)
        if deep not in self.open_regions or shallow not in self.open_regions:
            raise TraceError(
                f"a value from inside `repeat` is used outside of it at {user_location()}; "
                "return it from the body as part of the state"
            )
        return deep

    # Arithmetic on node indices; `float` results are folded constants

    def add(self, a: int, b: int) -> int | float:
        nodes = self.nodes
        if nodes[b][0] == "neg":
            return self.sub(a, nodes[b][1])
        if nodes[a][0] == "neg":
            return self.sub(b, nodes[a][1])
        return self.node("add", a, b) if a <= b else self.node("add", b, a)

    def sub(self, a: int, b: int) -> int | float:
        if a == b:
            return 0.0
        node = self.nodes[b]
        if node[0] == "neg":
            return self.add(a, node[1])
        return self.node("sub", a, b)

    def mul(self, a: int, b: int) -> int:
        nodes = self.nodes
        if nodes[a][0] == "neg":
            return self.neg(self.mul(nodes[a][1], b))
        if nodes[b][0] == "neg":
            return self.neg(self.mul(a, nodes[b][1]))
        return self.node("mul", a, b) if a <= b else self.node("mul", b, a)

    def div(self, a: int, b: int) -> int:
        nodes = self.nodes
        if nodes[a][0] == "neg":
            return self.neg(self.div(nodes[a][1], b))
        if nodes[b][0] == "neg":
            return self.neg(self.div(a, nodes[b][1]))
        return self.node("div", a, b)

    def neg(self, a: int) -> int:
        node = self.nodes[a]
        return int(node[1]) if node[0] == "neg" else self.node("neg", a)

    def add_number(self, a: int, number: float) -> int:
        if number == 0.0:
            return a
        node = self.nodes[a]
        if node[0] == "neg":
            return self.node("sub", self.constant(number), node[1])
        if number < 0.0:
            return self.node("sub", a, self.constant(-number))
        return self.node("add", a, self.constant(number))

    def subtract_from_number(self, number: float, a: int) -> int:
        if number == 0.0:
            return self.neg(a)
        node = self.nodes[a]
        if node[0] == "neg":
            return self.add_number(node[1], number)
        return self.node("sub", self.constant(number), a)

    def mul_number(self, a: int, number: float) -> int | float:
        if number == 0.0:
            return 0.0
        if number == 1.0:
            return a
        if number < 0.0:  # products that differ in sign share one node
            product = self.mul_number(a, -number)
            return self.neg(product) if isinstance(product, int) else -product
        node = self.nodes[a]
        if node[0] == "neg":
            return self.neg(self.node("mul", self.constant(number), node[1]))
        return self.node("mul", self.constant(number), a)

    def div_number(self, a: int, number: float) -> int | float:
        mantissa, _ = math.frexp(number) if math.isfinite(number) and number != 0.0 else (0.0, 0)
        if abs(mantissa) == 0.5 and math.isfinite(1.0 / number):  # a power of two: its inverse is exact
            return self.mul_number(a, 1.0 / number)
        if number < 0.0:
            return self.neg(self.node("div", a, self.constant(-number)))
        return self.node("div", a, self.constant(number))

    def divide_number(self, number: float, a: int) -> int | float:
        if number == 0.0:
            return 0.0
        if number < 0.0:
            return self.neg(self.node("div", self.constant(-number), a))
        node = self.nodes[a]
        if node[0] == "neg":
            return self.neg(self.node("div", self.constant(number), node[1]))
        return self.node("div", self.constant(number), a)

    def unary(self, operation: str, a: int) -> int:
        node = self.nodes[a]
        if node[0] == "neg":
            if operation in ODD:
                return self.neg(self.node(operation, node[1]))
            if operation in EVEN:
                return self.node(operation, node[1])
        return self.node(operation, a)

    # Loops

    def open_loop(self, initial: list[int], limit: int) -> Loop:
        parent = self.open_regions[-1]
        region = len(self.parents)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1)
        self.open_regions.append(region)
        states = [self.unique("state", region, k, region=region) for k in range(len(initial))]
        return Loop(region, limit, states, initial)

    def close_loop(self, loop: Loop) -> list[int]:
        """Nodes of the final state."""
        assert self.open_regions[-1] == loop.region
        self.open_regions.pop()
        self.loops.append(loop)
        outer = self.open_regions[-1]
        number = self.unique("loop", len(self.loops) - 1, region=outer)
        return [self.unique("result", number, k, region=outer) for k in range(len(loop.states))]


def operands(node: Node) -> tuple[int, ...]:
    """Indices of the nodes that a node is computed from."""
    if node[0] in LEAVES:
        return ()
    if node[0] in ("result", "part"):
        return (node[1],)
    return node[1:]


def fold(operation: Any, *numbers: float) -> float:
    """The IEEE result of an operation on numbers: 1/0 is infinite, sqrt(-1) NaN."""
    with np.errstate(all="ignore"):
        return float(operation(*(np.float64(number) for number in numbers)))
