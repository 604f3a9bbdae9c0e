"""The benchmark of control: single steps of inverse kinematics and of whole-body control, on LOLA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.lab.control_peers import ik_contestants
from examples.controlled.stances import Stance, lola_standing
from footfall.arrays import Array
from footfall.bench.measure import Contestant, Race, race
from footfall.control.contact_constraints import build_constrained_system
from footfall.control.gains import gains_from
from footfall.control.tasks.forces import LeastForce
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.positions import center_of_mass_position
from footfall.control.tasks.postures import PostureTask
from footfall.control.tasks.task import Task
from footfall.control.whole_body import (
    WholeBodyControl,
    WholeBodyLimits,
    WholeBodySolution,
    build_whole_body,
    solve_whole_body,
)
from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.configuration import integrate
from footfall.dynamics.kinematics import frame_pose
from footfall.ik import ComfortCost, Limits, PrioritisedRate, ResolvedRate, build_ik, solve_velocity
from footfall.math.generalised_inverses import null_space_basis
from footfall.robot.load import load
from footfall.tasks import lola_task_space, posture

RATE_BAR, PROGRAM_BAR, PEER_BAR = 60e-6, 250e-6, 5.0  # s, s, times faster
_STATES = 20


@dataclass(frozen=True)
class Step:
    """A step that is timed; bar: seconds, or None. error: how far its results are from what they should be."""

    name: str
    sweep: Callable[[], Any]
    bar: float | None
    error: float


def lola_steps() -> list[Step]:
    """Velocity steps and whole-body programs of LOLA, each on states near her idle pose."""
    robot = load("lola")
    stance = lola_standing(robot)
    return [*_velocity_steps(stance.q, _states(stance)), *_program_steps(stance, _states(stance))]


def _states(stance: Stance) -> list[tuple[Array, Array]]:
    """States near a stance whose contacts do not move."""
    robot, random, states = stance.robot, np.random.default_rng(0), []
    for _ in range(_STATES):
        q = integrate(robot, stance.q, 0.02 * random.normal(size=robot.nv))
        at_rest = build_constrained_system(robot, q, np.zeros(robot.nv), contacts=stance.contacts)
        axes = null_space_basis(at_rest.jacobian)
        states.append((q, axes @ (axes.T @ (0.1 * random.normal(size=robot.nv)))))
    return states


def _velocity_steps(rest: Array, states: list[tuple[Array, Array]]) -> list[Step]:
    robot = load("lola")
    tasks = list(lola_task_space(robot, rest))
    resolved = ResolvedRate(robot, tasks, cost=ComfortCost(tuple(rest.tolist())))
    levels = [*tasks, posture(robot, rest, priority=1)]
    hierarchy = PrioritisedRate(robot, levels)
    programs = PrioritisedRate(robot, levels, dt=0.01, limits=Limits(approach=0.5))

    def by_values(q: Array) -> Array:
        return solve_velocity(build_ik(robot, q, levels))

    def left(step: Callable[[Array], Array]) -> float:
        problems = [build_ik(robot, q, tasks) for q, _ in states]
        return max(float(np.abs(each.rate - each.jacobian @ step(each.q)).max()) for each in problems)

    return [
        Step(
            "velocity step, 22 rows and a cost in the null space",
            lambda: [resolved(q) for q, _ in states],
            RATE_BAR,
            left(resolved),
        ),
        Step(
            "two priorities, 22 and 26 rows", lambda: [hierarchy(q) for q, _ in states], None, left(hierarchy)
        ),
        Step("the same within joint limits", lambda: [programs(q) for q, _ in states], None, left(programs)),
        Step(
            "the same as a value to look at", lambda: [by_values(q) for q, _ in states], None, left(by_values)
        ),
    ]


def whole_body_tasks(stance: Stance, *, levels: bool) -> tuple[Task, ...]:
    """Squat, stay upright, keep a posture, spread forces: by priorities, or all in one program by weights."""
    robot, q = stance.robot, stance.q
    lower = center_of_mass(robot, q) + np.array([0.01, 0.01, -0.04])
    upright = frame_pose(robot, q, stance.base).rotation
    return (
        center_of_mass_position(lower, gains=gains_from(1.5)),
        OrientationTask(stance.base, upright, gains=gains_from(2.0)),
        PostureTask(
            q,
            gains=gains_from(1.5),
            priority=1 if levels else 0,
            weight=1.0 if levels else 1e-2,
        ),
        LeastForce(priority=2 if levels else 0, weight=1.0 if levels else 1e-6),
    )


def _program_steps(stance: Stance, states: list[tuple[Array, Array]]) -> list[Step]:
    robot, limits = stance.robot, WholeBodyLimits(least_force=5.0)
    steps = []
    for levels, name, bar in (
        (False, "whole-body program, 8 contacts, 4 facets, torque limits", PROGRAM_BAR),
        (True, "whole-body programs of three priorities", None),
    ):
        tasks = whole_body_tasks(stance, levels=levels)
        control = WholeBodyControl(robot, stance.contacts, tasks, limits)
        error = max(
            _physics_error(stance, tasks, q, v, control.solve(0.0, q, v), limits) for q, v in states[:5]
        )

        def sweep(control: WholeBodyControl = control) -> list[Any]:
            return [control.solve(0.0, q, v) for q, v in states]

        steps.append(Step(name, sweep, bar, error))
    shown = whole_body_tasks(stance, levels=True)

    def by_value(q: Array, v: Array) -> WholeBodySolution:
        problem = build_whole_body(robot, q, v, contacts=stance.contacts, tasks=shown)
        return solve_whole_body(problem, method="least squares")

    steps.append(
        Step(
            "whole-body control as values to look at, without limits",
            lambda: [by_value(q, v) for q, v in states],
            None,
            max(_physics_error(stance, shown, q, v, by_value(q, v), None) for q, v in states[:5]),
        )
    )
    return steps


def _physics_error(
    stance: Stance,
    tasks: tuple[Task, ...],
    q: Array,
    v: Array,
    found: WholeBodySolution,
    limits: WholeBodyLimits | None,
) -> float:
    """What a solution misses of the equation of motion, the contacts and the limits, at most."""
    problem = build_whole_body(stance.robot, q, v, contacts=stance.contacts, tasks=tasks, limits=limits)
    x = np.concatenate([found.acceleration, found.forces, found.torque])
    error = float(np.abs(problem.physics.matrix @ x - problem.physics.value).max())
    if problem.limits is not None:
        error = max(error, float((problem.limits.value - problem.limits.matrix @ x).max()))
    return error


def measure_steps(steps: list[Step], *, blocks: int) -> Race:
    """Race them; all have the same number of states."""
    return race({step.name: Contestant(step.sweep, _STATES) for step in steps}, blocks=blocks)


def measure_peers(*, blocks: int) -> Race:
    """Race one velocity step of TALOS against Pink and Mink."""
    return race(ik_contestants(), blocks=blocks)
