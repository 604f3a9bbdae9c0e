"""Functions of small arrays that also take lists, and many rows at once.

A function is written once for one vector or matrix, on floats and symbols alike. Called with an array that has more
axes than that, it runs on all of its rows in one native call, which is compiled when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import signature
from math import isfinite
from typing import Any, ParamSpec

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.errors import InvalidInput
from footfall.math.formulas import is_formula, taken_in, taken_out

P = ParamSpec("P")
Shape = tuple[int, ...]
_LENGTH = 2e-3  # of the square: numbers with four digits are close enough


def rowwise(*units: str, **shapes: int | Shape) -> Callable[[Callable[P, Array]], Callable[P, Array]]:
    """Decorates a function of arrays. shapes: of the arguments that are arrays; () for single numbers, -1 for a length
    of any size. units: those of them that must have length one, or be rotation matrices.

    Leading axes are those of a batch; arguments without them hold for all rows.
    """
    wanted = {name: (shape,) if isinstance(shape, int) else shape for name, shape in shapes.items()}

    def decorate(function: Callable[P, Array]) -> Callable[P, Array]:
        names = tuple(signature(function).parameters)
        places = [(names.index(name), name, shape) for name, shape in wanted.items()]
        last = max(place for place, _, _ in places)

        @wraps(function)
        def run(*arguments: P.args, **options: P.kwargs) -> Array:
            if options and not options.keys().isdisjoint(wanted):
                bound = signature(function).bind(*arguments, **options)
                return run(*bound.args, **bound.kwargs)
            if len(arguments) <= last:
                signature(function).bind(*arguments, **options)  # says which one is missing
            given: list[Any] = list(arguments)
            formulas = [place for place, _, _ in places if is_formula(given[place])]
            if formulas:
                whole = [taken_in(each) if is_formula(each) else each for each in given]
                return taken_out(run(*whole, **options))
            batched = False
            for place, name, shape in places:
                value = given[place]
                if type(value) is not np.ndarray:
                    if not isinstance(value, list | tuple | np.ndarray):
                        if shape:
                            raise InvalidInput(f"{name} is {value!r}; needed are numbers {_text(shape)}")
                        if isinstance(value, float) and not isfinite(value):
                            raise InvalidInput(f"{name} is {value}; it must be finite")
                        if value is None or isinstance(value, str | bytes):
                            raise InvalidInput(f"{name} is {value!r}; it must be a number")
                        continue  # a number or a symbol
                    value = given[place] = _array(value)
                rows = value.ndim - len(shape)
                if rows < 0 or (value.shape[rows:] != shape and shape != (-1,)):
                    raise InvalidInput(
                        f"{name} has the shape {value.shape}; needed is {_text(shape)}, or rows of such"
                    )
                if name in units:
                    _check_unit(name, value, shape)
                elif rows == 0 and value.dtype != object and not all(map(isfinite, value.ravel().tolist())):
                    raise InvalidInput(f"{name} is {value}; all numbers must be finite")
                batched = batched or rows > 0
            if not batched:
                return function(*given, **options)
            fixed = tuple(
                (k, value) for k, value in enumerate(given) if k not in {place for place, _, _ in places}
            )
            sized = [
                (place, name, np.shape(given[place])[-1:] if shape == (-1,) else shape)
                for place, name, shape in places
            ]
            kernel = _kernel(function, fixed, tuple(sorted(options.items())), tuple(sized))
            return _run_rows(kernel, [(given[place], shape) for place, _, shape in sized])

        run.one_row = function  # type: ignore[attr-defined]  # what routines call
        return run

    return decorate


def _check_unit(name: str, value: Array, shape: Shape) -> None:
    """Numbers of another length than one would give a rotation that also stretches; symbols are taken as they are."""
    if value.dtype == object:
        return
    if shape == (3, 3):
        check_rotation(name, value)
        return
    if name == "parameters":  # an angle, and its axis
        if not np.isfinite(value[..., 0]).all():
            raise InvalidInput(f"{name} is {value}; all numbers must be finite")
        name, value = "the axis", value[..., 1:]
    if value.ndim == 1:
        worst = float(value @ value)
    else:
        squares = np.einsum("...i,...i->...", value, value).ravel()
        worst = float(squares[np.argmax(np.abs(squares - 1.0))]) if len(squares) else 1.0
    if not isfinite(worst):
        raise InvalidInput(f"{name} is {value}; all numbers must be finite")
    if abs(worst - 1.0) > _LENGTH:
        norm = float(np.sqrt(worst))
        raise InvalidInput(f"{name} has the norm {norm:.6g}; it must be 1: divide by it, `normalised` does")


def check_rotation(name: str, value: Array) -> None:
    """Refuse matrices (..., 3, 3) whose columns are not unit, at right angles and right-handed; symbols pass."""
    if value.dtype == object or (value.ndim == 2 and _rotates(value.tolist())):
        return
    matrices = value.reshape(-1, 3, 3)
    apart = matrices.transpose(0, 2, 1) @ matrices - np.eye(3)
    worst = float(np.abs(apart).max(initial=0.0))
    if not isfinite(worst):
        raise InvalidInput(f"{name} is {value}; all numbers must be finite")
    if worst > _LENGTH:
        raise InvalidInput(
            f"{name} is no rotation: its columns miss length one and right angles by {worst:.3g}; "
            "`nearest_rotation` gives the closest one"
        )
    x, y, z = matrices[:, :, 0], matrices[:, :, 1], matrices[:, :, 2]
    if len(matrices) and float(np.min(np.sum(np.cross(x, y) * z, axis=1))) < 0.0:
        raise InvalidInput(
            f"{name} mirrors (its determinant is -1); a rotation does not: turn one column round"
        )


def _rotates(rows: list[list[float]]) -> bool:
    """Whether one matrix is a rotation: plain numbers are ten times quicker than arrays for a single one."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (
        abs(a * a + d * d + g * g - 1.0) <= _LENGTH
        and abs(b * b + e * e + h * h - 1.0) <= _LENGTH
        and abs(c * c + f * f + i * i - 1.0) <= _LENGTH
        and abs(a * b + d * e + g * h) <= _LENGTH
        and abs(a * c + d * f + g * i) <= _LENGTH
        and abs(b * c + e * f + h * i) <= _LENGTH
        and a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0.0
    )


def _text(shape: Shape) -> str:
    return str(shape).replace("()", "a number")


def _array(value: Any) -> Array:
    array = np.array(value)
    return array if array.dtype == object else array.astype(np.float64)


@lru_cache(maxsize=256)
def _kernel(
    function: Callable[..., Array],
    fixed: tuple[tuple[int, Any], ...],
    options: tuple[tuple[str, Any], ...],
    places: tuple[tuple[int, str, Shape], ...],
) -> Kernel:
    """Native code of a function with its arguments that are no arrays filled in."""

    def filled(**arrays: Any) -> dict[str, Any]:
        arguments = dict(fixed) | {place: arrays[name] for place, name, _ in places}
        return {"result": function(*(arguments[k] for k in sorted(arguments)), **dict(options))}

    inputs: dict[str, int | Shape] = {name: shape for _, name, shape in places}
    return build_kernel(filled, inputs, name=getattr(function, "__name__", "rows"), check_finite=False)


def _run_rows(kernel: Kernel, given: list[tuple[Any, Shape]]) -> Array:
    """Results (..., m) for arrays with leading axes, which broadcast."""
    arrays = [np.asarray(value, dtype=np.float64) for value, _ in given]
    leading = [
        array.shape[: array.ndim - len(shape)] for array, (_, shape) in zip(arrays, given, strict=True)
    ]
    rows = np.broadcast_shapes(*leading)
    flat = [
        np.ascontiguousarray(np.broadcast_to(array, (*rows, *shape))).reshape(-1, *shape)
        for array, (_, shape) in zip(arrays, given, strict=True)
    ]
    result = np.asarray(kernel(*flat))
    return result.reshape(*rows, *result.shape[1:])
