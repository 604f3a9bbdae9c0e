"""From a graph to straight pieces of code: what is needed, what fuses, where to cut, what goes through memory.

Machine code for one huge block compiles in more than linear time, so a program is cut into segments of bounded
size, each a function of its own. A value that another segment needs goes through a slot of the workspace. Loop
bodies are lists of segments of their own; the state of a loop lives in slots.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from footfall.compiler.graph import Graph, Loop, operands
from footfall.compiler.postpone import postponed
from footfall.compiler.trace import Program

SEGMENT_SIZE = 800  # operations; much smaller or larger ones make slower code
# Large programs want to be compiled first of all, which smaller segments make up to four times as fast. With several
# lanes, whose values are as large as registers can be, they run faster by that too.
LARGE_SEGMENT_SIZE = 200
LARGE, LARGE_IN_LANES = 60_000, 10_000
HUGE = 150_000  # operations with what they begin from, from which on nothing counts but to be compiled at all


@dataclass(eq=False)
class Segment:
    """Nodes computed in one go. opening: only in the first turn of the loop that it belongs to. `test`: ends by telling
    whether any lane of the loop still runs. `advance`: ends by moving the loop to its next state."""

    number: int
    nodes: list[int] = field(default_factory=list)
    opening: bool = False
    test: Loop | None = None
    advance: Loop | None = None


@dataclass(eq=False)
class Repetition:
    """A loop among segments; its own pieces are numbered first..last."""

    loop: Loop
    pieces: list[Segment | Repetition]
    first: int = 0
    last: int = 0


@dataclass(frozen=True, eq=False)
class Schedule:
    """pieces: of the root. fused: add or sub node -> the product folded into it. slots: node -> place in the
    workspace. size: of the workspace in values. work: operations executed, loops at their limit. huge: whether it
    should be compiled quickly first of all. handed: call node -> where its arguments begin in the workspace,
    if there is one lane."""

    program: Program
    pieces: list[Segment | Repetition]
    fused: dict[int, int]
    slots: dict[int, int]
    size: int
    work: int
    huge: bool
    handed: dict[int, int]


def schedule(program: Program, *, lanes: int = 1, segment_size: int | None = None) -> Schedule:
    """Plan the code of a program, to be run in so many lanes."""
    graph = program.graph
    live = _live_nodes(program)
    large = len(live) >= (LARGE if lanes == 1 else LARGE_IN_LANES)
    if segment_size is None:
        segment_size = LARGE_SEGMENT_SIZE if large else SEGMENT_SIZE
    fused, absorbed = _fuse_products(graph, live, {index for output in program.outputs for index in output})
    openings = postponed(program, live)
    by_region: dict[int, list[int]] = {}
    waiting: dict[int, list[int]] = {}
    for index in live:
        if graph.nodes[index][0] not in ("const", "input", "state", "result") and index not in absorbed:
            nodes = waiting if index in openings else by_region
            nodes.setdefault(openings.get(index, graph.region[index]), []).append(index)
    planner = _Planner(graph, by_region, waiting, segment_size)
    pieces = planner.region(0, None)
    slots, size = _assign_slots(program, live, fused, planner, openings)
    handed: dict[int, int] = {}
    if lanes == 1:
        handed, size = _hand_over(graph, live, slots, planner, size)
    return Schedule(program, pieces, fused, slots, size, planner.work, len(live) >= HUGE, handed)


def _live_nodes(program: Program) -> list[int]:
    """Indices of the nodes that outputs depend on, in order."""
    graph = program.graph
    needed = bytearray(len(graph.nodes))
    stack = [index for output in program.outputs for index in output]
    while stack:
        index = stack.pop()
        if needed[index]:
            continue
        needed[index] = 1
        node = graph.nodes[index]
        stack.extend(operands(node))
        if node[0] == "loop":
            loop = graph.loops[node[1]]
            stack.extend(loop.initial)
            stack.extend(loop.following)
            stack.extend(loop.states)
            if loop.done is not None:
                stack.append(loop.done)
    return [index for index in range(len(needed)) if needed[index]]


def _fuse_products(graph: Graph, live: list[int], outputs: set[int]) -> tuple[dict[int, int], set[int]]:
    """Which sums take which products as fused multiply-adds, and which products vanish entirely by that.

    A product fuses only if all its uses do: fusing some would compute it twice. A sum of two such products takes
    the later one, the other stays. The choice depends on the graph alone, so it is the same for all lane counts.
    """
    nodes, region = graph.nodes, graph.region
    users: dict[int, list[int]] = {}
    blocked: set[int] = set(outputs)
    for index in live:
        node = nodes[index]
        if node[0] in ("add", "sub") and node[1] != node[2]:  # p + p has no term besides p to add it to
            for operand in node[1:]:
                if nodes[operand][0] == "mul":
                    users.setdefault(operand, []).append(index)
        elif node[0] == "loop":
            loop = graph.loops[node[1]]
            blocked.update(loop.initial, loop.following)
        else:
            blocked.update(operands(node))
    fused: dict[int, int] = {}
    absorbed: set[int] = set()
    for product in sorted(users, reverse=True):
        sums = users[product]
        if product in blocked or len(sums) > 2 or any(total in fused for total in sums):
            continue
        if any(region[total] != region[product] for total in sums):
            continue
        absorbed.add(product)
        for total in sums:
            fused[total] = product
    return fused, absorbed


class _Planner:
    """Cuts regions into numbered segments."""

    def __init__(
        self, graph: Graph, by_region: dict[int, list[int]], openings: dict[int, list[int]], segment_size: int
    ) -> None:
        self.graph = graph
        self.by_region = by_region
        self.openings = openings
        self.segment_size = segment_size
        self.count = 0
        self.work = 0
        self.segment_of: dict[int, int] = {}
        self.repetitions: dict[int, Repetition] = {}  # by region

    def region(self, number: int, loop: Loop | None, weight: int = 1) -> list[Segment | Repetition]:
        pieces: list[Segment | Repetition] = []
        current = Segment(-1)

        def cut() -> None:
            """Close the current segment and begin another."""
            nonlocal current
            if current.nodes or current.test or current.advance:
                current.number = self.count
                self.count += 1
                self.segment_of.update(dict.fromkeys(current.nodes, current.number))
                pieces.append(current)
                current = Segment(-1)

        def open_up(loop: Loop) -> None:
            """End the loop's test; what waited for the loop comes next."""
            nonlocal current
            current.test = loop
            cut()
            nodes = self.openings.get(number, [])
            for begin in range(0, len(nodes), self.segment_size):
                current = Segment(-1, nodes[begin : begin + self.segment_size], opening=True)
                cut()
            self.work += len(nodes) * (weight // max(loop.limit, 1))

        if loop is not None and loop.done is not None and self.graph.region[loop.done] != number:
            open_up(loop)
        for index in self.by_region.get(number, ()):
            node = self.graph.nodes[index]
            if node[0] == "loop":
                cut()
                inner = self.graph.loops[node[1]]
                repetition = Repetition(inner, [], self.count)
                self.repetitions[inner.region] = repetition
                repetition.pieces = self.region(inner.region, inner, weight * max(inner.limit, 1))
                repetition.last = self.count - 1
                pieces.append(repetition)
                continue
            if len(current.nodes) >= self.segment_size and node[0] != "part":
                cut()
            current.nodes.append(index)
            self.work += weight
            if loop is not None and index == loop.done:
                open_up(loop)
        current.advance = loop
        cut()
        return pieces


def _assign_slots(
    program: Program, live: list[int], fused: dict[int, int], planner: _Planner, openings: dict[int, int]
) -> tuple[dict[int, int], int]:
    """Slots for the values that cross segments; a slot is used again when its value has been read for the last time."""
    graph = program.graph
    nodes, segment_of = graph.nodes, planner.segment_of
    region = list(graph.region)
    for index, opened in openings.items():
        region[index] = graph.parents[opened]
    last_use: dict[int, int] = {}

    def use(index: int, number: int, place: int) -> None:
        """A value is read in segment `number`, which lies in region `place`."""
        node = nodes[index]
        if node[0] in ("const", "input"):
            return
        if node[0] == "result":  # reads the state's slot
            loop = graph.loops[nodes[node[1]][1]]
            home = region[index]
            index = loop.states[node[2]]
        else:
            home = region[index]
        if node[0] not in ("state", "result") and segment_of.get(index) == number:
            return
        while place != home:  # what a loop reads from outside lives until the loop ends
            repetition = planner.repetitions[place]
            number = max(number, repetition.last)
            place = graph.parents[place]
        last_use[index] = max(last_use.get(index, -1), number)

    def use_operands(index: int, number: int, place: int) -> None:
        product = fused.get(index)
        for operand in operands(nodes[index]):
            if operand == product:
                for factor in operands(nodes[operand]):
                    use(factor, number, place)
            else:
                use(operand, number, place)

    births: dict[int, int] = {}
    for index in live:
        if index in segment_of:
            use_operands(index, segment_of[index], region[index])
            # The slot of what an opening computes must be its own in all turns of the loop, also before the opening.
            births[index] = (
                planner.repetitions[openings[index]].first if index in openings else segment_of[index]
            )
    for repetition in planner.repetitions.values():
        loop = repetition.loop
        for state in loop.states:  # alive from before the loop to its end, and as long as the result is read
            births[state] = max(repetition.first - 1, 0)
            last_use[state] = max(last_use.get(state, -1), repetition.last)
        outer = graph.parents[loop.region]
        for index in loop.initial:
            use(index, repetition.first, outer)
        for index in loop.following:
            use(index, repetition.last, loop.region)
        if loop.done is not None:
            use(loop.done, repetition.last, loop.region)
    for output in program.outputs:
        for index in output:
            node = nodes[index]
            if node[0] == "result":
                use(index, planner.count, 0)
    return _color(births, last_use)


def _hand_over(
    graph: Graph, live: list[int], slots: dict[int, int], planner: _Planner, size: int
) -> tuple[dict[int, int], int]:
    """Where native functions find their arguments in the workspace, side by side: what is computed for them is put
    there at once. Gives the first slot of each call, and the new size of the workspace."""
    handed: dict[int, int] = {}
    placed: set[int] = set()
    for index in live:
        node = graph.nodes[index]
        if not node[0].startswith("call:") or graph.region[index] != 0:
            continue
        handed[index] = size
        for place, operand in enumerate(operands(node), start=size):
            if operand in planner.segment_of and operand not in placed and graph.region[operand] == 0:
                slots[operand] = place
                placed.add(operand)
        size += len(operands(node))
    return handed, size


def _color(births: dict[int, int], last_use: dict[int, int]) -> tuple[dict[int, int], int]:
    """Linear scan: give each value a slot that is free from its birth to its last use."""
    slots: dict[int, int] = {}
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    size = 0
    for index in sorted(last_use, key=lambda value: (births[value], value)):
        birth = births[index]
        while busy and busy[0][0] < birth:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            slot = heapq.heappop(free)
        else:
            slot = size
            size += 1
        slots[index] = slot
        heapq.heappush(busy, (last_use[index], slot))
    return slots, size
