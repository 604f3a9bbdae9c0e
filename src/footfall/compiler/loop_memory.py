"""The memory of native loops, as LLVM IR.

A call from Python has an arena: a list of chunks, each with the address of the one before it, of which arrays are cut.
A function that gives no arrays returns what it took when it ends; all goes when the call ends.
"""

from __future__ import annotations

ARENA = "{ ptr, i64, i64 }"  # chunk, bytes used of it, bytes in it
_HEADER = 64  # bytes of a chunk: the chunk before, its size
_CHUNK = 1 << 16  # bytes, the least

MEMORY = f"""
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.trap()

define internal fastcc ptr @allocate(ptr %arena, i64 %bytes) nounwind {{
  %used_p = getelementptr i64, ptr %arena, i64 1
  %size_p = getelementptr i64, ptr %arena, i64 2
  %used = load i64, ptr %used_p
  %size = load i64, ptr %size_p
  %more = add i64 %bytes, 63
  %rounded = and i64 %more, -64
  %end = add i64 %used, %rounded
  %fits = icmp sle i64 %end, %size
  br i1 %fits, label %take, label %grow
take:
  %chunk = load ptr, ptr %arena
  %place = getelementptr i8, ptr %chunk, i64 %used
  store i64 %end, ptr %used_p
  ret ptr %place
grow:
  %new = call fastcc ptr @grow(ptr %arena, i64 %rounded)
  ret ptr %new
}}

define internal fastcc ptr @grow(ptr %arena, i64 %bytes) nounwind noinline {{
  %used_p = getelementptr i64, ptr %arena, i64 1
  %size_p = getelementptr i64, ptr %arena, i64 2
  %before = load ptr, ptr %arena
  %size = load i64, ptr %size_p
  %double = shl i64 %size, 1
  %needed = add i64 %bytes, {_HEADER}
  %large = icmp sgt i64 %needed, %double
  %wanted = select i1 %large, i64 %needed, i64 %double
  %enough = icmp sgt i64 %wanted, {_CHUNK}
  %total = select i1 %enough, i64 %wanted, i64 {_CHUNK}
  %chunk = call ptr @malloc(i64 %total)
  %none = icmp eq ptr %chunk, null
  br i1 %none, label %lost, label %have
lost:  ; as when the kernel finds no memory behind an address
  call void @llvm.trap()
  unreachable
have:
  store ptr %before, ptr %chunk
  %own_p = getelementptr i64, ptr %chunk, i64 1
  store i64 %total, ptr %own_p
  store ptr %chunk, ptr %arena
  store i64 %total, ptr %size_p
  %end = add i64 %bytes, {_HEADER}
  store i64 %end, ptr %used_p
  %place = getelementptr i8, ptr %chunk, i64 {_HEADER}
  ret ptr %place
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
  %before = load ptr, ptr %chunk
  call void @free(ptr %chunk)
  store ptr %before, ptr %arena
  %size_p = getelementptr i64, ptr %arena, i64 2
  %none = icmp eq ptr %before, null
  br i1 %none, label %empty, label %some
empty:
  store i64 0, ptr %size_p
  br label %test
some:
  %own_p = getelementptr i64, ptr %before, i64 1
  %own = load i64, ptr %own_p
  store i64 %own, ptr %size_p
  br label %test
done:
  store i64 %mark_used, ptr %used_p
  ret void
}}
"""
