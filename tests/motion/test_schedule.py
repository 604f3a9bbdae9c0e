"""Phases, support areas and the zero-moment point, Seiwald 2023, sections 6.3 to 6.5."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import InvalidTransition
from footfall.gait import actions
from footfall.gait.plan import Action, MotionPlan, Transition, TransitionSequence
from footfall.gait.walking_transitions import WalkingTransition, walking_sequence
from footfall.math.polygons import boundary_distance, polygon_area, polygon_centroid
from footfall.motion.parameters import PhaseParameters, SupportParameters, ZeroMomentPointParameters
from footfall.motion.schedule import Schedule, plan_phases
from footfall.motion.support import plan_support, shrunk_soles, unshrunk_support
from footfall.motion.zero_moment_point import blend_length, plan_zmp
from tests.motion.lola import IDLE, LOLA, MODEL, walk

DEFAULTS = PhaseParameters()
SOURCE = SupportParameters(width_margin=0.3)  # what is published is made with it
BLEND = blend_length(MODEL, ZeroMomentPointParameters())


def schedule(plan: MotionPlan) -> Schedule:
    return plan_phases(plan.sequences[0], DEFAULTS)


def test_durations_of_the_spec() -> None:
    """R-18: 0.48, 0.64, 0.16, 0.64, 0.8 s; 26 transitions last 21.12 s, one step 2.72 s."""
    one = schedule(walk([WalkingTransition(forward=0.4)]))
    assert np.diff(one.times) == pytest.approx([0.48, 0.64, 0.16, 0.64, 0.8])
    assert one.times[-1] == pytest.approx(2.72)
    assert schedule(walk([WalkingTransition(forward=0.2)] * 24)).times[-1] == pytest.approx(21.12)


def test_custom_durations() -> None:
    steps = [WalkingTransition(forward=0.2), WalkingTransition(forward=0.2, duration=1.0)]
    assert np.diff(schedule(walk(steps)).times)[2:4] == pytest.approx([0.2, 0.8])
    standing = plan_phases(actions.idle(IDLE, duration=3.0), DEFAULTS)
    assert standing.times[-1] == pytest.approx(3.0)


def test_a_sequence_that_goes_on_has_no_slow_start() -> None:
    sequence = walk([WalkingTransition(forward=0.2)] * 3).sequences[0]
    going = plan_phases(sequence, DEFAULTS, begin_time=5.0, continues=True)
    assert np.diff(going.times)[0] == pytest.approx(0.16)
    assert going.times[0] == 5.0


@settings(max_examples=30)
@given(st.lists(st.sampled_from([0.0, 0.2, 0.35]), min_size=1, max_size=12), st.booleans())
def test_load_switches_and_motion_alternate(lengths: list[float], stamping: bool) -> None:
    plan = schedule(walk([WalkingTransition(forward=length) for length in lengths]))
    assert not plan.motion[0]
    assert not plan.motion[-1]
    assert (plan.motion[1:] != plan.motion[:-1]).all()
    assert np.bincount(plan.transition).max() <= 2
    assert (plan.transition == len(lengths) + 1).sum() == 1


def test_stamping_moves_only_where_it_is_enforced() -> None:
    stamping = walk([WalkingTransition()] * 3).sequences[0]
    assert plan_phases(stamping, DEFAULTS).motion.sum() == 4
    still = tuple(replace(transition, enforced=frozenset()) for transition in stamping.transitions)
    with pytest.raises(InvalidTransition, match=r"transition 1: nothing moves"):
        plan_phases(TransitionSequence(Action.STEPS, still), DEFAULTS)


def test_another_stance_of_the_same_pose_is_no_motion() -> None:
    sequence = TransitionSequence(Action.SPECIAL, (Transition(IDLE, IDLE.with_stance("LF")),))
    assert not plan_phases(sequence, DEFAULTS).motion.any()


def test_the_last_transition_must_rest() -> None:
    steps = walk([WalkingTransition(forward=0.2)] * 3).sequences[0].transitions
    with pytest.raises(InvalidTransition, match=r"transition 2: it is the last one"):
        plan_phases(TransitionSequence(Action.STEPS, steps[:3]), DEFAULTS)


def test_support_of_one_foot_is_its_shrunk_sole() -> None:
    """Seiwald 2023, section 6.4: 0.22088 x 0.154 m about x = -0.09555 m."""
    plan = schedule(walk([WalkingTransition(forward=0.4)]))
    areas = plan_support(plan, MODEL, SOURCE)
    assert polygon_centroid(areas.polygon(1)) == pytest.approx([-0.09555, 0.1375])
    assert polygon_area(areas.polygon(1)) == pytest.approx(0.22088 * 0.154)
    assert polygon_area(areas.polygon(0)) == pytest.approx(0.22088 * (0.275 + 0.154))  # hull of both


def test_toe_pads_keep_a_least_margin() -> None:
    """A fifth of a pad of 85 mm would leave 8.5 mm at its edges: too little for a zero-moment point that is followed
    to a centimetre. Tiny soles keep two fifths of their size."""
    assert shrunk_soles(MODEL, SOURCE)[1] == pytest.approx([-0.0275, 0.0275, -0.077, 0.077])
    source = shrunk_soles(MODEL, SupportParameters(width_margin=0.3, least_margin_m=0.0))
    assert source[1] == pytest.approx([-0.034, 0.034, -0.077, 0.077])
    large = shrunk_soles(MODEL, SupportParameters(width_margin=0.3, least_margin_m=1.0))
    assert large[1] == pytest.approx([-0.017, 0.017, -0.044, 0.044])


def test_control_points_of_straight_walking() -> None:
    """Seiwald 2023, section 6.5."""
    plan = schedule(walk([WalkingTransition(forward=0.4)] * 2))
    zmp = plan_zmp(plan, plan_support(plan, MODEL, SOURCE), blend=BLEND)
    expected = [
        (-0.0956, 0.0),
        (-0.0956, 0.0605),
        (0.0149, 0.0605),
        (0.1940, -0.0605),
        (0.4149, -0.0605),
        (0.5940, 0.0605),
    ]
    assert zmp(plan.times[:6])[:, :2] == pytest.approx(np.array(expected), abs=6e-5)


def test_zmp_stays_in_the_support_and_starts_at_rest() -> None:
    steps = [
        WalkingTransition(forward=0.3, yaw=0.15),
        WalkingTransition(forward=0.2, left=0.05),
        WalkingTransition(up=0.1, forward=0.2),
    ] * 2
    sequence = walking_sequence(steps, IDLE, LOLA, first_swing="LF")
    plan = plan_phases(sequence, DEFAULTS)
    areas = plan_support(plan, MODEL, SupportParameters())
    zmp = plan_zmp(plan, areas, blend=BLEND)
    for phase in range(len(plan.motion)):
        times = np.linspace(plan.times[phase], plan.times[phase + 1], 30)
        assert boundary_distance(areas.polygon(phase), zmp(times)[:, :2]).min() > -1e-9
    assert zmp.sample(plan.times[[0, -1]])[1:] == pytest.approx(0.0, abs=1e-9)
    inner = plan.times[1:-1]
    assert zmp(np.nextafter(inner, -1.0)) == pytest.approx(zmp(inner), abs=1e-9)
    # Its height bends nowhere.
    before, after = zmp.sample(np.nextafter(inner, -1.0))[:, :, 2], zmp.sample(inner)[:, :, 2]
    assert before == pytest.approx(after, abs=1e-9)
    # In motion phases its height is that of the foot that stands.
    for phase in np.flatnonzero(plan.motion):
        transition = sequence.transitions[plan.transition[phase]]
        middle = zmp(float(plan.times[phase : phase + 2].mean()))
        assert middle[2] == pytest.approx(transition.begin.stance_foot.position[2], abs=1e-12)


def control_points(steps: list[WalkingTransition], *, blend: float = BLEND) -> np.ndarray:
    plan = schedule(walk(steps))
    return plan_zmp(plan, plan_support(plan, MODEL, SupportParameters()), blend=blend)(plan.times)[:, :2]


@settings(max_examples=30)
@given(st.floats(0.0, 0.4), st.floats(-0.15, 0.15))
def test_zmp_is_continuous_in_yaw(length: float, yaw: float) -> None:
    """The shortest connection of two soles jumps by 22 cm as they become parallel; the blended one moves by 1.5 m a
    radian at the most: corners of a sole move by 0.3 m a radian, and weights fall from 1 to 0 over 0.1 m."""
    here, there = (
        control_points([WalkingTransition(forward=length, yaw=turn)] * 4) for turn in (yaw, yaw + 1e-6)
    )
    assert np.abs(there - here).max() < 1.5e-5


def test_zmp_of_stamping_does_not_jump_with_yaw() -> None:
    still, left, right = (control_points([WalkingTransition(yaw=yaw)] * 4) for yaw in (0.0, 1e-4, -1e-4))
    assert np.abs(left - still).max() < 2e-4
    assert np.abs(right - still).max() < 2e-4
    # The comparison sees the jump of the shortest connection.
    sharp = [control_points([WalkingTransition(yaw=yaw)] * 4, blend=1e-7) for yaw in (1e-4, -1e-4)]
    assert np.abs(sharp[0] - sharp[1]).max() > 0.2


def test_bowing_keeps_the_zmp_in_the_middle() -> None:
    plan = plan_phases(actions.bow(IDLE), DEFAULTS)
    areas = plan_support(plan, MODEL, SupportParameters())
    zmp = plan_zmp(plan, areas, blend=BLEND)
    assert zmp(np.linspace(0.0, plan.times[-1], 50))[:, :2] == pytest.approx(
        np.tile([-0.09555, 0.0], (50, 1)), abs=1e-9
    )
    assert polygon_area(unshrunk_support(plan, MODEL).polygon(1)) > polygon_area(areas.polygon(1))
