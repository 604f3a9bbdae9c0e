"""Whether a goal counts as reached, and planned hand contacts as made."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.gait.poses import yaw_quaternion
from footfall.gait.walking_transitions import idle_pose
from footfall.math.rotations import quaternion_product
from footfall.motion.pipeline import gait_dimensions
from footfall.planning.contacts import Goal
from footfall.walking.arrival import Distance, distance, middle_of, standing
from footfall.walking.request import WalkRequest
from footfall.walking.summary import HandContacts, Stretches, WalkTally
from footfall.walking.walk import walk
from footfall.walking.walker import WalkingCode

PERIOD = 1e-3


def test_a_robot_stands_where_its_base_was_brought(code: WalkingCode) -> None:
    """Turned about the vertical and shifted as a whole, the middle between its feet is turned and shifted as much."""
    q = np.array(code.body.comfort)
    before, turn, shift = standing(code.body, q), 0.7, np.array([1.3, -0.4])
    c, s = math.cos(turn), math.sin(turn)
    q[:2] = [c * q[0] - s * q[1] + shift[0], s * q[0] + c * q[1] + shift[1]]
    q[3:7] = quaternion_product(yaw_quaternion(turn), q[3:7])
    after = standing(code.body, q)
    assert after.x == pytest.approx(c * before.x - s * before.y + shift[0], abs=1e-12)
    assert after.y == pytest.approx(s * before.x + c * before.y + shift[1], abs=1e-12)
    assert after.yaw == pytest.approx(before.yaw + turn, abs=1e-12)


def test_a_pose_has_its_middle_where_it_was_asked_for(code: WalkingCode) -> None:
    pose = idle_pose(gait_dimensions(code.body.model), position=(0.5, 2.0, 0.1), yaw=-2.0)
    off = distance(middle_of(pose), Goal(0.5, 2.0, -2.0))
    assert off.away < 1e-12
    assert abs(off.turned) < 1e-12


def test_headings_are_compared_the_short_way_round() -> None:
    off = distance(Goal(3.0, 4.0, 3.1), Goal(0.0, 0.0, -3.1))
    assert off.away == 5.0
    assert off.turned == pytest.approx(6.2 - 2.0 * math.pi, abs=1e-12)


@pytest.mark.parametrize(
    ("away", "turned", "reached"), [(0.14, 0.1, True), (0.16, 0.0, False), (0.0, -0.2, False)]
)
def test_near_and_aligned_is_reached(away: float, turned: float, reached: bool) -> None:
    assert Distance(away, turned).reached is reached


def test_a_walk_beside_its_goal_has_not_reached_it(code: WalkingCode) -> None:
    """A walk that is stopped before its first step is short of its goal by what is left of the way."""
    asked = WalkRequest(scene="flat", goal=(0.4, 0.0, 0.0), noise=False)
    right = walk(asked, code=code).summary
    assert right.reached
    assert right.goal_error < 0.02
    assert right.drift < 0.01
    short = walk(WalkRequest(scene="flat", goal=(0.4, 0.0, 0.0), seconds=0.3), code=code).summary
    assert not short.reached
    assert short.goal_error == pytest.approx(0.4, abs=0.01)


def test_gaps_that_are_short_do_not_part_stretches() -> None:
    flags = np.array([0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1], dtype=bool)
    told = Stretches()
    for part in (flags[:6], flags[6:]):  # in any pieces
        told.take(part)
    assert told.lasting(2) == [(1, 7), (14, 17)]
    assert Stretches().lasting(2) == []


def test_planned_contacts_are_made_if_the_hand_pushes_for_half_of_their_time(code: WalkingCode) -> None:
    kind = [("right_hand", float, 6), ("left_hand", float, 6), ("hand_loads", float, 2)]
    signals = np.zeros(1000, dtype=kind)
    signals["hand_loads"][100:300, 0] = 1.0  # made: 150 of 200 rows
    signals["right_hand"][150:320, 1] = 30.0
    signals["hand_loads"][500:800, 0] = 1.0  # touched too briefly
    signals["right_hand"][500:620, 1] = 30.0
    signals["hand_loads"][400:700, 1] = 1.0  # not at all
    signals["left_hand"][:, 1] = 9.0
    tally = WalkTally(code.body, 600.0, PERIOD)
    for k, hand in enumerate(("right_hand", "left_hand")):
        tally._pushing[k].take(np.linalg.norm(signals[hand][:, :3], axis=1) > 10.0)
        tally._leaning[k].take(signals["hand_loads"][:, k] > 0.5)
    assert tally.hand_contacts == HandContacts(found=2, planned=3, made=1)
