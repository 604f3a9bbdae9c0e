"""The linear inverted pendulum in closed form: a mass at a constant height, above a pivot that moves as it likes.

`c'' = w^2 (c - p)` has two parts that do not know of each other, Takenaka 2009:

    xi = c + c' / w     flees from the pivot,       xi' =  w (xi - p)
    zeta = c - c' / w   comes to the pivot,       zeta' = -w (zeta - p)

A pivot that is a polynomial has a polynomial solution; both parts differ from it by an exponential, so that a walk of
any length is solved phase by phase: xi from its end, zeta from its begin, and nothing grows on the way. Begin and end
give four conditions, the equation bears two: the first and last pivots give way by a smooth bump each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import routine
from footfall.math.polynomials import raised, restrict
from footfall.math.trajectories import PolynomialTrajectory, union_of_times
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion, joined, pendulum_motion

_RELAXED = 3  # phases at either end whose pivots may differ from what is wanted
_BUMP = np.array([0.0, 16.0, -32.0, 16.0, 0.0, 0.0])  # 16 s^2 (1 - s)^2, highest power first


def orbital_energy(offset: Array, velocity: Array, omega: float) -> Array:
    """Energy (...) of a pendulum at an offset (...) from its pivot, m, with a velocity, m/s: constant while the pivot
    stays, Kajita 1991. Above zero it passes the pivot, below it turns back; at zero it comes to rest on it. m2/s2."""
    return np.asarray(0.5 * np.square(velocity) - 0.5 * omega**2 * np.square(offset))


def particular_pieces(pieces: Array, durations: Array, omega: float) -> Array:
    """Polynomials (n, 6, dimension) that obey the equation of the pendulum for pivots (n, 6, dimension) over durations
    (n,), s, highest power first: `b_k = a_k + (k + 1) (k + 2) b_k+2 / (w T)^2`, from the top degree down."""
    result, stiffness = pieces.copy(), np.square(omega * durations)[:, None]
    top = pieces.shape[1] - 1
    for k in range(top - 2, -1, -1):  # of eta^k, in row top - k
        result[:, top - k] += (k + 1.0) * (k + 2.0) / stiffness * result[:, top - k - 2]
    return result


class Divided(NamedTuple):
    """Both parts of a motion at the borders of pieces (n + 1, dimension)."""

    diverging: Array
    converging: Array


class Pendulum:
    """A pendulum whose pivot is a chain of polynomials (n, 6, dimension) over durations (n,), s. omega: 1/s."""

    def __init__(self, pivot: Array, durations: Array, omega: float) -> None:
        self.pivot, self.durations, self.omega = pivot, durations, omega
        self.particular = particular_pieces(pivot, durations, omega)
        stretch = omega * durations[:, None]
        first, last = self.particular[:, 5], self.particular.sum(axis=1)
        early = self.particular[:, 4] / stretch
        late = (np.arange(5.0, -1.0, -1.0)[:, None] * self.particular).sum(axis=1) / stretch
        # Both parts of the polynomial solutions at the ends of pieces.
        self.xi_first, self.xi_last = first + early, last + late
        self.zeta_first, self.zeta_last = first - early, last - late

    def borders(self, xi_end: Array, zeta_begin: Array) -> Divided:
        """Both parts at all borders, for xi at the end and zeta at the begin (dimension,)."""
        fading = np.exp(-self.omega * self.durations)
        # What is left of each part once the polynomials are taken away shrinks by exp(-w T) a piece.
        back = self.xi_first - fading[:, None] * self.xi_last
        onward = self.zeta_last - fading[:, None] * self.zeta_first
        xi = carried(fading[::-1].copy(), back[::-1].copy(), xi_end)[::-1]
        return Divided(xi, carried(fading, onward, zeta_begin))

    def motion(self, at: Divided, piece: Integers, eta: Array) -> Array:
        """Position, velocity and acceleration (3, k, dimension) in pieces (k,) at shares eta (k,) of their time."""
        share, span, omega = eta[:, None], self.durations[piece][:, None], self.omega
        own, pivots = self.particular[piece], self.pivot[piece]
        value, pivot, rate = own[:, 0], pivots[:, 0], np.zeros_like(own[:, 0])
        for power in range(1, 6):
            rate = rate * share + value
            value = value * share + own[:, power]
            pivot = pivot * share + pivots[:, power]
        xi = np.exp(omega * (share - 1.0) * span) * (at.diverging[1:] - self.xi_last)[piece]
        zeta = np.exp(-omega * share * span) * (at.converging[:-1] - self.zeta_first)[piece]
        position = value + 0.5 * (xi + zeta)
        return np.stack([position, rate / span + 0.5 * omega * (xi - zeta), omega**2 * (position - pivot)])


@routine
def carried(shares: Array, gains: Array, start: Array) -> Array:
    """Values (n + 1, dimension) of `x_k+1 = share_k x_k + gain_k` from a start (dimension,)."""
    result = np.empty((len(shares) + 1, len(start)))
    result[0] = start
    for k in range(len(shares)):
        result[k + 1] = shares[k] * result[k] + gains[k]
    return result


def follow_pivots(
    course: PolynomialTrajectory, phases: Array, start: Array, end: Array, omega: float, at: Array
) -> Array:
    """Motion (3, k, 2) at times (k,), s, of a pendulum that goes from a start to an end (3, 2) above pivots (2,), which
    give way in the first and last phases by as little as they must.

    phases (P + 1,): their borders, s. start, end: position, velocity and acceleration, m; accelerations follow from the
    pivots.
    """
    times = union_of_times(course.times, phases)
    pieces = raised(restrict(course.times, course.coefficients, times), 6)
    durations, count = np.diff(times), len(phases) - 1
    xi_end, zeta_begin = end[0] + end[1] / omega, start[0] - start[1] / omega
    xi, zeta = Pendulum(pieces, durations, omega).borders(xi_end, zeta_begin)
    missed = np.stack([start[0] + start[1] / omega - xi[0], end[0] - end[1] / omega - zeta[-1]])
    chosen = sorted({*range(min(_RELAXED, count)), *range(max(count - _RELAXED, 0), count)})
    shapes = np.zeros((count, 6, len(chosen)))
    shapes[chosen, :, range(len(chosen))] = _BUMP
    bumps, none = restrict(phases, shapes, times), np.zeros(len(chosen))
    # What a bump of 1 m in each of the phases does to xi at the begin and to zeta at the end.
    moved = Pendulum(bumps, durations, omega).borders(none, none)
    effect = np.stack([moved.diverging[0], moved.converging[-1]])
    sizes = np.linalg.lstsq(effect, missed, rcond=1e-12)[0]
    pendulum = Pendulum(pieces + bumps @ sizes, durations, omega)
    borders = pendulum.borders(xi_end, zeta_begin)
    piece = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(durations) - 1)
    return pendulum.motion(borders, piece, (at - times[piece]) / durations[piece])


def divergent_of(course: PolynomialTrajectory, end: Array, omega: float, at: Array) -> Array:
    """The divergent component (k, 2) at times (k,) that comes to an end (2,) over pivots (2,)."""
    pieces, durations = raised(course.coefficients, 6), np.diff(course.times)
    pendulum = Pendulum(pieces, durations, omega)
    borders = pendulum.borders(end, course(course.start))
    piece = np.clip(np.searchsorted(course.times, at, side="right") - 1, 0, len(durations) - 1)
    motion = pendulum.motion(borders, piece, (at - course.times[piece]) / durations[piece])
    return np.asarray(motion[0] + motion[1] / omega)


def wanted_pivots(problem: BalanceProblem) -> PolynomialTrajectory:
    """Where the pivot of a pendulum shall be (2,), m: below it if hands bear nothing, that is the wanted zero-moment
    point itself; else close to it, by cubics."""
    wanted = problem.wanted
    if not problem.uses_hands:
        return PolynomialTrajectory.unchecked(
            np.array(wanted.times), np.ascontiguousarray(wanted.coefficients[:, :, :2])
        )
    times = problem.grid
    return joined(times, problem.hands(times).pivots(wanted(times)[:, :2]))


def plan_pendulum(problem: BalanceProblem) -> CentreMotion:
    """The linear inverted pendulum along the wanted zero-moment point."""
    times = problem.grid
    motion = follow_pivots(wanted_pivots(problem), problem.times, *problem.ends, problem.omega, times)
    motion[:, 0], motion[:, -1] = problem.ends
    return pendulum_motion(problem, times, motion)
