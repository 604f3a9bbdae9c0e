"""The small models against the worked examples of RSL 2022 and the closed forms of Devaramani 2019."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.dynamics.configuration import integrate
from footfall.dynamics.inverse_dynamics import bias_forces, gravity_forces, inverse_dynamics
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot.drives.camera_vergence import CameraVergence
from footfall.robot.load import load
from footfall.robot.model import JointType, Robot

G = 9.81


def mass(robot: Robot, q: Any) -> Any:
    return np.asarray(mass_matrix.textbook(robot, np.asarray(q, dtype=float)))


def jacobian(robot: Robot, q: Any, frame: str) -> Any:
    return np.asarray(frame_jacobian.textbook(robot, np.asarray(q, dtype=float), frame))


def tip(robot: Robot, q: Any, frame: str = "tip") -> Any:
    return frame_pose.textbook(robot, np.asarray(q, dtype=float), frame)


class TestPlanarArm:
    robot = load("planar-arm")

    def test_example_2_8_5(self) -> None:
        place = tip(self.robot, self.robot.configuration("case_a"))
        np.testing.assert_allclose(place.translation, [2.0, 0.0, 0.0], atol=1e-12)
        assert np.arctan2(place.rotation[0, 2], place.rotation[2, 2]) == pytest.approx(5 * np.pi / 6)

    def test_case_a(self) -> None:
        q, v = self.robot.configuration("case_a"), np.array([0.1, -0.2, 0.3])
        expected = [[11 / 2, 8 / 3, 1 / 3], [8 / 3, 13 / 6, 7 / 12], [1 / 3, 7 / 12, 1 / 3]]
        np.testing.assert_allclose(mass(self.robot, q), expected, atol=1e-12)
        gravity = gravity_forces.textbook(self.robot, q)
        np.testing.assert_allclose(gravity, [-29.43, -17.1675, -2.4525], atol=1e-8)
        coriolis = bias_forces.textbook(self.robot, q, v) - gravity
        np.testing.assert_allclose(coriolis, [-0.02598076, 0.00433013, 0.00866025], atol=1e-8)
        torques = inverse_dynamics.textbook(self.robot, q, v, np.array([1.0, 2.0, 3.0]))
        np.testing.assert_allclose(torques, [-17.62264743, -8.41316987, 0.05616025], atol=1e-8)
        bias = frame_jacobian_bias.textbook(self.robot, q, v, "tip")
        np.testing.assert_allclose([bias[0], bias[2]], [-0.035, 0.02598076], atol=1e-8)
        assert v @ mass(self.robot, q) @ v / 2 == pytest.approx(0.0075, abs=1e-12)

    def test_case_b(self) -> None:
        q = self.robot.configuration("case_b")
        expected = [
            [8.17092404, 4.21265919, 1.27153207],
            [4.21265919, 2.58772766, 0.79386383],
            [1.27153207, 0.79386383, 0.33333333],
        ]
        np.testing.assert_allclose(mass(self.robot, q), expected, atol=1e-8)
        planar = jacobian(self.robot, q, "tip")[[0, 2]]
        expected = [[2.32097441, 1.36563792, 0.82533561], [-1.70163366, -1.40611346, -0.56464247]]
        np.testing.assert_allclose(planar, expected, atol=1e-8)


class TestWrist:
    robot = load("wrist")

    def test_rotation_is_the_product_of_three_turns(self) -> None:
        for z, y, x in (self.robot.configuration("start"), self.robot.configuration("goal")):
            cz, sz, cy, sy, cx, sx = np.cos(z), np.sin(z), np.cos(y), np.sin(y), np.cos(x), np.sin(x)
            turn = np.array(
                [
                    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
                    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                    [-sy, cy * sx, cy * cx],
                ]
            )
            np.testing.assert_allclose(tip(self.robot, [z, y, x]).rotation, turn, atol=1e-14)
            rates = [[0, -sz, cy * cz], [0, cz, cy * sz], [1, 0, -sy]]  # RSL 2022, example 2.9.7
            np.testing.assert_allclose(jacobian(self.robot, [z, y, x], "tip")[3:], rates, atol=1e-14)


class TestCartPendulum:
    robot = load("cart-pendulum")

    @pytest.mark.parametrize("angle", [0.0, 0.6, -2.0])
    def test_equations_of_motion(self, angle: float) -> None:
        # RSL 2022, chapter 3
        cart, bob = self.robot.body("cart").mass, self.robot.body("pendulum")
        m, length, inertia = bob.mass, -bob.center_of_mass[2], bob.inertia[1, 1]
        c, s = np.cos(angle), np.sin(angle)
        expected = [[cart + m, m * length * c], [m * length * c, m * length**2 + inertia]]
        q, v = np.array([0.3, angle]), np.array([0.7, -1.1])
        np.testing.assert_allclose(mass(self.robot, q), expected, atol=1e-14)
        bias = bias_forces.textbook(self.robot, q, v)
        np.testing.assert_allclose(bias, [-m * length * s * v[1] ** 2, m * G * length * s], atol=1e-14)

    def test_positive_angles_swing_towards_x(self) -> None:
        assert tip(self.robot, [0.0, 0.1]).translation[0] > 0.0


def test_double_pendulum_equations_of_motion() -> None:
    robot = load("double-pendulum")
    q, v = np.array([0.4, -0.9]), np.array([0.8, 0.5])
    c, s = np.cos(q[1]), np.sin(q[1])
    # two rods of mass and length 1: moments 1/3 about their ends
    cross = 1 / 3 + c / 2
    np.testing.assert_allclose(mass(robot, q), [[5 / 3 + c, cross], [cross, 1 / 3]], atol=1e-14)
    gravity = G * np.array([1.5 * np.sin(q[0]) + 0.5 * np.sin(q.sum()), 0.5 * np.sin(q.sum())])
    coriolis = 0.5 * s * np.array([-(2 * v[0] + v[1]) * v[1], v[0] ** 2])
    np.testing.assert_allclose(bias_forces.textbook(robot, q, v), gravity + coriolis, atol=1e-13)


def test_scara_has_four_operational_coordinates() -> None:
    robot = load("scara")
    random = np.random.default_rng(0)
    ranks = [
        np.linalg.matrix_rank(jacobian(robot, random.uniform(-1, 1, 4), "tip"), tol=1e-9) for _ in range(5)
    ]
    assert max(ranks) == 4
    directions = jacobian(robot, [0.3, 0.7, 0.0, 0.2], "tip")
    np.testing.assert_allclose(directions[3:5], 0.0, atol=1e-15)  # never tilts


@pytest.mark.parametrize(("name", "joints"), [("arm-6r", 6), ("arm-7r", 7)])
def test_arms_have_a_spherical_wrist(name: str, joints: int) -> None:
    robot = load(name)
    assert robot.nv == joints
    q = robot.configuration("ready")
    frames = [tip(robot, q, joint.child) for joint in robot.joints]
    # all three last axes pass through the origin of the last joint
    center = frames[-1].translation
    for frame, joint in zip(frames[-3:], robot.joints[-3:], strict=True):
        axis = frame.rotation @ np.array(joint.axis)
        np.testing.assert_allclose(np.cross(axis, center - frame.translation), 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(jacobian(robot, q, "tip"), tol=1e-6) == 6


def test_elbow_of_the_7r_arm_swings_while_the_tool_stands_still() -> None:
    robot = load("arm-7r")
    q = robot.configuration("ready")
    *_, still = np.linalg.svd(jacobian(robot, q, "tip"))[2]
    assert np.linalg.norm(jacobian(robot, q, "elbow")[:3] @ still) > 1e-2
    np.testing.assert_allclose(jacobian(robot, q, "tip") @ still, 0.0, atol=1e-12)


def test_falling_rod_hits_with_a_quarter_of_its_mass() -> None:
    # RSL 2022, (3.71)-(3.72): one end of the flat rod stops
    robot = load("falling-rod")
    q = robot.configuration("horizontal")
    normal = jacobian(robot, q, "front")[2]
    response = np.linalg.solve(mass(robot, q), normal)
    effective = 1.0 / (normal @ response)
    assert effective == pytest.approx(1 / 4, rel=1e-12)
    before = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    after = before - response * effective * (normal @ before)
    assert after[2] == pytest.approx(-0.75)
    assert abs(after[4]) == pytest.approx(1.5)
    assert after @ mass(robot, q) @ after / 2 == pytest.approx(0.375)


@pytest.mark.parametrize("name", ["differential-base", "mecanum-base"])
def test_wheels_touch_the_ground_where_their_frames_are(name: str) -> None:
    robot = load(name)
    q = robot.configuration("rest")
    for wheel in robot.groups["wheels"]:
        assert robot.joint(wheel).type is JointType.CONTINUOUS
        ground = tip(robot, q, wheel.removesuffix("_wheel") + "_ground").translation
        (shape,) = robot.body(wheel).collisions
        center = tip(robot, q, wheel).translation
        assert ground[2] == pytest.approx(0.0, abs=1e-15)
        np.testing.assert_allclose(center - ground, [0.0, 0.0, shape.shape.radius], atol=1e-15)


def test_differential_base_reduces_to_the_unicycle() -> None:
    # Devaramani 2019, chapter 4: rolling wheels leave forward speed and yaw rate; M = 23.4 kg, I = 1.0677 kg m2
    robot = load("differential-base")
    radius, half_track = 0.1, 0.25
    forward = np.array([1, 0, 0, 0, 0, 0, 1 / radius, 1 / radius])
    turning = np.array([0, 0, 0, 0, 0, 1, -half_track / radius, half_track / radius])
    m = mass(robot, robot.configuration("rest"))
    assert forward @ m @ forward == pytest.approx(23.4, abs=1e-9)
    assert turning @ m @ turning == pytest.approx(1.0677, abs=1e-9)
    assert robot.mass * G == pytest.approx(215.8, abs=0.05)


def test_mecanum_rollers_give_the_usual_wheel_speeds() -> None:
    robot = load("mecanum-base")
    q = robot.configuration("rest")
    vx, vy, turn, radius, reach = 0.4, -0.3, 0.7, 0.1, 0.2 + 0.25
    base = np.zeros(robot.nv)
    base[[0, 1, 5]] = vx, vy, turn
    expected = {
        "front_left": vx - vy - reach * turn,
        "front_right": vx + vy + reach * turn,
        "rear_left": vx + vy - reach * turn,
        "rear_right": vx - vy + reach * turn,
    }
    for wheel, speed in expected.items():
        along_roller = tip(robot, q, f"{wheel}_ground").rotation[:, 0]
        carried = along_roller @ jacobian(robot, q, f"{wheel}_ground")[:3] @ base
        backwards = along_roller @ [radius, 0.0, 0.0]  # of the contact point, per unit of wheel speed
        assert carried / backwards == pytest.approx(speed / radius, rel=1e-12)


class TestCameraVergence:
    """The loop against the closed form of the same mechanism, Schwienbacher 2014, (3.38)-(3.45)."""

    robot = load("camera-vergence")
    formula = CameraVergence(
        0.02, 0.05, -0.015, np.array([0.03, 0.0, 0.03]), np.array([0.005, 0.0, -0.008]), 1.0, reference=0.1
    )

    def test_lever_and_cameras(self) -> None:
        assert (self.robot.nq, self.robot.nv) == (3, 1)
        q, step = self.robot.configuration("assembly"), np.array([2e-3])
        for _ in range(150):
            q = integrate(self.robot, q, step)
            lever, left, right = q
            assert right == pytest.approx(left, abs=1e-12)  # the mechanism is symmetric
            assert self.formula.lever_angle(np.array([left])) == pytest.approx(lever, abs=1e-10)  # (3.41)
        assert left > 0.25

    def test_rates_and_torques(self) -> None:
        q = self.robot.configuration("assembly")
        slope = self.formula.motor_jacobian(q[1:2]).item()  # (3.44), 2.38233
        camera = jacobian(self.robot, q, "left_camera")[4, 0]
        assert camera == pytest.approx(1.0 / slope, rel=1e-10)
        # Virtual work: the weight of the cameras is felt at the lever through the couplers.
        held = gravity_forces.textbook(self.robot, q)[0]
        lever, cameras = self.robot.body("lever"), self.robot.body("left_camera")
        own = -lever.mass * G * lever.center_of_mass[2] * np.sin(q[0])
        theirs = -2 * cameras.mass * G * cameras.center_of_mass[2] * np.sin(q[1]) / slope
        assert held == pytest.approx(own + theirs, rel=1e-9)
