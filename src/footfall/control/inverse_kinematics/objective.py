"""What position-level solvers minimise: half the weighted squared error, within joint limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.control.inverse_kinematics.limits import Limits, position_limits, single_coordinates
from footfall.control.inverse_kinematics.problem import row_weights
from footfall.control.tasks.stack import TaskStack
from footfall.dynamics.configuration import integrate

_TURN = 2 * np.pi


class Box(NamedTuple):
    """Limited coordinates: their places in q and v, their limits, and which of them are hinges with a whole turn
    between them, which pass one limit to come from the other."""

    in_q: Integers
    in_v: Integers
    lower: Array
    upper: Array
    turning: Flags


class Search(NamedTuple):
    """An objective as routines take it.

    evaluate, integrate: addresses of native code, (q, parameters) -> (error, jacobian) and (q, step) -> q. parameters
    (p,); root_weights (m,): roots of the weights of rows; one_sided (m,): rows that only count above zero.
    """

    evaluate: int
    integrate: int
    parameters: Array
    root_weights: Array
    one_sided: Flags
    box: Box


@dataclass(frozen=True)
class Progress:
    """Where a solver is: q (nq,), its cost, iterations, and why it stopped; history: the error's norms."""

    q: Array
    cost: float
    reached: bool
    iterations: int
    reason: str
    history: list[float] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Objective:
    """Errors of a stack of tasks at configurations within limits."""

    stack: TaskStack
    limits: Limits

    @cached_property
    def root_weights(self) -> Array:
        return np.sqrt(row_weights(self.stack))

    @cached_property
    def box(self) -> Box:
        """Where the coordinates must stay."""
        lower, upper = position_limits(self.stack.robot, self.limits)
        in_q, in_v = single_coordinates(self.stack.robot)
        limited = np.isfinite(lower[in_v]) | np.isfinite(upper[in_v])
        in_q, in_v = in_q[limited], in_v[limited]
        least, most = lower[in_v], upper[in_v]
        hinges = {link.q.start for link in self.stack.robot.tree.links if link.kind == "revolute"}
        turning = np.array([q in hinges for q in in_q.tolist()], dtype=bool) & (most - least >= _TURN - 1e-6)
        return Box(in_q, in_v, least, most, turning)

    def evaluate(self, q: Array) -> tuple[Array, Array]:
        """Error (m,) and Jacobian (m, nv) without weights; rows of inequalities that hold are zero."""
        error, jacobian = self.stack.kernel(q, self.stack.parameters)
        if self.stack.one_sided.any():
            idle = self.stack.one_sided & (error < 0.0)
            error[idle], jacobian[idle] = 0.0, 0.0
        return error, jacobian

    def cost(self, error: Array) -> float:
        """Half the squared weighted error."""
        weighted = self.root_weights * error
        return float(weighted @ weighted) / 2

    def moved(self, q: Array, step: Array) -> Array:
        """q (nq,) after a step (nv,), put back to the limits where it passes them; also for batches."""
        result: Array = integrate(self.stack.robot, q, step)
        in_q, _, lower, upper, turning = self.box
        if len(in_q):
            at = result[..., in_q]
            if turning.any():
                turns = np.floor((at - lower) / _TURN) * turning
                at = at - _TURN * np.where(np.isfinite(turns) & ((at < lower) | (at > upper)), turns, 0.0)
            result[..., in_q] = np.clip(at, lower, upper)
        return result

    def costs(self, candidates: Array) -> Array:
        """Costs (batch,) of configurations (batch, nq)."""
        errors, _ = self.stack.kernel(candidates, self.stack.parameters)
        errors = np.where(self.stack.one_sided & (errors < 0.0), 0.0, self.root_weights * errors)
        result: Array = np.einsum("ij,ij->i", errors, errors) / 2
        return result

    @cached_property
    def search(self) -> Search:
        """The same for routines."""
        robot = self.stack.robot
        return Search(
            self.stack.kernel.native_function().address,
            integrate.kernel(robot).native_function().address,
            self.stack.parameters,
            self.root_weights,
            self.stack.one_sided,
            self.box,
        )

    def inside(self, q: Array) -> Array:
        """The configuration (nq,) within limits that is closest."""
        return self.moved(np.array(q, dtype=np.float64), np.zeros(self.stack.robot.nv))

    def free(self, q: Array, direction: Array) -> Flags:
        """Which velocities (nv,) may follow a direction: those not pressed against a limit."""
        in_q, in_v, lower, upper, _ = self.box
        free = np.ones(len(direction), dtype=bool)
        at, towards = q[in_q], direction[in_v]
        free[in_v] = ~(((at <= lower) & (towards < 0.0)) | ((at >= upper) & (towards > 0.0)))
        return free
