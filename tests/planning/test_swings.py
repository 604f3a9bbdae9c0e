"""Feet on their way against the ground: what is in it is seen, and lifted out of it."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import MotionPlan, WalkingTransition, generate_motion
from footfall.environment import Terrain, terrain_from_cells
from footfall.gait import FootContact, walking_sequence
from footfall.motion.feet_alone import plan_feet_alone
from footfall.motion.parameters import MotionParameters
from footfall.planning.swings import ALLOWED, Swings, lifted_steps, over_ground, swing_depths
from tests.motion.lola import IDLE, LOLA, MODEL

# Footholds at 0.2, 0.6, 1.0 and 1.4 m, feet of 0.28 m whose front is 4 cm ahead: the way from 0.65 to 0.76 m is free.
STEPS = [WalkingTransition(forward=length, duration=1.2) for length in (0.2, 0.4, 0.4, 0.4, 0.2)]
BAR = (0.68, 0.72)


def ground(height: float) -> Terrain:
    """Level but for a bar across the way."""
    heights = np.zeros((300, 200))
    heights[round(100 * BAR[0]) + 50 : round(100 * BAR[1]) + 50] = height
    return terrain_from_cells(heights, np.ones(heights.shape), first=(-50, -100))


def depths(steps: list[WalkingTransition], terrain: Terrain) -> np.ndarray:
    feet = plan_feet_alone(walking_sequence(steps, IDLE, LOLA), MODEL, MotionParameters())
    return swing_depths(feet, MODEL, terrain.packed)


def test_level_ground_is_never_touched_on_the_way() -> None:
    # The lowest corner of a sole is where it stands, to rounding.
    assert depths(STEPS, ground(0.0)).max() == pytest.approx(0.0, abs=1e-6)


def test_a_bar_is_as_deep_in_a_foot_as_it_is_above_its_way() -> None:
    low, high = depths(STEPS, ground(0.05)), depths(STEPS, ground(0.10))
    hit = low > ALLOWED
    assert hit.any()
    # 5 cm more of the bar are 5 cm more in the foot; at its edge heights rise over a cell, where it may be less.
    more = high[hit] - low[hit]
    assert more.max() == pytest.approx(0.05, abs=1e-9)
    assert more.min() > 0.04


def test_steps_are_raised_until_they_are_free() -> None:
    terrain, steps = ground(0.08), list(STEPS)
    before = depths(steps, terrain)
    assert (before > ALLOWED).any()
    for _ in range(5):
        steps = lifted_steps(steps, depths(steps, terrain), 0.03)
    assert (depths(steps, terrain) <= ALLOWED).all()
    for number, (step, old) in enumerate(zip(steps, STEPS, strict=True)):
        assert (step == old) == (before[number] <= ALLOWED)  # only those that were too low


def test_feet_alone_move_as_in_the_whole_motion() -> None:
    steps = [
        WalkingTransition(forward=0.2, up=0.1, step_height=0.08, swing_timing=0.5),
        WalkingTransition(forward=0.3, yaw=0.2),
        WalkingTransition(forward=0.3, up=-0.1, contact=FootContact.TIPTOE),
        WalkingTransition(forward=0.2),
    ]
    sequence = walking_sequence(steps, IDLE, LOLA)
    motion = generate_motion(MotionPlan((sequence,)), MODEL, check=False)
    times = np.linspace(motion.begin_time, motion.end_time, 400)
    whole, alone = (
        motion.sample(times),
        plan_feet_alone(sequence, MODEL, MotionParameters()).sample(times),
    )
    for name in ("feet", "toes"):
        np.testing.assert_array_equal(getattr(alone, name), getattr(whole, name))
    np.testing.assert_array_equal(alone.quaternions[:, 2:], whole.quaternions[:, 2:])
    assert np.ptp(whole.toes) > 0.1  # there is something to compare


def test_lifted_transitions_are_those_of_lifted_steps() -> None:
    sequence = walking_sequence(STEPS, IDLE, LOLA)
    lifted = over_ground(Swings(tuple(STEPS), sequence), MODEL, ground(0.08).packed)
    assert lifted.steps != tuple(STEPS)
    assert lifted.sequence == walking_sequence(lifted.steps, IDLE, LOLA)
