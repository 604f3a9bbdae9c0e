"""Every type of action, from a request to a motion; what may be replanned, and how long all of it takes."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import WalkingTransition, generate_motion
from footfall.errors import InvalidInput, UnknownName
from footfall.gait.plan import Action, MotionPlan
from footfall.motion.motion import Motion
from footfall.planning import (
    FollowFile,
    FollowSteps,
    Perform,
    PlanningContext,
    Stand,
    Teleoperate,
    TransitionPlanner,
    VelocityCommand,
    WalkStraight,
)
from footfall.planning.transition_planner import Request
from tests.motion.lola import IDLE, MODEL

CONTEXT = PlanningContext(MODEL)
REQUESTS: list[Request] = [
    Stand(2.0),
    WalkStraight(1.2),
    FollowSteps((WalkingTransition(forward=0.2), WalkingTransition(forward=0.2, yaw=0.1))),
    FollowFile("straight"),
    Teleoperate(VelocityCommand(0.3, 0.05, 0.1)),
    Perform("bow"),
    Perform("look_around"),
    Perform("one_leg", {"foot": "LF"}),
    Perform("wave", {"times": 2}),
    Perform("balance", {"hand": "RH", "position": (0.1, -0.4, 1.0), "force": (0.0, 0.0, 20.0)}),
]


@pytest.mark.parametrize(
    "request_", REQUESTS, ids=lambda each: f"{type(each).__name__}-{getattr(each, 'motion', '')}"
)
def test_every_action_is_a_motion_that_ends_at_rest(request_: Request) -> None:
    planner = TransitionPlanner(CONTEXT)
    sequence = planner.plan(request_, IDLE)
    assert sequence.action is request_.action
    assert sequence.begin.equivalent(IDLE)
    assert sequence.end.double_support
    assert not any(hand.closed for hand in sequence.end.hands)
    last = sequence.transitions[-1]
    assert last.begin.equivalent(last.end)
    motion = generate_motion(MotionPlan((sequence,)), MODEL)
    assert motion.duration > 0.0
    assert planner.predicted(request_.action) > 0.0


def test_the_source_duration_identity_holds() -> None:
    # Seiwald 2023, table 5.4: T = 0.8 (n - 1) + 0.32 + 0.8 + 0.4 n_slow, n transitions, n_slow of them of 1.2 s.
    for slow in (0, 3):
        steps = tuple(
            WalkingTransition(forward=0.3, duration=1.2 if k < slow + 1 and k else None) for k in range(7)
        )
        sequence = TransitionPlanner(CONTEXT).plan(FollowSteps(steps), IDLE)
        n = len(sequence.transitions)
        assert n == len(steps) + 2  # a closing step and the rest at the end
        motion = generate_motion(MotionPlan((sequence,)), MODEL)
        assert motion.duration == pytest.approx(0.8 * (n - 1) + 0.32 + 0.8 + 0.4 * slow, abs=1e-9)


def test_one_leg_carries_all_while_the_other_is_up() -> None:
    sequence = TransitionPlanner(CONTEXT).plan(Perform("one_leg", {"foot": "RF", "hold": 3.0}), IDLE)
    motion = generate_motion(MotionPlan((sequence,)), MODEL)
    samples = motion.sample(motion.begin_time + 0.5 * motion.duration)
    assert samples.feet[0, 0, 2] == pytest.approx(0.08, abs=1e-6)
    assert samples.load[0, 1] == pytest.approx(1.0, abs=1e-6)  # RF, LF, RH, LH
    left = samples.feet[0, 1]
    rear, front, right, outer = MODEL.sole
    assert left[0] + rear < samples.zmp[0, 0] < left[0] + front
    assert left[1] + right < samples.zmp[0, 1] < left[1] + outer


def test_waving_moves_a_free_hand() -> None:
    sequence = TransitionPlanner(CONTEXT).plan(Perform("wave", {"hand": "LH", "swing": 0.1}), IDLE)
    hands = [each.end.left_hand for each in sequence.transitions]
    assert any(hand.task_space and not hand.closed for hand in hands)
    sides = [hand.position[1] for hand in hands if hand.task_space]
    assert max(sides) - min(sides) == pytest.approx(0.2)
    assert sequence.end.equivalent(IDLE)


def drive(planner: TransitionPlanner, motion: Motion, commands: list[VelocityCommand]) -> Motion:
    """Each second another command."""
    now = motion.begin_time
    for command in commands:
        now += 1.0
        motion = planner.change(motion, now, Teleoperate(command))
    return motion


def test_a_joystick_changes_a_walk_while_it_goes_on() -> None:
    planner = TransitionPlanner(CONTEXT)
    motion = planner.begin(Teleoperate(VelocityCommand(0.4)), IDLE)
    motion = drive(
        planner, motion, [VelocityCommand(0.4, turn=0.2), VelocityCommand(0.2, left=0.1), VelocityCommand()]
    )
    assert motion.plan.end.double_support
    times = np.arange(motion.begin_time, motion.end_time, 0.005)
    torso = motion.sample(times).torso[:, 0]
    assert np.abs(np.diff(torso, axis=0)).max() < 0.01  # no jump: 2 m/s at most
    assert motion.plan.transitions[-1].begin.equivalent(motion.plan.transitions[-1].end)


def test_what_may_not_be_replanned_is_refused() -> None:
    planner = TransitionPlanner(CONTEXT)
    motion = planner.begin(WalkStraight(1.0), IDLE)
    with pytest.raises(InvalidInput, match="not replanned"):
        planner.change(motion, 1.0, Teleoperate(VelocityCommand(0.1)))
    assert [action for action in Action if action.replannable] == [Action.TELEOPERATED, Action.AUTONOMOUS]


def test_files_of_several_sequences_and_unknown_motions_are_refused() -> None:
    planner = TransitionPlanner(CONTEXT)
    with pytest.raises(InvalidInput, match="load_plan"):
        planner.plan(FollowFile("special"), IDLE)
    with pytest.raises(UnknownName, match="wave"):
        planner.plan(Perform("dance"), IDLE)  # type: ignore[arg-type]
