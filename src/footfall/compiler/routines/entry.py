"""The function through which Python calls a routine.

Like the entries of kernels (`interface.py`) it recognises what it was compiled for with a few compares and leaves the
rest to a function in Python. The interpreter's lock is released while the routine runs.
"""

from __future__ import annotations

from footfall.compiler.interface import (
    CONTEXT,
    CONTIGUOUS_ALIGNED,
    DATA,
    DESCRIPTOR,
    DIMENSION_COUNT,
    DIMENSIONS,
    FLAGS,
)
from footfall.compiler.routines.annotations import dtype_of
from footfall.compiler.routines.memory import ARENA, FAILURE, FIRST_DETAIL, SECOND_DETAIL
from footfall.compiler.routines.module import Translated
from footfall.compiler.routines.types import (
    BOOL,
    FLOAT,
    INT,
    LANES,
    NOTHING,
    ArrayType,
    Fixed,
    Number,
    RecordType,
    TupleType,
    Type,
    Value,
    inner_shape,
    is_passed_by_address,
    items_of,
    machine_types,
    passed_types,
    size_of,
)
from footfall.compiler.routines.values import home_of
from footfall.errors import RoutineError

ENTRY = "footfall_routine"
TUPLE_ITEMS = tuple.__basicsize__  # bytes before the first item
_WRITEABLE = 0x0400


def entry_function(function: Translated, types: tuple[Type, ...], objects: list[object]) -> str:
    """IR of `PyObject* footfall_routine(PyObject* context, PyObject** arguments, Py_ssize_t count)`.

    objects: gets what the code finds behind the context, in turn: classes of records, names, types of arrays. The
    first is what Python calls when the routine has failed.
    """
    return _Entry(objects).text(function, types)


class _Entry:
    def __init__(self, objects: list[object]) -> None:
        self.objects = objects
        self.lines: list[str] = []
        self.count = 0
        self.fields: dict[int, str] = {}

    def operation(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def do(self, *lines: str) -> None:
        self.lines += [f"  {line}" for line in lines]

    def field(self, name: str) -> str:
        """A field of the context; all are loaded at the top."""
        return self.loaded(CONTEXT.index(name))

    def object(self, value: object) -> str:
        """An object that this entry needs; equal ones are the same."""
        place = next((k for k, known in enumerate(self.objects) if known is value), None)
        if place is None:
            place = len(self.objects)
            self.objects.append(value)
        return self.loaded(len(CONTEXT) + place)

    def loaded(self, place: int) -> str:
        self.fields[place] = f"%context{place}"
        return self.fields[place]

    def at(self, object: str, offset: int, machine: str = "ptr") -> str:
        place = self.operation(f"getelementptr i8, ptr {object}, i64 {offset}")
        return self.operation(f"load {machine}, ptr {place}")

    def require(self, condition: str, otherwise: str = "slow") -> None:
        self.count += 1
        self.do(f"br i1 {condition}, label %b{self.count}, label %{otherwise}")
        self.lines.append(f"b{self.count}:")

    def text(self, function: Translated, types: tuple[Type, ...]) -> str:
        self.require(self.operation(f"icmp eq i64 %nargs, {len(types)}"))
        listed = ["ptr %arena"]
        first = 0
        for k, type in enumerate(types):
            place = self.operation(f"getelementptr ptr, ptr %args, i64 {k}")
            given = self.operation(f"load ptr, ptr {place}")
            parts = self.argument(given, type, function.written, first)
            first += len(parts)
            parts = [home_of(self, Value(type, tuple(parts)))] if is_passed_by_address(type) else parts
            listed += [f"{machine} {part}" for machine, part in zip(passed_types(type), parts, strict=True)]
        parts = machine_types(function.result)
        kind = f"{{ {', '.join(parts)} }}" if parts else "void"
        state = self.operation(f"call ptr {self.field('PyEval_SaveThread')}()")
        call = f"call fastcc {kind} @{function.name}({', '.join(listed)})"
        values: tuple[str, ...] = ()
        if parts:
            answer = self.operation(call)
            values = tuple(self.operation(f"extractvalue {kind} {answer}, {n}") for n in range(len(parts)))
        else:
            self.do(call)
        self.do(f"call void {self.field('PyEval_RestoreThread')}(ptr {state})")
        if function.fails:
            failure = self.at("%arena", 8 * FAILURE, "i64")
            self.require(self.operation(f"icmp eq i64 {failure}, 0"), "broken")
        result = self.python_object(Value(function.result, values))
        self.do("call fastcc void @finish(ptr %arena)", f"ret ptr {result}")
        return "\n".join([*self.opening(), *self.lines, *self.ending()])

    def reserve(self, machine: str) -> str:
        """Memory of this call's own frame."""
        return self.operation(f"alloca {machine}, align 8")

    def opening(self) -> list[str]:
        ending = self.fields  # the ending's fields are known too
        for name in ("fallback", "PyObject_Vectorcall", "PyLong_FromLongLong"):
            self.field(name)
        self.loaded(len(CONTEXT))
        lines = [
            f"define ptr @{ENTRY}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
            f"  %arena = alloca {ARENA}, align 8",
            f"  store {ARENA} zeroinitializer, ptr %arena",
            f"  %context_p = getelementptr i8, ptr %self, i64 {DATA}",
            "  %context = load ptr, ptr %context_p",
        ]
        for place, register in ending.items():
            lines.append(f"  {register}_p = getelementptr i64, ptr %context, i64 {place}")
            lines.append(f"  {register} = load ptr, ptr {register}_p")
        return lines

    def ending(self) -> list[str]:
        vectorcall, number = self.field("PyObject_Vectorcall"), self.field("PyLong_FromLongLong")
        lines = [
            "slow:",
            f"  %other = call ptr {vectorcall}(ptr {self.field('fallback')}, ptr %args, i64 %nargs, ptr null)",
            "  ret ptr %other",
            "failed:",
            "  call fastcc void @finish(ptr %arena)",
            "  ret ptr null",
            "broken:",
            "  call fastcc void @finish(ptr %arena)",
            "  %report = alloca [3 x ptr], align 8",
        ]
        for k, place in enumerate((FAILURE, FIRST_DETAIL, SECOND_DETAIL)):
            lines += [
                f"  %detail{k}_p = getelementptr i64, ptr %arena, i64 {place}",
                f"  %detail{k} = load i64, ptr %detail{k}_p",
                f"  %told{k} = call ptr {number}(i64 %detail{k})",
                f"  %report{k} = getelementptr ptr, ptr %report, i64 {k}",
                f"  store ptr %told{k}, ptr %report{k}",
            ]
        lines += [
            f"  %raised = call ptr {vectorcall}(ptr {self.loaded(len(CONTEXT))}, ptr %report, i64 3, ptr null)",
            "  ret ptr null",
            "}",
        ]
        return lines

    # Arguments

    def argument(self, given: str, type: Type, written: frozenset[int], first: int) -> list[str]:
        """Check an argument, and give its machine values; first: the number of the first of them."""
        if isinstance(type, Number):
            return [self.number(given, type)]
        if type == NOTHING:
            self.require(self.operation(f"icmp eq ptr {given}, {self.field('none')}"))
            return []
        kind = self.at(given, 8)
        if isinstance(type, Fixed):
            return self.small_array(given, kind, type)
        if isinstance(type, ArrayType):
            return self.array(given, kind, type, written=first in written)
        if isinstance(type, TupleType | RecordType):
            return self.group(given, kind, type, written, first)
        raise RoutineError(f"routines take {type} from one another only")

    def number(self, given: str, type: Number) -> str:
        if type is BOOL:
            true = self.operation(f"icmp eq ptr {given}, {self.field('true')}")
            false = self.operation(f"icmp eq ptr {given}, {self.field('false')}")
            self.require(self.operation(f"or i1 {true}, {false}"))
            return true
        kind = self.at(given, 8)
        if type is FLOAT:
            plain = self.operation(f"icmp eq ptr {kind}, {self.field('float_type')}")
            numpy = self.operation(f"icmp eq ptr {kind}, {self.field('float64_type')}")  # laid out as a float
            self.require(self.operation(f"or i1 {plain}, {numpy}"))
            return self.at(given, 16, "double")
        assert type is INT
        self.require(self.operation(f"icmp eq ptr {kind}, {self.field('int_type')}"))
        number = self.operation(f"call i64 {self.field('PyLong_AsLongLong')}(ptr {given})")
        error = self.operation(f"call ptr {self.field('PyErr_Occurred')}()")
        self.require(self.operation(f"icmp eq ptr {error}, null"), "failed")
        return number

    def array(self, given: str, kind: str, type: ArrayType, *, written: bool) -> list[str]:
        inner = inner_shape(type.element)
        data, lengths = self.checked_array(given, kind, type, type.axes + len(inner), written=written)
        for axis, wanted in enumerate(inner, type.axes):
            self.require(self.operation(f"icmp eq i64 {lengths[axis]}, {wanted}"))
        return [data, *lengths[: type.axes]]

    def small_array(self, given: str, kind: str, type: Fixed) -> list[str]:
        flat = ArrayType(type.element, len(type.shape))
        data, lengths = self.checked_array(given, kind, flat, len(type.shape), written=False)
        for length, wanted in zip(lengths, type.shape, strict=True):
            self.require(self.operation(f"icmp eq i64 {length}, {wanted}"))
        size = type.element.size
        return [self.at(data, size * k, type.element.llvm) for k in range(type.count)]

    def checked_array(
        self, given: str, kind: str, type: ArrayType, axes: int, *, written: bool
    ) -> tuple[str, list[str]]:
        """Address and lengths of what is an array of the right type, contiguous, writeable where it must be."""
        self.require(self.operation(f"icmp eq ptr {kind}, {self.field('array_type')}"))
        count = self.at(given, DIMENSION_COUNT, "i32")
        right_axes = self.operation(f"icmp eq i32 {count}, {axes}")
        descriptor = self.at(given, DESCRIPTOR)
        right_type = self.operation(f"icmp eq ptr {descriptor}, {self.object(dtype_of(type))}")
        wanted = CONTIGUOUS_ALIGNED | (_WRITEABLE if written else 0)
        flags = self.operation(f"and i32 {self.at(given, FLAGS, 'i32')}, {wanted}")
        right_flags = self.operation(f"icmp eq i32 {flags}, {wanted}")
        both = self.operation(f"and i1 {right_axes}, {right_type}")
        self.require(self.operation(f"and i1 {both}, {right_flags}"))
        lengths = self.at(given, DIMENSIONS)
        return self.at(given, DATA), [self.at(lengths, 8 * axis, "i64") for axis in range(axes)]

    def group(
        self, given: str, kind: str, type: TupleType | RecordType, written: frozenset[int], first: int
    ) -> list[str]:
        """A tuple or a record: its items are found where Python keeps them, those of dataclasses by name."""
        record = tuple if isinstance(type, TupleType) else type.record
        self.require(self.operation(f"icmp eq ptr {kind}, {self.object(record)}"))
        if record is tuple:
            count = self.at(given, 16, "i64")
            self.require(self.operation(f"icmp eq i64 {count}, {len(type.items)}"))
        parts: list[str] = []
        for k, item in enumerate(type.items):
            if issubclass(record, tuple):
                inner = self.at(given, TUPLE_ITEMS + 8 * k)
            else:
                assert isinstance(type, RecordType)
                name = self.object(type.names[k])
                inner = self.operation(f"call ptr {self.field('PyObject_GetAttr')}(ptr {given}, ptr {name})")
                self.require(self.operation(f"icmp ne ptr {inner}, null"), "failed")
                self.do(f"call void {self.field('Py_DecRef')}(ptr {inner})")  # the record keeps it
            parts += self.argument(inner, item, written, first + len(parts))
        return parts

    # Results

    def python_object(self, value: Value) -> str:
        """A value as an object of Python."""
        type = value.type
        if isinstance(type, ArrayType):
            return self.new_array(value)
        if isinstance(type, Fixed):
            return self.new_small_array(value)
        if isinstance(type, TupleType | RecordType):
            return self.new_group(value)
        if not isinstance(type, Number):
            raise RoutineError(f"routines give {type} to one another only")
        if type is LANES:
            return self.new_small_array(Value(Fixed((), LANES), value.parts))
        (part,) = value.parts
        if type is FLOAT:
            return self.operation(f"call ptr {self.field('PyFloat_FromDouble')}(double {part})")
        if type is INT:
            return self.operation(f"call ptr {self.field('PyLong_FromLongLong')}(i64 {part})")
        choice = f"select i1 {part}, ptr {self.field('true')}, ptr {self.field('false')}"
        answer = self.operation(choice)
        self.do(f"call void {self.field('Py_IncRef')}(ptr {answer})")
        return answer

    def new_group(self, value: Value) -> str:
        type = value.type
        assert isinstance(type, TupleType | RecordType)
        if isinstance(type, TupleType) and not type.items:
            self.do(f"call void {self.field('Py_IncRef')}(ptr {self.field('none')})")
            return self.field("none")
        objects = [self.python_object(item) for item in items_of(value)]
        if isinstance(type, TupleType):
            group = self.operation(f"call ptr {self.field('PyTuple_New')}(i64 {len(objects)})")
            for k, item in enumerate(objects):
                self.operation(f"call i32 {self.field('PyTuple_SetItem')}(ptr {group}, i64 {k}, ptr {item})")
            return group
        listed = self.operation(f"alloca [{len(objects)} x ptr], align 8")
        for k, item in enumerate(objects):
            place = self.operation(f"getelementptr ptr, ptr {listed}, i64 {k}")
            self.do(f"store ptr {item}, ptr {place}")
        record = self.object(type.record)
        made = f"ptr {record}, ptr {listed}, i64 {len(objects)}, ptr null"
        group = self.operation(f"call ptr {self.field('PyObject_Vectorcall')}({made})")
        for item in objects:
            self.do(f"call void {self.field('Py_DecRef')}(ptr {item})")
        self.require(self.operation(f"icmp ne ptr {group}, null"), "failed")
        return group

    def allocate(self, lengths: list[str], element: Number | RecordType) -> str:
        """A new array of Python's."""
        shape = self.operation(f"alloca [{len(lengths)} x i64], align 8")
        for axis, length in enumerate(lengths):
            place = self.operation(f"getelementptr i64, ptr {shape}, i64 {axis}")
            self.do(f"store i64 {length}, ptr {place}")
        if isinstance(element, RecordType):
            dtype = self.object(dtype_of(ArrayType(element, 1)))
            self.do(f"call void {self.field('Py_IncRef')}(ptr {dtype})")  # the new array takes it
            made = f"ptr {self.field('array_type')}, ptr {dtype}, i32 {len(lengths)}, ptr {shape}"
            array = self.operation(
                f"call ptr {self.field('PyArray_NewFromDescr')}({made}, ptr null, ptr null, i32 0, ptr null)"
            )
        else:
            array = self.operation(
                f"call ptr {self.field('PyArray_New')}(ptr {self.field('array_type')}, i32 {len(lengths)}, "
                f"ptr {shape}, i32 {element.code}, ptr null, ptr null, i32 0, i32 0, ptr null)"
            )
        self.require(self.operation(f"icmp ne ptr {array}, null"), "failed")
        return array

    def new_array(self, value: Value) -> str:
        """A copy that belongs to Python."""
        assert isinstance(value.type, ArrayType)
        element = value.type.element
        data, *lengths = value.parts
        size = str(size_of(element))
        for length in lengths:
            size = self.operation(f"mul i64 {size}, {length}")
        lengths += map(str, inner_shape(element))
        array = self.allocate(lengths, _number(element))
        memory = self.at(array, DATA)
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {memory}, ptr {data}, i64 {size}, i1 false)")
        return array

    def new_small_array(self, value: Value) -> str:
        type = value.type
        assert isinstance(type, Fixed)
        array = self.allocate([str(length) for length in inner_shape(type)], _number(type))
        memory = self.at(array, DATA)
        for k, part in enumerate(value.parts):
            place = self.operation(f"getelementptr {type.element.stored}, ptr {memory}, i64 {k}")
            kind = type.element.llvm
            if type.element is BOOL:
                part, kind = self.operation(f"zext i1 {part} to i8"), "i8"
            self.do(f"store {kind} {part}, ptr {place}, align {min(type.element.size, 8)}")
        return array


def _number(element: Number | Fixed | RecordType) -> Number | RecordType:
    """What NumPy's array is of."""
    number = element.element if isinstance(element, Fixed) else element
    return FLOAT if number is LANES else number
