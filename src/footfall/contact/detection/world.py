"""All that can be touched: the shapes of robots and of a scene, in tables that detection reads while time passes.

Objects are added, moved, resized and removed at any time; the numbers of all other shapes stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, Vector3, new_records
from footfall.contact.contacts import Contact
from footfall.contact.detection.broad import key_of
from footfall.contact.detection.find import NONE_SLEEP, find_contacts
from footfall.contact.detection.narrow import MOST_SPOTS
from footfall.contact.detection.pools import Carried, PoolBuilder, shapes_of
from footfall.contact.detection.shapes import (
    Bodies,
    ContactMemory,
    Count,
    Kind,
    ManifoldPoint,
    Pair,
    Shape,
    ShapeTable,
    TreeNode,
)
from footfall.contact.detection.spare_corners import fill_spare
from footfall.contact.pair_material import RobotSide, side_of
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import link_poses
from footfall.errors import SceneError, UnknownName
from footfall.math.transform import Transform
from footfall.robot.combine import INITIAL
from footfall.robot.model import WORLD, JointType, Robot
from footfall.robot.tree import Attachment, Tree
from footfall.robot.volumes import BodyVolume
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Material, Scene, SceneObject

# Pairs that never touch: neighbours in a robot, and what a user leaves out, by the names of bodies and objects.

Names = tuple[str, str]


def ordered(one: str, other: str) -> Names:
    """A pair of names in one order."""
    return (one, other) if one < other else (other, one)


def neighbours(robot: Robot) -> set[Names]:
    """Pairs of bodies whose links a joint or a loop joins; links are all bodies that are fixed to each other."""
    tree = robot.tree
    bodies: dict[int, list[str]] = defaultdict(list)
    for body in robot.bodies:
        bodies[tree.attachments[body.name].link].append(body.name)
    floating = {joint.child for joint in robot.joints if joint.type is JointType.FLOATING}
    joined = {
        (number, _carrier(tree, number))
        for number in bodies
        if number >= 0 and tree.links[number].body not in floating
    }
    for loop in robot.loops:
        if loop.frame and loop.against:
            joined.add((tree.attachments[loop.frame].link, tree.attachments[loop.against].link))
    return {
        ordered(*names)
        for one, other in joined
        if one != other
        for names in product(bodies.get(one, []), bodies.get(other, []))
    }


def _carrier(tree: Tree, link: int) -> int:
    """The link that carries the whole joint of a link; -1 is the world."""
    parent = tree.links[link].parent
    while parent >= 0 and tree.links[parent].body == tree.links[link].body:
        parent = tree.links[parent].parent
    return parent


_COUNTS = len(Count)
_SPARE = 16  # rows of the table that are free at the start
_PAIRS = 256  # room for pairs at the start
_INSIDE = 1e-6  # m: bodies of a robot that overlap by more at the start never touch


class Carriers(NamedTuple):
    """What carries the bodies of robots, by name; and where these carriers are in the reference configuration."""

    attachments: Mapping[str, Attachment]
    bodies: Bodies


class ContactWorld:
    """Shapes, their owners and materials, and what is filtered.

    table: for `find_contacts`; take it anew after `add`. owners: names of bodies and objects, by number. materials: by
    number, sides of robots among them. excluded: pairs of names that never touch.
    """

    def __init__(self, links: int, *, divided: bool | None = False) -> None:
        """links: how many bodies move by themselves. divided: whether their meshes are several convex hulls each, see
        `mesh_hulls`, rather than one; None: those of loose things are if they are hollow and can be divided."""
        self.links = links
        self.divided = divided
        self.owners: list[str] = []
        self.materials: list[Material | RobotSide] = []
        self.excluded: set[Names] = set()
        self._numbers: dict[str, list[int]] = {}  # shapes by owner
        self._pools = PoolBuilder()
        self._shapes = new_records(Shape, _SPARE)
        # Of objects that are or were on one, in the order of their bodies.
        self.paths: dict[str, GivenMotion] = {}
        self._notes: list[str] = []
        self._memories: list[ContactMemory] = []
        self._table: ShapeTable | None = None

    def copy(self) -> ContactWorld:
        """Another one with the same shapes under the same numbers, which goes on by itself."""
        twin = copy(self)
        twin.owners, twin.materials, twin.excluded = (
            list(self.owners),
            list(self.materials),
            set(self.excluded),
        )
        twin._numbers = {name: list(numbers) for name, numbers in self._numbers.items()}
        twin._pools, twin.paths, twin._notes = self._pools.copy(), dict(self.paths), list(self._notes)
        twin._shapes, twin._memories = self._shapes.copy(), []
        twin._table = self.table._replace(shapes=twin._shapes)
        return twin

    @property
    def table(self) -> ShapeTable:
        if self._table is None:
            number = {name: k for k, name in enumerate(self.owners)}
            keys = sorted(
                key_of(*sorted((number[one], number[other])))
                for one, other in self.excluded
                if one in number and other in number
            )
            there = self._shapes["kind"] != Kind.NONE
            fill_spare(self._shapes, self.materials)
            self._table = ShapeTable(
                self._shapes,
                np.flatnonzero(there & (self._shapes["body"] >= 0)),
                np.flatnonzero(there & np.isinf(self._shapes["bound"])),
                self.links,
                self._pools.pools,
                np.array(keys, dtype=np.int64),
                np.zeros(0, dtype=np.int64),
            )
        return self._table

    @property
    def report(self) -> tuple[str, ...]:
        """What differs from what was given: hulls with fewer corners, bodies that are let overlap."""
        return (*self._pools.notes, *self._notes)

    def note(self, text: str) -> None:
        """Add a line to the report."""
        self._notes.append(text)

    @property
    def bodies(self) -> int:
        """Rows of `Bodies`: links and objects on given paths."""
        return self.links + len(self.paths)

    def shapes(self, owner: str) -> tuple[int, ...]:
        """Numbers of the shapes of a body or object."""
        if owner not in self._numbers:
            raise UnknownName("body or object with shapes", owner, self._numbers, "the contact world")
        return tuple(self._numbers[owner])

    @property
    def shape_count(self) -> int:
        """How many there are."""
        return int(np.count_nonzero(self._shapes["kind"] != Kind.NONE))

    @property
    def shape_owners(self) -> Integers:
        """The number of its owner for each shape."""
        return np.asarray(self._shapes["owner"])

    def owner_of(self, shape: int) -> str:
        """Name of the body or object that a shape belongs to."""
        return self.owners[int(self._shapes["owner"][shape])]

    # Filling

    def add_body(
        self,
        name: str,
        link: int,
        shapes: Iterable[tuple[Any, Transform, int, int]],
        material: Material | RobotSide | None,
        *,
        loose: bool = False,
    ) -> None:
        """A body that a link carries, -1: the world; shapes with their poses on it, groups and masks. May be called
        again for shapes of another material. loose: whether it is a free thing of a scene."""
        divided = bool(self.divided) if self.divided is not None or not loose else None
        number, kind = self._owner(name), self._material(material or RobotSide())
        for shape, pose, group, mask in shapes:
            carried = Carried(link, number, kind, group, mask, solid=link >= 0, divided=divided)
            self._put(name, shapes_of(shape, pose, carried, self._pools))

    def add(self, thing: SceneObject) -> None:
        """An object that rests or is on a given path; free ones are bodies of the robot they are combined to."""
        if thing.free is not None:
            raise SceneError(
                "is free: it is a body, and bodies are chosen before the world is built",
                subject=("object", thing.name),
            )
        if thing.name in self._numbers:
            raise SceneError("is there already; move or resize it", subject=("object", thing.name))
        body = self._row(thing)
        self._put(thing.name, self._made(thing, body, self._owner(thing.name)))

    def remove(self, name: str) -> None:
        """Take all shapes of an object out; their numbers are free for others."""
        for number in self.shapes(name):
            self._shapes["kind"][number] = Kind.NONE
        del self._numbers[name]
        self._changed()

    def replace(self, thing: SceneObject) -> None:
        """Move, turn or resize an object, or give it another shape: as it is now. It keeps its numbers if it has as
        many shapes as before."""
        numbers = self.shapes(thing.name)
        made = self._made(thing, self._row(thing), int(self._shapes["owner"][numbers[0]]))
        for number in numbers:
            self._shapes["kind"][number] = Kind.NONE
        self._numbers[thing.name] = []
        self._put(thing.name, made, numbers)

    def exclude(self, pairs: Iterable[Names]) -> None:
        """Let pairs of bodies or objects, by name, never touch."""
        self.excluded |= {ordered(*pair) for pair in pairs}
        self._changed()

    def _made(self, thing: SceneObject, body: int, owner: int) -> list[Shape]:
        """Records of an object; on a given path its pose is that of its body."""
        carried = Carried(body, owner, self._material(thing.material), solid=False)
        pose = thing.placement if body < 0 else Transform(np.eye(3), np.zeros(3))
        return shapes_of(thing.shape, pose, carried, self._pools)

    def path_row(self, name: str) -> int:
        """Row of `Bodies` of an object on a given path."""
        if name not in self.paths:
            raise UnknownName("object on a given path", name, self.paths, "the contact world")
        return self.links + list(self.paths).index(name)

    def _row(self, thing: SceneObject) -> int:
        """The same for an object that may be new; -1 if it is on none."""
        if thing.motion is None:
            return -1
        self.paths[thing.name] = thing.motion
        return self.path_row(thing.name)

    def _owner(self, name: str) -> int:
        if name not in self.owners:
            self.owners.append(name)
        return self.owners.index(name)

    def _material(self, material: Material | RobotSide) -> int:
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def _put(self, name: str, shapes: list[Shape], numbers: Iterable[int] = ()) -> None:
        """Into the given rows as long as there are any, then into free ones."""
        given = list(numbers)
        unused = np.flatnonzero(self._shapes["kind"] == Kind.NONE)[: len(given) + len(shapes)].tolist()
        free: list[int] = [*given, *(k for k in unused if k not in given)]
        if len(free) < len(shapes):
            grown = new_records(Shape, 2 * len(self._shapes) + len(shapes))
            grown[: len(self._shapes)] = self._shapes
            free += range(len(self._shapes), len(grown))
            self._shapes = grown
        for shape, number in zip(shapes, free, strict=False):
            self._shapes[number] = shape
            self._numbers.setdefault(name, []).append(number)
        self._changed()

    def _changed(self) -> None:
        self._table = None
        for memory in self._memories:
            memory.counts[Count.STALE] = 1

    # Memory

    def memory(self, *, pairs: int = _PAIRS) -> ContactMemory:
        """What detection keeps from step to step, for one world among many; pairs: room for so many."""
        made = new_memory(len(self._shapes), pairs)
        self._memories.append(made)
        return made

    def keep(self, memory: ContactMemory) -> None:
        """Tell a memory of changes that was copied from another one."""
        self._memories.append(memory)

    def drop(self, memory: ContactMemory) -> None:
        """No longer tell a memory of changes; it must not be used any more."""
        self._memories = [each for each in self._memories if each is not memory]

    def forget(self) -> None:
        """No longer tell the memories made so far of changes; they must not be used any more."""
        self._memories = []

    def fitting(self, memory: ContactMemory, pairs: int) -> ContactMemory:
        """The memory itself, or one with enough room for all shapes and so many pairs, which then takes its place."""
        if len(memory.places) == len(self._shapes) and pairs <= len(memory.pairs):
            return memory
        self.drop(memory)
        return self.memory(pairs=max(2 * pairs, len(memory.pairs)))


def new_memory(shapes: int, pairs: int) -> ContactMemory:
    """Of a world with so many shapes, with room for pairs; also in routines."""
    counts = np.zeros(_COUNTS, dtype=np.int64)
    counts[Count.STALE] = 1
    counts[Count.FIXED_ROOT], counts[Count.MOVING_ROOT] = -1, -1
    lower: ArrayOf[Vector3] = np.zeros((shapes, 3))
    upper: ArrayOf[Vector3] = np.zeros((shapes, 3))
    loose_lower: ArrayOf[Vector3] = np.zeros((shapes, 3))
    loose_upper: ArrayOf[Vector3] = np.zeros((shapes, 3))
    drift: ArrayOf[Vector3] = np.zeros((shapes, 3))
    return ContactMemory(
        new_records(Transform, shapes),
        lower,
        upper,
        loose_lower,
        loose_upper,
        drift,
        np.zeros(shapes),
        np.full(shapes, -1),
        new_records(TreeNode, 2 * shapes),
        new_records(Pair, pairs),
        new_records(Pair, pairs),
        counts,
        new_records(ManifoldPoint, MOST_SPOTS),
    )


def build_contact_world(
    robot: Robot,
    scene: Scene,
    *,
    q: Array | None = None,
    exclude: Iterable[Names] = (),
    self_contact: bool = True,
    divided: bool | None = False,
    carriers: Carriers | None = None,
) -> ContactWorld:
    """All shapes of a combined robot (see `combined_robot`) and of the objects of its scene.

    q: (nq,) the reference configuration: bodies of one robot that overlap there never touch; if it is not given, the
    one named "initial", else neutral. exclude: pairs of names that never touch besides. self_contact: whether a robot
    touches itself. divided: whether meshes of bodies are several convex hulls each (by CoACD, if installed), not one;
    None: those of loose things that are hollow.
    carriers: what carries the bodies, if not the links of the combined robot.
    """
    if carriers is None:
        carriers = Carriers(robot.tree.attachments, bodies_at(robot, _initial(robot) if q is None else q))
    world = ContactWorld(len(carriers.bodies.position), divided=divided)
    materials = {thing.name: thing.material for thing in scene.free_objects}
    for body in robot.bodies:
        attachment = carriers.attachments[body.name]
        for geometry in body.collisions:
            pose = attachment.placement @ geometry.placement
            shape = (geometry.shape, pose, geometry.group, geometry.mask)
            side = materials.get(body.name, side_of(geometry))
            world.add_body(body.name, attachment.link, [shape], side, loose=body.name in materials)
    for volume in standing_in(robot):
        attachment = carriers.attachments[volume.body]
        world.add_body(volume.body, attachment.link, [(volume.shape, attachment.placement, 1, 1)], None)
    for thing in scene.fixed_objects:
        if thing.contact:
            world.add(thing)
    world.exclude(neighbours(robot))
    world.exclude(robot.apart)
    world.exclude(exclude)
    robots = _bodies_by_robot(world, robot, scene)
    if self_contact:
        world.exclude(_overlapping(world, _with_rows(carriers.bodies, world.bodies), robots))
    else:
        world.exclude(pair for names in robots for pair in combinations(names, 2))
    return world


def standing_in(robot: Robot) -> list[BodyVolume]:
    """Volumes that touch for bodies without collision shapes: the first of each."""
    shaped = {body.name for body in robot.bodies if body.collisions}
    first: dict[str, BodyVolume] = {}
    for volume in robot.volumes:
        if volume.body not in shaped and volume.body != WORLD:
            first.setdefault(volume.body, volume)
    return list(first.values())


def _bodies_by_robot(world: ContactWorld, robot: Robot, scene: Scene) -> list[list[str]]:
    """Bodies that have shapes, of each robot in a scene; free objects are none."""
    found: dict[str, list[str]] = defaultdict(list)
    free = {thing.name for thing in scene.free_objects}
    prefixes = {each.name for each in scene.robots}
    for body in robot.bodies:
        if body.name in world.owners and body.name not in free:
            first = body.name.split("/", 1)[0]
            found[first if first in prefixes else ""].append(body.name)
    return list(found.values())


def _overlapping(world: ContactWorld, bodies: Bodies, robots: list[list[str]]) -> set[Names]:
    """Bodies of one robot that overlap as they stand there."""
    home = {name: k for k, names in enumerate(robots) for name in names}
    contacts, _ = contacts_of(world, world.memory(), bodies)
    world.forget()
    deepest: dict[Names, float] = defaultdict(float)
    for contact in contacts[contacts["gap"] < -_INSIDE]:
        one, other = world.owner_of(contact["first"]), world.owner_of(contact["second"])
        if home.get(one, -1) == home.get(other, -2):
            pair = ordered(one, other)
            deepest[pair] = min(deepest[pair], float(contact["gap"]))
    for (one, other), gap in sorted(deepest.items()):
        world.note(
            f"{one} and {other} overlap by {-1e3 * gap:.2g} mm at the start: they never touch each other"
        )
    return set(deepest)


def _initial(robot: Robot) -> Array:
    known = robot.configurations
    return known[INITIAL] if INITIAL in known else neutral(robot)


def bodies_at(robot: Robot, q: Array, count: int | None = None) -> Bodies:
    """Links of a robot at rest at q (nq,), for `find_contacts`; count: of rows, those behind the links are zero."""
    bodies = resting(link_poses(robot.tree, np.asarray(q, dtype=np.float64)))
    return bodies if count is None else _with_rows(bodies, count)


def resting(poses: Sequence[Transform]) -> Bodies:
    """Bodies at rest at some poses."""
    rows = len(poses)
    bodies = Bodies(np.zeros((rows, 3, 3)), np.zeros((rows, 3)), np.zeros((rows, 3)), np.zeros((rows, 3)))
    for k, pose in enumerate(poses):
        bodies.rotation[k], bodies.position[k] = pose.rotation, pose.translation
    return bodies


def _with_rows(bodies: Bodies, count: int) -> Bodies:
    """The same with rows of zeros behind them."""
    missing = count - len(bodies.position)
    return Bodies(*(np.concatenate([part, np.zeros((missing, *part.shape[1:]))]) for part in bodies))


def contacts_of(
    world: ContactWorld, memory: ContactMemory, bodies: Bodies, *, dt: float = 0.0, reach: float = 0.0
) -> tuple[Any, ContactMemory]:
    """All touches as an array of records, and the memory, which may have grown."""
    memory = world.fitting(memory, 0)
    found = new_records(Contact, 64)
    while True:
        need = find_contacts(world.table, memory, bodies, dt, reach, found, NONE_SLEEP)
        if need.pairs > len(memory.pairs):
            memory = world.fitting(memory, need.pairs)
        elif need.contacts > len(found):
            found = new_records(Contact, 2 * need.contacts)
        else:
            return found[: need.contacts], memory
