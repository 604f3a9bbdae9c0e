"""Steps that are cut short while they run: the foot in the air is set down earlier, and the robot comes to rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import InvalidTransition
from footfall.gait import walking_sequence
from footfall.gait.plan import Action, MotionPlan
from footfall.gait.poses import RobotPose
from footfall.gait.walking_transitions import HandTarget, WalkingTransition
from footfall.math.interpolation import rest_to_rest
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.motion.curves import join_rotations
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.motion.replanning import continuation, replan, stop_motion
from footfall.motion.set_down import can_set_down, earliest_stop, set_down, stop_at_once
from footfall.motion.verification import verify_motion
from tests.motion.lola import IDLE, LOLA, MODEL

NUMBERS = ("feet", "torso", "center_of_mass", "toes", "hands", "rotations")


@pytest.fixture(scope="module")
def motion() -> Motion:
    steps = [WalkingTransition(forward=length) for length in (0.2, 0.4, 0.5, 0.5, 0.5, 0.3)]
    sequence = walking_sequence(steps, IDLE, LOLA, action=Action.AUTONOMOUS)
    return generate_motion(MotionPlan((sequence,)), MODEL)


def swinging(motion: Motion, number: int, share: float) -> float:
    """Time within a transition, s."""
    _, _, begin, end = list(motion.plan.spans())[number]
    return begin + share * (end - begin)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.35, 0.5])
def test_a_step_is_cut_short_without_a_jump(motion: Motion, share: float) -> None:
    ready = swinging(motion, 3, share)
    stopped = earliest_stop(motion, ready, lambda _: True)
    assert stopped is not None
    # Before, it is the motion that it was...
    times = np.linspace(motion.begin_time, ready - 1e-9, 50)
    for name in NUMBERS:
        np.testing.assert_allclose(
            getattr(stopped.sample(times), name), getattr(motion.sample(times), name), atol=1e-9
        )
    # ...and goes on with continuous accelerations: jerks below 500 m/s3 change them by less than 1e-4 m/s2 in 0.2 us.
    around = stopped.sample(np.array([ready - 1e-7, ready + 1e-7]))
    assert max(float(np.abs(np.diff(getattr(around, name), axis=0)).max()) for name in NUMBERS) < 1e-4
    checked = verify_motion(stopped)
    assert checked.zmp_margin > -motion.parameters.limit.outside_m
    assert checked.jump < 1e-8
    assert checked.clearance > -1e-3
    # It stands a quarter of a step nearer at least than by finishing the step.
    usual = stop_motion(motion, ready)
    nearer = usual.sample(usual.end_time).torso[0, 0] - stopped.sample(stopped.end_time).torso[0, 0]
    assert nearer > 0.12


def test_what_cannot_be_walked_is_refused(motion: Motion) -> None:
    with pytest.raises(InvalidTransition, match="zero-moment point"):
        set_down(motion, swinging(motion, 3, 0.6), 0.0)


def test_feet_are_set_down_where_they_may_stand(motion: Motion) -> None:
    ready = swinging(motion, 3, 0.2)
    landed: list[float] = []

    def stands(pose: RobotPose) -> bool:
        landed.append(pose.stance_foot.position[0])
        return len(landed) > 2

    stopped = earliest_stop(motion, ready, stands)
    assert stopped is not None
    assert stopped.given.transitions[3].end.stance_foot.position[0] == pytest.approx(landed[-1])
    assert earliest_stop(motion, ready, lambda _: False) is None


def test_late_steps_steps_up_and_hands_are_left_alone(motion: Motion) -> None:
    assert can_set_down(motion, swinging(motion, 3, 0.3))
    assert not can_set_down(motion, swinging(motion, 3, 0.8))
    up = [
        WalkingTransition(forward=0.3),
        WalkingTransition(forward=0.3, up=0.1, duration=1.2),
        WalkingTransition(),
    ]
    hand = HandTarget((0.15, -0.4, 1.1), (0.0, 30.0, 0.0))
    held = [replace(step, right_hand=hand, up=0.0, duration=1.2) for step in up]
    for steps in (up, held):
        sequence = walking_sequence(steps, IDLE, LOLA, action=Action.AUTONOMOUS)
        other = generate_motion(MotionPlan((sequence,)), MODEL)
        assert not can_set_down(other, swinging(other, 1, 0.3))


@pytest.mark.parametrize("pauses", [False, True])
def test_a_step_that_a_new_plan_has_left_running_ends_when_it_would(pauses: bool) -> None:
    """The front of such a motion is cut off: its first step goes on from another one, as fast as that."""
    turns = [WalkingTransition(forward=0.2, yaw=0.2) for _ in range(6)]
    sequence = walking_sequence(turns, IDLE, LOLA, action=Action.AUTONOMOUS)
    first = generate_motion(MotionPlan((sequence,)), MODEL)
    at = continuation(first, swinging(first, 3, 0.1))
    again = replan(first, at, sequence.transitions[4:])
    ready = swinging(again, 0, 0.4)
    stopped = stop_at_once(again, ready) if pauses else earliest_stop(again, ready, lambda _: True)
    assert stopped is not None
    assert next(stopped.plan.spans()) == next(again.plan.spans())
    times = np.arange(ready - 0.01, stopped.end_time, 1e-3)
    moved = stopped.sample(times)
    # Below 1 m/s and 2 rad/s; the foot was set beside itself by 3 cm and 6 degrees as it landed.
    assert (
        max(float(np.abs(np.diff(getattr(moved, name)[:, 0], axis=0)).max()) for name in NUMBERS[:3]) < 2e-3
    )
    assert float(np.abs(np.diff(moved.quaternions, axis=0)).max()) < 1e-3
    assert float(np.abs(moved.feet[:, 2]).max()) < 2.0 * float(np.abs(again.sample(times).feet[:, 2]).max())


def test_a_rotation_that_rests_at_its_end_goes_on_as_it_ended() -> None:
    # A foot turns by 30 degrees, rests, and goes on resting by another plan. Before, a period in the last microsecond
    # before it landed saw it as it had lifted off: hips were asked for 551 % of their speed.
    turn = np.radians(np.array([0.0, 10.0, 20.0, 30.0])) / 2.0
    controls = np.stack([np.cos(turn), 0.0 * turn, 0.0 * turn, np.sin(turn)], axis=1)[None]
    timing = rest_to_rest([0.0, 0.5, 1.0], [[0.0], [1.0], [1.0]])
    turning = QuaternionTrajectory(CubicQuaternionSpline(controls), timing)
    resting = turning.cut(0.75, 1.0)
    joined = join_rotations([turning, resting.shifted(0.25), resting.shifted(0.5)])
    at = np.linspace(0.0, 1.5, 301)
    np.testing.assert_allclose(joined(at), turning(np.minimum(at, 1.0)), atol=1e-12)
