"""Penalty contact: springs and dampers in place of constraints, Ayit 2015, chapter 5.

A spring-damper pushes out what has sunk in; with an integral term (Drumwright) it sinks less and less. Friction is
a spring to an anchor that is set at touchdown and dragged along when the bound is exceeded. The law is a function
of one contact without branches, on numbers or symbols; what it remembers is an explicit state.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.functions import maximum, sqrt, where
from footfall.errors import InvalidInput, SimulationWarning


@dataclass(frozen=True)
class PenaltyLaw:
    """Springs and dampers of a contact point.

    normal_stiffness, tangential_stiffness: N/m. normal_damping, tangential_damping: N s/m. integral: force per
    penetration and time, N/(m s).
    """

    normal_stiffness: float = 2e5
    normal_damping: float = 2e3
    tangential_stiffness: float = 1e5
    tangential_damping: float = 5e2
    integral: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value >= 0.0):
                raise InvalidInput(
                    f"{name} of the penalty law is {value}; it must be finite and not negative"
                )


class PenaltyMemory(NamedTuple):
    """What a contact point remembers: whether it touched (1 or 0), where its anchor is (3,) m, and the integral
    of its penetration, m s."""

    touched: Any
    anchor: Array
    integral: Any


class PenaltyForce(NamedTuple):
    """Force (3,) on the robot along (t1, t2, n), N, and the memory for the next step."""

    force: Array
    memory: PenaltyMemory


def no_memory() -> PenaltyMemory:
    """Memory of a point that does not touch."""
    return PenaltyMemory(0.0, np.zeros(3), 0.0)


def penalty_force(
    law: PenaltyLaw,
    memory: PenaltyMemory,
    *,
    gap: Any,
    frame: Array,
    position: Array,
    velocity: Array,
    friction: Any,
    viscous_friction: Any = 0.0,
    dt: float,
) -> PenaltyForce:
    """Force of one contact point at one instant, on numbers or symbols.

    gap: m, negative inside. frame: (3, 3) columns t1, t2, n. position: (3,) m, and velocity: (3,) m/s, of the point
    relative to what it touches; frame, position and velocity in the axes of what it touches, so that anchors move
    along with it. friction: Coulomb coefficient. viscous_friction: N s/m, Ayit 2015, (4.22). dt: s, of the integral.
    """
    contacts = gap < 0.0
    along = frame.T @ velocity
    integral = where(contacts, memory.integral - dt * gap, 0.0)
    normal = -law.normal_stiffness * gap - law.normal_damping * along[2] + law.integral * integral
    normal = where(contacts, maximum(normal, 0.0), 0.0)

    anchored = memory.touched > 0.5
    anchor = np.array([where(anchored, a, x) for a, x in zip(memory.anchor, position, strict=True)])
    stretch = frame.T @ (position - anchor)
    tangential = [
        -law.tangential_stiffness * stretch[k] - law.tangential_damping * along[k] for k in range(2)
    ]
    speed = sqrt(along[0] * along[0] + along[1] * along[1])
    bound = where(contacts, friction * normal + viscous_friction * speed, 0.0)
    size = sqrt(tangential[0] * tangential[0] + tangential[1] * tangential[1])
    slides = size > bound
    scale = where(slides, bound / maximum(size, 1e-280), 1.0)
    force = np.array([scale * tangential[0], scale * tangential[1], normal])

    reach = 1 / law.tangential_stiffness if law.tangential_stiffness > 0.0 else 0.0
    dragged = position + reach * (frame[:, 0] * force[0] + frame[:, 1] * force[1])
    anchor = np.array([where(slides, new, old) for new, old in zip(dragged, anchor, strict=True)])
    return PenaltyForce(force, PenaltyMemory(where(contacts, 1.0, 0.0), anchor, integral))


class PenaltyStability(NamedTuple):
    """Largest growth of a contact's motion in one step of semi-implicit Euler; stable up to 1.

    normal, tangential: spectral radius in that direction.
    """

    normal: float
    tangential: float

    @property
    def stable(self) -> bool:
        """Whether no motion grows."""
        return max(self.normal, self.tangential) <= 1.0 + 1e-9


def growth_in_a_step(stiffness: float, damping: float, integral: float = 0.0) -> float:
    """Spectral radius of a sticking contact under semi-implicit Euler, from numbers without dimension.

    stiffness `K dt^2 W`, damping `D dt W` and integral `K_i dt^3 W` with the inverse mass W of the contact. Without
    integral it is at most 1 for `0 <= d <= 2` and `k + 2 d <= 4`, Ayit 2015, chapter 5.
    """
    # (y, dt v, sum of y): the sum and the velocity first, then the position with the new velocity.
    speed = np.array([-stiffness - integral, 1.0 - damping, -integral])
    position = speed + np.array([1.0, 0.0, 0.0])
    step = np.array([position, speed, [1.0, 0.0, 1.0]])
    if integral == 0.0:
        step = step[:2, :2]
    return float(np.abs(np.linalg.eigvals(step)).max())


def penalty_stability(law: PenaltyLaw, delassus: Array, *, dt: float) -> PenaltyStability:
    """How a penalty law behaves with contacts whose Delassus matrix (3 m, 3 m) is given, 1/kg, rows (t1, t2, n).

    All contacts together: the largest eigenvalue of their normal and tangential parts takes the place of W.
    """
    normal = np.zeros(len(delassus), dtype=bool)
    normal[2::3] = True
    growth = []
    for rows, k, d, i in (
        (normal, law.normal_stiffness, law.normal_damping, law.integral),
        (~normal, law.tangential_stiffness, law.tangential_damping, 0.0),
    ):
        mobility = float(np.linalg.eigvalsh(delassus[np.ix_(rows, rows)]).max(initial=0.0))
        growth.append(growth_in_a_step(k * dt**2 * mobility, d * dt * mobility, i * dt**3 * mobility))
    return PenaltyStability(*growth)


def warn_if_unstable(law: PenaltyLaw, delassus: Array, *, dt: float) -> PenaltyStability:
    """`penalty_stability`, with a SimulationWarning past the limit."""
    stability = penalty_stability(law, delassus, dt=dt)
    if not stability.stable:
        name, growth = max(
            ("normal", stability.normal), ("tangential", stability.tangential), key=lambda item: item[1]
        )
        warnings.warn(
            f"the {name} spring-damper grows by a factor of {growth:.3g} in each step of {dt:g} s: use a smaller "
            f"step, less stiffness or less damping (k + 2 d < 4 with k = K dt^2 W, d = D dt W)",
            SimulationWarning,
            stacklevel=2,
        )
    return stability


def largest_stiffness(mobility: float, *, dt: float, damping: float = 0.0) -> float:
    """Stiffness at the limit `k + 2 d = 4`, N/m, for a contact of that inverse mass (1/kg); damping in N s/m."""
    return max(0.0, (4 - 2 * damping * dt * mobility) / (dt**2 * mobility))
