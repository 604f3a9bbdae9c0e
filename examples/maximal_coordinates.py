"""A pendulum of rods in maximal coordinates: every body free, joints as constraints; how its joints drift, Ayit 2015.

Each rod has (x, z, angle about y); `[[M, G^T], [G, 0]] [a; -mu] = [f; -dG/dt v - 2 alpha G v - alpha^2 phi]`. The
multipliers are the forces at the joints; rounding and integration let the joints drift apart, unless alpha > 0
(Baumgarte) or every step ends with a projection on what the joints allow. In reduced coordinates nothing can drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array

GRAVITY = 9.81  # m/s2


class Constraints(NamedTuple):
    """How joints are open at a state: gaps phi (2 n,), m, their Jacobian G (2 n, 3 n) and dG/dt v (2 n,)."""

    gaps: Array
    jacobian: Array
    bias: Array


class RodMotion(NamedTuple):
    """States (steps, 3 n), velocities (steps, 3 n) and the widest gap in a joint (steps,), m, after each step."""

    states: Array
    velocities: Array
    drift: Array


@dataclass(frozen=True)
class RodChain:
    """Rods of equal length (m) and mass (kg) that hang on each other, the first on the origin."""

    count: int
    length: float = 1.0
    mass: float = 1.0

    @cached_property
    def masses(self) -> Array:
        """Diagonal (3 n,) of the mass matrix, kg and kg m2."""
        return np.tile([self.mass, self.mass, self.mass * self.length**2 / 12], self.count)

    def from_angles(self, angles: Array, rates: Array) -> tuple[Array, Array]:
        """Coordinates and velocities (3 n,) of absolute angles from the downward vertical and their rates (n,)."""
        along, across = _directions(angles)
        ways, speeds = self.length * along, self.length * rates[:, None] * across
        places, velocities = np.cumsum(ways, axis=0) - ways / 2, np.cumsum(speeds, axis=0) - speeds / 2
        return np.column_stack([places, angles]).ravel(), np.column_stack([velocities, rates]).ravel()

    def constraints(self, x: Array, v: Array) -> Constraints:
        """Of the upper end of each rod on the lower end of the one before it, at x and v (3 n,)."""
        n, half = self.count, self.length / 2
        places, angles, rates = x.reshape(n, 3)[:, :2], x[2::3], v[2::3]
        along, across = _directions(angles)
        gaps, bias = places - half * along, half * along * rates[:, None] ** 2
        jacobian = np.zeros((n, 2, n, 3))
        own, last = np.arange(n), np.arange(n - 1)
        jacobian[own, :, own, :2], jacobian[own, :, own, 2] = np.eye(2), -half * across
        jacobian[last + 1, :, last, :2], jacobian[last + 1, :, last, 2] = -np.eye(2), -half * across[:-1]
        gaps[1:] -= places[:-1] + half * along[:-1]
        bias[1:] += half * along[:-1] * rates[:-1, None] ** 2
        return Constraints(gaps.ravel(), jacobian.reshape(2 * n, 3 * n), bias.ravel())

    def accelerations(self, x: Array, v: Array, *, alpha: float = 0.0) -> tuple[Array, Array]:
        """Accelerations (3 n,) and forces (2 n,), N, of the joints on the rods below them; alpha in 1/s."""
        n = self.count
        force = np.tile([0.0, -self.mass * GRAVITY, 0.0], n)
        gaps, jacobian, bias = self.constraints(x, v)
        saddle = np.block([[np.diag(self.masses), -jacobian.T], [jacobian, np.zeros((2 * n, 2 * n))]])
        right = np.concatenate([force, -bias - 2 * alpha * (jacobian @ v) - alpha**2 * gaps])
        solution = np.linalg.solve(saddle, right)
        return solution[: 3 * n], solution[3 * n :]

    def projected(self, x: Array, v: Array) -> tuple[Array, Array]:
        """The nearest state, in the metric of the masses, whose joints are closed and stay so to first order."""
        for _ in range(3):
            gaps, jacobian, _ = self.constraints(x, v)
            x = x - self._inverse(jacobian) @ gaps
        jacobian = self.constraints(x, v).jacobian
        return x, v - self._inverse(jacobian) @ (jacobian @ v)

    def _inverse(self, jacobian: Array) -> Array:
        """`M^-1 G^T (G M^-1 G^T)^-1` (3 n, 2 n)."""
        response = jacobian.T / self.masses[:, None]
        return response @ np.linalg.inv(jacobian @ response)

    def simulate(
        self, x: Array, v: Array, *, dt: float, seconds: float, alpha: float = 0.0, project: bool = False
    ) -> RodMotion:
        """Semi-implicit Euler steps from x and v (3 n,), stabilised by alpha (1/s) or by projection after each."""
        states, velocities, drift = [], [], []
        for _ in range(round(seconds / dt)):
            a, _ = self.accelerations(x, v, alpha=alpha)
            v = v + dt * a
            x = x + dt * v
            if project:
                x, v = self.projected(x, v)
            states.append(x)
            velocities.append(v)
            drift.append(np.abs(self.constraints(x, v).gaps).max())
        return RodMotion(np.array(states), np.array(velocities), np.array(drift))


def _directions(angles: Array) -> tuple[Array, Array]:
    """Unit vectors (n, 2) in x and z along rods, downwards at zero, and across them, the way they turn."""
    sine, cosine = np.sin(angles), np.cos(angles)
    return np.column_stack([sine, -cosine]), np.column_stack([cosine, sine])
