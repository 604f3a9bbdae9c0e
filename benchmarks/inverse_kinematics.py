"""Measure inverse kinematics: success on random targets, and one velocity step against Pink and Mink.

python benchmarks/inverse_kinematics.py [--targets 1000] [--blocks 30]

Needs the test extra; Pink (pin-pink) and Mink (mink) take part where they are installed.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody

import argparse
import importlib.util
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import footfall
from footfall.benchmarks.measure import Contestant, race
from footfall.benchmarks.surroundings import load_average
from footfall.control.inverse_kinematics import (
    BoundedRate,
    ComfortCost,
    Limits,
    PoseTask,
    ResolvedRate,
    Task,
    lola_task_space,
    posture,
    solve_ik,
)
from footfall.robot.model import Robot

STEP = 0.01  # s
GAIN = 0.5  # part of the error that a step undoes
FRAMES = ("left_sole_link", "right_sole_link", "gripper_right_base_link")
POSTURE_COST = 1e-2


def real_robot(path: str, *, floating_base: bool) -> tuple[Robot, Path]:
    """A robot of example-robot-data, and its file."""
    spec = importlib.util.find_spec("pinocchio")
    if spec is None or spec.origin is None:
        raise SystemExit("example-robot-data is missing: pip install 'footfall[test]'")
    folder = next(parent for parent in Path(spec.origin).parents if (parent / "share").is_dir())
    file = folder / "share" / "example-robot-data" / "robots" / path
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return footfall.load(file, floating_base=floating_base), file


def study(
    name: str,
    robot: Robot,
    tasks: Callable[[int], list[Task]],
    start: Callable[[int], np.ndarray],
    count: int,
) -> None:
    """How many of `count` reachable targets are met, and at what cost."""
    begin = time.process_time()
    found = [
        solve_ik(robot, start(seed), tasks(seed), tolerance=1e-6, restarts=5, seed=seed)
        for seed in range(count)
    ]
    each = (time.process_time() - begin) / count
    met = sum(solution.reached for solution in found)
    iterations = [solution.iterations for solution in found]
    print(
        f"| {name} | {count} | {100 * met / count:.2f} % | {np.median(iterations):.0f} | "
        f"{np.percentile(iterations, 99):.0f} | {max(s.restarts for s in found)} | {1e3 * each:.1f} ms |"
    )


def run_studies(count: int) -> None:
    print("| robot | targets | met | iterations, median | 99 % | most restarts | CPU time each |")
    print("|---|---|---|---|---|---|---|")
    panda, _ = real_robot("panda_description/urdf/panda.urdf", floating_base=False)

    def panda_target(seed: int) -> list[Task]:
        goal = footfall.random_configuration(panda, seed=10**6 + seed)
        return [PoseTask("panda_hand", footfall.frame_pose(panda, goal, "panda_hand"))]

    study(
        "Panda, pose of the hand",
        panda,
        panda_target,
        lambda s: footfall.random_configuration(panda, seed=s),
        count,
    )
    lola = footfall.load("lola")
    idle = lola.configuration("idle")

    def lola_target(seed: int) -> list[Task]:
        goal = footfall.random_configuration(lola, seed=10**6 + seed)
        step = np.random.default_rng(seed).normal(size=6) * [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]
        goal[:7] = footfall.integrate(lola, idle, np.concatenate([step, np.zeros(lola.nv - 6)]))[:7]
        return list(lola_task_space(lola, goal, hands=("RH", "LH")))

    study("LOLA, 28 task coordinates", lola, lola_target, lambda seed: idle, count)


def contestants(robot: Robot, file: Path) -> dict[str, Contestant]:
    """One velocity step of TALOS: three poses and a posture within limits, by everybody that is installed."""
    rest = footfall.neutral(robot)
    rest[7:] = np.clip(0.0, robot.lower[7:] + 0.05, robot.upper[7:] - 0.05)
    rng = np.random.default_rng(0)
    states = []
    for _ in range(20):
        q = rest.copy()
        q[7:] = np.clip(
            q[7:] + 0.1 * rng.normal(size=len(q) - 7), robot.lower[7:] + 1e-3, robot.upper[7:] - 1e-3
        )
        states.append(q)
    goals = {frame: footfall.frame_pose(robot, rest, frame) for frame in FRAMES}
    tasks: list[Task] = [PoseTask(frame, goals[frame], gain=GAIN / STEP) for frame in FRAMES]
    pull = posture(robot, rest, gain=GAIN / STEP, weight=POSTURE_COST**2)
    bounded = BoundedRate(robot, [*tasks, pull], dt=STEP, limits=Limits(approach=0.5))
    resolved = ResolvedRate(robot, tasks, cost=ComfortCost(tuple(rest.tolist())))
    found = {
        "BoundedRate": Contestant(lambda: [bounded(q) for q in states], len(states)),
        "ResolvedRate (no limits)": Contestant(lambda: [resolved(q) for q in states], len(states)),
    }
    if importlib.util.find_spec("pink"):
        found["Pink"] = pink_step(robot, file, states, rest, goals)
    if importlib.util.find_spec("mink"):
        found["Mink"] = mink_step(robot, states, rest, goals)
    return found


def pink_step(robot: Robot, file: Path, states: list, rest: np.ndarray, goals: dict) -> Contestant:
    import pink
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(file), pinocchio.JointModelFreeFlyer())
    places = [(model.joints[k].idx_q, robot.q_slice(model.names[k]).start) for k in range(2, model.njoints)]

    def converted(q: np.ndarray) -> np.ndarray:
        """Pinocchio's order of joints and of the quaternion."""
        result = np.concatenate([q[:3], q[4:7], q[3:4], np.zeros(model.nq - 7)])
        for theirs, ours in places:
            result[theirs] = q[ours]
        return result

    tasks = [
        pink.tasks.FrameTask(frame, position_cost=1.0, orientation_cost=1.0, gain=GAIN) for frame in FRAMES
    ]
    for task in tasks:
        task.set_target(pinocchio.SE3(goals[task.frame].rotation, goals[task.frame].translation))
    pull = pink.tasks.PostureTask(cost=POSTURE_COST, gain=GAIN)
    pull.set_target(converted(rest))
    theirs = [converted(q) for q in states]
    configuration = pink.Configuration(model, model.createData(), theirs[0])

    def sweep() -> None:
        for q in theirs:
            configuration.update(q)
            pink.solve_ik(configuration, [*tasks, pull], STEP, solver="daqp", safety_break=False)

    return Contestant(sweep, len(states))


def mink_step(robot: Robot, states: list, rest: np.ndarray, goals: dict) -> Contestant:
    import mink
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        footfall.save(robot, path)
        model = mujoco.MjModel.from_xml_path(str(path))
    bodies = {model.body(k).name for k in range(model.nbody)}
    tasks = []
    for frame in FRAMES:
        kind = "body" if frame in bodies else "site"
        task = mink.FrameTask(frame, kind, position_cost=1.0, orientation_cost=1.0, gain=GAIN)
        rotation = mink.SO3.from_matrix(goals[frame].rotation)
        task.set_target(mink.SE3.from_rotation_and_translation(rotation, goals[frame].translation))
        tasks.append(task)
    pull = mink.PostureTask(model, cost=POSTURE_COST, gain=GAIN)
    pull.set_target(rest)
    rates = {joint.name: joint.velocity[0] for joint in robot.joints if len(joint.velocity) == 1}
    limits = [
        mink.ConfigurationLimit(model, gain=0.5),
        mink.VelocityLimit(model, {name: rate for name, rate in rates.items() if np.isfinite(rate)}),
    ]
    configuration = mink.Configuration(model)

    def sweep() -> None:
        for q in states:
            configuration.update(q)
            mink.solve_ik(configuration, [*tasks, pull], STEP, solver="daqp", limits=limits)

    return Contestant(sweep, len(states))


def run_race(blocks: int) -> None:
    robot, file = real_robot("talos_data/robots/talos_reduced.urdf", floating_base=True)
    result = race(contestants(robot, file), blocks=blocks)
    print("\n| velocity step of TALOS, three poses and a posture | time | BoundedRate is faster by |")
    print("|---|---|---|")
    for name in result.seconds:
        spread, ratio = result.time(name), result.ratio(name, "BoundedRate")
        print(
            f"| {name} | {1e6 * spread.median:.1f} us | {ratio.median:.2f} "
            f"({ratio.lower:.2f} to {ratio.upper:.2f}) |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--blocks", type=int, default=30)
    options = parser.parse_args()
    print(f"load before: {load_average()}\n")
    run_studies(options.targets)
    run_race(options.blocks)


if __name__ == "__main__":
    main()
