"""Hands on their way to rest keep off what they have touched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.hands import HandPlan, adapt_hand
from footfall.walking.leaving import LastTouch, forget_touch, keep_off
from footfall.walking.request import WalkRequest
from footfall.walking.state import HandMemory, new_controller_state
from footfall.walking.task_space import Kinematics, PointTarget
from footfall.walking.walk import walk
from footfall.walking.walker import WalkingCode

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


@pytest.fixture(scope="module")
def gains(code: WalkingCode) -> ControlGains:
    return control_gains(code.body.model)


def found() -> Kinematics:
    """Of some robot; nothing is near a limit."""
    rng = np.random.default_rng(3)
    turn, place = np.eye(3), np.zeros(3)
    return Kinematics(
        np.zeros(ROW + 6),
        rng.normal(0.0, 0.3, (ROW + 6, NV)),
        np.zeros(NV),
        np.zeros(NV),
        np.ones((2, NV)),
        1.0,
        place,
        turn,
        place,
        place,
        turn,
        turn,
        turn,
        turn,
    )


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


def test_a_hand_remembers_what_it_has_touched_for_a_while(code: WalkingCode, gains: ControlGains) -> None:
    """Where it was along the normal of the planned force, until 1.5 s after its load."""
    memory: HandMemory = new_controller_state(code.body.comfort, code.body.robot.nv, 1).hands[0]
    place, force = np.array([0.2, 0.57, 1.2]), np.array([0.0, -50.0, 0.0])
    memory = HandMemory(*(memory[name] for name in HandMemory._fields))
    memory = memory._replace(last=LastTouch(np.zeros(3), 0.0, 0.0))
    loaded = HandPlan(PointTarget(place, np.zeros(3)), force, 1.0, 1.0)
    memory = adapt_hand(memory, loaded, force, force, gains)
    np.testing.assert_array_equal(memory.last.normal, [0.0, -1.0, 0.0])
    assert memory.last.level == pytest.approx(-0.57, abs=1e-6)
    assert memory.last.share == 1.0
    memory = adapt_hand(memory, loaded._replace(load=0.0), np.zeros(3), np.zeros(3), gains)
    assert memory.last.share == pytest.approx(1.0 - gains.period / 1.5)
    last = memory.last
    for _ in range(round(1.5 / gains.period)):
        last = forget_touch(last, gains)
    assert last.share == 0.0


def test_arms_come_back_from_the_walls_of_a_passage(code: WalkingCode, tmp_path: Path) -> None:
    """1.3 m wide, with long steps over a log and a beam: hands leave the walls behind the shoulders. An arm that came
    back on a straight way struck the wall with 2.3 kN."""
    scene = tmp_path / "passage.toml"
    scene.write_text(PASSAGE)
    summary = walk(WalkRequest(scene=str(scene), noise=True, seed=0), code=code).summary
    assert summary.reached
    assert summary.made_hand_contacts == summary.planned_hand_contacts == 5
    assert summary.peak_hand_force < 500.0
    assert summary.limits_passed == ()
