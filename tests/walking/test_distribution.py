"""How feet and hands share a wrench: optimality, another solver, symmetry."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from footfall.arrays import Array
from footfall.walking.distribution import FootSupport, HandSupport, distribute, wrench_program
from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.walker import WalkingCode

NONE = HandSupport(np.zeros(3), np.eye(3), 0.0, 0.0)


@pytest.fixture(scope="module")
def gains(code: WalkingCode) -> ControlGains:
    return control_gains(code.body.model)


def feet(gains: ControlGains, right: float = 0.5) -> tuple[FootSupport, FootSupport]:
    ahead = -gains.sole.middle
    return (
        FootSupport(np.array([ahead, -0.14, -0.9]), np.eye(3), gains.sole, right),
        FootSupport(np.array([ahead, 0.14, -0.9]), np.eye(3), gains.sole, 1.0 - right),
    )


def test_symmetric_double_support_is_shared_equally(gains: ControlGains) -> None:
    weight = gains.mass * gains.gravity
    found = distribute(np.array([0, 0, weight, 0, 0, 0]), feet(gains), (NONE, NONE), gains)
    np.testing.assert_allclose(found.feet[0][2], weight / 2, rtol=1e-3)
    np.testing.assert_allclose(found.feet[1][2], found.feet[0][2], rtol=1e-9)


def test_a_foot_without_load_is_asked_for_nothing(gains: ControlGains) -> None:
    weight = gains.mass * gains.gravity
    found = distribute(np.array([0, 0, weight, 0.14 * weight, 0, 0]), feet(gains, 0.0), (NONE, NONE), gains)
    assert not found.feet[0].any()
    # R against Q: 1e-3 of the force is left out by either.
    np.testing.assert_allclose(found.feet[1][2], weight, rtol=2e-3)


def wall(gains: ControlGains) -> HandSupport:
    """A wall on the left: it pushes to the right."""
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return HandSupport(np.array([0.1, 0.6, 0.3]), axes, 50.0, 1.0)


def test_forces_of_hands_stay_near_the_normal(gains: ControlGains) -> None:
    weight = gains.mass * gains.gravity
    wrench = np.array([20.0, -60.0, weight, 10.0, 5.0, 0.0])
    found = distribute(wrench, feet(gains), (NONE, wall(gains)), gains)
    assert found.hands[1][1] < 0.0  # the wall pushes, it does not pull
    assert np.hypot(found.hands[1][0], found.hands[1][2]) <= 1.01 * gains.hand_friction * -found.hands[1][1]


@pytest.mark.parametrize("seed", range(6))
def test_conditions_of_optimality_and_another_solver(gains: ControlGains, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = gains.mass * gains.gravity
    wrench = np.array([*rng.normal(0, 80, 2), weight * rng.uniform(0.7, 1.2), *rng.normal(0, 60, 3)])
    args = (wrench, feet(gains, float(rng.uniform(0.1, 0.9))), (NONE, wall(gains)), gains)
    program = wrench_program(*args)
    found = distribute(*args)
    x = np.concatenate([found.feet[0], found.feet[1], wall(gains).axes.T @ found.hands[1]])
    values = program.limits.rows @ x
    size = np.abs(x).max()
    assert (values > program.limits.lower - 1e-6 * size).all()
    assert (values < program.limits.upper + 1e-6 * size).all()
    # Stationary: the gradient is a sum of the rows that are at their bounds, pushed inwards.
    gradient = program.hessian @ x + program.gradient
    at_lower = values < program.limits.lower + 1e-6 * size
    at_upper = values > program.limits.upper - 1e-6 * size
    normals = np.concatenate([program.limits.rows[at_lower], -program.limits.rows[at_upper]])
    assert _residual(normals, gradient) < 1e-5 * max(1.0, np.abs(program.gradient).max())
    other = minimize(
        lambda w: w @ program.hessian @ w / 2 + program.gradient @ w,
        np.zeros(len(x)),
        jac=lambda w: program.hessian @ w + program.gradient,
        constraints=LinearConstraint(program.limits.rows, program.limits.lower, program.limits.upper),
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    ours = x @ program.hessian @ x / 2 + program.gradient @ x
    assert ours <= other.fun + 1e-6 * abs(other.fun)


@pytest.mark.parametrize("seed", range(8))
def test_the_zero_moment_point_of_the_feet_is_inside_of_their_soles(gains: ControlGains, seed: int) -> None:
    """Whatever is asked for, where the feet's forces act together lies in the hull of both soles."""
    rng = np.random.default_rng(seed)
    weight = gains.mass * gains.gravity
    wrench = np.array([*rng.normal(0, 150, 2), weight, *rng.normal(0, 300, 3)])
    right, left = feet(gains, float(rng.uniform(0.2, 0.8)))
    found = distribute(wrench, (right, left), (NONE, NONE), gains)
    load, moment = 0.0, np.zeros(2)
    for foot, share in ((right, found.feet[0]), (left, found.feet[1])):
        # Centre of pressure (-T_y, T_x) / F_z of each, weighted by its force; both soles lie in one plane.
        load += share[2]
        moment += foot.arm[:2] * share[2] + np.array([-share[4], share[3]])
    x, y = moment / load
    sole, tolerance = gains.sole, 1e-6
    ahead = -sole.middle
    assert ahead + sole.rear - tolerance <= x <= ahead + sole.front + tolerance
    assert -0.14 + sole.right - tolerance <= y <= 0.14 + sole.left + tolerance


def _residual(normals: Array, gradient: Array) -> float:
    """How far a gradient is from the cone of normals."""
    from scipy.optimize import nnls

    if not len(normals):
        return float(np.linalg.norm(gradient))
    return float(nnls(normals.T, gradient)[1])
