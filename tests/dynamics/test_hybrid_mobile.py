"""Wheeled bases as constrained floating bases: the differential drive's closed form and Mecanum kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.dynamics.configuration import integrate
from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_actuation import constraint_jacobian, motor_torques
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_singular import resolve_constraints
from footfall.dynamics.hybrid_wheels import Wheel, rolling_constraints, rolling_rows
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Body, Joint, JointType, Robot

LEVEL = Constraint("base", ("z", "rx", "ry"), "frame", name="level base")
TWO_WHEELS = (Wheel("left_wheel", 0.1), Wheel("right_wheel", 0.1))
FOUR_WHEELS = tuple(
    Wheel(f"{place}_wheel", 0.1, "mecanum", sign * np.pi / 4)
    for place, sign in (("front_left", -1), ("front_right", 1), ("rear_left", 1), ("rear_right", -1))
)
RADIUS, TRACK = 0.1, 0.25
MASS, INERTIA, BASE_MOMENT = 23.4, 1.0677, 20.0 * 0.05  # Devaramani 2019, chapter 4


def rolling(speed: float, turn: float) -> tuple[Robot, Array, Array]:
    """The differential base, driving without slip."""
    robot = load("differential-base")
    wheels = (speed + np.array([-1.0, 1.0]) * TRACK * turn) / RADIUS
    return robot, robot.configuration("rest"), np.array([speed, 0.0, 0.0, 0.0, 0.0, turn, *wheels])


def arguments(
    robot: Robot, q: Array, v: Array, wheels: tuple[Wheel, ...]
) -> tuple[tuple[Constraint, ...], Array, Array]:
    rows = rolling_rows(robot, q, v, wheels)
    directions = np.hstack([np.zeros((6, 3)), rows.directions])
    return (LEVEL, *rolling_constraints(wheels)), directions, np.append(np.zeros(3), rows.setpoints)


@pytest.mark.parametrize("state", [(0.0, 0.0), (0.6, 0.8), (1.2, -2.0)])
def test_closed_form_of_the_differential_drive(state: tuple[float, float]) -> None:
    speed, turn = state
    robot, q, v = rolling(speed, turn)
    left, right = 0.6, 0.9
    constraints, directions, setpoints = arguments(robot, q, v, TWO_WHEELS)
    tau = np.array([0.0] * 6 + [left, right])
    motion = hybrid_dynamics.textbook(
        robot, q, v, tau, constraints=constraints, directions=directions, setpoints=setpoints
    )
    forward = ((left + right) / RADIUS + BASE_MOMENT * turn**2) / MASS
    yaw = ((right - left) * TRACK / RADIUS - BASE_MOMENT * speed * turn) / INERTIA
    assert motion.accelerations[0] == pytest.approx(forward, abs=1e-12)
    assert motion.accelerations[5] == pytest.approx(yaw, abs=1e-12)
    assert motion.accelerations[1] == pytest.approx(speed * turn, abs=1e-12)
    assert motion.kept.sum() == 6.0  # both wheels hold the same way sideways
    np.testing.assert_allclose(motion.residuals, 0.0, atol=1e-12)
    assert motion.forces[0] == pytest.approx(22.0 * 9.81)  # the ground carries the weight


def test_two_seconds_of_driving() -> None:
    """The numbers of Devaramani 2019, chapter 4, semi-implicit in steps of 1 ms."""
    robot, q, v = rolling(0.0, 0.0)
    tau = np.array([0.0] * 6 + [0.6, 0.9])
    for _ in range(2000):
        constraints, directions, setpoints = arguments(robot, q, v, TWO_WHEELS)
        motion = hybrid_dynamics(
            robot, q, v, tau, constraints=constraints, directions=directions, setpoints=setpoints
        )
        v = v + 1e-3 * motion.accelerations
        q = integrate(robot, q, 1e-3 * v)
    assert np.linalg.norm(v[:2]) == pytest.approx(1.30644, abs=1e-3)
    assert v[5] == pytest.approx(0.66906, abs=1e-3)
    assert np.abs(rolling_rows(robot, q, v, TWO_WHEELS).slips).max() < 1e-3


def test_redundant_wheels_share_the_side_force() -> None:
    robot, q, v = rolling(1.0, 0.5)
    constraints, directions, setpoints = arguments(robot, q, v, TWO_WHEELS)
    options: dict[str, Any] = {"constraints": constraints, "directions": directions, "setpoints": setpoints}
    shared = resolve_constraints(robot, q, v, np.zeros(8), **options)
    by_order = hybrid_dynamics.textbook(robot, q, v, np.zeros(8), **options)
    assert shared.rank == 6
    assert shared.redundant == ("left_wheel on the ground[1]", "right_wheel on the ground[1]")
    assert shared.conflicts == {}
    assert shared.motion.forces[4] == pytest.approx(shared.motion.forces[6])
    assert by_order.forces[6] == 0.0
    assert by_order.forces[4] == pytest.approx(2 * shared.motion.forces[4])
    np.testing.assert_allclose(shared.motion.accelerations, by_order.accelerations, atol=1e-10)


def test_from_base_force_to_wheel_torques() -> None:
    """Devaramani 2019, chapter 4: a task of the base, made by the wheels."""
    robot, q, v = rolling(0.6, 0.8)
    physical, directions, setpoints = arguments(robot, q, v, TWO_WHEELS)
    task = Constraint("base", ("x", "rz"), "frame", name="drive")
    both = hybrid_dynamics.textbook(
        robot,
        q,
        v,
        np.zeros(8),
        constraints=(*physical, task),
        directions=np.hstack([directions, np.zeros((6, 2))]),
        setpoints=np.append(setpoints, [0.5, -0.4]),
    )
    wanted = constraint_jacobian.textbook(robot, q, constraints=[task]).T @ both.forces[-2:]
    contacts = constraint_jacobian.textbook(robot, q, constraints=physical, directions=directions)
    torques, residual = motor_torques(wanted, contacts, (6, 7))
    np.testing.assert_allclose(torques[6:], [0.542416, 0.563584], atol=1e-6)
    np.testing.assert_allclose(residual, 0.0, atol=1e-10)
    driven = hybrid_dynamics.textbook(
        robot, q, v, torques, constraints=physical, directions=directions, setpoints=setpoints
    )
    np.testing.assert_allclose(driven.accelerations, both.accelerations, atol=1e-10)
    assert driven.accelerations[0] == pytest.approx(0.5)
    assert driven.accelerations[5] == pytest.approx(-0.4)
    sideways = constraint_jacobian.textbook(robot, q, constraints=[Constraint("base", ("y", "z"))])
    assert np.abs(motor_torques(sideways[0], contacts, (6, 7)).residual).max() < 1e-10  # the ground takes it
    upwards = np.eye(8)[6]
    assert np.abs(motor_torques(upwards, contacts, (7,)).residual).max() > 0.1  # no motor for it


def test_mecanum_wheels_move_sideways() -> None:
    robot = load("mecanum-base")
    q = (
        robot.configuration("rest")
        if "rest" in robot.configurations
        else np.array([0, 0, 0.1, 1.0, *[0.0] * 7])
    )
    v = np.zeros(robot.nv)
    constraints, directions, setpoints = arguments(robot, q, v, FOUR_WHEELS)
    jacobian = constraint_jacobian.textbook(robot, q, constraints=constraints, directions=directions)
    pattern = np.array([-1.0, 1.0, 1.0, -1.0])
    wheels = [robot.v_slice(wheel.body).start for wheel in FOUR_WHEELS]
    for axis, turns in ((0, np.ones(4)), (1, pattern), (5, np.array([-1.0, 1.0, -1.0, 1.0]) * 0.45)):
        rates = np.zeros(robot.nv)
        rates[axis] = 1.0
        rates[wheels] = turns / 0.1
        np.testing.assert_allclose(jacobian @ rates, 0.0, atol=1e-12)
    tau = np.zeros(robot.nv)
    tau[wheels] = pattern
    motion = hybrid_dynamics.textbook(
        robot, q, v, tau, constraints=constraints, directions=directions, setpoints=setpoints
    )
    assert motion.accelerations[1] > 0.5
    assert abs(motion.accelerations[0]) < 1e-12
    assert abs(motion.accelerations[5]) < 1e-10


def test_wheels_hold_what_their_kind_says() -> None:
    robot, q, v = rolling(0.0, 0.0)
    assert rolling_constraints([Wheel("left_wheel", 0.1, "spherical")]) == ()
    assert rolling_rows(robot, q, v, [Wheel("left_wheel", 0.1, "spherical")]).setpoints.shape == (0,)
    omni = rolling_rows(robot, q, v, [Wheel("left_wheel", 0.1, "omni")])
    np.testing.assert_allclose(omni.directions[:, 0], [1.0, 0.0, 0.0, 0.0, -0.1, 0.0], atol=1e-15)
    with pytest.raises(InvalidInput, match="'left_wheel': radius"):
        Wheel("left_wheel", 0.0)
    with pytest.raises(InvalidInput, match="'square'"):
        Wheel("left_wheel", 0.1, "square")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="floating joint"):
        rolling_rows(robot, q, v, [Wheel("base", 0.1)])


def with_caster(offset: float) -> Robot:
    """The differential base with a caster behind: a steering joint, and a wheel that trails it by an offset, m."""
    robot = load("differential-base")
    fork = Body("fork", 0.3, np.zeros(3), 1e-3 * np.eye(3))
    wheel = Body("caster", 0.5, np.zeros(3), np.diag([4e-4, 6e-4, 4e-4]))
    steering = Joint(
        "fork", JointType.CONTINUOUS, "base", "fork", Transform(np.eye(3), np.array([-0.25, 0.0, 0.0]))
    )
    axle = Transform(np.eye(3), np.array([-offset, 0.0, -0.05]))
    rolling = Joint("caster", JointType.CONTINUOUS, "fork", "caster", axle, (0.0, 1.0, 0.0))
    return Robot("with caster", (*robot.bodies, fork, wheel), (*robot.joints, steering, rolling))


def test_a_caster_swings_behind() -> None:
    """Turned aside by 100 degrees at the start, it trails within a few offsets of way, and never slips.

    On a straight line its angle obeys d angle / d way = -sin(angle) / offset, so tan(angle / 2) decays.
    """
    offset, speed, start = 0.05, 0.4, np.radians(100.0)
    robot = with_caster(offset)
    wheels = (*TWO_WHEELS, Wheel("caster", 0.05))
    q = np.array([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, start, 0.0])
    v = np.zeros(robot.nv)
    v[[0, 6, 7]] = speed, speed / 0.1, speed / 0.1
    v[8], v[9] = -speed * np.sin(start) / offset, speed * np.cos(start) / 0.05
    constraints, directions, setpoints = arguments(robot, q, v, wheels)
    np.testing.assert_allclose(setpoints, 0.0, atol=1e-12)  # no slip at the start
    step, way, worst = 5e-4, 0.0, 0.0
    for _ in range(800):
        constraints, directions, setpoints = arguments(robot, q, v, wheels)
        hold = {"prescribed": ("left_wheel", "right_wheel"), "a": np.zeros(robot.nv)}
        motion = hybrid_dynamics(
            robot,
            q,
            v,
            np.zeros(robot.nv),
            constraints=constraints,
            directions=directions,
            setpoints=setpoints,
            **hold,
        )
        v = v + step * motion.accelerations
        q = integrate(robot, q, step * v)
        way += step * v[0]
        closed = 2 * np.arctan(np.tan(start / 2) * np.exp(-way / offset))
        worst = max(worst, abs(q[9] - closed))
    assert way == pytest.approx(0.16, rel=1e-2)
    assert worst < 0.02
    assert abs(q[9]) < 0.15
    assert np.abs(rolling_rows(robot, q, v, wheels).slips).max() < 1e-3


def test_a_steered_wheel_leads_around_its_pole() -> None:
    """A bicycle: the base turns with speed tan(steer) / wheelbase."""
    robot = with_caster(0.0)
    steer, speed = 0.4, 0.5
    q = np.array([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -steer, 0.0])
    wheels = (*TWO_WHEELS, Wheel("caster", 0.05))
    jacobian = constraint_jacobian.textbook(
        robot,
        q,
        constraints=rolling_constraints(wheels),
        directions=rolling_rows(robot, q, np.zeros(10), wheels).directions,
    )
    fixed = np.zeros((5, 10))
    fixed[range(5), [2, 3, 4, 8, 0]] = 1.0  # level, steering held, forward speed given
    rates = np.linalg.lstsq(
        np.vstack([jacobian, fixed]), np.append(np.zeros(len(jacobian) + 4), speed), rcond=None
    )[0]
    assert rates[5] == pytest.approx(speed * np.tan(steer) / 0.25, rel=1e-9)
    np.testing.assert_allclose(jacobian @ rates, 0.0, atol=1e-12)
