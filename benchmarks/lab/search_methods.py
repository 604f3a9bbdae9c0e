"""Methods of position-level inverse kinematics on the same targets: iterations, evaluations and time.

A target is where a random step from the start leads, as from one control cycle to the next (near) or from one grasp to
another (far). Schwienbacher (2014, chapter 4) reports that Wolfe's conditions beat Armijo's rule, and that Newton's
method is fastest below 50 degrees of freedom, away from singular poses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.bench import surroundings
from footfall.control.inverse_kinematics.limits import NO_LIMITS
from footfall.control.inverse_kinematics.objective import Objective, Progress, levenberg_marquardt
from footfall.control.inverse_kinematics.textbook import descend, newton
from footfall.control.tasks.stack import TaskStack
from footfall.dynamics.configuration import integrate
from footfall.dynamics.kinematics import frame_pose
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.tasks import MotionTask, PoseTask, frame_position, lola_task_space

TOLERANCE, ITERATIONS = 1e-6, 300
STEPS = {"near": 0.05, "far": 0.5}  # rad or m, standard deviation of the step from the start to the target


@dataclass(frozen=True, eq=False)
class CountingObjective(Objective):
    """An objective that counts how often errors and Jacobians are computed."""

    evaluations: list[int] = field(default_factory=lambda: [0])

    def evaluate(self, q: Array) -> tuple[Array, Array]:
        self.evaluations[0] += 1
        return super().evaluate(q)


class Problem(NamedTuple):
    """A robot, a start (nq,), and the tasks that a configuration (nq,) meets."""

    name: str
    robot: Robot
    start: Array
    tasks: Callable[[Array], list[MotionTask]]


class Searched(NamedTuple):
    """How a method did: met, a part of the targets; medians of those that it met; microseconds of CPU time."""

    method: str
    met: float
    iterations: float
    evaluations: float
    microseconds: float


def _descent(direction: str, search: str) -> Callable[[Objective, Array], Progress]:
    return lambda objective, start: descend(
        objective, start, TOLERANCE, ITERATIONS, direction=direction, search=search
    )


METHODS: dict[str, Callable[[Objective, Array], Progress]] = {
    "Newton": lambda objective, start: newton(objective, start, TOLERANCE, ITERATIONS),
    "Levenberg-Marquardt, native": lambda objective, start: levenberg_marquardt(
        objective, start, TOLERANCE, ITERATIONS
    ),
    **{
        f"{direction.replace('_', ' ')}, {search.capitalize()}": _descent(direction, search)
        for direction in ("gauss_newton", "quasi_newton", "conjugate_gradient", "steepest")
        for search in ("wolfe", "armijo")
    },
}


def arm() -> Problem:
    """A redundant arm of seven joints, the pose of its tool."""
    robot = load("arm-7r")
    start = np.array([0.2, 0.6, -0.1, 1.2, 0.3, -0.5, 0.1])
    tool = robot.frames[-1].name
    return Problem("7-joint arm", robot, start, lambda q: [PoseTask(tool, frame_pose(robot, q, tool))])


def humanoid() -> Problem:
    """LOLA's 28 task coordinates."""
    robot = load("lola")
    return Problem(
        "LOLA",
        robot,
        robot.configuration("idle"),
        lambda q: list(lola_task_space(robot, q, hands=("RH", "LH"))),
    )


def chain(links: int) -> Problem:
    """A bent chain, the position of its end."""
    robot = load(f"chain-{links}")
    start = 0.3 * np.sin(1.0 + np.arange(links))
    return Problem(
        f"chain of {links}",
        robot,
        start,
        lambda q: [frame_position("tip", frame_pose(robot, q, "tip").translation)],
    )


PROBLEMS: tuple[Callable[[], Problem], ...] = (
    arm,
    humanoid,
    lambda: chain(20),
    lambda: chain(49),
    lambda: chain(70),
)


def compare(
    problem: Problem, distance: str, *, targets: int, methods: Sequence[str] | None = None
) -> list[Searched]:
    """Search for so many targets, "near" or "far", with each method."""
    rng = np.random.default_rng(0)
    size = STEPS[distance]
    goals = [
        integrate(problem.robot, problem.start, size * rng.normal(size=problem.robot.nv))
        for _ in range(targets)
    ]
    objectives = [
        CountingObjective(TaskStack(problem.robot, tuple(problem.tasks(goal))), NO_LIMITS) for goal in goals
    ]
    found = []
    for name in methods or METHODS:
        search = METHODS[name]
        search(objectives[0], problem.start)  # native code and caches
        rows = []
        for objective in objectives:
            objective.evaluations[0] = 0
            begin = time.thread_time()
            progress = search(objective, problem.start)
            seconds = time.thread_time() - begin
            if progress.reached:
                rows.append((progress.iterations, objective.evaluations[0], 1e6 * seconds))
        medians = np.median(rows, axis=0) if rows else np.full(3, np.nan)
        found.append(Searched(name, len(rows) / targets, *medians.tolist()))
    return found


def searches_markdown(problems: Sequence[tuple[str, str, Sequence[Searched]]], *, load_before: str) -> str:
    """A table of all methods for each problem, with what is told of them."""
    head = ["targets", "method", "met", "iterations", "evaluations", "us"]
    lines = [head, ["---"] * len(head)]
    for name, distance, rows in problems:
        for row in rows:
            counted = "" if "native" in row.method else f"{row.evaluations:.0f}"
            cells = [f"{row.iterations:.0f}", counted, f"{row.microseconds:.0f}"] if row.met else ["", "", ""]
            lines.append([f"{name}, {distance}", row.method, f"{100 * row.met:.0f} %", *cells])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return (
        "# Methods of inverse kinematics\n\n"
        f"{surroundings.processor()}, load {load_before} before and {surroundings.load_average()} after.\n\n"
        "Targets are where a random step from the start leads: 0.05 rad a joint (near), 0.5 rad (far). Medians of what "
        f"a method met to {TOLERANCE:g} m and rad within {ITERATIONS} iterations, without joint limits. An evaluation "
        "is one call for errors and Jacobian, those of a line search included; the times are of Python around it, but "
        "for the native method, which `solve_ik` takes by itself.\n\n"
        f"{table}\n\n"
        "Schwienbacher (2014, section 4.2) finds Wolfe's conditions better than Armijo's rule, and Newton's method the "
        "fastest below 50 degrees of freedom and away from singular poses. It is so: Newton needs the fewest "
        "evaluations near the target, at any size, and fails where targets are far and legs stretch. With Wolfe's "
        "conditions conjugate gradients take a half to an eighth of the evaluations; directions that have a scale of "
        "their own (Gauss-Newton, quasi-Newton) take the whole step at once, and do not see a difference.\n"
    )
