"""Calls that reach native code without a line of Python.

`forward_dynamics(robot, q, v, tau)` takes 2 us of native code for a humanoid; looking up the code in Python took 0.4 us
more, and 2.4 us with options. A small native function does it here: it compares a call with the last few that it knows
(the same robot, the same names of options, the same objects as options, arrays of the same shape where that counts) and
hands the arrays to the robot's kernel. Whatever it does not know, and everything inside a trace, goes to Python.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.compiler import cache, machine
from footfall.compiler.arrays import data_address
from footfall.compiler.builtin import new_builtin
from footfall.compiler.graph import ACTIVE
from footfall.compiler.interface import CONTEXT, DATA, DESCRIPTOR, DIMENSION_COUNT, DIMENSIONS
from footfall.compiler.once import once

_DIRECT = "footfall_direct"
_WITH_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS
_KNOWN = 16  # calls
_MOST_ARRAYS = 16
_TYPE, _SIZE, _ITEMS = (
    8,
    16,
    24,
)  # bytes: where an object has its type, a tuple or list its length, and its items
_FUNCTIONS = ("PyContextVar_Get", "PyObject_Vectorcall", "PyType_GenericAlloc", "Py_IncRef", "Py_DecRef")
_OBJECTS = (ACTIVE, list, tuple)  # whose addresses native code finds behind the table's


class KnownCall(NamedTuple):
    """A call, and what answers it.

    robot, arguments, options: of the call. arrays: places of what `function` takes among the arguments and options,
    counted from the first argument. sized: places of arrays whose shape counts. function: native code, which the robot
    owns. result_type: the named tuple that is made of its results, or None.
    """

    robot: Any
    arguments: Sequence[Any]
    options: Mapping[str, Any]
    arrays: Sequence[int]
    sized: Sequence[int]
    function: Callable[..., Any]
    result_type: type | None

    def record(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """What native code compares a call with, in the order in which `_CODE` reads it."""
        values = (*self.arguments, *self.options.values())
        compared: list[int] = []
        for place, value in enumerate(values):
            if place not in self.arrays:
                listed = value.__class__ in (tuple, list)
                compared += [1 + place, id(value.__class__), len(value) if listed else -1]
                compared += map(id, value) if listed else [id(value)]
        shapes: list[int] = []
        for place in self.sized:
            shapes += [1 + place, values[place].ndim, *values[place].shape]
        return np.array(
            [
                *(id(self.robot), id(self.function), 0 if self.result_type is None else id(self.result_type)),
                *(1 + len(self.arguments), len(self.options), *map(id, self.options)),
                *(len(values) - len(self.arrays), *compared),
                *(len(self.sized), *shapes),
                *(len(self.arrays), *(1 + place for place in self.arrays)),
            ],
            dtype=np.int64,
        )

    def held(self) -> tuple[Any, ...]:
        """Objects whose addresses are in the record: while these live, nothing else has them. What was in a list is
        held, since it may change. The robot is watched instead, and holds the code."""
        values = (*self.arguments, *self.options.values())
        statics = [value for place, value in enumerate(values) if place not in self.arrays]
        listed = [tuple(value) if isinstance(value, list) else value for value in statics]
        return (*self.options, *listed, self.result_type)


class DirectCalls:
    """A function that knows some calls of a robot, arrays and options.

    function: what to call. It takes whatever `general` takes, and leaves to it all calls that it does not know.
    """

    def __init__(self, name: str, general: Callable[..., Any]) -> None:
        address, library = _native()
        self._table = np.zeros(_KNOWN + 1, dtype=np.int64)  # addresses of records, ended by zero
        self._kept: list[
            tuple[weakref.ref[Any], int, object]
        ] = []  # robot, address of the record, what it needs
        self.function = new_builtin(
            name,
            address,
            _WITH_KEYWORDS,
            fallback=general,
            check_finite=False,
            arrays=(self._table,),
            objects=_OBJECTS,
            owner=library,
        )

    def remember(self, call: KnownCall) -> None:
        """Answer such calls from now on, until others take its place or the robot goes."""
        if len(call.arrays) <= _MOST_ARRAYS:
            robot = weakref.ref(call.robot, self._forget)
            record = call.record()
            self._publish([(robot, data_address(record), (record, call.held())), *self._kept][:_KNOWN])

    def _forget(self, gone: weakref.ref[Any]) -> None:
        self._publish([each for each in self._kept if each[0] is not gone])

    def _publish(self, kept: list[Any]) -> None:
        """Let native code read these records, and only then let go of others."""
        addresses = [address for _, address, _ in kept]
        self._table[:] = addresses + [0] * (_KNOWN + 1 - len(addresses))
        self._kept = kept


@once
def _native() -> tuple[int, Any]:
    """Address of the native function, and what keeps it alive."""
    place = cache.key_of(_DIRECT, _CODE, machine.identity())
    entry = cache.read(place)
    if entry is None:
        entry = cache.Entry({}, machine.compile_optimised(_CODE))
        cache.write(place, entry)
    api = ctypes.pythonapi
    imports = {name: ctypes.cast(getattr(api, name), ctypes.c_void_p).value or 0 for name in _FUNCTIONS}
    addresses, library = machine.load_objects([entry.code], (_DIRECT,), imports)
    return addresses[_DIRECT], library


# `PyObject* footfall_direct(PyObject* context, PyObject** args, Py_ssize_t count, PyObject* names)`; `@next` reads the
# next number of a record. Variables are in memory here, LLVM brings them into registers.
_CODE = f"""
declare i32 @PyContextVar_Get(ptr, ptr, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare ptr @PyType_GenericAlloc(ptr, i64)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)

define internal i64 @next(ptr %cursor) alwaysinline nounwind {{
  %p = load ptr, ptr %cursor
  %n = load i64, ptr %p
  %after = getelementptr i64, ptr %p, i64 1
  store ptr %after, ptr %cursor
  ret i64 %n
}}

define internal i64 @word(ptr %object, i64 %offset) alwaysinline nounwind {{
  %p = getelementptr i8, ptr %object, i64 %offset
  %n = load i64, ptr %p
  ret i64 %n
}}

; Whether numbers in memory are the next ones of the record
define internal i1 @same(ptr %cursor, ptr %numbers, i64 %count) alwaysinline nounwind {{
entry:
  br label %test
test:
  %k = phi i64 [0, %entry], [%k1, %equal]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %compare, label %yes
compare:
  %wanted = call i64 @next(ptr %cursor)
  %p = getelementptr i64, ptr %numbers, i64 %k
  %given = load i64, ptr %p
  %eq = icmp eq i64 %wanted, %given
  br i1 %eq, label %equal, label %no
equal:
  %k1 = add i64 %k, 1
  br label %test
yes:
  ret i1 true
no:
  ret i1 false
}}

; Whether an option is the next one of the record
define internal i1 @option(ptr %cursor, ptr %args, i64 %list) alwaysinline nounwind {{
  %value_p = alloca i64
  %place = call i64 @next(ptr %cursor)
  %arg_p = getelementptr ptr, ptr %args, i64 %place
  %value = load ptr, ptr %arg_p
  %type = call i64 @next(ptr %cursor)
  %length = call i64 @next(ptr %cursor)
  %own = call i64 @word(ptr %value, i64 {_TYPE})
  %alike = icmp eq i64 %type, %own
  br i1 %alike, label %kind, label %no
kind:
  %single = icmp slt i64 %length, 0
  br i1 %single, label %object, label %listed
object:
  store ptr %value, ptr %value_p
  %is = call i1 @same(ptr %cursor, ptr %value_p, i64 1)
  ret i1 %is
listed:
  %size = call i64 @word(ptr %value, i64 {_SIZE})
  %as_long = icmp eq i64 %size, %length
  br i1 %as_long, label %items, label %no
items:
  %inside = getelementptr i8, ptr %value, i64 {_ITEMS}
  %outside = load ptr, ptr %inside
  %is_list = icmp eq i64 %own, %list
  %first = select i1 %is_list, ptr %outside, ptr %inside
  %are = call i1 @same(ptr %cursor, ptr %first, i64 %length)
  ret i1 %are
no:
  ret i1 false
}}

; Whether an array has the next shape of the record
define internal i1 @shape(ptr %cursor, ptr %args, i64 %array_type) alwaysinline nounwind {{
  %place = call i64 @next(ptr %cursor)
  %arg_p = getelementptr ptr, ptr %args, i64 %place
  %value = load ptr, ptr %arg_p
  %axes = call i64 @next(ptr %cursor)
  %own = call i64 @word(ptr %value, i64 {_TYPE})
  %alike = icmp eq i64 %own, %array_type
  br i1 %alike, label %array, label %no
array:
  %axes_p = getelementptr i8, ptr %value, i64 {DIMENSION_COUNT}
  %few = load i32, ptr %axes_p
  %given = sext i32 %few to i64
  %as_many = icmp eq i64 %given, %axes
  br i1 %as_many, label %lengths, label %no
lengths:
  %dims_p = getelementptr i8, ptr %value, i64 {DIMENSIONS}
  %dims = load ptr, ptr %dims_p
  %are = call i1 @same(ptr %cursor, ptr %dims, i64 %axes)
  ret i1 %are
no:
  ret i1 false
}}

; Whether this is the call of a record; then the arrays stand in `stack` and their number is given, else -1
define internal i64 @match(ptr %record, ptr %args, i64 %names_size, ptr %names, i64 %list, i64 %array_type,
    i64 %float64, ptr %stack) nounwind {{
entry:
  %cursor = alloca ptr
  %start = getelementptr i64, ptr %record, i64 4
  store ptr %start, ptr %cursor
  %named = call i64 @next(ptr %cursor)
  %as_many = icmp eq i64 %named, %names_size
  br i1 %as_many, label %compare_names, label %no
compare_names:
  %names_p = getelementptr i8, ptr %names, i64 {_ITEMS}
  %names_ok = call i1 @same(ptr %cursor, ptr %names_p, i64 %named)
  br i1 %names_ok, label %statics, label %no
statics:
  %static_count = call i64 @next(ptr %cursor)
  br label %static_test
static_test:
  %i = phi i64 [0, %statics], [%i1, %static_body]
  %more_statics = icmp slt i64 %i, %static_count
  br i1 %more_statics, label %static_body, label %shapes
static_body:
  %static_ok = call i1 @option(ptr %cursor, ptr %args, i64 %list)
  %i1 = add i64 %i, 1
  br i1 %static_ok, label %static_test, label %no
shapes:
  %shape_count = call i64 @next(ptr %cursor)
  br label %shape_test
shape_test:
  %j = phi i64 [0, %shapes], [%j1, %shape_body]
  %more_shapes = icmp slt i64 %j, %shape_count
  br i1 %more_shapes, label %shape_body, label %arrays
shape_body:
  %shape_ok = call i1 @shape(ptr %cursor, ptr %args, i64 %array_type)
  %j1 = add i64 %j, 1
  br i1 %shape_ok, label %shape_test, label %no
arrays:
  %array_count = call i64 @next(ptr %cursor)
  br label %array_test
array_test:
  %k = phi i64 [0, %arrays], [%k1, %array_store]
  %more_arrays = icmp slt i64 %k, %array_count
  br i1 %more_arrays, label %array_body, label %yes
array_body:
  %place = call i64 @next(ptr %cursor)
  %arg_p = getelementptr ptr, ptr %args, i64 %place
  %arg = load ptr, ptr %arg_p
  %arg_type = call i64 @word(ptr %arg, i64 {_TYPE})
  %is_array = icmp eq i64 %arg_type, %array_type
  br i1 %is_array, label %array_kind, label %no
array_kind:
  %kind = call i64 @word(ptr %arg, i64 {DESCRIPTOR})
  %is_float = icmp eq i64 %kind, %float64
  br i1 %is_float, label %array_store, label %no
array_store:
  %slot = getelementptr ptr, ptr %stack, i64 %k
  store ptr %arg, ptr %slot
  %k1 = add i64 %k, 1
  br label %array_test
yes:
  ret i64 %array_count
no:
  ret i64 -1
}}

; A tuple as the named tuple of a type
define internal ptr @renamed(ptr %type, ptr %plain) nounwind {{
entry:
  %size = call i64 @word(ptr %plain, i64 {_SIZE})
  %new = call ptr @PyType_GenericAlloc(ptr %type, i64 %size)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %done, label %test
test:
  %k = phi i64 [0, %entry], [%k1, %body]
  %more = icmp slt i64 %k, %size
  br i1 %more, label %body, label %done
body:
  %offset = shl i64 %k, 3
  %place = add i64 %offset, {_ITEMS}
  %from = getelementptr i8, ptr %plain, i64 %place
  %to = getelementptr i8, ptr %new, i64 %place
  %item = load ptr, ptr %from
  call void @Py_IncRef(ptr %item)
  store ptr %item, ptr %to
  %k1 = add i64 %k, 1
  br label %test
done:
  call void @Py_DecRef(ptr %plain)
  ret ptr %new
}}

define ptr @{_DIRECT}(ptr %self, ptr %args, i64 %count, ptr %names) nounwind {{
entry:
  %active_p = alloca ptr
  %stack = alloca [{_MOST_ARRAYS} x ptr]
  %context_p = getelementptr i8, ptr %self, i64 {DATA}
  %context = load ptr, ptr %context_p
  %table_p = getelementptr ptr, ptr %context, i64 {len(CONTEXT)}
  %table = load ptr, ptr %table_p
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %begin, label %general
begin:
  %robot = load ptr, ptr %args
  %variable = call i64 @word(ptr %context, i64 {8 * (len(CONTEXT) + 1)})
  %list = call i64 @word(ptr %context, i64 {8 * (len(CONTEXT) + 2)})
  %tuple = call i64 @word(ptr %context, i64 {8 * (len(CONTEXT) + 3)})
  %array_type = call i64 @word(ptr %context, i64 {8 * CONTEXT.index("array_type")})
  %float64 = call i64 @word(ptr %context, i64 {8 * CONTEXT.index("float64")})
  %none_p = getelementptr ptr, ptr %context, i64 {CONTEXT.index("none")}
  %none = load ptr, ptr %none_p
  %unnamed = icmp eq ptr %names, null
  br i1 %unnamed, label %records, label %name_count
name_count:
  %listed = call i64 @word(ptr %names, i64 {_SIZE})
  br label %records
records:
  %names_size = phi i64 [0, %begin], [%listed, %name_count]
  br label %record
record:
  %r = phi i64 [0, %records], [%r1, %other]
  %record_p = getelementptr ptr, ptr %table, i64 %r
  %found = load ptr, ptr %record_p
  %end = icmp eq ptr %found, null
  br i1 %end, label %general, label %known
known:
  %owner = load ptr, ptr %found
  %mine = icmp eq ptr %owner, %robot
  %arguments = call i64 @word(ptr %found, i64 24)
  %as_many = icmp eq i64 %arguments, %count
  %likely = and i1 %mine, %as_many
  br i1 %likely, label %compare, label %other
compare:
  %arrays = call i64 @match(ptr %found, ptr %args, i64 %names_size, ptr %names, i64 %list, i64 %array_type,
      i64 %float64, ptr %stack)
  %matches = icmp sge i64 %arrays, 0
  br i1 %matches, label %traced, label %other
other:
  %r1 = add i64 %r, 1
  br label %record
traced:
  %variable_p = inttoptr i64 %variable to ptr
  %status = call i32 @PyContextVar_Get(ptr %variable_p, ptr null, ptr %active_p)
  %read = icmp eq i32 %status, 0
  br i1 %read, label %look, label %failed
look:
  %active = load ptr, ptr %active_p
  %untraced = icmp eq ptr %active, %none
  call void @Py_DecRef(ptr %active)
  br i1 %untraced, label %call, label %general
call:
  %code_p = getelementptr ptr, ptr %found, i64 1
  %code = load ptr, ptr %code_p
  %type_p = getelementptr ptr, ptr %found, i64 2
  %type = load ptr, ptr %type_p
  %result = call ptr @PyObject_Vectorcall(ptr %code, ptr %stack, i64 %arrays, ptr null)
  %bare = icmp eq ptr %type, null
  %wrong = icmp eq ptr %result, null
  %as_it_is = or i1 %bare, %wrong
  br i1 %as_it_is, label %give, label %several
several:
  %own = call i64 @word(ptr %result, i64 {_TYPE})
  %is_tuple = icmp eq i64 %own, %tuple
  br i1 %is_tuple, label %rename, label %give
rename:
  %named = call ptr @renamed(ptr %type, ptr %result)
  ret ptr %named
give:
  ret ptr %result
general:
  %fallback_p = getelementptr ptr, ptr %context, i64 {CONTEXT.index("fallback")}
  %fallback = load ptr, ptr %fallback_p
  %answer = tail call ptr @PyObject_Vectorcall(ptr %fallback, ptr %args, i64 %count, ptr %names)
  ret ptr %answer
failed:
  ret ptr null
}}
"""
