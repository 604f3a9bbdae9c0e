"""Shapes as detection sees them: records in tables, which routines read, and what it keeps of pairs of them."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3
from footfall.math.transform import Transform


class Kind(IntEnum):
    """Kinds of shapes. Of swept spheres a point is a sphere, a line a capsule, a triangle a hull with a radius."""

    NONE = 0  # was removed; its number is free
    PLANE = 1
    SPHERE = 2
    CAPSULE = 3
    CYLINDER = 4
    BOX = 5
    HULL = 6
    MESH = 7
    TERRAIN = 8
    FACET = 9  # a flat polygon of a mesh or terrain, while it is looked at


class Shape(NamedTuple):
    """A shape on a body.

    kind: of `Kind`. body: the row of `Bodies` that carries it, -1 if it is fixed in the world. owner: number of the
    body or object it belongs to, by which pairs are left out. rotation, position: its pose on the body, m. size: half
    edges of a box; (radius, radius, half length) of a cylinder; (0, 0, half length) of a capsule. radius: of the layer
    around the core: the whole of a sphere, that of a capsule or swept triangle, m. bound: radius of a ball around
    `position` that holds it, infinite for ground. inner: half of its least thickness, m. content: number of its hull,
    mesh or terrain in the pools. material: number of its material. group, mask: two shapes may touch if the group of
    one has a bit of the other's mask. spare: bits of corners that need not be looked at, see `spare_corners.py`.
    """

    kind: int
    body: int
    owner: int
    rotation: Matrix3
    position: Vector3
    size: Vector3
    radius: float
    bound: float
    inner: float
    content: int
    material: int
    group: int
    mask: int
    spare: int


class Hull(NamedTuple):
    """Corners and faces of a convex polyhedron, in the pools from a number on. centre: a point inside, m."""

    first_point: int
    points: int
    first_face: int
    faces: int
    centre: Vector3


class Face(NamedTuple):
    """A face of a hull: unit normal outwards, distance from the hull's origin along it (m), and its corners, which
    stand in `Pools.corners` from `first` on, counter-clockwise seen from outside, as numbers of the hull's points."""

    normal: Vector3
    offset: float
    first: int
    corners: int


class Node(NamedTuple):
    """A box within a hierarchy. A leaf has some items from `first` on; others have none, but the children `first`
    and `first + 1`."""

    lower: Vector3
    upper: Vector3
    first: int
    items: int


TWO_SIDED = 64  # bit of `Facet.edges`


class Facet(NamedTuple):
    """A triangle of a mesh, counter-clockwise seen from outside, m; normal: unit.

    edges: bits. 1, 2, 4: the edges ab, bc, ca stick out and can be touched: they have no neighbour, or one that bends
    away. 8, 16, 32: the edges cb, ba, ac do so, seen from the other side. 64: it is part of an open sheet, which is
    touched from both sides.
    """

    a: Vector3
    b: Vector3
    c: Vector3
    normal: Vector3
    edges: int


class MeshPart(NamedTuple):
    """Triangles of a mesh and the nodes of its hierarchy, in the pools from a number on."""

    first_facet: int
    facets: int
    first_node: int


class Terrain(NamedTuple):
    """A height map: heights (rows, columns) in `Pools.heights` from `first` on, the first at the origin (x, y), m."""

    first: int
    rows: int
    columns: int
    origin_x: float
    origin_y: float
    spacing_x: float
    spacing_y: float


class Pools(NamedTuple):
    """What shapes of several kinds consist of, one after another.

    points: (n, 3) corners of hulls. neighbour_starts: (n + 1,) where the neighbours of each point begin in
    `neighbours`, which are numbers within its hull; face_starts (n + 1,) and around: likewise its faces, as numbers
    within its hull. faces, corners: of hulls. facets, nodes: of meshes. heights: of terrain, m.
    """

    hulls: ArrayOf[Hull]
    points: ArrayOf[Vector3]
    neighbour_starts: Integers
    neighbours: Integers
    face_starts: Integers
    around: Integers
    faces: ArrayOf[Face]
    corners: Integers
    meshes: ArrayOf[MeshPart]
    facets: ArrayOf[Facet]
    nodes: ArrayOf[Node]
    terrains: ArrayOf[Terrain]
    heights: Array


class Bodies(NamedTuple):
    """n bodies that move: poses in the world, (n, 3, 3) and (n, 3) in m, and velocities that are expected in the step:
    linear (n, 3) of the origin in m/s, angular (n, 3) in rad/s, world axes."""

    rotation: ArrayOf[Matrix3]
    position: ArrayOf[Vector3]
    linear: ArrayOf[Vector3]
    angular: ArrayOf[Vector3]


class ManifoldPoint(NamedTuple):
    """A point of a pair that is being looked at; position: on the first shape, in the world, m."""

    position: Vector3
    normal: Vector3
    gap: float
    feature: int


# What detection keeps from step to step, and the table of shapes that it looks at.


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
    manifold: room for the points of a pair.
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
    manifold: ArrayOf[ManifoldPoint]


class Search(NamedTuple):
    """All that detection looks at in a step of dt (s). reach: m, whatever is nearer counts as touching."""

    table: ShapeTable
    memory: ContactMemory
    bodies: Bodies
    dt: float
    reach: float
