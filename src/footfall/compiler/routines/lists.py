"""Lists in routines: they grow, their items are numbers, small vectors, tuples or records.

A list is the address of its header: address of the items, their number, room for how many. So it is the same list for
all who know it, as in Python. What an empty list will hold is known from what is put in, or from an annotation.
"""

from __future__ import annotations

from footfall.compiler.routines.arrays import copied, store
from footfall.compiler.routines.instructions import Instructions
from footfall.compiler.routines.types import (
    INT,
    ArrayType,
    Fixed,
    ListType,
    Number,
    RecordType,
    Type,
    Value,
    all_roots,
    is_plain,
    joined,
    layout,
    size_of,
)
from footfall.compiler.routines.values import Place, array_value, load
from footfall.errors import RoutineError


def new_list(code: Instructions, items: list[Value]) -> Value:
    header = code.allocated("24")
    for k in range(3):
        place = code.operation(f"getelementptr i64, ptr {header}, i64 {k}")
        code.do(f"store i64 0, ptr {place}")
    result = Value(ListType(None), (header,))
    for item in items:
        result = append_item(code, result, item)
    return result


def append_item(code: Instructions, items: Value, item: Value) -> Value:
    """Put an item in; the list with its type known."""
    assert isinstance(items.type, ListType)
    known = items.type.element
    element = item.type if known is None else joined(known, item.type)
    (header,) = items.parts
    code.note(allocates=True)
    if all_roots(items):
        code.note(grows=True)
    if not is_plain(element):
        raise RoutineError(f"lists hold numbers, vectors and records of them, not {element}")
    size = size_of(element)
    code.leave_unless(code.operation(f"call fastcc i1 @room(ptr %arena, ptr {header}, i64 {size})"))
    items = Value(ListType(element), items.parts, items.roots)
    count = list_length(code, items)
    store(code, list_place(code, items, count)._replace(roots=frozenset()), item)
    set_length(code, items, code.operation(f"add nsw i64 {count}, 1"))
    return items


def popped_item(code: Instructions, items: Value) -> Value:
    count = list_length(code, items)
    last = code.operation(f"sub nsw i64 {count}, 1")
    code.check_index(last, count)
    value = load(code, list_place(code, items, last))
    set_length(code, items, last)
    return value


def list_length(code: Instructions, items: Value) -> str:
    place = code.operation(f"getelementptr i64, ptr {items.parts[0]}, i64 1")
    return code.operation(f"load i64, ptr {place}")


def set_length(code: Instructions, items: Value, length: str) -> None:
    place = code.operation(f"getelementptr i64, ptr {items.parts[0]}, i64 1")
    code.do(f"store i64 {length}, ptr {place}")


def list_place(code: Instructions, items: Value, index: str) -> Place:
    element = list_element(code, items)
    data = code.operation(f"load ptr, ptr {items.parts[0]}")
    address = code.operation(f"getelementptr inbounds {layout(element)}, ptr {data}, i64 {index}")
    return Place(element, address, frozenset())


def list_element(code: Instructions, items: Value) -> Type:
    assert isinstance(items.type, ListType)
    if items.type.element is None:  # a later pass knows
        code.unclear = code.site()
        return INT
    return items.type.element


def list_array(code: Instructions, items: Value) -> Value:
    """`np.array(items)`: a copy."""
    element = list_element(code, items)
    if not isinstance(element, Number | Fixed | RecordType):
        raise RoutineError(f"no array of a {items.type}: use a record or a vector for its items")
    data = code.operation(f"load ptr, ptr {items.parts[0]}")
    return copied(code, array_value(ArrayType(element, 1), data, [list_length(code, items)]))
