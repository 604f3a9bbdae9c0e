"""Position-level inverse kinematics on many random targets: ours, and SciPy's optimum where they are out of reach."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from footfall.arrays import Array
from footfall.bench.robots import load_measured
from footfall.control.inverse_kinematics.limits import NO_LIMITS, single_coordinates
from footfall.control.inverse_kinematics.objective import Objective
from footfall.control.tasks.stack import TaskStack
from footfall.dynamics.configuration import integrate, random_configuration
from footfall.dynamics.kinematics import frame_pose
from footfall.ik import solve_ik
from footfall.math.angular_velocity import rotation_vector_map
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.tasks import MotionTask, PoseTask, PositionTask, lola_task_space

TOLERANCE, ITERATIONS, RESTARTS = 1e-6, 100, 5
HAND = "panda_hand"
_SCIPY_STEPS = 100  # along flat valleys it would creep for thousands
FRESH = 10_000  # first of the targets that no setting was chosen on


@dataclass(frozen=True)
class Study:
    """A robot, where searches start, and what they are for, by seed; far: tasks that no configuration meets."""

    name: str
    robot: Robot
    start: Callable[[int], Array]
    tasks: Callable[[int], list[MotionTask]]
    far: Callable[[int], list[MotionTask]]


@dataclass(frozen=True)
class Outcome:
    """How searches went; iterations (n,) of all starts together, seconds: CPU time of each, on average."""

    solver: str
    targets: int
    met: int
    iterations: Array
    restarts: int
    seconds: float


def panda_study() -> Study:
    """Poses of the hand of a Panda that random configurations have, from other random ones."""
    robot = load_measured("panda")

    def tasks(seed: int) -> list[MotionTask]:
        return [PoseTask(HAND, frame_pose(robot, random_configuration(robot, seed=10**6 + seed), HAND))]

    def far(seed: int) -> list[MotionTask]:
        """The hand one to three metres away, in any orientation."""
        random = np.random.default_rng(seed)
        away = random.normal(size=3)
        away *= random.uniform(1.0, 3.0) / np.linalg.norm(away)
        rotation = frame_pose(robot, random_configuration(robot, seed=seed), HAND).rotation
        return [PoseTask(HAND, Transform(rotation, np.array([0.0, 0.0, 0.3]) + away))]

    def start(seed: int) -> Array:
        return random_configuration(robot, seed=seed)

    return Study("Panda, pose of the hand", robot, start, tasks, far)


def lola_study() -> Study:
    """LOLA's 28 task coordinates of random configurations, from her idle pose."""
    robot = load("lola")
    idle = robot.configuration("idle")

    def tasks(seed: int) -> list[MotionTask]:
        goal = random_configuration(robot, seed=10**6 + seed)
        step = np.random.default_rng(seed).normal(size=6) * [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]
        goal[:7] = integrate(robot, idle, np.concatenate([step, np.zeros(robot.nv - 6)]))[:7]
        return list(lola_task_space(robot, goal, hands=("RH", "LH")))

    def far(seed: int) -> list[MotionTask]:
        """A hand two to four metres from where the rest of a configuration has it: farther than arms are long."""
        random = np.random.default_rng(seed)
        away = random.normal(size=3)
        away *= random.uniform(2.0, 4.0) / np.linalg.norm(away)
        *rest, hand = tasks(seed)
        assert isinstance(hand, PositionTask)
        return [*rest, replace(hand, target=hand.parameters + away)]

    return Study("LOLA, 28 task coordinates", robot, lambda seed: idle, tasks, far)


def timed_targets(study: Study, count: int, first: int) -> list[tuple[int, Array, list[MotionTask]]]:
    """Seeds, starts and tasks of `count` targets, made before time counts, as is the native code."""
    solve_ik(study.robot, study.start(first), study.tasks(first), iterations=1, restarts=1)
    return [(seed, study.start(seed), study.tasks(seed)) for seed in range(first, first + count)]


def search(study: Study, count: int, *, first: int = 0) -> Outcome:
    """Our searches for `count` targets of a study; met counts what was met before the search for a closest pose."""
    targets = timed_targets(study, count, first)
    options: dict[str, Any] = {"tolerance": TOLERANCE, "iterations": ITERATIONS, "restarts": RESTARTS}
    begin = time.process_time()
    found = [solve_ik(study.robot, start, tasks, seed=seed, **options) for seed, start, tasks in targets]
    seconds = (time.process_time() - begin) / count
    return Outcome(
        "ours",
        count,
        sum(solution.reached and not solution.descents for solution in found),
        np.array([solution.iterations for solution in found]),
        max(solution.restarts for solution in found),
        seconds,
    )


@dataclass(frozen=True)
class FarOutcome:
    """Distances (n,) that are left, ours and SciPy's best of `starts`; seconds: CPU time for a target, of ours and of
    all of SciPy's runs."""

    ours: Array
    best: Array
    starts: int
    seconds: float
    scipy_seconds: float

    @property
    def within(self) -> float:
        """Part of the targets for which ours is at most one percent above SciPy's."""
        return float(np.mean(self.ours <= 1.01 * self.best))

    @property
    def worst(self) -> float:
        """Greatest part by which ours is above SciPy's."""
        return float((self.ours / self.best - 1.0).max())

    @property
    def better(self) -> float:
        """Part of the targets for which SciPy's is more than one percent above ours."""
        return float(np.mean(self.ours < 0.99 * self.best))


def search_far(study: Study, count: int, *, first: int = 0, starts: int = RESTARTS + 1) -> FarOutcome:
    """Our searches for targets out of reach, against the best of SciPy's bounded least squares from some starts: that
    of ours, and random ones; as many as ours may begin anew."""
    solve_ik(study.robot, study.start(first), study.far(first), iterations=1, restarts=1)
    ours, best, times = [], [], np.zeros(2)
    for seed in range(first, first + count):
        tasks, start = study.far(seed), study.start(seed)
        random = [random_configuration(study.robot, seed=seed + 1000 * k) for k in range(1, starts)]
        begin = time.process_time()
        ours.append(
            solve_ik(study.robot, start, tasks, tolerance=TOLERANCE, restarts=RESTARTS, seed=seed).distance
        )
        between = time.process_time()
        best.append(min(_scipy_distance(study.robot, tasks, each) for each in (start, *random)))
        times += [between - begin, time.process_time() - between]
    return FarOutcome(np.array(ours), np.array(best), starts, *(times / count).tolist())


def _scipy_distance(robot: Robot, tasks: list[MotionTask], start: Array) -> float:
    """What SciPy leaves, in the velocities (nv,) that lead from a start to a configuration within a second."""
    objective = Objective(TaskStack(robot, tuple(tasks)), NO_LIMITS)
    start = np.clip(start, robot.lower_limits + 1e-9, robot.upper_limits - 1e-9)
    in_q, in_v = single_coordinates(robot)
    lower, upper = np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
    lower[in_v], upper[in_v] = robot.lower_limits[in_q] - start[in_q], robot.upper_limits[in_q] - start[in_q]

    def slope(way: Array) -> Array:
        jacobian = -objective.evaluate(integrate(robot, start, way))[1]
        if robot.nq > robot.nv:  # rates of the base's rotation vector are no angular velocities
            jacobian[:, 3:6] = jacobian[:, 3:6] @ rotation_vector_map(way[3:6]).T
        return jacobian

    result = least_squares(
        lambda way: objective.evaluate(integrate(robot, start, way))[0],
        np.zeros(robot.nv),
        slope,
        bounds=(lower, upper),
        xtol=1e-10,
        ftol=1e-12,
        gtol=1e-10,
        max_nfev=_SCIPY_STEPS,
    )
    return float(np.sqrt(2.0 * result.cost))
