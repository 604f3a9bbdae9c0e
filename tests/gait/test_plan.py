"""The plan tree: steps, actions, cutting and stopping, files (Seiwald 2023, sections 5.2, 5.3)."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InvalidInput, InvalidTransition, TooLate, UnknownName
from footfall.gait import actions
from footfall.gait.plan import (
    Action,
    MotionPlan,
    Phase,
    PhaseKind,
    PlanSlot,
    TransitionSequence,
    cut_back,
    cut_front,
)
from footfall.gait.plan_file import build_plan, plan_names, read_plan_description
from footfall.gait.plan_record import plan_from_json, plan_to_json, read_plan, write_plan
from footfall.gait.poses import FootContact
from footfall.gait.walking_transitions import (
    GaitDimensions,
    HandTarget,
    WalkingTransition,
    apply_step,
    com_lowering,
    idle_pose,
    stop,
    walking_sequence,
)

LOLA = GaitDimensions(0.9, 0.275, (0.22, 0.2025, 0.97), float(np.deg2rad(-25.0)), 0.87)
PHASES = (Phase(PhaseKind.LOAD_SWITCH, 0.16), Phase(PhaseKind.MOTION, 0.64))


def timed(sequence: TransitionSequence) -> TransitionSequence:
    """The sequence with phases of 0.8 s each."""
    return replace(sequence, transitions=tuple(replace(t, phases=PHASES) for t in sequence.transitions))


def test_one_step_makes_three_transitions() -> None:
    """Seiwald 2023, section 5.2: a closing step and a final load switch are added."""
    sequence = walking_sequence([WalkingTransition(forward=0.4)], idle_pose(LOLA), LOLA)
    assert len(sequence.transitions) == 3
    assert sequence.end.right_foot.position[0] == pytest.approx(0.4)
    assert sequence.end.left_foot.position[0] == pytest.approx(0.4)
    assert sequence.transitions[-1].begin.equals(sequence.end)


def test_feet_alternate_and_the_first_can_be_chosen() -> None:
    for first in ("RF", "LF"):
        sequence = walking_sequence(
            [WalkingTransition(forward=0.2)] * 4, idle_pose(LOLA), LOLA, first_swing=first
        )
        stances = [transition.end.stance for transition in sequence.transitions[:4]]
        other = "LF" if first == "RF" else "RF"
        assert stances == [first, other, first, other]


def test_lowering_of_the_centre_of_mass() -> None:
    """Seiwald 2023, section 5.4."""
    for forward, lowering in ((0.2, 1.84e-3), (0.4, 7.42e-3), (0.5, 11.65e-3), (0.64, 19.26e-3)):
        assert com_lowering(forward, 0.87) == pytest.approx(lowering, abs=5e-6)
    end = apply_step(WalkingTransition(forward=0.4, com_shift=-0.01), idle_pose(LOLA), LOLA).end
    assert end.com_height == pytest.approx(0.9 - 7.42e-3 - 0.01, abs=5e-6)


def test_head_follows_the_upper_body() -> None:
    step = WalkingTransition(yaw=0.3, head_pan=0.2, head_tilt=-0.1)
    end = apply_step(step, idle_pose(LOLA), LOLA).end
    w, x, y, z = end.head
    ahead = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    # Half the yaw: the mean of both feet.
    assert np.arctan2(ahead[1], ahead[0]) == pytest.approx(0.15 + 0.2, abs=1e-9)
    assert np.arcsin(ahead[2]) == pytest.approx(-0.1, abs=1e-9)


def test_the_hand_of_the_platform_stays_at_one_place() -> None:
    """Seiwald 2023, table 5.3: over two transitions, on a wall at y = 0.7 m."""
    plan = build_plan(read_plan_description("platform"), LOLA)
    for first in (8, 14):
        places = [np.array(plan.transitions[k].end.left_hand.position) for k in (first, first + 1)]
        assert places[0] == pytest.approx(places[1], abs=1e-12)
        assert places[0][1] + 0.05 == pytest.approx(0.7)
    xs = [plan.transitions[k].end.stance_foot.position[0] for k in (7, 8, 13, 14)]
    assert xs == pytest.approx([1.2, 1.5, 2.65, 3.05])


def test_curve_ends_straight() -> None:
    plan = build_plan(read_plan_description("curve"), LOLA)
    assert len(plan.transitions) == 31
    assert plan.end.upper_body == pytest.approx((1.0, 0.0, 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("distance", [0.05, 1.0, 2.35, -1.2])
def test_straight_covers_its_distance(distance: float) -> None:
    steps = actions.straight(distance)
    lengths = np.array([step.forward for step in steps])
    assert lengths.sum() == pytest.approx(distance)
    assert np.abs(lengths).max() <= 0.4 + 1e-12
    assert np.abs(np.diff(np.abs(lengths))).max(initial=0.0) <= 0.1 + 1e-12


def test_sideways_and_turn_arrive() -> None:
    left = walking_sequence(actions.sideways(0.25), idle_pose(LOLA), LOLA, first_swing="LF")
    assert left.end.right_foot.position[1] == pytest.approx(-0.1375 + 0.25)
    turn = walking_sequence(actions.turn_in_place(1.0), idle_pose(LOLA), LOLA, first_swing="LF")
    assert 2 * np.arctan2(turn.end.upper_body[3], turn.end.upper_body[0]) == pytest.approx(1.0)


def test_a_tiptoe_walk_ends_on_whole_soles() -> None:
    steps = actions.tiptoe(actions.stamping(3))
    sequence = walking_sequence(steps, idle_pose(LOLA), LOLA)
    assert len(sequence.transitions) == 6  # two closing steps
    assert {sequence.end.right_foot.contact, sequence.end.left_foot.contact} == {FootContact.FULL}


def test_poses_must_meet() -> None:
    first = walking_sequence([WalkingTransition(forward=0.2)], idle_pose(LOLA), LOLA).transitions
    with pytest.raises(InvalidTransition, match=r"transition 1: its begin pose is not equivalent") as problem:
        TransitionSequence(Action.STEPS, (first[0], first[2]))
    assert problem.value.number == 1
    away = actions.idle(idle_pose(LOLA, position=(1.0, 0.0, 0.0)))
    with pytest.raises(InvalidInput, match="must begin with the pose"):
        MotionPlan((actions.idle(idle_pose(LOLA)), away))


def test_cut_front_and_back() -> None:
    sequence = timed(walking_sequence([WalkingTransition(forward=0.2)] * 5, idle_pose(LOLA), LOLA))
    plan = MotionPlan((sequence, timed(actions.idle(sequence.end))), begin_time=10.0)
    assert plan.end_time == pytest.approx(10.0 + 8 * 0.8)
    later = cut_front(plan, 10.0 + 2.5)
    assert later.begin_time == pytest.approx(10.0 + 2.4)
    assert len(later.transitions) == 5
    assert later.begin.equivalent(sequence.transitions[3].begin)
    assert later.end_time == pytest.approx(plan.end_time)
    assert cut_back(sequence, 2).transitions == sequence.transitions[:3]
    with pytest.raises(InvalidInput, match="no transition 9"):
        cut_back(sequence, 9)


def test_stop_closes_the_feet() -> None:
    sequence = timed(walking_sequence([WalkingTransition(forward=0.2)] * 5, idle_pose(LOLA), LOLA))
    stopped = stop(MotionPlan((sequence,)), 1.0, LOLA)
    assert len(stopped.transitions) == 4  # two begun, a closing step, the final one
    assert stopped.end.right_foot.position[0] == pytest.approx(stopped.end.left_foot.position[0])
    bow = timed(actions.bow(idle_pose(LOLA)))
    assert stop(MotionPlan((bow,)), 0.1, LOLA).transitions == bow.transitions  # goes on to its end


def test_replacement_is_atomic() -> None:
    slot = PlanSlot("first")
    slot.replace("second", of="first")
    assert slot.current == "second"
    with pytest.raises(TooLate):
        slot.replace("third", of="first")
    winners: list[int] = []

    def compete(number: int, base: str) -> None:
        try:
            slot.replace(f"plan {number}", of=base)
        except TooLate:
            return
        winners.append(number)

    base = slot.current
    threads = [threading.Thread(target=compete, args=(number, base)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(winners) == 1


@pytest.mark.parametrize("name", plan_names())
def test_shipped_plans_survive_writing(name: str, tmp_path: Path) -> None:
    plan = build_plan(read_plan_description(name), LOLA)
    write_plan(plan, tmp_path / "plan.json")
    again = read_plan(tmp_path / "plan.json")
    assert again == plan
    assert plan_to_json(again) == plan_to_json(plan)


def test_hands_have_three_numbers() -> None:
    with pytest.raises(InvalidInput, match=r"force of a hand is \(1.0, 2.0\); it must be 3 numbers"):
        HandTarget(force=(1.0, 2.0))  # type: ignore[arg-type]


def test_broken_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="plan"):
        plan_from_json(b'{"sequences": [')
    for text, words in (
        ('[[action]]\nkind = "fly"', "plan.toml:2: .*Invalid value 'fly'; there are: .*straight"),
        ('[[action]]\nkind = "turn"\nangel = 1.0', "unknown field `angel`; there are: angle, sharpest$"),
        ('[[action]]\nkind = "straight"\ndistance = 1.0\nspeed = 3', "unknown field `speed`"),
        ('[[action]]\nkind = "steps"\nstep = [{ forward = "far" }]', "Expected `float`"),
        ("action = []", "length >= 1"),
        ('[[action]]\nkind = "stairs"\ncount = 100000\nrise = 0.1\ntread = 0.3', "<= 1000"),
    ):
        path = tmp_path / "plan.toml"
        path.write_text(text)
        with pytest.raises(InvalidInput, match=words):
            read_plan_description(path)
    with pytest.raises(UnknownName, match="platform"):
        read_plan_description("plattform")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e9])
def test_absurd_ways_are_refused_at_once(value: float) -> None:
    for ask in (
        lambda: actions.straight(value),
        lambda: actions.sideways(value),
        lambda: actions.turn_in_place(value),
        lambda: actions.curve(value, 0.1),
        lambda: actions.curve(1.0, value),
    ):
        with pytest.raises(actions.InvalidInput, match="at most 10000 steps"):
            ask()
    with pytest.raises(actions.InvalidInput, match="more than 10000 steps"):
        actions.straight(2000.0, shortest=0.1, gradient=1e-12)


def test_counts_and_times_without_meaning_are_refused() -> None:
    for count in (-3, 1.5, 10**9):
        for make in (actions.stamping, lambda count: actions.stairs(count, 0.1, 0.3)):
            with pytest.raises(actions.InvalidInput, match="count is"):
                make(count)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="begins at nan s"):
        MotionPlan((actions.idle(idle_pose(LOLA)),), begin_time=float("nan"))
