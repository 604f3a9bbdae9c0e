"""A step of one row of a batch with contacts that are found, as a native function that traced steps call.

It is the step of a world (`world/step.py`) with the feet that the row has in lanes. Impulses of feet and joints are
what one engine hands to the other. A row that goes on where its last found step ended also knows that step's contacts
and the axes between shapes: solver and detection begin with them, and come to the same solution. A row does not depend
on others, or on the thread that it runs on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import NativeFunction, call
from footfall.compiler.routines import (
    TEAM_WORDS,
    ArrayOf,
    Lanes,
    Matrix3,
    Team,
    Vector3,
    new_records,
    routine,
)
from footfall.compiler.routines.callback import RoutineCallback
from footfall.contact.contacts import Contact
from footfall.contact.detection.broad import list_all_pairs
from footfall.contact.detection.find import Shared
from footfall.contact.detection.shapes import Bodies, ContactMemory, Pair
from footfall.contact.detection.shapes import Count as MemoryCount
from footfall.contact.detection.world import ContactWorld, build_contact_world, new_memory, ordered
from footfall.dynamics.kinematics import link_poses
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import Robot
from footfall.robot.shapes import Geometry, Sphere
from footfall.scene.model import Scene, SceneObject
from footfall.simulation.joint_control import limited_velocities, rubbing_velocities
from footfall.simulation.lanes.base_load import BaseLoad
from footfall.simulation.lanes.foot_points import Foot
from footfall.simulation.lanes.step import foreseen_velocities
from footfall.simulation.robot_motion import RobotMotion
from footfall.simulation.step_values import Command, StepOptions
from footfall.simulation.world.build import Member, build_world, pair_materials, workspace_sizes
from footfall.simulation.world.engine import step_settings
from footfall.simulation.world.records import Count, Forces, Moment, Settings, Workspace, World, WorldState
from footfall.simulation.world.run import is_number
from footfall.simulation.world.step import advance

_CONTACTS = 64  # room for them at the start, and of what a row keeps
_PAIRS = 96  # of near shapes whose axes a row keeps
_ROOMS = 8  # times that it is doubled
_ONE_JOINT = 0.05  # m: axes that pass so near to a point are one joint
_POINT = 1e-9  # m: radius of a corner, which is a ball here
_POSITION, _KP, _KD = (Command._fields.index(name) for name in ("position", "kp", "kd"))
_LOAD, _COUNTS, _COMMAND = BaseLoad.size, len(Count), len(Command._fields)


class RowMemory(NamedTuple):
    """What each row keeps of its last found step, one row after the other. q (rows, nq): where that left it, elsewhere
    nothing holds; counts (rows, 2): of contacts and pairs. numbers: of the pairs among all."""

    q: Array
    counts: Integers
    contacts: ArrayOf[Contact]
    impulses: ArrayOf[Vector3]
    numbers: Integers
    pairs: ArrayOf[Pair]


class Tables(NamedTuple):
    """What is the same for all rows. links, inputs, outputs: sizes of a workspace. impulse: that stands for the weight
    of a step, N s. points (n,): shape of each point of a foot; owners (shapes,): the foot that a shape is of, or -1.
    ground: its shape. memory: with all pairs that may touch. sliding (feet + 1, 2): where the materials of a foot, and
    of all else, against the ground stand among those of pairs. kept: what rows know of their last step."""

    world: World
    settings: Settings
    q: int
    v: int
    joints: int
    links: int
    inputs: int
    outputs: int
    impulse: float
    points: Integers
    owners: Integers
    feet: int
    ground: int
    memory: ContactMemory
    sliding: Integers
    kept: RowMemory


class FoundRow(NamedTuple):
    """What goes into a step of a row. number: of the row. held (joint rows,), pressed (points, 3): impulses of the step
    before of joints and of points of feet, world axes, N s; places (points, 3): where these touch, m. position, kp, kd
    (joints,). friction (feet,). load: see `BaseLoad`."""

    number: Any
    q: Array
    v: Array
    held: Array
    pressed: Array
    places: Array
    position: Array
    kp: Array
    kd: Array
    friction: Array
    load: Array


class FoundResult(NamedTuple):
    """q, v, held, pressed: after the step. effort (nv,), N m. forces (feet, 3): impulses on each foot, N s. residual:
    of the natural map, N s. steps: of the solver."""

    q: Array
    v: Array
    held: Array
    pressed: Array
    effort: Array
    forces: Array
    residual: Any
    steps: Any


@dataclass(frozen=True)
class FoundStep:
    """Of a robot with feet on some ground, and all else that it can touch. apart: pairs of bodies that never touch.
    start (nq,): bodies that overlap there never touch either."""

    robot: Robot
    feet: tuple[Foot, ...]
    ground: Any
    options: StepOptions
    apart: frozenset[tuple[str, str]]
    start: Array

    def native(self, rows: int) -> NativeFunction:
        """The step for so many rows, with a memory for each."""
        callback = RoutineCallback(
            _found_step, record=self._tables._replace(kept=_new_rows(self.robot, rows))
        )
        outputs = sum(int(np.prod(shape)) for shape in self._shapes(FoundResult))
        return NativeFunction("found_step", callback.address, outputs, data=callback.data, owner=callback)

    def advance(self, native: NativeFunction, row: FoundRow, needed: Any) -> FoundResult:
        """Symbols of the state after a step, where it is needed (1, else 0); elsewhere they mean nothing."""
        shapes = self._shapes(FoundResult)
        values, parts, first = call(native, needed, *row), [], 0
        for shape in shapes:
            size = int(np.prod(shape))
            part = values[first : first + size]
            parts.append(part.reshape(shape) if shape else part[0])
            first += size
        return FoundResult(*parts)

    def _shapes(self, record: type) -> list[tuple[int, ...]]:
        robot, rows = self.robot, self.joint_rows
        points = sum(len(foot.points) for foot in self.feet)
        known = {
            "q": (robot.nq,), "v": (robot.nv,), "held": (rows,), "pressed": (points, 3), "effort": (robot.nv,),
            "forces": (len(self.feet), 3), "residual": (), "steps": (),
        }  # fmt: skip
        return [known[name] for name in record._fields]  # type: ignore[attr-defined]

    @property
    def joint_rows(self) -> int:
        """Number of joint limits and dry frictions."""
        joints = self.options.joints
        limits = len(limited_velocities(self.robot)) if joints.limits else 0
        return limits + (len(rubbing_velocities(self.robot)) if joints.friction else 0)

    @cached_property
    def standing(self) -> Robot:
        """The robot with the balls of its feet in place of their shapes."""
        balls = {
            foot.body: tuple(
                Geometry(Sphere(max(each.radius, _POINT)), Transform(np.eye(3), np.array(each.point)))
                for each in foot.points
            )
            for foot in self.feet
        }
        bodies = [
            replace(body, collisions=balls.get(body.name, body.collisions)) for body in self.robot.bodies
        ]
        return replace(self.robot, bodies=tuple(bodies))

    @cached_property
    def contacts(self) -> ContactWorld:
        """All shapes, and the ground as the last one."""
        scene = Scene("ground", (SceneObject("ground", self.ground),))
        apart = {*self.apart, *joined_closely(self.robot, self.start)}
        return build_contact_world(self.standing, scene, q=self.start, exclude=apart)

    @cached_property
    def motion(self) -> RobotMotion:
        middle = bool(foreseen_velocities(self.robot, self.options))
        load = BaseLoad(self.robot)
        return RobotMotion(self.standing, load, middle, self.options.joints.implicit_gains)

    @cached_property
    def _tables(self) -> Tables:
        contacts, joints, robot = self.contacts, self.options.joints, self.standing
        member = Member(robot, self.motion, identity_transform())
        world = build_world((member,), contacts, limits=joints.limits, friction=joints.friction)
        world, sliding = _own_materials(world, contacts, [foot.body for foot in self.feet])
        settings = step_settings(robot, self.options, sleep=False)
        inputs, outputs = workspace_sizes(world)
        numbers = [contacts.shapes(foot.body) for foot in self.feet]
        owners = np.full(len(world.shapes.shapes), -1)
        for foot, shapes in enumerate(numbers):
            owners[list(shapes)] = foot
        gravity = float(np.linalg.norm(robot.gravity)) or 9.81
        return Tables(
            world=world,
            settings=settings,
            q=robot.nq,
            v=robot.nv,
            joints=self.motion.joints,
            links=contacts.bodies,
            inputs=inputs,
            outputs=outputs,
            impulse=robot.mass * gravity * self.options.dt,
            points=np.array([shape for shapes in numbers for shape in shapes], dtype=np.int64),
            owners=owners,
            feet=len(self.feet),
            ground=contacts.shapes("ground")[0],
            memory=_all_pairs(world),
            sliding=sliding,
            kept=_new_rows(robot, 1),
        )


def joined_closely(robot: Robot, q: Array) -> set[tuple[str, str]]:
    """Pairs of bodies that one joint of several axes joins, as a shoulder or a hip does: all axes between them pass
    within 5 cm of one point at q (nq,). They are neighbours, as bodies with one axis between them are, and where they
    meet hulls say little about their shapes."""
    tree, poses = robot.tree, link_poses(robot.tree, np.asarray(q, dtype=np.float64))
    shaped: dict[int, list[str]] = {}
    for body in robot.bodies:
        if body.collisions:
            shaped.setdefault(tree.attachments[body.name].link, []).append(body.name)
    found = set()
    for link in shaped:
        path = tree.path(link) if link >= 0 else []
        for length in range(2, len(path)):
            between, carrier = path[:length], path[length]
            if any(tree.links[number].kind != "revolute" for number in between):
                break
            if carrier in shaped and _meet([poses[number] for number in between]):
                found |= {ordered(one, other) for one in shaped[link] for other in shaped[carrier]}
    return found


def _meet(poses: Sequence[Transform]) -> bool:
    """Whether the z axes of frames pass near one point: the one with the least sum of squared distances."""
    across = [np.eye(3) - np.outer(pose.rotation[:, 2], pose.rotation[:, 2]) for pose in poses]
    right = sum(part @ pose.translation for part, pose in zip(across, poses, strict=True))
    point = np.linalg.lstsq(sum(across), right, rcond=None)[0]  # parallel axes: one of many
    apart = [
        np.linalg.norm(part @ (point - pose.translation)) for part, pose in zip(across, poses, strict=True)
    ]
    return bool(max(apart) < _ONE_JOINT)


def _own_materials(world: World, contacts: ContactWorld, feet: Sequence[str]) -> tuple[World, Integers]:
    """A material of its own for each foot, so that rows can say how it slides; and where its pairs with the ground
    stand, with those of everything else on the robot behind them."""
    shapes: Any = world.shapes.shapes.copy()
    materials, ground = list(contacts.materials), int(shapes["material"][contacts.shapes("ground")[0]])
    others = {int(each["material"]) for each in shapes if each["kind"] != 0} - {ground}
    kept = []
    for foot in feet:
        numbers = list(contacts.shapes(foot))
        material = int(shapes["material"][numbers[0]])
        shapes["material"][numbers] = len(materials)
        kept.append(len(materials))
        materials.append(materials[material])
    pairs, count = pair_materials(materials)
    rows = [(own * count + ground, ground * count + own, k) for k, own in enumerate(kept)]
    rows += [(own * count + ground, ground * count + own, len(feet)) for own in sorted(others)]
    tables = world._replace(
        materials=pairs, material_count=count, shapes=world.shapes._replace(shapes=shapes)
    )
    return tables, np.array(rows, dtype=np.int64)


def _all_pairs(world: World) -> ContactMemory:
    """What detection begins each step with: nothing is known, but which pairs may touch."""
    shapes = len(world.shapes.shapes)
    count = list_all_pairs(world.shapes, new_memory(shapes, 0))
    memory = new_memory(shapes, count)
    list_all_pairs(world.shapes, memory)
    return memory


def _new_rows(robot: Robot, rows: int) -> RowMemory:
    """Rows that know nothing. Memory of rows that stay in lanes is never touched."""
    impulses: ArrayOf[Vector3] = np.zeros((rows * _CONTACTS, 3))
    return RowMemory(
        np.zeros((rows, robot.nq)),
        np.zeros((rows, 2), dtype=np.int64),
        new_records(Contact, rows * _CONTACTS),
        impulses,
        np.zeros(rows * _PAIRS, dtype=np.int64),
        new_records(Pair, rows * _PAIRS),
    )


@routine(fused=True, quick=True)
def _found_step(inputs: Array, outputs: Array, tables: Tables) -> None:
    """See `FoundRow` and `FoundResult`; before the row stands whether a step is needed."""
    if inputs[0] < 0.5:
        return
    contacts, done = _CONTACTS, False
    for _ in range(_ROOMS):
        now = _new_moment(tables, contacts)
        command = _begin(tables, now, inputs)
        if not is_number(now.state):
            break
        report = advance(now, command)
        if report.contacts <= contacts:
            _end(tables, now, outputs)
            _keep(tables, now, int(inputs[1]))
            last = tables.q + 2 * tables.v + len(tables.world.joints) + 3 * (len(tables.points) + tables.feet)
            outputs[last] = report.residual * tables.impulse
            outputs[last + 1] = report.steps
            done = True
            break
        contacts = max(contacts, 2 * report.contacts)
    if not done:  # what is not a number leads to nothing that is one
        for k in range(tables.q + tables.v):
            outputs[k] = np.nan


def _new_moment(tables: Tables, contacts: int) -> Moment:
    """Room for a step; all is zero."""
    world, links, nodes = tables.world, tables.links, len(tables.world.node_velocities)
    impulses: ArrayOf[Vector3] = np.zeros((contacts, 3))
    state = WorldState(
        np.empty(tables.q),
        np.empty(tables.v),
        np.zeros(tables.joints),
        np.empty(_LOAD),
        np.zeros(1),
        new_records(Contact, contacts),
        impulses,
        np.empty(len(world.joints)),
        np.zeros(_COUNTS, dtype=np.int64),
        np.zeros(world.movers, dtype=np.int64),
        _copied(tables.memory),
    )
    rotation: ArrayOf[Matrix3] = np.zeros((links, 3, 3))
    position: ArrayOf[Vector3] = np.zeros((links, 3))
    linear: ArrayOf[Vector3] = np.zeros((links, 3))
    angular: ArrayOf[Vector3] = np.zeros((links, 3))
    origins: ArrayOf[Vector3] = np.zeros((1, 3))
    free: ArrayOf[Lanes] = np.zeros((nodes, 8))
    v: ArrayOf[Lanes] = np.zeros((nodes, 8))
    given_linear: ArrayOf[Vector3] = np.zeros((links, 3))
    given_angular: ArrayOf[Vector3] = np.zeros((links, 3))
    points: ArrayOf[Vector3] = np.zeros((0, 3))
    room = Workspace(
        np.zeros(tables.inputs),
        np.zeros(tables.outputs),
        Bodies(rotation, position, linear, angular),
        origins,
        free,
        v,
        new_records(Contact, contacts),
        np.zeros(tables.v),
        given_linear,
        given_angular,
        np.zeros(links, dtype=np.bool_),
        points,
        Shared(Team(np.zeros(TEAM_WORDS, dtype=np.int64), 1), new_records(Contact, 0)),
    )
    forces = Forces(np.zeros(0, dtype=np.int64), np.zeros((0, 6)), points)
    return Moment(world._replace(materials=world.materials.copy()), tables.settings, state, forces, room)


def _copied(memory: ContactMemory) -> ContactMemory:
    """What a step writes, apart; trees are not asked."""
    return memory._replace(
        places=memory.places.copy(),
        lower=memory.lower.copy(),
        upper=memory.upper.copy(),
        drift=memory.drift.copy(),
        spin=memory.spin.copy(),
        pairs=memory.pairs.copy(),
        counts=memory.counts.copy(),
        manifold=memory.manifold.copy(),
    )


def _begin(tables: Tables, now: Moment, inputs: Array) -> Array:
    """Let a step begin with a row's values; gives the command (6, joints)."""
    world, state, joints, points = now.world, now.state, tables.joints, len(tables.points)
    at = _read(inputs, 2, state.q)
    at = _read(inputs, at, state.v)
    at = _read(inputs, at, state.joint_impulses)
    pressed, at = inputs[at : at + 3 * points], at + 3 * points
    places, at = inputs[at : at + 3 * points], at + 3 * points
    command = np.zeros((_COMMAND, joints))
    at = _read(inputs, at, command[_POSITION])
    at = _read(inputs, at, command[_KP])
    at = _read(inputs, at, command[_KD])
    for k in range(len(tables.sliding)):
        # What is no foot slides as the first foot does.
        own, ground, foot = tables.sliding[k, 0], tables.sliding[k, 1], tables.sliding[k, 2]
        friction = inputs[at + (foot if foot < tables.feet else 0)]
        world.materials[own] = world.materials[own]._replace(friction=friction)
        world.materials[ground] = world.materials[ground]._replace(friction=friction)
    _read(inputs, at + tables.feet, state.drives)
    if _recall(tables, now, int(inputs[1])):
        return command
    count, last = 0, -1
    for _ in range(points):  # contacts stand in the order of their shapes
        best = -1
        for k in range(points):
            if tables.points[k] > last and (best < 0 or tables.points[k] < tables.points[best]):
                best = k
        last = tables.points[best]
        impulse = np.array([pressed[3 * best], pressed[3 * best + 1], pressed[3 * best + 2]])
        if impulse @ impulse > 0.0:
            place = np.array([places[3 * best], places[3 * best + 1], places[3 * best + 2]])
            none = np.zeros(3)
            state.contacts[count] = Contact(last, tables.ground, 0, place, none, 0.0, -np.inf, 0.0, none)
            state.impulses[count] = impulse
            count += 1
    state.counts[Count.CONTACTS] = count
    return command


def _recall(tables: Tables, now: Moment, row: int) -> bool:
    """Let a step begin with what a row knows of its last one, if it is where that left it; whether it is."""
    kept, state = tables.kept, now.state
    contacts, pairs = kept.counts[row, 0], kept.counts[row, 1]
    same = contacts > 0 and contacts <= len(state.contacts)
    for k in range(tables.q):
        same = same and kept.q[row, k] == state.q[k]
    if not same:
        return False
    for k in range(contacts):
        state.contacts[k] = kept.contacts[row * _CONTACTS + k]
        state.impulses[k] = kept.impulses[row * _CONTACTS + k]
    state.counts[Count.CONTACTS] = contacts
    for k in range(pairs):
        state.memory.pairs[kept.numbers[row * _PAIRS + k]] = kept.pairs[row * _PAIRS + k]
    return True


def _keep(tables: Tables, now: Moment, row: int) -> None:
    """Write down what a row knows of its step and what cannot change the next one, only shorten it: where contacts are,
    not how they came out, and axes between shapes that are apart; where hulls overlap several may do."""
    kept, state, memory = tables.kept, now.state, now.state.memory
    contacts, pairs = state.counts[Count.CONTACTS], 0
    if contacts > _CONTACTS:
        contacts = 0
    for k in range(contacts):
        kept.contacts[row * _CONTACTS + k] = state.contacts[k]._replace(ahead=-np.inf, bend=0.0)
        kept.impulses[row * _CONTACTS + k] = state.impulses[k]
    for k in range(memory.counts[MemoryCount.PAIRS]):
        if pairs < _PAIRS and memory.pairs[k].apart > 0.0:
            kept.numbers[row * _PAIRS + pairs] = k
            kept.pairs[row * _PAIRS + pairs] = memory.pairs[k]
            pairs += 1
    kept.counts[row, 0], kept.counts[row, 1] = contacts, pairs
    for k in range(tables.q):
        kept.q[row, k] = state.q[k]


def _end(tables: Tables, now: Moment, outputs: Array) -> None:
    """Write down all that a row goes on with, but the report."""
    state, feet, points = now.state, tables.feet, len(tables.points)
    at = _write(state.q, outputs, 0)
    at = _write(state.v, outputs, at)
    at = _write(state.joint_impulses, outputs, at)
    pressed = outputs[at : at + 3 * points]
    at = _write(now.room.effort, outputs, at + 3 * points)
    forces = outputs[at : at + 3 * feet]
    pressed[:] = 0.0
    forces[:] = 0.0
    for k in range(state.counts[Count.CONTACTS]):
        contact, impulse = state.contacts[k], state.impulses[k]
        for side in range(2):
            shape = contact.first if side == 0 else contact.second
            foot = tables.owners[shape]
            if foot >= 0:
                for i in range(3):
                    forces[3 * foot + i] += impulse[i] if side == 0 else -impulse[i]
        if contact.second == tables.ground:
            for point in range(points):
                if tables.points[point] == contact.first:
                    for i in range(3):
                        pressed[3 * point + i] += impulse[i]


def _read(source: Array, at: int, target: Array) -> int:
    """Read values from a place on; gives where they end."""
    for k in range(len(target)):
        target[k] = source[at + k]
    return at + len(target)


def _write(source: Array, target: Array, at: int) -> int:
    """Write values from a place on; gives where they end."""
    for k in range(len(source)):
        target[at + k] = source[k]
    return at + len(source)
