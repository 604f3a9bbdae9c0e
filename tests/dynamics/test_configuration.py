"""The configuration manifold: steps and differences undo each other and agree with both peers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall
from footfall.compiler import build_kernel, jacobian
from footfall.dynamics.configuration import (
    configuration_rate,
    difference,
    integrate,
    neutral,
    random_configuration,
    velocity_from_rate,
)
from footfall.errors import InvalidInput
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from tests.dynamics.rates import rate_along
from tests.dynamics.small_robots import free_body
from tests.peers.comparison import assert_agree, relative_error
from tests.peers.robots import REAL_ROBOTS, RealRobot, load_real
from tests.random_robots import ALL_TYPES, random_robot, random_state, robots

pytest.importorskip("pinocchio")
pytest.importorskip("mujoco")

from tests.peers.mujoco import MujocoPeer
from tests.peers.pinocchio import PinocchioPeer


@settings(max_examples=60)
@given(robot=robots(), scale=st.sampled_from([0.0, 1e-160, 1e-9, 1e-3, 1.0]))
def test_peers_agree(robot: Robot, scale: float) -> None:
    q, v, _, _ = random_state(robot, 1)
    step = scale * v / max(1.0, float(np.linalg.norm(v)))
    moved = integrate.textbook(robot, q, step)
    pinocchio, mujoco = PinocchioPeer.from_robot(robot), MujocoPeer(robot)
    assert_agree(pinocchio.q(moved), pinocchio.integrate(q, step), 1e-14)
    assert_agree(moved, mujoco.integrate(q, step), 1e-14)
    other = random_state(robot, 2).q
    step = difference.textbook(robot, q, other)
    assert_agree(step, pinocchio.difference(q, other), 1e-12)
    assert_agree(step, mujoco.difference(q, other), 1e-12)


@settings(max_examples=60)
@given(robot=robots(), scale=st.sampled_from([1e-160, 1e-12, 1e-7, 1e-3, 1.0]))
def test_steps_and_differences_undo_each_other(robot: Robot, scale: float) -> None:
    q, v, _, _ = random_state(robot, 3)
    step = scale * v / max(1.0, float(np.linalg.norm(v)) / 3)  # below half a turn
    moved = integrate.textbook(robot, q, step)
    back = difference.textbook(robot, q, moved)
    np.testing.assert_allclose(back, step, rtol=0, atol=1e-14)
    np.testing.assert_allclose(integrate.textbook(robot, q, back), moved, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(difference.textbook(robot, q, q), np.zeros(robot.nv))


def test_steps_turn_about_body_axes() -> None:
    """A base turned by 90 degrees about z: a step about its x axis turns about the world's y axis."""
    robot = free_body()
    q = np.array([0.0, 0.0, 0.0, np.cos(np.pi / 4), 0.0, 0.0, np.sin(np.pi / 4)])
    moved = integrate.textbook(robot, q, np.array([1.0, 2.0, 3.0, 0.1, 0.0, 0.0]))
    about_y = np.array([np.cos(0.05), 0.0, np.sin(0.05), 0.0])
    w, x, y, z = about_y
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    np.testing.assert_allclose(moved, [1.0, 2.0, 3.0, *left @ q[3:]], atol=1e-15)
    assert relative_error(moved[3:], [w, x, y, z]) > 1e-2


@pytest.mark.parametrize("angle", [1e-12, 1.0, np.pi - 1e-9, np.pi, np.pi + 1e-9, 5.0, 2 * np.pi - 1e-12])
def test_differences_are_shortest_on_the_double_cover(angle: float) -> None:
    """Trap T2: q and -q are one orientation; beyond half a turn the other way round is shorter."""
    robot = free_body()
    axis = np.array([2.0, -1.0, 2.0]) / 3
    q0 = neutral(robot)
    q1 = np.concatenate([np.zeros(3), [np.cos(angle / 2)], np.sin(angle / 2) * axis])
    expected = angle if angle <= np.pi else 2 * np.pi - angle
    for sign in (1.0, -1.0):
        step = difference.textbook(robot, q0, np.concatenate([np.zeros(3), sign * q1[3:]]))[3:]
        assert np.linalg.norm(step) == pytest.approx(expected, rel=1e-9, abs=1e-15)
        assert np.linalg.norm(np.cross(step, axis)) < 1e-14
    if angle < np.pi:
        np.testing.assert_allclose(difference.textbook(robot, q0, q1)[3:], angle * axis, rtol=1e-9)


def test_quaternions_stay_normal() -> None:
    robot = free_body()
    q, v, _, _ = random_state(robot, 0)
    for _ in range(1000):
        q = integrate.textbook(robot, q, 0.01 * v)
    assert np.linalg.norm(q[3:]) == pytest.approx(1.0, abs=1e-15)


def test_constant_velocity_is_a_group_of_one_parameter() -> None:
    """A step of h twice is one of 2 h, for the same v: the exponential of body-axis rates."""
    robot = random_robot(2, types=list(ALL_TYPES))
    q, v, _, _ = random_state(robot, 1)
    twice = integrate.textbook(robot, integrate.textbook(robot, q, 0.2 * v), 0.2 * v)
    np.testing.assert_allclose(twice, integrate.textbook(robot, q, 0.4 * v), atol=1e-15)


@settings(max_examples=30)
@given(robot=robots())
def test_rates_of_the_coordinates(robot: Robot) -> None:
    """RSL 2022, (2.262) with body-axis rates: the derivative of a step, and its inverse."""
    q, v, _, _ = random_state(robot, 4)
    rate = configuration_rate.textbook(robot, q, v)
    assert_agree(rate, rate_along(lambda at: at, robot, q, v), 1e-9)
    assert_agree(velocity_from_rate.textbook(robot, q, rate), v, 1e-13)


def test_derivatives_where_nothing_moves() -> None:
    """Differentiating the graphs gives numbers at zero steps, where the formulas have removable singularities."""
    robot = free_body()

    def derivatives(q, step):
        moved = footfall.integrate(robot, q, step)
        back = footfall.difference(robot, q, moved)
        return {"forward": jacobian(moved, step), "round": jacobian(back, step)}

    kernel = build_kernel(derivatives, {"q": robot.nq, "step": robot.nv})
    q = random_state(robot, 1).q
    forward, there_and_back = kernel(q, np.zeros(robot.nv))
    for column, unit in zip(forward.T, np.eye(robot.nv), strict=True):
        np.testing.assert_allclose(column, configuration_rate.textbook(robot, q, unit), atol=1e-15)
    np.testing.assert_allclose(there_and_back, np.eye(robot.nv), atol=1e-15)


def test_neutral() -> None:
    robot = random_robot(2, types=list(ALL_TYPES))
    q = neutral(robot)
    assert q.shape == (robot.nq,)
    assert np.count_nonzero(q) == sum(joint.type.has_quaternion for joint in robot.joints) == 2
    np.testing.assert_allclose(integrate.textbook(robot, q, np.zeros(robot.nv)), q, atol=1e-15)


@pytest.mark.parametrize("real", REAL_ROBOTS[:8], ids=str)
def test_random_configurations_keep_the_limits(real: RealRobot) -> None:
    robot = load_real(real)
    q = random_configuration(robot, seed=1, count=200)
    assert q.shape == (200, robot.nq)
    assert np.all((q >= robot.lower_limits) & (q <= robot.upper_limits))
    limited = np.isfinite(robot.lower_limits) & np.isfinite(robot.upper_limits)
    width = (robot.upper_limits - robot.lower_limits)[limited]
    np.testing.assert_array_less(0.9 * width, np.ptp(q, axis=0)[limited])  # and use their whole width


def test_random_configurations_of_every_joint_type() -> None:
    robot = random_robot(2, types=list(ALL_TYPES))
    q = random_configuration(robot, seed=3, count=500)
    start = 0
    for joint in robot.joints:
        part = q[:, start : start + joint.type.coordinates]
        start += joint.type.coordinates
        match joint.type:
            case JointType.SPHERICAL | JointType.FLOATING:
                np.testing.assert_allclose(np.linalg.norm(part[:, -4:], axis=1), 1.0, atol=1e-15)
                assert np.abs(part[:, -4:].mean(axis=0)).max() < 0.1  # no preferred orientation
                assert np.abs(part[:, :-4]).max(initial=0.0) <= 1.0
            case JointType.PRISMATIC:
                assert 0.9 < np.abs(part).max() <= 1.0
            case JointType.PLANAR:
                assert np.all(np.abs(part).max(axis=0) <= [1.0, 1.0, np.pi])
            case JointType.REVOLUTE | JointType.CONTINUOUS | JointType.UNIVERSAL:
                assert 3.0 < np.abs(part).max() <= np.pi


def test_one_sided_limits_and_seeds() -> None:
    body = Body("rod", 1.0, np.zeros(3), np.eye(3))
    joint = Joint("hinge", "revolute", WORLD, "rod", lower=(4.0,), upper=(np.inf,))
    robot = Robot("half", (body,), (joint,))
    q = random_configuration(robot, seed=0, count=100)
    assert np.all((q >= 4.0) & (q <= 4.0 + 2 * np.pi))
    np.testing.assert_array_equal(random_configuration(robot, seed=0, count=100), q)
    generator = np.random.default_rng(0)
    first = random_configuration(robot, seed=generator)
    assert first.shape == (1,)
    assert first != random_configuration(robot, seed=generator)


def test_interpolation_turns_at_a_constant_rate() -> None:
    robot = free_body()
    q0, q1 = random_configuration(robot, seed=1000), random_configuration(robot, seed=1001)
    way = footfall.interpolate(robot, q0, q1, np.linspace(0.0, 1.0, 5))
    steps = difference(robot, way[:-1], way[1:])
    # Equal steps, which add up to the whole: a geodesic of R3 x SO(3)
    assert np.allclose(steps, difference(robot, q0, q1) / 4.0, rtol=0.0, atol=1e-12)
    assert np.allclose(difference(robot, way[-1], q1), 0.0, atol=1e-12)
    assert np.array_equal(footfall.interpolate(robot, q0, q1, 0.25), way[1])
    with pytest.raises(InvalidInput, match="fraction"):
        footfall.interpolate(robot, q0, q1, np.nan)
    with pytest.raises(InvalidInput, match="fraction is 'half'"):
        footfall.interpolate(robot, q0, q1, "half")  # type: ignore[arg-type]
