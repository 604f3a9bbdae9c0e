"""Walking by hand: commands become steps within their limits, outwards only, and come to what was wanted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from footfall.errors import InvalidAction
from footfall.gait import walking_sequence
from footfall.planning import PlannerParameters, VelocityCommand, commanded_step, commanded_steps
from footfall.planning.teleoperation import first_foot
from tests.motion.lola import IDLE, LOLA

LIMITS = PlannerParameters().step
SECONDS = 0.8
speeds = st.floats(-5.0, 5.0)


@given(speeds, speeds, speeds, st.sampled_from(["RF", "LF"]))
def test_steps_keep_the_limits_and_go_outwards(forward: float, left: float, turn: float, moving: str) -> None:
    step = commanded_step(VelocityCommand(forward, left, turn), moving)  # type: ignore[arg-type]
    outward = 1.0 if moving == "LF" else -1.0
    assert -LIMITS.backward_m <= step.forward <= LIMITS.forward_m
    assert 0.0 <= outward * step.left <= LIMITS.outward_m
    assert 0.0 <= outward * step.yaw <= math.radians(LIMITS.turn_deg)
    longest = LIMITS.forward_m if step.forward >= 0.0 else LIMITS.backward_m
    assert abs(step.forward) / longest + abs(step.left) / LIMITS.outward_m <= 1.0 + 1e-12


@given(st.floats(-0.2, 0.6), st.floats(-0.08, 0.08), st.floats(-0.1, 0.1))
def test_two_steps_go_the_way_of_two(forward: float, left: float, turn: float) -> None:
    assume(forward or left or turn)
    # Below the limits the way of a pair of steps is velocity times the time of two transitions.
    one, other = commanded_steps(VelocityCommand(0.5 * forward, left, turn), "LF", count=2)
    assert one.forward + other.forward == pytest.approx(0.5 * forward * 2 * SECONDS, abs=1e-12)
    assert one.left + other.left == pytest.approx(left * 2 * SECONDS, abs=1e-12)
    assert one.yaw + other.yaw == pytest.approx(turn * 2 * SECONDS, abs=1e-12)


def test_a_plan_comes_where_it_was_sent() -> None:
    command = VelocityCommand(left=0.1)
    first = first_foot(command, IDLE)
    assert first == "LF"  # to the left the left foot goes first
    steps = commanded_steps(command, first, count=6)
    end = walking_sequence(steps, IDLE, LOLA, first_swing=first).end
    middle = (np.array(end.right_foot.position) + np.array(end.left_foot.position)) / 2
    np.testing.assert_allclose(middle, [0.0, 6 * 0.8 * 0.1, 0.0], atol=1e-12)


def test_standing_is_no_step_and_nonsense_is_refused() -> None:
    assert commanded_steps(VelocityCommand(), "RF") == []
    with pytest.raises(InvalidAction, match="forward"):
        VelocityCommand(forward=math.nan)
    with pytest.raises(InvalidAction, match="count"):
        commanded_steps(VelocityCommand(1.0), "RF", count=-1)


def test_steps_do_change_with_the_command() -> None:
    slow, fast = (commanded_step(VelocityCommand(v), "RF").forward for v in (0.2, 0.4))
    assert fast == pytest.approx(2 * slow)
