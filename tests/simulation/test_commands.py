"""Commands as people guess them: parts of one, numbers for all joints, efforts alone, batches, and staying as it is."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.errors import InvalidInput, RobotError, UnknownName
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command


def arm() -> Simulation:
    simulation = Simulation(footfall.load("arm-7r"), dt=1e-3)
    simulation.reset(np.array([0.3, 0.8, -0.2, 1.1, 0.4, -0.6, 0.2]))
    return simulation


def test_what_a_command_leaves_out_is_zero() -> None:
    given = np.linspace(-3.0, 3.0, 7)
    one, other = arm(), arm()
    zero = np.zeros(7)
    expected = one.run(Command(zero, zero, given, zero, zero, zero), 0.05)
    np.testing.assert_array_equal(other.run(Command(effort=given), 0.05).q, expected.q)
    held = arm()
    # A number for all joints.
    gains = held.run(Command(position=held.joint_positions(), kp=300.0, kd=30.0), 0.05)
    again = arm()
    np.testing.assert_array_equal(
        gains.q, again.run(again.pd(again.joint_positions(), kp=300.0, kd=30.0), 0.05).q
    )


def test_a_controller_may_give_efforts() -> None:
    """An array (joints,) or (nv,), a list, or a command with these are the same; held efforts too."""
    robot = footfall.load("point-foot-quadruped")
    push = 0.5 * np.ones(12)
    ways: list[object] = [
        Command(effort=push),
        lambda time, q, v: Command(effort=push),
        lambda time, q, v: push,
        lambda time, q, v: push.tolist(),
        lambda time, q, v: np.append(np.zeros(6), push),
        push,
    ]
    ends = []
    for way in ways:
        simulation = Simulation(robot, "flat", dt=1e-3)
        ends.append(simulation.run(way, 0.02).q[-1])  # type: ignore[arg-type]
    for end in ends[1:]:
        np.testing.assert_array_equal(end, ends[0])
    simulation = Simulation(robot, "flat", dt=1e-3)
    simulation.step(push)
    assert simulation.time == 1e-3


def test_efforts_of_the_wrong_kind_are_refused() -> None:
    simulation = Simulation(footfall.load("point-foot-quadruped"), "flat")
    for given, words in (
        (np.zeros(11), r"shape \(11,\); needed is one for each of the 12 joints, or for each of the 18"),
        (np.append([0.0, 0.0, 3.0], np.zeros(15)), r"have 3 N or N m where there is no motor"),
        (Command(effort=np.zeros(5)), r"effort of the command has the shape \(5,\); .* 12 joints"),
    ):
        with pytest.raises(InvalidInput, match=words):
            simulation.run(lambda time, q, v, given=given: given, 0.01)  # type: ignore[misc]
    with pytest.raises(TypeError, match="a controller gave a NoneType; it must give a Command, or efforts"):
        simulation.run(lambda time, q, v: None, 0.01)  # type: ignore[arg-type,return-value]


def test_controllers_are_called_with_time_and_state() -> None:
    simulation = arm()
    for wrong in (lambda state: np.zeros(7), lambda: np.zeros(7), simulation.hold):
        with pytest.raises(TypeError, match=r"controller\(time, q, v\)|hold\(\) is the command to hold"):
            simulation.run(wrong, 0.01)  # type: ignore[arg-type]
    for right in (lambda *state: np.zeros(7), lambda time, q, v, gain=1.0: gain * np.zeros(7)):
        assert len(simulation.run(right, 0.01).time) == 10


def test_what_is_no_number_or_no_rotation_is_refused() -> None:
    simulation = arm()
    with pytest.raises(InvalidInput, match=r"position is \{'joint1': 0.1\}; give 7 numbers, in the order of"):
        simulation.pd({"joint1": 0.1}, kp=1.0, kd=1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="dt is 1ms s; it must be above zero"):
        Simulation(footfall.load("arm-7r"), dt="1ms")  # type: ignore[arg-type]
    free = Simulation(footfall.load("point-foot-quadruped"))
    with pytest.raises(RobotError, match=r"quaternion of joint .* has norm 2; it must be 1"):
        free.reset(free.q * np.r_[1.0, 1.0, 1.0, 2.0 * np.ones(4), np.ones(free.robot.nq - 7)])
    for count in (-1, 2.5):
        with pytest.raises(InvalidInput, match=f"count is {count}; it must be a whole number"):
            footfall.random_configuration(free.robot, count=count)  # type: ignore[arg-type]


def test_pd_takes_batches() -> None:
    """Robots of a batch with targets of their own end where each alone does; so do targets that change by step."""
    simulation = arm()
    rng = np.random.default_rng(0)
    targets = simulation.joint_positions() + rng.uniform(-0.2, 0.2, (3, 7))
    command = simulation.pd(targets, kp=200.0, kd=20.0)
    q, _, _ = simulation.rollout(simulation.q, simulation.v, command, steps=20)
    for k in range(3):
        alone = arm()
        np.testing.assert_array_equal(
            alone.run(alone.pd(targets[k], kp=200.0, kd=20.0), 0.02).q[-1], q[k, -1]
        )
    courses = simulation.joint_positions() + rng.uniform(-0.2, 0.2, (3, 20, 7))
    gains = np.broadcast_to(np.array([100.0, 200.0, 300.0])[:, None], (3, 7))
    q, _, _ = simulation.rollout(simulation.q, simulation.v, simulation.pd(courses, kp=gains, kd=10.0))
    assert q.shape == (3, 20, 7)
    for wrong in (np.zeros(6), np.zeros((2, 6)), np.full(7, np.nan), 0.0):
        with pytest.raises(InvalidInput, match="position must be 7 finite numbers, or rows"):
            simulation.pd(wrong, kp=1.0, kd=1.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="kp is"):
        simulation.pd(np.zeros(7), kp=np.ones(3), kd=1.0)


def test_state_by_its_plain_names() -> None:
    simulation = arm()
    simulation.run(simulation.zero_command, 0.01)
    np.testing.assert_array_equal(simulation.q, simulation.state.q)
    np.testing.assert_array_equal(simulation.v, simulation.state.v)
    assert simulation.time == simulation.state.time
    simulation.q[0] = 99.0  # a copy
    assert simulation.state.q[0] != 99.0


def test_scenes_by_name() -> None:
    robot = footfall.load("point-foot-quadruped")
    assert Simulation(robot, "flat").scene.name == Simulation(robot, footfall.load_scene("flat")).scene.name
    with pytest.raises(UnknownName, match="no shipped scene 'flatt'"):
        Simulation(robot, "flatt")


def test_an_arm_holds_still() -> None:
    """Gravity is carried by efforts, not by the sag of springs."""
    simulation = arm()
    start = simulation.q
    simulation.run(simulation.hold(), 1.0)
    np.testing.assert_allclose(simulation.q, start, atol=1e-9)
    soft = arm()
    soft.run(soft.hold(kp=1.0, kd=0.5), 1.0)
    np.testing.assert_allclose(soft.q, start, atol=1e-9)
    limp = arm()
    limp.run(limp.zero_command, 0.3)
    assert np.abs(limp.q - start).max() > 0.1


@pytest.mark.parametrize("name", ["lola", "quadruped", "point-foot-quadruped"])
def test_robots_stand_where_they_are(name: str) -> None:
    """Two seconds on the ground: the base settles by less than 5 cm and does not tilt."""
    robot = footfall.load(name)
    simulation = Simulation(robot, "flat", dt=1e-3, substeps=5)
    start = simulation.q
    simulation.run(simulation.hold(), 2.0)
    assert abs(simulation.q[2] - start[2]) < 0.05
    assert upright(simulation.q, start) > np.cos(0.1)
    assert np.abs(simulation.v).max() < 0.05


def upright(q: Array, start: Array) -> float:
    """Cosine of the angle between a base's vertical axis and where it was."""
    now, then = (footfall.math.matrix_from_quaternion(each[3:7])[:, 2] for each in (q, start))
    return float(now @ then)
