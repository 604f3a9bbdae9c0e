"""Legs on their ways: where their joints are, and posts that a knee would strike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall import Box, Scene
from footfall.dynamics.kinematics import frame_pose
from footfall.environment import PerceptionOptions, perceive
from footfall.errors import InvalidTransition
from footfall.gait.actions import straight
from footfall.math.transform import Transform
from footfall.motion.leg_bounds import LegEnds, legs_of
from footfall.motion.motion import Motion
from footfall.motion.samples import MotionSamples
from footfall.motion.stretched_leg import LegPoints, leg_points
from footfall.motion.whole_body import WholeBody
from footfall.planning import PlannerParameters
from footfall.planning.leg_ways import _RADIUS, _SPARE, LegsOnTheirWay
from footfall.planning.surroundings import surroundings
from footfall.planning.tables import tables_for
from footfall.scene.model import SceneObject
from tests.planning.scenes import model

HALF = 0.02  # m, of the width of a post
TABLES = tables_for(model(), PlannerParameters())


@pytest.fixture(scope="module")
def motion() -> Motion:
    return footfall.generate_motion(footfall.walking_plan(model(), straight(1.2)), model())


def points_at(motion: Motion, samples: MotionSamples, k: int, side: int) -> LegPoints:
    legs = legs_of(motion.model)
    stance = LegEnds(
        samples.feet[k, 0, side],
        samples.quaternions[k, 2 + side],
        legs.toe_signs[side] * samples.toes[k, 0, side],
        samples.quaternions[k, 0],
    )
    found: Any = leg_points(stance, side, legs, samples.torso[k, 0])
    return LegPoints(*found)


def test_joints_of_legs_are_where_the_whole_robot_has_them(motion: Motion) -> None:
    """Lengths of shank and thigh are exact. Knees of the whole robot are within what is left free around a thigh: the
    torso of five masses is not where all masses of the robot are."""
    robot = footfall.load("lola")
    samples = motion.sample(np.linspace(motion.begin_time, motion.end_time, 40))
    q = WholeBody(robot, model()).postures(samples).q
    leg = model().leg
    for side, name in enumerate(("kfr", "kfl")):
        knees = frame_pose(robot, q, name).translation
        found = [points_at(motion, samples, k, side) for k in range(40)]
        for each in found:
            assert np.linalg.norm(each.hip - each.knee) == pytest.approx(leg.upper_leg, abs=1e-9)
            assert np.linalg.norm(each.knee - each.ankle) == pytest.approx(leg.lower_leg, abs=1e-9)
        away = np.linalg.norm(np.array([each.knee for each in found]) - knees, axis=1)
        assert away.max() < _SPARE
        assert away.mean() < 0.01


def check_beside_post(motion: Motion, x: float, y: float) -> None:
    """Look at legs beside a post of 0.8 m height in the middle of (x, y)."""
    post = SceneObject(
        "post", Box((2 * HALF, 2 * HALF, 0.8)), Transform(np.eye(3), np.array([x, y, 0.4])), category="table"
    )
    environment = perceive(Scene("way", (post,)), PerceptionOptions(voxel=0.0, noise=0.0))
    around = surroundings(environment, TABLES, (-1.0, -1.5), (3.0, 1.5))
    LegsOnTheirWay(motion).check(around.solids, range(len(motion.given.transitions)))


def test_a_post_beside_the_way_is_struck_up_to_the_radius_of_a_leg(motion: Motion) -> None:
    samples = motion.sample(np.linspace(motion.begin_time, motion.end_time, 400))
    places = np.array([points_at(motion, samples, k, 1).knee for k in range(400)])
    outside = places[:, 1].max() + _RADIUS + _SPARE + HALF  # hips and knees walk straight ahead
    middle = float(places[200, 0])
    check_beside_post(motion, middle, float(outside) + 0.02)
    with pytest.raises(InvalidTransition, match="a leg would be in something"):
        check_beside_post(motion, middle, float(outside) - 0.02)


def test_the_step_that_strikes_is_named(motion: Motion) -> None:
    """The last knee passes no more than its end: a post just ahead of it is struck at the end, and not before."""
    end = motion.sample(np.array([motion.end_time]))
    knee = points_at(motion, end, 0, 1).knee
    with pytest.raises(InvalidTransition) as caught:
        check_beside_post(motion, float(knee[0]) + _RADIUS, float(knee[1]))
    assert caught.value.number >= len(motion.given.transitions) - 3
