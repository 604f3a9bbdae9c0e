"""Straight code: one segment of a program as an LLVM function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from footfall.compiler.graph import Loop, Node
from footfall.compiler.module import LIBRARY, Module
from footfall.compiler.native_calls import NativeCalls, Stores
from footfall.compiler.schedule import Schedule, Segment
from footfall.compiler.trigonometry import literal, vector_type

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor"}
PREDICATES = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}


def parameters(bases: Iterable[str]) -> str:
    """Declaration of a function's parameters, which are arrays that do not overlap."""
    return ", ".join(f"ptr noalias {base}" for base in sorted(bases))


def arguments(bases: Iterable[str]) -> str:
    """The same arrays in a call."""
    return ", ".join(f"ptr {base}" for base in sorted(bases))


class SegmentWriter(NativeCalls):
    """Writes one segment as a function."""

    def __init__(self, plan: Schedule, module: Module, segment: Segment, packing: int) -> None:
        super().__init__(plan, module, "v")
        self.segment = segment
        self.packing = packing  # lanes in which one-lane code computes its sines and cosines
        self.pairs: dict[int, tuple[str, str]] = {}  # angle -> sine, cosine

    def function(self, stores: Stores) -> str:
        """The whole function; its parameters are `bases`."""
        segment, slots = self.segment, self.plan.slots
        if self.packing > 1:
            self.pack_angles()
        parts = []  # in one lane they are loaded where they are needed
        for index in segment.nodes:
            if self.lanes == 1 and self.graph.nodes[index][0] == "part" and index not in slots:
                parts.append(index)
                continue
            name = self.compute(index)
            if name:
                self.names[index] = name
                if index in slots:
                    self.store_slot(index, name)
                for output, position in stores.get(index, ()):
                    self.store_output(output, position, name)
        self.copy_parts(parts, stores)
        result, ending = "void", ["  ret void", "}"]
        if segment.advance is not None:
            self.advance(segment.advance)
        if segment.test is not None:
            assert segment.test.done is not None
            result = "i1"
            ending = [f"  ret i1 {self.any_running(self.value(segment.test.done))}", "}"]
        head = f"define hidden fastcc {result} @segment{segment.number}({parameters(self.bases)}) nounwind {{"
        return "\n".join([head, *self.lines, *ending])

    def advance(self, loop: Loop) -> None:
        """Move a loop to its next state; lanes that are done stay. One that is alone would not have come here."""
        following = [self.value(index) for index in loop.following]
        if loop.done is not None and self.lanes > 1:
            done, t = self.value(loop.done), self.type
            old = [self.value(state) for state in loop.states]
            following = [
                self.do(f"select {self.module.mask} {done}, {t} {before}, {t} {after}")
                for before, after in zip(old, following, strict=True)
            ]
        for state, value in zip(loop.states, following, strict=True):
            self.store_slot(state, value)

    def any_running(self, done: str) -> str:
        running = self.do(
            f"xor {self.module.mask} {done}, {'true' if self.lanes == 1 else 'splat (i1 true)'}"
        )
        if self.lanes == 1:
            return running
        reduction = f"@llvm.vector.reduce.or.v{self.lanes}i1"
        self.module.declare(f"declare i1 {reduction}({self.module.mask})")
        return self.do(f"call i1 {reduction}({self.module.mask} {running})")

    def pack_angles(self) -> None:
        """Compute sines and cosines of inputs several at a time."""
        nodes, width = self.graph.nodes, self.packing
        angles = dict.fromkeys(
            node[1]
            for node in (nodes[index] for index in self.segment.nodes)
            if node[0] in ("sin", "cos") and nodes[node[1]][0] == "input"
        )
        waiting = list(angles)
        if len(waiting) < 2:
            return
        t = vector_type(width)
        function = self.module.sincos(width)
        for start in range(0, len(waiting), width):
            group = waiting[start : start + width]
            packed = literal(0.0, width)
            for lane, angle in enumerate(group):
                packed = self.do(f"insertelement {t} {packed}, double {self.value(angle)}, i32 {lane}")
            both = self.do(f"call fastcc {{{t}, {t}}} {function}({t} {packed})")
            sines = self.do(f"extractvalue {{{t}, {t}}} {both}, 0")
            cosines = self.do(f"extractvalue {{{t}, {t}}} {both}, 1")
            for lane, angle in enumerate(group):
                sine = self.do(f"extractelement {t} {sines}, i32 {lane}")
                self.pairs[angle] = (sine, self.do(f"extractelement {t} {cosines}, i32 {lane}"))

    def compute(self, index: int) -> str:
        """Write the instructions of a node; gives the name of its value."""
        node = self.graph.nodes[index]
        operation, t = node[0], self.type
        if operation in ("add", "sub") and index in self.plan.fused:
            return self.fused(node, self.plan.fused[index])
        if operation == "part":
            return self.part(node[1], node[2])
        if operation.startswith("call:"):
            self.call(index, node)
            return ""
        values = [self.value(operand) for operand in node[1:]]
        if operation in ("min", "max"):
            return self.extreme(operation, node, values)
        if operation in ARITHMETIC:
            return self.do(f"{ARITHMETIC[operation]} {t} {values[0]}, {values[1]}")
        if operation == "neg":
            return self.do(f"fneg {t} {values[0]}")
        if operation in INTRINSICS:
            return self.do(f"call {t} {self.module.intrinsic(INTRINSICS[operation])}({t} {values[0]})")
        if operation in ("sin", "cos"):
            return self.sine_cosine(node[1])[operation == "cos"]
        if operation in LIBRARY:
            arguments = ", ".join(f"{t} {value}" for value in values)
            return self.do(f"call {t} {self.module.library(operation)}({arguments})")
        if operation in PREDICATES:
            return self.do(f"fcmp {PREDICATES[operation]} {t} {values[0]}, {values[1]}")
        if operation == "select":
            return self.do(f"select {self.module.mask} {values[0]}, {t} {values[1]}, {t} {values[2]}")
        if operation in ("and", "or"):
            return self.do(f"{operation} {self.module.mask} {values[0]}, {values[1]}")
        if operation == "not":
            everywhere = "true" if self.lanes == 1 else "splat (i1 true)"
            return self.do(f"xor {self.module.mask} {values[0]}, {everywhere}")
        assert operation.startswith("gather:"), operation
        return self.gather(int(operation.removeprefix("gather:")), values[0])

    def fused(self, node: Node, product: int) -> str:
        """a b + c, a b - c or c - a b, rounded once."""
        t = self.type
        a, b = (self.value(factor) for factor in self.graph.nodes[product][1:])
        first = node[1] == product
        c = self.value(node[2] if first else node[1])
        if node[0] == "sub":
            if first:
                c = self.do(f"fneg {t} {c}")
            else:
                a = self.do(f"fneg {t} {a}")
        return self.do(f"call {t} {self.module.intrinsic('fma', 3)}({t} {a}, {t} {b}, {t} {c})")

    def sine_cosine(self, angle: int) -> tuple[str, str]:
        if angle not in self.pairs:
            t = self.type
            function = self.module.sincos(self.lanes)
            both = self.do(f"call fastcc {{{t}, {t}}} {function}({t} {self.value(angle)})")
            sine = self.do(f"extractvalue {{{t}, {t}}} {both}, 0")
            self.pairs[angle] = (sine, self.do(f"extractvalue {{{t}, {t}}} {both}, 1"))
        return self.pairs[angle]

    def extreme(self, operation: str, node: Node, values: Sequence[str]) -> str:
        """np.minimum and np.maximum: NaN wins. A number that is known is not NaN, so one comparison will do."""
        t, mask = self.type, self.module.mask
        (a, b), strictly = values, "olt" if operation == "min" else "ogt"
        if self._is_number(node[2]):
            better = self.do(f"fcmp {strictly} {t} {b}, {a}")
            return self.do(f"select {mask} {better}, {t} {b}, {t} {a}")
        ordered = self.do(f"fcmp {'ole' if operation == 'min' else 'oge'} {t} {a}, {b}")
        invalid = self.do(f"fcmp uno {t} {a}, {a}")
        first = self.do(f"or {mask} {ordered}, {invalid}")
        return self.do(f"select {mask} {first}, {t} {a}, {t} {b}")

    def _is_number(self, index: int) -> bool:
        value = self.graph.value_of(index)
        return value is not None and value == value

    def gather(self, table: int, index: str) -> str:
        """Look up a table, the index rounded down and kept inside; NaN looks up the first entry."""
        t, mask, lanes = self.type, self.module.mask, self.lanes
        self.module.declare(f"@table{table} = external global double")
        last = len(self.graph.tables[table]) - 1
        positive = self.do(f"fcmp oge {t} {index}, {literal(0.0, lanes)}")
        low = self.do(f"select {mask} {positive}, {t} {index}, {t} {literal(0.0, lanes)}")
        inside = self.do(f"fcmp ole {t} {low}, {literal(float(last), lanes)}")
        kept = self.do(f"select {mask} {inside}, {t} {low}, {t} {literal(float(last), lanes)}")
        whole = self.do(f"fptosi {t} {kept} to {vector_type(lanes, 'i64')}")
        if lanes == 1:
            place = self.do(f"getelementptr double, ptr @table{table}, i64 {whole}")
            return self.do(f"load double, ptr {place}, align 8")
        places = self.do(f"getelementptr double, ptr @table{table}, <{lanes} x i64> {whole}")
        function = f"@llvm.masked.gather.v{lanes}f64.v{lanes}p0"
        self.module.declare(f"declare {t} {function}(<{lanes} x ptr>, i32, {mask}, {t})")
        every = "splat (i1 true)"
        return self.do(f"call {t} {function}(<{lanes} x ptr> {places}, i32 8, {mask} {every}, {t} undef)")
