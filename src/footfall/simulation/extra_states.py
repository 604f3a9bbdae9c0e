"""Robots with states of your own: windings, muscles, tanks, filters, whatever has a rate.

Schwienbacher 2014, chapter 2.
    x' = rates(q, v, x, u)      M a + h = tau(q, v, x, u)

Both are one traced function; a run of Runge and Kutta's fourth order is one native call, for one robot or many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.dynamics.configuration import integrate
from footfall.dynamics.forward_dynamics import articulated_bodies
from footfall.errors import RobotError
from footfall.robot.model import Robot
from footfall.simulation.smooth_step import tangent_rate

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
