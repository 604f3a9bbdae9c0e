"""The entry of a kernel for batches and rollouts: rows in and out of lane-major order, step after step.

Rows of a batch are transposed in blocks of lanes x lanes with shuffles. A batch that is no multiple of the lanes
ends with lanes that repeat its last row, so there is no other code for the rest. In a rollout the outputs that
have the name of an input are that input in the next step, and never leave the lanes in between.
"""

from __future__ import annotations

import math

from footfall.compiler.emit import Core, constant_stores
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

    The table has the addresses of inputs, then their strides, then their steps; the same of outputs. Strides are in
    doubles from row to row (0: the same for all), steps from step to step; an output with a negative step is stored
    after the last step only, one at address zero not at all. It gives 1 if an input was not finite, -1 if there was
    no memory, else 0.
    """
    parts = [_load_row(), _store_row()]
    if lanes > 1:
        parts = [_load_lanes(lanes), _store_lanes(lanes), _store_long_lanes(lanes)]
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
            *constant_stores(self.plan, lanes),
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
                "ptr %scratch)",
            ]
        return lines


def _load_row() -> str:
    """One row; gives zero or, where an element is not finite, NaN."""
    return "\n".join(
        [
            "define internal fastcc double @load_lanes(ptr %base, i64 %stride, i64 %row, i64 %last, i64 %n, ptr %to) "
            "nounwind {",
            "entry:",
            "  %o = mul i64 %row, %stride",
            "  %p = getelementptr double, ptr %base, i64 %o",
            "  %some = icmp sgt i64 %n, 0",
            "  br i1 %some, label %body, label %end",
            "body:",
            "  %j = phi i64 [0, %entry], [%jn, %body]",
            "  %bad = phi double [0.0, %entry], [%worse, %body]",
            "  %from_j = getelementptr double, ptr %p, i64 %j",
            "  %to_j = getelementptr double, ptr %to, i64 %j",
            "  %x = load double, ptr %from_j, align 8",
            "  store double %x, ptr %to_j, align 8",
            "  %z = fmul double %x, 0.0",
            "  %worse = fadd double %bad, %z",
            "  %jn = add i64 %j, 1",
            "  %again = icmp slt i64 %jn, %n",
            "  br i1 %again, label %body, label %end",
            "end:",
            "  %all = phi double [0.0, %entry], [%worse, %body]",
            "  ret double %all",
            "}",
        ]
    )


def _store_row() -> str:
    return "\n".join(
        [
            "define internal fastcc void @store_lanes(ptr %base, i64 %stride, i64 %row, i64 %last, i64 %n, ptr %from) "
            "nounwind {",
            "  %o = mul i64 %row, %stride",
            "  %p = getelementptr double, ptr %base, i64 %o",
            "  %bytes = mul i64 %n, 8",
            "  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %from, i64 %bytes, i1 false)",
            "  ret void",
            "}",
        ]
    )


def _row_pointers(lanes: int) -> list[str]:
    lines = []
    for lane in range(lanes):
        lines += [
            f"  %n{lane} = add i64 %row, {lane}",
            f"  %r{lane} = call i64 @llvm.smin.i64(i64 %n{lane}, i64 %last)",
            f"  %o{lane} = mul i64 %r{lane}, %stride",
            f"  %p{lane} = getelementptr double, ptr %base, i64 %o{lane}",
        ]
    return lines


def _transpose(names: list[str], tag: str) -> tuple[list[str], list[str]]:
    """Shuffles that transpose a square of vectors: swap off-diagonal blocks of halving size."""
    lanes = len(names)
    v = f"<{lanes} x double>"
    lines: list[str] = []
    distance = lanes // 2
    while distance:
        swapped = list(names)
        low = [k if not k & distance else lanes + k - distance for k in range(lanes)]
        high = [k + distance if not k & distance else lanes + k for k in range(lanes)]
        for i in range(lanes):
            if i & distance:
                continue
            for pattern, target in ((low, i), (high, i + distance)):
                mask = ", ".join(f"i32 {k}" for k in pattern)
                name = f"%{tag}{distance}_{target}"
                lines.append(
                    f"  {name} = shufflevector {v} {names[i]}, {v} {names[i + distance]}, <{lanes} x i32> <{mask}>"
                )
                swapped[target] = name
        names = swapped
        distance //= 2
    return lines, names


def _tail_mask(lanes: int) -> list[str]:
    counting = ", ".join(f"i64 {k}" for k in range(lanes))
    return [
        "  %left = sub i64 %n, %tail_j",
        f"  %left1 = insertelement <{lanes} x i64> undef, i64 %left, i32 0",
        f"  %left8 = shufflevector <{lanes} x i64> %left1, <{lanes} x i64> undef, <{lanes} x i32> zeroinitializer",
        f"  %mask = icmp slt <{lanes} x i64> <{counting}>, %left8",
    ]


def _load_lanes(lanes: int) -> str:
    """Rows to lane-major order; gives zero or, where an element is not finite, NaN."""
    v = f"<{lanes} x double>"

    def block(tag: str, j: str, masked: bool, bad: str) -> tuple[list[str], str]:
        lines, names = [], []
        for lane in range(lanes):
            lines.append(f"  %{tag}p{lane} = getelementptr double, ptr %p{lane}, i64 {j}")
            if masked:
                load = (
                    f"call {v} @llvm.masked.load.v{lanes}f64.p0(ptr %{tag}p{lane}, i32 8, <{lanes} x i1> %mask, "
                    f"{v} zeroinitializer)"
                )
            else:
                load = f"load {v}, ptr %{tag}p{lane}, align 8"
            names.append(f"%{tag}x{lane}")
            lines.append(f"  %{tag}x{lane} = {load}")
            lines.append(f"  %{tag}z{lane} = fmul {v} %{tag}x{lane}, zeroinitializer")
            lines.append(f"  %{tag}b{lane} = fadd {v} {bad}, %{tag}z{lane}")
            bad = f"%{tag}b{lane}"
        shuffles, columns = _transpose(names, tag + "t")
        lines += shuffles
        lines.append(f"  %{tag}to = mul i64 {j}, {lanes}")
        for k, column in enumerate(columns):
            lines += [
                f"  %{tag}o{k} = add i64 %{tag}to, {k * lanes}",
                f"  %{tag}q{k} = getelementptr double, ptr %to, i64 %{tag}o{k}",
                f"  store {v} {column}, ptr %{tag}q{k}, align {8 * lanes}",
            ]
        return lines, bad

    main, main_bad = block("m", "%j", False, "%bad")
    tail, tail_bad = block("t", "%tail_j", True, "%tail_bad")
    return "\n".join(
        [
            f"define internal fastcc {v} @load_lanes(ptr %base, i64 %stride, i64 %row, i64 %last, i64 %n, ptr %to) "
            "nounwind {",
            "entry:",
            *_row_pointers(lanes),
            f"  %whole = and i64 %n, {-lanes}",
            "  %some = icmp sgt i64 %whole, 0",
            "  br i1 %some, label %body, label %tail_test",
            "body:",
            "  %j = phi i64 [0, %entry], [%jn, %body]",
            f"  %bad = phi {v} [zeroinitializer, %entry], [{main_bad}, %body]",
            *main,
            f"  %jn = add i64 %j, {lanes}",
            "  %again = icmp slt i64 %jn, %whole",
            "  br i1 %again, label %body, label %tail_test",
            "tail_test:",
            "  %tail_j = phi i64 [0, %entry], [%jn, %body]",
            f"  %tail_bad = phi {v} [zeroinitializer, %entry], [{main_bad}, %body]",
            "  %rest = icmp slt i64 %tail_j, %n",
            "  br i1 %rest, label %tail, label %end",
            "tail:",
            *_tail_mask(lanes),
            *tail,
            "  br label %end",
            "end:",
            f"  %all = phi {v} [%tail_bad, %tail_test], [{tail_bad}, %tail]",
            f"  ret {v} %all",
            "}",
        ]
    )


def _store_lanes(lanes: int) -> str:
    """Lane-major order to rows."""
    v = f"<{lanes} x double>"

    def block(tag: str, j: str, masked: bool) -> list[str]:
        lines = [f"  %{tag}from = mul i64 {j}, {lanes}"]
        names = []
        for k in range(lanes):
            names.append(f"%{tag}x{k}")
            lines += [
                f"  %{tag}o{k} = add i64 %{tag}from, {k * lanes}",
                f"  %{tag}q{k} = getelementptr double, ptr %from, i64 %{tag}o{k}",
                f"  %{tag}x{k} = load {v}, ptr %{tag}q{k}, align {8 * lanes}",
            ]
        shuffles, rows = _transpose(names, tag + "t")
        lines += shuffles
        for lane, values in enumerate(rows):
            lines.append(f"  %{tag}p{lane} = getelementptr double, ptr %p{lane}, i64 {j}")
            if masked:
                lines.append(
                    f"  call void @llvm.masked.store.v{lanes}f64.p0({v} {values}, ptr %{tag}p{lane}, i32 8, "
                    f"<{lanes} x i1> %mask)"
                )
            else:
                lines.append(f"  store {v} {values}, ptr %{tag}p{lane}, align 8")
        return lines

    return "\n".join(
        [
            "define internal fastcc void @store_lanes(ptr %base, i64 %stride, i64 %row, i64 %last, i64 %n, ptr %from) "
            "nounwind {",
            "entry:",
            *_row_pointers(lanes),
            f"  %whole = and i64 %n, {-lanes}",
            "  %some = icmp sgt i64 %whole, 0",
            "  br i1 %some, label %body, label %tail_test",
            "body:",
            "  %j = phi i64 [0, %entry], [%jn, %body]",
            *block("m", "%j", False),
            f"  %jn = add i64 %j, {lanes}",
            "  %again = icmp slt i64 %jn, %whole",
            "  br i1 %again, label %body, label %tail_test",
            "tail_test:",
            "  %tail_j = phi i64 [0, %entry], [%jn, %body]",
            "  %rest = icmp slt i64 %tail_j, %n",
            "  br i1 %rest, label %tail, label %end",
            "tail:",
            *_tail_mask(lanes),
            *block("t", "%tail_j", True),
            "  br label %end",
            "end:",
            "  ret void",
            "}",
        ]
    )


def _store_long_lanes(lanes: int) -> str:
    """Lane-major order to rows that are long: caches like one long stream better than many interleaved ones.

    Rows are put together in a scratch area with room for a whole last block, then copied.
    """
    v = f"<{lanes} x double>"
    lines = [
        "define internal fastcc void @store_long_lanes(ptr %base, i64 %stride, i64 %row, i64 %last, i64 %n, ptr %from, "
        "ptr %scratch) nounwind {",
        "entry:",
        *_row_pointers(lanes),
        f"  %raised = add i64 %n, {lanes - 1}",
        f"  %whole = and i64 %raised, {-lanes}",
        f"  %pitch = add i64 %whole, {lanes}",  # not a power of two, which would make rows collide in the cache
    ]
    for lane in range(lanes):
        lines += [
            f"  %so{lane} = mul i64 %pitch, {lane}",
            f"  %sp{lane} = getelementptr double, ptr %scratch, i64 %so{lane}",
        ]
    lines += [
        "  br label %body",
        "body:",
        "  %j = phi i64 [0, %entry], [%jn, %body]",
        f"  %first = mul i64 %j, {lanes}",
    ]
    names = []
    for k in range(lanes):
        names.append(f"%x{k}")
        lines += [
            f"  %fo{k} = add i64 %first, {k * lanes}",
            f"  %fp{k} = getelementptr double, ptr %from, i64 %fo{k}",
            f"  %x{k} = load {v}, ptr %fp{k}, align {8 * lanes}",
        ]
    shuffles, rows = _transpose(names, "t")
    lines += shuffles
    for lane, values in enumerate(rows):
        lines += [
            f"  %tp{lane} = getelementptr double, ptr %sp{lane}, i64 %j",
            f"  store {v} {values}, ptr %tp{lane}, align {8 * lanes}",
        ]
    lines += [
        f"  %jn = add i64 %j, {lanes}",
        "  %again = icmp slt i64 %jn, %whole",
        "  br i1 %again, label %body, label %copy",
        "copy:",
        "  %bytes = mul i64 %n, 8",
    ]
    for lane in range(lanes):
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %p{lane}, ptr %sp{lane}, i64 %bytes, i1 false)")
    return "\n".join([*lines, "  ret void", "}"])
