"""What bodies touch besides feet and planned hands: noted by name, with times and forces."""

import numpy as np
import pytest

from footfall import frame_pose
from footfall.walking import WalkSession
from footfall.walking.touch_watch import BodyTouch, OpenTouch, TouchLog
from footfall.walking.walker import WalkingCode


def named(shape: int) -> str:
    return {0: "arm", 1: "arm", 2: "wall", 3: "box"}[shape]


def noted(log: TouchLog, *touches: OpenTouch) -> None:
    for k, touch in enumerate(touches):
        log.watch.touches[k] = touch
    log.watch.filled[0] = len(touches)


def test_shapes_of_a_body_are_one_contact_and_other_times_are_others() -> None:
    log = TouchLog()
    noted(
        log,
        OpenTouch(0, 2, 1.0, 1.1, 5.0, 0.0),
        OpenTouch(1, 2, 1.05, 1.4, 8.0, 0.0),
        OpenTouch(0, 3, 1, 2, 1, 1),
    )
    first = log.take(named)
    assert first == (BodyTouch("arm", "box", 1, 2, 1, True), BodyTouch("arm", "wall", 1.0, 1.4, 8.0, False))
    noted(log, OpenTouch(0, 2, 1.5, 1.6, 3.0, 0.0), OpenTouch(0, 2, 3.0, 3.1, 2.0, 0.5))
    assert log.take(named) == (
        first[0],
        BodyTouch("arm", "wall", 1.0, 1.6, 8.0, False),  # it had been taken in between
        BodyTouch("arm", "wall", 3.0, 3.1, 2.0, True),
    )
    assert str(first[1]) == "arm at wall, 1.00 to 1.40 s, up to 8 N"


def test_a_robot_that_stands_touches_nothing_and_a_box_at_its_arm_is_told(code: WalkingCode) -> None:
    """A box that is put where a hand hangs is touched by that hand, not as planned, and by nothing else."""
    session = WalkSession(scene="flat", code=code)
    session.run(0.2)
    assert session.walker.touches() == ()
    hand = frame_pose(code.body.robot, session.walker.arrays[0].q, "LH").translation
    x, y, z = (hand + np.array([0.0, 0.06, 0.0])).tolist()
    session.happen("add", name="box", size=(0.1, 0.1, 0.1), position=(x, y, z))
    session.run(0.2)
    touches = session.walker.touches()
    assert {each.thing for each in touches} == {"box"}
    assert not any(each.planned for each in touches)
    assert min(each.begin for each in touches) == pytest.approx(0.2, abs=0.1)
