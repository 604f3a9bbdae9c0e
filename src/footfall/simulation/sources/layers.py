"""A simulation of a robot on contact layers: their nodes touch, nothing else does.

Displacements x of the nodes are states of their own. With impulses p on the nodes of a layer, its compliance C and
relaxation tau, an implicit step from x has the rates

    x' = (C p / dt - x) / (tau + dt),

so a node is a contact that gives way by `C / (dt (tau + dt))`, together with its neighbours. Impulses of all nodes and
of joints at their stops, and the velocity of the robot, are found together (`footfall.contact.layer_sweeps`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import new_records
from footfall.contact.contact_layer import ContactLayer
from footfall.contact.contacts import contact_frame
from footfall.contact.detection.shapes import Bodies
from footfall.contact.detection.world import ContactWorld, contacts_of, resting
from footfall.contact.layer_sweeps import JointStop, LayerNode, LayerProblem, LayerState, Swept, sweep_layers
from footfall.contact.pair_material import touching_material
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.shapes import Sphere
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.engine import Batch, Deepest, Period, PeriodCourse, Pushes, RolloutParts
from footfall.simulation.joint_control import limited_velocities, rubbing_velocities
from footfall.simulation.robot_motion import RobotMotion
from footfall.simulation.run_values import ContactLog, SimulationState
from footfall.simulation.run_watch import are_good
from footfall.simulation.step_values import Command, StepOptions
from footfall.simulation.world.engine import Setting

_POINT = 1e-6  # m: radius of the balls that stand for nodes in detection
_REACH = 0.01  # m: so near to something a node at rest may touch it in a step, displaced as it may be


@dataclass(frozen=True, eq=False)
class LayerNodes:
    """All nodes, layer by layer; displacements are three rows a node.

    links: numbers of those that carry layers. link: (n,) the place of a node's among them. points: (n, 3) at rest in
    the link's frame, m. first, last: (n,) rows of its layer. compliance: (3 n, most) of all layers in the axes of their
    links, m/N. relaxation: (n,) s. bodies: names of what carries them.
    """

    links: tuple[int, ...]
    link: Integers
    points: Array
    first: Integers
    last: Integers
    compliance: Array
    relaxation: Array
    bodies: tuple[str, ...]

    @property
    def rows(self) -> int:
        """Number of displacements."""
        return 3 * len(self.points)


def layer_nodes(robot: Robot, layers: Sequence[ContactLayer]) -> LayerNodes:
    """The nodes of all layers in one table."""
    attachments = [frame_attachment(robot, layer.body) for layer in layers]
    links = tuple(dict.fromkeys(each.link for each in attachments))
    counts = [len(layer.points) for layer in layers]
    ends = 3 * np.cumsum(counts)
    compliance = np.zeros((int(ends[-1]), 3 * max(counts)))
    for layer, each, end in zip(layers, attachments, ends, strict=True):
        blocks, turn = layer.compliance.reshape(-1, 3, len(layer.points), 3), each.placement.rotation
        turned = np.einsum("ij,ajbk,lk->aibl", turn, blocks, turn)
        compliance[end - layer.states : end, : layer.states] = turned.reshape(layer.states, -1)
    return LayerNodes(
        links,
        np.repeat([links.index(each.link) for each in attachments], counts),
        np.array(
            [
                each.placement.apply(point)
                for layer, each in zip(layers, attachments, strict=True)
                for point in layer.points
            ]
        ),
        np.repeat(ends - 3 * np.array(counts), counts),
        np.repeat(ends, counts),
        compliance,
        np.repeat([layer.relaxation for layer in layers], counts),
        tuple(layer.body for layer in layers for _ in layer.points),
    )


class TouchingNodes(NamedTuple):
    """m nodes that may touch.

    nodes: (m,) their numbers. frames: (m, 3, 3) of what they touch, columns (t1, t2, n). gaps: (m,) m. velocities:
    (m, 3) of what they touch, m/s. friction: (m,). others: (m,) numbers of what they touch.
    """

    nodes: Integers
    frames: Array
    gaps: Array
    velocities: Array
    friction: Array
    others: Integers


class NodeFinder:
    """Finds what nodes touch in a scene: each is a point for detection, where it is at rest."""

    def __init__(self, scene: Scene, nodes: LayerNodes) -> None:
        self.nodes = nodes
        self.contacts = ContactWorld(len(nodes.links))
        for thing in scene.fixed_objects:
            if thing.contact:
                self.contacts.add(thing)
        self.contacts.exclude(combinations(dict.fromkeys(nodes.bodies), 2))
        for k, point in enumerate(nodes.points):
            ball = (Sphere(_POINT), Transform(np.eye(3), point), 1, 1)
            self.contacts.add_body(nodes.bodies[k], int(nodes.link[k]), [ball], None)
        self._memory = self.contacts.memory()
        self._node = self._nodes_of_shapes()
        self.friction = self._frictions()

    def _nodes_of_shapes(self) -> Integers:
        """The node of each shape, -1 for those that nodes touch."""
        result = np.full(len(self.contacts.shape_owners), -1)
        for body in dict.fromkeys(self.nodes.bodies):
            own = [k for k, name in enumerate(self.nodes.bodies) if name == body]
            result[list(self.contacts.shapes(body))] = own
        return result

    def _frictions(self) -> Array:
        materials = self.contacts.materials
        return np.array([[touching_material(a, b).friction for b in materials] for a in materials])

    def find(
        self, rotations: Array, positions: Array, displacements: Array, *, time: float, way: float = 0.0
    ) -> TouchingNodes:
        """What nodes with displacements (n, 3) along the axes of their links touch, the nearest thing each.

        rotations (links, 3, 3), positions (links, 3): of the links that carry layers, m. time: s. way: how far they may
        come in the step, m.
        """
        paths = resting([path.pose(time) for path in self.contacts.paths.values()])
        still = np.zeros((len(positions) + len(paths.position), 3))
        bodies = Bodies(
            np.concatenate([rotations, paths.rotation]),
            np.concatenate([positions, paths.position]),
            still,
            still,
        )
        contacts, self._memory = contacts_of(self.contacts, self._memory, bodies, reach=_REACH + way)
        nodes = self._node[contacts["first"]]
        shift = np.einsum("nij,nj->ni", rotations[self.nodes.link], displacements)
        gaps = contacts["gap"] + _POINT + np.einsum("mi,mi->m", contacts["normal"], shift[nodes])
        order = np.lexsort((gaps, nodes))
        nearest = order[np.unique(nodes[order], return_index=True)[1]]
        contacts, gaps, nodes = contacts[nearest], gaps[nearest], nodes[nearest]
        shapes = self.contacts.table.shapes
        second = shapes[contacts["second"]]
        return TouchingNodes(
            nodes,
            _frames(contacts["normal"]),
            gaps,
            self._velocities(second["body"], contacts["position"], time),
            self.friction[shapes["material"][contacts["first"]], second["material"]],
            second["owner"],
        )

    def _velocities(self, bodies: Integers, points: Array, time: float) -> Array:
        """Of points (m, 3) on objects that are on given paths."""
        result = np.zeros((len(points), 3))
        for k, path in enumerate(self.contacts.paths.values()):
            on = bodies == self.contacts.links + k
            twist = path.velocity(time)
            result[on] = twist[:3] + np.cross(twist[3:], points[on] - path.pose(time).translation)
        return result


def _frames(normals: Array) -> Array:
    """Contact frames (m, 3, 3) of normals (m, 3); mostly there are few different ones."""
    kinds, which = np.unique(normals, axis=0, return_inverse=True)
    return np.array([contact_frame(normal) for normal in kinds]).reshape(-1, 3, 3)[which.ravel()]


_MOST_SWEEPS = 2000


class JointPlace(NamedTuple):
    """A joint with stops or dry friction: its coordinate and velocity; friction: N m, zero for stops."""

    coordinate: int
    velocity: int
    friction: float


class Approach(NamedTuple):
    """The robot before contact, as `LayerMotion` gives it."""

    inertia: Array
    free: Array
    integral: Array
    rotations: Array
    positions: Array
    jacobian: Array


class LayerValues(NamedTuple):
    """What layers hand from step to step. displacements: (n, 3) of the nodes along the axes of their links, m.
    impulses: (n, 3) on them in the last step, world axes, and stops: (joints,) of joints, N s or N m s."""

    displacements: Array
    impulses: Array
    stops: Array


class Solved(NamedTuple):
    """v (nv,) after the step, and what layers hand on."""

    v: Array
    values: LayerValues
    swept: Swept


@dataclass(frozen=True, eq=False)
class LayerStep:
    """Steps of a robot on layers. tolerance: of impulses, N s."""

    robot: Robot
    nodes: LayerNodes
    options: StepOptions
    tolerance: float

    @cached_property
    def joints(self) -> tuple[JointPlace, ...]:
        """Those that stops and dry friction act on; of a robot with loops the independent ones."""
        robot, options = self.robot, self.options.joints
        loops = robot.tree.loops
        own = {v: k for k, v in enumerate(range(robot.nv) if loops is None else loops.independent)}
        limited = limited_velocities(robot) if options.limits else []
        rubbing = [own[v] for v in rubbing_velocities(robot) if v in own] if options.friction else []
        stops = [JointPlace(q, own[v], 0.0) for q, v in limited if v in own]
        return (*stops, *(JointPlace(-1, v, float(robot.friction[v])) for v in rubbing))

    def start(self) -> LayerValues:
        """Layers that nothing has touched."""
        zeros = np.zeros((len(self.nodes.points), 3))
        return LayerValues(zeros, zeros, np.zeros(len(self.joints)))

    def solve(self, now: Approach, q: Array, before: LayerValues, touching: TouchingNodes) -> Solved:
        """Impulses of a step that begins at q (nq,), and what follows from them."""
        nodes, dt = self.nodes, self.options.dt
        rows = np.zeros((len(self.joints), len(now.free)))
        rows[np.arange(len(rows)), [joint.velocity for joint in self.joints]] = 1.0
        motions = np.concatenate([now.jacobian, rows])
        answers = np.linalg.solve(now.inertia, motions.T)  # velocities of impulses on links and joints
        slow = nodes.relaxation + dt
        problem = LayerProblem(
            self._touching_nodes(now, before, touching),
            self._stops(q, len(now.jacobian)),
            motions @ answers,
            nodes.compliance / np.repeat(dt * slow, 3)[:, None],
        )
        state = LayerState(
            np.einsum("mij,mi->mj", touching.frames, before.impulses[touching.nodes]),
            before.stops.copy(),
            motions @ now.free,
            np.zeros(len(motions)),
            np.zeros(nodes.rows),
        )
        swept = sweep_layers(problem, state, self.tolerance, _MOST_SWEEPS)
        impulses = np.zeros_like(before.impulses)
        impulses[touching.nodes] = np.einsum("mij,mj->mi", touching.frames, np.asarray(state.impulses))
        relaxed = before.displacements * (nodes.relaxation / slow)[:, None]
        values = LayerValues(relaxed + dt * state.rates.reshape(-1, 3), impulses, state.stop_impulses)
        return Solved(now.free + answers @ state.pushed, values, swept)

    def _touching_nodes(self, now: Approach, before: LayerValues, touching: TouchingNodes) -> Any:
        nodes, dt, k = self.nodes, self.options.dt, touching.nodes
        made = new_records(LayerNode, len(k))
        link = nodes.link[k]
        turns, shift = now.rotations[link], before.displacements[k]
        arms = np.einsum("mij,mj->mi", turns, nodes.points[k] + shift)
        relaxing = np.einsum("mij,mj->mi", turns, shift / (nodes.relaxation[k] + dt)[:, None])
        bias = np.einsum("mji,mj->mi", touching.frames, -relaxing - touching.velocities)
        # A penetration comes from what a step could not see; undone at once it would throw, as in `world.laws`.
        gaps = np.maximum(touching.gaps, self.options.contact.recovery * touching.gaps)
        bias[:, 2] += np.maximum(gaps / dt, -self.options.contact.recovery_speed)
        fields = {
            "link": link,
            "row": 3 * k,
            "first": nodes.first[k],
            "last": nodes.last[k],
            "arm": arms,
            "frame": touching.frames,
            "turned": np.einsum("mji,mjk->mik", turns, touching.frames),
            "bias": bias,
            "friction": touching.friction,
        }
        for name, values in fields.items():
            made[name] = values
        return made

    def _stops(self, q: Array, first: int) -> Any:
        """Rows of joints; first: where their rates begin among the motions."""
        stops, dt, robot = new_records(JointStop, len(self.joints)), self.options.dt, self.robot
        for k, (place, _, friction) in enumerate(self.joints):
            if friction > 0.0:
                stops[k] = (first + k, 1.0, 0.0, friction * dt)
                continue
            below, above = q[place] - robot.lower_limits[place], robot.upper_limits[place] - q[place]
            room = max(min(below, above) / dt, -self.options.contact.recovery_speed)
            stops[k] = (first + k, 1.0 if below < above else -1.0, room, np.inf)
        return stops


@dataclass(frozen=True)
class LayerMotion(RobotMotion):
    """A robot on contact layers before contact in a time step, with how some links move as matrices.

    links: numbers of those that carry layers.
    """

    links: tuple[int, ...] = ()

    @property
    def _options(self) -> str:
        return f"{super()._options} {self.links}"

    def _approach(self, **given: Any) -> Mapping[str, Any]:
        """inertia (nv, nv): what an impulse moves in the step. free (nv,): velocity after it without contact. integral
        (joints,). rotations (links, 3, 3), positions (links, 3): of the links that carry layers; jacobian (6 links,
        nv): of their motions [v; w] at their origins, world axes."""
        robot, tree, q = self.robot, self.robot.tree, given["q"]
        coupling = Coupling(robot, q)
        acting = self._forces(given, coupling)
        factor = factorise(tree, acting.inertia)
        free = given["v"] + solve_factored(tree, factor, given["dt"] * acting.forces)
        poses = link_poses(tree, q)
        motion = LinkMotion(tree, poses, coupling)
        rows = [
            [row.get(velocity, 0.0) for velocity in range(robot.nv)]
            for link in self.links
            for row in motion.link_rows(link)
        ]
        return {
            "inertia": acting.inertia,
            "free": free,
            "integral": acting.control.integral,
            "rotations": np.array([poses[link].rotation for link in self.links]).reshape(-1, 3, 3),
            "positions": np.array([poses[link].translation for link in self.links]).reshape(-1, 3),
            "jacobian": np.array(rows).reshape(-1, robot.nv),
        }


class LayeredEngine:
    """See `footfall.simulation.engine`."""

    def __init__(self, setting: Setting, layers: Sequence[ContactLayer], train: DriveTrain | None) -> None:
        self.setting, self.layers, self.train = setting, tuple(layers), train
        robot, options = setting.robot, setting.options
        _check(setting, self.layers)
        self.nodes = layer_nodes(robot, self.layers)
        self.motion = LayerMotion(
            robot, train, options.velocity_terms == "middle", options.joints.implicit_gains, self.nodes.links
        )
        self.finder = NodeFinder(setting.scene, self.nodes)
        weight = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81)
        self.steps = LayerStep(robot, self.nodes, options, options.solver.tolerance * weight * options.dt)

    def __getstate__(self) -> dict[str, Any]:
        """What it is made from: native code holds addresses."""
        return {"setting": self.setting, "layers": self.layers, "train": self.train}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def copy(self) -> LayeredEngine:
        """Another one, which shares the native code by its cache."""
        return LayeredEngine(self.setting, self.layers, self.train)

    @property
    def scene(self) -> Scene:
        return self.setting.scene

    @property
    def contacts(self) -> ContactWorld:
        """The nodes as detection sees them, and what they touch."""
        return self.finder.contacts

    @property
    def touching(self) -> set[str]:
        """Names of the bodies whose shapes may touch something."""
        return {body.name for body in self.robot.bodies if body.collisions}

    @property
    def attachments(self) -> Mapping[str, Attachment]:
        return self.setting.robot.tree.attachments

    def link_places(self, q: Array) -> tuple[Array, Array]:
        bodies = resting(link_poses(self.setting.robot.tree, q))
        return np.asarray(bodies.rotation), np.asarray(bodies.position)

    # State

    def start(self, q: Array, v: Array) -> SimulationState:
        drives = np.zeros(0) if self.train is None else self.train.start(q, v)
        integral = np.zeros(self.motion.joints)
        return _with_values(SimulationState(0.0, q, v, integral, np.zeros(0), drives), self.steps.start())

    def values(self, state: SimulationState) -> LayerValues:
        """What the layers have in a state."""
        rows = self.nodes.rows
        impulses, stops = state.impulses[:rows].reshape(-1, 3), state.impulses[rows:]
        return LayerValues(state.layers.reshape(-1, 3), impulses, stops)

    def deepest(self, state: SimulationState) -> Deepest | None:
        rotations, positions = self.link_places(state.q)
        links = list(self.nodes.links)
        displacements = self.values(state).displacements
        found = self.finder.find(rotations[links], positions[links], displacements, time=state.time)
        if not len(found.gaps) or found.gaps.min() >= 0.0:
            return None
        k = int(found.gaps.argmin())
        body, other = self.nodes.bodies[found.nodes[k]], self.contacts.owners[found.others[k]]
        return Deepest(float(-found.gaps[k]), body, other)

    # Running

    @property
    def robot(self) -> Robot:
        return self.setting.robot

    @property
    def names(self) -> Sequence[str]:
        """Of all that can be touched."""
        return self.contacts.owners

    def course(self, periods: int) -> PeriodCourse:
        return PeriodCourse(self, periods)

    def period(self, state: SimulationState, command: Command, pushes: Pushes) -> Period:
        """Some steps under one command."""
        train, steps = self.train, list[Period]()
        if train is not None:
            state = replace(state, drives=train.begin_command(state.drives))
        for _ in range(self.setting.substeps):
            steps.append(self.step(state, command, pushes))
            state = steps[-1].state
        residual, most = max(each.residual for each in steps), max(each.solver_steps for each in steps)
        return steps[-1]._replace(residual=residual, solver_steps=most)

    def step(self, state: SimulationState, command: Command, pushes: Pushes) -> Period:
        """From a state to that a step later."""
        robot, dt = self.setting.robot, self.setting.options.dt
        acting = (state.integral, *command, np.asarray(robot.gravity, dtype=np.float64), dt, state.drives)
        now = Approach(*self.motion.approach(state.q, state.v, *acting))
        for body, wrench in pushes.items():
            pushed = dt * frame_jacobian(robot, state.q, body).T @ wrench
            now = now._replace(free=now.free + np.linalg.solve(now.inertia, pushed))
        before = self.values(state)
        touching = self.touching_nodes(now, before, state.time)
        solved = self.steps.solve(now, state.q, before, touching)
        q, effort, drives = self.motion.settle(state.q, state.v, solved.v, *acting)
        after = SimulationState(state.time + dt, q, solved.v, now.integral, state.impulses, drives)
        currents = np.zeros(0) if self.train is None else self.train.currents(drives)
        contacts, swept = self._pressed(now, touching, before, solved.values), solved.swept
        return Period(
            _with_values(after, solved.values), effort, currents, swept.change, swept.sweeps, contacts
        )

    def touching_nodes(self, now: Approach, before: LayerValues, time: float) -> TouchingNodes:
        """Nodes that may touch in a step from now on."""
        way = self.setting.options.dt * float(np.abs(now.jacobian @ now.free).max(initial=0.0))
        return self.finder.find(now.rotations, now.positions, before.displacements, time=time, way=way)

    def _pressed(
        self, now: Approach, touching: TouchingNodes, before: LayerValues, after: LayerValues
    ) -> ContactLog:
        nodes, impulses = self.nodes, after.impulses[touching.nodes]
        some = np.flatnonzero(impulses.any(axis=1))
        pressed = touching.nodes[some]
        links = nodes.link[pressed]
        places = nodes.points[pressed] + before.displacements[pressed]
        return ContactLog(
            tuple(self.names),
            np.array([0, len(some)]),
            self._owners[pressed],
            touching.others[some],
            now.positions[links] + np.einsum("mij,mj->mi", now.rotations[links], places),
            touching.frames[some][:, :, 2],
            impulses[some] / self.setting.options.dt,
            touching.gaps[some],
        )

    @cached_property
    def _owners(self) -> Integers:
        """Numbers (n,) of what carries each node among those that can be touched."""
        return np.array([self.contacts.owners.index(body) for body in self.nodes.bodies], dtype=np.int64)

    def rollout(self, batch: Batch) -> tuple[Array, Array, Array]:
        """One robot after the other."""
        parts = RolloutParts(self.setting.robot, self.motion.joints, batch)
        q, v, residual = parts.out
        for row in range(parts.count):
            state, given = self.start(parts.q[row].copy(), parts.v[row].copy()), parts.commands(row)
            for k in range(parts.steps):
                done = self.period(state, Command(*given[min(k, len(given) - 1)]), {})
                state = done.state
                if not are_good(state.q, state.v):
                    q[row, k:], v[row, k:], residual[row, k:] = np.nan, np.nan, np.nan
                    break
                q[row, k], v[row, k], residual[row, k] = state.q, state.v, done.residual
        return q, v, residual


def _with_values(state: SimulationState, values: LayerValues) -> SimulationState:
    impulses = np.concatenate([values.impulses.ravel(), values.stops])
    return replace(state, impulses=impulses, layers=values.displacements.ravel())


def _check(setting: Setting, layers: Sequence[ContactLayer]) -> None:
    if not layers:
        raise InvalidInput("layers is empty; give one layer at least, or leave it out")
    for layer in layers:
        if frame_attachment(setting.robot, layer.body).link < 0:
            raise InvalidInput(f"layers: {layer.body!r} is fixed in the world; give layers to what moves")
    loops = setting.robot.tree.loops
    if loops is not None and loops.held:
        raise InvalidInput("layers: loops that forces hold are not known here; let coordinates hold them")
