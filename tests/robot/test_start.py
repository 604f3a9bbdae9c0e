"""Where robots start: named configurations first, always inside limits."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Body, Joint, JointType, Robot
from footfall.robot.model import Mimic
from footfall.robot.start import inside_limits, start_of
from footfall.robot.variants import with_configuration


def arm(lower: float, upper: float, **more: object) -> Robot:
    bodies = tuple(Body(f"b{k}", 1.0, inertia=np.eye(3)) for k in range(3))
    joints = (
        Joint("a", JointType.REVOLUTE, "world", "b0", lower=(lower,), upper=(upper,)),
        Joint("b", JointType.PRISMATIC, "b0", "b1"),
        Joint("c", JointType.REVOLUTE, "b1", "b2", mimic=Mimic("a", -2.0, 0.1)),
    )
    return Robot("arm", bodies, joints, **more)  # type: ignore[arg-type]


def test_neutral_outside_of_limits_is_moved_inside() -> None:
    start = start_of(arm(-2.72, -0.84))
    # A tenth of the range from the stop; c = -2 a + 0.1 follows.
    a = -0.84 - 0.1 * (2.72 - 0.84)
    np.testing.assert_allclose(start.q, [a, 0.0, -2 * a + 0.1])
    assert start.moved == ("a", "c")
    assert str(start) == "the neutral configuration, a, c moved inside of limits"


def test_neutral_inside_stays() -> None:
    start = start_of(arm(-1.0, 1.0))
    assert not start.q.any()
    assert start.name is None
    assert str(start) == "the neutral configuration"


def test_one_sided_limits() -> None:
    np.testing.assert_allclose(inside_limits(arm(0.5, np.pi), np.zeros(3))[0], 0.5 + 0.1 * (np.pi - 0.5))
    joint = Joint("a", JointType.REVOLUTE, "world", "b", lower=(0.5,))
    robot = Robot("one", (Body("b", 1.0, inertia=np.eye(3)),), (joint,))
    np.testing.assert_allclose(start_of(robot).q, [0.5])


@pytest.mark.parametrize("name", ["stand", "idle"])
def test_named_configurations_come_first(name: str) -> None:
    robot = with_configuration(arm(-2.0, -1.0), "other", np.array([-1.5, 0.3, 0.0]))
    robot = with_configuration(robot, name, np.array([-1.2, 0.3, 0.0]))
    assert start_of(robot).name == ("idle" if name == "idle" else "other")
    assert start_of(robot, "other").q[0] == -1.5


def test_what_is_asked_for_is_not_changed() -> None:
    robot = with_configuration(arm(-2.0, -1.0), "bad", np.array([1.0, 0.3, 0.0]))
    assert start_of(robot, "bad").q[0] == 1.0
    assert start_of(robot).q[0] == pytest.approx(-1.1)
    assert "'bad', a, c moved" in str(start_of(robot))
