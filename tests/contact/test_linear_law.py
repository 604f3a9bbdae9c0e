"""Newton's method on the natural map: its slope against differences, and whole problems solved by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lab.random_problems import pile_problem
from footfall.arrays import Array
from footfall.contact.classic.pyramid import impulse_scale
from footfall.contact.law import ContactLaw, LinearLaw, linear_law, linear_row, made_law, row_map
from footfall.contact.law import natural_map as contact_map
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution, natural_map

numbers = st.floats(-1.0, 1.0).filter(lambda x: abs(x) > 1e-3)


def law(compliance: float = 0.0, extra: float = 0.0, shear: float = 0.0) -> ContactLaw:
    return made_law(0.7, 0.4, 0.6, extra, compliance, shear)


def shift_of(linear: LinearLaw, p: Any, w: Any) -> Array:
    """What a spring's impulse changes at its own velocity, N s."""
    return np.asarray(linear.impulse - p - linear.stiffness @ w)


@settings(max_examples=200)
@given(
    p=st.tuples(numbers, numbers, numbers),
    w=st.tuples(numbers, numbers, numbers),
    reach=st.floats(0.3, 30.0),
    compliance=st.sampled_from([0.0, 0.2]),
    extra=st.sampled_from([0.0, 0.1]),
    shear=st.sampled_from([0.0, 0.3]),
)
def test_the_linear_cone_is_the_slope_of_the_natural_map(
    p: tuple[float, ...], w: tuple[float, ...], reach: float, compliance: float, extra: float, shear: float
) -> None:
    """With `dp = shift - K dw` the map vanishes to first order: `F + F_p dp + F_w (dw + E dp) = 0`, E: the softness."""
    cone = law(compliance, extra, shear)
    softness, h = 1e-3, 1e-6
    p_, w_ = np.array(p), np.array(w)

    def value(p: Array, w: Array) -> Array:
        return np.array(contact_map(cone, p, w, reach))

    springs = np.array([shear, shear, compliance])
    z = p_ - reach * (w_ + springs * p_) / (springs + np.array([0.7, 0.7, 0.4]))
    bound = cone.friction * z[2] + extra if z[2] > 0.0 else 0.0
    if abs(z[2]) < 1e-3 or abs(np.hypot(z[0], z[1]) - bound) < 1e-3:
        return  # a kink lies near: differences mean nothing
    by_p = np.array([(value(p_ + h * e, w_) - value(p_ - h * e, w_)) / (2 * h) for e in np.eye(3)]).T
    by_w = np.array([(value(p_, w_ + h * e) - value(p_, w_ - h * e)) / (2 * h) for e in np.eye(3)]).T
    linear = linear_law(cone, p_, w_, softness, reach, 1.0)
    softening = np.diag([softness * 0.7, softness * 0.7, softness * 0.4])
    whole = by_p + by_w @ softening
    assert np.allclose(whole @ shift_of(linear, p_, w_), -value(p_, w_), atol=1e-6)
    assert np.allclose(whole @ linear.stiffness, by_w, atol=1e-5 * max(1.0, reach))


def test_a_cone_that_is_right_has_no_natural_map() -> None:
    cone = law()
    assert np.allclose(contact_map(cone, (0.1, -0.2, 1.0), (0.0, 0.0, 0.0), 3.0), 0.0)  # sticks
    assert np.allclose(contact_map(cone, (0.0, 0.0, 0.0), (0.3, 0.0, 0.5), 3.0), 0.0)  # separates
    assert np.allclose(contact_map(cone, (-0.6, 0.0, 1.0), (0.3, 0.0, 0.0), 3.0), 0.0)  # slides
    assert not np.allclose(contact_map(cone, (-0.5, 0.0, 1.0), (0.3, 0.0, 0.0), 3.0), 0.0)
    assert not np.allclose(contact_map(cone, (0.0, 0.0, 0.0), (0.0, 0.0, -0.1), 3.0), 0.0)


@pytest.mark.parametrize(
    ("bound", "p", "w", "right"),
    [
        (np.inf, 0.0, 0.2, True),
        (np.inf, 0.3, 0.0, True),
        (np.inf, 0.3, 0.2, False),
        (0.5, 0.2, 0.0, True),
        (0.5, -0.5, 0.4, True),
        (0.5, 0.5, 0.4, False),
    ],
)
def test_joint_rows(bound: float, p: float, w: float, right: bool) -> None:
    assert bool(row_map(0.5, bound, p, w, 2.0) == pytest.approx(0.0)) is right
    # Alone, `dw = 0.5 dp`: solved in two steps, the first of which may find it on the other side of a bound.
    for _ in range(2):
        linear, _ = linear_row(0.5, bound, p, 2.0 * w / 0.5, 1e-4)
        step = (linear.impulse - p - linear.stiffness * w) / (1.0 + 0.5 * linear.stiffness)
        p, w = p + step, w + 0.5 * step
    assert row_map(0.5, bound, p, w, 2.0) == pytest.approx(0.0, abs=1e-3)


def dense_newton(problem: ContactProblem, steps: int) -> Array:
    """Impulses by full steps of the same linear pieces on the whole Delassus matrix."""
    diagonal, p = problem.diagonal(), np.zeros(problem.size)
    for _ in range(steps):
        w = problem.velocities(p)
        stiffness, shift = np.zeros((problem.size, problem.size)), np.zeros(problem.size)
        for i in range(problem.contacts):
            rows = slice(3 * i, 3 * i + 3)
            t1, t2, n = diagonal[rows]
            cone = made_law((t1 + t2) / 2, n, problem.friction[i], problem.extra[i])
            linear = linear_law(cone, p[rows], w[rows], 1e-9, 1.0, 1.0)
            stiffness[rows, rows], shift[rows] = linear.stiffness, shift_of(linear, p[rows], w[rows])
        p = p + np.linalg.solve(np.eye(problem.size) + stiffness @ problem.delassus, shift)
    return p


@pytest.mark.parametrize("seed", range(4))
def test_full_steps_solve_piles(seed: int) -> None:
    """From rest, with no sweep before; the natural map of the validator says how well."""
    problem = pile_problem(4, seed=np.random.default_rng(seed))
    scale = impulse_scale(problem)
    residuals = [check_solution(problem, dense_newton(problem, n)).natural_map / scale for n in (0, 12)]
    assert residuals[0] > 1e-2
    assert residuals[1] < 1e-9


def test_the_map_is_that_of_the_validator() -> None:
    """The validator has it for all contacts at once; here by `p - project(p - w / W)`, written out."""
    problem = pile_problem(3, seed=np.random.default_rng(7))
    p = np.abs(np.random.default_rng(1).normal(size=problem.size)) * impulse_scale(problem)
    w, diagonal = problem.velocities(p), problem.diagonal()
    theirs = natural_map(problem, p, w).reshape(-1, 3)
    for i in range(problem.contacts):
        rows = slice(3 * i, 3 * i + 3)
        along = diagonal[rows][:2].mean()
        z = p[rows] - w[rows] / [along, along, diagonal[rows][2]]
        normal = max(z[2], 0.0)
        bound, length = problem.friction[i] * normal + problem.extra[i] * (normal > 0.0), np.hypot(z[0], z[1])
        inside = z[:2] * min(1.0, bound / length)
        assert theirs[i, 2] == pytest.approx(abs(p[rows][2] - normal), abs=1e-12)
        assert theirs[i, 0] == pytest.approx(np.linalg.norm(p[rows][:2] - inside), abs=1e-12)
