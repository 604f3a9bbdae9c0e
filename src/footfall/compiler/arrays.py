"""Arrays that kernels are called with: conversion, checks, and where rows and steps of a batch lie in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler.errors import KernelInputError
from footfall.compiler.interface import DATA

Array = np.ndarray[Any, np.dtype[np.float64]]
Shape = tuple[int, ...]
Named = Sequence[tuple[str, Shape]]
FLOAT64 = np.dtype(np.float64)


class Rows(NamedTuple):
    """An array with, in doubles, the distance from row to row of the batch and from step to step (0: the same)."""

    array: Array
    stride: int
    step: int


class Arranged(NamedTuple):
    """Inputs of a call. batch, steps: None where no input has such an axis."""

    inputs: list[Rows]
    batch: int | None
    steps: int | None


def arrange(kernel: str, expected: Named, given: Sequence[Any], *, moving: Collection[int] = ()) -> Arranged:
    """Bring inputs into rows that a kernel can read, or say what is wrong.

    An input has its declared shape, or a batch axis before it; those in `moving` may have an axis of steps between.
    Axes of length one hold for all of the batch or all steps.
    """
    if len(given) != len(expected):
        names = ", ".join(name for name, _ in expected)
        raise KernelInputError(
            f"{kernel} takes {len(expected)} arrays ({names}), but {len(given)} were given"
        )
    inputs: list[Rows] = []
    lengths: dict[str, tuple[int, str]] = {}
    for k, ((name, shape), value) in enumerate(zip(expected, given, strict=True)):
        array = as_floats(kernel, name, value)
        if array.shape == shape:
            inputs.append(_rows(array, shape, 0))
            continue
        axes = ("batch", "step")[: 1 + (k in moving)]
        extra = array.ndim - len(shape)
        if not 0 <= extra <= len(axes) or array.shape[extra:] != shape:
            forms = " or ".join(_form(axes[:count], shape) for count in range(len(axes) + 1))
            raise KernelInputError(f"{kernel}: {name} has shape {array.shape}, needed is {forms}")
        for axis, length in zip(axes, array.shape[:extra], strict=False):
            known, other = lengths.get(axis, (length, name))
            if known != length and 1 not in (known, length):
                raise KernelInputError(
                    f"{kernel}: {name} has {length} along the {axis} axis, but {other} has {known}"
                )
            if known == 1 or axis not in lengths:
                lengths[axis] = (length, name)
        inputs.append(_rows(array, shape, extra))
    batch, steps = (lengths[axis][0] if axis in lengths else None for axis in ("batch", "step"))
    return Arranged(inputs, batch, steps)


def _form(axes: tuple[str, ...], shape: Shape) -> str:
    words = [*axes, *map(str, shape)]
    return f"({', '.join(words)}{',' if len(words) == 1 else ''})"


def _rows(array: Array, shape: Shape, extra: int) -> Rows:
    """Distances from row to row; arrays whose rows are not contiguous are copied."""
    simple = array.flags.carray
    if extra == 0 and simple:
        return Rows(array, 0, 0)
    if not simple:
        inner = array[(0,) * extra] if array.size else array
        outer = array.strides[:extra]
        if not inner.flags.c_contiguous or not array.flags.aligned or any(s % 8 or s < 0 for s in outer):
            array = np.array(array, order="C")
    strides = [
        stride // 8 if length > 1 else 0
        for stride, length in zip(array.strides[:extra], array.shape[:extra], strict=True)
    ]
    return Rows(array, *(*strides, 0, 0)[:2])


def as_floats(kernel: str, name: str, given: Any) -> Array:
    """As float64, if these are real numbers."""
    array = np.asarray(given)
    if array.dtype is FLOAT64 or array.dtype == FLOAT64:
        return array
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    raise KernelInputError(f"{kernel}: {name} has type {array.dtype}, needed are real numbers")


def require_exact(kernel: str, name: str, shape: Shape, array: Any, *, writable: bool) -> None:
    """A float64 array of exactly this shape, contiguous in memory."""
    wanted = "contiguous, writable" if writable else "contiguous"
    wrong = f"{kernel}: {name} must be a {wanted} float64 array, not "
    if not isinstance(array, np.ndarray):
        raise KernelInputError(wrong + type(array).__name__)
    flags = array.flags
    if array.dtype != FLOAT64 or not flags.c_contiguous or not flags.aligned:
        raise KernelInputError(wrong + str(array.dtype))
    if array.shape != shape:
        raise KernelInputError(f"{kernel}: {name} has shape {array.shape}, needed is {shape}")
    if writable and not flags.writeable:
        raise KernelInputError(wrong + "read-only")


def require_finite(kernel: str, name: str, array: Array) -> None:
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(k) for k in np.argwhere(~finite)[0])
        raise KernelInputError(f"{kernel}: {name}{list(where)} is {array[where]}; inputs must be finite")


def forbid_overlap(
    kernel: str, inputs: Sequence[tuple[str, Array]], outputs: Sequence[tuple[str, Array]]
) -> None:
    """Outputs are written before all inputs are read, so they must not share memory."""
    spans = [(*_span(array), False, name) for name, array in inputs if array.size]
    spans += [(*_span(array), True, name) for name, array in outputs if array.size]
    spans.sort()
    written, used = (0, ""), (0, "")  # where outputs, and all arrays, end that begin before
    for begin, end, is_output, name in spans:
        last, other = used if is_output else written
        if begin < last:
            first, second = (name, other) if is_output else (other, name)
            raise KernelInputError(
                f"{kernel}: output {first} shares memory with {second}; give it its own array"
            )
        used = max(used, (end, name))
        if is_output:
            written = max(written, (end, name))


def data_address(array: np.ndarray[Any, Any]) -> int:
    """Address of an array's first number, from the object itself: NumPy's own ways take ten times as long."""
    return ctypes.c_ssize_t.from_address(id(array) + DATA).value


def _span(array: Array) -> tuple[int, int]:
    """Addresses of its first byte and of the one after its last."""
    first = data_address(array)
    if array.flags.c_contiguous:
        return first, first + array.nbytes
    ways = [stride * (length - 1) for stride, length in zip(array.strides, array.shape, strict=True)]
    begin = first + sum(way for way in ways if way < 0)
    return begin, first + sum(way for way in ways if way > 0) + array.itemsize


def new_outputs(
    kernel: str, expected: Named, leading: Sequence[Shape], out: Sequence[Array] | None
) -> list[Array]:
    """Output arrays with the leading axes, given ones checked."""
    shapes = [(*axes, *shape) for axes, (_, shape) in zip(leading, expected, strict=True)]
    if out is None:
        return [np.empty(shape) for shape in shapes]
    if len(out) != len(expected):
        raise KernelInputError(f"{kernel}: out needs {len(expected)} arrays, not {len(out)}")
    for (name, _), shape, array in zip(expected, shapes, out, strict=True):
        require_exact(kernel, name, shape, array, writable=True)
    return list(out)


def address_table(
    inputs: Sequence[Rows], outputs: Sequence[Rows | None]
) -> tuple[np.ndarray[Any, Any], list[int]]:
    """What native code wants to know: addresses, strides and steps of inputs, then of outputs; zeros for those that
    nobody asked for.

    Gives the table, which must stay alive, and the addresses of its six parts.
    """
    numbers: list[int] = []
    starts: list[int] = []
    for rows in (inputs, outputs):
        for part in (
            [0 if row is None else data_address(row.array) for row in rows],
            [0 if row is None else row.stride for row in rows],
            [0 if row is None else row.step for row in rows],
        ):
            starts.append(8 * len(numbers))
            numbers += part
    table = np.array(numbers, dtype=np.int64)
    base = data_address(table)
    return table, [base + start for start in starts]
