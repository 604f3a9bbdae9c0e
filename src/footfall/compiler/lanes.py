"""The entry of a kernel with several lanes: rows of batches in and out of lane-major order.

Rows of a batch are transposed in blocks of lanes x lanes with shuffles. A batch that is no multiple of the lanes
ends with lanes that repeat its last row, so there is no other code for the rest.
"""

from __future__ import annotations

import math

from footfall.compiler.emit import Core, constant_stores
from footfall.compiler.schedule import Schedule

BATCH = "footfall_batch"


def emit_batch(plan: Schedule, core: Core, lanes: int) -> str:
    """IR of a module with `@footfall_batch`.

    `i64 footfall_batch(ptr* inputs, i64* input_strides, ptr* outputs, i64* output_strides, i64 begin, i64 end)`
    computes rows begin..end; strides are in doubles from row to row (0: the same for all). It gives 1 if an input
    was not finite, -1 if there was no memory, else 0.
    """
    signature = plan.program.signature
    sizes_in = [math.prod(shape) for _, shape in signature.inputs]
    sizes_out = [math.prod(shape) for _, shape in signature.outputs]
    row = 8 * lanes
    offsets, total = [], 0
    for size in [*sizes_in, *sizes_out, plan.size]:
        offsets.append(total)
        total += (size + lanes) // lanes * lanes * row  # room for a whole last block
    names = (
        [f"%in{k}" for k in range(len(sizes_in))] + [f"%out{k}" for k in range(len(sizes_out))] + ["%work"]
    )
    v = f"<{lanes} x double>"
    lines = [
        f"define i64 @{BATCH}(ptr %ins, ptr %in_strides, ptr %outs, ptr %out_strides, i64 %begin, i64 %end) "
        "nounwind {",
        f"  %memory = call ptr @malloc(i64 {total + row})",
        "  %failed = icmp eq ptr %memory, null",
        "  br i1 %failed, label %out_of_memory, label %start",
        "out_of_memory:",
        "  ret i64 -1",
        "start:",
        "  %address = ptrtoint ptr %memory to i64",
        f"  %raised = add i64 %address, {row - 1}",
        f"  %aligned = and i64 %raised, {-row}",
        "  %area = inttoptr i64 %aligned to ptr",
    ]
    lines += [
        f"  {name} = getelementptr i8, ptr %area, i64 {offset}"
        for name, offset in zip(names, offsets, strict=True)
    ]
    for kind, sizes in (("in", sizes_in), ("out", sizes_out)):
        for k in range(len(sizes)):
            lines += [
                f"  %{kind}s_p{k} = getelementptr ptr, ptr %{kind}s, i64 {k}",
                f"  %{kind}_base{k} = load ptr, ptr %{kind}s_p{k}",
                f"  %{kind}_s{k} = getelementptr i64, ptr %{kind}_strides, i64 {k}",
                f"  %{kind}_stride{k} = load i64, ptr %{kind}_s{k}",
            ]
    lines += constant_stores(plan, lanes)
    lines += [
        "  %last = sub i64 %end, 1",
        "  br label %block",
        "block:",
        "  %row = phi i64 [%begin, %start], [%next, %block]",
        f"  %bad = phi {v} [zeroinitializer, %start], [%bad{len(sizes_in)}, %block]",
        f"  %bad0 = fadd {v} %bad, zeroinitializer",
    ]
    for k, size in enumerate(sizes_in):
        lines += [
            f"  %found{k} = call fastcc {v} @load_lanes(ptr %in_base{k}, i64 %in_stride{k}, i64 %row, i64 %last, "
            f"i64 {size}, ptr %in{k})",
            f"  %bad{k + 1} = fadd {v} %bad{k}, %found{k}",
        ]
    lines.append(f"  call fastcc void @region0({core.arguments})")
    for k, size in enumerate(sizes_out):
        lines.append(
            f"  call fastcc void @store_lanes(ptr %out_base{k}, i64 %out_stride{k}, i64 %row, i64 %last, "
            f"i64 {size}, ptr %out{k})"
        )
    lines += [
        f"  %next = add i64 %row, {lanes}",
        "  %more = icmp slt i64 %next, %end",
        "  br i1 %more, label %block, label %done",
        "done:",
        "  call void @free(ptr %memory)",
        f"  %nan = fcmp uno {v} %bad{len(sizes_in)}, zeroinitializer",
        f"  %any = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %nan)",
        "  %status = zext i1 %any to i64",
        "  ret i64 %status",
        "}",
    ]
    declarations = {
        *core.declarations,
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>)",
        f"declare {v} @llvm.masked.load.v{lanes}f64.p0(ptr, i32, <{lanes} x i1>, {v})",
        f"declare void @llvm.masked.store.v{lanes}f64.p0({v}, ptr, i32, <{lanes} x i1>)",
        "declare i64 @llvm.smin.i64(i64, i64)",
    }
    return "\n".join([*sorted(declarations), core.text, _load_lanes(lanes), _store_lanes(lanes), *lines, ""])


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
