"""The repulsive cost: its course, its gradient, and a robot that folds its arms without touching itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput
from footfall.geometry.swept_sphere import SweptVolume, swept_line, swept_point
from footfall.ik import ComfortCost, CostSum, RepulsiveCost, ResolvedRate
from footfall.robot.model import WORLD, Robot
from footfall.robot.volumes import BodyVolume
from footfall.tasks import frame_position, lola_task_space

LOLA = footfall.load("lola")
IDLE = LOLA.configuration("idle")


@pytest.mark.parametrize("blend", [0.0, 0.4, 0.6, 1.0])
def test_course_of_the_slope(blend: float) -> None:
    """Schwienbacher 2014, (5.11), (5.12), (5.15): the value at zero, none at the reach, minus the potential's
    derivative, no jumps."""
    cost = RepulsiveCost(reach=0.2, strength=3.0, blend=blend)
    assert cost.slope(0.0) == pytest.approx(3.0)
    assert cost.slope(0.2) == cost.slope(1.0) == cost.potential(0.2) == cost.potential(1.0) == 0.0
    d = np.linspace(-0.3, 0.4, 1401)
    inside = np.abs(d - 0.2) > 1e-3
    slope, potential = cost.slope(d), cost.potential(d)
    step = 1e-6
    by_differences = (cost.potential(d - step) - cost.potential(d + step)) / (2 * step)
    np.testing.assert_allclose(slope[inside], by_differences[inside], atol=1e-6)
    assert (np.diff(slope) <= 1e-12).all()
    steepest = 2 * 3.0 / (0.2 * (1.0 + blend))  # Schwienbacher 2014, (5.10)-(5.15)
    assert np.abs(np.diff(slope)).max() <= steepest * (d[1] - d[0]) * (1 + 1e-9)
    assert (potential >= 0.0).all()
    if blend == 0.0:
        np.testing.assert_allclose(cost.slope(0.05), 3.0 * (1 - 0.05 / 0.2) ** 2)
    if blend == 1.0:
        np.testing.assert_allclose(cost.slope(0.05), 3.0 * (1 - 0.05 / 0.2))


def test_gradient_by_differences() -> None:
    cost = RepulsiveCost(reach=0.15)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = footfall.integrate(LOLA, IDLE, 0.1 * rng.normal(size=LOLA.nv))
        v = rng.normal(size=LOLA.nv)
        step = 1e-6
        ahead, behind = (
            cost.value(LOLA, footfall.integrate(LOLA, q, sign * step * v)) for sign in (1.0, -1.0)
        )
        assert cost.gradient(LOLA, q) @ v == pytest.approx((ahead - behind) / (2 * step), abs=1e-6)
        assert np.abs(cost.gradient(LOLA, q)).max() > 1e-3


def planar_arm() -> Robot:
    """Three links in the plane, with volumes, and a post beside them."""
    robot = footfall.load("planar-arm")
    names = [body.name for body in robot.bodies]
    links = tuple(
        BodyVolume(name, name, SweptVolume((swept_line((0, 0, 0), (0, 0, 0.9), 0.02),))) for name in names
    )
    post = BodyVolume("post", WORLD, SweptVolume((swept_point((0.5, 0.0, 1.4), 0.05),)))
    pairs = tuple((name, "post") for name in names)
    return replace(robot, volumes=(*links, post), volume_pairs=pairs)


def test_one_pair_is_pushed_apart_and_the_task_does_not_notice() -> None:
    """Schwienbacher 2014, (5.10)-(5.15): with no task rate, the distance never falls; the sign of the source would pull
    it in."""
    robot = planar_arm()
    q, tip = np.array([0.5, -0.7, 0.4]), "tip"
    before = footfall.volumes.volume_distances(robot, q).distance.min()
    cost = RepulsiveCost(reach=before + 0.1, strength=1.0)
    place = footfall.frame_pose(robot, q, tip).translation
    step = ResolvedRate(robot, [frame_position(tip, place, rows="x", gains=5.0)], cost=cost)
    course = []
    for _ in range(100):
        course.append(footfall.volumes.volume_distances(robot, q).distance.min())
        q = footfall.integrate(robot, q, 0.01 * step(q))
    assert course[-1] > course[0] + 0.02
    assert (np.diff(course) > -1e-9).all()
    assert footfall.frame_pose(robot, q, tip).translation[0] == pytest.approx(place[0], abs=1e-3)


def _folded() -> ComfortCost:
    """Forearms are drawn into the torso."""
    folded = IDLE.copy()
    for joint, angle in {"arr": 1.4, "arl": -1.4, "aar": 0.0, "aal": 0.0, "efr": -1.9, "efl": 1.9}.items():
        folded[LOLA.q_slice(joint)] = angle
    return ComfortCost(tuple(folded), comfort_gain=2.0)


def test_folded_arms_stay_apart() -> None:
    """A comfortable pose inside of the torso: with the cost nothing touches, and LOLA's tasks do not notice."""
    arms = [pair for pair in LOLA.volume_pairs if "arm" in pair[0]]
    comfort = _folded()
    apart = RepulsiveCost(reach=0.06, strength=6.0, pairs=tuple(arms))
    least, errors = [], []
    for cost in (comfort, CostSum((comfort, apart))):
        step = ResolvedRate(LOLA, lola_task_space(LOLA, IDLE, gains=10.0), cost=cost)
        q, course = IDLE.copy(), []
        for _ in range(100):
            course.append(footfall.volumes.volume_distances(LOLA, q, pairs=arms).distance.min())
            q = footfall.integrate(LOLA, q, 0.01 * step(q))
        least.append(min(course))
        errors.append(float(np.abs(step.stack.kernel(q, step.stack.parameters)[0]).max()))
    assert least[0] < -0.05
    assert least[1] > 0.02
    assert max(errors) < 1e-4


def test_a_stronger_push_that_knows_the_step_keeps_farther_off_and_does_not_ring() -> None:
    """Its legs, which the tasks hold beside each other, do not weaken the pushes of the arms."""
    arms = [pair for pair in LOLA.volume_pairs if "arm" in pair[0]]
    least, ringing = [], []
    for strength, dt in ((2.0, 0.01), (1000.0, 0.01), (1000.0, None)):
        cost = CostSum((_folded(), RepulsiveCost(reach=0.06, strength=strength, step=dt)))
        step = ResolvedRate(LOLA, lola_task_space(LOLA, IDLE, gains=10.0), cost=cost)
        q, gap, rates = IDLE.copy(), np.inf, []
        for _ in range(100):
            rates.append(step(q))
            q = footfall.integrate(LOLA, q, 0.01 * rates[-1])
            gap = min(gap, footfall.volumes.volume_distances(LOLA, q, pairs=arms).distance.min())
        changes = np.diff(rates, axis=0)
        back = changes[1:] * changes[:-1] < 0.0  # as no smooth motion does
        ringing.append(float(np.minimum(np.abs(changes[1:]), np.abs(changes[:-1]))[back].sum()))
        least.append(gap)
    assert least[1] > least[0] + 0.03  # 42 and -1 mm
    assert ringing[1] < 1.0 < 100.0 < ringing[2]  # rad/s


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pushes_fade_no_faster_than_told(seed: int) -> None:
    """By the greatest eigenvalue of `J^T F J`, F (m,): how fast the push of each pair fades."""
    q = footfall.integrate(LOLA, IDLE, 0.3 * np.random.default_rng(seed).normal(size=LOLA.nv))
    cost, found = RepulsiveCost(reach=0.2), footfall.volumes.volume_distances(LOLA, q, threshold=0.2)
    greatest = np.linalg.eigvalsh(found.jacobian.T * cost.fading(found.distance) @ found.jacobian).max()
    assert greatest < cost.stiffness(LOLA, q) < 4.0 * greatest


def test_sum_and_bad_values() -> None:
    comfort, apart = ComfortCost(tuple(IDLE + 0.1)), RepulsiveCost(reach=0.1)
    both = CostSum((comfort, apart))
    assert both.value(LOLA, IDLE) == pytest.approx(comfort.value(LOLA, IDLE) + apart.value(LOLA, IDLE))
    expected = comfort.gradient(LOLA, IDLE) + apart.gradient(LOLA, IDLE)
    np.testing.assert_allclose(both.gradient(LOLA, IDLE), expected, atol=1e-15)
    for wrong in ({"reach": 0.0}, {"strength": -1.0}, {"blend": 1.5}, {"reach": np.inf}):
        with pytest.raises(InvalidInput, match="must be above zero"):
            RepulsiveCost(**wrong)
