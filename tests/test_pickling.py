"""What studies send to other processes arrives with the same bits: native code is made again there."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall import load_scene
from footfall.arrays import Array
from footfall.compiler import build_kernel
from footfall.control import (
    Contact,
    JointImpedance,
    WholeBodyControl,
    gains_from,
    resting_pose,
    resting_reference,
)
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.gait.gaits import GAITS
from footfall.ik import BoundedRate, PrioritisedRate, ResolvedRate
from footfall.recording.reader import read_recording
from footfall.recording.writer import RecordingWriter
from footfall.robot.drives.encoder_calibration import Calibration
from footfall.scene.given_motion import GivenMotion
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation
from footfall.tasks import LeastForce, PoseTask, frame_position


@pytest.fixture(scope="module")
def worker() -> Iterator[ProcessPoolExecutor]:
    """A fresh process that has inherited nothing."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def advanced(simulation: Simulation) -> list[bytes]:
    hold = simulation.pd(simulation.joint_positions(), kp=60.0, kd=2.0)
    run = simulation.run(hold, 0.05)
    return [column.tobytes() for column in (run.time, run.q, run.v, run.effort, run.forces, run.residual)]


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    """A mobile base that has come down to the ground."""
    robot = footfall.load("differential-base")
    result = Simulation(robot, load_scene("flat"), dt=0.001)
    result.run(result.zero_command, 0.1)
    return result


def test_a_simulation_goes_on_elsewhere(worker: ProcessPoolExecutor, simulation: Simulation) -> None:
    simulation.push(simulation.robot.bodies[0].name, np.array([30.0, 0.0, 5.0, 0.0, 0.0, 0.0]), 0.02)
    here = copy.deepcopy(simulation)
    there = worker.submit(advanced, simulation).result()
    assert advanced(here) == there
    assert there != advanced(copy.copy(here))  # the next 0.05 s are others


def test_a_copy_of_a_simulation_goes_its_own_way(simulation: Simulation) -> None:
    before = pickle.dumps(simulation.state)
    twin = copy.deepcopy(simulation)
    twin.push("world", np.zeros(6), 1.0)
    twin.run(twin.zero_command, 0.01)
    assert pickle.dumps(simulation.state) == before
    assert simulation._pushes != twin._pushes


def test_a_copy_with_a_list_of_places_shares_its_code() -> None:
    simulation = FeetSimulation(footfall.load("differential-base"), load_scene("flat"))
    twin = copy.deepcopy(simulation)
    assert twin.step_kernel is simulation.step_kernel
    twin.friction[:] = 0.0
    assert simulation.friction.all()


def test_scenes_keep_their_bits() -> None:
    for name in ("rough", "conveyor", "blocks"):
        scene = load_scene(name)
        again = pickle.loads(pickle.dumps(scene))
        assert pickle.dumps(again) == pickle.dumps(pickle.loads(pickle.dumps(again)))
        for one, other in zip(scene.objects, again.objects, strict=True):
            assert np.array_equal(one.placement.rotation, other.placement.rotation)
        assert copy.deepcopy(scene) is scene
    turns = np.random.default_rng(0).normal(size=(200, 4))
    motion = GivenMotion(np.arange(200.0), np.zeros((200, 3)), turns)
    again = pickle.loads(pickle.dumps(motion))
    assert np.array_equal(again.quaternions, motion.quaternions)


def test_a_recording_is_pickled(tmp_path: Path) -> None:
    robot = footfall.load("double-pendulum")
    with RecordingWriter(tmp_path / "swing.mcap", robot, dt=0.001) as writer:
        writer.state(0.0, footfall.neutral(robot), np.ones(robot.nv))
        writer.event(0.0, "started", {"by": "hand"})
    recording = read_recording(tmp_path / "swing.mcap")
    again = pickle.loads(pickle.dumps(recording))
    assert np.array_equal(again.v, recording.v)
    assert again.events == recording.events
    assert again.robot.fingerprint == robot.fingerprint


def test_a_motion_is_sampled_elsewhere(worker: ProcessPoolExecutor) -> None:
    model = footfall.reduced_model(footfall.load("lola"))
    motion = footfall.generate_motion(footfall.load_plan("straight", model), model)
    times = np.linspace(0.0, motion.duration, 50)
    there = worker.submit(called, motion.sample, times).result()
    assert motion.sample(times).values.tobytes() == there.values.tobytes()
    again = pickle.loads(pickle.dumps(motion))
    assert again.plan.transitions == motion.plan.transitions
    assert again.model.frames == motion.model.frames


def test_controllers_answer_elsewhere(worker: ProcessPoolExecutor) -> None:
    robot = footfall.load("planar-arm")
    q, v = np.full(robot.nq, 0.3), np.full(robot.nv, 0.1)
    hand = robot.bodies[-1].name
    reach = frame_position(hand, footfall.frame_pose(robot, q, hand).translation + 0.05)
    impedance = JointImpedance(robot, resting_reference(robot, 0.9 * q), gains_from(2.0))
    pose = resting_pose(footfall.frame_pose(robot, 0.9 * q, hand))
    here = impedance(0.0, q, v)
    there = worker.submit(called, impedance, 0.0, q, v).result()
    assert [part.tobytes() for part in here] == [part.tobytes() for part in there]
    tasks = (PoseTask(hand, pose, gains=gains_from(1.0)), LeastForce(priority=1))
    whole_body = WholeBodyControl(robot, (), tasks)
    whole_body._last[:] = [(), (), lambda: "native code"]  # which cannot be pickled, and must not be
    again = pickle.loads(pickle.dumps(whole_body))
    assert repr(again.tasks) == repr(tasks)
    assert copy.deepcopy(whole_body).robot is robot
    for solver in (ResolvedRate(robot, [reach]), BoundedRate(robot, [reach])):
        assert solver(q).tobytes() == worker.submit(called, solver, q).result().tobytes()
    by_priority = PrioritisedRate(robot, [reach])
    by_priority.stack.kernel(q, by_priority.stack.parameters)
    assert pickle.loads(pickle.dumps(by_priority)).stack.tasks == by_priority.stack.tasks


def squared(x: Array) -> Array:
    return x * x


def test_kernels_are_built_again_elsewhere(worker: ProcessPoolExecutor) -> None:
    kernel = build_kernel(squared, {"x": 3}, labels=("number",))
    there = worker.submit(called, kernel, np.arange(3.0)).result()
    assert there.tolist() == [0.0, 1.0, 4.0]
    again = pickle.loads(pickle.dumps(kernel))
    assert again.signature == kernel.signature
    assert copy.copy(kernel) is copy.deepcopy(kernel) is kernel
    with pytest.raises((pickle.PicklingError, AttributeError), match=r"lambda|local"):
        pickle.dumps(build_kernel(lambda x: x + 1.0, {"x": 1}))


def test_algorithms_are_pickled_by_name(worker: ProcessPoolExecutor) -> None:
    robot = footfall.load("double-pendulum")
    state = [np.full(robot.nv, 0.1)] * 3
    dynamics = partial(footfall.forward_dynamics, robot)
    there = worker.submit(called, dynamics, *state).result()
    assert dynamics(*state).tobytes() == there.tobytes()
    assert pickle.loads(pickle.dumps(footfall.forward_dynamics)) is footfall.forward_dynamics


@pytest.mark.parametrize(
    "value",
    [
        GAITS["trot"],
        Calibration({"knee": 0.1}),
        FrameTask("push", "hand", {"x": AxisGoal("force", 10.0)}),
        Contact("foot", (0.0, 0.0, 0.0)),
        LeastForce(priority=2),
    ],
    ids=lambda value: type(value).__name__,
)
def test_small_values_are_pickled(value: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value)
