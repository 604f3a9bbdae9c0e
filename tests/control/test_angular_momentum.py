"""Angular momentum in inverse kinematics: weights against dense inverses, terms that see the tasks, courses, swings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import footfall
from footfall.control.inverse_kinematics.null_space import JointWeights
from footfall.dynamics.centroidal import centroidal_momentum_matrix
from footfall.errors import InvalidInput
from footfall.ik import (
    MomentumCompensation,
    MomentumWeight,
    RepulsiveCost,
    ResolvedRate,
    Smoothing,
    TaskMotion,
    arm_swing,
    turning_momentum,
    vertical_inertia,
)
from footfall.tasks import frame_position, lola_task_space

LOLA = footfall.load("lola")
IDLE = LOLA.configuration("idle")
ARMS = (*LOLA.groups["right_arm"], *LOLA.groups["left_arm"])
TASKS = lola_task_space(LOLA, IDLE, gains=10.0)


def state(seed: int) -> Any:
    return footfall.integrate(LOLA, IDLE, 0.15 * np.random.default_rng(seed).normal(size=LOLA.nv))


def closed_form(step: ResolvedRate, q: Any, weight: Any) -> Any:
    """Schwienbacher 2013, (4.12) with a dense W and no cost; gains of 10/s."""
    error, jacobian = step.stack.kernel(q, step.stack.parameters)
    inverse = np.linalg.inv(weight)
    square = jacobian @ inverse @ jacobian.T + step.damping**2 * np.eye(len(jacobian))
    return inverse @ jacobian.T @ np.linalg.solve(square, 10.0 * error)


def test_dense_weights() -> None:
    """Against the inverse of the matrix itself."""
    arm, rng = footfall.load("arm-7r"), np.random.default_rng(0)
    root = rng.normal(size=(7, 7))
    dense = root @ root.T + 5.0 * np.eye(7)
    q = arm.configuration("ready")
    place = footfall.frame_pose(arm, q, "tip").translation + np.array([0.05, 0.02, -0.1])
    step = ResolvedRate(arm, [frame_position("tip", place, gains=10.0)], motion_weights=dense)
    np.testing.assert_allclose(step(q), closed_form(step, q, dense), atol=1e-8)
    assert np.abs(step(q) - closed_form(step, q, np.eye(7))).max() > 0.05  # the weight is seen


def test_rank_one_weights() -> None:
    """W = delta E + A^T A by Sherman and Morrison, against its inverse; less momentum the smaller delta is."""
    q = state(1)
    row = centroidal_momentum_matrix(LOLA, q)[5]
    plain, momenta = ResolvedRate(LOLA, TASKS), []
    for delta in (1e6, 5.0, 0.5):
        weight = delta * np.eye(LOLA.nv) + np.outer(row, row)
        step = ResolvedRate(LOLA, TASKS, motion_weights=MomentumWeight(delta), damping=1e-9)
        found = step(q)
        np.testing.assert_allclose(found, closed_form(step, q, weight), atol=1e-6)
        momenta.append(abs(row @ found))
    assert abs(row @ plain(q)) == pytest.approx(momenta[0], rel=1e-3)
    assert momenta[0] > momenta[1] > momenta[2]


def test_weights_are_checked() -> None:
    for wrong in (np.zeros(LOLA.nv), np.ones(3), -np.eye(LOLA.nv)):
        with pytest.raises(InvalidInput, match="motion_weights"):
            ResolvedRate(LOLA, TASKS, motion_weights=wrong)
    with pytest.raises(InvalidInput, match="delta is 0"):
        MomentumWeight(0.0)
    assert len(JointWeights(np.ones(3)).numbers) == 0


def test_compensation_reaches_the_momentum_that_is_told() -> None:
    """With little damping the momentum is the one that is wanted, and the tasks do not notice; arms alone do it."""
    term = MomentumCompensation(ARMS, damping=1e-4)
    step, alone = ResolvedRate(LOLA, TASKS, terms=(term,)), ResolvedRate(LOLA, TASKS)
    for seed in range(3):
        q = state(seed)
        row = centroidal_momentum_matrix(LOLA, q)[5]
        jacobian = step.stack.kernel(q, step.stack.parameters)[1]
        for told in (0.0, 0.7):
            v = step(q, inputs=np.array([told]))
            assert footfall.centroidal_momentum(LOLA, q, v)[5] == pytest.approx(told, abs=1e-5)
            np.testing.assert_allclose(jacobian @ v, jacobian @ alone(q), atol=1e-6)
        assert abs(row @ alone(q)) > 0.05
    with pytest.raises(InvalidInput, match="inputs have shape"):
        step(q, inputs=np.zeros(2))


def test_variants_of_the_source() -> None:
    """(7.5): with no tasks in the way the exact form meets the momentum; the unit form goes the same way, and only
    (7.9) as printed grows where arms lose their hold."""
    q, particular = state(4), np.random.default_rng(4).normal(size=LOLA.nv)
    row = centroidal_momentum_matrix(LOLA, q)[5]
    arms = np.zeros(LOLA.nv)
    for name in ARMS:
        arms[LOLA.v_slice(name)] = 1.0
    particular = particular * (1.0 - arms)

    def answer(variant: Any) -> Any:
        term = MomentumCompensation(ARMS, variant=variant, damping=0.0)
        motion = TaskMotion(particular, 0 * particular, lambda v: v, term.numbers, np.array([0.3]))
        return term.velocity(LOLA, q, motion)

    exact, unit, literal = (answer(variant) for variant in ("exact", "unit", "literal"))
    assert row @ (particular + exact) == pytest.approx(0.3, abs=1e-6)
    length = np.linalg.norm(arms * row)
    np.testing.assert_allclose(unit, exact * length, rtol=1e-6)
    np.testing.assert_allclose(literal * length, exact, rtol=1e-6)
    with pytest.raises(InvalidInput, match="variant is 'best'"):
        MomentumCompensation(ARMS, variant="best")  # type: ignore[arg-type]


def test_course_while_turning() -> None:
    """(7.10) to (7.12): values at the ends of steps, no jump of value and rate, back to zero; none without a turn."""
    steps, inertia = [(0.8, 0.2), (0.8, 0.2), (1.0, 0.0)], 2.0
    times = np.linspace(0.0, 4.0, 40001)
    momentum, torque = turning_momentum(inertia, steps, times)
    for end, value in ((0.8, 0.5), (1.6, 0.5), (2.6, 0.0), (3.6, 0.0)):
        assert momentum[round(end * 1e4)] == pytest.approx(value, abs=1e-9)
        assert torque[round(end * 1e4)] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(np.gradient(momentum, times)[1:-1], torque[1:-1], atol=1e-3)
    assert np.abs(np.diff(torque)).max() < 2e-3
    assert not turning_momentum(inertia, [(0.8, 0.0)], times)[0].any()


def test_vertical_inertia() -> None:
    """Energy of the robot that turns as one body about the vertical through its centre of mass: I w^2 / 2."""
    inertia = vertical_inertia(LOLA, IDLE)
    base = footfall.frame_pose(LOLA, IDLE, "base")
    turn = np.zeros(LOLA.nv)
    turn[:3] = np.cross([0, 0, 1], base.translation - footfall.center_of_mass(LOLA, IDLE))
    turn[3:6] = base.rotation.T @ [0, 0, 1]
    assert footfall.kinetic_energy(LOLA, IDLE, turn) == pytest.approx(inertia / 2, rel=1e-9)


def test_swing_follows_the_opposite_leg() -> None:
    """No error in the pose it is made from; its Jacobian by differences where the trunk stands upright."""
    tasks = arm_swing(LOLA, IDLE, frame="UB", scale=0.5)
    assert [task.leg for task in tasks] == [LOLA.groups["left_leg"], LOLA.groups["right_leg"]]
    rng = np.random.default_rng(3)
    joints = np.ones(LOLA.nv)
    joints[3:6] = 0.0  # turns of the trunk are left to the feedback
    for task in tasks:
        found = task.evaluate(LOLA, IDLE, task.parameters)
        np.testing.assert_allclose(found.error, 0.0, atol=1e-12)
        v, step = joints * rng.normal(size=LOLA.nv), 1e-6
        ahead, behind = (
            task.evaluate(LOLA, footfall.integrate(LOLA, IDLE, sign * step * v), task.parameters).error
            for sign in (1.0, -1.0)
        )
        np.testing.assert_allclose(found.jacobian @ v, (behind - ahead) / (2 * step), atol=1e-7)
    with pytest.raises(InvalidInput, match="no group 'tail'"):
        arm_swing(LOLA, IDLE, frame="UB", pairs={"tail": "left_leg"})


def test_smoothing_is_a_critically_damped_filter() -> None:
    """A gradient that jumps: x = 1 - (1 + w t) exp(-w t), to the order of the step; with a bound on the jerk."""
    smooth, memory, course = Smoothing(1e-4, cutoff=6.0), np.zeros((2, 1)), []
    for _ in range(2000):
        value, memory = smooth.step(memory, np.ones(1))
        course.append(float(value[0]))
    w, times = 2 * np.pi * 6.0, 1e-4 * np.arange(1, 2001)
    np.testing.assert_allclose(course, 1.0 - (1.0 + w * times) * np.exp(-w * times), atol=4e-3)
    bounded, memory, course = Smoothing(1e-3, cutoff=6.0, jerk=50.0), np.zeros((2, 1)), []
    for _ in range(500):
        value, memory = bounded.step(memory, np.ones(1))
        course.append(float(value[0]))
    assert np.abs(np.diff(course, n=2)).max() <= 50.0 * 1e-6 * (1 + 1e-9)
    assert course[-1] == pytest.approx(1.0, abs=1e-2)
    with pytest.raises(InvalidInput, match="cutoff is 60"):
        Smoothing(0.01, cutoff=60.0)


def test_smoothed_repulsion_in_one_native_call() -> None:
    """Velocities of the first step are small, later ones those of the cost itself."""
    cost = RepulsiveCost(reach=0.2)
    smooth = ResolvedRate(LOLA, TASKS, cost=cost, smoothing=Smoothing(1e-3, cutoff=20.0))
    plain, first = ResolvedRate(LOLA, TASKS, cost=cost)(IDLE), smooth(IDLE)
    assert np.abs(first).max() < 0.05 * np.abs(plain).max()
    for _ in range(200):
        last = smooth(IDLE)
    np.testing.assert_allclose(last, plain, atol=1e-4)
