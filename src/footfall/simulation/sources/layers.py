"""A simulation of a robot on contact layers: their nodes touch, nothing else does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.contact.contact_layer import ContactLayer
from footfall.contact.detection.world import ContactWorld, resting
from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_attachment, link_poses
from footfall.dynamics.loops import Coupling
from footfall.errors import InvalidInput
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.drive_step import DriveTrain
from footfall.simulation.engine import Batch, Deepest, Period, PeriodCourse, Pushes, RolloutParts, Touched
from footfall.simulation.robot_motion import RobotMotion
from footfall.simulation.run_values import SimulationState
from footfall.simulation.run_watch import are_good
from footfall.simulation.sources.layer_step import (
    Approach,
    LayerStep,
    LayerValues,
    NodeFinder,
    TouchingNodes,
    layer_nodes,
)
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
        touched, swept = self._pressed(now, touching, before, solved.values), solved.swept
        return Period(
            _with_values(after, solved.values), effort, currents, swept.change, swept.sweeps, touched
        )

    def touching_nodes(self, now: Approach, before: LayerValues, time: float) -> TouchingNodes:
        """Nodes that may touch in a step from now on."""
        way = self.setting.options.dt * float(np.abs(now.jacobian @ now.free).max(initial=0.0))
        return self.finder.find(now.rotations, now.positions, before.displacements, time=time, way=way)

    def _pressed(
        self, now: Approach, touching: TouchingNodes, before: LayerValues, after: LayerValues
    ) -> Touched:
        nodes, impulses = self.nodes, after.impulses[touching.nodes]
        some = np.flatnonzero(impulses.any(axis=1))
        pressed = touching.nodes[some]
        links = nodes.link[pressed]
        places = nodes.points[pressed] + before.displacements[pressed]
        return Touched(
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
