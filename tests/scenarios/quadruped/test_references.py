"""Leg kinematics and the references of trot and jump, Ayit 2015, table 5.1, 18 and 20."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall
from footfall.errors import InvalidInput
from footfall.gait.gaits import LEGS
from footfall.robot.library import quadruped
from footfall.scenarios.quadruped import load_scenario
from footfall.scenarios.quadruped.legs import (
    foot_homes,
    joint_angles,
    jump_heights,
    leg_geometry,
    reference,
    standing_configuration,
    trot_course,
)
from footfall.scenarios.quadruped.run import stiffest_mode

ROBOT = quadruped()


@given(st.floats(-0.15, 0.15), st.floats(-0.15, 0.15), st.floats(0.45, 0.68), st.sampled_from(LEGS))
def test_inverse_undoes_forward_kinematics(x: float, y: float, down: float, leg: str) -> None:
    geometry = leg_geometry(ROBOT, leg)
    tip = np.array([x, y, -down])
    angles = geometry.angles(tip)
    assert geometry.tip(angles) == pytest.approx(tip, abs=1e-12)
    assert angles[1:].sum() == pytest.approx(geometry.foot_pitch, abs=1e-12)


def test_angles_bring_the_robots_feet_there() -> None:
    """Against the kinematics of the robot itself."""
    body = np.array([0.1, -0.02, 0.58])
    feet = foot_homes(ROBOT) + np.random.default_rng(1).uniform(-0.05, 0.05, (4, 3))
    q = ROBOT.configuration("stand").copy()
    q[:3] = body
    q[7:] = joint_angles(ROBOT, body[None], feet[None])[0]
    assert footfall.forward_kinematics(ROBOT, q, frames=LEGS).position == pytest.approx(feet, abs=1e-12)


def test_standing_pose_is_the_shipped_one() -> None:
    stand = ROBOT.configuration("stand")
    assert standing_configuration(ROBOT, float(stand[2])) == pytest.approx(stand, abs=1e-3)


def test_too_far_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"must be between 0.01 and 0.55 m"):
        leg_geometry(ROBOT, "RB").angles(np.array([0.0, 0.0, -0.9]))


def test_stiffest_mode_of_the_servos() -> None:
    """Ayit 2015, chapter 5 gives about 1100 rad/s for the free leg."""
    assert 1000.0 < stiffest_mode(ROBOT, load_scenario("trot")) < 1200.0


def test_zmp_of_the_trot_is_on_the_diagonals() -> None:
    scenario = load_scenario("trot")
    assert scenario.trot is not None
    start = standing_configuration(ROBOT, scenario.robot.hip_height)
    times = np.arange(0.0, 6.0, 0.005)
    course = trot_course(ROBOT, scenario.trot, start, times)
    for k in np.flatnonzero(course.swing.any(axis=1)):
        one, other = course.feet[k, ~course.swing[k], :2]
        along = (other - one) / np.linalg.norm(other - one)
        off = (course.zmp[k] - one) @ [-along[1], along[0]]
        assert abs(off) < 1e-12
    # and the cart follows it: the zero-moment point of the body's course is within 5 mm most of the time
    height = footfall.center_of_mass(ROBOT, start)[2]
    acceleration = np.gradient(np.gradient(course.body[:, :2], 0.005, axis=0), 0.005, axis=0)
    reached = course.body[:, :2] - course.body[0, :2] - height / 9.81 * acceleration
    shift = reached - course.zmp
    walking = times > scenario.trot.stand + 0.1
    error = np.abs(shift[walking] - np.median(shift[walking], axis=0))
    assert np.quantile(error, 0.9) < 5e-3


def test_trot_is_continuous_and_feet_stand_still() -> None:
    scenario = load_scenario("trot").changed(duration=4.0)
    assert scenario.trot is not None
    times = np.arange(0.0, 4.0, 0.0005)
    course = trot_course(ROBOT, scenario.trot, standing_configuration(ROBOT, 0.606), times)
    speed = np.diff(course.feet, axis=0) / 0.0005
    assert np.abs(speed).max() < 1.0
    still = ~course.swing[:-1] & ~course.swing[1:]
    assert np.abs(speed[still]).max() < 1e-9
    assert course.feet[:, :, 2].max() == pytest.approx(scenario.trot.clearance, rel=1e-3)
    assert (course.swing.sum(axis=1)[times > 0.61] == 2).all()
    assert (course.swing[:, 0] == course.swing[:, 3]).all()  # diagonals together
    joints = reference(ROBOT, scenario)
    assert np.abs(np.diff(joints.position, axis=0)).max() < 0.005
    assert np.abs(np.gradient(joints.position, 0.0005, axis=0) - joints.rate).max() < 1e-9


def test_jump_profile() -> None:
    scenario = load_scenario("jump")
    assert scenario.jump is not None
    times = np.arange(0.0, 3.0, 1e-4)
    heights = jump_heights(scenario.jump, 0.606, times)
    speed = np.gradient(heights, 1e-4)
    assert heights[[0, -1]] == pytest.approx([0.606, 0.606])
    assert heights.min() == pytest.approx(0.40, abs=1e-9)
    assert heights.max() == pytest.approx(0.72, abs=1e-3)
    assert speed.max() == pytest.approx(8.0, rel=0.01)
    assert (np.abs(np.diff(heights)) < 1e-3).all()
