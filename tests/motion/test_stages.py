"""Feet, toes, hands, upper body, head, selection, load and wrench, Seiwald 2023, sections 6.6 to 6.13."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import InvalidTransition
from footfall.gait import actions
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import FootContact
from footfall.gait.walking_transitions import HandTarget, WalkingTransition
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.feet import _roll_off, plan_feet
from footfall.motion.hands import plan_hand, plan_selection
from footfall.motion.parameters import MotionParameters, SelectionParameters
from footfall.motion.pipeline import generate_motion, plan_head, plan_upper_body
from footfall.motion.schedule import Schedule, plan_phases
from footfall.motion.support import Sole
from footfall.motion.toes import plan_toe, toe_angle, toe_shape
from footfall.motion.zero_moment_point import plan_load
from tests.motion.lola import IDLE, LOLA, MODEL, walk

DEFAULTS = MotionParameters()
WALL = HandTarget((0.0, 0.7875, 1.25), (0.0, -50.0, 0.0))


def schedule(plan: MotionPlan) -> Schedule:
    return plan_phases(plan.sequences[0], DEFAULTS.phase)


def swing(forward: float, timing: float, **options: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, positions and quaternions of the left foot, which stands beside the right one, in one stride."""
    steps = [
        WalkingTransition(forward=forward / 2),
        WalkingTransition(forward=forward / 2, swing_timing=timing, **options),
    ]
    plan = schedule(walk(steps))
    feet = plan_feet(plan, MODEL, DEFAULTS.foot)
    times = np.linspace(plan.times[3], plan.times[4], 2001)
    return times, feet.positions[1](times), feet.rotations[1](times)


@pytest.mark.parametrize(
    ("stride", "timing", "apex"),
    [
        (0.2, 0.0, 30.3),
        (0.2, 0.5, 30.9),
        (0.4, 0.0, 30.6),
        (0.4, 0.5, 31.9),
        (0.8, 0.0, 31.1),
        (0.8, 0.5, 33.7),
    ],
)
def test_apex_of_the_spec(stride: float, timing: float, apex: float) -> None:
    """Seiwald 2023, section 6.7, mm; the foot starts at rest beside the other, so that the stride counts."""
    _, positions, quaternions = swing(stride, timing)
    travelled = positions[-1, 0] - positions[0, 0]
    assert travelled == pytest.approx(stride)
    assert 1e3 * positions[:, 2].max() == pytest.approx(apex, abs=0.05)
    tilt = 2 * np.arcsin(np.abs(quaternions[:, 2]).max())
    assert tilt == pytest.approx(0.2887 * np.arcsin(0.1 * stride), rel=1e-3)


@settings(max_examples=60)
@given(st.floats(-0.5, 0.9), st.floats(0.0, 1.0), st.floats(0.0, 0.08), st.floats(-0.3, 0.3))
def test_sole_stays_above_the_ground(stride: float, timing: float, height: float, yaw: float) -> None:
    """Whatever the step height: without one the foot rises as far as its tilt needs."""
    _, positions, quaternions = swing(stride, timing, step_height=height, yaw=yaw)
    rear, front, right, left = MODEL.sole
    corners = np.array([[x, y, 0.0] for x in (rear, front) for y in (right, left)])
    heights = (rotate_by_quaternion(quaternions[:, None], corners) + positions[:, None])[..., 2]
    assert heights.min() > -1e-9


def test_low_steps_rise_no_more_than_they_must() -> None:
    """A stride of 0.8 m tilts the sole of 0.28 m by 1.3 degrees: 17 mm are needed, 3 cm have them anyway."""
    apexes = [swing(0.8, 0.0, step_height=height)[1][:, 2].max() for height in (0.0, 0.005, 0.02)]
    assert apexes[0] == pytest.approx(0.0177, abs=1e-3)
    assert apexes[1] == apexes[0]
    assert apexes[2] == pytest.approx(0.0211, abs=1e-4)
    assert swing(0.0, 0.0, step_height=0.0)[1][:, 2].max() == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=30)
@given(st.floats(-0.5, 0.5))
def test_roll_off_keeps_the_critical_edge_where_it_is(pitch: float) -> None:
    """Seiwald 2023, (6.6): toes if the heel is up, heel if the toes are; the foot never moves down for it."""
    sole = Sole(*MODEL.sole)
    forward, up = _roll_off(pitch, sole)
    edge = sole.front if pitch >= 0.0 else sole.rear
    turned = np.array([edge * np.cos(pitch), -edge * np.sin(pitch)])
    assert turned + np.array([forward, up]) == pytest.approx([edge, 0.0], abs=1e-15)
    assert up >= 0.0


def test_backward_steps_tilt_the_other_way() -> None:
    forward, backward = swing(0.3, 0.0)[2], swing(-0.3, 0.0)[2]
    assert backward[:, 2] == pytest.approx(-forward[:, 2], abs=1e-12)


def test_decoupled_swing_lifts_before_it_advances() -> None:
    times, positions, _ = swing(0.4, 1.0)
    share = (times - times[0]) / (times[-1] - times[0])
    level = (share > 0.25) & (share < 0.75)
    assert np.ptp(positions[level, 2]) < 1e-9
    assert np.abs(np.diff(positions[share < 0.24, 0])).max() < 1e-4  # only the roll-off


def test_upper_body_turns_by_a_smooth_step_and_rests_at_the_ends() -> None:
    """Seiwald 2023, section 6.6: closed form."""
    plan = plan_phases(actions.bow(IDLE, angle=0.3), DEFAULTS.phase)
    body = plan_upper_body(plan)
    start, stop = plan.times[1], plan.times[2]
    share = np.linspace(0.0, 1.0, 101)
    quaternion, spin, change = body.sample(start + share * (stop - start))
    eta = 10 * share**3 - 15 * share**4 + 6 * share**5
    angle = 0.3 * (3 * eta**2 - 2 * eta**3)
    assert 2 * np.arcsin(quaternion[:, 2]) == pytest.approx(angle, abs=1e-12)
    assert np.abs(np.concatenate([spin[[0, -1]], change[[0, -1]]])).max() < 1e-9
    numeric = np.gradient(angle, share * (stop - start))
    assert spin[5:-5, 1] == pytest.approx(numeric[5:-5], abs=2e-3)
    head = plan_head(plan)
    assert head(stop) == pytest.approx(plan.end[0]["head"], abs=1e-12)


@pytest.mark.parametrize(
    ("forward", "up", "degrees"), [(0.4, 0.0, 10.0), (0.2, 0.125, 21.5), (0.2, 0.0, 0.0)]
)
def test_toes_bend_as_in_the_spec(forward: float, up: float, degrees: float) -> None:
    """Seiwald 2023, section 6.8: a stride of 0.8 m, a step of 0.125 m up; mirrored signs."""
    steps = [WalkingTransition(forward=forward)] * 3 + [WalkingTransition(forward=forward, up=up)] * bool(up)
    plan = schedule(walk(steps))
    times = np.linspace(0.0, plan.times[-1], 4001)
    right, left = (plan_toe(plan, foot, MODEL, DEFAULTS.toe)(times)[:, 0] for foot in (0, 1))
    assert np.rad2deg(max(-right.min(), left.max())) == pytest.approx(degrees, abs=0.05)
    assert right.max() <= 1e-12
    assert left.min() >= -1e-12


def test_toes_stay_within_their_limits() -> None:
    plan = schedule(walk([WalkingTransition(), WalkingTransition(forward=0.2, up=0.4)]))
    toe = plan_toe(plan, 1, MODEL, DEFAULTS.toe)
    assert toe(np.linspace(0.0, plan.times[-1], 2001)).max() == pytest.approx(np.deg2rad(48.8), abs=1e-9)


def test_tiptoe_holds_fifteen_degrees() -> None:
    plan = schedule(walk([WalkingTransition(contact=FootContact.TIPTOE)] * 4))
    landed = float(plan.times[2])
    assert np.rad2deg(plan_toe(plan, 0, MODEL, DEFAULTS.toe)(landed + 0.1)[0]) == pytest.approx(-15.0)


def hand_plan(first: bool, second: bool) -> Schedule:
    """The left hand moves from one place to another in transition 1, closed at its begin and end or not."""
    targets = [
        HandTarget((0.0, 0.65, 1.1), (0.0, -30.0, 0.0) if closed else (0.0, 0.0, 0.0), closed=closed)
        for closed in (first, second)
    ]
    steps = [
        WalkingTransition(left_hand=targets[0]),
        WalkingTransition(forward=0.2, left_hand=replace(targets[1], position=(0.1, 0.3, 1.2))),
    ]
    return schedule(walk(steps))


@pytest.mark.parametrize(("opens", "closes"), [(False, False), (True, False), (False, True), (True, True)])
def test_hands_leave_and_reach_surfaces_along_the_force(opens: bool, closes: bool) -> None:
    plan = hand_plan(opens, closes)
    hand = plan_hand(plan, 1, DEFAULTS.hand)
    start, stop = plan.times[3], plan.times[4]
    begin, end = (poses[1]["left_hand"]["position"] for poses in (plan.begin, plan.end))
    assert hand(start) == pytest.approx(begin)
    assert hand(stop) == pytest.approx(end)
    third = (stop - start) / 3
    aside = np.array([0.0, -0.07, 0.0])
    if opens:
        assert hand(start + third) == pytest.approx(begin + (end - begin) / 3 + aside)
    if closes:
        assert hand(stop - third) == pytest.approx(end - (end - begin) / 3 + aside)
    inner = np.array([start + third, stop - third])  # four times differentiable there
    before, after = hand.sample(np.nextafter(inner, 0.0), 4), hand.sample(inner, 4)
    scale = np.array([1.0, third, third**2, third**3, third**4])[:, None, None]
    assert np.abs((after - before) * scale).max() < 1e-9
    assert hand.sample(np.array([start, stop]))[1:] == pytest.approx(0.0, abs=1e-9)


def test_hands_never_go_into_the_wall() -> None:
    """On their way to a wall at y = 0.7 m, along it and off it; the hand's radius is 0.05 m."""
    steps = [
        WalkingTransition(left_hand=WALL),
        WalkingTransition(forward=0.2, left_hand=HandTarget((0.1, 0.5125, 1.1), (0.0, -50.0, 0.0))),
        WalkingTransition(forward=0.2),
    ]
    plan = schedule(walk(steps))
    course = plan_hand(plan, 1, DEFAULTS.hand)(np.linspace(0.0, plan.times[-1], 5001))
    assert course[:, 1].max() <= 0.65 + 1e-12
    along = plan.times[3:5]  # from one place on the wall to another: off it in between
    assert plan_hand(plan, 1, DEFAULTS.hand)(float(along.mean()))[1] < 0.6


def test_upper_body_stays_upright_on_sloped_feet() -> None:
    """Seiwald 2023, section 6.6: only the yaw of the feet counts."""
    plan = schedule(walk([WalkingTransition(roll=0.1, pitch=-0.15, yaw=0.2)] * 2))
    rotation = plan_upper_body(plan)(np.linspace(0.0, plan.times[-1], 200))
    assert np.abs(rotation[:, 1:3]).max() < 1e-12
    assert 2 * np.arcsin(plan.end[1]["upper_body"][3]) == pytest.approx(0.3)


def test_selection_is_blended_with_its_timing() -> None:
    plan = schedule(walk([WalkingTransition(left_hand=WALL), WalkingTransition(), WalkingTransition()]))
    selection = plan_selection(plan, 1, SelectionParameters(into=(0.0, 0.1), out=(0.1, 0.5)))
    times = np.linspace(0.0, plan.times[-1], 3001)
    values = selection(times)[:, 0]
    assert values.min() >= 0.0
    assert values.max() <= 1.0
    start, stop = plan.times[1], plan.times[2]
    assert selection(start + 0.9 * (stop - start))[0] == pytest.approx(1.0)
    assert selection(start + 0.45 * (stop - start))[0] == pytest.approx(0.5)
    start, stop = plan.times[3], plan.times[4]
    assert selection(start + 0.1 * (stop - start))[0] == pytest.approx(1.0)
    assert selection(start + 0.5 * (stop - start))[0] == pytest.approx(0.0, abs=1e-12)


def test_loads_sum_to_one_and_follow_a_straight_line_in_the_middle() -> None:
    """Seiwald 2023, section 6.12: the tangent at the centre of a load switch leads from 0 at its begin to 1 at its
    end."""
    plan = schedule(walk([WalkingTransition(forward=0.3)] * 4))
    load = plan_load(plan, DEFAULTS.load)
    times = np.linspace(0.0, plan.times[-1], 2001)
    feet = load(times)[:, :2]
    assert feet.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert feet.min() >= -1e-12
    assert load(0.0)[:2] == pytest.approx([0.5, 0.5])
    assert load(plan.times[-1])[:2] == pytest.approx([0.5, 0.5])
    switch = 4  # between two motion phases
    centre = plan.times[switch : switch + 2].mean()
    value, slope, _ = load.sample(np.array([centre]))[:, 0, :2]
    assert value == pytest.approx([0.5, 0.5])
    assert np.abs(slope) == pytest.approx(1.0 / (plan.times[switch + 1] - plan.times[switch]))


def test_short_motion_phases_leave_no_gap_between_loads() -> None:
    parameters = replace_share(0.6)
    plan = plan_phases(walk([WalkingTransition(forward=0.1)] * 3).sequences[0], parameters.phase)
    load = plan_load(plan, parameters.load)
    assert (np.diff(load.times) > 0.0).all()
    inner = load.times[1:-1]
    assert load.sample(np.nextafter(inner, 0.0)) == pytest.approx(load.sample(inner), abs=1e-6)


def replace_share(share: float) -> MotionParameters:
    import msgspec

    return msgspec.structs.replace(
        DEFAULTS, phase=msgspec.structs.replace(DEFAULTS.phase, load_switch_share=share)
    )


def test_wrench_is_there_while_the_hand_rests_on_the_wall() -> None:
    plan = plan_phases(
        actions.balance(IDLE, LOLA, hand="LH", position=(0.0, 0.7875, 1.25), force=(0.0, -50.0, 0.0)),
        DEFAULTS.phase,
    )
    load = plan_load(plan, DEFAULTS.load)
    force = load(np.linspace(0.0, plan.times[-1], 2001))[:, 11]
    held = plan.times[3:5].mean()
    assert load(held)[11] == pytest.approx(-50.0)
    assert load(held)[3] == pytest.approx(1.0)
    assert force.min() == pytest.approx(-50.0)
    assert load(plan.times[1:3].mean())[11] == pytest.approx(0.0, abs=1e-9)  # the hand is on its way


def test_toe_angle_of_a_way() -> None:
    """Seiwald 2023, (6.13): 10 degrees at 0.8 m, proportional to what a stride is longer than the sole; 3 rad for 1 m
    up."""
    toe = toe_shape(MODEL, DEFAULTS.toe, 1)
    beyond = np.deg2rad(10.0) / (0.8 - toe.sole)
    for ahead, up, expected in (
        (0.8, 0.0, np.deg2rad(10.0)),
        (-0.8, -0.1, np.deg2rad(10.0)),
        (0.6, 0.05, beyond * (0.6 - toe.sole) + 0.15),
        (1.9 * toe.sole, 0.0, 0.0),
        (0.0, 9.0, toe.largest),
    ):
        assert toe_angle(np.array([ahead, 0.3, up]), 0.1, toe) == pytest.approx(expected, abs=1e-15)


def test_heels_rise_in_high_swings() -> None:
    """What a swing is higher than 0.1 m counts as a rise: 3 rad for 1 m. Without it a robot of LOLA's size steps over
    bars of 10 cm only: the ankle behind the body is at its limit, and the leg that stands 2 cm too short."""
    toe, way = toe_shape(MODEL, DEFAULTS.toe, 1), np.array([0.3, 0.0, 0.05])
    assert toe_angle(way, 0.15, toe) - toe_angle(way, 0.1, toe) == pytest.approx(0.15, abs=1e-15)
    assert toe_angle(way, 9.0, toe) == toe.largest
    high = WalkingTransition(forward=0.43, step_height=0.2, swing_timing=0.5, duration=1.2)
    plan = walk([WalkingTransition(forward=0.36), WalkingTransition(forward=0.36), high, high])
    generate_motion(plan, MODEL)
    flat = msgspec.structs.replace(DEFAULTS, toe=msgspec.structs.replace(DEFAULTS.toe, high_swing_m=1.0))
    with pytest.raises(InvalidTransition, match="too short"):
        generate_motion(plan, MODEL, parameters=flat)
