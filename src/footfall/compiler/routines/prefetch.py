"""Memory that a routine will need soon: it is fetched while other work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.compiler.routines.types import NOTHING, ArrayType, Value
from footfall.errors import RoutineError

if TYPE_CHECKING:
    from footfall.compiler.routines.expressions import Expressions as Body

_TO_WRITE, _KEEP, _DATA = 1, 3, 1  # of LLVM's prefetch: read and changed, kept in all caches, no instructions


def prefetch(array: Any, place: int) -> None:
    """Bring what stands at a place of an array into the caches, since it is read and changed soon."""


def _prefetch(body: Body, array: Value, place: Value) -> Value:
    if not isinstance(array.type, ArrayType) or array.type.axes != 1:
        raise RoutineError(f"prefetch of {array.type}: possible with arrays of one axis")
    body.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    index = body.integer(place)
    body.check_index(index, array.parts[1])
    address = body.at(array, index).address
    body.do(f"call void @llvm.prefetch.p0(ptr {address}, i32 {_TO_WRITE}, i32 {_KEEP}, i32 {_DATA})")
    return Value(NOTHING, ())


PREFETCH_TRANSLATORS = {prefetch: _prefetch}
