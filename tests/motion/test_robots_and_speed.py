"""Motions on whole robots: LOLA follows by inverse kinematics, other humanoids, walking speed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import footfall
from footfall.benchmarks.robots import examples_folder, load_measured
from footfall.errors import RobotWarning
from footfall.gait.plan import InvalidPlan, MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.following import LostMotion, centroidal_wrench, follow_motion
from footfall.motion.model_derivation import reduced_model
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.stream import stream
from footfall.motion.verification import verify_motion
from footfall.motion.walking_speed import TooFast, choose_step, try_step, walk_at_speed
from tests.motion.lola import MODEL, straight


def test_five_masses_need_nearly_the_wrench_of_the_whole_robot() -> None:
    """RMS of the force below a tenth of the weight for steps of 0.4 m; the torque tells what the model leaves out."""
    lola = footfall.load("lola")
    motion = straight(3)
    followed = follow_motion(lola, motion, lola.configuration("idle"))
    assert followed.errors.max() < 1e-3
    whole = centroidal_wrench(lola, followed)
    reduced = stream(motion.sample(followed.times[1:-1]), MODEL).contact_wrench
    apart = np.sqrt(((whole - reduced) ** 2).mean(axis=0))
    weight = MODEL.mass * 9.81
    assert np.linalg.norm(apart[:3]) < 0.1 * weight
    assert np.linalg.norm(apart[:3]) < 0.003 * weight
    assert apart[3:].max() < 40.0  # N m: legs and arms have inertia, and the pelvis turns
    assert apart[3:].max() > 1.0  # it is not the same model


def test_a_robot_that_cannot_follow_says_where() -> None:
    lola = footfall.load("lola")
    with pytest.raises(LostMotion, match="off by"):
        follow_motion(lola, straight(2), lola.configuration("idle"), dt=0.01, gain=50.0, allowed=1e-5)


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
@pytest.mark.parametrize("name", ["talos", "romeo"])
def test_other_humanoids_walk(name: str) -> None:
    """Their reduced models come from their descriptions; nothing of LOLA is in them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        model = reduced_model(load_measured(name))
    dimensions = gait_dimensions(model)
    length = 0.25 * dimensions.leg_length
    steps = [WalkingTransition(forward=length)] * 4 + [WalkingTransition(forward=length, yaw=0.1)] * 2
    motion = generate_motion(MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),)), model)
    found = verify_motion(motion)
    assert found.zmp_margin > 0.0
    assert found.clearance > -1e-9
    assert found.leg_margin > -0.01
    assert found.jump < 1e-8
    weight = stream(motion.sample(motion.end_time), model).contact_wrench[2]
    assert weight == pytest.approx(model.mass * model.gravity)


def test_the_speed_of_the_source_is_reached() -> None:
    """3.38 km/h, within the bounds of the legs."""
    choice = choose_step(MODEL, 3.38 / 3.6)
    assert choice.speed == pytest.approx(3.38 / 3.6)
    assert choice.room > 0.005
    motion = walk_at_speed(MODEL, 5.0, 3.38 / 3.6)
    middle = np.linspace(0.45, 0.55, 101) * motion.duration
    velocity = motion.sample(middle).center_of_mass[:, 1, 0]
    assert velocity.mean() == pytest.approx(3.38 / 3.6, rel=0.05)


def test_slow_walks_take_the_usual_time_and_fast_ones_are_refused() -> None:
    assert choose_step(MODEL, 0.2).duration == pytest.approx(0.8)
    with pytest.raises(TooFast, match=r"3\.000 m/s"):
        choose_step(MODEL, 3.0)
    with pytest.raises(InvalidPlan, match="above zero"):
        choose_step(MODEL, -1.0)
    assert try_step(MODEL, 2.5, 1.0) is None
