"""Which shapes are near each other: a list of pairs that is kept from step to step.

Every moving shape has a loose box. As long as it stays within, the list of its neighbours holds; when it leaves, the
trees of fixed and of moving shapes are asked again, for this shape alone. So fixed things that are nowhere near cost
nothing, and things that move little cost next to nothing.
"""

from __future__ import annotations

import numpy as np

from footfall.arrays import Flags, Integers
from footfall.compiler.routines import Matrix3, Team, Vector3, next_piece, routine, together
from footfall.contact.detection.boxes import place_fixed, place_moving, reaches_plane
from footfall.contact.detection.shapes import Bodies, ContactMemory, Count, Kind, Pair, ShapeTable
from footfall.contact.detection.tree import NOTHING, build, insert, overlap, remove

_SHIFT = 32


@routine
def key_of(first: int, second: int) -> int:
    """One number for a pair, in the order of pairs."""
    return (first << _SHIFT) + second


_WORTH_HELP = 256  # shapes that move, which are worth the help of others
_BATCH = 32  # of them that one takes at a time


@routine
def update_pairs(
    table: ShapeTable, memory: ContactMemory, bodies: Bodies, dt: float, reach: float, team: Team
) -> int:
    """Bring places, boxes and the list of pairs up to date; how many pairs there are.

    If there is no room for them, the next call begins anew.
    """
    counts = memory.counts
    count = len(table.shapes)
    stale = counts[Count.STALE] != 0
    left = np.zeros(count, dtype=np.bool_)
    any_left = stale
    if team.threads > 1 and len(table.moving) >= _WORTH_HELP:
        together(team, _place_some, team, table, memory, bodies, dt, reach, stale, left)
    else:
        _place_some(team.alone(), table, memory, bodies, dt, reach, stale, left)
    for k in table.moving:
        any_left = any_left or left[k]
    if stale:
        for k in range(count):
            if table.shapes[k].kind != Kind.NONE and table.shapes[k].body < 0:
                place_fixed(table, memory, k)
    if not any_left:
        return counts[Count.PAIRS]
    if stale:
        _build_trees(table, memory)
    else:
        _move_leaves(table, memory, left)
    keys = _new_keys(table, memory, left)
    needed = _merge(memory, keys, left, stale)
    counts[Count.STALE] = int(needed > len(memory.pairs))
    return needed


@routine
def _place_some(
    team: Team,
    table: ShapeTable,
    memory: ContactMemory,
    bodies: Bodies,
    dt: float,
    reach: float,
    stale: bool,
    left: Flags,
) -> None:
    """Places and boxes of shapes that move, as far as others do not do it; left: which have left their loose boxes."""
    pieces = -(-len(table.moving) // _BATCH)
    piece = next_piece(team, -1, pieces)
    while piece < pieces:
        for k in table.moving[_BATCH * piece : min(_BATCH * (piece + 1), len(table.moving))]:
            left[k] = place_moving(table, memory, bodies, k, dt, reach, stale)
        piece = next_piece(team, piece, pieces)


@routine
def list_all_pairs(table: ShapeTable, memory: ContactMemory) -> int:
    """Let the list have all pairs that may touch, wherever they are, for good; how many, which may be more than it has
    room for. What begins anew in each step then need not look for neighbours."""
    count = len(table.shapes)
    keys: list[int] = []
    for k in range(count):
        if table.shapes[k].kind == Kind.NONE:
            continue
        if table.shapes[k].body < 0:
            place_fixed(table, memory, k)
        memory.loose_lower[k], memory.loose_upper[k] = np.full(3, -np.inf), np.full(3, np.inf)
        for j in range(k):
            if table.shapes[j].kind != Kind.NONE:
                _consider(table, k, j, keys)
    found = np.array(keys)
    sort(found)
    needed = _merge(memory, found, np.zeros(count, dtype=np.bool_), True)
    memory.counts[Count.STALE] = int(needed > len(memory.pairs))
    return needed


@routine
def _build_trees(table: ShapeTable, memory: ContactMemory) -> None:
    counts, nodes = memory.counts, memory.nodes
    for k in range(len(nodes)):
        nodes[k] = nodes[k]._replace(parent=k + 1)
    counts[Count.FREE] = 0
    for moving in (False, True):
        items: list[int] = []
        for k in range(len(table.shapes)):
            shape = table.shapes[k]
            if shape.kind != Kind.NONE and shape.bound < np.inf and (shape.body >= 0) == moving:
                items.append(k)
        free = counts[Count.FREE : Count.FREE + 1]
        root = build(nodes, free, np.array(items), memory.loose_lower, memory.loose_upper, memory.leaves)
        counts[Count.MOVING_ROOT if moving else Count.FIXED_ROOT] = root
    counts[Count.INSERTED] = 0


@routine
def _move_leaves(table: ShapeTable, memory: ContactMemory, left: Flags) -> None:
    """Put the leaves of shapes that have left their boxes elsewhere; a tree that has changed a lot is built again."""
    counts, nodes = memory.counts, memory.nodes
    free = counts[Count.FREE : Count.FREE + 1]
    root, number, moving = counts[Count.MOVING_ROOT], 0, 0
    for k in table.moving:
        if table.shapes[k].bound < np.inf:
            moving += 1
            number += int(left[k])
    counts[Count.INSERTED] += number
    again = counts[Count.INSERTED] > 2 * moving + 16
    items: list[int] = []
    for k in table.moving:
        if table.shapes[k].bound < np.inf and (left[k] or again):
            root = remove(nodes, root, free, memory.leaves[k])
            if again:
                items.append(k)
            else:
                root, leaf = insert(nodes, root, free, k, memory.loose_lower[k], memory.loose_upper[k])
                memory.leaves[k] = leaf
    if again:
        counts[Count.INSERTED] = 0
        root = build(nodes, free, np.array(items), memory.loose_lower, memory.loose_upper, memory.leaves)
    counts[Count.MOVING_ROOT] = root


@routine
def _new_keys(table: ShapeTable, memory: ContactMemory, left: Flags) -> Integers:
    """Keys of all pairs in which a shape has left its box, sorted."""
    shapes, counts = table.shapes, memory.counts
    keys: list[int] = []
    stack: list[int] = []
    for k in table.moving:
        if not left[k]:
            continue
        if shapes[k].bound == np.inf:
            for j in table.moving:
                # Those with an end leave this pair to us; of two without the first considers it.
                if not (left[j] and j < k and shapes[j].bound == np.inf):
                    _consider(table, k, j, keys)
            continue
        lower, upper = memory.loose_lower[k], memory.loose_upper[k]
        for j in table.endless:
            high = shapes[j].kind == Kind.PLANE and shapes[j].body < 0
            high = high and not reaches_plane(lower, upper, memory.places[j])
            if not left[j] and not high:
                _consider(table, k, j, keys)
        for root in (counts[Count.FIXED_ROOT], counts[Count.MOVING_ROOT]):
            if root != NOTHING:
                stack.append(root)
            while len(stack):
                at = stack.pop()
                if not overlap(lower, upper, memory.nodes[at].lower, memory.nodes[at].upper):
                    continue
                item = memory.nodes[at].item
                if item < 0:
                    stack.append(memory.nodes[at].left)
                    stack.append(memory.nodes[at].right)
                elif item != k and not (left[item] and item < k):
                    _consider(table, k, item, keys)
    found = np.array(keys)
    sort(found)
    return found


@routine
def _consider(table: ShapeTable, one: int, other: int, keys: list[int]) -> None:
    if not may_touch(table, one, other):
        return
    first_moves, second_moves = _by_itself(table, one), _by_itself(table, other)
    if first_moves and (not second_moves or one < other):
        keys.append(key_of(one, other))
    else:
        keys.append(key_of(other, one))


@routine
def _by_itself(table: ShapeTable, k: int) -> bool:
    return 0 <= table.shapes[k].body < table.links


@routine
def may_touch(table: ShapeTable, one: int, other: int) -> bool:
    """Whether detection looks at a pair at all."""
    shapes = table.shapes
    if shapes[one].body == shapes[other].body or not (_by_itself(table, one) or _by_itself(table, other)):
        return False
    if len(table.included) and _contains(table.included, key_of(min(one, other), max(one, other))):
        return True
    if not (shapes[one].group & shapes[other].mask or shapes[other].group & shapes[one].mask):
        return False
    first, second = shapes[one].owner, shapes[other].owner
    return not _contains(table.excluded, key_of(min(first, second), max(first, second)))


@routine
def _contains(keys: Integers, key: int) -> bool:
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < len(keys) and keys[low] == key


@routine
def _merge(memory: ContactMemory, keys: Integers, left: Flags, stale: bool) -> int:
    """The list without pairs of shapes that have left their boxes, with the new keys; what is known of a pair stays."""
    pairs, fresh = memory.pairs, memory.fresh
    before, count, at = memory.counts[Count.PAIRS], 0, 0
    for k in range(len(keys) + 1):
        key = keys[k] if k < len(keys) else 1 << 62
        known = 0
        axis: Vector3 = np.zeros(3)
        turn: Matrix3 = np.zeros((3, 3))
        while at < before and key_of(pairs[at].first, pairs[at].second) <= key:
            pair = pairs[at]
            at += 1
            if key_of(pair.first, pair.second) == key:
                known, axis = pair.known, pair.axis
            elif not stale and not left[pair.first] and not left[pair.second]:
                if count < len(fresh):
                    fresh[count] = pair
                count += 1
        if k < len(keys):
            if count < len(fresh):
                fresh[count] = Pair(
                    key >> _SHIFT, key & ((1 << _SHIFT) - 1), axis, known, 0.0, turn, np.zeros(3)
                )
            count += 1
    if count > len(pairs):
        return count
    for k in range(count):
        pairs[k] = fresh[k]
    memory.counts[Count.PAIRS] = count
    return count


@routine
def sort(numbers: Integers) -> None:
    """Merge sort: runs of one, two, four ... numbers."""
    count = len(numbers)
    room = numbers.copy()
    width = 1
    while width < count:
        start = 0
        while start < count:
            middle, end = min(start + width, count), min(start + 2 * width, count)
            i, j = start, middle
            for k in range(start, end):
                if i < middle and (j >= end or numbers[i] <= numbers[j]):
                    room[k] = numbers[i]
                    i += 1
                else:
                    room[k] = numbers[j]
                    j += 1
            start = end
        numbers[:] = room
        width *= 2
