"""Steps written as a plan file and played again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall import MotionPlan, WalkingTransition, load_plan
from footfall.errors import InvalidInput
from footfall.gait import FootContact, HandTarget, idle_pose, walking_sequence, write_plan_file
from footfall.gait.plan_writer import plan_file_text
from tests.motion.lola import IDLE, LOLA, MODEL

STEPS = [
    WalkingTransition(forward=0.3, yaw=0.1),
    WalkingTransition(
        forward=1 / 3,
        up=0.1,
        pitch=0.02,
        duration=1.2,
        step_height=0.07,
        swing_timing=0.5,
        contact=FootContact.PARTIAL,
        left_hand=HandTarget((0.1, 0.5, 1.2), (0.0, -50.0, 0.0)),
        right_hand=HandTarget(closed=True),
    ),
    WalkingTransition(left=-0.1, com_shift=0.01, head_tilt=-0.2),
]


@pytest.mark.parametrize("swing", ["RF", "LF"])
def test_a_written_plan_plays_back(tmp_path: Path, swing: str) -> None:
    start = idle_pose(LOLA, position=(1.25, -0.5, 0.1), yaw=0.3, stance="LF" if swing == "RF" else "RF")
    path = tmp_path / "steps.toml"
    write_plan_file(path, STEPS, start, LOLA, description="three steps")
    again = load_plan(path, MODEL)
    expected = MotionPlan((walking_sequence(STEPS, start, LOLA),))
    for one, other in zip(again.poses, expected.poses, strict=True):
        np.testing.assert_allclose(
            [*one.right_foot.position, *one.left_foot.position, *one.left_hand.position],
            [*other.right_foot.position, *other.left_foot.position, *other.left_hand.position],
            atol=1e-9,
        )
        assert [foot.contact for foot in one.feet] == [foot.contact for foot in other.feet]
    # Written, read and written again it is the same text.
    begin = again.begin.with_stance(start.stance)
    assert plan_file_text(STEPS, begin, LOLA, description="three steps") == path.read_text()


def test_from_the_origin_all_bits_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "steps.toml"
    write_plan_file(path, STEPS, IDLE, LOLA)
    expected = walking_sequence(STEPS, IDLE, LOLA, first_swing=IDLE.swing)
    assert load_plan(path, MODEL).poses == MotionPlan((expected,)).poses


def test_steps_that_begin_on_the_way_are_refused(tmp_path: Path) -> None:
    walking = walking_sequence(STEPS, IDLE, LOLA).transitions[0].end
    with pytest.raises(InvalidInput, match="write_plan"):
        write_plan_file(tmp_path / "steps.toml", STEPS, walking, LOLA)
