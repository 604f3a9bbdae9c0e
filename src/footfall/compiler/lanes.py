"""The entry of a kernel for batches and rollouts: rows in and out of lane-major order, step after step.

Rows of a batch are transposed in blocks of lanes x lanes with shuffles. A batch that is no multiple of the lanes
ends with lanes that repeat its last row, so there is no other code for the rest. In a rollout the outputs that
have the name of an input are that input in the next step, and never leave the lanes in between.
"""

from __future__ import annotations

import math

from footfall.compiler.emit import Core, constant_outputs
from footfall.compiler.row_moves import (
    load_lanes,
    load_row,
    store_lanes,
    store_long_lanes,
    store_row,
    stream_row,
)
from footfall.compiler.schedule import Schedule
from footfall.compiler.trace import Signature
from footfall.compiler.trigonometry import literal, vector_type

BATCH = "footfall_batch"
LONG_ROW = 48  # numbers; rows from this length on are put together first and then written in one go
PART = 256  # numbers of a long row that are put together at a time


def feedback(signature: Signature) -> dict[int, int]:
    """Inputs that outputs of the same name and shape replace in the next step of a rollout."""
    outputs = {named: k for k, named in enumerate(signature.outputs)}
    return {k: outputs[named] for k, named in enumerate(signature.inputs) if named in outputs}


def batch_declarations(lanes: int) -> list[str]:
    v = vector_type(lanes)
    declarations = [
        "declare ptr @malloc(i64)",
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        "declare void @free(ptr)",
        "declare i64 @llvm.smin.i64(i64, i64)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    ]
    if lanes > 1:
        declarations += [
            f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)",
            f"declare {v} @llvm.masked.load.v{lanes}f64.p0(ptr, i32, <{lanes} x i1>, {v})",
            f"declare void @llvm.masked.store.v{lanes}f64.p0({v}, ptr, i32, <{lanes} x i1>)",
        ]
    return declarations


def batch_functions(plan: Schedule, core: Core, lanes: int) -> str:
    """`i64 footfall_batch(i64* table, i64 begin, i64 end, i64 steps)` computes rows begin..end.

    The table has the addresses of inputs, then their strides, then their steps; the same of outputs; and whether long
    rows go around the caches. Strides are in doubles from row to row (0: the same for all), steps from step to step; an
    output with a negative step is stored after the last step only, one at address zero not at all. It gives 1 if an
    input was not finite, -1 if there was no memory, else 0.
    """
    parts = [load_row(), store_row()]
    if lanes > 1:
        parts = [load_lanes(lanes), store_lanes(lanes), stream_row(lanes), store_long_lanes(lanes)]
    return "\n".join([*parts, *_BatchEntry(plan, core, lanes).lines()])


class _BatchEntry:
    def __init__(self, plan: Schedule, core: Core, lanes: int) -> None:
        self.plan = plan
        self.core = core
        self.lanes = lanes
        self.type = vector_type(lanes)
        signature = plan.program.signature
        self.sizes_in = [math.prod(shape) for _, shape in signature.inputs]
        self.sizes_out = [math.prod(shape) for _, shape in signature.outputs]
        self.feedback = feedback(signature)
        self.row = 8 * lanes

    def lines(self) -> list[str]:
        v, lanes = self.type, self.lanes
        last_bad = f"%bad{len(self.sizes_in)}"
        zero = literal(0.0, lanes)
        return [
            f"define i64 @{BATCH}(ptr %table, i64 %begin, i64 %end, i64 %steps) nounwind {{",
            *self._memory(),
            *self._pointers(),
            *constant_outputs(self.plan, lanes),
            "  %last = sub i64 %end, 1",
            "  %last_step = sub i64 %steps, 1",
            "  br label %block",
            "block:",
            "  %row = phi i64 [%begin, %start], [%next, %advance]",
            f"  %bad = phi {v} [{zero}, %start], [{last_bad}, %advance]",
            "  br label %step",
            "step:",
            "  %s = phi i64 [0, %block], [%s_next, %stored]",
            f"  %bad0 = phi {v} [%bad, %block], [{last_bad}, %stored]",
            "  %first = icmp eq i64 %s, 0",
            "  %final = icmp eq i64 %s, %last_step",
            *self._loads(),
            f"  call fastcc void @region0({self.core.arguments})",
            *self._stores(),
            "  br label %stored",
            "stored:",
            "  %s_next = add i64 %s, 1",
            "  %more_steps = icmp slt i64 %s_next, %steps",
            "  br i1 %more_steps, label %step, label %advance",
            "advance:",
            f"  %next = add i64 %row, {lanes}",
            "  %more = icmp slt i64 %next, %end",
            "  br i1 %more, label %block, label %done",
            "done:",
            "  fence seq_cst",  # what went around the caches is there for everybody
            "  call void @free(ptr %memory)",
            f"  %nan = fcmp uno {v} {last_bad}, {zero}",
            *self._any_nan(),
            "  %status = zext i1 %any to i64",
            "  ret i64 %status",
            "}",
        ]

    def _any_nan(self) -> list[str]:
        if self.lanes == 1:
            return ["  %any = and i1 %nan, true"]
        return [f"  %any = call i1 @llvm.vector.reduce.or.v{self.lanes}i1(<{self.lanes} x i1> %nan)"]

    def _memory(self) -> list[str]:
        """Lane-major copies of all arrays, and the workspace."""
        names = [f"%in{k}" for k in range(len(self.sizes_in))]
        names += [f"%out{k}" for k in range(len(self.sizes_out))] + ["%work", "%scratch"]
        offsets, total = [], 0
        for size in [*self.sizes_in, *self.sizes_out, self.plan.size, PART + self.lanes]:
            offsets.append(total)
            total += (size + self.lanes) // self.lanes * self.lanes * self.row  # room for a whole last block
        lines = [
            f"  %memory = call ptr @malloc(i64 {total + self.row})",
            "  %failed = icmp eq ptr %memory, null",
            "  br i1 %failed, label %out_of_memory, label %start",
            "out_of_memory:",
            "  ret i64 -1",
            "start:",
            "  %address = ptrtoint ptr %memory to i64",
            f"  %raised = add i64 %address, {self.row - 1}",
            f"  %aligned = and i64 %raised, {-self.row}",
            "  %area = inttoptr i64 %aligned to ptr",
        ]
        for name, offset in zip(names, offsets, strict=True):
            lines.append(f"  {name} = getelementptr i8, ptr %area, i64 {offset}")
        return lines

    def _pointers(self) -> list[str]:
        lines, start = [], 0
        for kind, sizes in (("in", self.sizes_in), ("out", self.sizes_out)):
            for name, type in (("base", "ptr"), ("stride", "i64"), ("step", "i64")):
                for k in range(len(sizes)):
                    lines += [
                        f"  %{kind}_{name}_p{k} = getelementptr i64, ptr %table, i64 {start + k}",
                        f"  %{kind}_{name}{k} = load {type}, ptr %{kind}_{name}_p{k}",
                    ]
                start += len(sizes)
        lines += [
            f"  %around_p = getelementptr i64, ptr %table, i64 {start}",
            "  %around_n = load i64, ptr %around_p",
            "  %around = icmp ne i64 %around_n, 0",
        ]
        return lines

    def _loads(self) -> list[str]:
        """Inputs of a step: those that change, and in the first step all."""
        lines, v = [], self.type
        for k, size in enumerate(self.sizes_in):
            before = "%step" if k == 0 else f"%loaded{k - 1}"
            if k in self.feedback:
                lines.append(f"  %need{k} = and i1 %first, true")
            else:
                lines.append(f"  %moving{k} = icmp ne i64 %in_step{k}, 0")
                lines.append(f"  %need{k} = or i1 %first, %moving{k}")
            lines += [
                f"  br i1 %need{k}, label %load{k}, label %loaded{k}",
                f"load{k}:",
                f"  %in_offset{k} = mul i64 %s, %in_step{k}",
                f"  %in_now{k} = getelementptr double, ptr %in_base{k}, i64 %in_offset{k}",
                f"  %found{k} = call fastcc {v} @load_lanes(ptr %in_now{k}, i64 %in_stride{k}, i64 %row, i64 %last, "
                f"i64 {size}, ptr %in{k})",
                f"  %worse{k} = fadd {v} %bad{k}, %found{k}",
                f"  br label %loaded{k}",
                f"loaded{k}:",
                f"  %bad{k + 1} = phi {v} [%bad{k}, {before}], [%worse{k}, %load{k}]",
            ]
        return lines

    def _stores(self) -> list[str]:
        """Outputs of a step, then back to the inputs."""
        lines = []
        for k, size in enumerate(self.sizes_out):
            lines += [
                f"  %each{k} = icmp sge i64 %out_step{k}, 0",
                f"  %due{k} = or i1 %each{k}, %final",
                f"  %asked{k} = icmp ne ptr %out_base{k}, null",
                f"  %wanted{k} = and i1 %due{k}, %asked{k}",
                f"  br i1 %wanted{k}, label %store{k}, label %kept{k}",
                f"store{k}:",
                f"  %out_offset{k} = mul i64 %s, %out_step{k}",
                f"  %out_shift{k} = select i1 %each{k}, i64 %out_offset{k}, i64 0",
                f"  %out_now{k} = getelementptr double, ptr %out_base{k}, i64 %out_shift{k}",
                *self._store(k, size),
                f"  br label %kept{k}",
                f"kept{k}:",
            ]
        for k, output in self.feedback.items():
            size = self.sizes_in[k] * self.row
            lines.append(
                f"  call void @llvm.memcpy.p0.p0.i64(ptr %in{k}, ptr %out{output}, i64 {size}, i1 false)"
            )
        return lines

    def _store(self, k: int, size: int) -> list[str]:
        """Store one output; long rows in parts that fit the fastest cache."""
        rows = f"i64 %out_stride{k}, i64 %row, i64 %last"
        if self.lanes == 1 or size < LONG_ROW:
            return [f"  call fastcc void @store_lanes(ptr %out_now{k}, {rows}, i64 {size}, ptr %out{k})"]
        lines = []
        for start in range(0, size, PART):
            tag, length = f"{k}_{start}", min(PART, size - start)
            lines += [
                f"  %to{tag} = getelementptr double, ptr %out_now{k}, i64 {start}",
                f"  %of{tag} = getelementptr double, ptr %out{k}, i64 {start * self.lanes}",
                f"  call fastcc void @store_long_lanes(ptr %to{tag}, {rows}, i64 {length}, ptr %of{tag}, "
                "ptr %scratch, i1 %around)",
            ]
        return lines
