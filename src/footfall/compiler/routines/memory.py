"""The memory of routines, as LLVM IR.

A call from Python has an arena: a list of chunks, each with the address of the one before it, of which arrays are cut.
A function that gives no arrays returns what it took when it ends; all goes when the call ends. Of chunks that are
returned before that the largest is kept at hand: a loop whose body works in a new one does not ask for it each time.
What went wrong in a call (no memory, a wrong index, an error that a routine raises) is noted in the arena too: every
function that sees it returns at once, and the entry tells Python.
"""

from __future__ import annotations

# chunk, bytes used of it, bytes in it, failure, two numbers about it, chunk at hand
ARENA = "{ ptr, i64, i64, i64, i64, i64, ptr }"
FAILURE, FIRST_DETAIL, SECOND_DETAIL, _AT_HAND = 3, 4, 5, 6  # places in the arena
NO_MEMORY, OUTSIDE, RAISED = 1, 2, 16  # failures: RAISED + k is the k-th error that the routine may raise
# Bytes: arrays begin where lines of the cache do, so that a row of eight numbers lies in one of them.
_LINE = 64
# Bytes of a chunk before its first array, at most: the chunk before, its size, up to a line.
_HEADER = 16 + _LINE
_CHUNK = 1 << 16  # bytes, the least

MEMORY = f"""
declare noalias ptr @malloc(i64)
declare void @free(ptr)

define internal fastcc ptr @allocate(ptr %arena, i64 %bytes) nounwind {{
  %used_p = getelementptr i64, ptr %arena, i64 1
  %size_p = getelementptr i64, ptr %arena, i64 2
  %used = load i64, ptr %used_p
  %size = load i64, ptr %size_p
  %more = add i64 %bytes, {_LINE}  ; never nothing: an address that is null means that there is no memory
  %rounded = and i64 %more, -{_LINE}
  %left = sub i64 %size, %used
  %fits = icmp ule i64 %rounded, %left
  br i1 %fits, label %take, label %grow, !prof !0
take:
  %chunk = load ptr, ptr %arena
  %place = getelementptr i8, ptr %chunk, i64 %used
  %end = add i64 %used, %rounded
  store i64 %end, ptr %used_p
  ret ptr %place
grow:
  %new = call fastcc ptr @grow(ptr %arena, i64 %rounded)
  ret ptr %new
}}

define internal fastcc ptr @grow(ptr %arena, i64 %bytes) nounwind noinline cold {{
  %used_p = getelementptr i64, ptr %arena, i64 1
  %size_p = getelementptr i64, ptr %arena, i64 2
  %before = load ptr, ptr %arena
  %size = load i64, ptr %size_p
  %double = shl i64 %size, 1
  %needed = add i64 %bytes, {_HEADER}
  %absurd = icmp ugt i64 %bytes, {1 << 48}
  br i1 %absurd, label %lost, label %look
look:
  %spare_p = getelementptr ptr, ptr %arena, i64 {_AT_HAND}
  %spare = load ptr, ptr %spare_p
  %spare_size = call fastcc i64 @chunk_size(ptr %spare)
  %reach = icmp sle i64 %needed, %spare_size
  br i1 %reach, label %again, label %ask
again:
  store ptr null, ptr %spare_p
  br label %have
ask:
  %large = icmp sgt i64 %needed, %double
  %wanted = select i1 %large, i64 %needed, i64 %double
  %enough = icmp sgt i64 %wanted, {_CHUNK}
  %asked = select i1 %enough, i64 %wanted, i64 {_CHUNK}
  %new = call ptr @malloc(i64 %asked)
  %none = icmp eq ptr %new, null
  br i1 %none, label %lost, label %have
lost:
  %failure_p = getelementptr i64, ptr %arena, i64 {FAILURE}
  store i64 {NO_MEMORY}, ptr %failure_p
  %detail_p = getelementptr i64, ptr %arena, i64 {FIRST_DETAIL}
  store i64 %bytes, ptr %detail_p
  ret ptr null
have:
  %chunk = phi ptr [ %spare, %again ], [ %new, %ask ]
  %total = phi i64 [ %spare_size, %again ], [ %asked, %ask ]
  store ptr %before, ptr %chunk
  %own_p = getelementptr i64, ptr %chunk, i64 1
  store i64 %total, ptr %own_p
  store ptr %chunk, ptr %arena
  store i64 %total, ptr %size_p
  %address = ptrtoint ptr %chunk to i64
  %behind = add i64 %address, {_HEADER}
  %aligned = and i64 %behind, -{_LINE}
  %first = sub i64 %aligned, %address
  %end = add i64 %bytes, %first
  store i64 %end, ptr %used_p
  %place = getelementptr i8, ptr %chunk, i64 %first
  ret ptr %place
}}

define internal fastcc i64 @chunk_size(ptr %chunk) nounwind {{
  %none = icmp eq ptr %chunk, null
  br i1 %none, label %nothing, label %some
nothing:
  ret i64 0
some:
  %size_p = getelementptr i64, ptr %chunk, i64 1
  %size = load i64, ptr %size_p
  ret i64 %size
}}

define internal fastcc void @release(ptr %arena, ptr %mark, i64 %mark_used) nounwind {{
entry:
  %used_p = getelementptr i64, ptr %arena, i64 1
  br label %test
test:
  %chunk = load ptr, ptr %arena
  %reached = icmp eq ptr %chunk, %mark
  br i1 %reached, label %done, label %drop
drop:
  call fastcc void @drop(ptr %arena, ptr %chunk)
  br label %test
done:
  store i64 %mark_used, ptr %used_p
  ret void
}}

; The newest chunk goes: it is kept at hand if it is larger than what is.
define internal fastcc void @drop(ptr %arena, ptr %chunk) nounwind noinline cold {{
  %before = load ptr, ptr %chunk
  store ptr %before, ptr %arena
  %size_p = getelementptr i64, ptr %arena, i64 2
  %size = call fastcc i64 @chunk_size(ptr %before)
  store i64 %size, ptr %size_p
  %spare_p = getelementptr ptr, ptr %arena, i64 {_AT_HAND}
  %spare = load ptr, ptr %spare_p
  %own_size = call fastcc i64 @chunk_size(ptr %chunk)
  %spare_size = call fastcc i64 @chunk_size(ptr %spare)
  %larger = icmp sgt i64 %own_size, %spare_size
  %kept = select i1 %larger, ptr %chunk, ptr %spare
  %gone = select i1 %larger, ptr %spare, ptr %chunk
  store ptr %kept, ptr %spare_p
  call void @free(ptr %gone)
  ret void
}}

; At the end of the call.
define internal fastcc void @finish(ptr %arena) nounwind {{
  call fastcc void @release(ptr %arena, ptr null, i64 0)
  %spare_p = getelementptr ptr, ptr %arena, i64 {_AT_HAND}
  %spare = load ptr, ptr %spare_p
  call void @free(ptr %spare)
  ret void
}}

; Of a list at its header: room for one more item of some bytes; whether there is.
define internal fastcc i1 @room(ptr %arena, ptr %list, i64 %bytes) nounwind {{
  %count_p = getelementptr i64, ptr %list, i64 1
  %room_p = getelementptr i64, ptr %list, i64 2
  %count = load i64, ptr %count_p
  %room = load i64, ptr %room_p
  %fits = icmp slt i64 %count, %room
  br i1 %fits, label %enough, label %grow, !prof !0
enough:
  ret i1 true
grow:
  %double = shl i64 %room, 1
  %few = icmp slt i64 %double, 8
  %wanted = select i1 %few, i64 8, i64 %double
  %size = mul i64 %wanted, %bytes
  %new = call fastcc ptr @allocate(ptr %arena, i64 %size)
  %none = icmp eq ptr %new, null
  br i1 %none, label %lost, label %have
lost:
  ret i1 false
have:
  %old = load ptr, ptr %list
  %used = mul i64 %count, %bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %old, i64 %used, i1 false)
  store ptr %new, ptr %list
  store i64 %wanted, ptr %room_p
  ret i1 true
}}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{{!"branch_weights", i32 100000, i32 1}}
"""
