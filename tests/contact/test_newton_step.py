"""Newton steps on the exact cone, traced: they finish what a few sweeps have begun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from footfall.compiler import build_kernel
from footfall.contact.gauss_seidel import impulse_scale, solve_gauss_seidel
from footfall.contact.newton_step import natural_map_residual, newton_step, polished
from footfall.contact.problem import ContactProblem
from footfall.contact.random_problems import foot_problem, pile_problem, random_problem
from footfall.contact.validation import check_solution

Array = NDArray[np.float64]


def traced_polish(problem: ContactProblem) -> Any:
    """A kernel for all problems of that size."""
    shapes = {
        "matrix": (problem.size, problem.size),
        "bias": problem.size,
        "impulses": problem.size,
        "friction": problem.contacts,
        "extra": problem.contacts,
    }
    if len(problem.box):
        shapes["box"] = len(problem.box)

    def polish(
        matrix: Any, bias: Any, impulses: Any, friction: Any, extra: Any, box: Any = None
    ) -> dict[str, Any]:
        p, residual = polished(
            matrix, bias, impulses, friction=friction, extra=extra, limits=problem.limits, box=box, steps=6
        )
        return {"p": p, "residual": np.array([residual])}

    return build_kernel(polish, shapes, name="polish")


def arguments(problem: ContactProblem, start: Array) -> list[Array]:
    box = [problem.box] if len(problem.box) else []
    return [problem.matrix(), problem.bias, start, problem.friction, problem.extra, *box]


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: foot_problem(4, seed=seed),
        lambda seed: pile_problem(4, seed=seed),
        lambda seed: random_problem(2, limits=1, boxes=2, seed=seed),
    ],
    ids=["foot", "pile", "limits and boxes"],
)
def test_finishes_what_sweeps_have_begun(make: Callable[[int], ContactProblem]) -> None:
    kernel = traced_polish(make(0))
    before, after = [], []
    for seed in range(60):
        problem = make(seed)
        begun = solve_gauss_seidel(problem, max_sweeps=10)
        p, residual = kernel(*arguments(problem, begun.impulses))
        checked = check_solution(problem, p).natural_map
        scale = impulse_scale(problem) or 1.0  # nothing touches
        assert residual[0] == pytest.approx(checked, abs=1e-12 * scale)
        assert checked <= begun.residual + 1e-15 * scale
        before.append(begun.residual / scale)
        after.append(checked / scale)
    assert np.quantile(before, 0.5) > 1e-9
    assert np.quantile(after, 0.9) < 1e-12


def test_traced_residual_is_that_of_the_validator() -> None:
    rng = np.random.default_rng(2)
    for seed in range(10):
        problem = random_problem(2, limits=2, boxes=1, seed=seed)
        p = rng.normal(size=problem.size)
        law = {"friction": problem.friction, "extra": problem.extra, "limits": 2, "box": problem.box}
        value = natural_map_residual(problem.matrix(), p, problem.velocities(p), **law)
        assert float(value) == pytest.approx(check_solution(problem, p).natural_map)


def test_a_solution_stays() -> None:
    problem = pile_problem(3, seed=1)
    p = solve_gauss_seidel(problem, tolerance=1e-15, max_sweeps=20_000).impulses
    law = {"friction": problem.friction, "extra": problem.extra, "limits": 0, "box": np.zeros(0)}
    stepped = newton_step(problem.matrix(), p, problem.velocities(p), **law)
    np.testing.assert_allclose(stepped.astype(float), p, atol=1e-12)
