"""Straight code: one segment of a program as an LLVM function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from footfall.compiler.graph import CONDITIONS, Loop, Node
from footfall.compiler.module import LIBRARY, Module
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


class Access:
    """Reads and writes values in one function."""

    def __init__(self, plan: Schedule, module: Module, prefix: str) -> None:
        self.plan = plan
        self.graph = plan.program.graph
        self.module = module
        self.lanes = module.lanes
        self.type = module.type
        self.prefix = prefix
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.bases: set[str] = set()  # arrays that are read or written
        self.count = 0

    def do(self, text: str) -> str:
        self.count += 1
        name = f"%{self.prefix}{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def value(self, index: int) -> str:
        """Name of a node's value: constants as literals, others loaded once where they are not computed here."""
        name = self.names.get(index)
        if name is not None:
            return name
        node = self.graph.nodes[index]
        if node[0] == "const":
            constant = self.graph.value_of(index)
            assert constant is not None
            name = literal(constant, self.lanes)
        elif node[0] == "input":
            name = self.load(f"%in{node[1]}", node[2])
        elif node[0] == "result":
            loop = self.graph.loops[self.graph.nodes[node[1]][1]]
            name = self.load("%work", self.plan.slots[loop.states[node[2]]])
        else:
            name = self.load("%work", self.plan.slots[index])
            if node[0] in CONDITIONS:
                name = self.do(f"fcmp une {self.type} {name}, {literal(0.0, self.lanes)}")
        self.names[index] = name
        return name

    def load(self, base: str, position: int) -> str:
        self.bases.add(base)
        place = self.do(f"getelementptr i8, ptr {base}, i64 {position * self.lanes * 8}")
        return self.do(f"load {self.type}, ptr {place}, align {self.alignment(base)}")

    def alignment(self, base: str) -> int:
        return 8 * self.lanes if self.lanes > 1 or base == "%work" else 8

    def store_slot(self, index: int, value: str) -> None:
        if self.graph.nodes[index][0] in CONDITIONS:
            one, zero = literal(1.0, self.lanes), literal(0.0, self.lanes)
            value = self.do(f"select {self.module.mask} {value}, {self.type} {one}, {self.type} {zero}")
        self._store("%work", self.plan.slots[index], value)

    def store_output(self, output: int, position: int, value: str) -> None:
        self._store(f"%out{output}", position, value)

    def _store(self, base: str, position: int, value: str) -> None:
        self.bases.add(base)
        place = self.do(f"getelementptr i8, ptr {base}, i64 {position * self.lanes * 8}")
        self.lines.append(f"  store {self.type} {value}, ptr {place}, align {self.alignment(base)}")


class SegmentWriter(Access):
    """Writes one segment as a function."""

    def __init__(self, plan: Schedule, module: Module, segment: Segment, packing: int) -> None:
        super().__init__(plan, module, "v")
        self.segment = segment
        self.packing = packing  # lanes in which one-lane code computes its sines and cosines
        self.pairs: dict[int, tuple[str, str]] = {}  # angle -> sine, cosine
        self.buffers: dict[int, str] = {}  # call node -> its outputs

    def function(self, stores: Mapping[int, Sequence[tuple[int, int]]]) -> str:
        """The whole function; its parameters are `bases`. stores: for each node that leaves the kernel, (output,
        position)."""
        segment, slots = self.segment, self.plan.slots
        if self.packing > 1:
            self.pack_angles()
        for index in segment.nodes:
            name = self.compute(index)
            if name:
                self.names[index] = name
                if index in slots:
                    self.store_slot(index, name)
                for output, position in stores.get(index, ()):
                    self.store_output(output, position, name)
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

    def call(self, index: int, node: Node) -> None:
        """Call a native function in every lane, through buffers on the stack."""
        position = int(node[0].removeprefix("call:"))
        function = self.graph.functions[position]
        values = [self.value(operand) for operand in node[1:]]
        self.module.declare(f"declare void @native{position}(ptr, ptr, ptr)")
        data = "null"
        if function.data is not None:
            data = f"@data{position}"
            self.module.declare(f"{data} = external global i8")
        arguments = self.do(f"alloca [{max(len(values), 1)} x double], align 64")
        results = self.do(f"alloca [{self.lanes * function.outputs} x double], align 64")
        for lane in range(self.lanes):
            for k, value in enumerate(values):
                element = value
                if self.lanes > 1:
                    element = self.do(f"extractelement {self.type} {value}, i32 {lane}")
                place = self.do(f"getelementptr double, ptr {arguments}, i64 {k}")
                self.lines.append(f"  store double {element}, ptr {place}, align 8")
            place = self.do(f"getelementptr double, ptr {results}, i64 {lane * function.outputs}")
            self.lines.append(f"  call void @native{position}(ptr {arguments}, ptr {place}, ptr {data})")
        self.buffers[index] = results

    def part(self, call: int, position: int) -> str:
        """One output of a native function."""
        outputs = self.graph.functions[int(self.graph.nodes[call][0].removeprefix("call:"))].outputs
        gathered = "undef"
        for lane in range(self.lanes):
            offset = lane * outputs + position
            place = self.do(f"getelementptr double, ptr {self.buffers[call]}, i64 {offset}")
            element = self.do(f"load double, ptr {place}, align 8")
            if self.lanes == 1:
                return element
            gathered = self.do(f"insertelement {self.type} {gathered}, double {element}, i32 {lane}")
        return gathered
