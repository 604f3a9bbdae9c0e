"""Leg and trunk: the double inverted pendulum, Stephens 2007. It stands, by its ankle and by its hip.

Angles from the vertical, forward: of the leg and of the trunk. The ankle gives no more torque than the sole lets it,
`|tau| <= m g d`; small pushes are met by the ankle alone, larger ones by a bow of the trunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Matrix2, Vector2, routine
from footfall.math.small_systems import solve_two
from footfall.motion.reduced_model import ReducedModel
from footfall.option_checks import require_above_zero

_DT = 1e-3  # s
_FALLEN, _UPRIGHT = 1.5, 0.05  # rad
_SETTLED = 3.0  # s, after which it stands or never will


@dataclass(frozen=True)
class DoublePendulum:
    """Masses, kg, of leg and trunk; their inertias about their centres, kg m2; length of the leg, m; centres above
    ankle and hip, m. hip_torque: N m, most. heel, toe: how far the sole reaches behind and before the ankle, m."""

    leg_mass: float
    trunk_mass: float
    leg_inertia: float
    trunk_inertia: float
    leg_length: float
    leg_center: float
    trunk_center: float
    hip_torque: float
    heel: float
    toe: float
    gravity: float = 9.81

    def __post_init__(self) -> None:
        require_above_zero(vars(self), of=" of the double pendulum")

    @property
    def mass(self) -> float:
        """kg."""
        return self.leg_mass + self.trunk_mass

    def inertia(self, angles: Vector2) -> Matrix2:
        """M (2, 2) of `M q'' = forces + (ankle - hip, hip)`, for angles of leg and trunk from the vertical."""
        coupling = self.trunk_mass * self.leg_length * self.trunk_center * np.cos(angles[0] - angles[1])
        leg = self.leg_inertia + self.leg_mass * self.leg_center**2 + self.trunk_mass * self.leg_length**2
        return np.array(
            [[leg, coupling], [coupling, self.trunk_inertia + self.trunk_mass * self.trunk_center**2]]
        )

    def forces(self, angles: Vector2, rates: Vector2) -> Vector2:
        """Gravity and what the spinning of links does (2,), N m."""
        spin = self.trunk_mass * self.leg_length * self.trunk_center * np.sin(angles[0] - angles[1])
        leg = self.leg_mass * self.leg_center + self.trunk_mass * self.leg_length
        trunk = self.trunk_mass * self.trunk_center
        return np.array(
            [
                self.gravity * leg * np.sin(angles[0]) - spin * rates[1] * rates[1],
                self.gravity * trunk * np.sin(angles[1]) + spin * rates[0] * rates[0],
            ]
        )

    def acceleration(self, angles: Vector2, rates: Vector2, ankle: float, hip: float) -> Vector2:
        """Of both angles (2,), rad/s2, under torques, N m: the ankle's turns the leg forward, the hip's the trunk."""
        return solve_two(self.inertia(angles), self.forces(angles, rates) + np.array([ankle - hip, hip]))

    def energy(self, angles: Array, rates: Array) -> float:
        """J."""
        leg = self.leg_mass * self.leg_center + self.trunk_mass * self.leg_length
        height = leg * np.cos(angles[0]) + self.trunk_mass * self.trunk_center * np.cos(angles[1])
        return float(0.5 * rates @ self.inertia(angles) @ rates + self.gravity * height)

    def center(self, angles: Array) -> float:
        """How far the centre of mass is before the ankle, m."""
        leg = self.leg_mass * self.leg_center + self.trunk_mass * self.leg_length
        return float(
            (leg * np.sin(angles[0]) + self.trunk_mass * self.trunk_center * np.sin(angles[1])) / self.mass
        )


def double_pendulum(model: ReducedModel, *, hip_torque: float | None = None) -> DoublePendulum:
    """That of a robot: a leg up to the hips, a trunk above. hip_torque: by default what holds the trunk level."""
    trunk, (rear, front) = model.leg.hip_to_torso, model.sole[:2]
    hips = model.com_height / (1.0 - 2.0 * model.foot_share) - trunk
    # Legs whose masses are half way up have this share of the mass, if the centre of mass is where it is.
    share = (hips + trunk - model.com_height) / (0.5 * hips + trunk)
    middle = 0.5 * (rear + front)
    mass = (1.0 - share) * model.mass
    return DoublePendulum(
        share * model.mass,
        mass,
        share * model.mass * hips**2 / 12.0,
        float(model.torso_inertia[1, 1]),
        hips,
        0.5 * hips,
        trunk,
        mass * model.gravity * trunk if hip_torque is None else hip_torque,
        middle - rear,
        front - middle,
        model.gravity,
    )


def standing_gains(pendulum: DoublePendulum) -> Array:
    """Linear-quadratic gains (2, 4) of angles and rates on the torques of ankle and hip, about the upright stance: what
    counts is the divergent component; trunks may bow."""
    from scipy.linalg import solve_continuous_are  # slow to import

    a, b = linear_model(pendulum)
    leg = pendulum.leg_mass * pendulum.leg_center + pendulum.trunk_mass * pendulum.leg_length
    arms = np.array([leg, pendulum.trunk_mass * pendulum.trunk_center]) / pendulum.mass
    slow = np.sqrt(arms.sum() / pendulum.gravity)
    divergent = np.concatenate([arms, slow * arms])
    cost = 10.0 * np.outer(divergent, divergent) + np.diag([1e-3, 1e-2, 1e-4, 1e-3])
    effort = np.eye(2) / (pendulum.mass * pendulum.gravity) ** 2
    p = solve_continuous_are(a, b, cost, effort)
    return np.asarray(np.linalg.solve(effort, b.T @ p))


def linear_model(pendulum: DoublePendulum) -> tuple[Array, Array]:
    """A (4, 4) and B (4, 2) of `x' = A x + B u` about the upright stance; x: angles and rates, u: ankle and hip."""
    inverse = np.linalg.inv(pendulum.inertia(np.zeros(2)))
    leg = pendulum.leg_mass * pendulum.leg_center + pendulum.trunk_mass * pendulum.leg_length
    pull = pendulum.gravity * np.diag([leg, pendulum.trunk_mass * pendulum.trunk_center])
    a, b = np.zeros((4, 4)), np.zeros((4, 2))
    a[:2, 2:], a[2:, :2] = np.eye(2), inverse @ pull
    b[2:] = inverse @ np.array([[1.0, -1.0], [0.0, 1.0]])
    return a, b


def stands_after(pendulum: DoublePendulum, impulse: float, gains: Array, *, hip: bool = True) -> bool:
    """Whether it stands after an impulse forward on its centre of mass, N s. gains (2, 4): see `standing_gains`. hip:
    False: trunk and leg are one."""
    leg = pendulum.leg_mass * pendulum.leg_center + pendulum.trunk_mass * pendulum.leg_length
    arms = np.array([leg, pendulum.trunk_mass * pendulum.trunk_center]) / pendulum.mass
    inertia = pendulum.inertia(np.zeros(2))
    rates = (
        np.linalg.solve(inertia, impulse * arms) if hip else np.full(2, impulse * arms.sum() / inertia.sum())
    )
    return bool(settles(pendulum, gains, rates, hip))


@routine
def settles(pendulum: DoublePendulum, gains: Array, start: Vector2, hip: bool) -> bool:
    """Whether it comes to rest upright from rates of both angles, rad/s, by bounded torques."""
    angles, rates, weight = np.zeros(2), start, pendulum.mass * pendulum.gravity
    for _ in range(int(_SETTLED / _DT)):
        ankle, bow = 0.0, 0.0
        for k in (0, 1):
            ankle -= gains[0, k] * angles[k] + gains[0, 2 + k] * rates[k]
            bow -= gains[1, k] * angles[k] + gains[1, 2 + k] * rates[k]
        ankle = min(max(ankle, -weight * pendulum.toe), weight * pendulum.heel)
        if hip:
            bow = min(max(bow, -pendulum.hip_torque), pendulum.hip_torque)
            rates = rates + _DT * pendulum.acceleration(angles, rates, ankle, bow)
        else:
            inertia, pull = pendulum.inertia(np.zeros(2)), pendulum.forces(angles, np.zeros(2))
            whole = inertia[0, 0] + 2.0 * inertia[0, 1] + inertia[1, 1]
            change = _DT * (pull[0] + pull[1] + ankle) / whole
            rates = rates + np.array([change, change])
        angles = angles + _DT * rates
        if max(abs(angles[0]), abs(angles[1])) > _FALLEN:
            return False
    return bool(max(abs(angles[0]), abs(angles[1])) < _UPRIGHT)


def largest_impulse(pendulum: DoublePendulum, *, hip: bool = True) -> float:
    """N s, forward, after which it still stands, by halving."""
    gains = standing_gains(pendulum)
    low, high = 0.0, 2.0 * pendulum.mass
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stands_after(pendulum, middle, gains, hip=hip) else (low, middle)
    return low
