"""LOLA against the numbers and identities of Seiwald 2023, sections 3.4, 4.5.2 and H.1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footfall.dynamics.center_of_mass import center_of_mass
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import NoSolution, RobotError
from footfall.math.transform import Transform
from footfall.robot.library import lola
from footfall.robot.library.lola_idle import SOLE_FRONT, SOLE_REAR, idle_configuration, idle_error
from footfall.robot.load import load
from footfall.robot.model import Box, JointType, Robot, Sphere

LOLA = load("lola")
IDLE = LOLA.configuration("idle")
RIGHT_LEG = ("hrr", "har", "hfr", "kfr", "sar", "sfr", "zfr")
LEFT_LEG = ("hrl", "hal", "hfl", "kfl", "sal", "sfl", "zfl")


def zero() -> Any:
    q = np.zeros(LOLA.nq)
    q[3] = 1.0
    return q


def pose(frame: str, q: Any, robot: Robot = LOLA) -> Transform:
    return Transform(*map(np.asarray, frame_pose.textbook(robot, q, frame)))


def center(q: Any, robot: Robot = LOLA) -> Any:
    return np.asarray(center_of_mass.textbook(robot, q))


def test_counts() -> None:
    assert (LOLA.nq, LOLA.nv) == (33, 32)
    segments = [body for body in LOLA.bodies if body.mass > 0.0]
    assert len(segments) == 27
    assert LOLA.bodies[0].name == "base"
    assert [joint.name for joint in LOLA.joints[2:5]] == ["br", "ba", "hrr"]
    assert LOLA.v_slice("br") == slice(6, 7)
    assert LOLA.v_slice("vt") == slice(31, 32)


def test_every_segment_turns_about_its_own_z_axis() -> None:
    for joint in LOLA.joints[2:]:
        assert joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS)
        assert joint.axis == (0.0, 0.0, 1.0)


def test_mass_and_its_shares() -> None:
    assert LOLA.mass == pytest.approx(67.311, abs=1e-9)
    share = {
        region: sum(LOLA.body(body).mass for body in bodies) / LOLA.mass
        for region, bodies in LOLA.regions.items()
    }
    assert share["lower"] == pytest.approx(0.624, abs=5e-4)
    assert share["upper"] == pytest.approx(0.376, abs=5e-4)


@pytest.mark.parametrize("name", [body.name for body in LOLA.bodies if body.mass > 0.0])
def test_inertias_are_positive_definite_and_obey_the_triangle_inequality(name: str) -> None:
    low, middle, high = np.linalg.eigvalsh(LOLA.body(name).inertia)
    assert low > 0.0
    assert high < low + middle


def test_torso_inertia_is_the_printed_one_about_the_origin() -> None:
    torso = LOLA.body("torso")
    r = torso.center_of_mass
    about_origin = torso.inertia + torso.mass * (r @ r * np.eye(3) - np.outer(r, r))
    printed = [[1.03, -0.2659, 0.004404], [-0.2659, 0.2729, 0.009269], [0.004404, 0.009269, 1.1]]
    np.testing.assert_allclose(about_origin, printed, atol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(torso.inertia), [0.178, 0.261, 0.286], atol=5e-4)
    # Seiwald 2023, (4.4): the same tensor in the axes of UB, which are those of `base`
    turn = LOLA.joint("torso_mount").placement.rotation
    in_base = turn @ np.array(printed) @ turn.T
    np.testing.assert_allclose(in_base, [[1.03, 0, -0.27], [0, 1.1, -0.01], [-0.27, -0.01, 0.27]], atol=6e-3)


@pytest.mark.parametrize(
    ("frame", "position"),
    [
        ("RF", (0.2526, -0.2929, -1.1589)),
        ("LF", (0.2526, 0.2929, -1.1589)),
        ("RH", (0.108, -0.2736, -0.441)),
        ("LH", (0.108, 0.2736, -0.441)),
        ("VTCP", (0.185, 0.0, 0.564)),
        ("IMU", (0.0321, -0.0017, 0.1742)),
    ],
)
def test_positions_in_the_zero_pose(frame: str, position: tuple[float, ...]) -> None:
    np.testing.assert_allclose(pose(frame, zero()).translation, position, atol=5.1e-5)


def test_center_of_mass_in_the_zero_pose() -> None:
    np.testing.assert_allclose(center(zero()), [0.097, 0.0, -0.215], atol=5e-4)


def test_upright_frames_have_the_axes_of_the_base() -> None:
    for frame in ("IMU", "UB", "VTCP", "base"):
        np.testing.assert_allclose(pose(frame, zero()).rotation, np.eye(3), atol=1e-15)
    torso = pose("torso", zero()).rotation
    np.testing.assert_array_equal(torso.T, [[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # x forward, y up, z right


@pytest.mark.parametrize(
    ("joint", "axis"),
    [
        ("br", (0, 0, 1)),
        ("vp", (0, 0, 1)),
        ("ba", (-1, 0, 0)),
        ("vt", (0, -1, 0)),
        ("har", (1, 0, 0)),
        ("hal", (-1, 0, 0)),
        ("afr", (0, 1, 0)),
        ("afl", (0, -1, 0)),
        ("efr", (0, 1, 0)),
        ("efl", (0, -1, 0)),
        ("aar", (1, 0, 0)),
        ("aal", (-1, 0, 0)),
        ("arr", (0, 0, 1)),
        ("arl", (0, 0, 1)),
    ],
)
def test_joint_axes_in_the_zero_pose(joint: str, axis: tuple[float, ...]) -> None:
    np.testing.assert_allclose(pose(joint, zero()).rotation[:, 2], axis, atol=1e-15)


def test_leg_flexion_axes_are_tilted_by_ten_degrees() -> None:
    for right, left in zip(RIGHT_LEG[2:4], LEFT_LEG[2:4], strict=True):
        c, s = np.cos(np.deg2rad(10)), np.sin(np.deg2rad(10))
        np.testing.assert_allclose(pose(right, zero()).rotation[:, 2], [0, c, -s], atol=1e-15)
        np.testing.assert_allclose(pose(left, zero()).rotation[:, 2], [0, -c, -s], atol=1e-15)
    q = zero()
    for joint in ("har", "hal"):
        q[LOLA.q_slice(joint)] = np.deg2rad(10)
    for foot in ("RF", "LF"):
        np.testing.assert_allclose(pose(foot, q).rotation, np.eye(3), atol=1e-12)


def test_kinematics_is_left_right_symmetric() -> None:
    # Flexion and rotation change sign from right to left, adduction does not (Seiwald 2023, table H.1).
    angles = {"hr": 0.2, "ha": 0.1, "hf": -0.5, "kf": 0.9, "sa": 0.1, "sf": -0.3, "zf": -0.1}
    angles |= {"af": 0.4, "aa": -0.3, "ar": 0.2, "ef": -1.2}
    q = zero()
    for joint, angle in angles.items():
        q[LOLA.q_slice(joint + "r")] = angle
        q[LOLA.q_slice(joint + "l")] = angle if joint[1] == "a" else -angle
    mirror = np.diag([1.0, -1.0, 1.0])
    for right, left in (("RF", "LF"), ("RH", "LH")):
        np.testing.assert_allclose(pose(left, q).translation, mirror @ pose(right, q).translation, atol=1e-12)
        np.testing.assert_allclose(
            pose(left, q).rotation, mirror @ pose(right, q).rotation @ mirror, atol=1e-12
        )


def test_lengths_of_the_reduced_model() -> None:
    q = zero()
    at = {
        name: pose(name, q).translation for name in ("hfr", "hfl", "kfr", "sfr", "zfr", "aar", "aal", "efr")
    }
    assert np.linalg.norm(at["hfr"] - at["kfr"]) == pytest.approx(0.440, abs=1e-12)  # l6
    assert np.linalg.norm(at["kfr"] - at["sfr"]) == pytest.approx(0.430, abs=1e-12)  # l5
    assert at["hfl"][1] - at["hfr"][1] == pytest.approx(0.246, abs=1e-12)  # l14
    assert at["aal"][1] - at["aar"][1] == pytest.approx(0.446, abs=1e-12)  # l16
    assert at["aar"][2] - at["hfr"][2] == pytest.approx(0.4823, abs=1e-12)  # l15
    assert np.linalg.norm(at["aar"] - at["efr"]) == pytest.approx(0.383, abs=1e-12)  # l17
    assert LOLA.joint("zfr").placement.translation[:2] == pytest.approx([0.1301, 0.0605])  # l3, l4


def test_contact_geometry() -> None:
    l1, l2, l3, l4, l8, l9, l10, l11, l12, l13 = (
        0.048, 0.0145, 0.1301, 0.0605, 0.1085, 0.0465, 0.085, 0.085, 0.2761, 0.22,
    )  # fmt: skip
    assert l2 + l3 + l9 + (l10 + l11) / 2 == pytest.approx(l12, abs=1e-12)
    assert l1 + l4 == pytest.approx(l8, abs=1e-12)
    for foot, toe, middle in (("RF", "zfr", "sfr"), ("LF", "zfl", "sfl")):
        corners = {body: box_corners(foot, body) for body in (toe, middle)}
        assert all(len(points) == 16 for points in corners.values())
        # extent of the toe and heel rectangles in the axes of the foot frame
        for body, low, high in ((toe, -0.0425, 0.0425), (middle, -0.2336, -0.1486)):
            np.testing.assert_allclose(corners[body].min(axis=0), [low, -l13 / 2, 0.0], atol=1e-12)
            np.testing.assert_allclose(corners[body].max(axis=0)[:2], [high, l13 / 2], atol=1e-12)
        ankle = pose(foot, zero()).inverse().apply(pose(middle, zero()).translation)
        np.testing.assert_allclose(ankle, [-0.1446, 0.0, 0.1085], atol=1e-12)
    sole = SOLE_FRONT - SOLE_REAR
    assert sole == pytest.approx(l12, abs=1e-12)
    for hand, arm in (("RH", "efr"), ("LH", "efl")):
        (ball,) = LOLA.body(arm).collisions
        assert ball.shape == Sphere(0.05)
        frame = next(frame for frame in LOLA.frames if frame.name == hand)
        np.testing.assert_array_equal(ball.placement.translation, frame.placement.translation)


def box_corners(foot: str, body: str) -> Any:
    """Corners (16, 3) of the pads of a body, in the axes of a foot frame, toe angle zero."""
    in_foot = pose(foot, zero()).inverse() @ pose(body, zero())
    points = []
    for pad in LOLA.body(body).collisions:
        assert isinstance(pad.shape, Box)
        for signs in np.ndindex(2, 2, 2):
            corner = (np.array(signs) - 0.5) * pad.shape.size
            points.append(in_foot.apply(pad.placement.apply(corner)))
    return np.array(points)


def test_outer_pads_lie_outside() -> None:
    for side, sign, bodies in (("right", -1, ("zfr", "sfr")), ("left", 1, ("zfl", "sfl"))):
        for body in bodies:
            for pad in LOLA.body(body).collisions:
                y = (pose(body, IDLE) @ pad.placement).translation[1] - sign * 0.1375
                assert pad.name.startswith(side)
                assert sign * y > 0 if "outer" in pad.name else sign * y < 0


def test_software_limits_are_the_mechanical_ones_less_five_degrees() -> None:
    margin = np.deg2rad(5)
    for joint in LOLA.joints[2:]:
        if joint.type is JointType.CONTINUOUS:
            assert joint.name not in LOLA.limit_sets["software"]
            continue
        low, high = LOLA.limit_sets["software"][joint.name]
        assert (low, high) == pytest.approx((joint.lower[0] + margin, joint.upper[0] - margin), abs=1e-12)


def test_planning_limits_are_what_both_legs_can_do() -> None:
    margin = np.deg2rad(5)
    planning = LOLA.limit_sets["leg_planning"]
    assert len(planning) == 6
    for part in ("hf", "kf", "sf"):
        right, left = LOLA.joint(part + "r"), LOLA.joint(part + "l")
        low = max(right.lower[0], -left.upper[0]) + margin
        high = min(right.upper[0], -left.lower[0]) - margin
        assert planning[part + "r"] == pytest.approx((low, high), abs=1e-12)
        assert planning[part + "l"] == pytest.approx((-high, -low), abs=1e-12)


def test_limit_sets_leave_other_joints_alone() -> None:
    lower, upper = LOLA.limits("multi_contact")
    assert np.rad2deg(lower[LOLA.q_slice("afr")]) == pytest.approx(-90)
    assert np.rad2deg(upper[LOLA.q_slice("aal")]) == pytest.approx(0)
    assert upper[LOLA.q_slice("kfr")] == pytest.approx(np.deg2rad(120))
    assert np.isinf(upper[LOLA.q_slice("arr")])


def test_arm_reference_pose() -> None:
    # hand in the torso frame and singular values of its Jacobian at (40, -15, 0, -90) degrees
    q = zero()
    for joint, angle in (("afr", 40), ("aar", -15), ("arr", 0), ("efr", -90)):
        q[LOLA.q_slice(joint)] = np.deg2rad(angle)
    hand = pose("torso", q).inverse().apply(pose("RH", q).translation)
    np.testing.assert_allclose(hand, [0.1429, -0.2081, 0.3710], atol=5.1e-5)
    columns = LOLA.v_slice("afr").start + np.arange(4)
    jacobian = np.asarray(frame_jacobian.textbook(LOLA, q, "RH"))[:3, columns]
    np.testing.assert_allclose(
        np.linalg.svd(jacobian, compute_uv=False), [0.5873, 0.4906, 0.2251], atol=5.1e-5
    )


def test_idle_meets_every_condition() -> None:
    # Seiwald 2023, section 4.5.2, with the public kinematics; the solver has its own
    np.testing.assert_allclose(center(IDLE), [(SOLE_REAR + SOLE_FRONT) / 2, 0.0, 0.9], atol=1e-9)
    for foot, hand, side in (("RF", "RH", -1.0), ("LF", "LH", 1.0)):
        np.testing.assert_allclose(pose(foot, IDLE).translation, [0.0, side * 0.1375, 0.0], atol=1e-9)
        np.testing.assert_allclose(pose(foot, IDLE).rotation, np.eye(3), atol=1e-9)
        np.testing.assert_allclose(pose(hand, IDLE).translation, [0.22, side * 0.34, 0.97], atol=1e-9)
    np.testing.assert_allclose(pose("UB", IDLE).rotation, np.eye(3), atol=1e-9)
    angle = {name: np.rad2deg(IDLE[LOLA.q_slice(name)][0]) for name in ("zfr", "zfl", "vp", "vt")}
    assert angle == pytest.approx({"zfr": 0.0, "zfl": 0.0, "vp": 0.0, "vt": -25.0}, abs=1e-9)


def test_idle_pads_lie_flat_on_the_ground() -> None:
    for body in ("zfr", "sfr", "zfl", "sfl"):
        for pad in LOLA.body(body).collisions:
            assert isinstance(pad.shape, Box)
            corners = [(np.array(signs) - 0.5) * pad.shape.size for signs in np.ndindex(2, 2, 2)]
            heights = sorted((pose(body, IDLE) @ pad.placement).apply(corner)[2] for corner in corners)
            np.testing.assert_allclose(heights[:4], 0.0, atol=1e-9)


def test_idle_agrees_with_the_numbers_for_orientation() -> None:
    # derived there to one decimal, with the same reconstructed torso
    expected = {"kfr": 48.5, "hfr": -21.8, "sfr": -26.8, "har": 9.0}
    found = {name: np.rad2deg(IDLE[LOLA.q_slice(name)][0]) for name in expected}
    assert found == pytest.approx(expected, abs=0.05)
    np.testing.assert_allclose(IDLE[:3], [-0.222, 0.0, 1.096], atol=5e-4)
    hip = pose("hfr", IDLE).translation
    assert hip[0] == pytest.approx(-0.1141, abs=5e-5)
    assert hip[2] == pytest.approx(0.9009, abs=5e-5)
    assert pose("VTCP", IDLE).translation[2] == pytest.approx(1.643, abs=5e-4)
    assert 0.9 / 0.78 - hip[2] == pytest.approx(0.2529, abs=5e-5)  # l7


def test_idle_is_within_the_software_limits() -> None:
    lower, upper = LOLA.limits("software")
    assert (lower <= IDLE).all()
    assert (upper >= IDLE).all()


def test_idle_in_the_file_is_what_the_solver_finds() -> None:
    np.testing.assert_allclose(idle_configuration(LOLA), IDLE, atol=1e-12)


def test_idle_error_sees_a_wrong_knee() -> None:
    q = IDLE.copy()
    q[LOLA.q_slice("kfr")] += 1e-4
    assert np.abs(idle_error(LOLA, IDLE)).max() < 1e-12
    assert np.abs(idle_error(LOLA, q)).max() > 1e-5


def test_no_idle_configuration_if_out_of_reach() -> None:
    with pytest.raises(NoSolution, match="lola"):
        idle_configuration(lola_with_short_legs())


def lola_with_short_legs() -> Robot:
    def shortened(joint: Any) -> Any:
        rotation, translation = joint.placement
        short = joint.name in ("kfr", "kfl", "sar", "sal")
        return replace(joint, placement=Transform(rotation, translation * (0.8 if short else 1.0)))

    return replace(LOLA, joints=tuple(shortened(joint) for joint in LOLA.joints))


def test_reconstructed_values_can_be_changed() -> None:
    robot = lola(
        torso_center_of_mass=(0.085, 0.22, 0.0),
        torso_to_pelvis=(0.0, -0.004, 0.0),
        left_toe_center_of_mass=(-0.01229, 0.01259, 0.0148),
    )
    idle = robot.configuration("idle")
    assert not np.allclose(idle, IDLE, atol=1e-5)
    np.testing.assert_allclose(center(idle, robot), [(SOLE_REAR + SOLE_FRONT) / 2, 0.0, 0.9], atol=1e-9)
    assert robot.joint("br").placement.translation[1] == -0.004
    assert robot.mass == pytest.approx(LOLA.mass)
    assert robot.limit_sets == LOLA.limit_sets
    assert "changed to [0.085, 0.22, 0.0]" in robot.notes["torso_center_of_mass"]


def test_unchanged_lola_is_the_file() -> None:
    np.testing.assert_array_equal(lola().configuration("idle"), IDLE)


def test_impossible_changes_are_refused() -> None:
    with pytest.raises(RobotError, match="torso"):
        lola(torso_center_of_mass=(0.08, 0.5, 0.0))
    with pytest.raises(RobotError, match="three finite numbers"):
        lola(torso_to_pelvis=(0.0, 1.0))


def test_reconstructed_values_are_noted() -> None:
    for key in ("torso_center_of_mass", "torso_to_pelvis", "left_toe_center_of_mass", "foot_pads", "idle"):
        assert key in LOLA.notes
