"""The tables of a world from robots and a scene, and a state to start with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records, new_team
from footfall.contact.contacts import Contact
from footfall.contact.detection.find import Shared
from footfall.contact.detection.shapes import Bodies
from footfall.contact.detection.world import ContactWorld
from footfall.contact.law import PairMaterial
from footfall.contact.pair_material import RobotSide, touching_material
from footfall.math.block_sparse import WIDTH, Elimination
from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import Robot
from footfall.scene.model import Material
from footfall.simulation.joint_control import limited_velocities, rubbing_velocities
from footfall.simulation.robot_motion import RobotMotion
from footfall.simulation.world.records import (
    Count,
    FreeBody,
    GivenPath,
    JointLimit,
    JointPiece,
    LinkPiece,
    Part,
    Plans,
    RobotPart,
    RobotResults,
    Workspace,
    World,
    WorldState,
)

_CONTACTS = 64  # room for them at the start
_LINE = 64  # bytes of a line of the cache


@dataclass(frozen=True)
class Member:
    """A robot in a world, or a free body: then `motion` is None and the robot has one body.

    pose: where its own world is in the common one, as far as its coordinates do not say it.
    """

    robot: Robot
    motion: RobotMotion | None
    pose: Transform


class _Tables:
    """Lists that grow member by member."""

    def __init__(self) -> None:
        self.robots: list[RobotPart] = []
        self.free: list[FreeBody] = []
        self.link_mover: list[int] = []
        self.link_first_piece: list[int] = []
        self.link_pieces: list[int] = []
        self.pieces: list[LinkPiece] = []
        self.node_velocities: list[list[int]] = []
        self.node_mover: list[int] = []
        self.mover_first_node: list[int] = []
        self.mover_nodes: list[int] = []
        self.node_pairs: list[tuple[int, int]] = []
        self.pair_starts: list[int] = [0]
        self.plans: list[Elimination] = []
        self.joints: list[JointLimit] = []
        self.joint_pieces: list[JointPiece] = []
        self.mass: list[float] = []
        self.q = self.v = self.tree_v = self.drives = self.joint_axes = self.inputs = self.outputs = 0


def build_world(members: Sequence[Member], contacts: ContactWorld, *, limits: bool, friction: bool) -> World:
    """The tables; members: robots first, then free bodies, in the order of the combined robot.

    limits, friction: whether position limits and dry friction of joints are part of a step.
    """
    tables = _Tables()
    for member in members:
        if member.motion is None:
            _add_free(tables, member.robot)
        else:
            _add_robot(tables, member, member.motion, limits=limits, friction=friction)
    materials, count = pair_materials(contacts.materials)
    paths, waypoints = given_paths(contacts)
    return World(
        robots=_records(RobotPart, tables.robots),
        free=_records(FreeBody, tables.free),
        movers=len(members),
        link_mover=_integers(tables.link_mover),
        link_first_piece=_integers(tables.link_first_piece),
        link_pieces=_integers(tables.link_pieces),
        pieces=_records(LinkPiece, tables.pieces),
        node_velocities=np.array(tables.node_velocities, dtype=np.int64).reshape(-1, WIDTH),
        node_mover=_integers(tables.node_mover),
        mover_first_node=_integers(tables.mover_first_node),
        mover_nodes=_integers(tables.mover_nodes),
        node_pairs=np.array(tables.node_pairs, dtype=np.int64).reshape(-1, 2),
        pair_starts=_integers(tables.pair_starts),
        plans=_plans(tables.plans),
        joints=_records(JointLimit, tables.joints),
        joint_pieces=_records(JointPiece, tables.joint_pieces),
        materials=materials,
        material_count=count,
        shapes=contacts.table,
        mass=np.array(tables.mass),
        paths=paths,
        waypoints=waypoints,
    )


def given_paths(contacts: ContactWorld) -> tuple[Any, Array]:
    """What moves on given paths, and their waypoints."""
    tables = [motion.table for motion in contacts.paths.values()]
    starts = np.cumsum([0, *(len(table) for table in tables)])
    rows = [
        GivenPath(
            body=contacts.links + k, first=int(starts[k]), waypoints=len(table), periodic=motion.periodic
        )
        for k, (table, motion) in enumerate(zip(tables, contacts.paths.values(), strict=True))
    ]
    return _records(GivenPath, rows), np.concatenate([np.zeros((0, 15)), *tables])


def _records(kind: type, rows: Sequence[tuple[Any, ...]]) -> Any:
    made = new_records(kind, len(rows))
    for k, row in enumerate(rows):
        made[k] = row
    return made


def _integers(values: Sequence[int]) -> Any:
    return np.array(values, dtype=np.int64)


def _add_free(tables: _Tables, robot: Robot) -> None:
    (body,) = robot.bodies
    center = np.asarray(body.center_of_mass)
    about_origin = np.asarray(body.inertia) + body.mass * (
        center @ center * np.eye(3) - np.outer(center, center)
    )
    mover, node, first = len(tables.mass), len(tables.node_mover), len(tables.link_mover)
    links = len(robot.tree.links)
    tables.free.append(
        FreeBody(tables.q, tables.v, first + links - 1, node, body.mass, center=center, inertia=about_origin)
    )
    tables.link_mover += [mover] * links
    tables.link_first_piece += [len(tables.pieces)] * links
    tables.link_pieces += [*[0] * (links - 1), 1]
    tables.pieces.append(LinkPiece(node=node, table=0, lanes=WIDTH))
    tables.node_velocities.append([*range(tables.v, tables.v + 6), -1, -1])
    tables.node_mover.append(mover)
    tables.mover_first_node.append(node)
    tables.mover_nodes.append(1)
    tables.mass.append(body.mass)
    tables.q, tables.v, tables.tree_v = tables.q + 7, tables.v + 6, tables.tree_v + 6


def _add_robot(tables: _Tables, member: Member, motion: RobotMotion, *, limits: bool, friction: bool) -> None:
    robot, nodes = motion.robot, motion.nodes
    mover, first_node, first_link = len(tables.mass), len(tables.node_mover), len(tables.link_mover)
    results, misses = _results(tables, motion)
    drives = 0 if motion.train is None else motion.train.size
    inputs = sum(int(np.prod(shape, dtype=np.int64)) for _, shape in motion.settle.signature.inputs)
    placed = not _is_identity(member.pose)
    tables.robots.append(
        RobotPart(
            approach=motion.approach.native_function().address,
            settle=motion.settle.native_function().address,
            q=Part(tables.q, robot.nq),
            v=Part(tables.v, robot.nv),
            joints=Part(tables.joint_axes, motion.joints),
            drives=Part(tables.drives, drives),
            links=Part(first_link, len(robot.tree.links)),
            nodes=Part(first_node, len(nodes.members)),
            inputs=Part(tables.inputs, inputs),
            results=results,
            blocks=motion.plan.size,
            placed=placed,
            rotation=np.asarray(member.pose.rotation),
            position=np.asarray(member.pose.translation),
        )
    )
    tables.inputs += inputs
    for row in motion.pieces:
        tables.link_mover.append(mover)
        tables.link_first_piece.append(len(tables.pieces))
        tables.link_pieces.append(len(row))
        tables.pieces += [LinkPiece(first_node + piece.node, piece.table, piece.lanes) for piece in row]
    for members in nodes.members:
        padded = [tables.v + velocity for velocity in members] + [-1] * (WIDTH - len(members))
        tables.node_velocities.append(padded)
        tables.node_mover.append(mover)
    tables.mover_first_node.append(first_node)
    tables.mover_nodes.append(len(nodes.members))
    tables.node_pairs += [(first_node + one, first_node + other) for one, other in nodes.pairs]
    tables.pair_starts.append(len(tables.node_pairs))
    tables.plans.append(motion.plan)
    tables.joints += _joint_rows(tables, motion, first_node, limits=limits, friction=friction)
    for number, pieces in enumerate(motion.held):
        equation = _joint(-1, first_node + pieces[0].node, -1, len(tables.joint_pieces), len(pieces))
        tables.joints.append(equation._replace(coordinate=misses + number, friction=np.inf))
        tables.joint_pieces += [JointPiece(first_node + piece.node, piece.row) for piece in pieces]
    tables.mass.append(robot.mass)
    tables.q, tables.v = tables.q + robot.nq, tables.v + robot.nv
    tables.tree_v += robot.spanning.nv
    tables.joint_axes, tables.drives = tables.joint_axes + motion.joints, tables.drives + drives


def _results(tables: _Tables, motion: RobotMotion) -> tuple[RobotResults, int]:
    """Room for what the kernels of a robot give, one behind the other, and where that begins by which loops that forces
    hold are missed."""
    parts, first = {}, tables.outputs
    for name, shape in motion.approach.signature.outputs:
        parts[name] = Part(tables.outputs, int(np.prod(shape, dtype=np.int64)))
        tables.outputs = parts[name].end
    sizes = [int(np.prod(shape, dtype=np.int64)) for _, shape in motion.settle.signature.outputs]
    settled = Part(tables.outputs, sum(sizes))
    own = {name: parts.get(name, Part(0, 0)) for name in RobotResults._fields[2:]}
    results = RobotResults(Part(first, tables.outputs - first), settled, **own)
    tables.outputs = settled.end
    return results, parts["misses"].first if "misses" in parts else 0


def _is_identity(pose: Transform) -> bool:
    same = identity_transform()
    return bool(
        np.array_equal(pose.rotation, same.rotation) and np.array_equal(pose.translation, same.translation)
    )


def _joint_rows(
    tables: _Tables, motion: RobotMotion, first_node: int, *, limits: bool, friction: bool
) -> list[JointLimit]:
    """Limits, then dry friction; joints that are prescribed belong to no node."""
    robot = motion.robot
    moved = _moved_by(tables, motion, first_node)
    rows: list[JointLimit] = []
    for coordinate, velocity in limited_velocities(robot) if limits else ():
        if velocity in moved:
            rows.append(
                moved[velocity]._replace(
                    coordinate=tables.q + coordinate,
                    lower=float(robot.lower_limits[coordinate]),
                    upper=float(robot.upper_limits[coordinate]),
                )
            )
    for velocity in rubbing_velocities(robot) if friction else ():
        if velocity in moved:
            rows.append(moved[velocity]._replace(friction=float(robot.spanning.friction[velocity])))
    return rows


def _moved_by(tables: _Tables, motion: RobotMotion, first_node: int) -> dict[int, JointLimit]:
    """By velocities of a robot's tree: a joint without limits and friction, with what moves it."""
    structure, places = motion.robot.tree.loops, motion.nodes.places
    own = range(motion.robot.nv) if structure is None else structure.independent

    moved = {
        velocity: _joint(tables.tree_v + velocity, first_node + places[k][0], places[k][1], 0, 0)
        for k, velocity in enumerate(own)
        if k in places
    }
    for velocity, pieces in motion.followers.items():
        numbers = tables.tree_v + velocity, first_node + pieces[0].node
        moved[velocity] = _joint(*numbers, -1, len(tables.joint_pieces), len(pieces))
        tables.joint_pieces += [JointPiece(first_node + piece.node, piece.row) for piece in pieces]
    return moved


def _joint(velocity: int, node: int, lane: int, first_piece: int, pieces: int) -> JointLimit:
    """A joint without limits and friction."""
    return JointLimit(0, velocity, node, lane, -np.inf, np.inf, 0.0, first_piece, pieces)


def _plans(plans: Sequence[Elimination]) -> Plans:
    """All plans behind each other."""
    fields = Elimination._fields[:-1]
    starts = np.zeros((len(plans) + 1, len(fields)), dtype=np.int64)
    for k, plan in enumerate(plans):
        starts[k + 1] = starts[k] + [len(getattr(plan, name)) for name in fields]
    empty = np.zeros(0, dtype=np.int64)
    lists = {name: np.concatenate([empty, *(getattr(plan, name) for plan in plans)]) for name in fields}
    return Plans(starts, _integers([plan.size for plan in plans]), Elimination(**lists, size=0))


def pair_materials(materials: Sequence[Material | RobotSide]) -> tuple[Any, int]:
    """Of all pairs."""
    rows = []
    for one in materials:
        for other in materials:
            pair = touching_material(one, other)
            rows.append(tuple(getattr(pair, name) for name in PairMaterial._fields))
    return _records(PairMaterial, rows), len(materials)


def new_state(
    world: World, contacts: ContactWorld, q: Array, v: Array, *, joints: int, drives: Array
) -> WorldState:
    """At rest in time: nothing touches yet. joints: number of axes that commands act on."""
    return WorldState(
        q=np.array(q, dtype=np.float64),
        v=np.array(v, dtype=np.float64),
        integral=np.zeros(joints),
        drives=np.array(drives, dtype=np.float64),
        time=np.zeros(1),
        contacts=new_records(Contact, _CONTACTS),
        impulses=np.zeros((_CONTACTS, 3)),
        joint_impulses=np.zeros(len(world.joints)),
        counts=np.zeros(len(Count), dtype=np.int64),
        rest=np.zeros(world.movers, dtype=np.int64),
        memory=contacts.memory(),
    )


def _zeros_by_lines(*shape: int) -> Array:
    """Zeros that begin where a line of the cache does, so that no row of eight numbers lies in two of them."""
    count = int(np.prod(shape))
    memory = np.zeros(8 * count + _LINE, dtype=np.uint8)
    first = -memory.ctypes.data % _LINE
    return memory[first : first + 8 * count].view(np.float64).reshape(shape)


def workspace_sizes(world: World) -> tuple[int, int]:
    """How many numbers the kernels of all robots take and give."""
    robots: Any = world.robots
    inputs = robots["inputs"]["size"].sum()
    outputs = sum(robots["results"][name]["size"].sum() for name in ("approach", "settled"))
    return int(inputs), int(outputs)


def new_workspace(world: World, contacts: ContactWorld, *, nv: int, threads: int = 1) -> Workspace:
    """Room for the steps of one world; threads: that share them."""
    rows, nodes = contacts.bodies, len(world.node_velocities)
    inputs, outputs = workspace_sizes(world)
    return Workspace(
        inputs=np.zeros(inputs),
        outputs=_zeros_by_lines(outputs),
        bodies=Bodies(np.zeros((rows, 3, 3)), np.zeros((rows, 3)), np.zeros((rows, 3)), np.zeros((rows, 3))),
        origins=np.zeros((len(world.robots), 3)),
        free=_zeros_by_lines(nodes, WIDTH),
        v=_zeros_by_lines(nodes, WIDTH),
        found=new_records(Contact, _CONTACTS),
        effort=np.zeros(nv),
        given_linear=np.zeros((len(world.link_mover), 3)),
        given_angular=np.zeros((len(world.link_mover), 3)),
        still=np.zeros(rows, dtype=np.bool_),
        spun=np.zeros((len(world.free), 3)),
        shared=Shared(new_team(threads), new_records(Contact, 2 * _CONTACTS if threads > 1 else 0)),
    )
