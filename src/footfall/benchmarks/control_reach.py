"""Position-level inverse kinematics on many random targets: ours, SciPy's optimum, Pink and Mink."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from footfall.benchmarks.control_peers import mujoco_model
from footfall.benchmarks.robots import EXAMPLES, examples_folder, load_measured
from footfall.control.inverse_kinematics import PoseTask, PositionTask, Task, lola_task_space, solve_ik
from footfall.control.inverse_kinematics.limits import NO_LIMITS, single_coordinates
from footfall.control.inverse_kinematics.objective import Objective
from footfall.control.inverse_kinematics.stack import TaskStack
from footfall.dynamics.configuration import integrate, random_configuration
from footfall.dynamics.kinematics import frame_pose
from footfall.math.angular_velocity import rotation_vector_map
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]

TOLERANCE, ITERATIONS, RESTARTS = 1e-6, 100, 5
FAR_RESTARTS = 20  # out of reach there are local optima, and nothing tells which one is the best
HAND = "panda_hand"
# Of Pink and Mink: the best of 18 settings each (damping 0 to 1, gain 0.7 and 1) on targets 0 to 59, by success, then
# by iterations. Others make them look far worse: 97 % and 76 iterations with a damping of 1e-3 and a gain of 1.
_PEER_STEP, _PEER_GAIN, _PEER_DAMPING = 1.0, 0.7, 1e-2
_SCIPY_STEPS = 100  # along flat valleys it would creep for thousands
FRESH = 10_000  # first of the targets that no setting was chosen on


@dataclass(frozen=True)
class Study:
    """A robot, where searches start, and what they are for, by seed; far: tasks that no configuration meets."""

    name: str
    robot: Robot
    start: Callable[[int], Array]
    tasks: Callable[[int], list[Task]]
    far: Callable[[int], list[Task]]


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

    def tasks(seed: int) -> list[Task]:
        return [PoseTask(HAND, frame_pose(robot, random_configuration(robot, seed=10**6 + seed), HAND))]

    def far(seed: int) -> list[Task]:
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

    def tasks(seed: int) -> list[Task]:
        goal = random_configuration(robot, seed=10**6 + seed)
        step = np.random.default_rng(seed).normal(size=6) * [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]
        goal[:7] = integrate(robot, idle, np.concatenate([step, np.zeros(robot.nv - 6)]))[:7]
        return list(lola_task_space(robot, goal, hands=("RH", "LH")))

    def far(seed: int) -> list[Task]:
        """A hand two to four metres from where the rest of a configuration has it: farther than arms are long."""
        random = np.random.default_rng(seed)
        away = random.normal(size=3)
        away *= random.uniform(2.0, 4.0) / np.linalg.norm(away)
        *rest, hand = tasks(seed)
        assert isinstance(hand, PositionTask)
        return [*rest, replace(hand, target=hand.target + away)]

    return Study("LOLA, 28 task coordinates", robot, lambda seed: idle, tasks, far)


def search(study: Study, count: int, *, first: int = 0) -> Outcome:
    """Our searches for `count` targets of a study."""
    begin = time.process_time()
    found = [
        solve_ik(
            study.robot,
            study.start(seed),
            study.tasks(seed),
            tolerance=TOLERANCE,
            iterations=ITERATIONS,
            restarts=RESTARTS,
            seed=seed,
        )
        for seed in range(first, first + count)
    ]
    seconds = (time.process_time() - begin) / count
    return Outcome(
        "ours",
        count,
        sum(solution.reached for solution in found),
        np.array([solution.iterations for solution in found]),
        max(solution.restarts for solution in found),
        seconds,
    )


@dataclass(frozen=True)
class FarOutcome:
    """Distances (n,) that are left, ours and SciPy's best of some starts."""

    ours: Array
    best: Array

    @property
    def within(self) -> float:
        """Part of the targets for which ours is at most one percent above SciPy's."""
        return float(np.mean(self.ours <= 1.01 * self.best))

    @property
    def worst(self) -> float:
        """Greatest part by which ours is above SciPy's."""
        return float((self.ours / self.best - 1.0).max())


def search_far(study: Study, count: int, *, starts: int = 3) -> FarOutcome:
    """Our searches for targets out of reach, against the best of SciPy's bounded least squares from some starts: that
    of ours, and random ones."""
    ours, best = [], []
    for seed in range(count):
        tasks, start = study.far(seed), study.start(seed)
        found = solve_ik(study.robot, start, tasks, tolerance=TOLERANCE, restarts=FAR_RESTARTS, seed=seed)
        ours.append(found.distance)
        random = [random_configuration(study.robot, seed=seed + 1000 * k) for k in range(1, starts)]
        best.append(min(_scipy_distance(study.robot, tasks, each) for each in (start, *random)))
    return FarOutcome(np.array(ours), np.array(best))


def _scipy_distance(robot: Robot, tasks: list[Task], start: Array) -> float:
    """What SciPy leaves, in the velocities (nv,) that lead from a start to a configuration within a second."""
    objective = Objective(TaskStack(robot, tuple(tasks)), NO_LIMITS)
    start = np.clip(start, robot.lower + 1e-9, robot.upper - 1e-9)
    in_q, in_v = single_coordinates(robot)
    lower, upper = np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
    lower[in_v], upper[in_v] = robot.lower[in_q] - start[in_q], robot.upper[in_q] - start[in_q]

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


def peer_searches(study: Study, count: int, *, first: int = 0) -> list[Outcome]:
    """Pink and Mink on the poses of a Panda: their step, repeated, from the same starts and as many restarts."""
    found = []
    if importlib.util.find_spec("pink"):
        found.append(_peer("Pink", _pink_reach(study.robot), study, count, first))
    if importlib.util.find_spec("mink"):
        found.append(_peer("Mink", _mink_reach(study.robot), study, count, first))
    return found


Reach = Callable[[Array, Transform], tuple[bool, int]]


def _peer(name: str, reach: Reach, study: Study, count: int, first: int) -> Outcome:
    met, iterations, restarts = 0, [], 0
    begin = time.process_time()
    for seed in range(first, first + count):
        target = study.tasks(seed)[0].target  # type: ignore[attr-defined]
        used = 0
        for attempt in range(RESTARTS + 1):
            start = study.start(seed) if attempt == 0 else study.start(10**7 + 10 * seed + attempt)
            reached, steps = reach(start, target)
            used += steps
            restarts = max(restarts, attempt)
            if reached:
                met += 1
                break
        iterations.append(used)
    return Outcome(name, count, met, np.array(iterations), restarts, (time.process_time() - begin) / count)


def _pink_reach(robot: Robot) -> Reach:
    import pinocchio

    pink: Any = importlib.import_module("pink")
    folder = examples_folder()
    assert folder is not None
    model = pinocchio.buildModelFromUrdf(str(folder / EXAMPLES["panda"].path))
    task = pink.tasks.FrameTask(HAND, 1.0, 1.0, gain=_PEER_GAIN, lm_damping=_PEER_DAMPING)

    def reach(start: Array, target: Transform) -> tuple[bool, int]:
        task.set_target(pinocchio.SE3(target.rotation, target.translation))
        configuration = pink.Configuration(model, model.createData(), start)
        limits = [pink.limits.ConfigurationLimit(model, config_limit_gain=1.0)]
        for step in range(ITERATIONS):
            if np.abs(task.compute_error(configuration)).max() < TOLERANCE:
                return True, step
            try:
                v = pink.solve_ik(
                    configuration, [task], _PEER_STEP, solver="daqp", limits=limits, damping=1e-9
                )
            except Exception:  # whatever its solver raises counts as a failed start
                return False, step
            configuration.integrate_inplace(v, _PEER_STEP)
        return False, ITERATIONS

    return reach


def _mink_reach(robot: Robot) -> Reach:
    mink: Any = importlib.import_module("mink")
    model = mujoco_model(robot)
    task = mink.FrameTask(HAND, "body", 1.0, 1.0, gain=_PEER_GAIN, lm_damping=_PEER_DAMPING)
    limits = [mink.ConfigurationLimit(model, gain=1.0)]
    configuration = mink.Configuration(model)

    def reach(start: Array, target: Transform) -> tuple[bool, int]:
        rotation = mink.SO3.from_matrix(target.rotation)
        task.set_target(mink.SE3.from_rotation_and_translation(rotation, target.translation))
        configuration.update(start)
        for step in range(ITERATIONS):
            if np.abs(task.compute_error(configuration)).max() < TOLERANCE:
                return True, step
            try:
                v = mink.solve_ik(
                    configuration, [task], _PEER_STEP, solver="daqp", damping=1e-9, limits=limits
                )
            except Exception:  # whatever its solver raises counts as a failed start
                return False, step
            configuration.integrate_inplace(v, _PEER_STEP)
        return False, ITERATIONS

    return reach
