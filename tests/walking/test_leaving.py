"""Hands on their way to rest keep off what they have touched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.hands import HandPlan, remember_touch
from footfall.walking.leaving import LastTouch, keep_off
from footfall.walking.request import WalkRequest
from footfall.walking.state import HandMemory
from footfall.walking.task_space import Kinematics, PointTarget
from footfall.walking.walk import walk
from footfall.walking.walker import WalkingCode
from tests.walking.plain_kinematics import plain_kinematics

NV, ROW = 14, 6
NORMAL = np.array([0.6, -0.8, 0.0])
PASSAGE = """
name = "passage"
[goal]
position = [4.0, 0.0, 0.0]
[[object]]
name = "floor"
class = "floor"
shape = "plane"
[[object]]
name = "left wall"
class = "wall"
shape = "box"
size = [5.0, 0.2, 2.2]
position = [2.0, 0.72, 1.1]
[[object]]
name = "right wall"
class = "wall"
shape = "box"
size = [1.5, 0.2, 2.2]
position = [3.5, -0.75, 1.1]
[[object]]
name = "log"
shape = "cylinder"
radius = 0.055
length = 1.2
position = [1.6, 0.0, 0.055]
rpy = [1.5708, 0.0, 0.0]
[[object]]
name = "beam"
shape = "box"
size = [0.1, 1.2, 0.09]
position = [2.9, 0.0, 0.045]
"""
POST = """
name = "post"
[goal]
position = [2.0, 0.0, 0.0]
[[object]]
name = "floor"
class = "floor"
shape = "plane"
[[object]]
name = "post"
shape = "box"
size = [0.06, 0.06, 1.6]
position = [1.1, 0.42, 0.8]
visible = false
"""


@pytest.fixture(scope="module")
def gains(code: WalkingCode) -> ControlGains:
    return control_gains(code.body.model)


def found() -> Kinematics:
    """Of some robot; nothing is near a limit."""
    rng = np.random.default_rng(3)
    jacobian = rng.normal(0.0, 0.3, (ROW + 6, NV))
    return plain_kinematics(np.zeros(ROW + 6), jacobian, np.zeros(NV), np.zeros(NV), 1.0)


@pytest.mark.parametrize("left, expected", [(0.0, 1.0), (0.5, 0.25), (0.9, 0.01), (1.0, 0.0), (2.0, 0.0)])
def test_the_push_is_a_velocity_along_the_normal(gains: ControlGains, left: float, expected: float) -> None:
    """J_n v = s r d with v = -slope, rate r = 45 1/s, distance d = 0.11 h, less as (1 - x / d)^2 at a distance x."""
    model, far = found(), 0.11 * gains.height
    touch = LastTouch(NORMAL, 0.3, 0.5)
    keep_off(touch, (0.3 + left * far) * NORMAL, model, ROW, gains)
    velocity = NORMAL @ (model.jacobian[ROW : ROW + 3] @ -model.slope)
    assert velocity == pytest.approx(0.5 * 45.0 * far * expected, abs=1e-12)
    np.testing.assert_array_equal(model.slope[:6], 0.0)  # the base is not asked


def test_joints_at_their_limits_leave_it_to_others(gains: ControlGains) -> None:
    """v = p S w / (w S w) along the way w: the hand goes off as fast, a joint that may not go on does little of it."""
    free, held = found(), found()
    way = NORMAL @ free.jacobian[ROW : ROW + 3]
    joint = 6 + int(np.abs(way[6:]).argmax())
    held.mobility[int(way[joint] > 0.0), joint] = 0.01
    for model in (free, held):
        keep_off(LastTouch(NORMAL, 0.0, 1.0), np.zeros(3), model, ROW, gains)
    one, two = (NORMAL @ (each.jacobian[ROW : ROW + 3] @ -each.slope) for each in (free, held))
    assert two == pytest.approx(one)
    squares = way[6:] ** 2
    left = squares.sum() - 0.99 * way[joint] ** 2
    assert held.slope[joint] == pytest.approx(0.01 * free.slope[joint] * squares.sum() / left)
    assert abs(held.slope[joint]) < 0.1 * abs(free.slope[joint])
    # The other way it is as free as ever.
    other = found()
    other.mobility[int(way[joint] < 0.0), joint] = 0.01
    keep_off(LastTouch(NORMAL, 0.0, 1.0), np.zeros(3), other, ROW, gains)
    np.testing.assert_array_equal(other.slope, free.slope)


NOTHING = LastTouch(np.zeros(3), 0.0, 0.0)
PLACE = np.array([0.2, 0.57, 1.2])
PUSHED = np.array([0.0, -50.0, 0.0])
FREE = HandMemory(np.zeros(3), np.zeros(3), 0.0, np.zeros(3), 0.0, np.zeros(3), np.zeros(3), NOTHING)
LEANING = HandPlan(PointTarget(PLACE, np.zeros(3)), PUSHED, 1.0, 1.0)
SWINGING = HandPlan(PointTarget(PLACE, np.zeros(3)), np.zeros(3), 0.0, 0.0)


def test_a_hand_remembers_what_it_has_touched_for_a_while(gains: ControlGains) -> None:
    """Where it was along the normal of the planned force, until 1.5 s after its load."""
    memory = FREE._replace(touching=1.0, force=np.array([30.0, -40.0, 0.0]))
    memory = remember_touch(memory, LEANING, PLACE, gains)
    np.testing.assert_array_equal(memory.last.normal, [0.0, -1.0, 0.0])
    assert memory.last.level == pytest.approx(-0.57)
    assert memory.last.share == 1.0
    memory = remember_touch(memory._replace(touching=0.0), LEANING._replace(load=0.0), PLACE, gains)
    assert memory.last.share == pytest.approx(1.0 - gains.period / 1.5)
    for _ in range(round(1.5 / gains.period)):
        memory = remember_touch(memory, SWINGING, PLACE, gains)
    assert memory.last.share == 0.0


def test_a_hand_that_strikes_something_while_it_swings_goes_off_along_the_force(gains: ControlGains) -> None:
    struck = FREE._replace(touching=1.0, force=np.array([30.0, -40.0, 0.0]))
    last = remember_touch(struck, SWINGING, PLACE, gains).last
    np.testing.assert_allclose(last.normal, [0.6, -0.8, 0.0])
    assert last.level == pytest.approx(0.6 * 0.2 - 0.8 * 0.57)
    assert last.share == 1.0
    # One that is on its way to a contact and comes too early is none of it: its plan leads there.
    coming = SWINGING._replace(selection=0.5)
    assert remember_touch(struck, coming, PLACE, gains).last.share == 0.0


def test_arms_come_back_from_the_walls_of_a_passage(code: WalkingCode, tmp_path: Path) -> None:
    """1.3 m wide, with long steps over a log and a beam: hands leave the walls behind the shoulders. An arm that came
    back on a straight way struck the wall with 2.3 kN."""
    scene = tmp_path / "passage.toml"
    scene.write_text(PASSAGE)
    summary = walk(WalkRequest(scene=str(scene), noise=True, seed=0), code=code).summary
    assert summary.reached
    assert summary.made_hand_contacts == summary.planned_hand_contacts == 4
    assert summary.peak_hand_force < 500.0


def test_a_hand_gives_way_to_a_post_that_was_not_seen(code: WalkingCode, tmp_path: Path) -> None:
    """It stands where the left hand swings; a robot whose hand did not give way fell over it."""
    scene = tmp_path / "post.toml"
    scene.write_text(POST)
    summary = walk(WalkRequest(scene=str(scene), noise=True, seed=0), code=code).summary
    assert summary.peak_hand_force > 50.0  # it was struck
    assert summary.reached
