"""One harness of finite differences for every Jacobian and bias that control uses, over real robots.

Each quantity is a value at q whose rate is `jacobian @ v`, and whose second derivative at constant v is the bias.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.control.gains import Gains
from footfall.control.joint_control import resting_reference
from footfall.control.task_space import build_task_dynamics, resting_pose
from footfall.control.whole_body_tasks import (
    CenterOfMassTracking,
    FrameAcceleration,
    FrameTracking,
    JointAcceleration,
    MotionTask,
    PostureTracking,
)
from footfall.math.rotations import boxminus
from footfall.robot.model import Robot
from tests.dynamics.rates import rate_along
from tests.peers.robots import REAL_ROBOTS, load_real

FRAMES = {"panda": "panda_hand", "anymal": "LF_FOOT", "go2": "FL_foot", "bolt": "FL_FOOT", "lola": "RF"}
FREE = Gains(0.0, 0.0)


class Quantity(NamedTuple):
    """value(q): None where there is only a velocity; jacobian(q) (m, nv); bias(q, v) (m,)."""

    value: Callable[[Array], Array] | None
    jacobian: Callable[[Array], Array]
    bias: Callable[[Array, Array], Array]


@cache
def robot_of(name: str) -> Robot:
    if name == "lola":
        return footfall.load(name)
    pytest.importorskip("pinocchio", reason="comes with example-robot-data")
    return load_real(next(each for each in REAL_ROBOTS if each.name == name))


def task_quantity(robot: Robot, task: MotionTask, value: Callable[[Array], Array] | None) -> Quantity:
    """A task without feedback asks for minus its bias."""
    numbers = task.numbers(robot, 0.0)
    kernel = footfall.compiler.build_kernel(
        lambda q, v: task.evaluate(robot, q, v, numbers)._asdict(),
        {"q": robot.nq, "v": robot.nv},
        name="task",
    )
    return Quantity(
        value,
        lambda q: kernel(q, np.zeros(robot.nv))[0],
        lambda q, v: -kernel(q, v)[1],
    )


def quantities(name: str) -> dict[str, Quantity]:
    robot, frame = robot_of(name), FRAMES[name]
    rest = footfall.neutral(robot)
    start = footfall.frame_pose(robot, rest, frame)
    contact = (Contact(frame, (0.02, -0.03, 0.05)),)

    def system(q: Array, v: Array) -> tuple[Array, ...]:
        return build_constrained_system(robot, q, v, contacts=contact)

    still = np.zeros(robot.nv)
    return {
        "frame": task_quantity(robot, FrameAcceleration(frame, np.zeros(6)), None),
        "frame position": task_quantity(
            robot,
            FrameTracking(frame, resting_pose(start), FREE, (0, 1, 2)),
            lambda q: footfall.frame_pose(robot, q, frame).translation,
        ),
        "centre of mass": task_quantity(
            robot, CenterOfMassTracking(np.zeros(3), FREE), lambda q: footfall.center_of_mass(robot, q)
        ),
        "posture": task_quantity(robot, PostureTracking(resting_reference(robot, rest), FREE), None),
        "joints": task_quantity(robot, JointAcceleration(still), None),
        "contact": Quantity(
            lambda q: system(q, still)[4][0],
            lambda q: system(q, still)[2],
            lambda q, v: system(q, v)[3],
        ),
        "task space": Quantity(
            None,
            lambda q: build_task_dynamics(robot, q, still, frame).jacobian,
            lambda q, v: build_task_dynamics(robot, q, v, frame).jacobian_bias,
        ),
    }


def discrepancy(name: str, quantity: Quantity, *, scale: float = 1.0) -> float:
    """The greatest difference from central differences, of the Jacobian (times scale) and of the bias."""
    robot, random = robot_of(name), np.random.default_rng(3)
    q, v = footfall.random_configuration(robot, seed=3), random.normal(size=robot.nv)
    worst = 0.0
    if quantity.value is not None:
        rate = rate_along(quantity.value, robot, q, v)
        worst = float(np.abs(rate - scale * quantity.jacobian(q) @ v).max())
    second = rate_along(lambda other: quantity.jacobian(other) @ v, robot, q, v)
    return max(worst, float(np.abs(second - scale * quantity.bias(q, v)).max()))


@pytest.mark.parametrize("name", FRAMES)
def test_jacobians_and_biases(name: str) -> None:
    for label, quantity in quantities(name).items():
        assert discrepancy(name, quantity) < 5e-7, label


def test_angular_rows_are_rates_of_rotations() -> None:
    robot = robot_of("lola")
    q, v = footfall.random_configuration(robot, seed=1), np.random.default_rng(1).normal(size=robot.nv)
    here = footfall.frame_pose(robot, q, "RF").rotation
    rate = rate_along(
        lambda other: boxminus(footfall.frame_pose(robot, other, "RF").rotation, here), robot, q, v
    )
    assert np.abs(rate - footfall.frame_jacobian(robot, q, "RF")[3:] @ v).max() < 1e-7


def test_a_wrong_factor_would_be_seen() -> None:
    for label, quantity in quantities("lola").items():
        if label not in ("posture", "joints"):  # whose biases are zero
            assert discrepancy("lola", quantity, scale=1.0001) > 1e-6, label
