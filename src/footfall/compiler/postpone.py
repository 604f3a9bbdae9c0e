"""What only a loop needs waits for the loop: it is computed when some lane enters it, and not where none does.

Code around a loop is computed whether the loop runs or not. Where a loop is known to end before it begins (a robot in
flight has no contact to solve) all that was prepared for it is lost. So a node moves into the opening of a loop, which
runs after the loop's first test, if nothing else depends on it. It moves on into loops further in while those around
them run no more than once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from footfall.compiler.graph import Graph, Loop, operands
from footfall.compiler.trace import Program

LEAST = 100  # operations for which an opening is worth its jump
_FIXED = frozenset({"const", "input", "state", "loop", "result", "part"})
Path = tuple[int, ...]  # regions of loops, from the outside in


def postponed(program: Program, live: list[int]) -> dict[int, int]:
    """Nodes that can wait, each with the region of the loop in whose opening it is computed. live: nodes in order."""
    usable = {loop.region for loop in program.graph.loops if loop.done is not None and loop.limit > 0}
    while usable:
        places = _Places(program.graph, usable).of(live, program.outputs)
        sizes = Counter(places.values())
        small = {region for region in usable if sizes[region] < LEAST}
        if not small:
            return places
        usable -= small
    return {}


class _Places:
    """Openings that are worth while, and which nodes belong there."""

    def __init__(self, graph: Graph, usable: set[int]) -> None:
        self.graph = graph
        self.usable = usable
        self.loops = {loop.region: loop for loop in graph.loops}
        self.within: list[Path] = [()]  # the loops around what stands in each region
        for region, parent in enumerate(graph.parents[1:], start=1):
            self.within.append((*self.within[parent], region))
        self.users: dict[int, Path] = {}  # node -> the loops that all its users lie in

    def of(self, live: list[int], outputs: Iterable[Iterable[int]]) -> dict[int, int]:
        """Nodes and the loops whose openings they belong to."""
        graph = self.graph
        for output in outputs:
            self.use(output, ())
        places: dict[int, int] = {}
        for index in reversed(live):
            node, region = graph.nodes[index], graph.region[index]
            if node[0] == "loop":
                self.use_by_loop(graph.loops[node[1]])
                continue
            where = self.within[region]
            if node[0] not in _FIXED and not node[0].startswith("call:"):
                opening = self.opening(index, where)
                if opening is not None:
                    places[index] = opening
                    where = self.within[opening]
            loop = self.loops.get(region)
            if index not in places and loop is not None and loop.done is not None and index <= loop.done:
                where = where[:-1]  # a part of the test, which comes before the opening
            self.use(operands(node), where)
        return places

    def use(self, nodes: Iterable[int], where: Path) -> None:
        for index in nodes:
            known = self.users.get(index)
            if known is None:
                self.users[index] = where
            elif known != where:
                self.users[index] = _common(known, where)

    def use_by_loop(self, loop: Loop) -> None:
        body = self.within[loop.region]
        self.use(loop.initial, body[:-1])
        self.use(loop.following, body)
        if loop.done is not None:
            self.use([loop.done], body[:-1])

    def opening(self, index: int, own: Path) -> int | None:
        """The loop furthest in that a node may wait for, without being computed more often than where it stands."""
        best = None
        for region in self.users[index][len(own) :]:
            if region in self.usable:
                best = region
            if self.loops[region].limit > 1:
                break
        return best


def _common(one: Path, other: Path) -> Path:
    """The loops that both lie in."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return one[:same]
