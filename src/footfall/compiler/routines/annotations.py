"""What annotations say of the arguments, fields and variables of routines, and what types values of Python have.

    def nearest(points: ArrayOf[Vector3], to: Vector3, plane: Plane) -> int: ...

Numbers are converted to `float`, `int` or `bool` as they are annotated. `Vector3` and the like are small arrays whose
shape is known: routines hold them in registers. `ArrayOf[Vector3]` is an array (n, 3), `ArrayOf[Contact]` one of
records, made by `new_records`. Classes are records: named tuples and frozen dataclasses. All else is what it is when
the routine is called.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar, Union

import numpy as np

from footfall.compiler.routines.types import (
    BOOL,
    DTYPES,
    FLOAT,
    INT,
    LANES,
    NOTHING,
    SCALAR_TYPES,
    ArrayType,
    Fixed,
    Number,
    RecordType,
    TupleType,
    Type,
    inner_shape,
    leaves,
)
from footfall.errors import RoutineError

_Floats = np.ndarray[Any, np.dtype[Any]]
Vector2 = Annotated[_Floats, Fixed((2,))]
Vector3 = Annotated[_Floats, Fixed((3,))]
Vector6 = Annotated[_Floats, Fixed((6,))]
Quaternion = Annotated[_Floats, Fixed((4,))]
Matrix2 = Annotated[_Floats, Fixed((2, 2))]
Matrix3 = Annotated[_Floats, Fixed((3, 3))]
Matrix6 = Annotated[_Floats, Fixed((6, 6))]
EightInts = Annotated[_Floats, Fixed((8,), INT)]
# Eight numbers or vectors side by side, in vector registers: `ArrayOf[Lanes]` is an array (n, 8).
Lanes = Annotated[_Floats, LANES]
LanesOfVector3 = Annotated[_Floats, Fixed((3,), LANES)]
FourLanes = Annotated[_Floats, Fixed((4,), LANES)]  # of 32 numbers

E = TypeVar("E", covariant=True)


class ArrayOf(Protocol[E]):
    """A contiguous array of vectors, (n, 3) for `ArrayOf[Vector3]`, or of records."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, index: Any, /) -> Any: ...
    def __setitem__(self, index: Any, value: Any, /) -> None: ...
    def copy(self) -> Any: ...


class ArrayHint(NamedTuple):
    """An array of vectors or records of some kind."""

    element: Fixed | Number | type


class ListHint(NamedTuple):
    """A list; element: the hint of what is in it."""

    element: Any


class TupleHint(NamedTuple):
    """A tuple; items: the hints of what is in it."""

    items: tuple[Any, ...]


class OptionalHint(NamedTuple):
    """`Vector3 | None`: what is given is known when the routine is translated."""

    given: Any


Hint = Number | Fixed | ArrayHint | ListHint | TupleHint | OptionalHint | type | None  # a type: of records


def hint_of(annotation: Any, names: dict[str, Any]) -> Hint:
    """What an annotation says; names: the global ones where it stands."""
    if isinstance(annotation, typing.ForwardRef):  # as named tuples keep them
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        try:
            # The annotation of a function of ours, not a text from outside.
            annotation = eval(annotation, names)
        except (NameError, AttributeError, TypeError):
            return None  # imported for type checkers only
    numbers: dict[Any, Number] = {float: FLOAT, int: INT, bool: BOOL}
    try:
        if annotation in numbers:
            return numbers[annotation]
    except TypeError:
        return None
    if is_record(annotation):
        return annotation  # type: ignore[no-any-return]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        small = (extra for extra in arguments[1:] if isinstance(extra, Fixed | Number))
        return next(small, None) or hint_of(arguments[0], names)
    if origin in (Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        return OptionalHint(hint_of(next(one for one in arguments if one is not type(None)), names))
    if origin is ArrayOf:
        element = hint_of(arguments[0], names)
        if not isinstance(element, Fixed) and element is not LANES and not is_record(element):
            raise RoutineError(f"ArrayOf takes small vectors and records, not {arguments[0]}")
        return ArrayHint(element)  # type: ignore[arg-type]
    if origin is list and arguments:
        return ListHint(hint_of(arguments[0], names))
    if origin is tuple and Ellipsis not in arguments:
        return TupleHint(tuple(hint_of(argument, names) for argument in arguments))
    return None


def is_record(kind: Any) -> bool:
    """Whether a class is a named tuple, a frozen dataclass or a frozen struct of msgspec."""
    if not isinstance(kind, type):
        return False
    if is_struct(kind):
        return bool(kind.__struct_config__.frozen)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(kind):
        return bool(kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def is_struct(kind: type) -> bool:
    """Whether a class is one of msgspec's, which parameters in files are."""
    return hasattr(kind, "__struct_config__")


def record_fields(record: type[Any]) -> dict[str, Hint]:
    """Names and hints of the fields of a record, in their order."""
    kind: Any = record
    return _record_fields(kind)


@cache
def _record_fields(record: Any) -> dict[str, Hint]:
    if dataclasses.is_dataclass(record):
        names = [field.name for field in dataclasses.fields(record) if field.init]
    else:
        names = list(record.__struct_fields__ if is_struct(record) else record._fields)
    found: dict[str, Any] = {}
    for base in reversed(record.__mro__):
        module = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        for name, annotation in inspect.get_annotations(base).items():
            found[name] = (annotation, {**vars(base), **module})
    return {name: hint_of(*found[name]) if name in found else None for name in names}


@cache
def plain_record(record: type) -> RecordType:
    """The type of records that are nothing but numbers and small vectors: elements of arrays."""
    items: list[Type] = []
    for name, hint in record_fields(record).items():
        if isinstance(hint, Number | Fixed):
            items.append(hint)
        elif isinstance(hint, type):
            items.append(plain_record(hint))
        else:
            raise RoutineError(f"{record.__name__}.{name} is no number, vector or record: no arrays of these")
    return RecordType(record, tuple(record_fields(record)), tuple(items))


def element_type(hint: ArrayHint) -> Fixed | Number | RecordType:
    return plain_record(hint.element) if isinstance(hint.element, type) else hint.element


@cache
def record_dtype(record: type) -> np.dtype[Any]:
    """NumPy's type of an array of such records: `array["field"]` are the values of a field."""
    dtype = _dtype(plain_record(record))
    _RECORDS[id(dtype)] = record
    return dtype


_RECORDS: dict[int, type] = {}  # by the address of the type of their arrays, which stays


def record_of_dtype(dtype: np.dtype[Any]) -> type:
    """The class of the records in an array whose type `record_dtype` gave."""
    return _RECORDS[id(dtype)]


def _dtype(kind: Type) -> np.dtype[Any]:
    if isinstance(kind, Number):
        number: np.dtype[Any] = np.dtype(SCALAR_TYPES[kind])
        return number
    if isinstance(kind, Fixed):
        small: np.dtype[Any] = np.dtype((SCALAR_TYPES[kind.element], kind.shape))
        return small
    assert isinstance(kind, RecordType)
    fields = [(name, _dtype(item)) for name, item in zip(kind.names, kind.items, strict=True)]
    return np.dtype(fields, align=True)


def new_records(record: type, shape: int | tuple[int, ...]) -> Any:
    """An array of records whose numbers are all zero; also in routines."""
    return np.zeros(shape, dtype=record_dtype(record))


def record_from_numbers(record: Any, numbers: Any) -> Any:
    """A record of floats from an array (n,) of these or of symbols, one after the other as in memory."""
    made, rest = _from_numbers(plain_record(record), numbers)
    assert len(rest) == 0
    return made


def _from_numbers(kind: Type, numbers: Any) -> tuple[Any, Any]:
    if isinstance(kind, Fixed):
        return numbers[: kind.count].reshape(kind.shape), numbers[kind.count :]
    if not isinstance(kind, RecordType):
        return numbers[0], numbers[1:]
    items = []
    for item in kind.items:
        made, numbers = _from_numbers(item, numbers)
        items.append(made)
    return kind.record(*items), numbers


def as_records(record: type, numbers: Any) -> Any:
    """An array of floats as one of records of floats, field after field: no copy; also in routines."""
    return numbers.reshape(-1).view(_float_dtype(record))


@cache
def _float_dtype(record: type) -> np.dtype[Any]:
    if any(leaf.stored != FLOAT.stored for leaf in leaves(plain_record(record))):
        raise RoutineError(f"{record.__name__} has fields that are no floats: floats cannot be read as such")
    return record_dtype(record)


def type_of(value: Any, hint: Hint, name: str) -> Type:
    """The type of an object of Python; name: for messages."""
    if value is None:
        return NOTHING
    if isinstance(hint, OptionalHint):
        return type_of(value, hint.given, name)
    if isinstance(hint, Fixed):
        if np.shape(value) != hint.shape:
            raise RoutineError(f"{name} has the shape {np.shape(value)}, needed is {hint.shape}")
        return hint
    if is_record(type(value)):
        if isinstance(hint, type) and type(value) is not hint:
            raise RoutineError(f"{name} is a {type(value).__name__}, not a {hint.__name__}")
        return _record_type(value, name)
    if isinstance(value, np.ndarray) and value.ndim:
        return _array_type(value, hint, name)
    if type(value) is tuple:
        hints = hint.items if isinstance(hint, TupleHint) else ()
        padded = [*hints, *[None] * (len(value) - len(hints))]
        pairs = zip(value, padded, strict=False)
        return TupleType(tuple(type_of(*pair, f"{name}[{k}]") for k, pair in enumerate(pairs)))
    given = _number_type(value, name)
    if not isinstance(hint, Number):
        if hint is not None:
            raise RoutineError(f"{name} is {value!r}, needed is {described(hint)}")
        return given
    if hint is INT and given is FLOAT:
        raise RoutineError(f"{name} is {value!r}, not an int")
    return hint


def described(hint: Hint) -> str:
    if isinstance(hint, ArrayHint):
        element = hint.element
        return f"an array of {element.__name__ if isinstance(element, type) else element}"
    if isinstance(hint, ListHint | TupleHint):
        return "a list" if isinstance(hint, ListHint) else "a tuple"
    if isinstance(hint, OptionalHint):
        return f"{described(hint.given)} or None"
    return hint.__name__ if isinstance(hint, type) else str(hint)


def _number_type(value: Any, name: str) -> Number:
    if isinstance(value, bool | np.bool_):
        return BOOL
    if isinstance(value, int | np.integer):
        return INT
    if isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype == float):
        return FLOAT
    raise RoutineError(f"{name} is {type(value).__name__}, neither a number nor an array nor a record")


def _record_type(value: Any, name: str) -> RecordType:
    fields = record_fields(type(value))
    items = [type_of(getattr(value, field), hint, f"{name}.{field}") for field, hint in fields.items()]
    return RecordType(type(value), tuple(fields), tuple(items))


def _array_type(value: Any, hint: Hint, name: str) -> ArrayType:
    if isinstance(hint, Number | type):
        raise RoutineError(f"{name} is an array, needed is {described(hint)}")
    if isinstance(hint, ArrayHint):
        wanted = element_type(hint)
        if isinstance(wanted, RecordType):
            if value.dtype != record_dtype(wanted.record):
                raise RoutineError(f"{name} is no array of {wanted}: use new_records({wanted}, count)")
            return ArrayType(wanted, value.ndim)
        inner = inner_shape(wanted)
        axes = value.ndim - len(inner)
        if axes < 1 or value.shape[axes:] != inner:
            shape = ", ".join(["n", *map(str, inner)])
            raise RoutineError(f"{name} has the shape {value.shape}, needed is ({shape})")
        if len(inner) > len(getattr(wanted, "shape", ())):  # several lanes
            if value.dtype != np.float64:
                raise RoutineError(f"{name} has the type {value.dtype}, needed is float64")
            return ArrayType(wanted, axes)
        assert isinstance(wanted, Fixed)
        return ArrayType(Fixed(wanted.shape, _element(value, name)), axes)
    return ArrayType(_element(value, name), value.ndim)


def _element(value: Any, name: str) -> Number:
    element = DTYPES.get(value.dtype.type)
    if element is None:
        known = ", ".join(str(np.dtype(kind)) for kind in SCALAR_TYPES.values())
        raise RoutineError(f"{name} has the type {value.dtype}; there are {known}")
    return element


def dtype_of(kind: ArrayType) -> np.dtype[Any]:
    """NumPy's type of the elements, without the axes of small vectors."""
    element = kind.element
    if isinstance(element, RecordType):
        return record_dtype(element.record)
    number = element.element if isinstance(element, Fixed) else element
    dtype: np.dtype[Any] = np.dtype(SCALAR_TYPES[FLOAT if number is LANES else number])
    return dtype
