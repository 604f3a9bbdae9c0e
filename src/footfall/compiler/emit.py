"""LLVM IR for a scheduled program, for one lane or several.

Every operation becomes the same instruction in the same order whatever the number of lanes, products and sums are
fused explicitly, and nothing may be reassociated: so one lane and eight give the same bits.

Arrays are lane-major inside: element k of an input stands at `%in + 8 lanes k`. For one lane that is the caller's
array itself; for several, `lanes.py` moves batches in and out of that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from footfall.compiler.access import Access
from footfall.compiler.constants import constant_stores
from footfall.compiler.graph import Loop
from footfall.compiler.module import Module
from footfall.compiler.schedule import Repetition, Schedule, Segment
from footfall.compiler.segment import SegmentWriter, arguments, parameters

# Characters of a module, if there is more than one: LLVM takes a fifth of a second for it, threads share the modules,
# and one that nobody waits for any more is soon over.
MODULE = 250_000


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
    parameters: str  # of region 0, with types
    arguments: str  # the same, without attributes

    def modules(self, entries: str, declarations: Iterable[str]) -> list[str]:
        """Texts of modules that together hold everything; the first has the entries, and all if it is not much."""
        known = sorted({*self.declarations, *declarations})
        groups = list(_groups(self.segments, MODULE)) or [()]
        own = groups.pop(0) if len(groups) == 1 else ()
        elsewhere = [_declaration(segment) for group in groups for segment in group]
        main = [*known, *elsewhere, self.helpers, *own, self.regions, entries, ""]
        others = [[*sorted(self.declarations), self.helpers, *group, ""] for group in groups]
        return ["\n".join(lines) for lines in (main, *others)]


def _groups(texts: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """Neighbours, so that each group has about this size."""
    group: list[str] = []
    for text in texts:
        group.append(text)
        if sum(map(len, group)) >= size:
            yield tuple(group)
            group = []
    if group:
        yield tuple(group)


def _declaration(function: str) -> str:
    """Declaration for a definition."""
    return function[: function.index(" nounwind {")].replace("define hidden", "declare hidden")


def emit_core(plan: Schedule, lanes: int, packing: int) -> Core:
    """Emit all segments and loops. packing: lanes in which one-lane code computes its sines and cosines."""
    return _Emitter(plan, lanes, packing).core()


class _Emitter:
    """Writes regions: functions that run segments and loops one after the other."""

    def __init__(self, plan: Schedule, lanes: int, packing: int) -> None:
        self.plan = plan
        self.module = Module(lanes)
        self.packing = packing if lanes == 1 else 1
        self.segments: list[str] = []
        self.regions: list[str] = []
        signature = plan.program.signature
        self.bases = {f"%in{k}" for k in range(len(signature.inputs))} | {"%work"}
        self.bases |= {f"%out{k}" for k in range(len(signature.outputs))}
        self.stores: dict[int, list[tuple[int, int]]] = {}  # node -> where it leaves
        for output, elements in enumerate(plan.program.outputs):
            for position, index in enumerate(elements):
                self.stores.setdefault(index, []).append((output, position))

    def core(self) -> Core:
        self.region(0, self.plan.pieces, None)
        return Core(
            "\n".join(self.regions),
            tuple(self.segments),
            "\n".join(self.module.helpers.values()),
            frozenset(self.module.declarations),
            parameters(self.bases),
            arguments(self.bases),
        )

    def region(self, number: int, pieces: list[Segment | Repetition], loop: Loop | None) -> set[str]:
        """A function that runs the pieces of a region; that of a loop body tells whether to go on. Gives the arrays
        that it takes."""
        lines: list[str] = []
        bases = {"%work"} if loop else self.bases
        opening = [piece for piece in pieces if isinstance(piece, Segment) and piece.opening]
        for counter, piece in enumerate(pieces):
            if opening and piece is opening[0]:
                lines += ["  br i1 %first, label %opening, label %opened", "opening:"]
            if isinstance(piece, Segment):
                writer = SegmentWriter(self.plan, self.module, piece, self.packing)
                self.segments.append(writer.function(self.stores))
                bases |= writer.bases
                result = "i1" if piece.test else "void"
                call = f"call fastcc {result} @segment{piece.number}({arguments(writer.bases)})"
                if piece.test:
                    lines += [f"  %go{counter} = {call}"]
                    lines += [f"  br i1 %go{counter}, label %next{counter}, label %stop", f"next{counter}:"]
                else:
                    lines.append(f"  {call}")
            else:
                bases |= self.repetition(piece, counter, lines)
            if opening and piece is opening[-1]:
                lines += ["  br label %opened", "opened:"]
        if loop is None:
            lines += [*self.leftovers(), "  ret void", "}"]
        else:
            lines.append("  ret i1 true")
            if loop.done is not None:
                lines += ["stop:", "  ret i1 false"]
            lines.append("}")
        head = f"void @region{number}({parameters(bases)})"
        if loop is not None:
            head = f"i1 @region{number}({parameters(bases)}, i1 %first)"
        self.regions.append("\n".join([f"define internal fastcc {head} nounwind {{", *lines]))
        return bases

    def repetition(self, piece: Repetition, tag: int, lines: list[str]) -> set[str]:
        """Set the state to its first value and run the body. Gives the arrays that it takes."""
        loop = piece.loop
        body = self.region(loop.region, piece.pieces, loop)
        access = Access(self.plan, self.module, f"l{tag}_")
        values = [access.value(index) for index in loop.initial]
        for value, state in zip(values, loop.states, strict=True):
            access.store_slot(state, value)
        lines += access.lines
        if loop.limit <= 0:
            return access.bases
        i = f"%i{tag}"
        lines += [
            f"  br label %before{tag}",
            f"before{tag}:",
            f"  br label %body{tag}",
            f"body{tag}:",
            f"  {i} = phi i64 [0, %before{tag}], [{i}n, %body{tag}]",
            f"  %first{tag} = icmp eq i64 {i}, 0",
            f"  %go_on{tag} = call fastcc i1 @region{loop.region}({arguments(body)}, i1 %first{tag})",
            f"  {i}n = add i64 {i}, 1",
            f"  %more{tag} = icmp slt i64 {i}n, {loop.limit}",
            f"  %again{tag} = and i1 %more{tag}, %go_on{tag}",
            f"  br i1 %again{tag}, label %body{tag}, label %after{tag}",
            f"after{tag}:",
        ]
        return body | access.bases

    def leftovers(self) -> list[str]:
        """Outputs that no segment computes: inputs passed through, results of loops and, for one lane, constants."""
        access = Access(self.plan, self.module, "x")
        for index, places in self.stores.items():
            if self.plan.program.graph.nodes[index][0] in ("input", "result"):
                for output, position in places:
                    access.store_output(output, position, access.value(index))
        lines = access.lines
        if self.module.lanes == 1:
            lines += constant_outputs(self.plan, 1)
        return lines


def constant_outputs(plan: Schedule, lanes: int) -> list[str]:
    """Stores of the outputs that are constant."""
    graph = plan.program.graph
    lines: list[str] = []
    for output, elements in enumerate(plan.program.outputs):
        known = [(position, graph.value_of(index)) for position, index in enumerate(elements)]
        constants = [(position, value) for position, value in known if value is not None]
        lines += constant_stores(constants, f"%out{output}", f"k{output}", lanes=lanes)
    return lines
