"""Wheels of all kinds while their base turns: rates of slip, ten seconds of free rolling, and MuJoCo.

The direction t that a wheel holds turns with the base. Where the touching point slides along the other direction,
as with Mecanum and omni wheels, d/dt (t . v) = t' . v + t . v' has two parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.dynamics.configuration import integrate
from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_actuation import constraint_jacobian
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_wheels import Wheel, rolling_constraints, rolling_rows
from footfall.dynamics.kinematics import frame_acceleration
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.model import Body, Joint, JointType, Robot

LEVEL = Constraint("base", ("z", "rx", "ry"), "frame", name="level base")
MECANUM = tuple(
    Wheel(f"{place}_wheel", 0.1, "mecanum", sign * np.pi / 4)
    for place, sign in (("front_left", -1), ("front_right", 1), ("rear_left", 1), ("rear_right", -1))
)


def turned(angle: float) -> Array:
    """About z."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def omni_base() -> tuple[Robot, tuple[Wheel, ...]]:
    """Three omni wheels around a base whose centre of mass is off its middle."""
    base = Body("base", 12.0, np.array([0.03, -0.02, 0.08]), np.diag([0.2, 0.3, 0.4]))
    joints = [Joint("root", JointType.FLOATING, "world", "base")]
    bodies, wheels = [base], []
    for k in range(3):
        place = Transform(turned(2 * np.pi * k / 3), turned(2 * np.pi * k / 3) @ [0.22, 0.0, 0.0])
        bodies.append(Body(f"wheel{k}", 0.8, np.zeros(3), np.diag([3e-3, 2e-3, 2e-3])))
        joints.append(Joint(f"axle{k}", JointType.CONTINUOUS, "base", f"wheel{k}", place, (1.0, 0.0, 0.0)))
        wheels.append(Wheel(f"wheel{k}", 0.07, "omni"))
    return Robot("kiwi", tuple(bodies), tuple(joints)), tuple(wheels)


def steered_base() -> tuple[Robot, tuple[Wheel, ...]]:
    """A differential base with a caster that trails its steering joint."""
    robot = load("differential-base")
    fork = Body("fork", 0.3, np.zeros(3), 1e-3 * np.eye(3))
    wheel = Body("caster", 0.5, np.zeros(3), np.diag([4e-4, 6e-4, 4e-4]))
    pivot = Transform(np.eye(3), np.array([-0.25, 0.0, 0.0]))
    axle = Transform(np.eye(3), np.array([-0.05, 0.0, -0.05]))
    joints = (
        Joint("fork", JointType.CONTINUOUS, "base", "fork", pivot),
        Joint("caster", JointType.CONTINUOUS, "fork", "caster", axle, (0.0, 1.0, 0.0)),
    )
    made = Robot("steered", (*robot.bodies, fork, wheel), (*robot.joints, *joints))
    return made, (Wheel("left_wheel", 0.1), Wheel("right_wheel", 0.1), Wheel("caster", 0.05))


BASES: dict[str, Callable[[], tuple[Robot, tuple[Wheel, ...]]]] = {
    "standard": lambda: (
        load("differential-base"),
        (Wheel("left_wheel", 0.1), Wheel("right_wheel", 0.1)),
    ),
    "caster": steered_base,
    "mecanum": lambda: (load("mecanum-base"), MECANUM),
    "omni": omni_base,
}


def arguments(
    robot: Robot, q: Array, v: Array, wheels: Sequence[Wheel], stiffness: float
) -> tuple[tuple[Constraint, ...], Array, Array]:
    rows = rolling_rows(robot, q, v, wheels, stiffness=stiffness)
    directions = np.hstack([np.zeros((6, 3)), rows.directions])
    return (LEVEL, *rolling_constraints(wheels)), directions, np.append(np.zeros(3), rows.setpoints)


def rolling_state(
    robot: Robot, wheels: Sequence[Wheel], velocity: Array, start: Array
) -> tuple[Array, Array]:
    """The admissible velocity nearest to one of the base (x, y, yaw), with wheels at rest otherwise."""
    q = start.copy()
    wanted = np.zeros(robot.nv)
    wanted[[0, 1, 5]] = velocity
    constraints, directions, _ = arguments(robot, q, wanted, wheels, 0.0)
    jacobian = constraint_jacobian.textbook(robot, q, constraints=constraints, directions=directions)
    # only wheels and steering give way, as long as they can
    joints = np.linalg.pinv(jacobian[:, 6:]) @ (jacobian @ wanted)
    wanted[6:] -= joints
    return q, wanted - np.linalg.pinv(jacobian) @ (jacobian @ wanted)


def start_of(robot: Robot, yaw: float, seed: int) -> Array:
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, robot.nq)
    q[2:7] = 0.1, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
    return q


@pytest.mark.parametrize("kind", BASES)
def test_rates_of_slip(kind: str) -> None:
    """d slip / dt = D^T a - (set-point without stiffness), for any velocity and acceleration and a tilted base.

    Central differences over +-h on a path with second-order terms err by h^2 / 6 times the third derivative of a
    velocity, below 1e3 here: 2e-8 with h = 1e-5.
    """
    robot, wheels = BASES[kind]()
    rng = np.random.default_rng(3)
    for seed in range(5):
        q = start_of(robot, rng.uniform(-3.0, 3.0), seed)
        q[3:7] += rng.uniform(-0.1, 0.1, 4)
        q[3:7] /= np.linalg.norm(q[3:7])
        v, a = rng.uniform(-1.0, 1.0, (2, robot.nv))
        rows = rolling_rows(robot, q, v, wheels, stiffness=0.0)
        h = 1e-5
        slips = [
            rolling_rows(robot, integrate(robot, q, t * v + t * t / 2 * a), v + t * a, wheels).slips
            for t in (-h, h)
        ]
        bodies = [wheel.body for wheel in wheels for _ in wheel.angles]
        points = [frame_acceleration(robot, q, v, a, body) for body in bodies]
        predicted = np.einsum("ik,ki->k", rows.directions, points) - rows.setpoints
        np.testing.assert_allclose((slips[1] - slips[0]) / (2 * h), predicted, atol=1e-7)


def test_wheel_accelerations_of_straight_motion_while_turning() -> None:
    """The base moves straight at (0.3, 0.5) m/s and yaws at 1 rad/s: in its axes its velocity turns backwards.

    Mecanum wheels turn by (x' -+ y' -+ 0.45 yaw') / 0.1 m, so their rates change by (0.5 -+ -0.3) / 0.1.
    """
    robot, wheels = BASES["mecanum"]()
    q, v = rolling_state(robot, wheels, np.array([0.3, 0.5, 1.0]), start_of(robot, 0.0, 0))
    np.testing.assert_allclose(v[[0, 1, 5]], [0.3, 0.5, 1.0], atol=1e-12)
    rows = rolling_rows(robot, q, v, wheels)
    rate = np.zeros(robot.nv)
    rate[[robot.v_slice(wheel.body).start for wheel in wheels]] = 8.0, 2.0, 2.0, 8.0
    centres = [frame_acceleration(robot, q, v, rate, wheel.body) for wheel in wheels]
    np.testing.assert_allclose(np.einsum("ik,ki->k", rows.directions, centres), rows.setpoints, atol=1e-12)


def rates(robot: Robot, q: Array, v: Array, tau: Array, wheels: Sequence[Wheel]) -> Array:
    constraints, directions, setpoints = arguments(robot, q, v, wheels, 0.0)
    return hybrid_dynamics(
        robot, q, v, tau, constraints=constraints, directions=directions, setpoints=setpoints
    ).accelerations


@pytest.mark.parametrize("kind", BASES)
def test_ten_seconds_without_slip(kind: str) -> None:
    """Rolling and turning without any stabilisation, Runge-Kutta of order 4 in steps of 4 ms.

    Mecanum and omni wheels roll freely; a differential base would soon roll straight ahead, so its motors turn it.

    The base turns about z only, so that steps of q add up. The local error is at most (w h)^5 / 120 of a velocity of
    0.6 m/s with w = 4 rad/s, 1e-15, and 4e-12 in all steps. The caster starts behind its pivot, since it swings back
    with 10 rad/s.
    """
    robot, wheels = BASES[kind]()
    q, v = rolling_state(robot, wheels, np.array([0.3, 0.5, 1.0]), start_of(robot, 0.4, 1))
    if kind == "caster":
        q[robot.q_slice("fork")] = 0.0
        q, v = rolling_state(robot, wheels, np.array([0.3, 0.5, 1.0]), q)
    tau, h, worst = np.zeros(robot.nv), 4e-3, 0.0
    if wheels[0].kind == "standard":
        tau[6:8] = -0.1, 0.1  # N m
    for _ in range(2500):
        a1 = rates(robot, q, v, tau, wheels)
        v2 = v + h / 2 * a1
        a2 = rates(robot, integrate(robot, q, h / 2 * v), v2, tau, wheels)
        v3 = v + h / 2 * a2
        a3 = rates(robot, integrate(robot, q, h / 2 * v2), v3, tau, wheels)
        v4 = v + h * a3
        a4 = rates(robot, integrate(robot, q, h * v3), v4, tau, wheels)
        q = integrate(robot, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4))
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        worst = max(worst, float(np.abs(rolling_rows(robot, q, v, wheels).slips).max()))
    assert abs(v[5]) > 0.3  # still turning
    assert worst < 1e-10


@pytest.mark.parametrize("kind", BASES)
def test_against_mujoco(kind: str) -> None:
    """Accelerations under torques from MuJoCo's mass matrix, bias forces and Jacobians, with no row of ours.

    G v = 0 holds the base level and the touching points along the rollers' axes; M a + h = tau + G^T f and
    G a = -G' v, where G' is a central difference along v (2e-9 relative at h = 1e-6).
    """
    mujoco = pytest.importorskip("mujoco")
    from tests.peers.mujoco import MujocoPeer

    robot, wheels = BASES[kind]()
    peer = MujocoPeer(robot)
    rng = np.random.default_rng(7)

    def rows(q: Array) -> Array:
        peer._at(q)
        base = peer._jacobian(mujoco.mj_jac, "base")[[2, 3, 4]]
        found = [*base]
        for wheel in wheels:
            centre, axle = peer._pose(wheel.body).translation, peer._pose(wheel.body).rotation
            joint = next(joint for joint in robot.joints if joint.child == wheel.body)
            linear, angular = np.zeros((3, robot.nv)), np.zeros((3, robot.nv))
            _, _, body = peer._object(wheel.body)
            mujoco.mj_jac(peer.model, peer.data, linear, angular, centre - [0.0, 0.0, wheel.radius], body)
            forward = np.cross(axle @ joint.axis, [0.0, 0.0, 1.0])
            heading = np.arctan2(forward[1], forward[0])
            for angle in wheel.angles:
                t = np.array([np.cos(heading + angle), np.sin(heading + angle), 0.0])
                found.append(peer.vector(linear.T @ t))
        return np.array(found)

    for seed in range(4):
        q, v = rolling_state(
            robot, wheels, rng.uniform(-1.0, 1.0, 3), start_of(robot, rng.uniform(-3.0, 3.0), seed)
        )
        tau = np.zeros(robot.nv)
        tau[6:] = rng.uniform(-1.0, 1.0, robot.nv - 6)
        h, count = 1e-6, robot.nv
        g = rows(q)
        bias = (rows(integrate(robot, q, h * v)) - rows(integrate(robot, q, -h * v))) @ v / (2 * h)
        mass, forces = peer.mass_matrix(q), tau - peer.inverse_dynamics(q, v, np.zeros(count))
        system = np.block([[mass, g.T], [g, np.zeros((len(g), len(g)))]])
        theirs = np.linalg.lstsq(system, np.append(forces, -bias), rcond=1e-12)[0][:count]
        np.testing.assert_allclose(rates(robot, q, v, tau, wheels), theirs, atol=1e-6)
        assert np.abs(bias).max() > 0.01 or kind == "standard"  # what is compared is there
