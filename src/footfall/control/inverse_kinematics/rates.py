"""Joint velocities from tasks in hot loops: made once for a robot and what its tasks are about.

For tasks with errors e and Jacobian J, all of them solve

    v minimises  sum weight (rate + gain e - drift - J v)^2 + damping^2 (v - free) W (v - free)   within limits

Schwienbacher 2014, (4.6)-(4.16), RSL 2022, (2.257). Without limits v is known in closed form (`least_velocity.py`, in
which `ResolvedRate` and the walking controller meet); with limits the dual active set goes on from there
(`dual_active_set.py`). `BoundedRate` has weights and limits, `GuardedRate` the v of a `ResolvedRate` as `free`,
`PrioritisedRate` lets weights of one priority after the other outgrow those of the next (`priorities.py`, on the same
active set), `SwitchedRate` mixes several lists of tasks.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.control.collision_limits import CollisionLimits, CollisionRows
from footfall.control.dual_active_set import SOLVED, RowLimits
from footfall.control.inverse_kinematics.costs import CostSum, NullSpaceCost, RepulsiveCost
from footfall.control.inverse_kinematics.least_velocity import least_velocity
from footfall.control.inverse_kinematics.limits import (
    NO_LIMITS,
    Bounds,
    Limits,
    traced_bounds,
    velocity_bounds,
)
from footfall.control.inverse_kinematics.null_space import (
    JointWeights,
    MotionWeight,
    NullSpaceTerm,
    Smoothing,
    TaskMotion,
)
from footfall.control.inverse_kinematics.velocity import decay_rates, row_weights
from footfall.control.priorities import Levels, preferred_velocity, solve_levels
from footfall.control.quadratic_program import QuadraticProgram, solve_relaxed
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask
from footfall.errors import ControlWarning, InvalidInput, NoSolution, UnknownName
from footfall.math.generalised_inverses import RANK_TOLERANCE
from footfall.math.spatial import symmetric
from footfall.math.transform import Transform
from footfall.option_checks import require_above_zero
from footfall.renamed import warn_renamed
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair

_TASKS = 1e4  # weight of what tasks would lose, beside the change of the joints' motion
_LIMIT_TOLERANCE = 1e-9  # rad/s or m/s, by which limits may be missed
_DONE = 1e-9  # share below which a set of tasks is no longer computed


class RateSolution(NamedTuple):
    """v (nv,); violated: by pair of volumes, how much its distance grows too slowly, m/s, where limits contradict each
    other; distances: of the pairs within reach, m."""

    v: Array
    violated: dict[Pair, float]
    distances: dict[Pair, float]


class _Allowed(NamedTuple):
    """What limits leave of v: bounds (nv,), and pairs of volumes within reach, whose distances grow by `least` (m,) at
    least, m/s."""

    bounds: Bounds
    near: CollisionRows
    least: Array

    def keeps(self, v: Array) -> bool:
        lower, upper = self.bounds
        within = (v >= lower - _LIMIT_TOLERANCE).all() and (v <= upper + _LIMIT_TOLERANCE).all()
        return bool(within and (self.near.jacobian @ v >= self.least - _LIMIT_TOLERANCE).all())

    def program(self, hessian: Array, gradient: Array) -> QuadraticProgram:
        (lower, upper), rows = self.bounds, len(self.least)
        if rows:
            lower = np.concatenate([lower, self.least])
            upper = np.concatenate([upper, np.full(rows, np.inf)])
        return QuadraticProgram(hessian, gradient, self.near.jacobian, lower, upper)

    def solution(self, v: Array) -> RateSolution:
        return RateSolution(v, self.near.missing(v, self.least), self.near.least_distances())


class _StepLimits:
    """Joint limits, and what must stay apart, of one robot in steps of dt, s."""

    def __init__(self, robot: Robot, dt: float, limits: Limits, collisions: CollisionLimits | None) -> None:
        require_above_zero({"dt": dt})
        self.robot, self.dt, self.limits, self.collisions = robot, dt, limits, collisions
        if collisions is not None:
            collisions.model(robot)  # says now if something is wrong
        self.no_rows = np.zeros((0, robot.nv))
        self._nothing = CollisionRows(self.no_rows, np.zeros(0), (), np.zeros(0, int)), np.zeros(0)

    def allowed(
        self, q: Array, placements: Mapping[str, Transform] | None, bounds: Bounds | None = None
    ) -> _Allowed:
        """At q (nq,). placements: of obstacles, by name. bounds: of the joint limits, where they are known."""
        if bounds is None:
            bounds = velocity_bounds(self.robot, q, dt=self.dt, limits=self.limits)
        if self.collisions is None:
            return _Allowed(bounds, *self._nothing)
        rows = self.collisions.rows(self.robot, q, placements)
        slowed = self.collisions.slowed(*bounds, self.dt, rows)
        return _Allowed(slowed, rows, self.collisions.least_rates(rows.distance, self.dt))


class TaskRate:
    """What rate solvers share: tasks of one robot, whose numbers may change from call to call; made again by options
    where it is copied to another process."""

    def __init__(self, robot: Robot, tasks: Sequence[MotionTask], **options: Any) -> None:
        self.stack, self._options = TaskStack(robot, tasks), options
        if any(task.inequality for task in self.stack.tasks):
            raise InvalidInput("half-spaces need a solver with inequalities: solve_velocity with method='qp'")
        self._own_numbers = self.numbers(self.stack)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), self.stack.robot, self.stack.tasks, **self._options), ()

    def numbers(self, stack: TaskStack) -> tuple[Array, ...]:
        """What native code takes of the tasks after q: targets (p,), rates (m,), gains (m,), and weights (m,)."""
        return stack.parameters, stack.feed_forward("rate"), decay_rates(stack), row_weights(stack)

    def given(self, tasks: Sequence[MotionTask] | None, time: float) -> tuple[Array, ...]:
        """The numbers of tasks that differ from those it was made for in numbers only; None: of these."""
        if tasks is None:
            return self._own_numbers
        stack = TaskStack(self.stack.robot, tasks, time)
        if stack.structure != self.stack.structure:
            raise InvalidInput(
                f"the tasks differ in more than targets, rates, gains and weights; make another {type(self).__name__}"
            )
        return self.numbers(stack)

    def _shapes(self) -> dict[str, Any]:
        size = self.stack.size
        return {
            "q": self.stack.robot.nq,
            "parameters": len(self.stack.parameters),
            "rate": size,
            "gain": size,
        }

    def _rows(self, q: Array, parameters: Array, rate: Array, gain: Array) -> tuple[Array, Array]:
        """The Jacobian (m, nv) and what `J v` should be (m,), as symbols."""
        values = self.stack.traced(q, parameters)
        return values["jacobian"], rate + gain * values["error"] - values["drift"]


class ResolvedRate(TaskRate):
    """Velocity-level inverse kinematics for one robot and list of tasks, as native code.

    motion_weights: W, numbers (nv,), large for joints that should move little, a matrix (nv, nv), or a
    `MomentumWeight`. cost: its gradient moves what the tasks leave free; smoothing: of that motion, which gives the
    object a memory: one for each run. terms: further motion for what is free that sees what the tasks do, such as
    `MomentumCompensation`. damping: added to the smallest singular values, in the unit of the Jacobian; it keeps the
    factorisation possible where tasks lose rank. All tasks count the same: weights and priorities do not matter here.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[MotionTask],
        *,
        motion_weights: Array | MotionWeight | None = None,
        cost: NullSpaceCost | None = None,
        terms: Sequence[NullSpaceTerm] = (),
        smoothing: Smoothing | None = None,
        damping: float = 1e-6,
    ) -> None:
        self.weight = _weight(robot, motion_weights)
        self.cost, self.damping, self.terms = cost, damping, tuple(terms)
        options = {"cost": cost, "terms": self.terms, "smoothing": smoothing, "damping": damping}
        super().__init__(robot, tasks, motion_weights=self.weight, **options)
        self.smoothing = smoothing if cost is not None else None
        self._memory = np.zeros((2, robot.nv) if self.smoothing is not None else (0, robot.nv))
        self._inputs = np.zeros(sum(_inputs_of(term) for term in self.terms))
        self._numbers = np.concatenate([self.weight.numbers, *(term.numbers for term in self.terms)])
        self._plain = not (len(self._numbers) or self.terms or self.smoothing)
        self.kernel = self._compiled()

    def __call__(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        inputs: Array | None = None,
        told: Array | None = None,
    ) -> Array:
        """v (nv,) at q (nq,); tasks: the same with other targets and rates, at a time, s.

        inputs: numbers of the terms, one after the other, such as the momentum that is wanted; zero by default. told:
        their old name.
        """
        if told is not None:  # a decorator for renamed keywords would take a quarter of the time of a call
            warn_renamed("told=", "inputs=", depth=3)
            inputs = told
        parameters, rate, gain = self.given(tasks, time)
        return self.run(q, parameters, rate, gain, inputs)

    def run(
        self, q: Array, parameters: Array, rate: Array, gain: Array, inputs: Array | None = None
    ) -> Array:
        """v (nv,) from bare arrays: targets (p,), feed-forward rates (m,), gains (m,), 1/s, and numbers of terms."""
        if self._plain:
            result: Array = self.kernel(q, parameters, rate, gain)
            return result
        own = self._inputs if inputs is None else np.asarray(inputs, dtype=np.float64)
        if own.shape != self._inputs.shape:
            raise InvalidInput(f"inputs have shape {own.shape}; the terms need {self._inputs.shape}")
        numbers = np.concatenate([self._numbers, own])
        found, memory = self.kernel(q, parameters, rate, gain, numbers, self._memory)
        self._memory = memory
        return np.asarray(found)

    def numbers(self, stack: TaskStack) -> tuple[Array, ...]:
        return stack.parameters, stack.feed_forward("rate"), decay_rates(stack)

    def _compiled(self) -> Kernel:
        shapes, facts = self._shapes(), (self.weight.facts(), self.cost, self.damping)
        if self._plain:
            return build_kernel(self._traced, shapes, name="resolved_rate", key=self.stack.key(*facts))
        shapes |= {"numbers": len(self._numbers) + len(self._inputs), "memory": self._memory.shape}
        key = self.stack.key(*facts, tuple(term.facts() for term in self.terms), self.smoothing)
        return build_kernel(self._traced_whole, shapes, name="resolved_rate_terms", key=key)

    def _traced(self, q: Array, parameters: Array, rate: Array, gain: Array) -> Array:
        memory = np.zeros(self._memory.shape)
        return self._traced_whole(q, parameters, rate, gain, np.zeros(0), memory)["v"]

    def _traced_whole(
        self, q: Array, parameters: Array, rate: Array, gain: Array, numbers: Array, memory: Array
    ) -> dict[str, Array]:
        robot = self.stack.robot
        jacobian, wanted = self._rows(q, parameters, rate, gain)

        def divide(rows: Array) -> Array:
            return self.weight.divide(robot, q, rows, numbers[: len(self.weight.numbers)])

        found = least_velocity(jacobian, divide(jacobian), self.damping)
        free = np.zeros(robot.nv)
        if self.cost is not None:
            free = -divide(self.cost.gradient(robot, q)[None])[0]
        if self.smoothing is not None:
            free, memory = self.smoothing.step(memory, free)
        if self.terms:
            particular = found.serve(wanted)
            start, given = len(self.weight.numbers), len(self._numbers)
            for term in self.terms:
                own, asked = (
                    numbers[start : start + len(term.numbers)],
                    numbers[given : given + _inputs_of(term)],
                )
                start, given = start + len(own), given + len(asked)
                motion = TaskMotion(particular, found.project(free), found.project, own, asked)
                free = free + term.velocity(robot, q, motion)
        # Schwienbacher 2014, algorithm 4.3, with what is free beside the gradient (7.8).
        return {"v": free + found.serve(wanted - jacobian @ free), "memory": memory}


def _inputs_of(term: NullSpaceTerm) -> int:
    """How many numbers the caller gives a term; terms of earlier releases call that `told`."""
    if hasattr(term, "inputs"):
        return term.inputs
    warn_renamed(f"{type(term).__name__}.told", "inputs", depth=4)
    found: int = term.told  # type: ignore[attr-defined]
    return found


def _weight(robot: Robot, given: Array | MotionWeight | None) -> MotionWeight:
    """The weight of motion that was asked for, checked."""
    if given is None:
        return JointWeights(np.ones(robot.nv))
    if hasattr(given, "divide"):
        chosen: MotionWeight = given  # type: ignore[assignment]
        return chosen
    weights = JointWeights(np.asarray(given))
    if weights.values.shape not in ((robot.nv,), (robot.nv, robot.nv)):
        raise InvalidInput(
            f"motion_weights have shape {weights.values.shape}; it must be {(robot.nv,)} or {(robot.nv, robot.nv)}"
        )
    return weights


class BoundedRate(TaskRate):
    """Weighted tasks within joint limits for one robot and list of tasks.

        v minimises  sum weight (rate + gain error - J v)^2 + damping^2 v^2  within the bounds of the joint limits

    dt: length of a step, s, for limits on position. damping: in the unit of the weighted Jacobian, above zero.
    collisions: what must stay apart, together with the joint limits; tasks give way to it. Where joint limits and
    distances cannot all be kept, joint limits are, and `solve` says which pairs were not. Priorities do not matter
    here; `solve_velocity` with method "qp" keeps them.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[MotionTask],
        *,
        dt: float = 1e-3,
        limits: Limits = Limits(),  # noqa: B008 (immutable)
        damping: float = 1e-4,
        collisions: CollisionLimits | None = None,
    ) -> None:
        super().__init__(robot, tasks, dt=dt, limits=limits, damping=damping, collisions=collisions)
        require_above_zero({"damping": damping})
        self.limits, self.dt, self.damping, self.collisions = limits, dt, damping, collisions
        self._step = _StepLimits(robot, dt, limits, collisions)
        self._numbers = np.array([limits.pace(dt), damping**2])
        shapes = {**self._shapes(), "weight": self.stack.size, "numbers": 2}
        self.kernel = build_kernel(self._traced, shapes, name="bounded_rate", key=self.stack.key(limits))

    def __call__(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        placements: Mapping[str, Transform] | None = None,
    ) -> Array:
        """v (nv,) at q (nq,); tasks: the same with other targets, rates, gains and weights, at a time, s.

        placements: where obstacles stand now, by name; those not named are where they were made.
        """
        return solve_relaxed(self.build(q, tasks, time=time, placements=placements))

    def run(self, q: Array, parameters: Array, rate: Array, gain: Array, weight: Array) -> Array:
        """v (nv,) from bare arrays: targets (p,), feed-forward rates (m,), gains (m,), 1/s, and weights (m,).
        Collisions are not looked at."""
        hessian, gradient, lower, upper = self.kernel(q, parameters, rate, gain, weight, self._numbers)
        return solve_relaxed(QuadraticProgram(hessian, gradient, self._step.no_rows, lower, upper))

    def solve(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        placements: Mapping[str, Transform] | None = None,
    ) -> RateSolution:
        """The same as a call, with what is close and which distances could not be kept."""
        allowed, program = self._problem(q, self.given(tasks, time), placements)
        return allowed.solution(solve_relaxed(program))

    def build(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        placements: Mapping[str, Transform] | None = None,
    ) -> QuadraticProgram:
        """The quadratic program at q (nq,)."""
        return self._problem(q, self.given(tasks, time), placements)[1]

    def _problem(
        self, q: Array, numbers: tuple[Array, ...], placements: Mapping[str, Transform] | None
    ) -> tuple[_Allowed, QuadraticProgram]:
        hessian, gradient, lower, upper = self.kernel(q, *numbers, self._numbers)
        allowed = self._step.allowed(q, placements, Bounds(lower, upper))
        return allowed, allowed.program(hessian, gradient)

    def _traced(
        self, q: Array, parameters: Array, rate: Array, gain: Array, weight: Array, numbers: Array
    ) -> dict[str, Array]:
        jacobian, wanted = self._rows(q, parameters, rate, gain)
        pace, square = numbers
        columns, scaled = jacobian.T, (weight[:, None] * jacobian).T
        hessian = symmetric(len(columns), lambda i, j: scaled[i] @ columns[j] + (square if i == j else 0.0))
        lower, upper = traced_bounds(self.stack.robot, q, pace, self.limits)
        return {"hessian": hessian, "gradient": -(scaled @ wanted), "lower": lower, "upper": upper}


class GuardedRate:
    """A `ResolvedRate` within joint limits and with volumes that stay apart: what breaks them gives way to the closest
    motion that keeps them. dt: s, length of a step.

    It warns (`ControlWarning`, once) when a `RepulsiveCost` is too stiff for such steps.
    """

    def __init__(
        self,
        rate: ResolvedRate,
        *,
        dt: float,
        limits: Limits = Limits(),  # noqa: B008 (immutable)
        collisions: CollisionLimits | None = None,
    ) -> None:
        self.rate, self.dt, self.limits, self.collisions = rate, dt, limits, collisions
        self._step = _StepLimits(rate.stack.robot, dt, limits, collisions)
        self._stiff = [
            each for each in _costs(rate.cost) if isinstance(each, RepulsiveCost) and each.step is None
        ]

    def __call__(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        inputs: Array | None = None,
        placements: Mapping[str, Transform] | None = None,
        told: Array | None = None,
    ) -> Array:
        """v (nv,) at q (nq,); arguments as of `ResolvedRate`. placements: where obstacles stand now, by name."""
        return self.solve(q, tasks, time=time, inputs=inputs, placements=placements, told=told).v

    def solve(
        self,
        q: Array,
        tasks: Sequence[MotionTask] | None = None,
        *,
        time: float = 0.0,
        inputs: Array | None = None,
        placements: Mapping[str, Transform] | None = None,
        told: Array | None = None,
    ) -> RateSolution:
        """The same with what is close, and which distances could not be kept."""
        self._check_step(q)
        v = self.rate(q, tasks, time=time, inputs=inputs, told=told)
        allowed = self._step.allowed(q, placements)
        if not allowed.keeps(v):
            parameters, *_ = self.rate.given(tasks, time)
            jacobian = self.rate.stack.kernel(q, parameters)[1]
            hessian = np.eye(len(v)) + _TASKS * jacobian.T @ jacobian
            v = solve_relaxed(allowed.program(hessian, -hessian @ v))
        return allowed.solution(v)

    def _check_step(self, q: Array) -> None:
        for cost in self._stiff:
            stiffness = cost.stiffness(self.rate.stack.robot, q) * self.dt
            if stiffness > 1.0:
                warnings.warn(
                    f"the repulsive cost is {stiffness:.2g} times too stiff for steps of {self.dt:g} s: volumes "
                    f"overshoot (from 2 on they ring); give it step={self.dt:g}, less strength or more reach",
                    ControlWarning,
                    stacklevel=4,
                )
                self._stiff = []


def _costs(cost: NullSpaceCost | None) -> Iterator[NullSpaceCost]:
    """The single costs of a sum."""
    if isinstance(cost, CostSum):
        for each in cost.costs:
            yield from _costs(each)
    elif cost is not None:
        yield cost


class PrioritisedRate(TaskRate):
    """Tasks of one robot by priorities, within joint limits if asked for; `solve_velocity` with less around it.

    dt: length of a step, s, for limits on position. tolerance: of rank decisions, see `solve_hierarchy`.
    """

    def __init__(
        self,
        robot: Robot,
        tasks: Sequence[MotionTask],
        *,
        dt: float = 1e-3,
        limits: Limits = NO_LIMITS,
        tolerance: float = RANK_TOLERANCE,
    ) -> None:
        ordered = sorted(TaskStack(robot, tasks).tasks, key=lambda task: task.priority)
        super().__init__(robot, ordered, dt=dt, limits=limits, tolerance=tolerance)
        require_above_zero({"dt": dt})
        self.dt, self.limits, self.tolerance = dt, limits, tolerance
        places = self.stack.places
        ends = {task.priority: place.stop for task, place in zip(self.stack.tasks, places, strict=True)}
        self._ends = np.array([ends[priority] for priority in sorted(ends)], dtype=np.int64)
        self._equal, self._rest = np.zeros(self.stack.size, dtype=bool), np.zeros(robot.nv)
        lower, upper = velocity_bounds(robot, np.zeros(robot.nq), dt=dt, limits=limits)
        self._limited = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
        self._limit_rows, self._pace = np.eye(robot.nv)[self._limited], np.array([limits.pace(dt)])
        key = self.stack.key(limits)
        self.kernel = build_kernel(
            self._traced, {**self._shapes(), "pace": 1}, name="prioritised_rate", key=key
        )

    def __call__(
        self,
        q: Array,
        preferred: Array | None = None,
        *,
        tasks: Sequence[MotionTask] | None = None,
        time: float = 0.0,
    ) -> Array:
        """v (nv,) at q (nq,); preferred: velocity (nv,) for what no task decides.

        tasks: the same in order of their priorities, with other targets, rates, gains and weights, at a time, s.
        """
        parameters, rate, gain, weight = self.given(tasks, time)
        jacobian, wanted, lower, upper = self.kernel(q, parameters, rate, gain, self._pace)
        status, v, _, _ = solve_levels(
            Levels(jacobian, wanted, weight, self._equal, self._ends),
            RowLimits(self._limit_rows, lower, upper),
            self._rest if preferred is None else preferred_velocity(preferred, len(self._rest)),
            self.tolerance,
        )
        if status != SOLVED:
            message = "no motion keeps the limits; start within them, or widen those of velocity"
            raise NoSolution(message, {}, evidence=(np.array(q), lower, upper))
        return v

    def _traced(self, q: Array, parameters: Array, rate: Array, gain: Array, pace: Array) -> dict[str, Array]:
        jacobian, wanted = self._rows(q, parameters, rate, gain)
        lower, upper = traced_bounds(self.stack.robot, q, pace[0], self.limits)
        return {
            "jacobian": jacobian,
            "wanted": wanted,
            "lower": lower[self._limited],
            "upper": upper[self._limited],
        }


class _Shares(NamedTuple):
    """Of each set of tasks, and how they change, 1/s."""

    value: Array
    rate: Array


class SwitchedRate:
    """`ResolvedRate` of several sets of tasks, one of which is active; switching takes as long as the jerk allows.

    sets: tasks by name. dt: s, length of a step. jerk: rad/s3 or m/s3, that a switch may add to a joint's motion.
    options: as of `ResolvedRate`. The first set is active first. An object has a memory: one for each run.
    """

    def __init__(
        self,
        robot: Robot,
        sets: Mapping[str, Sequence[MotionTask]],
        *,
        dt: float,
        jerk: float,
        **options: Any,
    ) -> None:
        if not sets:
            raise InvalidInput("there are no sets of tasks; give at least one, by name")
        require_above_zero({"dt": dt, "jerk": jerk})
        self.rates = {name: ResolvedRate(robot, tasks, **options) for name, tasks in sets.items()}
        self.dt, self.jerk = dt, jerk
        self.active = next(iter(sets))
        self._shares = _Shares(self._only(self.active), np.zeros(len(sets)))
        self._lag = dt  # s, time constant of the shares

    def __call__(self, q: Array, active: str | None = None, **tasks: Sequence[MotionTask]) -> Array:
        """v (nv,) at q (nq,) for the next step. active: the set that counts from now on; None: as before.

        tasks: by the name of a set, the same tasks with other targets and rates.
        """
        for name in (active, *tasks):
            if name is not None and name not in self.rates:
                raise UnknownName("set of tasks", name, list(self.rates), "switched tasks")
        # A set that begins is looked at when it is chosen, to know how far the velocities are apart.
        beginning = active if active not in (None, self.active) else None
        velocities = np.zeros((len(self.rates), self.rates[self.active].stack.robot.nv))
        for place, (name, rate) in enumerate(self.rates.items()):
            if self._counts(place) or name == beginning:
                velocities[place] = rate(q, tasks.get(name))
        if beginning is not None:
            self.active = beginning
            apart = velocities - velocities[list(self.rates).index(beginning)]
            self._lag = max(self._slowest(self._shares.value @ apart, self._shares.rate @ apart), self.dt)
        v: Array = self._shares.value @ velocities
        self._shares = self._later(self._shares)
        return v

    @property
    def shares(self) -> dict[str, float]:
        """How much each set counts in the next step; their sum is one."""
        return dict(zip(self.rates, self._shares.value.tolist(), strict=True))

    def _slowest(self, away: Array, speed: Array) -> float:
        """Time constant, s, with which velocities that are so far away and change so fast keep the jerk.

        Critically damped shares begin with `away w^2 + 2 speed w`, w = 1 / lag; what follows is less.
        """
        a, r = np.abs(away) + 1e-12, np.abs(speed)
        return float(np.max(a / (np.sqrt(r * r + a * self.jerk) - r)))

    def _only(self, name: str) -> Array:
        return np.array([1.0 if each == name else 0.0 for each in self.rates])

    def _counts(self, place: int) -> bool:
        return bool(
            abs(self._shares.value[place]) > _DONE or abs(self._shares.rate[place]) * self._lag > _DONE
        )

    def _later(self, now: _Shares) -> _Shares:
        """A step of `lag^2 x'' + 2 lag x' + x = goal`, exactly."""
        goal, w = self._only(self.active), 1.0 / self._lag
        away, fade = now.value - goal, np.exp(-w * self.dt)
        slope = now.rate + w * away
        value = goal + (away + slope * self.dt) * fade
        return _Shares(value, (slope - w * (away + slope * self.dt)) * fade)
