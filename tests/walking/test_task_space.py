"""Inverse kinematics of walking: the least motion that follows its tasks, blended smoothly."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.control.inverse_kinematics.least_velocity import pattern_of
from footfall.walking.task_space import Kinematics, TaskCode, joint_velocities
from tests.walking.plain_kinematics import plain_kinematics

ROWS, NV, GAIN = 12, 20, 100.0  # the last six rows are hands
FREE_ARMS = np.full(NV, np.inf)
DAMPING = np.array([*6 * [1e-3], *6 * [0.15]])  # of singular values, more for hands


def code(weight: float) -> TaskCode:
    return TaskCode(
        *(0, 0, 0, 0, 0, NV + 1, NV, ROWS, False, False, 0, 1.0, 1.0, GAIN, weight, 0.0, 1e-3, FREE_ARMS),
        pattern_of(found().jacobian[None]),
    )


def found(seed: int = 0) -> Kinematics:
    rng = np.random.default_rng(seed)
    errors, jacobian = 1e-3 * rng.normal(size=ROWS), rng.normal(size=(ROWS, NV))
    jacobian[np.random.default_rng(2).random((ROWS, NV)) < 0.2] = (
        0.0  # joints that do not move what a row is about
    )
    return plain_kinematics(errors, jacobian, rng.normal(size=NV), rng.normal(size=NV), 2.0)


def rates(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=ROWS)


@pytest.mark.parametrize("weight", [0.0, 3.0])
@pytest.mark.parametrize(
    "selection, rows",
    [
        ((0.0, 0.0), range(6)),
        ((1.0, 0.0), range(9)),
        ((0.0, 1.0), (*range(6), 9, 10, 11)),
        ((1.0, 1.0), range(12)),
    ],
)
def test_it_is_the_least_motion_that_has_the_rates_of_its_tasks(
    weight: float, selection: tuple[float, float], rows: tuple[int, ...]
) -> None:
    """min |v + s|^2 / 2 + w (a v - L)^2 / 2 with J v = r + K e - d^2 lambda, which is damped: against its conditions,
    solved densely. L: the momentum of the whole robot if it turns as one."""
    model, wanted, turning = found(), rates(), 0.7
    v = joint_velocities(code(weight), model, wanted, np.array(selection), turning)
    chosen = list(rows)
    jacobian, right = model.jacobian[chosen], (wanted + GAIN * model.error)[chosen]
    metric = np.eye(NV) + weight * np.outer(model.momentum, model.momentum)
    system = np.block([[metric, -jacobian.T], [jacobian, np.diag(DAMPING[chosen] ** 2)]])
    whole = weight * model.inertia * turning * model.momentum
    best = np.linalg.solve(system, np.concatenate([whole - model.slope, right]))[:NV]
    np.testing.assert_allclose(v, best, atol=1e-10)
    np.testing.assert_allclose((jacobian @ v)[:6], right[:6], atol=1e-4)


def test_momentum_that_is_dear_becomes_less_and_tasks_do_not_notice() -> None:
    model, wanted = found(), rates()
    plain, dear = (joint_velocities(code(w), model, wanted, np.zeros(2), 0.0) for w in (0.0, 100.0))
    assert abs(model.momentum @ dear) < 0.1 * abs(model.momentum @ plain)
    np.testing.assert_allclose(model.jacobian[:6] @ plain, model.jacobian[:6] @ dear, atol=1e-4)


def test_costs_move_nothing_that_tasks_hold() -> None:
    model, wanted = found(), rates()
    pulled = model._replace(slope=10.0 * model.slope)
    one, two = (joint_velocities(code(1.0), each, wanted, np.ones(2), 0.0) for each in (model, pulled))
    np.testing.assert_allclose((model.jacobian @ one)[:6], (model.jacobian @ two)[:6], atol=1e-3)
    assert np.abs(one - two).max() > 0.1


def test_errors_of_tasks_decay_with_the_rate_of_the_loop() -> None:
    """e' = -J v + r = -K e: (1 - K dt)^n with steps of dt. Hands, which are damped, come to rest where the cost pulls
    as hard as they do: K e = d^2 lambda with J M^-1 (J^T lambda - s) = 0."""
    model, dt = found(), 1e-3
    error = model.error.copy()
    for step in range(1, 1001):
        v = joint_velocities(code(1.0), model._replace(error=error), np.zeros(ROWS), np.ones(2), 0.0)
        error = error - dt * model.jacobian @ v
        if step == 50:
            np.testing.assert_allclose(error[:6], model.error[:6] * (1.0 - GAIN * dt) ** 50, atol=1e-8)
    metric = np.eye(NV) + np.outer(model.momentum, model.momentum)
    pushed = np.linalg.solve(metric, model.jacobian.T)
    force = np.linalg.solve(model.jacobian @ pushed, pushed.T @ model.slope)
    np.testing.assert_allclose(error, DAMPING**2 * force / GAIN, atol=1e-9)


def test_joints_are_twice_continuously_differentiable_while_a_hand_is_blended() -> None:
    """Velocities are a polynomial of the selections, which are C2 in time: q is C3 through it, with both ends of the
    blend. Third differences of v along a quintic selection stay O(dt^3); those of a jump would be O(1)."""
    model, wanted, n = found(), rates(), 400
    time = np.linspace(-0.25, 1.25, n)
    t = np.clip(time, 0.0, 1.0)
    selection = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
    v = np.array([joint_velocities(code(1.0), model, wanted, np.array([x, 0.3]), 0.0) for x in selection])
    dt = time[1] - time[0]
    size = np.abs(v[-1] - v[0]).max()
    assert np.abs(np.diff(v, axis=0)).max() < 2.0 * size * dt  # 15/8 of a quintic
    assert np.abs(np.diff(v, 2, axis=0)).max() < 6.0 * size * dt**2  # 10 / sqrt(3)
    assert np.abs(np.diff(v, 3, axis=0)).max() < 61.0 * size * dt**3
    jump = np.array(
        [joint_velocities(code(1.0), model, wanted, np.array([float(x > 0.5), 0.3]), 0.0) for x in t]
    )
    assert np.abs(np.diff(jump, axis=0)).max() > 0.5 * size


def test_joints_that_come_near_a_limit_leave_their_part_to_others() -> None:
    """min v D v / 2 with J v = r, D = 100 for a joint that would go on towards its limit: solved densely. Going away
    from it, it is as free as any other."""
    model, wanted = found()._replace(slope=np.zeros(NV), error=np.zeros(ROWS)), rates()
    plain = joint_velocities(code(0.0), model, wanted, np.zeros(2), 0.0)
    joint = int(np.abs(plain).argmax())
    assert abs(plain[joint]) > 0.2  # no longer nearly at rest
    towards, away = (1, 0) if plain[joint] > 0.0 else (0, 1)
    limits = np.ones((2, NV))
    limits[towards, joint] = 0.01
    v = joint_velocities(code(0.0), model._replace(mobility=limits), wanted, np.zeros(2), 0.0)
    jacobian = model.jacobian[:6]
    metric = np.ones(NV)
    metric[joint] = 100.0
    system = np.block([[np.diag(metric), -jacobian.T], [jacobian, 1e-6 * np.eye(6)]])
    best = np.linalg.solve(system, np.concatenate([np.zeros(NV), wanted[:6]]))[:NV]
    np.testing.assert_allclose(v, best, atol=1e-10)
    assert abs(v[joint]) < 0.1 * abs(plain[joint])
    np.testing.assert_allclose(jacobian @ v, wanted[:6], atol=1e-4)
    limits = np.ones((2, NV))
    limits[away, joint] = 0.01
    free = joint_velocities(code(0.0), model._replace(mobility=limits), wanted, np.zeros(2), 0.0)
    np.testing.assert_allclose(free, plain, atol=1e-12)
