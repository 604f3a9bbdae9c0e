"""Motions on whole robots: LOLA follows by inverse kinematics, other humanoids, walking speed."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import footfall
from benchmarks.lab.broad_walks import BROKEN, REFUSED, WARNED, walked
from footfall.bench.robots import examples_folder, load_measured
from footfall.errors import InvalidInput, MisplacedFrame, NoSolution, RobotWarning, TooFast
from footfall.gait import actions
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, idle_pose, walking_sequence
from footfall.motion.following import centroidal_wrench, follow_motion
from footfall.motion.leg_bounds import leg_angles
from footfall.motion.model_derivation import reduced_model
from footfall.motion.parameters import MotionParameters, SupportParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.standing import with_standing_frames
from footfall.motion.stream import stream
from footfall.motion.verification import verify_motion
from footfall.motion.walk_check import choose_step, try_step, walk_at_speed
from footfall.robot.model import Robot
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
    with pytest.raises(NoSolution, match="off by"):
        follow_motion(lola, straight(2), lola.configuration("idle"), dt=0.01, gain=50.0, allowed=1e-5)


def humanoid(name: str) -> tuple[Robot, ReducedModel]:
    """A robot of example-robot-data and its model; the foot of iCub has a mesh whose axes are not told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        robot = load_measured(name)
    if name in ("g1", "icub"):
        robot = with_standing_frames(robot)
    return robot, reduced_model(robot, sole=(-0.048, 0.109, -0.03, 0.03) if name == "icub" else None)


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
@pytest.mark.parametrize("name", ["talos", "romeo", "g1", "icub"])
def test_other_humanoids_walk(name: str) -> None:
    """Their reduced models come from their descriptions; nothing of LOLA is in them."""
    _, model = humanoid(name)
    dimensions = gait_dimensions(model)
    length = 0.25 * dimensions.leg_length
    steps = [WalkingTransition(forward=length)] * 4 + [WalkingTransition(forward=length, yaw=0.1)] * 2
    motion = generate_motion(MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),)), model)
    found = verify_motion(motion)
    assert found.zmp_margin > 0.0
    assert found.clearance > -1e-9
    assert found.leg_margin > 0.0
    assert found.jump < 1e-8
    weight = stream(motion.sample(motion.end_time), model).contact_wrench[2]
    assert weight == pytest.approx(model.mass * model.gravity)


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_stairs_beyond_the_legs_are_told_of() -> None:
    """Romeo's legs are short: a walk on low stairs keeps within them, or a warning says by how much it does not."""
    _, model = humanoid("romeo")
    dimensions = gait_dimensions(model)
    outcomes = []
    for rise in (-0.04, -0.02, 0.0, 0.02, 0.04):
        for tread in (0.15, 0.2, 0.25):
            for together in (True, False):
                steps = actions.stairs(3, rise, tread, together=together)
                plan = MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))
                outcomes.append(walked(plan, model))
    kinds = [outcome.kind for outcome in outcomes]
    assert BROKEN not in kinds, [outcome.reason for outcome in outcomes if outcome.kind == BROKEN]
    assert kinds.count(WARNED) > 5
    assert kinds.count(REFUSED) > 5
    told = [outcome.reason for outcome in outcomes if outcome.kind == WARNED]
    assert all("too short" in reason for reason in told)  # 2.0 mm on the stairs of 2 cm, once silently


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_planar_legs_bend_nearly_as_those_of_the_whole_robot() -> None:
    """Romeo's torso has its mass 41 mm before the hips; a model with the mass above them is wrong by 8 degrees."""
    robot, model = humanoid("romeo")
    dimensions = gait_dimensions(model)
    steps = [WalkingTransition(forward=0.25 * dimensions.leg_length)] * 2
    plan = MotionPlan((walking_sequence(steps, idle_pose(dimensions), dimensions),))
    # With little sway: what legs lean sideways is not in the plane.
    parameters = MotionParameters(support=SupportParameters(width_margin=0.3))
    motion = generate_motion(plan, model, parameters=parameters)
    followed = follow_motion(robot, motion, dt=0.01, gain=50.0)
    assert followed.errors.max() < 1e-3
    assert (followed.q[:, 7:] > robot.lower_limits[7:] - 1e-9).all()
    assert (followed.q[:, 7:] < robot.upper_limits[7:] + 1e-9).all()
    joints = np.stack(
        [followed.q[:, robot.q_slice(f"R{part}Pitch")][:, 0] for part in ("Hip", "Knee", "Ankle")]
    )
    samples = motion.sample(followed.times)
    level = np.zeros(len(followed.times))
    pitch = 2 * np.arcsin(samples.quaternions[:, 2, 2])
    foot, torso = samples.feet[:, 0, 0][:, [0, 2]], samples.torso[:, 0][:, [0, 2]]
    apart = [
        np.rad2deg(np.abs(leg_angles(leg, foot, pitch, level, torso, level) - joints).max())
        for leg in (model.leg, replace(model.leg, torso_ahead=0.0))
    ]
    assert apart[0] < 3.0
    assert apart[1] > 6.0
    assert model.leg.torso_ahead == pytest.approx(0.041, abs=1e-3)


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_frames_of_a_turned_robot_can_be_added() -> None:
    """iCub looks along -x and its torso lies on its side."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        plain = load_measured("icub")
    with pytest.raises(MisplacedFrame, match=r"'torso' .* turned against 'r_sole'.*with_standing_frames"):
        reduced_model(plain, sole=(-0.048, 0.109, -0.03, 0.03))
    _, model = humanoid("icub")
    assert dict(model.frames) == {**dict(model.frames), "RF": "RF", "LF": "LF", "UB": "UB", "VTCP": "VTCP"}
    assert model.leg.torso_ahead == pytest.approx(0.031, abs=1e-3)
    assert model.hand_offset[0] == pytest.approx(0.032, abs=1e-3)  # along its own x


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
    with pytest.raises(InvalidInput, match="above zero"):
        choose_step(MODEL, -1.0)
    assert try_step(MODEL, 2.5, 1.0) is None
