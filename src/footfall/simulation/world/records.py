"""What a step of a world works on: tables that do not change, the state that does, and room to work in.

All of it is arrays, so that native code needs nothing else, thousands of worlds share the tables, and nothing is
compiled when something in them changes. A mover is a robot or a free body; movers, links, nodes, coordinates and
velocities are those of the combined robot, one after another.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Lanes, Matrix3, Vector3
from footfall.contact.contacts import Contact
from footfall.contact.detection.find import Shared
from footfall.contact.detection.shapes import Bodies, ContactMemory, ShapeTable
from footfall.contact.law import ContactRules, PairMaterial
from footfall.math.block_sparse import Elimination


class Part(NamedTuple):
    """A part of an array, from `first` on: what belongs to one robot of all."""

    first: int
    size: int

    def of(self, values: Array) -> Array:
        """The part itself, not a copy."""
        return values[self.first : self.first + self.size]

    @property
    def end(self) -> int:
        return self.first + self.size


class RobotResults(NamedTuple):
    """Where the kernels of a robot leave what they compute, as parts of `Workspace.outputs`: all of `approach`, whose
    output of that name each is, and behind it what `settle` gives, `settled`. given: empty unless its joints are
    prescribed. sums: empty without joints that follow others and loops that forces hold."""

    approach: Part
    settled: Part
    mass: Part
    pivots: Part
    free: Part
    integral: Part
    rotations: Part
    positions: Part
    linear: Part
    angular: Part
    motions: Part
    origin: Part
    given: Part
    sums: Part


class RobotPart(NamedTuple):
    """A robot in a world: what of the world's coordinates, velocities, joint axes, drives, links and nodes is its own.

    approach, settle: addresses of its kernels. inputs: the part of `Workspace.inputs` that they take; results: where
    they leave what. blocks: of its inertia. rotation, position: where its own world stands in the common one; placed:
    whether that is elsewhere.
    """

    approach: int
    settle: int
    q: Part
    v: Part
    joints: Part
    drives: Part
    links: Part
    nodes: Part
    inputs: Part
    results: RobotResults
    blocks: int
    placed: bool
    rotation: Matrix3
    position: Vector3


class FreeBody(NamedTuple):
    """A body on a joint that leaves it free. link: the one that carries it. center: of mass, on the body, m. inertia:
    (3, 3) about the body's origin in its axes, kg m2."""

    first_q: int
    first_v: int
    link: int
    node: int
    mass: float
    center: Vector3
    inertia: Matrix3


class LinkPiece(NamedTuple):
    """What a node gives to the motion of a link: table (6, 8) number `table` of its mover, whose first `lanes` columns
    count."""

    node: int
    table: int
    lanes: int


class JointLimit(NamedTuple):
    """A joint with a position limit (m or rad), or with dry friction (N m or N) if `friction` is above zero; or an
    equation of a loop that forces hold, with friction without bound.

    velocity: its number in the tree of all that moves. It moves with a lane of a node, or, if it follows others through
    loops, with its pieces; then the lane is -1, and the node one of those that it moves with. An equation has such
    pieces too, no velocity (-1), and as coordinate the place in `Workspace.outputs` of what it is missed by.
    """

    coordinate: int
    velocity: int
    node: int
    lane: int
    lower: float
    upper: float
    friction: float
    first_piece: int
    pieces: int


class JointPiece(NamedTuple):
    """What a node gives to the rate of a joint or an equation: the row (8,) of that number which its robot's `approach`
    gives."""

    node: int
    row: int


class Plans(NamedTuple):
    """The plans of elimination of all robots, their lists one after another. starts (robots + 1, 8): where those of
    each begin; sizes (robots,): numbers of blocks."""

    starts: Integers
    sizes: Integers
    lists: Elimination

    def of(self, robot: int) -> Elimination:
        """The plan of one robot."""
        begin, end, lists = self.starts[robot], self.starts[robot + 1], self.lists
        return Elimination(
            lists.nodes[begin[0] : end[0]],
            lists.places[begin[1] : end[1]],
            lists.starts[begin[2] : end[2]],
            lists.rows[begin[3] : end[3]],
            lists.above[begin[4] : end[4]],
            lists.below[begin[5] : end[5]],
            lists.target_starts[begin[6] : end[6]],
            lists.targets[begin[7] : end[7]],
            self.sizes[robot],
        )


class GivenPath(NamedTuple):
    """An object on a given path: its row in `Bodies`, and its rows of `World.waypoints`; see `GivenMotion`."""

    body: int
    first: int
    waypoints: int
    periodic: bool


class World(NamedTuple):
    """The tables. link_mover, link_first_piece, link_pieces (links,). node_velocities (nodes, 8): -1 where there is
    none. node_pairs (p, 2): nodes that the inertia of robots couples, those of robot k from `pair_starts[k]` on.
    materials: number a times count plus b for the pair (a, b)."""

    robots: ArrayOf[RobotPart]
    free: ArrayOf[FreeBody]
    movers: int
    link_mover: Integers
    link_first_piece: Integers
    link_pieces: Integers
    pieces: ArrayOf[LinkPiece]
    node_velocities: Integers
    node_mover: Integers
    mover_first_node: Integers
    mover_nodes: Integers
    node_pairs: Integers
    pair_starts: Integers
    plans: Plans
    joints: ArrayOf[JointLimit]
    joint_pieces: ArrayOf[JointPiece]
    materials: ArrayOf[PairMaterial]
    material_count: int
    shapes: ShapeTable
    mass: Array  # (movers,) kg
    paths: ArrayOf[GivenPath]
    waypoints: Array  # (n, 15): times, coordinates and slopes


class Settings(NamedTuple):
    """Numbers of a step, see `StepOptions`: any of them may change between two steps."""

    dt: float
    gravity: Vector3
    reach: float
    rules: ContactRules
    middle: bool  # whether gyroscopic forces of free bodies are those in the middle of the step
    tolerance: float
    moving_tolerance: float
    direct_steps: int
    interior_steps: int
    final_steps: int
    sleep_speed: float  # m/s and rad/s, below which things are at rest
    sleep_steps: int  # at rest, after which they sleep; 0: never


class Forces(NamedTuple):
    """Wrenches on bodies: links (n,) and [f; n] (n, 6) in N and N m, world axes, at points (n, 3) of the link, m."""

    links: Integers
    wrenches: Array
    points: ArrayOf[Vector3]


class Count(IntEnum):
    """Places in `WorldState.counts`."""

    CONTACTS = 0  # of the last step
    SUBSTEPS = 1  # of the control period that have been taken


class WorldState(NamedTuple):
    """What one step hands to the next. q, v, integral, drives; time (1,) s. contacts: of the last step; impulses
    (room, 3): theirs, world axes, N s; joint_impulses (joints,). counts: see `Count`. rest (movers,): how many steps
    free bodies have been at rest, see `step.py`."""

    q: Array
    v: Array
    integral: Array
    drives: Array
    time: Array
    contacts: ArrayOf[Contact]
    impulses: ArrayOf[Vector3]
    joint_impulses: Array
    counts: Integers
    rest: Integers
    memory: ContactMemory


class Workspace(NamedTuple):
    """Room to work in; what stands in it between two steps has no meaning.

    inputs, outputs: of kernels. bodies: where all links are and how they move. free (nodes, 8): velocities without
    contact; v (nodes, 8): with it. found: contacts of this step. effort (nv,).
    given_linear, given_angular (links, 3): how links move beside the velocities of nodes, by prescribed joints; world
    axes, at their origins. still (bodies,): which of them sleep. spun (free, 3): how contact turned free bodies in the
    last step, see `movers.py`. shared: threads that help with large worlds.
    """

    inputs: Array
    outputs: Array
    bodies: Bodies
    origins: ArrayOf[Vector3]
    free: ArrayOf[Lanes]
    v: ArrayOf[Lanes]
    found: ArrayOf[Contact]
    effort: Array
    given_linear: ArrayOf[Vector3]
    given_angular: ArrayOf[Vector3]
    still: Flags
    spun: ArrayOf[Vector3]
    shared: Shared


class Moment(NamedTuple):
    """All that a step works on."""

    world: World
    settings: Settings
    state: WorldState
    forces: Forces
    room: Workspace


class Report(NamedTuple):
    """What a step came to. contacts: how many there are, which may be more than there was room for: then nothing has
    happened. pairs: likewise for pairs that are near each other. residual: the largest natural map over the weight of
    its island times dt, and asked: the largest tolerance that any was solved to. steps: of Newton's and interior-point
    methods in the hardest island. islands: how many."""

    contacts: int
    pairs: int
    residual: float
    asked: float
    steps: int
    islands: int
