"""Dynamics of a frame: the numbers of RSL 2022, chapter 3, both control laws, and pose control in simulation."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import footfall
from footfall.bench.robots import examples_folder
from footfall.control.gains import Gains, gains_from
from footfall.control.operational_space import OperationalSpaceControl, select
from footfall.control.priorities import level, solve_hierarchy
from footfall.control.references import PoseReference, resting_pose, resting_reference
from footfall.control.task_space import (
    EndEffectorControl,
    build_task_dynamics,
    cancelling_task_torque,
    pose_error,
    self_motion_projector,
    task_torque,
)
from footfall.errors import ControlWarning, InvalidInput, UnknownName, UnsuitableRobot
from footfall.math.rotations import boxplus
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.simulation.simulation import Simulation
from tests.control.stances import planar_arm

ASKED = np.array([1.0, 0.5])
BENT = np.array([0.3, 0.5, -0.4, 1.2, 0.3, 0.7, 0.2])

NUMBERS = {
    "a": {
        "inertia": [[0.55555556, -0.48112522], [-0.48112522, 1.25925926]],
        "coriolis": [0.01944444, -0.04137677],
        "gravity": [-5.66380614, 14.715],
        "torque": [-29.64425527, -17.61782273, -2.79569509],
        "cancelling": [-29.65387778, -17.61204923, -2.79377059],
    },
    "b": {
        "inertia": [[0.79605935, 0.83916857], [0.83916857, 1.71890467]],
        "coriolis": [0.22338027, 0.45295487],
        "gravity": [6.25298346, 12.09325229],
        "torque": [-6.38652672, -9.5253475, -1.69474732],
        "cancelling": [-22.77329241, -16.23351793, -2.80031256],
    },
}
ACCELERATIONS_B = {"torque": [5.452638, -5.260159, -5.012381], "cancelling": [1.442869, -4.293307, 4.663928]}


@pytest.mark.parametrize("case", ["a", "b"])
def test_numbers_of_the_planar_arm(case: str) -> None:
    robot, q, v = planar_arm(case)
    dynamics = build_task_dynamics(robot, q, v, "tip", rows=(0, 2))
    expected = NUMBERS[case]
    for name in ("inertia", "coriolis", "gravity"):
        assert np.abs(getattr(dynamics, name) - expected[name]).max() < 6e-9, name
    torques = {"torque": task_torque(dynamics, ASKED), "cancelling": cancelling_task_torque(dynamics, ASKED)}
    for name, torque in torques.items():
        assert np.abs(torque - expected[name]).max() < 6e-9, name
        a = footfall.forward_dynamics(robot, q, v, torque)
        reached = footfall.frame_acceleration(robot, q, v, a, "tip")[[0, 2]]
        assert np.abs(reached - ASKED).max() < 1e-12
        if case == "b":
            assert np.abs(a - ACCELERATIONS_B[name]).max() < 6e-7


def test_a_force_at_the_frame_accelerates_its_inertia() -> None:
    """`Lambda dw/dt + mu + p = F` with `tau = J^T F`, for six rows of an arm with seven joints."""
    robot = footfall.load("arm-7r")
    random = np.random.default_rng(0)
    worst = 0.0
    for _ in range(100):
        q, v, force = (random.normal(size=n) for n in (7, 7, 6))
        dynamics = build_task_dynamics(robot, q, v, "tip")
        a = footfall.forward_dynamics(robot, q, v, dynamics.jacobian.T @ force)
        left = dynamics.inertia @ footfall.frame_acceleration(robot, q, v, a, "tip")
        left += dynamics.coriolis + dynamics.gravity - force
        scale = np.abs(dynamics.inertia).max() * np.abs(a).max()
        worst = max(worst, float(np.abs(left).max() / scale))
    assert worst < 1e-9


LIGHT_WRISTS = {
    "ur10": ("ur_description/urdf/ur10_robot.urdf", "tool0"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_eef"),
}


def light_wrist(name: str) -> tuple[Robot, str]:
    folder = examples_folder()
    if folder is None:
        pytest.skip("comes with example-robot-data")
    path, tip = LIGHT_WRISTS[name]
    return footfall.load(folder / path), tip


@pytest.mark.parametrize("name", LIGHT_WRISTS)
def test_light_wrists_lose_no_direction(name: str) -> None:
    """The last joint turns 1e6 times more easily than the arm moves; six directions are six all the same.

    What a force does at the tip agrees with forward dynamics, as far as the condition of the pose allows.
    """
    robot, tip = light_wrist(name)
    random = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ControlWarning)
        for seed in range(100):
            q = footfall.random_configuration(robot, seed=seed)
            v, wanted = random.normal(size=robot.nv), random.normal(size=6)
            dynamics = build_task_dynamics(robot, q, v, tip)
            assert dynamics.rank == 6
            assert dynamics.lost.shape == (6, 0)
            a = footfall.forward_dynamics(robot, q, v, cancelling_task_torque(dynamics, wanted))
            reached = footfall.frame_acceleration(robot, q, v, a, tip)
            condition = np.linalg.cond(dynamics.jacobian)
            assert np.abs(reached - wanted).max() < 1e-11 * condition * (1.0 + np.abs(a).max())


def test_a_light_wrist_arrives() -> None:
    """UR10 from a pose where a rank decision in mixed units left it 82 mm away: it comes to rest at its target."""
    robot, tip = light_wrist("ur10")
    q = footfall.random_configuration(robot, seed=26)
    start = footfall.frame_pose(robot, q, tip)
    target = Transform(
        boxplus(start.rotation, np.array([0.2, -0.1, 0.3])), start.translation + np.array([0.05, 0.1, -0.08])
    )
    simulation = Simulation(robot, q=q, dt=1e-3)
    simulation.run(EndEffectorControl(robot, tip, target, gains_from(2.0)), 2.0)
    left = pose_error(footfall.frame_pose(robot, simulation.state.q, tip), target)
    assert np.abs(left).max() < 1e-6


def test_what_holds_a_frame_back_is_told_once_in_a_run() -> None:
    """UR10 beside a singular pose, 21 mm off its target without a word before: near_singular is told of, each law's."""
    robot, tip = light_wrist("ur10")
    q = footfall.random_configuration(robot, seed=1035)
    start = footfall.frame_pose(robot, q, tip)
    target = Transform(
        boxplus(start.rotation, np.array([0.2, -0.1, 0.3])), start.translation + np.array([0.05, 0.1, -0.08])
    )
    straight = select(motion=(True, True, True))
    for control in (
        EndEffectorControl(robot, tip, target, gains_from(2.0)),
        OperationalSpaceControl(robot, tip, target, np.zeros(6), straight, gains_from(2.0)),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("default")
            at, v = q, np.zeros(robot.nv)
            for k in range(300):
                v = v + 2e-3 * footfall.forward_dynamics(robot, at, v, control.torque(2e-3 * k, at, v))
                at = footfall.integrate(robot, at, 2e-3 * v)
        messages = [str(one.message) for one in told if issubclass(one.category, ControlWarning)]
        assert sum("is near a singular pose" in message for message in messages) == 1
        assert len(messages) == len(set(messages)) < 4
        assert np.abs(v).max() < 10.0


def test_lost_directions_are_told() -> None:
    """A stretched planar arm cannot be accelerated along itself, whatever the length that turns are measured by."""
    robot, _, _ = planar_arm()
    with pytest.warns(
        ControlWarning, match="'tip' of robot 'planar-arm' can be accelerated in 1 of 2 directions"
    ):
        dynamics = build_task_dynamics(robot, np.zeros(3), np.zeros(3), "tip", rows=(0, 2))
    assert dynamics.rank == 1
    along = footfall.frame_pose(robot, np.zeros(3), "tip").translation[[0, 2]]
    assert abs(abs(dynamics.lost[:, 0] @ along) / np.linalg.norm(along) - 1.0) < 1e-9
    for length in (None, 0.01, 1.0):
        with pytest.warns(ControlWarning, match="3 of 6 directions"):
            assert build_task_dynamics(robot, BENT[:3], np.zeros(3), "tip", length=length).rank == 3


def test_kinetic_energy_of_a_square_task() -> None:
    robot = footfall.load("arm-6r")
    q, v = np.array([0.3, 0.4, -1.1, 0.6, 0.8, 0.1]), np.arange(6) / 5 - 0.4
    dynamics = build_task_dynamics(robot, q, v, "tip")
    w = dynamics.velocity
    energy = float(footfall.kinetic_energy(robot, q, v))
    assert 0.5 * w @ dynamics.inertia @ w == pytest.approx(energy, rel=1e-9)


def test_self_motion_does_not_move_the_frame() -> None:
    robot = footfall.load("arm-7r")
    v = np.zeros(7)
    dynamics = build_task_dynamics(robot, BENT, v, "tip")
    beside = self_motion_projector(dynamics) @ np.arange(7.0)
    a = footfall.forward_dynamics(robot, BENT, v, dynamics.joint_gravity + beside)
    assert np.abs(a).max() > 1.0
    assert np.abs(dynamics.jacobian @ a).max() < 1e-9


def test_damping_bounds_the_inertia() -> None:
    """Stretched out, the arm cannot move along itself; across, damping of 0.01/kg changes little."""
    robot, _, _ = planar_arm()
    q, v = np.array([0.0, 1e-6, 0.0]), np.zeros(3)
    with pytest.warns(ControlWarning):
        cut = build_task_dynamics(robot, q, v, "tip", rows=(0, 2))
    damped = build_task_dynamics(robot, q, v, "tip", rows=(0, 2), damping=0.01)
    assert np.abs(damped.inertia).max() < 51.0
    assert damped.inertia[0, 0] == pytest.approx(cut.inertia[0, 0], rel=1e-3)
    unbounded = build_task_dynamics(robot, q, v, "tip", rows=(0, 2), tolerance=0.0)
    assert np.abs(unbounded.inertia).max() > 1e9


def test_pose_error_is_a_step_to_the_target() -> None:
    random = np.random.default_rng(0)
    start = Transform(boxplus(np.eye(3), random.normal(size=3)), random.normal(size=3))
    step = 0.8 * random.normal(size=6)
    target = Transform(boxplus(start.rotation, step[3:]), start.translation + step[:3])
    assert np.abs(pose_error(start, target) - step).max() < 1e-12


def test_step_of_a_pose_is_of_second_order() -> None:
    """Position and rotation error follow (1 + w t) exp(-w t); a constant axis makes the rotation's law exact."""
    robot = footfall.load("arm-7r")
    start = footfall.frame_pose(robot, BENT, "tip")
    step = np.array([0.05, -0.03, 0.04, 0.2, 0.1, -0.15])
    target = Transform(boxplus(start.rotation, step[3:]), start.translation + step[:3])
    gains = gains_from(1.5)
    controller = EndEffectorControl(
        robot, "tip", resting_pose(target), gains, posture=resting_reference(robot, BENT)
    )
    simulation = Simulation(robot, q=BENT, dt=1e-3)
    run = simulation.run(controller, 0.5)
    omega = np.sqrt(gains.stiffness)
    left = (1 + omega * run.time) * np.exp(-omega * run.time)
    for k in range(49, 500, 90):
        error = pose_error(footfall.frame_pose(robot, run.q[k], "tip"), target)
        assert np.abs(error - left[k] * step).max() < 1.5e-3  # first order in dt


def test_follows_a_circle() -> None:
    robot = footfall.load("arm-7r")
    start = footfall.frame_pose(robot, BENT, "tip")
    radius, rate = 0.08, 4.0

    def circle(time: float) -> PoseReference:
        c, s = np.cos(rate * time), np.sin(rate * time)
        place = start.translation + radius * np.array([c - 1, s, 0.0])
        velocity = radius * rate * np.array([-s, c, 0.0, 0.0, 0.0, 0.0])
        acceleration = radius * rate**2 * np.array([-c, -s, 0.0, 0.0, 0.0, 0.0])
        return PoseReference(Transform(start.rotation, place), velocity, acceleration)

    v = np.linalg.pinv(footfall.frame_jacobian(robot, BENT, "tip")) @ circle(0.0).velocity
    simulation = Simulation(robot, q=BENT, v=v, dt=1e-3)
    run = simulation.run(EndEffectorControl(robot, "tip", circle, gains_from(3.0)), 1.6)
    errors = [
        np.abs(pose_error(footfall.frame_pose(robot, q, "tip"), circle(t).pose)).max()
        for t, q in zip(run.time[::100], run.q[::100], strict=True)
    ]
    assert max(errors) < 1e-3


def test_tasks_on_acceleration_level() -> None:
    """RSL 2022, (3.83): the tip first, then joints 1 and 2 at rest; without velocity the numbers of example 2.9.1."""
    robot, q, v = planar_arm()
    for rates in (np.zeros(3), v):
        dynamics = build_task_dynamics(robot, q, rates, "tip", rows=(0, 2))
        levels = [
            level(dynamics.jacobian, np.array([1.0, 1.0]) - dynamics.jacobian_bias),
            level(np.eye(3)[:2], np.zeros(2)),
        ]
        asked = solve_hierarchy(levels).v
        torque = footfall.inverse_dynamics(robot, q, rates, asked)
        a = footfall.forward_dynamics(robot, q, rates, torque)
        reached = footfall.frame_acceleration(robot, q, rates, a, "tip")[[0, 2]]
        assert np.abs(reached - 1.0).max() < 1e-12
        if not rates.any():
            assert np.abs(asked - [-0.169060, -0.084530, -1.070171]).max() < 6e-7


def test_bad_requests() -> None:
    arm, q, v = planar_arm()
    pose = footfall.frame_pose(arm, q, "tip")
    with pytest.raises(UnknownName, match=r"no frame 'hand' in robot 'planar-arm'; there are: .*tip"):
        EndEffectorControl(arm, "hand", resting_pose(pose), gains_from(1.0))
    floating = footfall.load("point-foot-quadruped")
    with pytest.raises(UnsuitableRobot, match="end-effector control"):
        EndEffectorControl(floating, "LF", resting_pose(pose), gains_from(1.0))
    wrong = PoseReference(pose, np.zeros(3), np.zeros(6))
    with pytest.raises(InvalidInput, match=r"velocity of the pose wanted has shape \(3,\)"):
        EndEffectorControl(arm, "tip", wrong, Gains(1.0, 1.0), rows=(0, 2)).torque(0.0, q, v)
