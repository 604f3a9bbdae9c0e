"""Values in memory: where they are and how they are read; values as other types, and as annotations want them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from footfall.compiler.routines.annotations import (
    ArrayHint,
    Hint,
    ListHint,
    OptionalHint,
    TupleHint,
    element_type,
    is_record,
    plain_record,
)
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.numbers import converted_number, number_constant, with_lane
from footfall.compiler.routines.types import (
    FLOAT,
    LANES,
    NONE,
    NOTHING,
    READ_AS,
    WIDTH,
    ArrayType,
    Fixed,
    ListType,
    Number,
    RecordType,
    TupleType,
    Type,
    Value,
    all_roots,
    inner_shape,
    items_of,
    layout,
    leaves,
    machine_types,
    offsets,
    record_of,
    tuple_of,
)
from footfall.compiler.routines.vectors import gathered, numbers_of, stacked
from footfall.errors import RoutineError


class Place(NamedTuple):
    """Where something is in memory. roots: see `Value`."""

    type: Type
    address: str
    roots: frozenset[int]


def array_value(
    type: ArrayType, address: str, lengths: Sequence[str], roots: frozenset[int] = frozenset()
) -> Value:
    return Value(type, (address, *lengths), (roots, *([frozenset()] * len(lengths))) if roots else ())


def element_place(code: Instructions, array: Value, k: str) -> Place:
    """The place of element k, counted from the begin."""
    assert isinstance(array.type, ArrayType)
    element = array.type.element
    address = code.operation(f"getelementptr inbounds {layout(element)}, ptr {array.parts[0]}, i64 {k}")
    return Place(element, address, all_roots(array))


def field_place(code: Instructions, place: Place, number: int) -> Place:
    """Where a field of a record in memory is."""
    assert isinstance(place.type, RecordType)
    address = code.operation(
        f"getelementptr inbounds {layout(place.type)}, ptr {place.address}, i32 0, i32 {number}"
    )
    return Place(place.type.items[number], address, place.roots)


def load(code: Instructions, place: Place) -> Value:
    parts = []
    for leaf in leaves(place.type):
        address = leaf_address(code, place, leaf.path)
        if leaf.machine == LANES.llvm:
            parts.append(code.operation(f"load {leaf.machine}, ptr {address}, align 8"))
            continue
        part = code.operation(f"load {leaf.stored}, ptr {address}")
        parts.append(from_stored(code, part, leaf.machine, leaf.stored))
    type = READ_AS.get(place.type, place.type) if isinstance(place.type, Number) else place.type
    return Value(type, tuple(parts))


class Writer(Protocol):
    """What writes instructions of a function, and reserves memory of its frame."""

    def operation(self, text: str, /) -> str: ...
    def do(self, text: str, /) -> None: ...
    def reserve(self, machine: str, /) -> str: ...


def home_of(code: Writer, value: Value) -> str:
    """Where a record stands that is passed by its address, or a copy of it for that."""
    if value.home:
        return value.home
    machines = machine_types(value.type)
    places = offsets(machines)
    home = code.reserve(f"[{places[-1] // 8} x i64]")
    for part, machine, place in zip(value.parts, machines, places, strict=False):
        code.do(f"store {machine} {part}, ptr {offset_place(code, home, place)}, align {_aligned(machine)}")
    return home


def offset_place(code: Writer, home: str, offset: int) -> str:
    return code.operation(f"getelementptr inbounds i8, ptr {home}, i64 {offset}") if offset else home


def load_part(code: Instructions, machine: str, place: str) -> str:
    """A machine value of a record that is passed by its address."""
    return code.operation(f"load {machine}, ptr {place}, align {_aligned(machine)}")


def _aligned(machine: str) -> int:
    return 1 if machine == "i1" else 8


def leaf_address(code: Instructions, place: Place, path: tuple[int, ...]) -> str:
    if not path:
        return place.address
    indices = ", ".join(f"i32 {k}" for k in (0, *path))
    return code.operation(f"getelementptr inbounds {layout(place.type)}, ptr {place.address}, {indices}")


def from_stored(code: Instructions, part: str, machine: str, stored: str) -> str:
    if machine == stored:
        return part
    if machine == "i1":
        return code.operation(f"icmp ne i8 {part}, 0")
    instruction = {"float": "fpext", "i8": "zext", "i16": "sext", "i32": "sext"}[stored]
    return code.operation(f"{instruction} {stored} {part} to {machine}")


def converted(code: Instructions, value: Value, type: Type) -> Value:
    """A value as one of another type, if it can be one."""
    given = value.type
    if given is type or given == type:
        return value
    if isinstance(given, Number):
        return converted_number(code, value, type)
    if isinstance(given, RecordType) and isinstance(type, RecordType):
        if given.record is not type.record:
            raise RoutineError(f"{given} where {type} is needed")
        return record_of(type.record, type.names, _converted_items(code, value, type.items))
    if isinstance(given, TupleType) and isinstance(type, TupleType):
        return tuple_of(_converted_items(code, value, type.items))
    if isinstance(given, ListType) and isinstance(type, ListType):
        return Value(type, value.parts, value.roots)  # in the last pass they are the same
    if isinstance(given, ArrayType) and isinstance(type, Fixed):
        return loaded(code, value, type)
    if isinstance(given, ArrayType) and isinstance(type, ArrayType):
        return viewed(code, value, type)
    if type is LANES and given == ArrayType(FLOAT, 1):
        code.check_lengths(value.parts[1], str(WIDTH))
        return load(code, Place(LANES, value.parts[0], NONE))
    if type is LANES and isinstance(given, Fixed) and given.shape == (WIDTH,):
        wide = converted_number(code, number_constant(0.0), LANES)
        for k, number in enumerate(numbers_of(value)):
            wide = with_lane(code, wide, str(k), number)
        return wide
    if isinstance(given, Fixed) and isinstance(type, Fixed) and given.shape == type.shape:
        numbers = [converted_number(code, item, type.element) for item in numbers_of(value)]
        return Value(type, tuple(number.parts[0] for number in numbers))
    raise RoutineError(f"{given} where {type} is needed")


def _converted_items(code: Instructions, value: Value, types: tuple[Type, ...]) -> list[Value]:
    return [converted(code, item, type) for item, type in zip(items_of(value), types, strict=True)]


def loaded(code: Instructions, array: Value, type: Fixed) -> Value:
    """The numbers of an array as a small vector or matrix."""
    kind = array.type
    assert isinstance(kind, ArrayType)
    inner = kind.element.shape if isinstance(kind.element, Fixed) else ()
    if isinstance(kind.element, RecordType) or kind.axes + len(inner) != len(type.shape):
        raise RoutineError(f"{kind} where a {type} is needed")
    for length, wanted in zip(array.parts[1:], type.shape, strict=False):
        code.check_lengths(length, str(wanted))
    element = kind.element.element if isinstance(kind.element, Fixed) else kind.element
    flat = Value(ArrayType(element, 1), (array.parts[0], str(type.count)))
    numbers = [load(code, element_place(code, flat, str(k))) for k in range(type.count)]
    return converted(code, gathered(code, type.shape, numbers), type)


def viewed(code: Instructions, array: Value, type: ArrayType) -> Value:
    """An array (n, 3) of numbers as one (n,) of vectors, or the other way round."""
    given = array.type
    assert isinstance(given, ArrayType)
    array = as_numbers(array)
    assert isinstance(array.type, ArrayType)
    parts, roots, given = array.parts, array.roots, array.type
    if isinstance(type.element, Fixed | Number) and given.element is _plain(type.element):
        shape = inner_shape(type.element)
        if given.axes - len(shape) == type.axes:
            for length, wanted in zip(parts[1 + type.axes :], shape, strict=True):
                code.check_lengths(length, str(wanted))
            return Value(type, parts[: 1 + type.axes], roots[: 1 + type.axes])
    if given != type:
        raise RoutineError(f"{array.type} where {type} is needed")
    return Value(type, parts, roots)


def as_numbers(array: Value) -> Value:
    """An array of vectors as one of numbers with more axes."""
    kind = array.type
    assert isinstance(kind, ArrayType)
    inner = inner_shape(kind.element)
    if not inner or isinstance(kind.element, RecordType):
        return array
    parts = (*array.parts, *(str(length) for length in inner))
    roots = array.roots and (*array.roots, *([NONE] * len(inner)))
    return Value(ArrayType(_plain(kind.element), kind.axes + len(inner)), parts, roots)


def fitted(code: Instructions, value: Value, hint: Hint) -> Value:
    """A value as an annotation wants it."""
    if isinstance(hint, OptionalHint):
        return value if value.type == NOTHING else fitted(code, value, hint.given)
    if isinstance(hint, TupleHint) and isinstance(value.type, TupleType):
        items = items_of(value)
        if len(items) != len(hint.items):
            raise RoutineError(f"{value.type} where a tuple of {len(hint.items)} is needed")
        return tuple_of([fitted(code, item, each) for item, each in zip(items, hint.items, strict=True)])
    if is_record(hint) and not (isinstance(value.type, RecordType) and value.type.record is hint):
        raise RoutineError(f"{value.type} where {hint.__name__} is needed")  # type: ignore[union-attr]
    if isinstance(hint, ListHint) and isinstance(value.type, ListType):
        return _fitted_list(value, hint)
    if isinstance(hint, Number):
        return converted(code, value, hint)
    if isinstance(hint, Fixed):
        if isinstance(value.type, TupleType):
            value = stacked(code, items_of(value))
        return converted(code, value, hint)
    if isinstance(hint, ArrayHint) and isinstance(value.type, ArrayType):
        return _fitted_array(code, value, element_type(hint))
    return value


def _fitted_list(value: Value, hint: ListHint) -> Value:
    """A list that is empty so far holds what its annotation says."""
    assert isinstance(value.type, ListType)
    if value.type.element is not None:
        return value
    element = plain_record(hint.element) if isinstance(hint.element, type) else hint.element
    if not isinstance(element, Number | Fixed | RecordType):
        return value
    return Value(ListType(element), value.parts, value.roots)


def _fitted_array(code: Instructions, value: Value, element: Fixed | Number | RecordType) -> Value:
    assert isinstance(value.type, ArrayType)
    given = value.type.element
    if given == element or isinstance(element, RecordType):
        return converted(code, value, ArrayType(element, value.type.axes))
    if not isinstance(given, Number):
        return value
    if isinstance(element, Fixed) and element.element is not LANES:
        element = Fixed(element.shape, given)
    return viewed(code, value, ArrayType(element, value.type.axes - len(inner_shape(element))))


def _plain(element: Fixed | Number | RecordType) -> Number:
    """The numbers that vectors and lanes are made of."""
    number = element.element if isinstance(element, Fixed) else element
    assert isinstance(number, Number)
    return FLOAT if number is LANES else number
