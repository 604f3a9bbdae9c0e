"""The pendulum by its divergent component of motion, and how far away pushes can be caught.

`xi = c + c' / w` flees from the pivot, `xi' = w (xi - p)`; the centre of mass follows it, `c' = w (xi - c)`. So a walk
is planned for xi alone, backwards from its end, Englsberger 2015: with a pivot that stays in each single support,

    xi_begin = p + exp(-w T) (xi_end - p)

and cubics of xi across double supports. Where xi is at rest, the robot can be; where it points to, it must step: that
is the capture point (`footfall.control.capture_point`). Koolen 2012 asks how far it may be away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.control.balance import divergent_component_after
from footfall.errors import InvalidInput
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion, pendulum_motion

_BUMP = np.array([0.0, 16.0, -32.0, 16.0, 0.0, 0.0])  # 16 s^2 (1 - s)^2, highest power first


def divergent_before(component: Array, pivot: Array, time: float, *, omega: float) -> Array:
    """The divergent component (n,) a time ago, s, over a pivot (n,) that has stayed."""
    return divergent_component_after(component, pivot, -time, omega=omega)


# Walking


class DivergentCourse(NamedTuple):
    """The divergent component, phase by phase: polynomials (P, 6, 2) of the share of the phase's time, highest power
    first, and what is left at the end of each phase (P, 2) of an exponential that grows with omega."""

    times: Array
    pieces: Array
    growing: Array
    omega: float

    @property
    def followers(self) -> Array:
        """Polynomials (P, 6, 2) that obey `c' = w (xi - c)` for those of xi: `b_k = a_k - (k + 1) b_k+1 / (w T)`."""
        result, stiffness = self.pieces.copy(), self.omega * np.diff(self.times)[:, None]
        for k in range(4, -1, -1):  # of eta^k, in row 5 - k
            result[:, 5 - k] -= (k + 1.0) / stiffness * result[:, 4 - k]
        return result

    def motion(self, start: Array, at: Array) -> Array:
        """Position, velocity and acceleration (3, k, 2) at times (k,) of what follows from a position (2,)."""
        omega, spans, own = self.omega, np.diff(self.times), self.followers
        before = np.empty_like(self.growing)  # what decays in each phase, at its begin
        position = start
        for p in range(len(spans)):
            fading = np.exp(-omega * spans[p])
            before[p] = position - own[p, 5] - 0.5 * fading * self.growing[p]
            position = own[p].sum(axis=0) + 0.5 * self.growing[p] + fading * before[p]
        phase = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, len(spans) - 1)
        share = ((at - self.times[phase]) / spans[phase])[:, None]
        span = spans[phase][:, None]
        grown = self.growing[phase] * np.exp(omega * (share - 1.0) * span)
        value, rate, followed = self.pieces[phase, 0], np.zeros((len(at), 2)), own[phase, 0]
        for power in range(1, 6):
            rate = rate * share + value
            value = value * share + self.pieces[phase, power]
            followed = followed * share + own[phase, power]
        xi, change = value + grown, rate / span + omega * grown
        center = followed + 0.5 * grown + before[phase] * np.exp(-omega * share * span)
        velocity = omega * (xi - center)
        return np.stack([center, velocity, omega * (change - velocity)])


def plan_divergent(problem: BalanceProblem) -> CentreMotion:
    """The linear inverted pendulum by its divergent component: pivots stay while a foot swings."""
    course = divergent_course(problem)
    times, (first, last) = problem.grid, problem.ends
    # The last cubic brings xi to rest; the centre of mass comes to it only in the end. A bump makes up for that.
    final = problem.times[-1:]
    missing = last[0] - course.motion(first[0], final)[0, 0]
    bump = DivergentCourse(
        course.times[-2:], _BUMP[None, :, None] * np.ones(2), np.zeros((1, 2)), course.omega
    )
    reached = bump.motion(np.zeros(2), final)[0, 0]
    course.pieces[-1] += _BUMP[:, None] * (missing / reached)
    motion = course.motion(first[0], times)
    motion[:, 0], motion[:, -1] = problem.ends
    return pendulum_motion(problem, times, motion)


def divergent_course(problem: BalanceProblem) -> DivergentCourse:
    """Where the divergent component goes: over pivots that stay while a foot swings, by cubics otherwise."""
    omega, times, pivots = problem.omega, problem.times, _pivots(problem)
    first, last = problem.ends
    count, holds = len(pivots), _holds(problem)
    borders = np.empty((count + 1, 2))
    borders[count] = last[0]
    for p in range(count - 1, -1, -1):
        borders[p] = divergent_before(borders[p + 1], pivots[p], times[p + 1] - times[p], omega=omega)
    borders[0] = first[0] + first[1] / omega
    pieces, growing = np.zeros((count, 6, 2)), np.zeros((count, 2))
    for p in range(count):
        if holds[p]:
            pieces[p, 5], growing[p] = pivots[p], borders[p + 1] - pivots[p]
            continue
        span, delta = times[p + 1] - times[p], borders[p + 1] - borders[p]
        begins = omega * (borders[p] - pivots[p - 1]) if p > 0 else first[1] + first[2] / omega
        ends = omega * (borders[p + 1] - pivots[p + 1]) if p + 1 < count else np.zeros(2)
        begins, ends = span * begins, span * ends
        pieces[p, 2:] = begins + ends - 2.0 * delta, 3.0 * delta - 2.0 * begins - ends, begins, borders[p]
    return DivergentCourse(times, pieces, growing, omega)


def _holds(problem: BalanceProblem) -> Flags:
    """Whether the pivot stays in a phase (P,): where a foot swings, but not where a start or an end must be met."""
    holds = np.array(problem.moving)
    holds[0] = holds[-1] = False
    return holds


def _pivots(problem: BalanceProblem) -> Array:
    """Where the pivot is in each phase (P, 2), m: where it is wanted half way, in load switches half way between its
    neighbours."""
    middle = problem.hands(problem.phase_middles).pivots(problem.wanted(problem.phase_middles)[:, :2])
    first, last = problem.ends
    given = middle.copy()
    for p in np.flatnonzero(~_holds(problem)):
        before = given[p - 1] if p > 0 else first[0] - first[2] / problem.omega**2
        after = given[p + 1] if p + 1 < len(given) else last[0]
        middle[p] = 0.5 * (before + after)
    return middle


# Being pushed


def capture_radii(steps: int, *, reach: float, sole: float, time: float, omega: float) -> Array:
    """How far (steps + 1,) from the ankle the capture point may be so that 0, 1, ... steps bring a pendulum to rest, m.

    Koolen 2012: `d_0 = sole`, `d_n = (d_n-1 + reach - sole) exp(-w T) + sole`. reach: longest step, m; sole: how far
    from the ankle the zero-moment point gets; time: T, that a step takes, s.
    """
    for name, value in (("reach", reach), ("sole", sole), ("time", time), ("omega", omega)):
        if not (np.isfinite(value) and value >= 0.0):
            raise InvalidInput(f"{name} is {value}; it must be a number, zero or above")
    radii, fading = [sole], np.exp(-omega * time)
    for _ in range(steps):
        radii.append(float((radii[-1] + reach - sole) * fading + sole))
    return np.array(radii)


def capture_limit(*, reach: float, sole: float, time: float, omega: float) -> float:
    """The same for as many steps as it takes, m: `sole + (reach exp(-w T)) / (1 - exp(-w T))`."""
    fading = np.exp(-omega * time)
    return float(sole + reach * fading / (1.0 - fading))


def hip_strategy_radius(
    *, torque: float, angle: float, inertia: float, mass: float, gravity: float, omega: float
) -> float:
    """How much farther away a flywheel lets the capture point be, m: accelerated as hard as it can and stopped again
    before its angle ends, Pratt 2006: `tau / (m g) (1 - exp(-w T))^2`, T = sqrt(J theta / tau).

    torque: N m. angle: rad, that it may turn by. inertia: kg m2.
    """
    half = np.sqrt(inertia * angle / torque)
    return float(torque / (mass * gravity) * (1.0 - np.exp(-omega * half)) ** 2)
