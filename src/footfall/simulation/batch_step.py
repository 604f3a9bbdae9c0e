"""One control period of a robot that stands on its feet, as traced code for rows that each have their own values.

What differs from row to row (friction, gains, delay, mass, pushes) is data; the code is made for the robot.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import greater, less, maximum, repeat, where
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.distance_functions import facets
from footfall.errors import InvalidInput
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.spatial import cross, skew
from footfall.robot.model import JointType, Robot
from footfall.scene.model import Material
from footfall.simulation.foot_points import Foot
from footfall.simulation.joint_action import JointAction
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.step_values import Command, Place, StepOptions, StepState
from footfall.simulation.time_step import ExactStep

_TOUCHING = 1e-3  # of the weight: what presses a foot harder touches

Ground = Plane | HeightMap


class RowState(NamedTuple):
    """What a row hands to its next period. q (nq,), v (nv,), impulses (n,) N s. held (joints,): the goal of its joints,
    rad. air_time (feet,): since each foot last touched, s."""

    q: Array
    v: Array
    impulses: Array
    held: Array
    air_time: Array


class RowSettings(NamedTuple):
    """What a row has of its own. friction (feet,). kp, kd (joints,): N m/rad, N m s/rad. delay: steps of a period in
    which the goal of the last one is still in force. base_mass: kg added to the base; base_shift (3,): of its centre of
    mass, in its axes, m. push (6,): force and moment on the base at its origin, world axes, N and N m."""

    friction: Array
    kp: Array
    kd: Array
    delay: Any
    base_mass: Any
    base_shift: Array
    push: Array


class RowReport(NamedTuple):
    """What happened in a period. forces (feet, 3): mean on each foot, world axes, N. touching (feet,): 1 if it touched
    at the end. landing (feet,): s that it had been in the air when it touched down, else 0. effort (joints,): of the
    last step, N m. residual: the worst of contact, N s. solver_steps: the most."""

    forces: Array
    touching: Array
    landing: Array
    effort: Array
    residual: Any
    solver_steps: Any


@dataclass(frozen=True)
class BatchStep:
    """Of a robot with a floating base and feet on some ground; nothing else of it touches."""

    robot: Robot
    feet: tuple[Foot, ...]
    ground: Ground
    options: StepOptions
    substeps: int

    def __post_init__(self) -> None:
        first = self.robot.joints[0] if self.robot.joints else None
        floating = [joint for joint in self.robot.joints if joint.type is JointType.FLOATING]
        if first is None or floating != [first]:
            raise InvalidInput(
                f"robot {self.robot.name!r} has {len(floating)} floating bases; a batch has one, the first joint"
            )
        if self.substeps < 1 or self.substeps != int(self.substeps):
            raise InvalidInput(f"substeps is {self.substeps}; it must be at least 1, and whole")

    @cached_property
    def joints(self) -> list[tuple[int, int]]:
        """(coordinate, velocity) of each joint that is driven."""
        return actuated_velocities(self.robot)

    @cached_property
    def _touching(self) -> list[tuple[int, Candidate]]:
        """All that may touch: the number of the foot, and the candidate."""
        parts = [(k, foot.body, point) for k, foot in enumerate(self.feet) for point in foot.points]
        return [
            (k, Candidate(body, point.point, point.radius, Surface(shape, material=Material())))
            for k, body, point in parts
            for shape in (
                facets(self.ground, point.radius) if isinstance(self.ground, HeightMap) else [self.ground]
            )
        ]

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """Places of all feet that may touch."""
        return tuple(candidate for _, candidate in self._touching)

    @cached_property
    def _place(self) -> Place:
        return Place(self.robot, self.candidates, self.options)

    @property
    def _kind(self) -> ExactStep:
        return ExactStep()

    @cached_property
    def owners(self) -> list[int]:
        """The foot that each candidate belongs to."""
        return [foot for foot, _ in self._touching]

    def state_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of a `RowState`."""
        robot, rows = self.robot, self._kind.rows(self._place)
        sizes = (robot.nq, robot.nv, rows, len(self.joints), len(self.feet))
        return {name: (size,) for name, size in zip(RowState._fields, sizes, strict=True)}

    def setting_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of `RowSettings`."""
        feet, joints = (len(self.feet),), (len(self.joints),)
        return dict(zip(RowSettings._fields, (feet, joints, joints, (), (), (3,), (6,)), strict=True))

    def height(self, x: Any, y: Any) -> Any:
        """Of the ground at a place in the world, m."""
        return 0.0 if isinstance(self.ground, Plane) else self.ground.height(x, y)

    def trace(self, state: RowState, settings: RowSettings, goal: Array) -> tuple[RowState, RowReport]:
        """A period in which the joints follow a goal (joints,), rad."""
        feet, joints, dt = len(self.feet), len(self.joints), self.options.dt
        least = _TOUCHING * self.robot.mass * 9.81
        zero = np.zeros(joints)
        friction = np.array([settings.friction[foot] for foot in self.owners])

        def step(count: Any, q: Array, v: Array, impulses: Array, air: Array, *sums: Any) -> tuple[Any, ...]:
            landing, forces, _, worst, most = sums
            position = where(less(count, settings.delay), state.held, goal)
            command = Command(position, zero, zero, settings.kp, zero, settings.kd)
            following, happened = self._kind.advance(
                self._place,
                StepState(q, v, zero, impulses),
                command,
                friction=friction,
                action=self._action(q, v, settings),
            )
            acting = [np.zeros(3) for _ in range(feet)]
            pressing: list[Any] = [0.0] * feet
            for k, foot in enumerate(self.owners):
                acting[foot] = acting[foot] + happened.forces[k]
                pressing[foot] = pressing[foot] + happened.forces[k] @ happened.normals[k]
            touches = greater(np.array(pressing), least)
            landing = np.array(
                [where(t, maximum(a, b), b) for t, a, b in zip(touches, air, landing, strict=True)]
            )
            air = where(touches, 0.0, air + dt)
            effort = np.array([happened.effort[velocity] for _, velocity in self.joints])
            return (
                count + 1.0,
                following.q,
                following.v,
                following.impulses,
                air,
                landing,
                forces + np.array(acting) / self.substeps,
                effort,
                maximum(worst, happened.residual),
                maximum(most, happened.solver_steps),
            )

        start = (0.0, state.q, state.v, state.impulses, state.air_time)
        none = (np.zeros(feet), np.zeros((feet, 3)), zero, 0.0, 0.0)
        _, q, v, impulses, air, landing, forces, effort, worst, most = repeat(
            step, (*start, *none), count=self.substeps
        )
        touching = where(greater(air, 0.0), 0.0, 1.0)
        after = RowState(q, v, impulses, goal, air)
        return after, RowReport(forces, touching, landing, effort, worst, most)

    @cached_property
    def _base(self) -> tuple[float, Array, Array]:
        """Mass of the base, its centre of mass (3,) and moments of inertia (3, 3) about it, in its axes."""
        attachment = self.robot.tree.attachments[self.robot.joints[0].child]
        link, turn = self.robot.tree.links[attachment.link], attachment.placement.rotation
        center = turn.T @ (link.center_of_mass - attachment.placement.translation)
        return link.mass, np.asarray(center), np.asarray(turn.T @ link.inertia @ turn)

    def _action(self, q: Array, v: Array, settings: RowSettings) -> JointAction:
        """Of the mass that is added to the base and of the push.

        With the mass m at c instead of m0 at c0, and the inertia grown with the mass: differences of mass, first moment
        and inertia about the origin, of which the kinetic energy `m v^2/2 + v R (w x h) + w I w/2` is linear.
        """
        mass, center, inertia = self._base
        total = mass + settings.base_mass
        at = center + settings.base_shift
        first = total * at - mass * center
        second = (settings.base_mass / mass) * inertia + total * _second(at) - mass * _second(center)
        rotation, w = matrix_from_quaternion(q[3:7]), v[3:6]
        block = np.zeros((self.robot.nv, self.robot.nv), dtype=object)
        block[:3, :3] = settings.base_mass * np.eye(3)
        block[:3, 3:6] = -(rotation @ skew(first))
        block[3:6, :3] = block[:3, 3:6].T
        block[3:6, 3:6] = second
        gravity = np.asarray(self.robot.gravity)
        forces = np.zeros(self.robot.nv, dtype=object)
        forces[:3] = settings.base_mass * gravity - rotation @ cross(w, cross(w, first)) + settings.push[:3]
        forces[3:6] = (
            cross(first, rotation.T @ gravity) - cross(w, second @ w) + rotation.T @ settings.push[3:]
        )
        return JointAction(block, forces)


def _second(point: Array) -> Array:
    """Moments of inertia (3, 3) of a unit mass at a point (3,), m2."""
    return (point @ point) * np.eye(3) - np.outer(point, point)
