"""One time step of a robot on contact layers.

Displacements x of the nodes are states of their own. With impulses p on the nodes of a layer, its compliance C and
relaxation tau, an implicit step from x has the rates

    x' = (C p / dt - x) / (tau + dt),

so a node is a contact that gives way by `C / (dt (tau + dt))`, together with its neighbours. Impulses of all nodes and
of joints at their stops, and the velocity of the robot, are found together (`footfall.contact.layer_sweeps`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import new_records
from footfall.contact.layer_sweeps import (
    JointStop,
    LayerNode,
    LayerProblem,
    LayerState,
    Swept,
    sweep_layers,
)
from footfall.robot.model import Robot
from footfall.simulation.joint_axes import limited_velocities, rubbing_velocities
from footfall.simulation.layers.nodes import LayerNodes, TouchingNodes
from footfall.simulation.step_values import StepOptions

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
