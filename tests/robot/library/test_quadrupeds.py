"""The quadrupeds against Ayit 2015, table 5.1, and RSL 2022, (2.269)-(2.272), chapter 3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from footfall.contact.candidates import Candidate, Surface
from footfall.dynamics.jacobians import frame_jacobian
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import RobotError
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.library import quadruped
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.scene.model import Material
from footfall.simulation.plants import FeetSimulation

LEGS = ("RB", "LB", "RF", "LF")
HEAVY = load("quadruped")
POINT_FEET = load("point-foot-quadruped")


def contact_jacobian(robot: Robot, feet: tuple[str, ...] = LEGS) -> Any:
    q = robot.configuration("stand")
    return np.vstack([np.asarray(frame_jacobian.textbook(robot, q, foot))[:3] for foot in feet])


def delassus(robot: Robot) -> Any:
    """J M^-1 J^T (12, 12) of the four tips where the robot stands, 1/kg."""
    jacobian = contact_jacobian(robot)
    mass = np.asarray(mass_matrix.textbook(robot, robot.configuration("stand")))
    return jacobian @ np.linalg.solve(mass, jacobian.T)


def test_counts_and_mass() -> None:
    moving = [joint for joint in HEAVY.joints if joint.type.coordinates == 1]
    assert (len(moving), HEAVY.nv) == (16, 22)
    assert HEAVY.mass == pytest.approx(96.8, abs=1e-12)
    assert HEAVY.mass * 9.81 / 4 == pytest.approx(237.4, abs=0.05)


@pytest.mark.parametrize(
    ("body", "about_length_width_height"),
    [
        ("torso", (1.59375, 6.09375, 7.5)),
        ("RB_thigh", (0.004583, 0.032413, 0.029663)),
        ("LF_shank", (0.003802, 0.025215, 0.022934)),
        ("RF_foot", (0.001521, 0.015482, 0.015482)),
    ],
)
def test_box_inertias(body: str, about_length_width_height: tuple[float, ...]) -> None:
    moments = np.diag(HEAVY.body(body).inertia)
    order = moments if body == "torso" else moments[[2, 1, 0]]  # the length of a leg link lies along z
    np.testing.assert_allclose(order, about_length_width_height, atol=5e-7)


def test_tall_feet() -> None:
    tall = load("quadruped-tall-feet")
    moments = np.diag(tall.body("LB_foot").inertia)[[2, 1, 0]]
    np.testing.assert_allclose(moments, (0.076802, 0.090763, 0.015482), atol=5e-7)
    assert tall.mass == HEAVY.mass
    same = quadruped(foot_height=0.0500000001).body("LB_foot").inertia
    np.testing.assert_allclose(same, HEAVY.body("LB_foot").inertia, rtol=1e-7)


@pytest.mark.parametrize("height", [0.0, -0.1, 2.0, float("nan")])
def test_impossible_feet_are_refused(height: float) -> None:
    with pytest.raises(RobotError, match="foot_height"):
        quadruped(foot_height=height)


@pytest.mark.parametrize("robot", [HEAVY, POINT_FEET], ids=["heavy", "point feet"])
def test_it_stands_on_its_tips_below_its_hips(robot: Robot) -> None:
    q = robot.configuration("stand")
    for leg in LEGS:
        tip = frame_pose.textbook(robot, q, leg).translation
        hip = frame_pose.textbook(robot, q, f"{leg}_hip").translation
        assert tip[2] == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(tip[:2], hip[:2], atol=1e-4)


def test_hips_stand_at_the_reconstructed_height() -> None:
    assert HEAVY.configuration("stand")[2] == pytest.approx(0.606, abs=5e-4)
    np.testing.assert_allclose(
        [
            frame_pose.textbook(HEAVY, HEAVY.configuration("stand"), f"{leg}_hip").translation[:2]
            for leg in LEGS
        ],
        [(-0.6, -0.3), (-0.6, 0.3), (0.6, -0.3), (0.6, 0.3)],
    )


def test_contact_space_inertia() -> None:
    # Ayit 2015, table 5.1, checked there with an independent program
    w = delassus(HEAVY)
    foot = w[:3, :3]
    np.testing.assert_allclose(np.diag(foot), [0.846, 0.287, 0.203], atol=6e-4)
    assert foot[0, 2] == pytest.approx(0.113, abs=5e-4)
    normal = w[2::3, 2::3]
    assert np.abs(normal - np.diag(np.diag(normal))).max() <= 5e-4
    assert 1.0 / w[2, 2] == pytest.approx(4.93, abs=5e-3)
    assert np.linalg.cond(w) == pytest.approx(4.7, abs=0.05)


def test_joint_friction() -> None:
    np.testing.assert_array_equal(HEAVY.damping[6:], 0.3)
    np.testing.assert_array_equal(HEAVY.friction[6:], 0.55)
    np.testing.assert_array_equal(HEAVY.damping[:6], 0.0)


def test_point_feet_counts_and_mass() -> None:
    assert (POINT_FEET.nq, POINT_FEET.nv) == (19, 18)
    assert POINT_FEET.mass == pytest.approx(23.2, abs=1e-12)
    assert POINT_FEET.mass * 9.81 == pytest.approx(227.592, abs=1e-9)  # RSL 2022, (3.59)-(3.62)


@pytest.mark.parametrize(
    ("feet", "rank", "base_rank"), [(("LF",), 3, 3), (("LF", "RB"), 6, 5), (LEGS[:3], 9, 6), (LEGS, 12, 6)]
)
def test_contact_ranks(feet: tuple[str, ...], rank: int, base_rank: int) -> None:
    # RSL 2022, (2.269)-(2.272)
    jacobian = contact_jacobian(POINT_FEET, feet)
    assert np.linalg.matrix_rank(jacobian, tol=1e-9) == rank
    assert np.linalg.matrix_rank(jacobian[:, :6], tol=1e-9) == base_rank


def test_three_joints_a_leg() -> None:
    robot = quadruped(joints_per_leg=3)
    assert (robot.nq, robot.nv) == (19, 18)
    assert robot.mass == pytest.approx(HEAVY.mass, rel=1e-12)
    for leg in LEGS:  # it stands where the other one does
        tips = [frame_pose.textbook(each, each.configuration("stand"), leg) for each in (robot, HEAVY)]
        np.testing.assert_allclose(tips[0].translation, tips[1].translation, atol=1e-12)
    with pytest.raises(RobotError, match="joints_per_leg is 5; it must be 3 or 4"):
        quadruped(joints_per_leg=5)


@pytest.mark.parametrize("joints", [3, 4])
def test_feet_that_absorb_shocks(joints: int) -> None:
    """At rest each spring carries its share of the weight; the equations of motion have its force."""
    robot = quadruped(joints_per_leg=joints, shock_absorber=(2e4, 300.0))
    assert robot.nv == 6 + 4 * (joints + 1)
    q = robot.configuration("stand")
    for leg in LEGS:
        tip = frame_pose.textbook(robot, q, leg).translation
        assert tip[2] == pytest.approx(0.0, abs=1e-12)
    place = robot.v_slice("RB_shock").start
    column = frame_jacobian.textbook(robot, q, "RB")[:, place]
    shank = frame_pose.textbook(robot, q, "RB_shank").rotation
    np.testing.assert_allclose(column, [*shank[:, 2], 0.0, 0.0, 0.0], atol=1e-12)  # along the shank


def test_a_drop_is_softer_on_springs() -> None:
    """From 0.1 m, joints held by PD control: the strongest force of a foot; then springs carry the weight."""
    strongest = []
    for absorber in (None, (2e4, 300.0)):
        robot = quadruped(shock_absorber=absorber)
        q = robot.configuration("stand").copy()
        q[2] += 0.1
        floor = Surface(Plane(), Transform(np.eye(3), np.zeros(3)), material=Material(friction=0.8))
        feet = [Candidate(leg, (0.0, 0.0, 0.0), 0.0, floor) for leg in LEGS]
        simulation = FeetSimulation(robot, candidates=feet, q=q, dt=5e-4)
        driven = np.array(
            [not joint.name.endswith("_shock") for joint in robot.joints if joint.name != "root"]
        )
        gains = {"kp": 4000.0 * driven, "kd": 100.0 * driven}
        run = simulation.run(simulation.pd(simulation.joint_positions(), **gains), 1.5)
        strongest.append(float(run.forces[:, :, 2].max()))
        assert run.forces[-1, :, 2].sum() == pytest.approx(robot.mass * 9.81, rel=0.01)
    # By the springs: the feet are below.
    carried = run.forces[-1] - [
        0.0,
        0.0,
        robot.body("RB_foot").mass * 9.81,
    ]
    for leg, force in zip(LEGS, carried, strict=True):
        shank = frame_pose.textbook(robot, run.q[-1], f"{leg}_shank").rotation[:, 2]
        assert 2e4 * run.q[-1, robot.q_slice(f"{leg}_shock")][0] == pytest.approx(shank @ force, rel=0.01)
    assert strongest[1] < 0.7 * strongest[0]
