"""Lists in routines: they grow, their items are numbers, small vectors, tuples or records.

A list is the address of its header: address of the items, their number, room for how many. So it is the same list for
all who know it, as in Python. What an empty list will hold is known from what is put in, or from an annotation.
"""

from __future__ import annotations

from footfall.compiler.routines.annotations import Hint, ListHint, plain_record
from footfall.compiler.routines.arrays import Place
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
from footfall.compiler.routines.whole_arrays import WholeArrays
from footfall.errors import RoutineError


class Lists(WholeArrays):
    """Operations on values of the type `ListType`."""

    def converted(self, value: Value, type: Type) -> Value:
        if isinstance(value.type, ListType) and isinstance(type, ListType):
            return Value(type, value.parts, value.roots)  # in the last pass they are the same
        return super().converted(value, type)

    def fitted(self, value: Value, hint: Hint) -> Value:
        if isinstance(hint, ListHint) and isinstance(value.type, ListType) and value.type.element is None:
            element = plain_record(hint.element) if isinstance(hint.element, type) else hint.element
            if isinstance(element, Number | Fixed | RecordType):
                return Value(ListType(element), value.parts, value.roots)
            return value
        return super().fitted(value, hint)

    def new_list(self, items: list[Value]) -> Value:
        header = self.allocated("24")
        for k in range(3):
            place = self.operation(f"getelementptr i64, ptr {header}, i64 {k}")
            self.do(f"store i64 0, ptr {place}")
        result = Value(ListType(None), (header,))
        for item in items:
            result = self.append(result, item)
        return result

    def append(self, items: Value, item: Value) -> Value:
        """Put an item in; the list with its type known."""
        assert isinstance(items.type, ListType)
        known = items.type.element
        element = item.type if known is None else joined(known, item.type)
        (header,) = items.parts
        self.note(allocates=True)
        if all_roots(items):
            self.note(grows=True)
        if not is_plain(element):
            raise RoutineError(f"lists hold numbers, vectors and records of them, not {element}")
        size = size_of(element)
        self.leave_unless(self.operation(f"call fastcc i1 @room(ptr %arena, ptr {header}, i64 {size})"))
        items = Value(ListType(element), items.parts, items.roots)
        count = self.list_length(items)
        self.store(self.list_place(items, count)._replace(roots=frozenset()), item)
        self.set_length(items, self.operation(f"add nsw i64 {count}, 1"))
        return items

    def pop(self, items: Value) -> Value:
        count = self.list_length(items)
        last = self.operation(f"sub nsw i64 {count}, 1")
        self.check_index(last, count)
        value = self.load(self.list_place(items, last))
        self.set_length(items, last)
        return value

    def list_length(self, items: Value) -> str:
        place = self.operation(f"getelementptr i64, ptr {items.parts[0]}, i64 1")
        return self.operation(f"load i64, ptr {place}")

    def set_length(self, items: Value, length: str) -> None:
        place = self.operation(f"getelementptr i64, ptr {items.parts[0]}, i64 1")
        self.do(f"store i64 {length}, ptr {place}")

    def list_place(self, items: Value, index: str) -> Place:
        element = self.list_element(items)
        data = self.operation(f"load ptr, ptr {items.parts[0]}")
        address = self.operation(f"getelementptr inbounds {layout(element)}, ptr {data}, i64 {index}")
        return Place(element, address, frozenset())

    def list_element(self, items: Value) -> Type:
        assert isinstance(items.type, ListType)
        if items.type.element is None:  # a later pass knows
            self.unclear = self.site()
            return INT
        return items.type.element

    def list_array(self, items: Value) -> Value:
        """`np.array(items)`: a copy."""
        element = self.list_element(items)
        if not isinstance(element, Number | Fixed | RecordType):
            raise RoutineError(f"no array of a {items.type}: use a record or a vector for its items")
        data = self.operation(f"load ptr, ptr {items.parts[0]}")
        return self.copy(self.array_value(ArrayType(element, 1), data, [self.list_length(items)]))
