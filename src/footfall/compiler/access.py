"""Values in one LLVM function: names of what is computed there, loads of what is not, stores."""

from __future__ import annotations

from footfall.compiler.graph import CONDITIONS
from footfall.compiler.module import Module
from footfall.compiler.schedule import Schedule
from footfall.compiler.trigonometry import literal


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
