"""Arrays that kernels are called with: conversion, checks, and where rows and steps of a batch lie in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.interface import DATA
from footfall.errors import InvalidInput

Shape = tuple[int, ...]
Named = Sequence[tuple[str, Shape]]
FLOAT64 = np.dtype(np.float64)

_number_at = ctypes.c_ssize_t.from_address


class Places(NamedTuple):
    """Where rows and steps of arrays lie: in doubles, from row to row of the batch and from step to step.

    Zero: the same for all. A negative step, of outputs: only the last step is stored.
    """

    strides: tuple[int, ...]
    steps: tuple[int, ...]


class Layout(NamedTuple):
    """Inputs of a call: their places, and the lengths of the axes, None where no input has such an axis."""

    places: Places
    batch: int | None
    steps: int | None


def arrange(
    kernel: str, expected: Named, given: Sequence[Any], *, moving: Collection[int] = ()
) -> tuple[list[Array], Layout]:
    """Bring inputs into rows that a kernel can read, or say what is wrong.

    An input has its declared shape, or a batch axis before it; those in `moving` may have an axis of steps between.
    Axes of length one hold for all of the batch or all steps.
    """
    if len(given) != len(expected):
        names = ", ".join(name for name, _ in expected)
        raise InvalidInput(
            f"{kernel} takes {len(expected)} arrays ({names}), but {len(given)} were given; give one for each name"
        )
    arrays: list[Array] = []
    places: list[tuple[int, int]] = []
    lengths: dict[str, tuple[int, str]] = {}
    for k, ((name, shape), value) in enumerate(zip(expected, given, strict=True)):
        array = as_floats(kernel, name, value)
        axes = ("batch", "step")[: 1 + (k in moving)]
        extra = array.ndim - len(shape)
        if not 0 <= extra <= len(axes) or array.shape[extra:] != shape:
            forms = " or ".join(_form(axes[:count], shape) for count in range(len(axes) + 1))
            raise InvalidInput(f"{kernel}: {name} has shape {array.shape}, needed is {forms}")
        for axis, length in zip(axes, array.shape[:extra], strict=False):
            known, other = lengths.get(axis, (length, name))
            if known != length and 1 not in (known, length):
                raise InvalidInput(
                    f"{kernel}: {name} has {length} along the {axis} axis, but {other} has {known}; "
                    "they must agree, or be 1"
                )
            if known == 1 or axis not in lengths:
                lengths[axis] = (length, name)
        array = with_whole_rows(array, extra)
        arrays.append(array)
        places.append(_place(array, extra))
    strides, steps = zip(*places, strict=True) if places else ((), ())
    batch, count = (lengths[axis][0] if axis in lengths else None for axis in ("batch", "step"))
    return arrays, Layout(Places(strides, steps), batch, count)


def plain_shapes(arrays: Sequence[Any]) -> tuple[Shape, ...] | None:
    """Shapes of arrays that native code can read as they are; None if one of them must be converted."""
    shapes = []
    for array in arrays:
        if array.__class__ is not np.ndarray or array.dtype is not FLOAT64:
            return None
        flags = array.flags
        if not flags.c_contiguous or not flags.aligned:
            return None
        shapes.append(array.shape)
    return tuple(shapes)


def _form(axes: tuple[str, ...], shape: Shape) -> str:
    words = [*axes, *map(str, shape)]
    return f"({', '.join(words)}{',' if len(words) == 1 else ''})"


def with_whole_rows(array: Array, extra: int) -> Array:
    """The array, or a copy if what stands behind its first `extra` axes is not contiguous in memory."""
    if array.flags.carray:
        return array
    inner = array[(0,) * extra] if array.size else array
    outer = array.strides[:extra]
    if inner.flags.c_contiguous and array.flags.aligned and not any(s % 8 or s < 0 for s in outer):
        return array
    return np.array(array, order="C")


def _place(array: Array, extra: int) -> tuple[int, int]:
    """In doubles, from row to row and from step to step."""
    axes = zip(array.strides[:extra], array.shape[:extra], strict=True)
    stride, step, *_ = (*(stride // 8 if length > 1 else 0 for stride, length in axes), 0, 0)
    return stride, step


def as_floats(kernel: str, name: str, given: Any) -> Array:
    """As float64, if these are real numbers."""
    array = np.asarray(given)
    if array.dtype is FLOAT64 or array.dtype == FLOAT64:
        return array
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    raise InvalidInput(f"{kernel}: {name} has type {array.dtype}, needed are real numbers")


def require_exact(kernel: str, name: str, shape: Shape, array: Any, *, writable: bool) -> None:
    """A float64 array of exactly this shape, contiguous in memory."""
    wanted = "contiguous, writable" if writable else "contiguous"
    wrong = f"{kernel}: {name} must be a {wanted} float64 array, not "
    if not isinstance(array, np.ndarray):
        raise InvalidInput(wrong + type(array).__name__)
    flags = array.flags
    if array.dtype != FLOAT64 or not flags.c_contiguous or not flags.aligned:
        raise InvalidInput(wrong + str(array.dtype))
    if array.shape != shape:
        raise InvalidInput(f"{kernel}: {name} has shape {array.shape}, needed is {shape}")
    if writable and not flags.writeable:
        raise InvalidInput(wrong + "read-only")


def require_finite(kernel: str, name: str, array: Array) -> None:
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(k) for k in np.argwhere(~finite)[0])
        raise InvalidInput(f"{kernel}: {name}{list(where)} is {array[where]}; inputs must be finite")


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
            raise InvalidInput(f"{kernel}: output {first} shares memory with {second}; give it its own array")
        used = max(used, (end, name))
        if is_output:
            written = max(written, (end, name))


def data_address(array: np.ndarray[Any, Any]) -> int:
    """Address of an array's first number, from the object itself: NumPy's own ways take ten times as long."""
    return _number_at(id(array) + DATA).value


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
        raise InvalidInput(f"{kernel}: out needs {len(expected)} arrays, not {len(out)}")
    for (name, _), shape, array in zip(expected, shapes, out, strict=True):
        require_exact(kernel, name, shape, array, writable=True)
    return list(out)
