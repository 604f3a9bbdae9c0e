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
from footfall.simulation.joint_action import JointAction, spring_entries
from footfall.simulation.joint_control import actuated_velocities, joint_control
from footfall.simulation.lanes.values import StepState
from footfall.simulation.step_values import Command

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

    def effort(q: Array, v: Array) -> Array:
        control = joint_control(robot, q, v, state.integral, command, 0.0, implicit_gains=False)
        return control.effort

    def acceleration(q: Array, v: Array) -> Array:
        tau = effort(q, v) + _resistance(robot, v)
        if robot.springs:
            tau = tau + JointAction.of(robot.nv, [spring_entries(robot, q, v, 0.0)]).forces
        tau = tau if forces is None else tau + forces(q, v)
        if robot.loops:
            tau = tau - damping_of_followers(robot, Coupling(robot, q)) @ v
        return articulated_bodies(robot, q, v, tau, wrenches)

    if integrator == "rk4":
        nothing = np.zeros(0)
        q, v, _ = runge_kutta(
            robot, state.q, state.v, nothing, dt, lambda q, v, _: (acceleration(q, v), nothing)
        )
    else:
        q, v = integrate(robot, state.q, dt * state.v), state.v + dt * acceleration(state.q, state.v)
    errors = [command.position[k] - state.q[i] for k, (i, _) in enumerate(actuated_velocities(robot))]
    return q, v, state.integral + dt * np.array(errors), effort(state.q, state.v)


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


def runge_kutta(
    robot: Robot,
    q: Array,
    v: Array,
    x: Array,
    dt: Any,
    rates: Callable[[Array, Array, Array], tuple[Array, Array]],
) -> tuple[Array, Array, Array]:
    """q (nq,), v (nv,) and states x (k,) after dt by the classical four stages; orientations in exponential coordinates
    about the start (Munthe-Kaas). rates: accelerations (nv,) and rates (k,) of x."""
    steps, speed, inner = np.zeros(robot.nv), v, x
    slopes: list[tuple[Array, Array, Array]] = []
    for k in range(4):
        at = q if k == 0 else integrate.textbook(robot, q, steps)
        slopes.append((tangent_rate(robot, steps, speed), *rates(at, speed, inner)))
        ahead = dt if k == 2 else dt / 2
        steps, speed, inner = ahead * slopes[k][0], v + ahead * slopes[k][1], x + ahead * slopes[k][2]
    step, change, grown = (
        dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for k1, k2, k3, k4 in zip(*slopes, strict=True)
    )
    return integrate.textbook(robot, q, step), v + change, x + grown


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
        def rates(at: Array, speed: Array, inner: Array) -> tuple[Array, Array]:
            tau, change = (np.asarray(each) for each in self.law(at, speed, inner, u[: self.inputs]))
            if tau.shape != (self.robot.nv,) or change.shape != (self.states,):
                raise RobotError(
                    f"the law gives forces {tau.shape} and rates {change.shape}; "
                    f"they must be {(self.robot.nv,)} and {(self.states,)}"
                )
            return articulated_bodies(self.robot, at, speed, tau, None), change

        return dict(zip("qvx", runge_kutta(self.robot, q, v, x, dt, rates), strict=True))
