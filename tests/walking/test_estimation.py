"""Where the robot believes to be: without slip it is there, with slip it is off by the slip; nothing jumps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.actions import idle, straight
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import idle_pose
from footfall.math.transform import Transform
from footfall.motion.motion import Motion
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.robot.shapes import Box
from footfall.scene.given_motion import GivenMotion
from footfall.scene.load import load_scene
from footfall.scene.model import Scene, SceneObject
from footfall.walking.body import FEET
from footfall.walking.request import Push
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


def standing(code: WalkingCode, seconds: float) -> Motion:
    model = code.body.model
    plan = MotionPlan((idle(idle_pose(gait_dimensions(model)), duration=seconds),))
    return generate_motion(plan, model)


def drift(walker: Walker) -> Array:
    """Where the middle between the feet is (3,), m, against where the robot believes it to be."""
    body = walker.code.body
    true, believed = (
        np.mean([frame_pose(body.robot, q, body.model.frames[foot]).translation for foot in FEET], axis=0)
        for q in (walker.log.q[-1], walker.brain.state.q)
    )
    return np.asarray(true - believed)


@pytest.fixture(scope="module")
def sure_footed(code: WalkingCode) -> Walker:
    """A walk on ground on which nothing slips, with sensors without errors."""
    model = code.body.model
    motion = generate_motion(footfall.walking_plan(model, straight(1.2)), model, body=code.whole)
    walker = Walker(code, load_scene("flat"), motion, WalkerOptions(friction=5.0))
    assert walker.run_until(motion.end_time + 0.5)
    return walker


def test_without_slip_nothing_drifts(sure_footed: Walker) -> None:
    """Soles are soft, along the ground too: feet roll on them and give by parts of a millimetre."""
    assert np.hypot(*drift(sure_footed)[:2]) < 1e-3


def test_what_the_robot_slips_by_is_what_it_is_off_by(code: WalkingCode) -> None:
    """A belt carries the standing robot 8 cm ahead and 3 cm aside: it cannot know of it."""
    way = np.array([0.08, 0.03, 0.0])
    times = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    places = np.array([[0.0, 0.0, -0.1]]) + np.outer([0.0, 0.0, 0.3, 0.7, 1.0, 1.0], way)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(times), 1))
    belt = SceneObject(
        "belt",
        Box((2.0, 2.0, 0.2)),
        Transform(np.eye(3), places[0]),
        motion=GivenMotion(times, places, turns),
        category="floor",
    )
    scene = replace(Scene("belt"), objects=(belt,))
    walker = Walker(code, scene, standing(code, 3.0), WalkerOptions())
    assert walker.run_until(3.0)
    np.testing.assert_allclose(drift(walker)[:2], way[:2], atol=1e-3)


def test_the_estimate_does_not_jump_where_feet_change(sure_footed: Walker) -> None:
    """The centre of mass moves by at most 0.6 m/s here: 0.6 mm a period. A point of reference that is the stance foot
    alone would jump by what both feet are off against each other."""
    signals = sure_footed.log.signals
    steps = np.linalg.norm(np.diff(signals["estimated_center"], axis=0), axis=1)
    assert steps.max() < 0.6e-3 + 0.2e-3
    error = signals["estimated_center"] - signals["center"]
    assert np.sqrt(np.mean(error[:, :2] ** 2)) < 5e-3


def test_a_push_is_taken_up(code: WalkingCode) -> None:
    """15 N s against the side of a robot that stands; afterwards it stands as before."""
    push = Push("torso", (0.0, 150.0, 0.0), 0.5, 0.1)
    walker = Walker(code, load_scene("flat"), standing(code, 5.0), WalkerOptions(pushes=(push,)))
    assert walker.run_until(5.0)
    signals = walker.log.signals
    errors = np.linalg.norm(signals["dcm_error"], axis=1)
    assert errors[:490].max() < 2e-3
    assert errors[500:1000].max() > 0.03
    assert errors[-200:].max() < 5e-3
    assert np.rad2deg(np.abs(signals["tilt"][-200:]).max()) < 0.5
