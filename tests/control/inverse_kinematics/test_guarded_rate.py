"""A guarded rate: joint limits and distances hold whatever costs pull; steps that are too long are told or weakened."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import footfall
from footfall.errors import ControlWarning, InvalidInput
from footfall.ik import (
    CollisionLimits,
    ComfortCost,
    CostSum,
    GuardedRate,
    Limits,
    RepulsiveCost,
    ResolvedRate,
)
from footfall.tasks import frame_position, lola_task_space
from footfall.volumes import volume_distances
from tests.control.inverse_kinematics.test_repulsion import planar_arm

LOLA = footfall.load("lola")
IDLE = LOLA.configuration("idle")
ARMS = tuple(pair for pair in LOLA.volume_pairs if "arm" in pair[0])


def test_a_strong_pull_does_not_win() -> None:
    """Arms are drawn into the torso with a gain of 20/s in steps of 10 ms: the cost alone lets them overlap, guarded
    they keep the clearance, the joint limits and the tasks."""
    folded = IDLE.copy()
    for joint, angle in {"arr": 1.4, "arl": -1.4, "aar": 0.0, "aal": 0.0, "efr": -3.5, "efl": 3.5}.items():
        folded[LOLA.q_slice(joint)] = angle  # the elbows beyond their stops
    cost = CostSum(
        (
            ComfortCost(tuple(folded), comfort_gain=20.0, limit_gain=0.0),
            RepulsiveCost(reach=0.06, strength=6.0),
        )
    )
    rate = ResolvedRate(LOLA, lola_task_space(LOLA, IDLE, gains=10.0), cost=cost)
    guarded = GuardedRate(rate, dt=0.01, collisions=CollisionLimits(pairs=ARMS, clearance=0.01))
    least, outside, errors = {}, {}, {}
    lower, upper = LOLA.limits(None)
    for name, step in (("plain", rate), ("guarded", guarded)):
        q, course, beyond = IDLE.copy(), [], 0.0
        for _ in range(80):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ControlWarning)
                q = footfall.integrate(LOLA, q, 0.01 * step(q))
            course.append(volume_distances(LOLA, q, pairs=ARMS).distance.min())
            beyond = max(beyond, float(np.maximum(lower - q, q - upper).max()))
        least[name], outside[name] = min(course), beyond
        errors[name] = float(np.abs(rate.stack.kernel(q, rate.stack.parameters)[0]).max())
    assert least["plain"] < -0.01
    assert outside["plain"] > 0.1
    assert least["guarded"] > 0.01 - 1e-3
    assert outside["guarded"] < 1e-9
    assert errors["guarded"] < 1e-3


def test_what_keeps_all_limits_is_not_touched() -> None:
    rate = ResolvedRate(LOLA, lola_task_space(LOLA, IDLE, gains=10.0), cost=RepulsiveCost(reach=0.05))
    free = GuardedRate(rate, dt=0.01, limits=Limits(), collisions=CollisionLimits(pairs=ARMS))
    q = footfall.integrate(LOLA, IDLE, 0.01 * np.random.default_rng(0).normal(size=LOLA.nv))
    found = free.solve(q)
    np.testing.assert_array_equal(found.v, rate(q))
    assert not found.violated


def test_steps_that_are_too_long_are_told() -> None:
    """One pair of a planar arm: where strength times step is too large, it is thrown far beyond the reach of the cost,
    and that is told; a cost that knows the step goes there without overshoot."""
    robot, q = planar_arm(), np.array([0.5, -0.7, 0.4])
    gap = volume_distances(robot, q).distance.min()
    place = footfall.frame_pose(robot, q, "tip").translation
    task, dt = [frame_position("tip", place, rows="x")], 0.02
    beyond = {}
    for name, step in (("unknown", None), ("known", dt)):
        cost = RepulsiveCost(reach=gap + 0.02, strength=400.0, blend=1.0, step=step)
        assert cost.stiffness(robot, q) * dt > 2.0
        guarded = GuardedRate(ResolvedRate(robot, task, cost=cost), dt=dt, limits=Limits(velocity=None))
        course, here = [], q.copy()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(40):
                here = footfall.integrate(robot, here, dt * guarded(here))
                course.append(volume_distances(robot, here).distance.min())
        assert [each.category for each in told] == ([ControlWarning] if step is None else [])
        beyond[name] = max(course) - cost.reach
    assert beyond["unknown"] > 0.05
    assert beyond["known"] < 5e-3  # curvature of a step


def test_stiffness_by_differences() -> None:
    """The derivative of the push along itself: stiffness of one pair is that of its distance under the push."""
    for blend in (0.0, 0.5, 1.0):
        cost = RepulsiveCost(reach=0.2, strength=3.0, blend=blend)
        d, h = np.linspace(-0.1, 0.25, 36) + 1e-3, 1e-6
        slopes = (cost.slope(d - h) - cost.slope(d + h)) / (2 * h)
        np.testing.assert_allclose(cost.fading(d), slopes, atol=1e-5)
    with pytest.raises(InvalidInput, match="step is 0"):
        RepulsiveCost(step=0.0)
    with pytest.raises(InvalidInput, match="dt is 0"):
        GuardedRate(ResolvedRate(LOLA, lola_task_space(LOLA, IDLE)), dt=0.0)
