"""Time steps of systems whose forces are functions of the state: explicit Euler and Runge-Kutta of order four.

For smooth systems, and for penalty contact where it shall be shown what an integrator does to it. Dry friction of
joints is smoothed; joint limits do not act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, exp, maximum, minimum
from footfall.dynamics.configuration import integrate
from footfall.dynamics.forward_dynamics import articulated_bodies
from footfall.dynamics.loops import Coupling, damping_of_followers
from footfall.errors import RobotError
from footfall.math.spatial import cross
from footfall.robot.model import Robot
from footfall.simulation.joint_action import along, spring_rows
from footfall.simulation.joint_control import actuated_velocities
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


# Robots with states of your own: windings, muscles, tanks, filters, whatever has a rate.
#
# Schwienbacher 2014, chapter 2.
#     x' = rates(q, v, x, u)      M a + h = tau(q, v, x, u)
#
# Both are one traced function; a run of Runge and Kutta's fourth order is one native call, for one robot or many.

# (q, v, x, u) -> joint forces (nv,) and rates (k,) of the own states
Law = Callable[[Array, Array, Array, Array], tuple[Array, Array]]


class ExtraRun(NamedTuple):
    """time (steps,), q (steps, nq), v (steps, nv), x (steps, k), after each step; with a batch axis before all but time
    where there were several robots."""

    time: Array
    q: Array
    v: Array
    x: Array


class SmoothSystem:
    """A robot without contact whose forces depend on states of your own.

    law: `law(q, v, x, u)` gives the joint forces tau (nv,), N m or N, and the rates (k,) of the states x (k,); it is
    traced, so that it may use footfall's algorithms on q and v. states: k. inputs: number of entries of u, constant in
    a step. dt: s. Damping, friction, limits, springs and drives of the robot do not act: forces are what the law says.
    """

    def __init__(self, robot: Robot, law: Law, *, states: int, inputs: int = 0, dt: float = 1e-3) -> None:
        if not (isinstance(states, int) and states >= 1 and isinstance(inputs, int) and inputs >= 0):
            raise RobotError(
                f"states is {states!r}, inputs {inputs!r}; they must be whole, from 1 and from 0 on"
            )
        if not 0.0 < dt < np.inf:
            raise RobotError(f"dt is {dt}; it must be finite and above zero")
        self.robot, self.law, self.states, self.inputs, self.dt = robot, law, states, inputs, dt
        self.kernel = self._compiled()

    def _compiled(self) -> Kernel:
        shapes = {"q": self.robot.nq, "v": self.robot.nv, "x": self.states, "u": max(self.inputs, 1)}
        return build_kernel(self._step, {**shapes, "dt": ()}, name="smooth_system")

    def run(self, q: Array, v: Array, x: Array, steps: int, u: Array | None = None) -> ExtraRun:
        """From q (nq,), v (nv,), x (k,), or batches of them; u (inputs,), or (batch, steps, inputs)."""
        given = np.zeros(1) if u is None or not self.inputs else np.asarray(u, dtype=np.float64)
        places, speeds, states = self.kernel.rollout(q, v, x, given, np.float64(self.dt), steps=steps)
        time = np.arange(1, steps + 1) * np.float64(self.dt)
        if np.ndim(q) == 1 and np.ndim(v) == 1 and np.ndim(x) == 1 and given.ndim < 3:
            return ExtraRun(time, places[0], speeds[0], states[0])
        return ExtraRun(time, places, speeds, states)

    def _step(self, q: Array, v: Array, x: Array, u: Array, dt: Any) -> dict[str, Array]:
        robot, steps, speed, inner = self.robot, np.zeros(self.robot.nv), v, x
        slopes: list[tuple[Array, Array, Array]] = []
        for k in range(4):
            at = q if k == 0 else integrate.textbook(robot, q, steps)
            tau, rates = (np.asarray(each) for each in self.law(at, speed, inner, u[: self.inputs]))
            if tau.shape != (robot.nv,) or rates.shape != (self.states,):
                raise RobotError(
                    f"the law gives forces {tau.shape} and rates {rates.shape}; "
                    f"they must be {(robot.nv,)} and {(self.states,)}"
                )
            slopes.append(
                (tangent_rate(robot, steps, speed), articulated_bodies(robot, at, speed, tau, None), rates)
            )
            ahead = dt if k == 2 else dt / 2
            steps, speed, inner = (
                ahead * slopes[k][0],
                v + ahead * slopes[k][1],
                x + ahead * slopes[k][2],
            )
        step, change, grown = (
            dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for k1, k2, k3, k4 in zip(*slopes, strict=True)
        )
        return {"q": integrate.textbook(robot, q, step), "v": v + change, "x": x + grown}
