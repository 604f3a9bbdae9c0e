"""The question that all reduced models answer: footsteps and times in; centre of mass, zero-moment point and angular
momentum out.

Hands are known wrenches, Seiwald 2023, section 2.4. With a force F and a torque T on a hand at h, heights above the
ground, a mass at a constant height z has its zero-moment point p where

    (m g - F_z) p_x = m g c_x - m z c_x'' + h_z F_x - h_x F_z + T_y

so that it obeys the equation of the pendulum, `c'' = w^2 (c - r)`, about another point, r = a p + b: the *pivot*. All
pendulums below follow pivots; without hands pivots are zero-moment points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.routines import ArrayOf
from footfall.control.balance import natural_frequency
from footfall.math.interpolation import hermite_pieces
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.draft import Draft
from footfall.motion.five_mass import centre_of_mass_motion, masses_of
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.samples import Sample
from footfall.motion.support import SupportAreas
from footfall.motion.whole_body import WholeBody

GRID = 0.05  # s, between break points of what a model gives, at most


class Hands(NamedTuple):
    """What known wrenches on hands make of zero-moment points p at k times: the pivot is `share p + shift`. share (k,),
    shift (k, 2), m."""

    share: Array
    shift: Array

    def pivots(self, points: Array) -> Array:
        """Pivots (k, 2) of zero-moment points (k, 2)."""
        return self.share[:, None] * points + self.shift

    def points(self, pivots: Array) -> Array:
        """Zero-moment points (k, 2) of pivots (k, 2)."""
        return np.asarray((pivots - self.shift) / self.share[:, None])


class CentreMotion(NamedTuple):
    """What a model gives. center (2,): x and y of the centre of mass, m. zmp (2,): of the feet, on the model itself, m.
    momentum (3,): rate of the angular momentum about the centre of mass that the model has, N m. lean (2,): rotation
    of the upper body about the world's x and y that the model asks for, rad; None if it asks for none."""

    center: PolynomialTrajectory
    zmp: PolynomialTrajectory
    momentum: PolynomialTrajectory
    lean: PolynomialTrajectory | None = None


@dataclass(frozen=True, eq=False)
class BalanceProblem:
    """Footsteps and times, as all models get them.

    times (P + 1,): borders of phases, s. moving (P,): whether a foot may swing in it. areas: where the zero-moment
    point shall be, one a phase. draft: how feet, hands and upper body move, with a wanted zero-moment point, loads and
    wrenches. height (1,): of the torso's mass in the five-mass model, m, from which that of the centre of mass
    follows. start (3, 2): position, velocity and acceleration of the centre of mass, m; None: at rest above the wanted
    zero-moment point. lean (3, 2): of the upper body at the start, see `CentreMotion`. body: all of the robot, for
    those who want to know its angular momentum.
    """

    times: Array
    moving: Flags
    areas: SupportAreas
    draft: Draft
    height: PolynomialTrajectory
    model: ReducedModel
    start: Array | None = None
    lean: Array | None = None
    body: WholeBody | None = None

    @property
    def begin(self) -> float:
        """First time, s."""
        return self.draft.begin_time

    @property
    def end(self) -> float:
        """Last time, s."""
        return self.draft.end_time

    @cached_property
    def omega(self) -> float:
        """Of the pendulum, 1/s: its mass is as high as that of a robot that stands."""
        return natural_frequency(self.model.com_height, gravity=self.model.gravity)

    @property
    def wanted(self) -> PolynomialTrajectory:
        """The wanted zero-moment point (3,), m."""
        return self.draft.zmp

    @cached_property
    def uses_hands(self) -> bool:
        """Whether a hand ever bears something."""
        return bool(
            np.count_nonzero(self.draft.right_selection.coefficients)
            or np.count_nonzero(self.draft.left_selection.coefficients)
        )

    @cached_property
    def grid(self) -> Array:
        """Break points (n + 1,), s: borders of phases, and points between them that are no farther apart than
        `GRID`."""
        borders = self.times
        counts = np.maximum(np.ceil(np.diff(borders) / GRID - 1e-9).astype(int), 1)
        steps = np.repeat(np.diff(borders) / counts, counts)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        inside = np.repeat(borders[:-1], counts) + steps * (np.arange(len(steps)) - first)
        return np.append(inside, self.end)

    def samples(self, at: Array) -> ArrayOf[Sample]:
        """Limbs and the wanted zero-moment point at times (k,), s."""
        return self.draft.masses.sample(np.ascontiguousarray(at))

    def hands(self, at: Array) -> Hands:
        """What known wrenches on hands do at times (k,), s."""
        share, shift = np.ones(len(at)), np.zeros((len(at), 2))
        if not self.uses_hands:
            return Hands(share, shift)
        weight, now = self.model.mass * self.model.gravity, self.samples(at)["value"]
        for side in ("right", "left"):
            used = now[f"{side}_selection"][:, None]
            force, torque = used * now[f"{side}_force"], used * now[f"{side}_torque"]
            hand = now[f"{side}_hand"]
            above = hand[:, 2] - now["zmp"][:, 2]
            share -= force[:, 2] / weight
            shift[:, 0] -= (above * force[:, 0] - hand[:, 0] * force[:, 2] + torque[:, 1]) / weight
            shift[:, 1] -= (above * force[:, 1] - hand[:, 1] * force[:, 2] - torque[:, 0]) / weight
        return Hands(share, shift)

    def center_heights(self, at: Array, samples: ArrayOf[Sample] | None = None) -> Array:
        """Height of the centre of mass with two derivatives (3, k), m, at times (k,), s. samples: limbs at these times,
        if they are known."""
        at = np.ascontiguousarray(at)
        torso = np.zeros((3, len(at), 3))
        torso[:, :, 2] = self.height.sample(at)[:, :, 0]
        samples = self.samples(at) if samples is None else samples
        return centre_of_mass_motion(samples, torso, masses_of(self.model))[:, :, 2]

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Position, velocity and acceleration (3, 2) of the centre of mass at the begin and at the end."""
        at = np.array([self.begin, self.end])
        rest = self.hands(at).pivots(self.wanted(at)[:, :2])
        first, last = np.zeros((3, 2)), np.zeros((3, 2))
        first[0], last[0] = rest
        return first if self.start is None else self.start, last

    def phase_at(self, at: Array) -> Array:
        """Number of the phase at each of the times (k,)."""
        found = np.searchsorted(self.times, at, side="right") - 1
        return np.clip(found, 0, len(self.times) - 2)

    @property
    def phase_middles(self) -> Array:
        """Half way through each phase (P,), s."""
        return np.asarray(0.5 * (self.times[:-1] + self.times[1:]))


def still(problem: BalanceProblem) -> PolynomialTrajectory:
    """No angular momentum (3,): all that a point mass has."""
    return PolynomialTrajectory.unchecked(np.array([problem.begin, problem.end]), np.zeros((1, 6, 3)))


def through(times: Array, motion: Array) -> PolynomialTrajectory:
    """Quintics through motion (3, n + 1, dimension) at times (n + 1,)."""
    return PolynomialTrajectory.unchecked(times.copy(), hermite_pieces(times, *np.ascontiguousarray(motion)))


def joined(times: Array, points: Array) -> PolynomialTrajectory:
    """Cubics through points (n + 1, dimension) with the slopes of parabolas through three neighbours, as quintics: for
    zero-moment points, whose rate is not needed."""
    step = np.diff(times)[:, None]
    slope = np.diff(points, axis=0) / step
    rates = np.empty_like(points)
    rates[0], rates[-1] = slope[0], slope[-1]
    if len(times) > 2:
        rates[1:-1] = (slope[:-1] * step[1:] + slope[1:] * step[:-1]) / (step[1:] + step[:-1])
    change = np.diff(points, axis=0)
    first, last = rates[:-1] * step, rates[1:] * step
    pieces = np.zeros((len(step), 6, points.shape[1]))
    pieces[:, 2], pieces[:, 3] = first + last - 2.0 * change, 3.0 * change - 2.0 * first - last
    pieces[:, 4], pieces[:, 5] = first, points[:-1]
    return PolynomialTrajectory.unchecked(times.copy(), pieces)


def ending(problem: BalanceProblem, times: Array, missing: Array) -> Array:
    """Motion (3, k, 2) at times (k,) that is none until the last load switch and becomes what is missing (3, 2) in the
    end."""
    begin = float(problem.times[-2])
    course = through(np.array([begin, problem.end]), np.stack([np.zeros((3, 2)), missing], axis=1))
    return np.where(
        times[:, None] > begin, course.sample(np.minimum(times, np.nextafter(problem.end, -np.inf))), 0.0
    )


def brought_to_rest(problem: BalanceProblem, times: Array, motion: Array) -> Array:
    """Motion (3, n + 1, 2) at times that rests in the end: controllers only come near."""
    return np.asarray(motion + ending(problem, times, problem.ends[1] - motion[:, -1]))


def pendulum_motion(
    problem: BalanceProblem, times: Array, motion: Array, *, lean: PolynomialTrajectory | None = None
) -> CentreMotion:
    """The answer of a pendulum whose centre of mass moves so (3, n + 1, 2) at times (n + 1,)."""
    center = through(times, motion)
    if not problem.uses_hands:
        return CentreMotion(center, pivot_course(center, problem.omega), still(problem), lean)
    pivots = motion[0] - motion[2] / problem.omega**2
    return CentreMotion(center, joined(times, problem.hands(times).points(pivots)), still(problem), lean)


def pivot_course(center: PolynomialTrajectory, omega: float) -> PolynomialTrajectory:
    """Pivots `c - c'' / w^2` of a pendulum (2,), piece by piece: exact."""
    pieces = center.coefficients.copy()
    scale = (omega * np.diff(center.times)[:, None]) ** -2
    for power in range(4):  # of eta^power, in row 5 - power
        factor = (power + 2.0) * (power + 1.0)
        pieces[:, 5 - power] -= factor * scale * center.coefficients[:, 3 - power]
    return PolynomialTrajectory.unchecked(center.times.copy(), pieces)
