"""LLVM IR for a scheduled program, for one lane or several.

Every operation becomes the same instruction in the same order whatever the number of lanes, products and sums are
fused explicitly, and nothing may be reassociated: so one lane and eight give the same bits.

Arrays are lane-major inside: element k of an input stands at `%in + 8 lanes k`. For one lane that is the caller's
array itself; for several, `lanes.py` moves batches in and out of that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from footfall.compiler.graph import CONDITIONS, Loop, Node
from footfall.compiler.schedule import Repetition, Schedule, Segment
from footfall.compiler.trigonometry import (
    literal,
    number,
    sincos_declarations,
    sincos_function,
    suffix,
    vector_type,
)

LIBRARY = {"tan": 1, "asin": 1, "acos": 1, "atan": 1, "exp": 1, "log": 1, "atan2": 2}
ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor"}
PREDICATES = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}


@dataclass(frozen=True)
class Core:
    """IR of the functions that compute: `@region0(inputs..., outputs..., work)`, and what must be declared.

    regions: run the segments, which may stand in modules of their own. helpers: small functions that every module
    with segments needs.
    """

    regions: str
    segments: tuple[str, ...]
    helpers: str
    declarations: frozenset[str]
    parameters: str  # of all functions, with types
    arguments: str  # the same, without attributes

    def modules(self, entries: str, declarations: Iterable[str], count: int) -> list[str]:
        """Texts of `count` modules that together hold everything; the first has the entries."""
        known = sorted({*self.declarations, *declarations})
        size = max(1, -(-len(self.segments) // count))
        groups = [self.segments[k : k + size] for k in range(0, len(self.segments), size)] or [()]
        elsewhere = [_declaration(segment) for group in groups[1:] for segment in group]
        main = [*known, *elsewhere, self.helpers, *groups[0], self.regions, entries, ""]
        others = [[*sorted(self.declarations), self.helpers, *group, ""] for group in groups[1:]]
        return ["\n".join(lines) for lines in (main, *others)]


def _declaration(function: str) -> str:
    """Declaration for a definition."""
    return function[: function.index(" nounwind {")].replace("define hidden", "declare hidden")


def emit_core(plan: Schedule, lanes: int, packing: int) -> Core:
    """Emit all segments and loops. packing: lanes in which one-lane code computes its sines and cosines."""
    return _Emitter(plan, lanes, packing).core()


class _Emitter:
    def __init__(self, plan: Schedule, lanes: int, packing: int) -> None:
        self.plan = plan
        self.graph = plan.program.graph
        self.lanes = lanes
        self.packing = packing if lanes == 1 else 1
        self.type = vector_type(lanes)
        self.mask = vector_type(lanes, "i1")
        self.declarations: set[str] = set()
        self.helpers: dict[str, str] = {}
        self.segments: list[str] = []
        self.regions: list[str] = []
        signature = plan.program.signature
        names = [f"%in{k}" for k in range(len(signature.inputs))]
        names += [f"%out{k}" for k in range(len(signature.outputs))] + ["%work"]
        self.parameters = ", ".join(f"ptr noalias {name}" for name in names)
        self.arguments = ", ".join(f"ptr {name}" for name in names)
        self.stores: dict[int, list[tuple[int, int]]] = {}  # node -> where it leaves
        for output, elements in enumerate(plan.program.outputs):
            for position, index in enumerate(elements):
                self.stores.setdefault(index, []).append((output, position))

    def core(self) -> Core:
        self.region(0, self.plan.pieces, None)
        return Core(
            "\n".join(self.regions),
            tuple(self.segments),
            "\n".join(self.helpers.values()),
            frozenset(self.declarations),
            self.parameters,
            self.arguments,
        )

    # Structure

    def region(self, number: int, pieces: list[Segment | Repetition], loop: Loop | None) -> None:
        """A function that runs the pieces of a region; that of a loop body tells whether to go on."""
        result = "void" if loop is None else "i1"
        lines = [f"define internal fastcc {result} @region{number}({self.parameters}) nounwind {{"]
        for counter, piece in enumerate(pieces):
            if isinstance(piece, Segment):
                self.segments.append(_SegmentWriter(self, piece).function())
                call = (
                    f"call fastcc {'i1' if piece.test else 'void'} @segment{piece.number}({self.arguments})"
                )
                if piece.test:
                    lines += [f"  %go{counter} = {call}"]
                    lines += [f"  br i1 %go{counter}, label %next{counter}, label %stop", f"next{counter}:"]
                else:
                    lines.append(f"  {call}")
            else:
                lines += self.repetition(piece, counter)
        if loop is None:
            lines += [*self.leftovers(), "  ret void", "}"]
        else:
            lines.append("  ret i1 true")
            if loop.done is not None:
                lines += ["stop:", "  ret i1 false"]
            lines.append("}")
        self.regions.append("\n".join(lines))

    def repetition(self, piece: Repetition, tag: int) -> list[str]:
        """Set the state to its first value and run the body."""
        loop = piece.loop
        self.region(loop.region, piece.pieces, loop)
        access = _Access(self, f"l{tag}_")
        values = [access.value(index) for index in loop.initial]
        for value, state in zip(values, loop.states, strict=True):
            access.store_slot(state, value)
        lines = list(access.lines)
        if loop.limit <= 0:
            return lines
        i = f"%i{tag}"
        lines += [
            f"  br label %before{tag}",
            f"before{tag}:",
            f"  br label %body{tag}",
            f"body{tag}:",
            f"  {i} = phi i64 [0, %before{tag}], [{i}n, %body{tag}]",
            f"  %go_on{tag} = call fastcc i1 @region{loop.region}({self.arguments})",
            f"  {i}n = add i64 {i}, 1",
            f"  %more{tag} = icmp slt i64 {i}n, {loop.limit}",
            f"  %again{tag} = and i1 %more{tag}, %go_on{tag}",
            f"  br i1 %again{tag}, label %body{tag}, label %after{tag}",
            f"after{tag}:",
        ]
        return lines

    def leftovers(self) -> list[str]:
        """Outputs that no segment computes: inputs passed through, results of loops and, for one lane, constants."""
        access = _Access(self, "x")
        for index, places in self.stores.items():
            if self.graph.nodes[index][0] in ("input", "result"):
                for output, position in places:
                    access.store_output(output, position, access.value(index))
        lines = access.lines
        if self.lanes == 1:
            lines += constant_stores(self.plan, 1)
        return lines

    # Pieces shared by the segments

    def declare(self, *lines: str) -> None:
        self.declarations.update(lines)

    def intrinsic(self, name: str, arity: int = 1) -> str:
        full = f"@llvm.{name}.{suffix(self.lanes)}"
        self.declare(f"declare {self.type} {full}({', '.join([self.type] * arity)})")
        return full

    def sincos(self, lanes: int) -> str:
        name = f"@sincos{lanes}"
        if name not in self.helpers:
            self.helpers[name] = sincos_function(lanes)
            self.declare(*sincos_declarations(lanes))
        return name

    def library(self, function: str) -> str:
        """A C library function for all lanes."""
        arity = LIBRARY[function]
        self.declare(f"declare double @{function}({', '.join(['double'] * arity)})")
        if self.lanes == 1:
            return f"@{function}"
        name = f"@lanes_{function}"
        if name not in self.helpers:
            t = self.type
            lines = [
                f"define internal {t} {name}({', '.join(f'{t} %a{k}' for k in range(arity))}) nounwind {{"
            ]
            gathered = "undef"
            for lane in range(self.lanes):
                for k in range(arity):
                    lines.append(f"  %x{lane}_{k} = extractelement {t} %a{k}, i32 {lane}")
                given = ", ".join(f"double %x{lane}_{k}" for k in range(arity))
                lines.append(f"  %y{lane} = call double @{function}({given})")
                lines.append(f"  %z{lane} = insertelement {t} {gathered}, double %y{lane}, i32 {lane}")
                gathered = f"%z{lane}"
            self.helpers[name] = "\n".join([*lines, f"  ret {t} {gathered}", "}"])
        return name


def constant_stores(plan: Schedule, lanes: int) -> list[str]:
    """Stores of the outputs that are constant; neighbours go together where there is one lane."""
    graph = plan.program.graph
    lines: list[str] = []
    for output, elements in enumerate(plan.program.outputs):
        known = [(position, graph.value_of(index)) for position, index in enumerate(elements)]
        constants = [(position, value) for position, value in known if value is not None]
        for start, values in _runs(constants, 8 if lanes == 1 else 1):
            width = len(values) * lanes
            if len(set(map(number, values))) == 1:
                data = literal(values[0], width)
            else:
                data = "<" + ", ".join(f"double {number(value)}" for value in values) + ">"
            name = f"%k{output}_{start}"
            lines.append(f"  {name} = getelementptr i8, ptr %out{output}, i64 {start * lanes * 8}")
            lines.append(f"  store {vector_type(width)} {data}, ptr {name}, align 8")
    return lines


def _runs(constants: list[tuple[int, float]], longest: int) -> Iterator[tuple[int, list[float]]]:
    """Neighbouring positions, grouped."""
    start, values = -1, list[float]()
    for position, value in constants:
        if values and position == start + len(values) and len(values) < longest:
            values.append(value)
        else:
            if values:
                yield start, values
            start, values = position, [value]
    if values:
        yield start, values


class _Access:
    """Reads and writes values in one function."""

    def __init__(self, emitter: _Emitter, prefix: str) -> None:
        self.emitter = emitter
        self.graph = emitter.graph
        self.lanes = emitter.lanes
        self.type = emitter.type
        self.prefix = prefix
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
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
            name = self.load("%work", self.emitter.plan.slots[loop.states[node[2]]])
        else:
            name = self.load("%work", self.emitter.plan.slots[index])
            if node[0] in CONDITIONS:
                name = self.do(f"fcmp une {self.type} {name}, {literal(0.0, self.lanes)}")
        self.names[index] = name
        return name

    def load(self, base: str, position: int) -> str:
        place = self.do(f"getelementptr i8, ptr {base}, i64 {position * self.lanes * 8}")
        return self.do(f"load {self.type}, ptr {place}, align {self.alignment(base)}")

    def alignment(self, base: str) -> int:
        return 8 * self.lanes if self.lanes > 1 or base == "%work" else 8

    def store_slot(self, index: int, value: str) -> None:
        if self.graph.nodes[index][0] in CONDITIONS:
            one, zero = literal(1.0, self.lanes), literal(0.0, self.lanes)
            value = self.do(f"select {self.emitter.mask} {value}, {self.type} {one}, {self.type} {zero}")
        self._store("%work", self.emitter.plan.slots[index], value)

    def store_output(self, output: int, position: int, value: str) -> None:
        self._store(f"%out{output}", position, value)

    def _store(self, base: str, position: int, value: str) -> None:
        place = self.do(f"getelementptr i8, ptr {base}, i64 {position * self.lanes * 8}")
        self.lines.append(f"  store {self.type} {value}, ptr {place}, align {self.alignment(base)}")


class _SegmentWriter(_Access):
    """Writes one segment as a function."""

    def __init__(self, emitter: _Emitter, segment: Segment) -> None:
        super().__init__(emitter, "v")
        self.segment = segment
        self.pairs: dict[int, tuple[str, str]] = {}  # angle -> sine, cosine
        self.buffers: dict[int, str] = {}  # call node -> its outputs

    def function(self) -> str:
        segment, emitter = self.segment, self.emitter
        slots, stores = emitter.plan.slots, emitter.stores
        if emitter.packing > 1:
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
        head = f"define hidden fastcc {result} @segment{segment.number}({emitter.parameters}) nounwind {{"
        return "\n".join([head, *self.lines, *ending])

    def advance(self, loop: Loop) -> None:
        """Move a loop to its next state; lanes that are done stay."""
        following = [self.value(index) for index in loop.following]
        if loop.done is not None:
            done, t = self.value(loop.done), self.type
            old = [self.value(state) for state in loop.states]
            following = [
                self.do(f"select {self.emitter.mask} {done}, {t} {before}, {t} {after}")
                for before, after in zip(old, following, strict=True)
            ]
        for state, value in zip(loop.states, following, strict=True):
            self.store_slot(state, value)

    def any_running(self, done: str) -> str:
        running = self.do(
            f"xor {self.emitter.mask} {done}, {'true' if self.lanes == 1 else 'splat (i1 true)'}"
        )
        if self.lanes == 1:
            return running
        reduction = f"@llvm.vector.reduce.or.v{self.lanes}i1"
        self.emitter.declare(f"declare i1 {reduction}({self.emitter.mask})")
        return self.do(f"call i1 {reduction}({self.emitter.mask} {running})")

    def pack_angles(self) -> None:
        """Compute sines and cosines of inputs several at a time."""
        nodes, width = self.graph.nodes, self.emitter.packing
        angles = dict.fromkeys(
            node[1]
            for node in (nodes[index] for index in self.segment.nodes)
            if node[0] in ("sin", "cos") and nodes[node[1]][0] == "input"
        )
        waiting = list(angles)
        if len(waiting) < 2:
            return
        t = vector_type(width)
        function = self.emitter.sincos(width)
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
        if operation in ("add", "sub") and index in self.emitter.plan.fused:
            return self.fused(node, self.emitter.plan.fused[index])
        if operation == "part":
            return self.part(node[1], node[2])
        if operation.startswith("call:"):
            self.call(index, node)
            return ""
        values = [self.value(operand) for operand in node[1:]]
        if operation in ARITHMETIC:
            return self.do(f"{ARITHMETIC[operation]} {t} {values[0]}, {values[1]}")
        if operation == "neg":
            return self.do(f"fneg {t} {values[0]}")
        if operation in INTRINSICS:
            return self.do(f"call {t} {self.emitter.intrinsic(INTRINSICS[operation])}({t} {values[0]})")
        if operation in ("sin", "cos"):
            return self.sine_cosine(node[1])[operation == "cos"]
        if operation in LIBRARY:
            arguments = ", ".join(f"{t} {value}" for value in values)
            return self.do(f"call {t} {self.emitter.library(operation)}({arguments})")
        if operation in PREDICATES:
            return self.do(f"fcmp {PREDICATES[operation]} {t} {values[0]}, {values[1]}")
        if operation in ("min", "max"):
            return self.extreme(operation, values[0], values[1])
        if operation == "select":
            return self.do(f"select {self.emitter.mask} {values[0]}, {t} {values[1]}, {t} {values[2]}")
        if operation in ("and", "or"):
            return self.do(f"{operation} {self.emitter.mask} {values[0]}, {values[1]}")
        if operation == "not":
            everywhere = "true" if self.lanes == 1 else "splat (i1 true)"
            return self.do(f"xor {self.emitter.mask} {values[0]}, {everywhere}")
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
        return self.do(f"call {t} {self.emitter.intrinsic('fma', 3)}({t} {a}, {t} {b}, {t} {c})")

    def sine_cosine(self, angle: int) -> tuple[str, str]:
        if angle not in self.pairs:
            t = self.type
            function = self.emitter.sincos(self.lanes)
            both = self.do(f"call fastcc {{{t}, {t}}} {function}({t} {self.value(angle)})")
            sine = self.do(f"extractvalue {{{t}, {t}}} {both}, 0")
            self.pairs[angle] = (sine, self.do(f"extractvalue {{{t}, {t}}} {both}, 1"))
        return self.pairs[angle]

    def extreme(self, operation: str, a: str, b: str) -> str:
        """np.minimum and np.maximum: NaN wins."""
        t, mask = self.type, self.emitter.mask
        ordered = self.do(f"fcmp {'ole' if operation == 'min' else 'oge'} {t} {a}, {b}")
        invalid = self.do(f"fcmp uno {t} {a}, {a}")
        first = self.do(f"or {mask} {ordered}, {invalid}")
        return self.do(f"select {mask} {first}, {t} {a}, {t} {b}")

    def gather(self, table: int, index: str) -> str:
        """Look up a table, the index rounded down and kept inside; NaN looks up the first entry."""
        t, mask, lanes = self.type, self.emitter.mask, self.lanes
        self.emitter.declare(f"@table{table} = external global double")
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
        self.emitter.declare(f"declare {t} {function}(<{lanes} x ptr>, i32, {mask}, {t})")
        every = "splat (i1 true)"
        return self.do(f"call {t} {function}(<{lanes} x ptr> {places}, i32 8, {mask} {every}, {t} undef)")

    def call(self, index: int, node: Node) -> None:
        """Call a native function in every lane, through buffers on the stack."""
        position = int(node[0].removeprefix("call:"))
        function = self.graph.functions[position]
        values = [self.value(operand) for operand in node[1:]]
        self.emitter.declare(f"declare void @native{position}(ptr, ptr, ptr)")
        data = "null"
        if function.data is not None:
            data = f"@data{position}"
            self.emitter.declare(f"{data} = external global i8")
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
