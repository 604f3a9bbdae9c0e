"""One contact: separation, sticking and sliding against closed forms and against the law itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.arrays import Array
from footfall.compiler import build_kernel
from footfall.contact.local_cone import cone_block, solve_box, solve_cone, solve_limit
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution


def solve(
    matrix: Array, free: Array, mu: float, extra: float = 0.0, *, slip: float = 0.0, steps: int = 25
) -> Array:
    block = cone_block(*matrix[np.triu_indices(3)])
    return np.array(solve_cone(block, *free, mu, extra, slip, steps)[:3], dtype=float)


def random_case(rng: np.random.Generator) -> tuple[Array, Array, float]:
    root = rng.normal(size=(3, 5))
    return root @ root.T, rng.normal(size=3) - [0.0, 0.0, 1.0], float(rng.uniform(0.0, 1.2))


def test_separates_when_it_moves_apart() -> None:
    np.testing.assert_array_equal(solve(np.eye(3), np.array([3.0, -2.0, 0.1]), 0.8), np.zeros(3))


def test_sticks_within_the_cone() -> None:
    matrix = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, -0.1], [0.2, -0.1, 1.0]])
    expected = np.array([0.1, -0.2, 0.9])  # |p_t| = 0.22 < 0.5 * 0.9
    np.testing.assert_allclose(solve(matrix, -matrix @ expected, 0.5), expected, rtol=1e-7)


def test_slides_against_the_motion_of_a_point_mass() -> None:
    # A point mass m: p_n = -m v_n, p_t = -mu p_n v_t / |v_t|.
    mass, velocity, mu = 2.0, np.array([3.0, 4.0, -1.0]), 0.3
    expected = np.array([-mu * 2.0 * 0.6, -mu * 2.0 * 0.8, 2.0])
    np.testing.assert_allclose(solve(np.eye(3) / mass, velocity, mu), expected, rtol=1e-8)


def test_frictionless_contact_has_a_normal_impulse_only() -> None:
    matrix, free, _ = random_case(np.random.default_rng(3))
    p = solve(matrix, free, 0.0)
    np.testing.assert_allclose(p[:2], 0.0, atol=1e-12)
    assert p[2] == pytest.approx(-free[2] / matrix[2, 2], rel=1e-8)


def test_extra_bound_acts_beside_coulomb_friction() -> None:
    p = solve(np.eye(3), np.array([5.0, 0.0, -1.0]), 0.2, 0.1)
    np.testing.assert_allclose(p, [-0.3, 0.0, 1.0], rtol=1e-8)


def test_a_contact_that_cannot_move_sideways_works() -> None:
    p = solve(np.diag([0.0, 0.0, 0.5]), np.array([0.0, 0.0, -2.0]), 0.7)
    np.testing.assert_allclose(p, [0.0, 0.0, 4.0], rtol=1e-7, atol=1e-12)


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1))
def test_fulfils_the_law(seed: int) -> None:
    matrix, free, mu = random_case(np.random.default_rng(seed))
    problem = ContactProblem(matrix, free, np.array([mu]))
    p = solve(matrix, free, mu)
    # Once more from there, as a sweep does: what was added to the diagonal drops out.
    block = cone_block(*matrix[np.triu_indices(3)])
    p = solve(matrix, problem.velocities(p) - matrix @ p - block.added * p, mu)
    residuals = check_solution(problem, p)
    scale = np.abs(free).max() / matrix.diagonal().min()
    assert residuals.natural_map < 1e-7 * scale
    assert residuals.cone <= 1e-12 * scale


def test_few_steps_keep_the_cone_and_the_normal_direction() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        matrix, free, mu = random_case(rng)
        problem = ContactProblem(matrix, free, np.array([mu]))
        residuals = check_solution(problem, solve(matrix, free, mu, steps=1))
        assert residuals.cone < 1e-12
        assert residuals.negative_velocity < 1e-6 * np.abs(matrix).max()


def test_warm_slip_needs_fewer_steps() -> None:
    rng = np.random.default_rng(5)
    cold, warm = [], []
    for _ in range(200):
        matrix, free, mu = random_case(rng)
        block = cone_block(*matrix[np.triu_indices(3)])
        *exact, slip = (float(x) for x in solve_cone(block, *free, mu, 0.0, 0.0, 30))
        nearby = free + 1e-3 * rng.normal(size=3)
        reference = solve(matrix, nearby, mu, steps=30)
        assert np.isfinite(exact).all()
        cold.append(np.abs(solve(matrix, nearby, mu, steps=1) - reference).max())
        warm.append(np.abs(solve(matrix, nearby, mu, slip=slip, steps=1) - reference).max())
    assert np.quantile(warm, 0.9) < 0.01 * np.quantile(cold, 0.9)


def test_traced_and_native_agree_with_floats() -> None:
    def traced(matrix: Any, free: Any, law: Any) -> dict[str, Any]:
        block = cone_block(*matrix[np.triu_indices(3)])
        return {"p": np.array(solve_cone(block, *free, law[0], law[1], law[2], 6))}

    kernel = build_kernel(traced, {"matrix": (3, 3), "free": 3, "law": 3}, name="local_cone")
    rng = np.random.default_rng(1)
    for _ in range(100):
        matrix, free, mu = random_case(rng)
        extra = float(rng.choice([0.0, 0.05]))
        expected = solve(matrix, free, mu, extra, steps=6)
        got = kernel(matrix, free, np.array([mu, extra, 0.0]))
        np.testing.assert_allclose(got[:3], expected, rtol=1e-9, atol=1e-9)


def test_limit_and_box_rows() -> None:
    assert solve_limit(2.0, -3.0) == 6.0
    assert solve_limit(2.0, 3.0) == 0.0
    assert solve_box(2.0, -3.0, 1.0) == 1.0
    assert solve_box(2.0, 3.0, 1.0) == -1.0
    assert solve_box(2.0, 0.25, 1.0) == -0.5
