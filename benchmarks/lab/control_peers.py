"""One velocity step of inverse kinematics by us, by Pink and by Mink: the same tasks, limits and states."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.bench.measure import Contestant
from footfall.bench.robots import EXAMPLES, examples_folder, load_measured
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import frame_pose
from footfall.ik import BoundedRate, Limits
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.save import save
from footfall.tasks import MotionTask, PoseTask, posture

STEP, GAIN = 0.01, 0.5  # s; part of the error that a step undoes
FRAMES = ("left_sole_link", "right_sole_link", "gripper_right_base_link")
POSTURE_COST = 1e-2


def ik_contestants(count: int = 20) -> dict[str, Contestant]:
    """TALOS, three poses and a posture within joint limits, by everybody that is installed; "ours" is always there."""
    robot = load_measured("talos")
    rest, states = resting_states(robot, count)
    goals = {frame: frame_pose(robot, rest, frame) for frame in FRAMES}
    tasks: list[MotionTask] = [PoseTask(frame, goals[frame], gains=GAIN / STEP) for frame in FRAMES]
    pull = posture(robot, rest, gains=GAIN / STEP, weight=POSTURE_COST**2)
    bounded = BoundedRate(robot, [*tasks, pull], dt=STEP, limits=Limits(approach=0.5))
    found = {"ours": Contestant(lambda: [bounded(q) for q in states], len(states))}
    if importlib.util.find_spec("pink"):
        found["Pink"] = pink_step(robot, states, rest, goals)
    if importlib.util.find_spec("mink"):
        found["Mink"] = mink_step(robot, states, rest, goals)
    return found


def resting_states(robot: Robot, count: int) -> tuple[Array, list[Array]]:
    """A pose within the limits of the joints, and poses near it."""
    rest = neutral(robot)
    rest[7:] = np.clip(0.0, robot.lower_limits[7:] + 0.05, robot.upper_limits[7:] - 0.05)
    random = np.random.default_rng(0)
    states = []
    for _ in range(count):
        q = rest.copy()
        q[7:] = np.clip(
            q[7:] + 0.1 * random.normal(size=len(q) - 7),
            robot.lower_limits[7:] + 1e-3,
            robot.upper_limits[7:] - 1e-3,
        )
        states.append(q)
    return rest, states


def to_pinocchio(model: Any, robot: Robot) -> Callable[[Array], Array]:
    """A function to Pinocchio's order of joints and of the quaternion."""
    places = [(model.joints[k].idx_q, robot.q_slice(model.names[k]).start) for k in range(2, model.njoints)]

    def converted(q: Array) -> Array:
        result = np.concatenate([q[:3], q[4:7], q[3:4], np.zeros(model.nq - 7)])
        for theirs, ours in places:
            result[theirs] = q[ours]
        return result

    return converted


def pink_step(robot: Robot, states: list[Array], rest: Array, goals: Mapping[str, Transform]) -> Contestant:
    """Pink's `solve_ik` with DAQP."""
    pink: Any = importlib.import_module("pink")
    import pinocchio

    folder = examples_folder()
    assert folder is not None
    file = folder / EXAMPLES["talos"].path
    model = pinocchio.buildModelFromUrdf(str(file), pinocchio.JointModelFreeFlyer())
    converted = to_pinocchio(model, robot)
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


def mink_step(robot: Robot, states: list[Array], rest: Array, goals: Mapping[str, Transform]) -> Contestant:
    """Mink's `solve_ik` with DAQP."""
    mink: Any = importlib.import_module("mink")

    model = mujoco_model(robot)
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


def mujoco_model(robot: Robot) -> Any:
    """The robot in MuJoCo."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        save(robot, path)
        return mujoco.MjModel.from_xml_path(str(path))
