"""A simulation of a robot on contact layers: their nodes touch, nothing else does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.contact.contact_layer import ContactLayer
from footfall.contact.detection.world import ContactWorld, resting
from footfall.contact.layer_sweeps import Swept
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.engine import Batch, Deepest, Pushes, RecordedRows, RolloutParts, body_numbers
from footfall.simulation.layers.step import (
    Approach,
    LayerStep,
    LayerValues,
    NodeFinder,
    TouchingNodes,
    layer_nodes,
)
from footfall.simulation.robot_motion import RobotMotion
from footfall.simulation.run_values import ContactLog, SimulationState, Trajectory
from footfall.simulation.run_watch import are_good
from footfall.simulation.step_values import Command
from footfall.simulation.world.engine import Setting

# A robot on contact layers, before contact in a time step: as `RobotMotion`, with how some links move as matrices.


@dataclass(frozen=True)
class LayerMotion(RobotMotion):
    """links: numbers of those that carry layers."""

    links: tuple[int, ...] = ()

    @property
    def _options(self) -> str:
        return f"{super()._options} {self.links}"

    def _approach(self, **given: Any) -> Mapping[str, Any]:
        """inertia (nv, nv): what an impulse moves in the step. free (nv,): velocity after it without contact. integral
        (joints,). rotations (links, 3, 3), positions (links, 3): of the links that carry layers; jacobian (6 links,
        nv): of their motions [v; w] at their origins, world axes."""
        robot, tree, q = self.robot, self.robot.tree, given["q"]
        control, action = self._acting(given)
        coupling = Coupling(robot, q)
        acting, inertia = self._forces(given, control, action, coupling)
        free = given["v"] + solve_factored(tree, factorise(tree, inertia), given["dt"] * acting)
        poses = link_poses(tree, q)
        motion = LinkMotion(tree, poses, coupling)
        rows = [
            [row.get(velocity, 0.0) for velocity in range(robot.nv)]
            for link in self.links
            for row in motion.link_rows(link)
        ]
        return {
            "inertia": inertia,
            "free": free,
            "integral": control.integral,
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

    def course(self, periods: int) -> LayeredCourse:
        return LayeredCourse(self, periods)

    def step(self, state: SimulationState, command: Command, pushes: Pushes) -> LayeredStep:
        """From a state to that a step later."""
        robot, dt = self.setting.robot, self.setting.options.dt
        acting = (state.integral, *command, np.asarray(robot.gravity, dtype=np.float64), dt, state.drives)
        now = Approach(*self.motion.approach(state.q, state.v, *acting))
        for body, wrench in pushes.items():
            pushed = dt * frame_jacobian(robot, state.q, body).T @ wrench
            now = now._replace(free=now.free + np.linalg.solve(now.inertia, pushed))
        before = self.values(state)
        touching = self.touching(now, before, state.time)
        solved = self.steps.solve(now, state.q, before, touching)
        q, effort, drives = self.motion.settle(state.q, state.v, solved.v, *acting)
        after = SimulationState(state.time + dt, q, solved.v, now.integral, state.impulses, drives)
        pressed = self._pressed(now, touching, before, solved.values)
        return LayeredStep(_with_values(after, solved.values), effort, pressed, solved.swept)

    def touching(self, now: Approach, before: LayerValues, time: float) -> TouchingNodes:
        """Nodes that may touch in a step from now on."""
        way = self.setting.options.dt * float(np.abs(now.jacobian @ now.free).max(initial=0.0))
        return self.finder.find(now.rotations, now.positions, before.displacements, time=time, way=way)

    def _pressed(
        self, now: Approach, touching: TouchingNodes, before: LayerValues, after: LayerValues
    ) -> Pressed:
        nodes, impulses = self.nodes, after.impulses[touching.nodes]
        some = np.flatnonzero(impulses.any(axis=1))
        pressed = touching.nodes[some]
        links = nodes.link[pressed]
        places = nodes.points[pressed] + before.displacements[pressed]
        return Pressed(
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
            course, state = self.course(parts.steps), self.start(parts.q[row].copy(), parts.v[row].copy())
            given = parts.commands(row)
            for k in range(parts.steps):
                command = Command(*given[min(k, len(given) - 1)])
                state = course.advance(state, command, {}, k, k + 1, state.time)
                if not are_good(state.q, state.v):
                    course.q[k:], course.v[k:], course.residual[k:] = np.nan, np.nan, np.nan
                    break
            q[row], v[row], residual[row] = course.q, course.v, course.residual
        return q, v, residual


class Pressed(NamedTuple):
    """Nodes that pressed in a step, as a `ContactLog` has them."""

    first: Integers
    second: Integers
    positions: Array
    normals: Array
    forces: Array
    gaps: Array


class LayeredStep(NamedTuple):
    """The state after a step, efforts (nv,) of the joints in it, which nodes pressed, and how it was solved."""

    state: SimulationState
    effort: Array
    pressed: Pressed
    swept: Swept


class LayeredCourse:
    """A run with a `LayeredEngine`."""

    def __init__(self, engine: LayeredEngine, periods: int) -> None:
        robot, train = engine.setting.robot, engine.train
        self.engine = engine
        self.q, self.v = np.empty((periods, robot.nq)), np.empty((periods, robot.nv))
        self.effort, self.residual = np.empty((periods, robot.nv)), np.empty(periods)
        self.solver_steps = np.empty(periods, dtype=np.int64)
        self.currents = np.empty((periods, 0 if train is None else len(train.motors)))
        self._pressed: list[Pressed | None] = [None] * periods

    def advance(
        self, state: SimulationState, command: Command, pushes: Pushes, first: int, last: int, time: float
    ) -> SimulationState:
        engine, train = self.engine, self.engine.train
        for k in range(first, last):
            if train is not None:
                state = replace(state, drives=train.begin_command(state.drives))
            steps = []
            for _ in range(engine.setting.substeps):
                steps.append(engine.step(state, command, pushes))
                state = steps[-1].state
            self.q[k], self.v[k] = state.q, state.v
            self.effort[k], self._pressed[k] = steps[-1].effort, steps[-1].pressed
            self.residual[k] = max(step.swept.change for step in steps)
            self.solver_steps[k] = max(step.swept.sweeps for step in steps)
            if train is not None:
                self.currents[k] = train.currents(state.drives)
        return replace(state, time=time)

    def rows(self, first: int, last: int) -> RecordedRows:
        log = self._contacts(first, last)
        numbers = body_numbers(self.engine.setting.robot, log.names)
        effort, currents = self.effort[first:last], self.currents[first:last]
        return RecordedRows(effort, currents, log.counts, log.positions, log.forces, numbers[log.first])

    def _contacts(self, first: int, last: int) -> ContactLog:
        known = [pressed for pressed in self._pressed[first:last] if pressed is not None]
        starts = np.cumsum([0, *(len(pressed.gaps) for pressed in known)])
        parts = (np.concatenate(part) for part in zip(*known, strict=True))
        return ContactLog(tuple(self.engine.contacts.owners), starts, *parts)

    def trajectory(self, time: Array) -> Trajectory:
        log = self._contacts(0, len(self._pressed))
        return Trajectory(
            time, self.q, self.v, self.effort, log, self.residual, self.solver_steps, self.currents
        )


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
