"""What detection keeps from step to step, and the table of shapes that it looks at."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3
from footfall.contact.detection.shapes import Bodies, Pools, Shape, Spot
from footfall.math.transform import Transform


class ShapeTable(NamedTuple):
    """All shapes.

    moving: numbers of those on bodies, in order. endless: of those without bounds. links: how many of the bodies move
    by themselves, the first ones; others are on given paths. excluded: keys (see
    `key_of`) of pairs of owners that never touch, sorted. included: keys of pairs of shapes that may touch whatever
    else says that they may not, sorted."""

    shapes: ArrayOf[Shape]
    moving: Integers
    endless: Integers
    links: int
    pools: Pools
    excluded: Integers
    included: Integers


class Pair(NamedTuple):
    """Two shapes that are near each other, and what is known from when they were looked at last.

    axis: unit normal that separated them, in the world; known: 0 if it is none yet. apart: how far apart their cores
    were at least, m, 0 if that is not known; turn, way: pose of the second in the frame of the first then.
    """

    first: int
    second: int
    axis: Vector3
    known: int
    apart: float
    turn: Matrix3
    way: Vector3


class TreeNode(NamedTuple):
    """A box around two others, or around a shape: `item` is its number, -1 for others. Of a free node `parent` is the
    next one."""

    lower: Vector3
    upper: Vector3
    parent: int
    left: int
    right: int
    item: int


class Count(IntEnum):
    """Places in `ContactMemory.counts`."""

    PAIRS = 0  # in the list
    FIXED_ROOT = 1  # of the trees, -1: empty
    MOVING_ROOT = 2
    FREE = 3  # the first free node
    STALE = 4  # whether all must be looked at anew
    INSERTED = 5  # into the tree of moving shapes since it was built
    SHAPES = 6  # that the trees were made for


class ContactMemory(NamedTuple):
    """Of n shapes: places (n,) in the world; lower, upper (n, 3) of boxes that hold each over the step, m; loose_lower,
    loose_upper: of larger boxes, in which it may move before its neighbours are looked for again; drift (n, 3): how its
    centre moves in the step, spin (n,): how much more its other points may, m; leaves (n,): its node in a tree.

    nodes: of the trees. pairs: that are near each other, by number; fresh: room for new ones. counts: see `Count`.
    spots: room for the points of a pair.
    """

    places: ArrayOf[Transform]
    lower: ArrayOf[Vector3]
    upper: ArrayOf[Vector3]
    loose_lower: ArrayOf[Vector3]
    loose_upper: ArrayOf[Vector3]
    drift: ArrayOf[Vector3]
    spin: Array
    leaves: Integers
    nodes: ArrayOf[TreeNode]
    pairs: ArrayOf[Pair]
    fresh: ArrayOf[Pair]
    counts: Integers
    spots: ArrayOf[Spot]


class Search(NamedTuple):
    """All that detection looks at in a step of dt (s). reach: m, whatever is nearer counts as touching."""

    table: ShapeTable
    memory: ContactMemory
    bodies: Bodies
    dt: float
    reach: float
