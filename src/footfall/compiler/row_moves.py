"""Rows of batches in and out of lane-major order, as LLVM functions; `lanes.py` says when.

Squares of lanes x lanes numbers are transposed by shuffles.
"""

from __future__ import annotations


def load_row() -> str:
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


def store_row() -> str:
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


def load_lanes(lanes: int) -> str:
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


def store_lanes(lanes: int) -> str:
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


def stream_row(lanes: int) -> str:
    """Copy n numbers around the caches: some up to where a whole vector fits, vectors, and the rest.

    A store into the caches first reads what it replaces, which for results that do not fit into them is half of all
    traffic with the memory.
    """
    v, mask, size = f"<{lanes} x double>", f"<{lanes} x i1>", 8 * lanes
    counting = ", ".join(f"i64 {k}" for k in range(lanes))

    def some(tag: str, first: str, count: str) -> list[str]:
        """Copy fewer numbers than a vector has."""
        return [
            f"  %{tag}1 = insertelement <{lanes} x i64> undef, i64 {count}, i32 0",
            f"  %{tag}n = shufflevector <{lanes} x i64> %{tag}1, <{lanes} x i64> undef, "
            f"<{lanes} x i32> zeroinitializer",
            f"  %{tag}m = icmp slt <{lanes} x i64> <{counting}>, %{tag}n",
            f"  %{tag}p = getelementptr double, ptr %from, i64 {first}",
            f"  %{tag}q = getelementptr double, ptr %to, i64 {first}",
            f"  %{tag}x = call {v} @llvm.masked.load.v{lanes}f64.p0(ptr %{tag}p, i32 8, {mask} %{tag}m, {v} undef)",
            f"  call void @llvm.masked.store.v{lanes}f64.p0({v} %{tag}x, ptr %{tag}q, i32 8, {mask} %{tag}m)",
        ]

    return "\n".join(
        [
            "!1 = !{i32 1}",
            "define internal fastcc void @stream_row(ptr %to, ptr %from, i64 %n) nounwind {",
            "entry:",
            "  %address = ptrtoint ptr %to to i64",
            "  %below = sub i64 0, %address",
            f"  %bytes = and i64 %below, {size - 1}",
            "  %ahead = lshr i64 %bytes, 3",
            "  %head = call i64 @llvm.smin.i64(i64 %ahead, i64 %n)",
            *some("h", "0", "%head"),
            "  %left = sub i64 %n, %head",
            f"  %whole = and i64 %left, {-lanes}",
            "  %end = add i64 %head, %whole",
            "  %any = icmp sgt i64 %whole, 0",
            "  br i1 %any, label %body, label %rest",
            "body:",
            "  %j = phi i64 [%head, %entry], [%jn, %body]",
            "  %p = getelementptr double, ptr %from, i64 %j",
            "  %q = getelementptr double, ptr %to, i64 %j",
            f"  %x = load {v}, ptr %p, align 8",
            f"  store {v} %x, ptr %q, align {size}, !nontemporal !1",
            f"  %jn = add i64 %j, {lanes}",
            "  %more = icmp slt i64 %jn, %end",
            "  br i1 %more, label %body, label %rest",
            "rest:",
            "  %few = sub i64 %n, %end",
            *some("t", "%end", "%few"),
            "  ret void",
            "}",
        ]
    )


def store_long_lanes(lanes: int) -> str:
    """Lane-major order to rows that are long: caches like one long stream better than many interleaved ones.

    Rows are put together in a scratch area with room for a whole last block, then copied.
    """
    v = f"<{lanes} x double>"
    lines = [
        "define internal fastcc void @store_long_lanes(ptr %base, i64 %stride, i64 %row, i64 %last, i64 %n, ptr %from, "
        "ptr %scratch, i1 %around) nounwind {",
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
        "  br i1 %again, label %body, label %put",
        "put:",
        "  %bytes = mul i64 %n, 8",
        "  br i1 %around, label %stream, label %copy",
        "copy:",
        *(
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %p{lane}, ptr %sp{lane}, i64 %bytes, i1 false)"
            for lane in range(lanes)
        ),
        "  ret void",
        "stream:",
        *(f"  call fastcc void @stream_row(ptr %p{lane}, ptr %sp{lane}, i64 %n)" for lane in range(lanes)),
        "  ret void",
        "}",
    ]
    return "\n".join(lines)
