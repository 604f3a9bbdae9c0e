"""Runs of standing robots under whole-body control: shift and turn the body, be pushed, squat and wave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall import Transform, center_of_mass, frame_pose
from footfall.arrays import Array
from footfall.control import (
    JointReference,
    PointReference,
    PoseReference,
    WholeBodyControl,
    WholeBodyLimits,
    gains_from,
    pose_error,
    resting_pose,
)
from footfall.math import boxplus, rotation_vector_map
from footfall.simulation import Trajectory
from footfall.tasks import LeastForce, OrientationTask, PostureTask, Task, center_of_mass_position

from .stances import TRUE, Stance, Watched
from .validation import ContactWatch

DIRECTIONS = 8  # of pushes
PUSH_TIME, RECOVERY_TIME = 0.2, 2.0  # s
CHECKED = 10  # control periods from one validated step to the next
SLIPPING = 1e-6  # m/s, of pressed points; sticking ones move by what the simulation leaves unsolved


@dataclass(frozen=True)
class StandRun:
    """What a standing robot did.

    planned (n, contacts, 3): contact forces that the controller counted on, N. error (n, 6): of what is led along a
    path, m and rad: the base, or in a squat the centre of mass and the turn of the base. exceeded: control periods
    without a motion that keeps all limits. watch: single steps whose contact was validated.
    """

    name: str
    stance: Stance
    trajectory: Trajectory
    planned: Array
    error: Array
    exceeded: int
    watch: ContactWatch

    @property
    def slips(self) -> bool:
        """Whether a body with contacts ever needed all the friction there is, so that it may have slid, or a pressed
        point was seen to slide."""
        return self.friction > TRUE - 1e-6 or self.slip > SLIPPING

    @property
    def slip(self) -> float:
        """Greatest speed at which a pressed point of contact slid in the steps that were checked, m/s."""
        return max(check.slip for check in self.watch.checks)

    @property
    def contact_residual(self) -> float:
        """Worst natural-map residual of the steps that were checked, relative to the robot's weight."""
        return max(check.residuals.natural_map for check in self.watch.checks) / self.watch.weight

    @property
    def cone_excess(self) -> float:
        """By how much friction exceeded its cone in the steps that were checked, relative to the robot's weight."""
        return max(check.residuals.cone for check in self.watch.checks) / self.watch.weight

    @property
    def travel(self) -> float:
        """How far a point of contact moved along the ground from its start, at most, m; round feet roll."""
        moved = self.trajectory.positions - self.trajectory.positions[0]
        return float(np.linalg.norm(moved[:, :, :2], axis=2).max())

    @property
    def least_force(self) -> float:
        """With which a body with contacts pressed on the ground, N, after the first 0.1 s."""
        return float(self.forces_by_body[self.trajectory.time > 0.1][:, :, 2].min())

    @property
    def friction(self) -> float:
        """Greatest friction that a body with contacts needed in simulation, as a coefficient.

        What each of several points of one body carries sideways is not determined; their sum is.
        """
        return _ratio(self.forces_by_body[self.trajectory.time > 0.1])

    @property
    def planned_friction(self) -> float:
        """Greatest friction that a single contact was planned to need, as a coefficient."""
        return _ratio(self.planned)

    @property
    def forces_by_body(self) -> Array:
        """Forces (n, bodies, 3) of the ground on the bodies with contacts, N."""
        frames = [contact.frame for contact in self.stance.contacts]
        places = [[k for k, frame in enumerate(frames) if frame == body] for body in dict.fromkeys(frames)]
        return np.stack([self.trajectory.forces[:, place].sum(axis=1) for place in places], axis=1)


def _ratio(forces: Array) -> float:
    """Sideways over normal force, at most; forces (n, contacts, 3) on level ground."""
    return float((np.linalg.norm(forces[:, :, :2], axis=2) / np.maximum(forces[:, :, 2], 1e-9)).max())


class Wave(NamedTuple):
    """value (n,), velocity (n,), acceleration (n,)."""

    value: Array
    velocity: Array
    acceleration: Array


def growing_wave(time: float, rate: float, phases: Array) -> Wave:
    """Sines of a rate, rad/s, and phases (n,), rad, that grow from rest to size one within the first second."""
    t = min(time, 1.0)
    grown, growth, change = (
        t * t * (3.0 - 2.0 * t),
        6.0 * t * (1.0 - t),
        6.0 - 12.0 * t if time < 1.0 else 0.0,
    )
    sine, slope = np.sin(rate * time + phases), rate * np.cos(rate * time + phases)
    return Wave(
        grown * sine,
        growth * sine + grown * slope,
        (change - rate * rate * grown) * sine + 2.0 * growth * slope,
    )


def shift_and_turn(
    stance: Stance, *, size: float = 0.03, turn: float = 0.1, seconds: float = 4.0
) -> StandRun:
    """The body goes round by `size`, m, in x, y and z, and turns about all axes by `turn`, rad, with its feet still."""
    start = frame_pose(stance.robot, stance.q, stance.base)
    rate = 2.0 * np.pi / 2.0

    def path(time: float) -> PoseReference:
        phases = np.array([0.0, np.pi / 2.0, np.pi, 0.0, np.pi / 2.0, np.pi])
        scale = np.array([size, size, size, turn, turn, turn])
        value, velocity, acceleration = (scale * part for part in growing_wave(time, rate, phases))
        # Rates of the map itself, of the size of the turn times its rate squared, are left to feedback.
        turning = rotation_vector_map(value[3:])
        velocity[3:], acceleration[3:] = turning @ velocity[3:], turning @ acceleration[3:]
        return PoseReference(
            Transform(boxplus(start.rotation, value[3:]), start.translation + value[:3]),
            velocity,
            acceleration,
        )

    return _run("shift", stance, stance.control(path), _base_error(stance, path), seconds)


def pushed(stance: Stance, direction: float, *, force: float = 100.0) -> StandRun:
    """A level force, N, acts on the base for 0.2 s, in a direction in rad from x; then 2 s to come back."""
    start = frame_pose(stance.robot, stance.q, stance.base)
    wrench = force * np.array([np.cos(direction), np.sin(direction), 0.0, 0.0, 0.0, 0.0])
    name = f"push-{round(np.degrees(direction)):03d}"
    seconds = PUSH_TIME + RECOVERY_TIME
    error = _base_error(stance, lambda time: resting_pose(start))
    return _run(name, stance, stance.control(start), error, seconds, wrench=wrench)


def squat_and_wave(
    stance: Stance, waving: str, *, depth: float = 0.06, swing: float = 0.4, seconds: float = 4.0
) -> StandRun:
    """The centre of mass goes down by `depth`, m, and up again, the joint `waving` swings by `swing`, rad."""
    robot, q = stance.robot, stance.q
    start, center = frame_pose(robot, q, stance.base), center_of_mass(robot, q)
    place, rate = robot.q_slice(waving).start, 2.0 * np.pi / 1.5
    in_v = robot.v_slice(waving).start

    def lowered(time: float) -> PointReference:
        up, half, turn = np.array([0.0, 0.0, 1.0]), depth / 2.0, np.pi * time
        return PointReference(
            center - half * (1.0 - np.cos(turn)) * up,
            -half * np.pi * np.sin(turn) * up,
            -half * np.pi**2 * np.cos(turn) * up,
        )

    def reference(time: float) -> JointReference:
        wanted, v, a = np.array(q), np.zeros(robot.nv), np.zeros(robot.nv)
        wave = growing_wave(time, rate, np.zeros(1))
        wanted[place] += swing * wave.value[0]
        v[in_v], a[in_v] = swing * wave.velocity[0], swing * wave.acceleration[0]
        return JointReference(wanted, v, a)

    tasks: tuple[Task, ...] = (
        center_of_mass_position(lowered, gains=gains_from(2.0)),
        OrientationTask(stance.base, start.rotation, gains=gains_from(2.0)),
        PostureTask(reference, gains=gains_from(1.5), priority=1),
        LeastForce(priority=2),
    )
    control = WholeBodyControl(
        robot, stance.contacts, tasks, WholeBodyLimits(least_force=5.0), on_limits="closest"
    )

    def error(time: float, at: Array) -> Array:
        turned = pose_error(frame_pose(robot, at, stance.base), start)[3:]
        return np.concatenate([lowered(time).position - center_of_mass(robot, at), turned])

    return _run("squat", stance, control, error, seconds)


def _base_error(stance: Stance, path: Callable[[float], PoseReference]) -> Callable[[float, Array], Array]:
    """How far the base is from its path at a time and q."""
    return lambda time, q: pose_error(frame_pose(stance.robot, q, stance.base), path(time).pose)


def _run(
    name: str,
    stance: Stance,
    control: WholeBodyControl,
    error: Callable[[float, Array], Array],
    seconds: float,
    *,
    wrench: Array | None = None,
) -> StandRun:
    simulation, watched, watch = stance.simulation(), Watched(control), ContactWatch(stance)
    planned: list[Array] = []

    def controller(time: float, q: Array, v: Array) -> Any:
        command = watched(time, q, v)
        if len(planned) % CHECKED == 0:
            watch.look(simulation.state, command, wrench if time < PUSH_TIME - 1e-9 else None)
        planned.append(watched.forces)
        return command

    if wrench is not None:
        simulation.push(stance.base, wrench, PUSH_TIME)
    trajectory = simulation.run(controller, seconds)
    errors = np.array([error(time, q) for time, q in zip(trajectory.time, trajectory.q, strict=True)])
    forces = np.array(planned).reshape(len(planned), -1, 3)
    return StandRun(name, stance, trajectory, forces, errors, watched.exceeded, watch)
