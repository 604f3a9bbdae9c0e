"""A robot in a time step, before and after contact, as traced code: all that is made for a robot and nothing else.

`approach` is what a step does before anything is known of contact: joint control, smooth forces, inertia, where all
links are and how they will move if nothing stops them. The inertia comes in the blocks in which islands of contact are
solved (`velocity_nodes`), motions of links as rows of these. `settle` follows when the velocity at the end of the step
is known. The length of a step, gravity and commands are numbers that they are called with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.compiler.once import once_property
from footfall.dynamics.configuration import integrate
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import link_poses, world_velocities
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.errors import InvalidInput
from footfall.math.block_sparse import WIDTH, Elimination, block_number, plan_elimination
from footfall.math.positive_definite import solve_positive_definite
from footfall.robot.digest import digest_of
from footfall.robot.loop_equations import held_equations
from footfall.robot.model import JointType, Robot
from footfall.robot.tree import Tree
from footfall.simulation.contact_rows import LinkMotion, Row
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.joint_control import (
    JointControl,
    actuated_velocities,
    joint_control,
    limited_velocities,
    rubbing_velocities,
)
from footfall.simulation.smooth_forces import Driven, SmoothForces, driven, joint_effort, smooth_forces
from footfall.simulation.step_values import Command

if TYPE_CHECKING:
    from footfall.simulation.lanes.base_load import BaseLoad

# The velocities of a robot in nodes of up to eight, along its branches: its inertia couples them in blocks.


@dataclass(frozen=True)
class VelocityNodes:
    """members: the velocities of each node, in the order of its lanes, each before those that hang on it. pairs: nodes
    between which the inertia has entries, the one nearer to the root first."""

    members: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def places(self) -> dict[int, tuple[int, int]]:
        """Node and lane of each velocity."""
        return {v: (node, lane) for node, row in enumerate(self.members) for lane, v in enumerate(row)}


def velocity_nodes(tree: Tree) -> VelocityNodes:
    """Chains of the tree, cut after eight velocities; where it branches, one branch may go on in the same node. Short
    limbs that hang on the same node share one.

    So the velocities of a node that move a link stand side by side, and begin where a limb does.
    """
    children: dict[int, list[int]] = {}
    for velocity, parent in enumerate(tree.parent_velocity):
        children.setdefault(parent, []).append(velocity)
    members: list[tuple[int, ...]] = []
    above: list[int] = []  # the node before each
    pending = [(velocity, -1) for velocity in reversed(children.get(-1, []))]
    while pending:
        velocity, before = pending.pop()
        lanes = _chain(children, velocity)[:WIDTH]
        others: list[int] = []
        while branches := children.get(lanes[-1], []):
            rest = WIDTH - len(lanes)
            fitting = [child for child in branches if len(_chain(children, child)) <= rest]
            # The branch that others hang on: it stands in all of their paths.
            chosen = max(fitting, key=lambda child: _size(children, child), default=None)
            if chosen is None:
                others += branches
                break
            others += [child for child in branches if child != chosen]
            lanes += _chain(children, chosen)
        members.append(tuple(lanes))
        above.append(before)
        pending += [(child, len(members) - 1) for child in sorted(others, reverse=True)]
    members, above = _limbs_together(members, above)
    pairs = []
    for node in range(len(members)):
        other = above[node]
        while other >= 0:
            pairs.append((other, node))
            other = above[other]
    return VelocityNodes(tuple(members), tuple(pairs))


def _limbs_together(
    members: list[tuple[int, ...]], above: list[int]
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The nodes and the one before each, where nodes that nothing hangs on share one if they hang on the same."""
    rows: list[tuple[int, ...]] = []
    before: list[int] = []
    numbers: list[int] = []  # that nodes have in the result
    limbs: set[int] = set()  # those of the result that nothing hangs on
    for node, row in enumerate(members):
        carrier = numbers[above[node]] if above[node] >= 0 else -1
        beside = [k for k in limbs if before[k] == carrier and len(rows[k]) + len(row) <= WIDTH]
        if node not in above and beside:
            rows[min(beside)] += row
            numbers.append(min(beside))
            continue
        if node not in above:
            limbs.add(len(rows))
        numbers.append(len(rows))
        rows.append(row)
        before.append(carrier)
    return rows, before


def _chain(children: dict[int, list[int]], velocity: int) -> list[int]:
    """A velocity and those after it until the tree branches or ends."""
    chain = [velocity]
    while len(children.get(chain[-1], [])) == 1:
        chain.append(children[chain[-1]][0])
    return chain


def _size(children: dict[int, list[int]], velocity: int) -> int:
    """How many velocities hang on one, with itself."""
    return 1 + sum(_size(children, child) for child in children.get(velocity, []))


@dataclass(frozen=True)
class Piece:
    """What one node gives to the motion of a link. table: number of the motion (6, 8) that `approach` gives. lanes: how
    many of its columns count."""

    node: int
    table: int
    lanes: int


@dataclass(frozen=True)
class SumPiece:
    """What one node gives to the rate of a joint that follows others, or of a loop's equation. row: its number among
    those that `approach` gives."""

    node: int
    row: int


@dataclass(frozen=True)
class RobotMotion:
    """A robot with what steps are made of.

    train: its drives, if they are simulated, or what a row of a batch adds to its base. middle: whether Coriolis and
    gyroscopic forces are those in the middle of the step. implicit_gains: see `joint_control`.
    """

    robot: Robot
    train: DriveTrain | BaseLoad | None = None
    middle: bool = False
    implicit_gains: bool = True

    @cached_property
    def nodes(self) -> VelocityNodes:
        return velocity_nodes(self.robot.tree)

    @cached_property
    def plan(self) -> Elimination:
        """How systems with the pattern of the inertia are solved."""
        pairs = np.array(self.nodes.pairs, dtype=np.int64).reshape(-1, 2)
        return plan_elimination(len(self.nodes.members), pairs)

    @cached_property
    def pieces(self) -> tuple[tuple[Piece, ...], ...]:
        """The pieces of each link's motion."""
        return tuple(tuple(row) for row in self._pieces[0])

    @cached_property
    def _pieces(self) -> tuple[list[list[Piece]], list[tuple[int, int]]]:
        """Of each link; and of each motion in the table a link that has it whole, and the node."""
        tree, places = self.robot.tree, self.nodes.places
        pieces: list[list[Piece]] = []
        tables: list[tuple[int, int]] = []
        # limb -> table; links of looped robots have tables of their own
        shared: dict[tuple[int, int], int] = {}
        longest: dict[tuple[int, int], int] = {}  # limb -> lanes of the link that the table is of
        for link in range(len(tree.links)):
            found: dict[int, list[int]] = {}
            for velocity in _moving(self.robot, link):
                node, lane = places[velocity]
                found.setdefault(node, []).append(lane)
            row = []
            for node, moved in sorted(found.items()):
                # A node may have several, one behind the other.
                limb, lanes = (
                    (node, min(moved)),
                    max(moved) + 1,
                )
                if tree.loops is not None or limb not in shared:
                    shared[limb], longest[limb] = len(tables), lanes
                    tables.append((link, node))
                elif lanes > longest[limb]:
                    tables[shared[limb]], longest[limb] = (link, node), lanes
                row.append(Piece(node, shared[limb], WIDTH if tree.loops is not None else lanes))
            pieces.append(row)
        return pieces, tables

    @cached_property
    def followers(self) -> dict[int, tuple[SumPiece, ...]]:
        """Joints that follow others through loops and have limits or dry friction: by their velocity in the tree what
        the velocities of nodes give it."""
        tree, places = self.robot.tree, self.nodes.places
        if tree.loops is None:
            return {}
        wanted = {velocity for _, velocity in limited_velocities(self.robot)} | {
            *rubbing_velocities(self.robot)
        }
        rows = Coupling(self.robot, tree.loops.reference).rows
        found: dict[int, tuple[SumPiece, ...]] = {}
        count = 0
        for velocity in sorted(wanted - {*tree.loops.independent}):
            nodes = sorted({places[own][0] for own in rows[velocity]})
            found[velocity] = tuple(SumPiece(node, count + k) for k, node in enumerate(nodes))
            count += len(nodes)
        return found

    @cached_property
    def held(self) -> tuple[tuple[SumPiece, ...], ...]:
        """Equations of loops that forces hold: what the velocities of nodes give to each."""
        tree, places = self.robot.tree, self.nodes.places
        if tree.loops is None or not tree.loops.held:
            return ()
        count, found = sum(len(pieces) for pieces in self.followers.values()), []
        coupling = Coupling(self.robot, tree.loops.reference)
        for _, row in held_equations(tree, tree.loops.reference):
            nodes = sorted({places[own][0] for own in coupling.row(row)})
            found.append(tuple(SumPiece(node, count + k) for k, node in enumerate(nodes)))
            count += len(nodes)
        return tuple(found)

    @property
    def joints(self) -> int:
        """Number of joint axes that commands act on."""
        return len(actuated_velocities(self.robot))

    # Kernels

    @once_property
    def approach(self) -> Kernel:
        """Before contact; see `_approach` for what it gives."""
        return self._kernel(self._approach, {"q": self.robot.nq, "v": self.robot.nv})

    @once_property
    def settle(self) -> Kernel:
        """After contact; see `_settle` for what it gives."""
        return self._kernel(self._settle, {"q": self.robot.nq, "v": self.robot.nv, "v_after": self.robot.nv})

    def _kernel(self, function: Any, inputs: dict[str, int | tuple[int, ...]]) -> Kernel:
        robot, joints = self.robot, self.joints
        inputs["integral"] = joints
        inputs |= dict.fromkeys((f"command_{name}" for name in Command._fields), joints)
        inputs |= {"gravity": 3, "dt": ()}
        inputs["drives"] = 0 if self.train is None else self.train.size
        return build_kernel(
            function,
            inputs,
            name=function.__name__.strip("_"),
            key=f"{type(self).__name__} {robot.fingerprint} {digest_of(robot.springs)} {self._options}",
            module=type(self).__module__,
            check_finite=False,
        )

    @property
    def _options(self) -> str:
        """What native code depends on besides the robot and its springs."""
        drives = "" if self.train is None else f"{digest_of(self.robot.drives)} {self.train.key}"
        return f"{self.middle} {self.implicit_gains} {drives}"

    def _approach(self, **given: Any) -> Mapping[str, Any]:
        """mass (8 blocks, 8), pivots (n, 8): see `footfall.contact.islands.island`. free (nv,):
        velocity after the step without contact. integral (joints,). rotations (links, 3, 3), positions (links, 3): of
        links now, linear and angular (links, 3): their velocities after the step without contact. motions (6 tables,
        8): about the origin (3,), which is given too. sums (n, 8): see `SumPiece`; misses (m,):
        by how much loops that forces hold are apart; both only if there are any."""
        robot, tree, dt = self.robot, self.robot.tree, given["dt"]
        q, v = given["q"], given["v"]
        coupling = Coupling(robot, q)
        acting = self._forces(given, coupling)
        factor = factorise(tree, acting.inertia)
        free = v + solve_factored(tree, factor, dt * acting.forces)
        poses = link_poses(tree, q)
        motion = LinkMotion(tree, poses, coupling)
        velocities = world_velocities(tree, poses, coupling.velocity(free))
        origin = self._origin(poses)
        return {
            "mass": self._blocks(acting.inertia),
            "pivots": self._by_node(factor.inverse_pivots),
            "free": free,
            "integral": acting.control.integral,
            "rotations": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
            "positions": np.array([pose.translation for pose in poses]).reshape(-1, 3),
            "linear": np.array([row[:3] for row in velocities]).reshape(-1, 3),
            "angular": np.array([row[3:] for row in velocities]).reshape(-1, 3),
            "motions": self._motions(motion, origin),
            "origin": origin,
            **self._sums(q, coupling),
        }

    def _sums(self, q: Array, coupling: Coupling) -> dict[str, Array]:
        equations = held_equations(self.robot.tree, q)
        sums = [(coupling.rows[velocity], pieces) for velocity, pieces in self.followers.items()]
        sums += [(coupling.row(row), pieces) for (_, row), pieces in zip(equations, self.held, strict=True)]
        rows = [
            [_entry(row, v) for v in self._padded(piece.node)] for row, pieces in sums for piece in pieces
        ]
        given = {"sums": np.array(rows)} if rows else {}
        return given | ({"misses": np.array([miss for miss, _ in equations])} if equations else {})

    def _settle(self, **given: Any) -> Mapping[str, Any]:
        """q (nq,) after the step; effort (nv,) that the joints gave, N m; drives: their state."""
        robot, dt, v, after = self.robot, given["dt"], given["v"], given["v_after"]
        acting = self._driven(given)
        control = self._control(given, acting.command)
        effort = joint_effort(robot, control, acting.action, after - v, dt)
        return {
            "q": integrate(robot, given["q"], dt * after),
            "effort": effort,
            "drives": acting.following(after),
        }

    # What they consist of

    @staticmethod
    def _command(given: Mapping[str, Any]) -> Command:
        return Command(*(given[f"command_{name}"] for name in Command._fields))

    def _driven(self, given: Mapping[str, Any]) -> Driven:
        command, q, v = self._command(given), given["q"], given["v"]
        return driven(self.robot, self.train, given["drives"], command, q, v, given["dt"])

    def _control(self, given: Mapping[str, Any], command: Command) -> JointControl:
        q, v, dt = given["q"], given["v"], given["dt"]
        return joint_control(
            self.robot, q, v, given["integral"], command, dt, implicit_gains=self.implicit_gains
        )

    def _forces(self, given: Mapping[str, Any], coupling: Coupling) -> SmoothForces:
        """All smooth forces, and the inertia that they move."""
        acting, foreseen = self._driven(given), range(self.robot.nv if self.middle else 0)
        return smooth_forces(
            self.robot, given["q"], given["v"], self._control(given, acting.command), acting.action, coupling,
            given["dt"], foreseen=foreseen, gravity=given["gravity"],
        )  # fmt: skip

    def _origin(self, poses: list[Any]) -> Array:
        """Where motions are taken: at a floating base, so that numbers stay small wherever it is."""
        floating = {joint.child for joint in self.robot.joints if joint.type is JointType.FLOATING}
        for link, pose in zip(self.robot.tree.links, poses, strict=True):
            if link.body in floating and link.kind == "spherical":
                return np.asarray(pose.translation)
        return np.zeros(3)

    def _by_node(self, values: Array) -> Array:
        rows = [[values[v] for v in row] + [0.0] * (WIDTH - len(row)) for row in self.nodes.members]
        return np.array(rows).reshape(-1, WIDTH)

    def _blocks(self, inertia: Array) -> Array:
        """The blocks of the inertia as the plan numbers them, with ones where a node has no velocity."""
        plan, members = self.plan, self.nodes.members
        blocks: list[Any] = [None] * plan.size
        for node, row in enumerate(members):
            blocks[int(plan.places[node])] = _block(inertia, row, row, diagonal=True)
        for one, other in self.nodes.pairs:
            first, second = sorted((one, other), key=lambda node: int(plan.places[node]))
            block = _block(inertia, members[first], members[second], diagonal=False)
            # Above the diagonal it stands as it is, below transposed: the same numbers.
            for a, b in ((first, second), (second, first)):
                blocks[block_number(plan, int(plan.places[a]), int(plan.places[b]))] = block
        empty = np.zeros((WIDTH, WIDTH))
        return np.concatenate([empty if block is None else block for block in blocks])

    def _motions(self, motion: LinkMotion, origin: Array) -> Array:
        rows: list[list[Any]] = []
        for link, node in self._pieces[1]:
            at_origin = motion.rows_at(link, origin)
            rows += [[_entry(row, v) for v in self._padded(node)] for row in at_origin]
        return np.array(rows).reshape(-1, WIDTH)

    def _padded(self, node: int) -> list[int]:
        row = self.nodes.members[node]
        return [*row, *[-1] * (WIDTH - len(row))]


def _entry(row: Row, velocity: int) -> Any:
    return row.get(velocity, 0.0)


def _block(inertia: Array, rows: tuple[int, ...], columns: tuple[int, ...], *, diagonal: bool) -> Array:
    block = np.zeros((WIDTH, WIDTH)).astype(object)
    for i, a in enumerate(rows):
        for j, b in enumerate(columns):
            block[i, j] = inertia[a, b]
    if diagonal:
        for k in range(len(rows), WIDTH):
            block[k, k] = 1.0
    return block


def _moving(robot: Robot, link: int) -> list[int]:
    """The velocities that move a link."""
    tree = robot.tree
    own = [k for index in tree.path(link) for k in range(tree.nv)[tree.links[index].v]]
    if tree.loops is None:
        return own
    rows = Coupling(robot, tree.loops.reference).rows
    return sorted({place for velocity in own for place in rows[velocity]})


# A robot whose joints move as prescribed, in a time step: only its floating base is free.
#
# Ideal drives: with `M_bb (v_b' - v_b) = -dt h_b - M_bj (v_j' - v_j) + J_b^T p` the base follows from contact and from
# what the joints do, Seiwald (2023), section 7.4. The step of a world then has six unknown velocities for the robot,
# whatever it consists of; how links move with the joints is given (`Workspace.given_linear`).


@dataclass(frozen=True)
class PrescribedMotion(RobotMotion):
    """See `RobotMotion`. Commands give the velocities that joints have at the end of a step; nothing else of them
    counts."""

    def __post_init__(self) -> None:
        floating = [joint for joint in self.robot.joints if joint.type is JointType.FLOATING]
        driven = {velocity for _, velocity in actuated_velocities(self.robot)}
        if self.robot.loops or len(floating) != 1 or len(driven) + 6 != self.robot.nv:
            raise InvalidInput(
                f"joints of {self.robot.name!r} cannot be prescribed: that needs one floating base, single joint axes "
                "and no loops"
            )

    @cached_property
    def base(self) -> tuple[int, ...]:
        """The velocities of the floating base."""
        driven = {velocity for _, velocity in actuated_velocities(self.robot)}
        return tuple(velocity for velocity in range(self.robot.nv) if velocity not in driven)

    @cached_property
    def nodes(self) -> VelocityNodes:
        return VelocityNodes((self.base,), ())

    @cached_property
    def pieces(self) -> tuple[tuple[Piece, ...], ...]:
        """All links move with the base as one body; those before it, which have no mass, are never touched."""
        return ((Piece(0, 0, WIDTH),),) * len(self.robot.tree.links)

    def _approach(self, **given: Any) -> Mapping[str, Any]:
        """As `RobotMotion`, and given (links, 6): the velocity [v; w] of each link's origin while the base rests."""
        robot, tree, dt = self.robot, self.robot.tree, given["dt"]
        q, v, wanted = given["q"], given["v"], given["command_velocity"]
        after = [v[k] for k in range(robot.nv)]
        alone: list[Any] = [0.0] * robot.nv
        for k, (_, velocity) in enumerate(actuated_velocities(robot)):
            after[velocity] = alone[velocity] = wanted[k]
        base = list(self.base)
        middle, change = 0.5 * (v + np.array(after)), np.array(after) - v
        bias = newton_euler(robot, q, middle, np.zeros(robot.nv), None, gravity=given["gravity"])
        mass = composite_bodies(robot, q)
        own = np.array([[mass[i, j] for j in base] for i in base])
        driven = [k for k in range(robot.nv) if k not in base]
        pushed = np.array(
            [dt * -bias[i] - sum((mass[i, j] * change[j] for j in driven), 0.0 * dt) for i in base]
        )
        for i, moved in zip(base, solve_positive_definite(own, pushed), strict=True):
            after[i] = v[i] + moved
        free = np.array(after)
        poses = link_poses(tree, q)
        velocities = world_velocities(tree, poses, free)
        by_joints = world_velocities(tree, poses, np.array(alone))
        origin = self._origin(poses)
        return {
            "mass": self._blocks(mass),
            "pivots": self._by_node(self._at_base(np.array([1.0 / own[k, k] for k in range(len(base))]))),
            "free": free,
            "integral": given["integral"],
            "rotations": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
            "positions": np.array([pose.translation for pose in poses]).reshape(-1, 3),
            "linear": np.array([row[:3] for row in velocities]).reshape(-1, 3),
            "angular": np.array([row[3:] for row in velocities]).reshape(-1, 3),
            "motions": self._rigid(LinkMotion(tree, poses, Coupling(robot, q)), origin),
            "origin": origin,
            "given": np.array(by_joints).reshape(-1, 6),
        }

    def _settle(self, **given: Any) -> Mapping[str, Any]:
        """As `RobotMotion`; what joints give is not known here: contact has a part in it (effort is zero)."""
        robot = self.robot
        q = integrate(robot, given["q"], given["dt"] * given["v_after"])
        return {"q": q, "effort": np.zeros(robot.nv), "drives": given["drives"]}

    def _at_base(self, values: Array) -> Array:
        """Values (6,) of the base among those of all velocities (nv,)."""
        result: list[Any] = [0.0] * self.robot.nv
        for k, velocity in enumerate(self.base):
            result[velocity] = values[k]
        return np.array(result)

    def _rigid(self, motion: LinkMotion, origin: Array) -> Array:
        """Motion (6, 8) of all links with the base, about the origin."""
        tree = self.robot.tree
        last = max(
            index for index, link in enumerate(tree.links) if set(range(tree.nv)[link.v]) & {*self.base}
        )
        rows = motion.rows_at(last, origin)
        return np.array([[row.get(velocity, 0.0) for velocity in self._padded(0)] for row in rows])
