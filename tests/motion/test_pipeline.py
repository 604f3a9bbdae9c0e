"""Whole motions: what they promise, replanning, the stream of task-space vectors, refusals (Seiwald 2023)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from time import thread_time
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lab.random_walks import random_walk
from footfall.compiler.making_time import making_code, making_seconds
from footfall.errors import InvalidInput, InvalidTransition, MotionWarning, TooLate
from footfall.gait import actions
from footfall.gait.plan import Action, MotionPlan, Transition, TransitionSequence
from footfall.gait.plan_file import build_plan, plan_names, read_plan_description
from footfall.gait.poses import FootContact, FootState, RobotPose
from footfall.gait.walking_transitions import (
    HandTarget,
    WalkingTransition,
    closing_transitions,
    walking_sequence,
)
from footfall.motion.curves import POLYNOMIALS
from footfall.motion.leg_bounds import PlanarStance, planar_bounds
from footfall.motion.parameters import (
    MotionParameters,
    SupportParameters,
    ZeroMomentPointParameters,
    read_parameters,
    write_parameters,
)
from footfall.motion.pipeline import generate_motion
from footfall.motion.reach import farthest_torso
from footfall.motion.replanning import Replanner, RunTimeModel, continuation, replan, stop_motion
from footfall.motion.samples import ROTATIONS, column_of
from footfall.motion.stream import stream, wrench_about_center_of_mass
from footfall.motion.verification import verify_motion, zmp_margins
from tests.motion.lola import IDLE, LOLA, MODEL, straight, walk


@settings(max_examples=12)
@given(st.integers(0, 10_000))
def test_random_walks_keep_what_they_promise(seed: int) -> None:
    """The script benchmarks/motion.py walks 500 of them."""
    motion = generate_motion(random_walk(np.random.default_rng(seed), LOLA), MODEL)
    found = verify_motion(motion)
    assert found.zmp_margin > 0.0
    assert found.clearance > -1e-9
    assert found.leg_margin > 0.0
    assert found.jump < 1e-8
    assert found.speed < 1e-9


@pytest.mark.parametrize("name", plan_names())
def test_shipped_plans_keep_what_they_promise(name: str) -> None:
    motion = generate_motion(build_plan(read_plan_description(name), LOLA), MODEL)
    found = verify_motion(motion)
    assert found.zmp_margin > 0.0
    assert found.clearance > -1e-9
    assert found.leg_margin > 0.0
    assert found.jump < 1e-8
    assert found.speed < 1e-9


@pytest.mark.parametrize("up", [0.0, 0.1])
def test_partial_contacts_take_no_longer_than_other_steps(up: float) -> None:
    """The toe pad is 85 mm long; the zero-moment point comes onto it in 0.16 s."""
    steps = [WalkingTransition(forward=0.2)] * 2
    steps += [WalkingTransition(forward=0.3, up=up, contact=FootContact.PARTIAL, swing_timing=0.5)]
    steps += [WalkingTransition(forward=0.25)] * 3
    assert verify_motion(generate_motion(walk(steps), MODEL)).zmp_margin > 0.005
    source = MotionParameters(
        support=SupportParameters(least_margin_m=0.0), zmp=ZeroMomentPointParameters(blend_widths=1e-9)
    )
    tight = generate_motion(walk(steps), MODEL, parameters=source, check=False)
    assert verify_motion(tight).zmp_margin < 0.005


def test_a_check_can_fail() -> None:
    """A step that is far too fast has its zero-moment point outside of the feet."""
    motion = generate_motion(walk([WalkingTransition(forward=0.5, duration=0.3)] * 4), MODEL, check=False)
    assert verify_motion(motion).zmp_margin < 0.0


def test_all_values_at_once_are_those_of_each_trajectory() -> None:
    motion = generate_motion(build_plan(read_plan_description("platform"), LOLA), MODEL)
    times = np.random.default_rng(0).uniform(-1.0, motion.end_time + 1.0, 300)
    samples = motion.sample(times)
    column = 0
    for name in POLYNOMIALS:
        curve = getattr(motion.curves, name)
        mine = samples.values[:, :, column : column + curve.dimension]
        assert mine == pytest.approx(curve.sample(times).transpose(1, 0, 2), abs=1e-9)
        column += curve.dimension
    for index, name in enumerate(ROTATIONS):
        quaternion, spin, change = getattr(motion.curves, name).sample(times)
        assert samples.quaternions[:, index] == pytest.approx(quaternion, abs=1e-12)
        assert samples.angular_velocities[:, index] == pytest.approx(spin, abs=1e-9)
        assert samples.angular_accelerations[:, index] == pytest.approx(change, abs=1e-8)
    one = motion.snapshot(float(times[7]))
    assert np.array_equal(one.values, samples.values[7])


def test_beyond_its_ends_a_motion_rests() -> None:
    motion = straight(2)
    for time, end in ((-5.0, motion.begin_time), (99.0, motion.end_time)):
        beyond, there = (motion.snapshot(when).values[0, : column_of("time")] for when in (time, end))
        assert beyond == pytest.approx(there)
        assert not motion.snapshot(time).values[1:].any()


def test_several_sequences_are_one_motion() -> None:
    steps = walk([WalkingTransition(forward=0.2)] * 2).sequences[0]
    plan = MotionPlan((actions.idle(IDLE, duration=1.0), steps, actions.bow(steps.end)), begin_time=3.0)
    motion = generate_motion(plan, MODEL)
    assert motion.begin_time == 3.0
    assert motion.plan.end_time == pytest.approx(motion.end_time)
    assert [len(transition.phases) for transition in motion.plan.transitions] == [1, 2, 2, 2, 1, 2, 2, 2, 1]
    assert verify_motion(motion).jump < 1e-8


def test_standing_with_a_hand_on_the_wall_leans_towards_it() -> None:
    """Seiwald 2023, chapter 6: a force of -50 N at 1.25 m shifts the centre of mass by 94.7 mm."""
    lean = actions.balance(
        IDLE, LOLA, hand="LH", position=(0.0, 0.7875, 1.25), force=(0.0, -50.0, 0.0), hold=4.0
    )
    motion = generate_motion(MotionPlan((lean,)), MODEL)
    middle = float(motion.phases.times[3:5].mean())
    samples = motion.snapshot(middle)
    shift = samples.center_of_mass[0, 1] - samples.zmp[0, 1]
    assert shift == pytest.approx(50.0 * 1.25 / (67.3 * 9.81), abs=2e-3)


@pytest.mark.parametrize("forward", [0.4, -0.3])
@pytest.mark.parametrize("now", [0.1, 3.3, 5.5])
def test_replanning_goes_on_without_a_jump(forward: float, now: float) -> None:
    motion = straight(8, forward)
    at = continuation(motion, now, run_time=0.05)
    new = walking_sequence([WalkingTransition(forward=0.2, yaw=0.1)] * 4, at.pose, LOLA)
    replanned = replan(motion, at, new.transitions, keep_past=True)
    before, after = replanned.sample(np.nextafter(at.time, 0.0)), replanned.sample(at.time)
    jumps = np.abs(after.values - before.values)[:, : column_of("contact")]
    assert jumps[0].max() < 1e-9
    assert jumps[1:, 3:].max() < 1e-9  # the zero-moment point may turn
    assert np.abs(after.rotations - before.rotations).max() < 1e-9
    early = np.linspace(0.0, at.time - 1e-6, 50)
    assert replanned.sample(early).values == pytest.approx(motion.sample(early).values, abs=1e-9)
    found = verify_motion(replanned)
    assert found.zmp_margin > 0.0
    assert found.jump < 1e-8
    assert found.speed < 1e-9


def test_replanning_drops_what_is_over() -> None:
    """From the running transition on it is the same motion, whether what is over is kept or not."""
    motion = straight(8, 0.3)
    at = continuation(motion, 3.3, run_time=0.05)
    new = walking_sequence([WalkingTransition(forward=0.2, yaw=0.1)] * 4, at.pose, LOLA).transitions
    short, long = replan(motion, at, new), replan(motion, at, new, keep_past=True)
    assert motion.plan.begin_time < short.begin_time <= 3.3
    assert short.end_time == long.end_time
    times = np.linspace(short.begin_time, short.end_time, 300)
    assert short.sample(times).values == pytest.approx(long.sample(times).values, abs=1e-12)
    assert short.plan.transitions == long.plan.transitions[-len(short.plan.transitions) :]
    assert short.phases.transition[0] == 0
    assert short.plan.end_time == pytest.approx(short.end_time)
    assert verify_motion(short).zmp_margin > 0.0


def test_a_motion_does_not_grow_with_replans() -> None:
    motion, sizes = straight(3, 0.2), []
    for _ in range(30):
        at = continuation(motion, motion.plan.begin_time + 1.2)
        new = walking_sequence([WalkingTransition(forward=0.2)] * 3, at.pose, LOLA)
        motion = replan(motion, at, new.transitions)
        curves = motion.curves
        rotation = curves.upper_body.shape.controls
        sizes.append([len(curves.torso.times), len(curves.load.times), len(rotation), len(motion.torso)])
    assert np.ptp(sizes[5:], axis=0).max() <= 3  # about where in a transition it is
    assert motion.begin_time > 20.0


def test_replanning_again_and_again() -> None:
    motion, replanner = straight(3, 0.2), Replanner(RunTimeModel(base=1e-3))
    for now in (1.0, 1.9, 2.6, 3.5):
        motion = replanner(
            motion,
            now,
            lambda pose: walking_sequence([WalkingTransition(forward=0.25)] * 3, pose, LOLA).transitions,
            expected=5,
        )
    assert verify_motion(motion).jump < 1e-8
    assert motion.plan.transitions[-1].end.double_support
    assert len(motion.curves.right_foot_rotation.shape.controls) < 12  # what was cut off is not carried along


def test_making_native_code_is_no_run_time() -> None:
    """It happens once; a motion of seconds would be over before the next replanning."""
    replanner = Replanner(RunTimeModel(base=1e-9, per_transition=0.0, margin=1.0))

    def steps(pose: RobotPose) -> tuple[Transition, ...]:
        with making_code():
            generate_motion(walk([WalkingTransition(forward=0.2)] * 3), MODEL)  # stands for it
        return walking_sequence([WalkingTransition(forward=0.25)] * 3, pose, LOLA).transitions

    begin, made = thread_time(), making_seconds()
    replanner(straight(3, 0.2), 1.0, steps, expected=5)
    made = making_seconds() - made
    assert made > 0.0
    assert 0.0 < replanner.model.predict(5) <= thread_time() - begin - made + 1e-9


def test_stopping() -> None:
    motion = straight(8)
    stopped = stop_motion(motion, 3.0)
    assert stopped.end_time < 5.5
    assert verify_motion(stopped).zmp_margin > 0.0
    with pytest.raises(TooLate, match="ends at"):
        continuation(motion, motion.end_time + 1.0)


def test_there_is_a_stop_after_every_step() -> None:
    """Slow steps have their divergent component where the next slow one needs it: a closing step of the usual pace
    throws the zero-moment point out of the soles, one of theirs does not."""
    motion = generate_motion(build_plan(read_plan_description("platform"), LOLA), MODEL)
    refused = 0
    for _, _, begin, end in list(motion.plan.spans())[:-3]:
        at = continuation(motion, (begin + end) / 2)
        try:
            replan(motion, at, closing_transitions(at.pose, LOLA))
        except InvalidTransition:
            refused += 1
        stopped = stop_motion(motion, (begin + end) / 2)
        assert verify_motion(stopped).zmp_margin > -motion.parameters.limit.outside_m
        assert verify_motion(stopped).jump < 1e-8
        # Closing steps, two if a foot stands on its toes, hardly longer than the one that they replace, which lasts 1.2
        # s at most; the last load switch.
        assert stopped.end_time < at.time + 2 * 1.25 * 1.2 + 0.8 + 1e-9
    assert refused > 0


def test_stream_tells_time_and_contacts() -> None:
    """Seiwald 2023, table 4.5: a foot stands if it does not swing; on what it stands is that of its pose."""
    steps = [WalkingTransition(forward=0.2)] * 2
    steps += [WalkingTransition(forward=0.2, contact=FootContact.PARTIAL)]
    steps += [
        WalkingTransition(forward=0.2, up=-0.1, contact=FootContact.TIPTOE),
        WalkingTransition(forward=0.2),
    ]
    motion = generate_motion(walk(steps), MODEL)
    borders = motion.phases.times
    times = (borders[:-1] + borders[1:]) / 2.0
    found = stream(motion.sample(times), MODEL)
    assert np.array_equal(found.time, times)
    for phase, (closed, contact) in enumerate(zip(found.closed, found.contact, strict=True)):
        transition = motion.plan.transitions[motion.phases.transition[phase]]
        for side, name in enumerate(("right_foot", "left_foot")):
            begin, end = getattr(transition.begin, name), getattr(transition.end, name)
            swings = motion.phases.motion[phase] and begin.position != end.position
            assert closed[side] == (not swings)
            expected = end if motion.phases.motion[phase] else begin
            assert list(FootContact)[contact[side]] is expected.contact
    assert set(found.contact.ravel()) == {0, 1, 2}
    assert (found.closed.sum(axis=1) == np.where(motion.phases.motion, 1, 2)).all()
    # At a border the later phase counts, and one time gives the same as many.
    assert stream(motion.snapshot(float(borders[1])), MODEL).closed.sum() == 1
    assert stream(motion.snapshot(float(borders[1])), MODEL).time == borders[1]


def test_run_time_prediction_learns() -> None:
    model = RunTimeModel(base=1e-3, per_transition=1e-4, margin=2.0)
    assert model.predict(10) == pytest.approx(4e-3)
    assert model.observed(10, 8e-3).predict(10) == pytest.approx(16e-3)  # slow runs count at once
    assert 3.6e-3 < model.observed(10, 1e-3).predict(10) < 4e-3  # fast ones a little


def test_stream_of_task_space_vectors() -> None:
    """Seiwald 2023: rates by differences; with constant masses the force moves the centre of mass."""
    motion = generate_motion(build_plan(read_plan_description("curve"), LOLA), MODEL)
    times = np.linspace(0.5, motion.end_time - 0.5, 200)
    now = stream(motion.sample(times), MODEL)
    step = 1e-6
    ahead, back = (stream(motion.sample(times + change), MODEL).position for change in (step, -step))
    numeric = (ahead - back) / (2 * step)
    linear = [0, 1, 2, 6, 7, 8, 12, 13, 14, 15, 19, *range(20, 28)]
    assert now.velocity[:, linear] == pytest.approx(numeric[:, linear], abs=1e-6)
    acceleration = motion.sample(times).center_of_mass[:, 2]
    weight = np.array([0.0, 0.0, 9.81])
    assert now.contact_wrench[:, :3] == pytest.approx(67.3 * (acceleration + weight), abs=1e-6)
    assert now.position.shape == (200, 28)


def test_wrench_of_masses_is_that_of_contacts() -> None:
    """Two ways to the same wrench, with hands that are blended in and out and push against the wall."""
    motion = generate_motion(build_plan(read_plan_description("platform"), LOLA), MODEL)
    samples = motion.sample(np.linspace(0.0, motion.end_time, 997))
    whole = stream(samples, MODEL)
    assert whole.contact_wrench == pytest.approx(wrench_about_center_of_mass(samples, MODEL), abs=1e-8)
    one = stream(motion.snapshot(8.0), MODEL)
    assert np.array_equal(one.position, stream(motion.sample([8.0]), MODEL).position[0])
    step = 1e-6
    ahead, back = (stream(motion.sample(8.0 + change), MODEL).position for change in (step, -step))
    assert one.velocity[20:22] == pytest.approx((ahead - back)[20:22] / (2 * step), abs=1e-6)


@given(st.floats(-1.5, 1.5), st.floats(-0.9, 0.2), st.floats(-3.0, 3.0))
def test_head_angles_there_and_back(pan: float, tilt: float, yaw: float) -> None:
    from footfall.gait.poses import yaw_quaternion
    from footfall.gait.walking_transitions import head_rotation
    from footfall.motion.samples import WIDTH, MotionSamples

    rotations = np.zeros((4, 10))
    rotations[:, 0] = 1.0
    rotations[0, :4] = yaw_quaternion(yaw)
    rotations[1, :4] = head_rotation(rotations[0, :4], pan, tilt)
    found = stream(MotionSamples(np.zeros((3, WIDTH)), rotations), MODEL)
    assert found.position[20:22] == pytest.approx([pan, tilt], abs=1e-9)


def bad_plans() -> dict[str, tuple[MotionPlan, int, str]]:
    good = walk([WalkingTransition(forward=0.2)] * 4).sequences[0].transitions
    end = good[2].end
    both = replace(end, left_foot=replace(end.left_foot, position=(0.5, 0.2, 0.0)))
    swapped = walking_sequence([WalkingTransition(forward=0.2)] * 2, both, LOLA).transitions
    two = TransitionSequence(Action.STEPS, (*good[:2], replace(good[2], end=both), *swapped))
    reach = HandTarget((0.0, 1.6, 1.25), (0.0, -50.0, 0.0))
    push = HandTarget((0.0, 0.7875, 1.25), (0.0, -1e4, 0.0))
    return {
        "unreachable step": (
            walk([WalkingTransition(forward=0.2), WalkingTransition(forward=1.6)]),
            1,
            "apart, out of reach",
        ),
        "step too high": (walk([WalkingTransition(up=0.4)]), 0, "above the other"),
        "overlapping feet": (walk([WalkingTransition(), WalkingTransition(left=-0.2)]), 1, "overlap"),
        "negative time": (
            walk([WalkingTransition(), WalkingTransition(duration=-1.0)]),
            1,
            "duration is -1 s",
        ),
        "hand out of reach": (walk([WalkingTransition(left_hand=reach)]), 0, "LH is .* from its shoulder"),
        "two swing feet": (MotionPlan((two,)), 2, "both feet move"),
        "centre of mass in the ground": (
            walk([WalkingTransition(), WalkingTransition(forward=0.2, com_shift=-5.0)]),
            1,
            "above the higher foot; at least",
        ),
        "centre of mass in the sky": (walk([WalkingTransition(com_shift=3.0)]), 0, "above the lower foot"),
        "legs too short": (
            walk([WalkingTransition(), WalkingTransition(forward=1.2)]),
            1,
            "LF is out of reach at",
        ),
        "foot too steep": (walk([WalkingTransition(pitch=-1.2)]), 0, "RF is out of reach .* pitched by"),
        "step height": (walk([WalkingTransition(), WalkingTransition(step_height=3.0)]), 1, "height is 3 m"),
        "negative step height": (walk([WalkingTransition(step_height=-0.1)]), 0, "height is -0.1 m"),
        "force on a hand": (walk([WalkingTransition(left_hand=push)]), 0, "force on LH is 1e[+]04 N"),
        "too fast": (
            walk([WalkingTransition(forward=0.4, duration=0.2)] * 4),
            0,
            "zero-moment point is .* mm outside of the soles at 0.0. s; at most 10 mm",
        ),
        "step too long": (walk([WalkingTransition(forward=0.7)] * 4), 3, "leg is .* mm too short"),
        "step too far aside": (walk([WalkingTransition(left=-0.9)]), 0, "too short"),
        "upper body upside down": (
            walk([WalkingTransition(upper_body=(0.0, 1.0, 0.0, 0.0))]),
            0,
            "too short",
        ),
        "bow too deep": (MotionPlan((actions.bow(IDLE, angle=3.0),)), 0, "upper body is pitched by"),
        "head turned away": (
            walk([WalkingTransition(), WalkingTransition(head_pan=10.0)]),
            1,
            "pan of the head",
        ),
        "head in the neck": (walk([WalkingTransition(head_tilt=0.5)]), 0, "tilt of the head is 0.500 rad"),
        "foot on its edge": (
            MotionPlan((walking_sequence([WalkingTransition(roll=1.0)] * 2, IDLE, LOLA),)),
            3,
            "height accelerates with",
        ),
        "swing timing": (walk([WalkingTransition(swing_timing=2.0)]), 0, "swing timing is 2"),
    }


@pytest.mark.parametrize("name", bad_plans())
def test_bad_sequences_are_refused(name: str) -> None:
    plan, number, words = bad_plans()[name]
    with pytest.raises(InvalidTransition, match=words) as problem:
        generate_motion(plan, MODEL)
    assert problem.value.number == number
    assert str(problem.value).startswith(f"transition {number}:")
    assert problem.value.value is not None
    assert problem.value.limit is not None


def test_refusals_name_the_sequence() -> None:
    """The number of a transition counts in its sequence."""
    good = walk([WalkingTransition(forward=0.2)] * 2).sequences[0]
    bad = walking_sequence([WalkingTransition(), WalkingTransition(duration=-1.0)], good.end, LOLA)
    with pytest.raises(
        InvalidTransition, match=r"^sequence 1, transition 1: its duration is -1 s"
    ) as problem:
        generate_motion(MotionPlan((good, bad)), MODEL)
    assert (problem.value.sequence, problem.value.number) == (1, 1)


def test_a_little_too_much_is_warned_of() -> None:
    """A hand that presses harder and harder: nothing, a warning, a refusal; as the legs lean further."""
    outcomes = []
    for force in (50.0, 100.0, 150.0, 200.0, 300.0):
        lean = actions.balance(
            IDLE, LOLA, hand="LH", position=(0.0, 0.7875, 1.25), force=(0.0, -force, 0.0), hold=1.0
        )
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", MotionWarning)
            try:
                motion = generate_motion(MotionPlan((lean,)), MODEL)
            except InvalidTransition:
                outcomes.append(2)
                continue
        outcomes.append(min(len(found), 1))
        assert (verify_motion(motion).lean_margin < 2e-4) == bool(found)
    assert outcomes == sorted(outcomes)
    assert outcomes[0] == 0
    assert outcomes[-1] == 2
    assert 1 in outcomes


@pytest.mark.parametrize("field", ["forward", "up", "yaw", "head_tilt", "com_shift"])
def test_steps_are_numbers(field: str) -> None:
    change: dict[str, Any] = {field: float("nan")}
    with pytest.raises(InvalidInput, match=f"{field} of a step is nan"):
        WalkingTransition(**change)


def test_reach_is_where_the_bounds_end() -> None:
    behind, before = farthest_torso(MODEL)
    leg = MODEL.leg
    for torso, reached in ((-behind, True), (-behind - 1e-6, False), (before, True), (before + 1e-6, False)):
        assert np.isfinite(planar_bounds(leg, PlanarStance(0.0, 0.0, 0.0, 0.0, torso, 0.0)).lowest) == reached
    assert farthest_torso(MODEL, pitch=-1.2) == (0.0, 0.0)


def test_times_are_numbers() -> None:
    motion = generate_motion(walk([WalkingTransition(forward=0.2)] * 2), MODEL)
    with pytest.raises(InvalidInput, match="nan"):
        motion.snapshot(float("nan"))
    with pytest.raises(InvalidInput, match="inf"):
        motion.sample([0.0, float("inf")])


def test_a_foot_in_the_air_cannot_carry() -> None:
    pose = replace(
        IDLE,
        left_foot=FootState((0.0, 0.1375, 0.0), closed=False),
        right_foot=FootState((0.0, -0.1375, 0.0), closed=False),
    )
    with pytest.raises(InvalidTransition, match="one must stand"):
        generate_motion(MotionPlan((actions.idle(pose),)), MODEL)


def test_parameters_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "parameters.toml"
    path.write_text("[phase]\ntransition_s = 1.0\n[foot]\nstep_height_m = 0.05\n")
    parameters = read_parameters(path)
    motion = generate_motion(walk([WalkingTransition(forward=0.2)] * 2), MODEL, parameters=parameters)
    assert motion.duration == pytest.approx(0.6 + 0.8 + 2 * 1.0 + 1.0)
    assert motion.sample(np.linspace(0, motion.end_time, 2000)).feet[:, 0, :, 2].max() > 0.05
    write_parameters(parameters, path)
    assert read_parameters(path) == parameters
    for text, words in (
        ("[phase]\ntransition_s = -1.0", "> 0"),
        ("[phase]\nsped = 1.0", "unknown field `sped`"),
        ("[foot]\nlag = [0.0, 2.0]", "<= 1"),
        ("phase = 3", "Expected `object`"),
    ):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=words):
            read_parameters(path)
    assert MotionParameters().phase.transition_s == 0.8


def test_margins_are_measured_phase_by_phase() -> None:
    motion = straight(3)
    margins = zmp_margins(motion, np.linspace(0.0, motion.end_time, 200))
    assert margins.min() > 0.015
    assert margins.max() < 0.2


def test_toes_keep_the_bounds_of_the_legs_apart_on_the_platform() -> None:
    """R-10: with whole soles and stiff toes they overlap as LOLA steps down, with toes they do not. Soles are shrunk as
    in the source; with a narrower support, and more sway, 1.5 instead of 2 mm are left."""
    description = read_plan_description("platform")
    steps = [step for action in description.action for step in action.steps()]  # type: ignore[union-attr]
    source = MotionParameters(support=SupportParameters(width_margin=0.3))
    stiff = msgspec.structs.replace(source, toe=msgspec.structs.replace(source.toe, rise_rad_per_m=0.0))
    flat = walk([replace(step, contact=FootContact.FULL) for step in steps])
    twice_the_margin = 2 * MotionParameters().torso.bound_margin_m
    room = {}
    for name, plan, parameters in (("flat", flat, stiff), ("toes", walk(steps), source)):
        torso = generate_motion(plan, MODEL, parameters=parameters, check=False).torso[0]
        room[name] = torso.highest - torso.lowest + twice_the_margin
    assert room["flat"].min() < -0.01
    assert room["toes"].min() > 0.002
