"""The function through which Python calls a native loop.

Like the entries of kernels (`interface.py`) it recognises what it was compiled for with a few compares and leaves the
rest to a function in Python. The interpreter's lock is released while the loop runs.
"""

from __future__ import annotations

from footfall.compiler.errors import LoopError
from footfall.compiler.interface import (
    CONTEXT,
    CONTIGUOUS_ALIGNED,
    DATA,
    DESCRIPTOR,
    DIMENSION_COUNT,
    DIMENSIONS,
    FLAGS,
)
from footfall.compiler.loop_functions import Translated
from footfall.compiler.loop_memory import ARENA
from footfall.compiler.loop_types import (
    BOOL,
    FLOAT,
    INT,
    ArrayType,
    TupleType,
    Type,
    Value,
    items_of,
    machine_types,
)

ENTRY = "footfall_loop"
_WRITEABLE = 0x0400
_DTYPES = {FLOAT: "float64", INT: "int64", BOOL: "bool_"}


def entry_function(function: Translated, types: tuple[Type, ...]) -> str:
    """IR of `PyObject* footfall_loop(PyObject* context, PyObject** arguments, Py_ssize_t count)`."""
    return _Entry().text(function, types)


class _Entry:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.fields: dict[str, str] = {}

    def operation(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def do(self, *lines: str) -> None:
        self.lines += [f"  {line}" for line in lines]

    def field(self, name: str) -> str:
        """A field of the context; all are loaded at the top."""
        self.fields[name] = f"%context_{name}"
        return self.fields[name]

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
        for k, type in enumerate(types):
            listed += self.argument(k, type, written=k in function.written)
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
        result = self.object(Value(function.result, values))
        self.do("call fastcc void @release(ptr %arena, ptr null, i64 0)", f"ret ptr {result}")
        fallback, vectorcall = self.field("fallback"), self.field("PyObject_Vectorcall")
        ending = [
            "slow:",
            f"  %other = call ptr {vectorcall}(ptr {fallback}, ptr %args, i64 %nargs, ptr null)",
            "  ret ptr %other",
            "failed:",
            "  call fastcc void @release(ptr %arena, ptr null, i64 0)",
            "  ret ptr null",
            "}",
        ]
        opening = [
            f"define ptr @{ENTRY}(ptr %self, ptr %args, i64 %nargs) nounwind {{",
            f"  %arena = alloca {ARENA}, align 8",
            f"  store {ARENA} zeroinitializer, ptr %arena",
            f"  %context_p = getelementptr i8, ptr %self, i64 {DATA}",
            "  %context = load ptr, ptr %context_p",
        ]
        for name, register in self.fields.items():
            opening.append(f"  {register}_p = getelementptr i64, ptr %context, i64 {CONTEXT.index(name)}")
            opening.append(f"  {register} = load ptr, ptr {register}_p")
        return "\n".join([*opening, *self.lines, *ending])

    def argument(self, k: int, type: Type, *, written: bool) -> list[str]:
        """Check an argument, and give it as the loop takes it."""
        place = self.operation(f"getelementptr ptr, ptr %args, i64 {k}")
        given = self.operation(f"load ptr, ptr {place}")
        if isinstance(type, TupleType):
            raise LoopError("native loops take tuples from one another only")
        if type is BOOL:
            true = self.operation(f"icmp eq ptr {given}, {self.field('true')}")
            false = self.operation(f"icmp eq ptr {given}, {self.field('false')}")
            self.require(self.operation(f"or i1 {true}, {false}"))
            return [f"i1 {true}"]
        kind = self.at(given, 8)
        if type is FLOAT:
            plain = self.operation(f"icmp eq ptr {kind}, {self.field('float_type')}")
            numpy = self.operation(f"icmp eq ptr {kind}, {self.field('float64_type')}")  # laid out as a float
            self.require(self.operation(f"or i1 {plain}, {numpy}"))
            return [f"double {self.at(given, 16, 'double')}"]
        if type is INT:
            self.require(self.operation(f"icmp eq ptr {kind}, {self.field('int_type')}"))
            number = self.operation(f"call i64 {self.field('PyLong_AsLongLong')}(ptr {given})")
            error = self.operation(f"call ptr {self.field('PyErr_Occurred')}()")
            self.require(self.operation(f"icmp eq ptr {error}, null"), "failed")
            return [f"i64 {number}"]
        return self.array(given, kind, type, written=written)

    def array(self, given: str, kind: str, type: Type, *, written: bool) -> list[str]:
        assert isinstance(type, ArrayType)
        self.require(self.operation(f"icmp eq ptr {kind}, {self.field('array_type')}"))
        axes = self.at(given, DIMENSION_COUNT, "i32")
        right_axes = self.operation(f"icmp eq i32 {axes}, {type.axes}")
        descriptor = self.at(given, DESCRIPTOR)
        right_type = self.operation(f"icmp eq ptr {descriptor}, {self.field(_DTYPES[type.element])}")
        wanted = CONTIGUOUS_ALIGNED | (_WRITEABLE if written else 0)
        flags = self.operation(f"and i32 {self.at(given, FLAGS, 'i32')}, {wanted}")
        right_flags = self.operation(f"icmp eq i32 {flags}, {wanted}")
        both = self.operation(f"and i1 {right_axes}, {right_type}")
        self.require(self.operation(f"and i1 {both}, {right_flags}"))
        lengths = self.at(given, DIMENSIONS)
        listed = [f"ptr {self.at(given, DATA)}"]
        return listed + [f"i64 {self.at(lengths, 8 * axis, 'i64')}" for axis in range(type.axes)]

    def object(self, value: Value) -> str:
        """A value as an object of Python."""
        if isinstance(value.type, ArrayType):
            return self.new_array(value)
        if isinstance(value.type, TupleType):
            if not value.parts and not value.type.items:
                self.do(f"call void {self.field('Py_IncRef')}(ptr {self.field('none')})")
                return self.field("none")
            objects = [self.object(item) for item in items_of(value)]
            group = self.operation(f"call ptr {self.field('PyTuple_New')}(i64 {len(objects)})")
            for k, item in enumerate(objects):
                self.operation(f"call i32 {self.field('PyTuple_SetItem')}(ptr {group}, i64 {k}, ptr {item})")
            return group
        (part,) = value.parts
        if value.type is FLOAT:
            return self.operation(f"call ptr {self.field('PyFloat_FromDouble')}(double {part})")
        if value.type is INT:
            return self.operation(f"call ptr {self.field('PyLong_FromLongLong')}(i64 {part})")
        choice = f"select i1 {part}, ptr {self.field('true')}, ptr {self.field('false')}"
        answer = self.operation(choice)
        self.do(f"call void {self.field('Py_IncRef')}(ptr {answer})")
        return answer

    def new_array(self, value: Value) -> str:
        """A copy that belongs to Python."""
        assert isinstance(value.type, ArrayType)
        data, *lengths = value.parts
        shape = self.operation(f"alloca [{len(lengths)} x i64], align 8")
        size = str(value.type.element.size)
        for axis, length in enumerate(lengths):
            place = self.operation(f"getelementptr i64, ptr {shape}, i64 {axis}")
            self.do(f"store i64 {length}, ptr {place}")
            size = self.operation(f"mul i64 {size}, {length}")
        array = self.operation(
            f"call ptr {self.field('PyArray_New')}(ptr {self.field('array_type')}, i32 {len(lengths)}, "
            f"ptr {shape}, i32 {value.type.element.code}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.require(self.operation(f"icmp ne ptr {array}, null"), "failed")
        memory = self.at(array, DATA)
        self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {memory}, ptr {data}, i64 {size}, i1 false)")
        return array
