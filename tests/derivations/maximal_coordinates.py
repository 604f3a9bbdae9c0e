"""A pendulum of rods in maximal coordinates: every body free, joints as constraints, 001 C4.

Each rod has (x, z, angle about y); `[[M, G^T], [G, 0]] [a; -mu] = [f; -dG/dt v - 2 alpha G v - alpha^2 phi]`. The
multipliers are the forces at the joints; rounding and integration let the joints drift apart unless alpha > 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
GRAVITY = 9.81


@dataclass(frozen=True)
class RodChain:
    """Rods of equal length (m) and mass (kg) that hang on each other, the first on the origin."""

    count: int
    length: float = 1.0
    mass: float = 1.0

    def from_angles(self, angles: Array, rates: Array) -> tuple[Array, Array]:
        """Coordinates and velocities (3 n,) of absolute angles from the downward vertical and their rates (n,)."""
        x, v = [], []
        place, speed = np.zeros(2), np.zeros(2)
        for angle, rate in zip(angles, rates, strict=True):
            along = np.array([np.sin(angle), -np.cos(angle)])
            across = np.array([np.cos(angle), np.sin(angle)])
            half = self.length / 2
            x += [*(place + half * along), angle]
            v += [*(speed + half * rate * across), rate]
            place, speed = place + self.length * along, speed + self.length * rate * across
        return np.array(x), np.array(v)

    def constraints(self, x: Array, v: Array) -> tuple[Array, Array, Array]:
        """phi (2 n,), its Jacobian G (2 n, 3 n) and dG/dt v (2 n,): upper end of each rod on the lower of the last."""
        half, n = self.length / 2, self.count
        phi, jacobian, bias = np.zeros(2 * n), np.zeros((2 * n, 3 * n)), np.zeros(2 * n)
        for k in range(n):
            rows = slice(2 * k, 2 * k + 2)
            for body, sign, end in ((k, 1.0, -half), (k - 1, -1.0, half)):
                if body < 0:
                    continue
                angle, rate = x[3 * body + 2], v[3 * body + 2]
                along, across = (
                    np.array([np.sin(angle), -np.cos(angle)]),
                    np.array([np.cos(angle), np.sin(angle)]),
                )
                phi[rows] += sign * (x[3 * body : 3 * body + 2] + end * along)
                jacobian[rows, 3 * body : 3 * body + 2] += sign * np.eye(2)
                jacobian[rows, 3 * body + 2] += sign * end * across
                bias[rows] -= sign * end * along * rate**2
        return phi, jacobian, bias

    def accelerations(self, x: Array, v: Array, *, alpha: float = 0.0) -> tuple[Array, Array]:
        """Accelerations (3 n,) and forces (2 n,) of the joints on the rods below them."""
        n = self.count
        inertia = self.mass * self.length**2 / 12
        mass = np.diag(np.tile([self.mass, self.mass, inertia], n))
        force = np.tile([0.0, -self.mass * GRAVITY, 0.0], n)
        phi, jacobian, bias = self.constraints(x, v)
        saddle = np.block([[mass, -jacobian.T], [jacobian, np.zeros((2 * n, 2 * n))]])
        right = np.concatenate([force, -bias - 2 * alpha * (jacobian @ v) - alpha**2 * phi])
        solution = np.linalg.solve(saddle, right)
        return solution[: 3 * n], solution[3 * n :]

    def simulate(
        self, x: Array, v: Array, *, dt: float, seconds: float, alpha: float = 0.0
    ) -> tuple[Array, Array]:
        """States (steps, 3 n) and drift (steps,) of the joints, m, by semi-implicit Euler steps."""
        states, drift = [], []
        for _ in range(round(seconds / dt)):
            a, _ = self.accelerations(x, v, alpha=alpha)
            v = v + dt * a
            x = x + dt * v
            states.append(x)
            drift.append(np.abs(self.constraints(x, v)[0]).max())
        return np.array(states), np.array(drift)
