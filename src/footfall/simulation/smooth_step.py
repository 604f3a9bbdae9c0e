"""Time steps of systems whose forces are functions of the state: explicit Euler and Runge-Kutta of order four.

For smooth systems, and for penalty contact where it shall be shown what an integrator does to it. Dry friction of
joints is smoothed; joint limits do not act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from footfall.arrays import Array
from footfall.compiler import exp, maximum, minimum
from footfall.dynamics.configuration import integrate
from footfall.dynamics.forward_dynamics import articulated_bodies
from footfall.dynamics.loops import Coupling, damping_of_followers
from footfall.math.spatial import cross
from footfall.robot.model import Robot
from footfall.simulation.joint_action import along, spring_rows
from footfall.simulation.joint_axes import actuated_velocities
from footfall.simulation.step_values import Command, StepState

SmoothIntegrator = Literal["explicit", "rk4"]
Forces = Callable[[Array, Array], Array]  # (q, v) -> generalised forces (nv,)

_SLOW = 0.01  # rad/s or m/s below which smoothed friction fades, Ayit 2015, table 5.2


def smooth_step(
    robot: Robot,
    state: StepState,
    command: Command,
    *,
    dt: float,
    integrator: SmoothIntegrator,
    forces: Forces | None = None,
    wrenches: Mapping[str, Array] | None = None,
) -> tuple[Array, Array, Array, Array]:
    """q (nq,), v (nv,) and integral (joints,) after dt, and the effort (nv,) at its start.

    forces: on the joints besides those of command, damping and friction.
    """

    def acceleration(q: Array, v: Array) -> Array:
        tau = (
            joint_effort(robot, state.integral, command, q, v) + _resistance(robot, v) + _springs(robot, q, v)
        )
        tau = tau if forces is None else tau + forces(q, v)
        if robot.loops:
            tau = tau - damping_of_followers(robot, Coupling(robot, q)) @ v
        return articulated_bodies(robot, q, v, tau, wrenches)

    advance = _runge_kutta if integrator == "rk4" else _explicit_euler
    q, v = advance(robot, acceleration, state.q, state.v, dt)
    errors = [command.position[k] - state.q[i] for k, (i, _) in enumerate(actuated_velocities(robot))]
    integral = state.integral + dt * np.array(errors)
    return q, v, integral, joint_effort(robot, state.integral, command, state.q, state.v)


def joint_effort(robot: Robot, integral: Array, command: Command, q: Array, v: Array) -> Array:
    """Efforts (nv,) of the joints' PID controllers within their limits, N m or N."""
    effort: list[Any] = [0.0] * robot.nv
    for k, (coordinate, velocity) in enumerate(actuated_velocities(robot)):
        wanted = (
            command.kp[k] * (command.position[k] - q[coordinate])
            + command.ki[k] * integral[k]
            + command.kd[k] * (command.velocity[k] - v[velocity])
            + command.effort[k]
        )
        limit = float(robot.effort_limits[velocity])
        effort[velocity] = maximum(minimum(wanted, limit), -limit) if np.isfinite(limit) else wanted
    return np.array(effort)


def _resistance(robot: Robot, v: Array) -> Array:
    """Damping and smoothed dry friction (nv,), Ayit 2015, table 5.2 (a)."""
    forces = []
    for k in range(robot.nv):
        force = -float(robot.damping[k]) * v[k]
        if robot.friction[k] > 0.0:
            doubled = minimum(maximum(2.0 / _SLOW * v[k], -80.0), 80.0)
            force = force - float(robot.friction[k]) * (1.0 - 2.0 / (1.0 + exp(doubled)))  # tanh
        forces.append(force)
    return np.array(forces)


def _springs(robot: Robot, q: Array, v: Array) -> Array:
    """Forces (nv,) of the robot's springs, N m or N."""
    forces: list[Any] = [0.0] * robot.nv
    for spring, row in zip(robot.springs, spring_rows(robot, q), strict=True):
        torque = spring.torque(q[robot.q_slice(spring.joint).start], along(row, v))
        for velocity, entry in row.items():
            forces[velocity] = forces[velocity] + entry * torque
    return np.array(forces)


def _explicit_euler(robot: Robot, acceleration: Forces, q: Array, v: Array, dt: float) -> tuple[Array, Array]:
    return integrate(robot, q, dt * v), v + dt * acceleration(q, v)


def _runge_kutta(robot: Robot, acceleration: Forces, q: Array, v: Array, dt: float) -> tuple[Array, Array]:
    """The classical four stages; orientations in exponential coordinates about the start (Munthe-Kaas)."""
    steps, rates, accelerations = np.zeros(robot.nv), [], []
    speed = v
    for k in range(4):
        at = q if k == 0 else integrate(robot, q, steps)
        rates.append(tangent_rate(robot, steps, speed))
        accelerations.append(acceleration(at, speed))
        ahead = dt if k == 2 else dt / 2
        steps, speed = ahead * rates[k], v + ahead * accelerations[k]
    step, change = (dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for k1, k2, k3, k4 in (rates, accelerations))
    return integrate(robot, q, step), v + change


def tangent_rate(robot: Robot, step: Array, v: Array) -> Array:
    """Rate (nv,) of the step that leads from the start to a configuration which moves with v.

    Where a rotation vector r leads there it changes with `w + r x w / 2 + r x (r x w) / 12 + ...`; what is left out
    is of order four in the step.
    """
    rate = v.copy()
    for link in robot.tree.links:
        if link.kind == "spherical":
            r, w = step[link.v], v[link.v]
            turned = cross(r, w)
            rate[link.v] = w + turned / 2 + cross(r, turned) / 12
    return rate
