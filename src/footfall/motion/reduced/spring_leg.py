"""A mass on a spring: running in the plane, Blickhan 1989. In flight it falls, on the ground a leg without mass pushes,

    m r'' = k (l0 - |r|) r / |r| + m g

r from the foot. Energy is neither won nor lost, and a gait that is the same in every step is symmetric: it leaves the
ground as it came, seen in a mirror. Which angle the leg must have as it touches down is found by bisection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import routine
from footfall.compiler.routines.types import Fixed
from footfall.errors import InvalidInput
from footfall.motion.reduced_model import ReducedModel
from footfall.option_checks import require_above_zero

Vector4 = Annotated[Array, Fixed((4,))]  # offset from the foot and velocity
_DT = 1e-4  # s, of the integration by Runge and Kutta
_LONGEST_STANCE = 2.0  # s, of a stance, after which it has fallen


@dataclass(frozen=True)
class SpringLeg:
    """mass: kg. stiffness: of the leg, N/m. length: at rest, m. gravity: m/s2."""

    mass: float
    stiffness: float
    length: float
    gravity: float = 9.81

    def __post_init__(self) -> None:
        require_above_zero(vars(self), of=" of the leg on a spring")

    def energy(self, offset: Array, velocity: Array) -> Array:
        """Energy (...), J, at an offset (..., 2) from the foot, m, with a velocity (..., 2); on the ground while the
        leg is shorter than at rest."""
        pressed = np.maximum(self.length - np.linalg.norm(offset, axis=-1), 0.0)
        moving = 0.5 * self.mass * np.square(velocity).sum(axis=-1)
        return np.asarray(
            moving + self.mass * self.gravity * offset[..., 1] + 0.5 * self.stiffness * pressed**2
        )


def spring_leg(model: ReducedModel, *, stiffness: float = 20.0) -> SpringLeg:
    """That of a robot: as long as its centre of mass is high. stiffness: `k l0 / (m g)`; 10 to 30 for animals that run,
    Blickhan 1989."""
    weight = model.mass * model.gravity
    return SpringLeg(model.mass, stiffness * weight / model.com_height, model.com_height, model.gravity)


class _Stance(NamedTuple):
    """states (n, 4): offset from the foot and velocity. lifted: whether it has left the ground."""

    states: Array
    lifted: bool


@routine
def stance(mass: float, stiffness: float, length: float, gravity: float, start: Vector4) -> _Stance:
    """From touch-down (offset from the foot and velocity) to lift-off, in steps of `_DT`; the last step is as long as
    it must be."""
    states = []
    state, most = start, int(_LONGEST_STANCE / _DT)
    states.append(state)
    for _ in range(most):
        after = _advanced(state, _DT, mass, stiffness, length, gravity)
        if after[1] <= 0.0:
            break
        reach = np.sqrt(after[0] * after[0] + after[1] * after[1])
        if reach >= length:
            low, high = 0.0, _DT
            for _ in range(60):
                middle = 0.5 * (low + high)
                after = _advanced(state, middle, mass, stiffness, length, gravity)
                if after[0] * after[0] + after[1] * after[1] < length * length:
                    low = middle
                else:
                    high = middle
            states.append(_advanced(state, high, mass, stiffness, length, gravity))
            return _Stance(np.array(states), True)
        state = after
        states.append(state)
    return _Stance(np.array(states), False)


def _advanced(
    state: Vector4, step: float, mass: float, stiffness: float, length: float, gravity: float
) -> Vector4:
    one = _rate(state, mass, stiffness, length, gravity)
    two = _rate(state + 0.5 * step * one, mass, stiffness, length, gravity)
    three = _rate(state + 0.5 * step * two, mass, stiffness, length, gravity)
    four = _rate(state + step * three, mass, stiffness, length, gravity)
    return state + step / 6.0 * (one + 2.0 * two + 2.0 * three + four)


def _rate(state: Vector4, mass: float, stiffness: float, length: float, gravity: float) -> Vector4:
    reach = np.sqrt(state[0] * state[0] + state[1] * state[1])
    push = stiffness / mass * (length / reach - 1.0)
    return np.array([state[2], state[3], push * state[0], push * state[1] - gravity])


class RunningStep(NamedTuple):
    """From apex to apex. times (n,), s; center (3, n, 2): x and z of the mass with two derivatives, x from the first
    apex; foot: where it stands, m; grounded (n,): whether it does."""

    times: Array
    center: Array
    foot: float
    grounded: Flags

    @property
    def apex(self) -> tuple[float, float]:
        """Height and speed at its end, m and m/s."""
        return float(self.center[0, -1, 1]), float(self.center[1, -1, 0])


def running_step(
    leg: SpringLeg, height: float, speed: float, angle: float, *, points: int = 40
) -> RunningStep | None:
    """A step from an apex of a height, m, with a speed, m/s. angle: of the leg from the vertical at touch-down, rad,
    forward. None if it falls: if it never touches down, leaves the ground backwards or does not rise again.

    points: in each flight.
    """
    drop = height - leg.length * np.cos(angle)
    if drop <= 0.0:
        return None
    falling = np.sqrt(2.0 * drop / leg.gravity)
    ahead = speed * falling
    foot = ahead + leg.length * np.sin(angle)
    landing = np.array(
        [-leg.length * np.sin(angle), leg.length * np.cos(angle), speed, -leg.gravity * falling]
    )
    states, lifted = stance(leg.mass, leg.stiffness, leg.length, leg.gravity, landing)
    if not lifted or states[-1, 3] <= 0.0 or states[-1, 2] <= 0.0:
        return None
    first = np.linspace(0.0, falling, points)
    lasting = np.append(_DT * np.arange(len(states) - 1), 0.0)
    # The last step of the stance is shorter; its time follows from where the mass has got to.
    lasting[-1] = lasting[-2] + _last_step(states)
    rising = states[-1, 3] / leg.gravity
    last = np.linspace(0.0, rising, points)
    down = _flight(np.array([0.0, height]), np.array([speed, 0.0]), first, leg.gravity)
    reach = np.linalg.norm(states[:, :2], axis=1, keepdims=True)
    push = leg.stiffness / leg.mass * (leg.length / reach - 1.0) * states[:, :2]
    ground = np.stack([states[:, :2] + [foot, 0.0], states[:, 2:], push - [0.0, leg.gravity]])
    up = _flight(ground[0, -1], ground[1, -1], last, leg.gravity)
    times = np.concatenate([first, falling + lasting[1:-1], falling + lasting[-1] + last])
    center = np.concatenate([down, ground[:, 1:-1], up], axis=1)
    grounded = np.zeros(len(times), dtype=bool)
    grounded[points : points + len(lasting) - 2] = True
    return RunningStep(times, center, float(foot), grounded)


def _last_step(states: Array) -> float:
    """s, from the mean speed along the faster axis."""
    axis = int(np.abs(states[-1, 2:]).argmax())
    return float(2.0 * (states[-1, axis] - states[-2, axis]) / (states[-1, 2 + axis] + states[-2, 2 + axis]))


def _flight(place: Array, velocity: Array, times: Array, gravity: float) -> Array:
    """Position, velocity and acceleration (3, n, 2) of what falls."""
    pull, t = np.array([0.0, -gravity]), times[:, None]
    return np.stack(
        [
            place + velocity * t + 0.5 * pull * t * t,
            velocity + pull * t,
            np.broadcast_to(pull, (len(times), 2)),
        ]
    )


def running_angle(leg: SpringLeg, height: float, speed: float) -> float:
    """The angle of the leg at touch-down, rad, with which every step is as the one before, from an apex of a height, m,
    with a speed, m/s. Raises if there is none."""
    steepest = float(np.arccos(min(height / leg.length, 1.0)))
    angles = np.linspace(steepest + 1e-3, 0.9, 60)
    before: tuple[float, float] | None = None
    for angle in angles:
        step = running_step(leg, height, speed, float(angle), points=2)
        if step is None:
            before = None
            continue
        change = step.apex[1] - speed
        if before is not None and before[1] * change <= 0.0:
            return _bisected(leg, height, speed, before[0], float(angle), before[1])
        before = (float(angle), change)
    raise InvalidInput(
        f"no angle of the leg lets it run at {speed:g} m/s from a height of {height:g} m; a leg of {leg.length:g} m "
        f"with {leg.stiffness:g} N/m may be too soft or too stiff for that"
    )


def _bisected(leg: SpringLeg, height: float, speed: float, low: float, high: float, sign: float) -> float:
    for _ in range(60):
        middle = 0.5 * (low + high)
        step = running_step(leg, height, speed, middle, points=2)
        if step is not None and (step.apex[1] - speed) * sign > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
