"""What users give: a `Command`, parts of one, or an array of efforts; and wrenches that act on bodies for some time."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.inverse_dynamics import gravity_forces
from footfall.errors import InvalidInput
from footfall.robot.model import JointType, Robot
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.step_values import Command

_JUST = 1e-12  # s: rounding of times


def whole_command(given: Any, robot: Robot, joints: int) -> Command:
    """A command with an array for each of its parts, from what a user or a controller gave.

    given: a `Command`, whose single numbers hold for all joints; or efforts, (joints,) or (nv,), N m or N.
    """
    if isinstance(given, Command):
        if all(type(part) is np.ndarray for part in given):
            return given
        return Command(*(_array(name, part, joints) for name, part in given._asdict().items()))
    if isinstance(given, np.ndarray | list | tuple):
        zero = np.zeros(joints)
        return Command(zero, zero, actuated_efforts(given, robot, joints), zero, zero, zero)
    raise TypeError(
        f"a controller gave a {type(given).__name__}; it must give a Command, or efforts ({joints},) in N m"
    )


def require_controller(given: Any) -> None:
    """Refuse functions that cannot be called as controllers are; all else is looked at as a command."""
    if getattr(given, "__name__", "") == "hold" and hasattr(given, "__self__"):
        raise TypeError("simulation.hold is no controller; simulation.hold() is the command to hold")
    if not callable(given):
        return
    try:
        inspect.signature(given).bind(0.0, None, None)
    except ValueError:  # of builtins Python does not know how they are called
        return
    except TypeError:
        name = getattr(given, "__name__", type(given).__name__)
        raise TypeError(
            f"{name} does not take three arguments; a controller is called as controller(time, q, v), and gives a "
            "Command or efforts"
        ) from None


def actuated_efforts(given: Any, robot: Robot, joints: int) -> Array:
    """Efforts (joints,) of the joints, from such, or from generalised forces (nv,) whose others are zero."""
    effort = np.asarray(given, dtype=np.float64)
    if effort.shape == (joints,):
        return effort
    if effort.shape != (robot.nv,):
        raise InvalidInput(
            f"efforts have the shape {effort.shape}; needed is one for each of the {joints} joints, "
            f"or for each of the {robot.nv} velocities"
        )
    places = [velocity for _, velocity in actuated_velocities(robot)]
    others = np.delete(effort, places)
    if others.any():
        raise InvalidInput(
            f"efforts (nv,) have {np.abs(others).max():.4g} N or N m where there is no motor; give zeros there, or "
            f"one for each of the {joints} joints"
        )
    return effort[places]


def _array(name: str, part: Any, joints: int) -> Array:
    array = np.asarray(part, dtype=np.float64)
    if array.ndim == 0:
        return np.full(joints, float(array))
    if array.shape[-1] not in (1, joints):
        raise InvalidInput(
            f"{name} of the command has the shape {array.shape}; its last axis must be {joints} joints"
        )
    return array


def pd_command(position: Any, *, kp: Any, kd: Any, ki: Any, joints: int) -> Command:
    """A command to hold joint positions, see `Simulation.pd`."""
    try:
        wanted = np.array(position, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"position is {position!r}; give {joints} numbers, in the order of `robot.joint_names`"
        ) from None
    if not 1 <= wanted.ndim <= 3 or wanted.shape[-1] != joints or not np.isfinite(wanted).all():
        raise InvalidInput(
            f"position must be {joints} finite numbers, or rows of so many, not an array of shape {wanted.shape}: "
            f"{wanted}"
        )
    gains = [_checked_gain(name, gain, joints) for name, gain in (("kp", kp), ("ki", ki), ("kd", kd))]
    zero = np.zeros(joints)
    return Command(wanted, zero, zero, *gains)


def _checked_gain(name: str, gain: Any, joints: int) -> Array:
    array = np.array(gain, dtype=np.float64)
    rows = array.ndim == 0 or (array.ndim <= 3 and array.shape[-1] == joints)
    if not rows or not (np.isfinite(array) & (array >= 0.0)).all():
        raise InvalidInput(
            f"{name} is {gain}; it must be a number or one for each of {joints} joints, finite and not negative"
        )
    return array if array.ndim else np.full(joints, float(array))


def own_gains(robot: Robot) -> tuple[Array, Array]:
    """Gains (joints,) of the robot's position servos; NaN where a joint has none."""
    places = [velocity for _, velocity in actuated_velocities(robot)]
    kp, kd = robot.servo_gains
    return kp[places], kd[places]


def required_gains(robot: Robot) -> tuple[Array, Array]:
    """Gains (joints,) of the robot's position servos; an error names joints that have none."""
    kp, kd = own_gains(robot)
    if np.isnan(kp).any() or np.isnan(kd).any():
        places = [velocity for _, velocity in actuated_velocities(robot)]
        lacking = {places[k] for k in np.flatnonzero(np.isnan(kp) | np.isnan(kd)).tolist()}
        names = [
            joint.name
            for joint in robot.joints
            if not lacking.isdisjoint(range(robot.nv)[robot.v_slice(joint.name)])
        ]
        raise InvalidInput(f"the robot has no servo gains for {', '.join(names)}; give kp= and kd=")
    return kp, kd


def carried_by_the_world(robot: Robot, q: Array) -> Array:
    """Efforts (joints,) that hold what hangs on the world by joints alone in q (nq,); zero on a floating base."""
    standing = {"world"}
    for joint in robot.joints:  # parents come first
        if joint.parent in standing and joint.type is not JointType.FLOATING:
            standing.add(joint.child)
    carried = {joint.name for joint in robot.joints if joint.child in standing}
    known = {
        place
        for joint in robot.joints
        if joint.name in carried
        for place in range(robot.nv)[robot.v_slice(joint.name)]
    }
    places = [velocity for _, velocity in actuated_velocities(robot)]
    if known.isdisjoint(places):
        return np.zeros(len(places))  # nothing is compiled for it
    forces = np.asarray(gravity_forces(robot, q))
    return np.array([forces[place] if place in known else 0.0 for place in places])


@dataclass
class TimedPushes:
    """By body the wrench [f; n] (6,) in N and N m, world axes, at its origin, and the time at which it ends, s."""

    known: dict[str, tuple[Array, float]] = field(default_factory=dict)

    def add(self, body: str, wrench: Array, seconds: float, *, now: float) -> None:
        if not 0.0 <= seconds < np.inf:  # NaN neither
            raise InvalidInput(f"seconds is {seconds}; it must be finite and not negative")
        self.known[body] = (wrench, now + seconds)

    def acting(self, time: float) -> dict[str, Array]:
        """Those that act at a time, s."""
        return {body: wrench for body, (wrench, until) in self.known.items() if time < until - _JUST}

    def periods_left(self, time: float, period: float, most: int) -> int:
        """After how many control periods (s) the next one ends, one at least; `most` if none does before."""
        ends = [until for _, until in self.known.values() if time < until - _JUST]
        if not ends:
            return most
        return min(most, max(1, int(np.ceil((min(ends) - _JUST - time) / period))))

    def copy(self) -> TimedPushes:
        return TimedPushes(dict(self.known))


# Gains with which joints hold their positions, chosen for a robot: from its weight, efforts and inertias.

# m: a radian holds the weight of all at this distance: a third does for what leans on one leg.
_WEIGHT_ARM = 3.0
_SINK = 0.02  # m, by which a slide that carries all of the weight gives way
_FULL_ANGLE, _FULL_WAY = 0.1, 0.02  # rad and m, at which a joint gives its greatest effort
_SETTLING = 0.1  # s, damping over stiffness


def holding_gains(robot: Robot) -> tuple[Array, Array]:
    """kp and kd (joints,), N m/rad and N m s/rad or N/m and N s/m: those of the robot's servos where it has them.

    Otherwise a radian holds the weight of all at 3 m, and 0.1 rad takes the joint's greatest effort at most. The
    damping is 0.1 s times that: steps are implicit in both, also at the limit of a joint (`joint_control`).
    """
    kp, kd = own_gains(robot)
    axes = actuated_velocities(robot)
    places = [velocity for _, velocity in axes]
    slides = np.array([kind is JointType.PRISMATIC for kind in _kinds(robot, places)], dtype=bool)
    weight = robot.mass * (float(np.linalg.norm(robot.gravity)) or 9.81)
    limits = robot.effort_limits[places]
    stiffness = np.minimum(
        np.where(slides, weight / _SINK, weight * _WEIGHT_ARM),
        limits / np.where(slides, _FULL_WAY, _FULL_ANGLE),
    )
    kp = np.where(np.isnan(kp), stiffness, kp)
    return kp, np.where(np.isnan(kd), _SETTLING * kp, kd)


def _kinds(robot: Robot, places: list[int]) -> list[JointType]:
    """Types of the joints of velocities."""
    kinds = {
        velocity: joint.type
        for joint in robot.joints
        for velocity in range(robot.nv)[robot.v_slice(joint.name)]
    }
    return [kinds[place] for place in places]
