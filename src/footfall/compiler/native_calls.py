"""Calls of native functions in straight code: arguments side by side in memory, outputs in a buffer on the stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from footfall.compiler.access import Access
from footfall.compiler.constants import constant_stores
from footfall.compiler.graph import Node
from footfall.compiler.module import Module
from footfall.compiler.schedule import Schedule
from footfall.compiler.trigonometry import vector_type

# For each node that leaves the kernel: (output, position) of each.
Stores = Mapping[int, Sequence[tuple[int, int]]]


class Run(NamedTuple):
    """Neighbouring outputs of a call that are neighbours in an output of the kernel too.

    position: of the first one in the call's outputs. place: in the kernel's.
    """

    call: int
    position: int
    output: int
    place: int
    length: int

    def goes_on(self, other: Run) -> bool:
        """Whether another one begins where this one ends."""
        end = (self.call, self.position + self.length, self.output, self.place + self.length)
        return end == other[:4]


class NativeCalls(Access):
    """Writes calls into a function."""

    def __init__(self, plan: Schedule, module: Module, prefix: str) -> None:
        super().__init__(plan, module, prefix)
        self.buffers: dict[int, str] = {}  # call node -> its outputs

    def call(self, index: int, node: Node) -> None:
        """Call a native function in every lane."""
        position = int(node[0].removeprefix("call:"))
        function = self.graph.functions[position]
        self.module.declare(f"declare void @native{position}(ptr, ptr, ptr)")
        data = "null"
        if function.data is not None:
            data = f"@data{position}"
            self.module.declare(f"{data} = external global i8")
        given = self.arguments_of(index, node)
        if index in self.plan.handed:
            self.bases.add("%work")
            arguments = self.do(f"getelementptr i8, ptr %work, i64 {8 * self.plan.handed[index]}")
        else:
            arguments = self.do(f"alloca [{max(len(node) - 1, 1)} x double], align 64")
        results = self.do(f"alloca [{self.lanes * function.outputs} x double], align 64")
        known = [(k, self.graph.value_of(operand)) for k, operand in enumerate(node[1:])]
        constants = [(k, value) for k, value in known if value is not None]
        self.lines += constant_stores(constants, arguments, f"{self.prefix}c{index}")
        for lane in range(self.lanes):
            for k, value in given.items():
                element = value
                if self.lanes > 1:
                    element = self.do(f"extractelement {self.type} {value}, i32 {lane}")
                place = self.do(f"getelementptr double, ptr {arguments}, i64 {k}")
                self.lines.append(f"  store double {element}, ptr {place}, align 8")
            place = self.do(f"getelementptr double, ptr {results}, i64 {lane * function.outputs}")
            self.lines.append(f"  call void @native{position}(ptr {arguments}, ptr {place}, ptr {data})")
        self.buffers[index] = results

    def arguments_of(self, index: int, node: Node) -> dict[int, str]:
        """Values of the arguments by their number, without constants and those that are in their place already."""
        first, slots = self.plan.handed.get(index), self.plan.slots
        return {
            k: self.value(operand)
            for k, operand in enumerate(node[1:])
            if self.graph.nodes[operand][0] != "const" and (first is None or slots.get(operand) != first + k)
        }

    def value(self, index: int) -> str:
        """Name of a node's value, see `Access`; that of an output of a call is loaded when it is first needed."""
        node = self.graph.nodes[index]
        if node[0] == "part" and index not in self.names and node[1] in self.buffers:
            self.names[index] = self.part(node[1], node[2])
        return super().value(index)

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

    def copy_parts(self, parts: Iterable[int], stores: Stores) -> None:
        """Store outputs of calls that leave the kernel as they are, in one lane: neighbours go together."""
        for call, position, output, place, length in self.runs(parts, stores):
            self.bases.add(f"%out{output}")
            done = 0
            while done < length:
                width = min(8, 1 << ((length - done).bit_length() - 1))
                offset = 8 * (position + done)
                source = self.do(f"getelementptr i8, ptr {self.buffers[call]}, i64 {offset}")
                value = self.do(f"load {vector_type(width)}, ptr {source}, align 8")
                target = self.do(f"getelementptr i8, ptr %out{output}, i64 {8 * (place + done)}")
                self.lines.append(f"  store {vector_type(width)} {value}, ptr {target}, align 8")
                done += width

    def runs(self, parts: Iterable[int], stores: Stores) -> Iterator[Run]:
        """What leaves the kernel, in as few pieces as possible."""
        last: Run | None = None
        for index in parts:
            _, call, position = self.graph.nodes[index]
            for output, place in stores.get(index, ()):
                found = Run(call, position, output, place, 1)
                if last is not None and last.goes_on(found):
                    last = last._replace(length=last.length + 1)
                    continue
                if last is not None:
                    yield last
                last = found
        if last is not None:
            yield last
