"""Preview control of the cart-table model: a centre of mass that keeps the zero-moment point on a given course.

A cart of the robot's mass on a massless table: `zmp = c - (h / g) c''` along each axis. The jerk of the cart is
controlled by the summed error, the state and the zero-moment points to come, Ayit 2015, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.option_checks import require_above_zero


class PreviewGains(NamedTuple):
    """error: of the summed error. state: (3,). preview: (steps,) of the references to come, nearest first."""

    error: float
    state: Array
    preview: Array


class CartMotion(NamedTuple):
    """Course of a cart: time (n,) s, state (n, 3) of position (m), velocity and acceleration, jerk (n,) m/s3 that acts
    from each instant on, and its zero-moment point (n,) m."""

    time: Array
    state: Array
    jerk: Array
    zmp: Array

    def position(self, times: Array) -> Array:
        """Positions (m,) at times (m,) in s, m: the jerk is constant between instants."""
        times = np.asarray(times, dtype=np.float64)
        index = np.clip(np.searchsorted(self.time, times, side="right") - 1, 0, len(self.time) - 1)
        ahead = times - self.time[index]
        c, rate, acceleration = self.state[index].T
        course: Array = c + ahead * (rate + ahead / 2 * acceleration) + ahead**3 / 6 * self.jerk[index]
        return course


@dataclass(frozen=True)
class CartTable:
    """The model and its control.

    height: of the cart, m. dt: s. horizon: of the preview, s. error_weight, jerk_weight: of the cost
    `Q e^2 + R jerk^2`. gravity: m/s2.
    """

    height: float
    dt: float = 0.005
    horizon: float = 1.6
    error_weight: float = 1.0
    jerk_weight: float = 1e-6
    gravity: float = 9.81

    def __post_init__(self) -> None:
        require_above_zero(vars(self), of=" of the cart-table model")

    @property
    def transition(self) -> Array:
        """A (3, 3) of `x+ = A x + B jerk`."""
        t = self.dt
        return np.array([[1.0, t, t * t / 2], [0.0, 1.0, t], [0.0, 0.0, 1.0]])

    @property
    def input(self) -> Array:
        """B (3,)."""
        t = self.dt
        return np.array([t**3 / 6, t * t / 2, t])

    @property
    def output(self) -> Array:
        """C (3,): the zero-moment point is `C x`."""
        return np.array([1.0, 0.0, -self.height / self.gravity])

    @cached_property
    def gains(self) -> PreviewGains:
        """Gains from the Riccati equation of the system that is augmented by its error."""
        from scipy.linalg import solve_discrete_are  # slow to import

        a, b, c = self.transition, self.input, self.output
        big_b = np.concatenate([[c @ b], b])[:, None]
        big_a = np.zeros((4, 4))
        big_a[0, 0], big_a[0, 1:], big_a[1:, 1:] = 1.0, c @ a, a
        weight = np.diag([self.error_weight, 0.0, 0.0, 0.0])
        p = solve_discrete_are(big_a, big_b, weight, np.array([[self.jerk_weight]]))
        scale = 1.0 / (self.jerk_weight + (big_b.T @ p @ big_b).item())
        feedback = scale * (big_b.T @ p @ big_a)[0]
        closed = big_a - big_b @ feedback[None]
        steps = round(self.horizon / self.dt)
        preview = np.empty(steps)
        carried = closed.T @ p @ np.array([1.0, 0.0, 0.0, 0.0])
        preview[0] = feedback[0]
        for k in range(1, steps):
            preview[k] = scale * float(big_b[:, 0] @ carried)
            carried = closed.T @ carried
        return PreviewGains(float(feedback[0]), feedback[1:], preview)

    def follow(self, zmp: Array, *, start: Array | None = None) -> CartMotion:
        """Motion of the cart along references of its zero-moment point (n,), m, one every dt; the last one holds on.

        start: (3,) position, velocity and acceleration; by default at rest at the first reference.
        """
        zmp = np.asarray(zmp, dtype=np.float64)
        if zmp.ndim != 1 or len(zmp) == 0:
            raise InvalidInput(
                f"references of the zero-moment point have shape {zmp.shape}; they must be (n,)"
            )
        gains, a, b, c = self.gains, self.transition, self.input, self.output
        ahead = np.concatenate([zmp, np.full(len(gains.preview), zmp[-1])])
        state = np.array([zmp[0], 0.0, 0.0]) if start is None else np.asarray(start, dtype=np.float64)
        states, jerks = np.empty((len(zmp), 3)), np.empty(len(zmp))
        summed = 0.0
        # The gains act on changes; summed up, they act on what differs from the start.
        at_start = gains.preview @ ahead[: len(gains.preview)] - gains.state @ state
        for k in range(len(zmp)):
            states[k] = state
            summed += float(c @ state) - zmp[k]
            jerks[k] = (
                -gains.error * summed
                - gains.state @ state
                + gains.preview @ ahead[k + 1 : k + 1 + len(gains.preview)]
                - at_start
            )
            state = a @ state + b * jerks[k]
        time = self.dt * np.arange(len(zmp), dtype=np.float64)
        return CartMotion(time, states, jerks, states @ c)
