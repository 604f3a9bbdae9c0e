"""Trajectories in flat arrays against the trajectories themselves, and the stream's kernel against its textbook."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import HandTarget, WalkingTransition
from footfall.math.interpolation import constant, polyline
from footfall.motion.curves import POLYNOMIALS, MotionCurves
from footfall.motion.motion import Motion
from footfall.motion.packed_curves import packed
from footfall.motion.pipeline import generate_motion
from footfall.motion.samples import ROTATIONS, MotionSamples, column_of
from footfall.motion.stream import mass_numbers, stream, stream_vectors
from tests.motion.lola import MODEL, walk


@pytest.fixture(scope="module")
def motion() -> Motion:
    """Steps with a turn and a hand on a wall: everything moves."""
    wall = HandTarget((0.0, 0.7, 1.2), (0.0, -40.0, 5.0))
    steps = [WalkingTransition(forward=0.3, left_hand=wall), WalkingTransition(forward=0.3, yaw=0.2, up=0.05)]
    plan: MotionPlan = walk(steps)
    return generate_motion(plan, MODEL)


def test_samples_are_those_of_the_trajectories(motion: Motion) -> None:
    times = np.concatenate([np.linspace(-0.2, motion.end_time + 0.2, 301), motion.curves.load.times])
    samples = motion.sample(times)
    for name in POLYNOMIALS:
        column, curve = MotionCurves.places[name], getattr(motion.curves, name)
        mine = samples.values[:, :, column : column + curve.dimension]
        np.testing.assert_allclose(np.moveaxis(mine, 1, 0), curve.sample(times), rtol=1e-12, atol=1e-12)
    for name in ROTATIONS:
        expected = np.concatenate(getattr(motion.curves, name).sample(times), axis=1)
        np.testing.assert_allclose(
            samples.rotations[:, ROTATIONS.index(name)], expected, rtol=1e-12, atol=1e-12
        )


def test_trajectories_of_lower_degree_are_raised() -> None:
    line = polyline([0.0, 1.0, 3.0], [0.0, 2.0, 1.0])
    curves = [(constant(4.0, 0.0, 3.0), column_of("right_toe")), (line, column_of("left_toe"))]
    samples = packed(curves).sample(np.array([0.5, 2.0, 9.0]))
    np.testing.assert_allclose(samples["value"]["left_toe"], [1.0, 1.5, 1.0])
    np.testing.assert_allclose(samples["rate"]["left_toe"], [2.0, -0.5, 0.0])
    assert (samples["value"]["right_toe"] == 4.0).all()
    assert not samples["upper_body"]["quaternion"].any()


def test_stream_is_its_textbook(motion: Motion) -> None:
    """Native code, one sample and many, against plain NumPy."""
    times = np.linspace(0.1, motion.end_time, 7)
    samples = motion.sample(times)
    whole = stream(samples, MODEL)
    for k in range(len(times)):
        expected = stream_vectors(samples.values[k], samples.rotations[k], mass_numbers(MODEL))
        np.testing.assert_allclose(whole.position[k], expected["position"], atol=1e-12)
        np.testing.assert_allclose(whole.velocity[k], expected["velocity"], atol=1e-12)
        np.testing.assert_allclose(whole.contact_wrench[k], expected["wrench"], atol=1e-9)
        one = stream(MotionSamples(samples.values[k].copy(), samples.rotations[k].copy()), MODEL)
        assert np.array_equal(one.position, whole.position[k])
