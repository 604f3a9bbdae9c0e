"""Joint control inside of a step: gains that act at its end, and efforts that have limits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import absolute, maximum, minimum, where
from footfall.dynamics.configuration import neutral
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.robot.model import JointType, Robot
from footfall.simulation.step_values import Command

# Which coordinates and velocities of a robot belong to joints that are driven, limited or rubbed.


def actuated_velocities(robot: Robot) -> list[tuple[int, int]]:
    """(coordinate, velocity) of each joint axis that a drive can act on: all but those of free bodies, and those that
    follow from others through loops."""
    floating = {joint.child for joint in robot.joints if joint.type is JointType.FLOATING}
    structure = robot.tree.loops
    own = range(robot.nv) if structure is None else structure.independent
    places = {velocity: place for place, velocity in enumerate(own)}  # in v
    return [
        (link.q.start, places[link.v.start])
        for link in robot.tree.links
        if link.kind != "spherical" and link.body not in floating and link.v.start in places
    ]


def limited_velocities(robot: Robot) -> list[tuple[int, int]]:
    """(coordinate, velocity of the tree) of each joint axis with a finite position limit."""
    return [
        (q, v)
        for q, v in actuated_velocities(robot.spanning)
        if np.isfinite(robot.lower_limits[q]) or np.isfinite(robot.upper_limits[q])
    ]


def rubbing_velocities(robot: Robot) -> list[int]:
    """Velocities of the tree with dry friction."""
    friction = robot.spanning.friction
    return [v for v in range(len(friction)) if friction[v] > 0.0]


# The inertia that a joint meets, by which gains and the steps of saturated joints are chosen.

_LEAST_SHARE = 0.2


def reference_inertias(robot: Robot) -> Array:
    """`moved_inertias` (nv,) in the configuration that the robot's description has, whatever it does."""
    loops = robot.tree.loops
    return moved_inertias(robot, neutral(robot) if loops is None else loops.reference)


def moved_inertias(robot: Robot, q: Array) -> Array:
    """Inertias (nv,) that velocities meet at q (nq,) while all others are free, kg m2 or kg.

    At least a fifth of what they meet while other joints are held: three axes through one point leave next to nothing.
    """
    inertia = _inertia(robot, q)
    size = np.diag(inertia)
    free = 1.0 / np.diag(np.linalg.pinv(inertia / np.sqrt(np.outer(size, size)), hermitian=True)) * size
    return np.maximum(free, _LEAST_SHARE * _held(robot, inertia))


def held_inertias(robot: Robot, q: Array) -> Array:
    """Inertias (nv,) that velocities meet at q (nq,) while a free root moves along and all other joints are held, kg m2
    or kg."""
    return _held(robot, _inertia(robot, q))


def _inertia(robot: Robot, q: Array) -> Array:
    """The mass matrix (nv, nv) at q (nq,), once: native code for it would take seconds to compile."""
    return np.asarray(composite_bodies(robot, np.asarray(q, dtype=np.float64)), dtype=np.float64)


def _held(robot: Robot, inertia: Array) -> Array:
    result = np.diag(inertia).copy()
    root = robot.joints[0]
    if root.type is JointType.FLOATING:
        base = robot.v_slice(root.name)
        coupling = inertia[base]
        result -= np.einsum("ij,ij->j", coupling, np.linalg.solve(inertia[base, base], coupling))
        result[base] = np.diag(inertia)[base]
    return np.maximum(result, 0.0)


_TINY = 1e-200


class JointControl(NamedTuple):
    """PID control over one step: effort (nv,) at the predicted position, the inertia (nv,) that gains and damping
    add over the step, and the integral (joints,) after it."""

    effort: Array
    added_inertia: Array
    integral: Array


def joint_control(
    robot: Robot, q: Array, v: Array, integral: Array, command: Command, dt: Any, *, implicit_gains: bool
) -> JointControl:
    """Joint efforts with their limits over a step of dt (s).

    With implicit gains these act on position and velocity at the end of the step, which is stable however high they
    are: `(M + dt kd + dt^2 kp) dv = dt (kp (q* - q - dt v) + kd (v* - v) + ...)`. A saturated joint gives its limit,
    whatever it moves, unless that would take it beyond its goal within the step, see `_kept_share`. In a step in which
    an impact changes its velocity by dv it answers with `kd dv` more, which may exceed the limit in that step.
    """
    effort: list[Any] = [0.0] * robot.nv
    added: list[Any] = [dt * float(damping) for damping in robot.damping]
    sums: list[Any] = []
    axes = actuated_velocities(robot)
    limited = implicit_gains and any(np.isfinite(robot.effort_limits[velocity]) for _, velocity in axes)
    inertias = reference_inertias(robot) if limited else np.zeros(robot.nv)
    for k, (coordinate, velocity) in enumerate(axes):
        error = command.position[k] - q[coordinate]
        sums.append(integral[k] + dt * error)
        ahead = error - dt * v[velocity] if implicit_gains else error
        wanted = (
            command.kp[k] * ahead
            + command.ki[k] * sums[k]
            + command.kd[k] * (command.velocity[k] - v[velocity])
            + command.effort[k]
        )
        answer = command.kd[k] + dt * command.kp[k] if implicit_gains else 0.0
        limit = float(robot.effort_limits[velocity])
        if np.isfinite(limit):
            if implicit_gains:
                answer = answer * _kept_share(wanted, answer, limit, dt, float(inertias[velocity]))
            wanted = maximum(minimum(wanted, limit), -limit)
        effort[velocity] = wanted
        added[velocity] = added[velocity] + dt * answer
    return JointControl(np.array(effort), np.array(added), np.array(sums))


def _kept_share(wanted: Any, answer: Any, limit: float, dt: Any, inertia: float) -> Any:
    """What a joint keeps of its answer to velocity (N m s/rad): all below its limit, beyond it nothing but what keeps
    it from swinging about its goal.

    The effort that is wanted, `wanted - answer dv`, is zero at dv = wanted / answer. A full effort leads there within
    the step if `reach = (dt limit / inertia) / |dv|` is above one, and beyond it: the next step would drive it back at
    full effort, and so on for ever. There it gives `limit (1 - dv answer / wanted)` instead: its limit at first,
    nothing at the goal. This fades in from half of the way on; the inertia is an estimate.
    """
    share = minimum(1.0, limit / maximum(absolute(wanted), _TINY))
    reach = share * dt * answer / max(inertia, _TINY)
    return share * where(share < 1.0, maximum(minimum(2.0 * reach - 1.0, 1.0), 0.0), 1.0)
