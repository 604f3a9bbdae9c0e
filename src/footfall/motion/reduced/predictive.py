"""The pendulum by model predictive control, Wieber 2006: every period the best jerks within a horizon, of which the
first is carried out. With a flywheel it may also lean, Pratt 2006.

Prediction (Herdt 2010). With jerks U over N periods T from a state s = (c, c', c''), zero-moment points to come are

    Z = P_s s + P_u U,  P_s(i) = (1, i T, i^2 T^2 / 2 - z / g)
                        P_u(i, j) = (1 + 3 (i - j) + 3 (i - j)^2) T^3 / 6 - T z / g

and a flywheel with angle f takes `J f'' / (m g)` off them, its own jerks being a second input. The quadratic program
weighs what Z misses of what is wanted against jerks, angles and jerks of the flywheel, with Z above soles.

Zero-moment points within a horizon say nothing of what comes after it: a robot that falls can follow them to its end.
So the divergent component at the end of the horizon is wanted where the rest of the plan needs it, Scianca 2020.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler.routines import ArrayOf, new_records, routine
from footfall.motion.reduced.pendulum import divergent_of, wanted_pivots
from footfall.motion.reduced.problem import (
    BalanceProblem,
    CentreMotion,
    brought_to_rest,
    ending,
    joined,
    pendulum_motion,
    through,
)

HORIZON = 26  # periods
PERIOD = 0.06  # s; double support of a small robot lasts 0.14 s
_JERK = 1e-6  # weight of jerks, (m/s3)^-2, beside that of zero-moment points, 1/m2
_ANGLE, _TURNING_JERK = 1e-3, 1e-7  # weights of the flywheel's angle, 1/rad2, and of its jerks, (rad/s3)^-2
LARGEST_LEAN = 0.15  # rad
_TOLERANCE = 1e-9  # m or rad, that limits may be missed by
_ANGLES = 8  # number of the first bound of a flywheel; edges have smaller ones
_MOST_LIMITS = 4 * HORIZON  # limits that hold at once: two edges and two angles a period
_MOST_ROUNDS = 200
_DEPENDENT = 1e-12  # square of what a limit gives that others do not
_NO_FORCE = 1e-14


class Prediction(NamedTuple):
    """What follows from a state and inputs over a horizon of N periods, for one axis.

    free (N + 1, 3): zero-moment points from the state, and the divergent component at the end. angle_free (N, 3):
    angles of the flywheel. shift: how far a zero-moment point goes for an angular acceleration of 1 rad/s2, m; 0: it
    has no flywheel. Courses are zero-moment points and, with a flywheel, its angles: p of them. follow (p, q), first
    (2, q): what courses, and the first jerks of centre of mass and flywheel, are less by for q misses, if nothing is
    limited. give (p, p), push (2, p): what they are more by for a unit of force on a course that meets its limit.
    """

    period: float
    shift: float
    free: Array
    angle_free: Array
    follow: Array
    first: Array
    give: Array
    push: Array


class Horizon(NamedTuple):
    """Of one axis. free (N + 1, 3), forced (N + 1, n): zero-moment points, and the divergent component at the end, from
    the state and from n inputs: jerks, and then those of a flywheel if there is one. angle_free (N, 3), angle_forced
    (N, n): angles of the flywheel."""

    free: Array
    forced: Array
    angle_free: Array
    angle_forced: Array


def horizon(height_by_gravity: float, period: float, shift: float) -> Horizon:
    """What follows from states and inputs. height_by_gravity: z / g, s2. shift: see `Prediction`."""
    steps = np.arange(1, HORIZON + 1)
    place = np.stack([np.ones(HORIZON), steps * period, (steps * period) ** 2 / 2], axis=1)
    slow, last = np.sqrt(height_by_gravity), HORIZON * period
    free = np.vstack([place - [0.0, 0.0, height_by_gravity], [1.0, last + slow, last**2 / 2 + last * slow]])
    ahead = (steps[:, None] - steps[None, :]).astype(float)
    before = ahead >= 0.0
    moved = np.where(before, (1.0 + 3.0 * ahead + 3.0 * ahead**2) * period**3 / 6, 0.0)
    pushed = np.where(before, period, 0.0)
    speeds = (1.0 + 2.0 * ahead[-1]) * period**2 / 2  # that jerks give in the end
    forced = np.vstack([moved - height_by_gravity * pushed, moved[-1] + slow * speeds])
    if shift > 0.0:
        forced = np.hstack([forced, np.vstack([-shift * pushed, np.zeros(HORIZON)])])
    return Horizon(free, forced, place, np.hstack([np.zeros((HORIZON, HORIZON)), moved]))


@lru_cache(maxsize=64)
def prediction(height_by_gravity: float, period: float, shift: float) -> Prediction:
    """Matrices of a program, see `horizon`."""
    free, forced, place, angles = horizon(height_by_gravity, period, shift)
    weights, courses, misses = np.full(HORIZON, _JERK), forced[:-1], forced
    hessian = forced.T @ forced
    if shift > 0.0:
        weights = np.concatenate([weights, np.full(HORIZON, _TURNING_JERK)])
        courses, misses = np.vstack([forced[:-1], angles]), np.vstack([forced, _ANGLE * angles])
        hessian += _ANGLE * angles.T @ angles
    inverse = np.linalg.inv(hessian + np.diag(weights))
    inputs, forces = inverse @ misses.T, inverse @ courses.T
    chosen = [0, HORIZON if shift > 0.0 else 0]
    matrices = (courses @ inputs, inputs[chosen], courses @ forces, forces[chosen])
    return Prediction(period, shift, free, place, *(np.ascontiguousarray(each) for each in matrices))


class Wanted(NamedTuple):
    """Pivots (k, 2) at periods, and the divergent component (k, 2) that the rest of the plan needs there, m."""

    pivots: Array
    divergent: Array


class Edges(NamedTuple):
    """Where pivots may be at k times: normals (k, 8, 2), inward, with `n r >= offset` (k, 8), m, for the first counts
    (k,) of them."""

    normals: Array
    offsets: Array
    counts: Integers


def edges_at(problem: BalanceProblem, at: Array) -> Edges:
    """Edges of the areas at times (k,), s, seen by the pivot."""
    phases, hands = problem.phase_at(at), problem.hands(at)
    corners, sizes = problem.areas.corners[phases], problem.areas.sizes[phases]
    numbers = np.arange(corners.shape[1])
    following = np.where(numbers + 1 < sizes[:, None], numbers + 1, 0)
    along = np.take_along_axis(corners, following[:, :, None], axis=1) - corners
    length = np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-12)
    normals = np.stack([-along[:, :, 1], along[:, :, 0]], axis=2) / length
    seen = hands.share[:, None, None] * corners + hands.shift[:, None]
    return Edges(normals, np.einsum("kci,kci->kc", normals, seen), sizes)


class Held(NamedTuple):
    """Limits that hold a plan back, the first `kept[0]` of `places` (k, 2): number of the period, and number of the
    edge, or from `_ANGLES` on of a bound of the flywheel: x from below, x from above, y from below, y from above."""

    places: Integers
    kept: Integers


class _Limit(NamedTuple):
    """`x u + y v >= bound` for the course with this number of both axes, (u, v)."""

    course: int
    x: float
    y: float
    bound: float


@routine
def _limit(edges: Edges, first: int, horizon: int, time: int, edge: int, largest: float) -> _Limit:
    if edge < _ANGLES:
        x, y = edges.normals[time, edge, 0], edges.normals[time, edge, 1]
        return _Limit(time - first, x, y, edges.offsets[time, edge])
    sign = 1.0 if (edge - _ANGLES) % 2 == 0 else -1.0
    along = edge - _ANGLES < 2
    return _Limit(horizon + time - first, sign if along else 0.0, 0.0 if along else sign, -largest)


@routine(fused=True)
def _worst(model: Prediction, course: Array, edges: Edges, first: int, largest: float) -> tuple[int, int]:
    """Number of the period and of the limit that courses (p, 2) miss by most; -1 if none by more than `_TOLERANCE`."""
    horizon, least, time, edge = len(model.angle_free), -_TOLERANCE, -1, 0
    for i in range(horizon):
        u, v, at = course[i, 0], course[i, 1], first + i
        for k in range(edges.counts[at]):
            room = edges.normals[at, k, 0] * u + edges.normals[at, k, 1] * v - edges.offsets[at, k]
            if room < least:
                least, time, edge = room, at, k
    if model.shift > 0.0:
        for i in range(horizon):
            for axis in (0, 1):
                angle = course[horizon + i, axis]
                if largest - abs(angle) < least:
                    least, time = largest - abs(angle), first + i
                    edge = _ANGLES + 2 * axis + (1 if angle > 0.0 else 0)
    return time, edge


@routine(fused=True)
def _forces(model: Prediction, limits: ArrayOf[_Limit], count: int, course: Array) -> Array:
    """Forces (count,) on courses (p, 2) that bring each of the limits to its bound: Cholesky's method."""
    matrix, force = np.empty((count, count)), np.empty(count)
    for i in range(count):
        a = limits[i]
        force[i] = a.bound - a.x * course[a.course, 0] - a.y * course[a.course, 1]
        for j in range(i + 1):
            b = limits[j]
            entry = (a.x * b.x + a.y * b.y) * model.give[a.course, b.course]
            for k in range(j):
                entry -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = np.sqrt(max(entry, _DEPENDENT))
            else:
                matrix[i, j] = entry / matrix[j, j]
                force[i] -= matrix[i, j] * force[j]
        force[i] /= matrix[i, i]
    for back in range(count):
        i = count - 1 - back
        for k in range(i + 1, count):
            force[i] -= matrix[k, i] * force[k]
        force[i] /= matrix[i, i]
    return force


@routine(fused=True)
def control_horizon(
    model: Prediction, state: Array, wanted: Wanted, edges: Edges, first: int, largest: float, held: Held
) -> Array:
    """The best first inputs (2, 2), of centre of mass and flywheel in both axes, from a state (3, 4) of both, for
    wanted pivots from number `first` on. Where too many limits hold, the best without limits.

    Without limits everything follows from the state by matrices that are known. What limits add is the solution of
    the dual program, forces on courses at their limits, none negative (Lawson and Hanson 1974, chapter 23): as many
    unknowns as limits hold. Those of the period before, `held`, are the first guess.
    """
    horizon, count = len(model.angle_free), len(model.follow)
    misses, course = np.empty((model.follow.shape[1], 2)), np.empty((count, 2))
    for axis in (0, 1):
        c, v, a = state[0, axis], state[1, axis], state[2, axis]
        for i in range(horizon + 1):
            seen = model.free[i, 0] * c + model.free[i, 1] * v + model.free[i, 2] * a
            if i < horizon:
                course[i, axis] = seen - model.shift * state[2, 2 + axis]
                misses[i, axis] = course[i, axis] - wanted.pivots[first + i, axis]
            else:
                misses[i, axis] = seen - wanted.divergent[first + i - 1, axis]
        for i in range(count - horizon):
            angle = model.angle_free[i, 0] * state[0, 2 + axis] + model.angle_free[i, 1] * state[1, 2 + axis]
            angle += model.angle_free[i, 2] * state[2, 2 + axis]
            course[horizon + i, axis], misses[horizon + 1 + i, axis] = angle, angle
    course -= model.follow @ misses
    inputs = -(model.first @ misses)
    limits, force, kept = new_records(_Limit, _MOST_LIMITS), np.zeros(_MOST_LIMITS), 0
    for k in range(held.kept[0]):
        if held.places[k, 0] >= first:
            held.places[kept] = held.places[k]
            limits[kept] = _limit(edges, first, horizon, held.places[k, 0], held.places[k, 1], largest)
            kept += 1
    now, solved = course.copy(), False
    for _ in range(_MOST_ROUNDS):
        # Forces that would be negative are let go, from the first on that becomes none on the way to the solution.
        while kept > 0:
            aim = _forces(model, limits, kept, course)
            share = 1.0
            for k in range(kept):
                if aim[k] <= 0.0:
                    share = min(share, force[k] / (force[k] - aim[k]) if force[k] > 0.0 else 0.0)
            left = 0
            for k in range(kept):
                reached = force[k] + share * (aim[k] - force[k])
                if aim[k] > 0.0 or reached > _NO_FORCE:
                    force[left], limits[left], held.places[left] = reached, limits[k], held.places[k]
                    left += 1
            force[left:] = 0.0
            done = left == kept
            kept = left
            if done:
                break
        now[:] = course
        for k in range(kept):
            limit = limits[k]
            for i in range(count):
                now[i, 0] += model.give[i, limit.course] * (limit.x * force[k])
                now[i, 1] += model.give[i, limit.course] * (limit.y * force[k])
        time, edge = _worst(model, now, edges, first, largest)
        solved = time < 0
        if solved or kept == _MOST_LIMITS:
            break
        held.places[kept, 0], held.places[kept, 1] = time, edge
        limits[kept] = _limit(edges, first, horizon, time, edge, largest)
        force[kept] = 0.0
        kept += 1
    held.kept[0] = kept
    if not solved:
        held.kept[0] = 0
        return inputs
    for k in range(kept):
        limit = limits[k]
        for i in (0, 1):
            inputs[i, 0] += model.push[i, limit.course] * (limit.x * force[k])
            inputs[i, 1] += model.push[i, limit.course] * (limit.y * force[k])
    return inputs


@routine
def control_cart(model: Prediction, start: Array, wanted: Wanted, edges: Edges, largest: float) -> Array:
    """States (K, 3, 4) of centre of mass and flywheel, both x and y, along what is wanted (K + N, 2), from a state
    (3, 4)."""
    horizon, period = len(model.angle_free), model.period
    count = len(wanted.pivots) - horizon
    states, state = np.empty((count, 3, 4)), start.copy()
    held = Held(np.zeros((_MOST_LIMITS, 2), dtype=np.int64), np.zeros(1, dtype=np.int64))
    for k in range(count):
        states[k] = state
        inputs = control_horizon(model, state, wanted, edges, k + 1, largest, held)
        for axis in (0, 1, 2, 3):
            jerk = inputs[axis // 2, axis % 2] if axis < 2 or model.shift > 0.0 else 0.0
            c, v, a = state[0, axis], state[1, axis], state[2, axis]
            state[0, axis] = c + period * v + period**2 / 2 * a + period**3 / 6 * jerk
            state[1, axis] = v + period * a + period**2 / 2 * jerk
            state[2, axis] = a + period * jerk
    return states


def plan_predictive(problem: BalanceProblem) -> CentreMotion:
    """The linear inverted pendulum by model predictive control."""
    times, states = _controlled(problem, 0.0)
    return pendulum_motion(problem, times, brought_to_rest(problem, times, states[:, :, :2]))


def plan_flywheel(problem: BalanceProblem) -> CentreMotion:
    """The same with a flywheel, whose inertia is that of the torso: it leans a little to keep the zero-moment point
    where it shall be."""
    model = problem.model
    inertia = flywheel_inertia(problem)
    times, states = _controlled(problem, inertia / (model.mass * model.gravity))
    motion = brought_to_rest(problem, times, states[:, :, :2])
    swing = states[:, :, 2:]
    swing = swing + ending(problem, times, -swing[:, -1])
    pivots = motion[0] - motion[2] / problem.omega**2 - inertia / (model.mass * model.gravity) * swing[2]
    # The first angle shifts points along x: it is a rotation about y. The second, along y, is one about -x.
    lean = np.stack([-swing[:, :, 1], swing[:, :, 0]], axis=2)
    torque = np.concatenate([inertia * lean[2], np.zeros((len(times), 1))], axis=1)
    zmp = joined(times, problem.hands(times).points(pivots))
    return CentreMotion(through(times, motion), zmp, joined(times, torque), through(times, lean))


def flywheel_inertia(problem: BalanceProblem) -> float:
    """Of the flywheel about a level axis, kg m2: the mean of the torso's."""
    return float(np.trace(problem.model.torso_inertia[:2, :2])) / 2.0


def _controlled(problem: BalanceProblem, shift: float) -> tuple[Array, Array]:
    """Times (k,) and states (3, k, 4) of a walk, the last where it ends."""
    model = prediction(problem.model.com_height / problem.model.gravity, PERIOD, shift)
    count = max(int(np.ceil((problem.end - problem.begin) / PERIOD - 1e-6)), 1)
    times = problem.begin + PERIOD * np.arange(count + HORIZON + 1.0)
    seen = np.minimum(times, problem.end)
    course = wanted_pivots(problem)
    wanted = Wanted(course(seen), divergent_of(course, problem.ends[1][0], problem.omega, seen))
    start = np.zeros((3, 4))
    start[:, :2] = problem.ends[0]
    if problem.lean is not None and shift > 0.0:
        start[:, 2], start[:, 3] = problem.lean[:, 1], -problem.lean[:, 0]
    states = control_cart(model, start, wanted, edges_at(problem, seen), LARGEST_LEAN)
    course = through(
        times[: count + 1].copy(), np.moveaxis(states[: count + 1], 1, 0)
    )  # jerks are constant: exact
    at = np.append(times[:count], problem.end)
    if at[-1] - at[-2] < 0.1 * PERIOD and count > 1:
        at = np.delete(at, -2)
    motion = course.sample(np.minimum(at, np.nextafter(course.end, -np.inf)))
    return at, np.ascontiguousarray(motion)
