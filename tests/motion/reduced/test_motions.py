"""Reduced models in the pipeline: motions by each of them, their wrenches, and how they are changed while they run."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from footfall.errors import MotionWarning
from footfall.gait.plan import Action, MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, walking_sequence
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters, TorsoParameters
from footfall.motion.pipeline import generate_motion
from footfall.motion.reduced.from_plan import balance_problem
from footfall.motion.reduced.generators import plan_center
from footfall.motion.replanning import continuation, replan, stop_motion
from footfall.motion.set_down import can_set_down, earliest_stop
from footfall.motion.stream import stream
from tests.motion.lola import IDLE, LOLA, MODEL, walk
from tests.motion.reduced.problems import WALKING

# Those that know where the centre of mass goes without the heights of the second cycle.
PENDULUMS = ("lipm", "preview", "dcm", "mpc", "flywheel", "biped")
STEPS = [WalkingTransition(forward=0.3)] * 6


def motion_by(generator: str, steps: list[WalkingTransition] | None = None) -> Motion:
    sequence = walking_sequence(
        STEPS if steps is None else steps, IDLE, LOLA, first_swing="RF", action=Action.AUTONOMOUS
    )
    parameters = MotionParameters(torso=TorsoParameters(generator=generator))  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        return generate_motion(MotionPlan((sequence,)), MODEL, parameters=parameters)


@pytest.mark.parametrize("generator", WALKING)
def test_motions_have_the_centre_of_mass_of_their_model(generator: str) -> None:
    """Checked and accepted: the legs reach, and the zero-moment point is above the soles on the model itself."""
    motion = motion_by(generator)
    at = np.linspace(motion.begin_time, motion.end_time, 200)
    if generator in PENDULUMS:
        asked = plan_center(balance_problem(walk(STEPS), MODEL), generator)
        found = motion.sample(at).center_of_mass[:, 0, :2]
        assert_allclose(found, asked.center(at), atol=1e-5)
    ends = motion.sample(np.array([motion.begin_time, motion.end_time])).center_of_mass
    assert_allclose(ends[:, 1:], 0.0, atol=1e-6)


@pytest.mark.parametrize("generator", ["lipm", "dcm", "preview", "biped"])
def test_the_wrench_of_a_point_mass_has_no_torque_about_it(generator: str) -> None:
    """Force m (c'' + g); the torque about the centre of mass is none, but for Simpson's rule over 25 ms: five masses
    have up to 70 N m."""
    motion = motion_by(generator)
    samples = motion.sample(np.linspace(motion.begin_time, motion.end_time, 300))
    wrench = stream(samples, MODEL).contact_wrench
    pull = np.array([0.0, 0.0, MODEL.gravity])
    assert_allclose(wrench[:, :3], MODEL.mass * (samples.center_of_mass[:, 2] + pull), atol=1e-6 * MODEL.mass)
    assert np.sqrt(np.square(wrench[:, 3:]).mean()) < 0.5
    five = stream(motion_by("five_masses").sample(samples.times), MODEL).contact_wrench
    assert np.abs(five[:, 3:]).max() > 30.0


def test_without_a_name_motions_are_those_of_five_masses_and_all_bodies() -> None:
    """The default has the bits that it had; without a body it is that of five masses."""
    plan = walk(STEPS)
    usual, named, five = (
        generate_motion(plan, MODEL),
        motion_by("whole_body"),
        motion_by("five_masses"),
    )
    assert MotionParameters().torso.generator == "whole_body"
    for other in (named, five):
        assert np.array_equal(
            usual.curves.center_of_mass.coefficients, other.curves.center_of_mass.coefficients
        )
        assert np.array_equal(usual.curves.zmp.coefficients, other.curves.zmp.coefficients)


@pytest.mark.parametrize("generator", WALKING)
def test_motions_go_on_without_a_jump(generator: str) -> None:
    """Another future from the middle of a walk: position and velocity of the centre of mass, its acceleration and how
    the upper body is turned continue (least squares and cubics keep accelerations by themselves)."""
    motion = motion_by(generator)
    at = continuation(motion, 3.0)
    rest = motion.plan.sequences[0].transitions[at.transition + 1 :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        changed = replan(motion, at, rest, check=False)
        stopped = stop_motion(motion, 3.0)
    assert stopped.end_time < motion.end_time
    for each in (changed, stopped):
        before, after = (each.sample(np.array([t])) for t in (np.nextafter(at.time, 0.0), at.time))
        assert_allclose(before.center_of_mass, after.center_of_mass, atol=1e-5)
        assert_allclose(before.quaternions, after.quaternions, atol=1e-9)
        assert_allclose(before.angular_velocities[:, 0], after.angular_velocities[:, 0], atol=1e-6)
    # With the same future it is the same motion again, but for what a horizon or a boundary forgets.
    later = np.linspace(at.time, motion.end_time, 100)
    away = changed.sample(later).center_of_mass[:, 0] - motion.sample(later).center_of_mass[:, 0]
    assert np.abs(away).max() < 0.02


@pytest.mark.parametrize("generator", ["lipm", "preview", "mpc", "three_masses"])
def test_steps_are_cut_short(generator: str) -> None:
    motion = motion_by(generator, [WalkingTransition(forward=0.3)] * 8)
    begin, end = tuple(motion.plan.spans())[4][2:]
    ready = begin + 0.3 * (end - begin)
    assert can_set_down(motion, ready)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        stopped = earliest_stop(motion, ready, lambda _: True)
    assert stopped is not None
    assert stopped.end_time < motion.end_time


def test_a_robot_that_leans_ends_its_step() -> None:
    motion = motion_by("flywheel")
    assert not can_set_down(motion, 3.0)
    body = motion.sample(np.linspace(0.0, motion.end_time, 200)).quaternions[:, 0]
    assert np.abs(body[:, 1:3]).max() > 1e-4  # it leans
    assert_allclose(body[-1], [1.0, 0.0, 0.0, 0.0], atol=1e-9)  # and is upright in the end
