"""The validator: zero at solutions that are known by hand, and each residual reacts to its own violation."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution

# A block of 2 kg that slides along x, a limit row that stops, a dry joint that holds.
PROBLEM = ContactProblem(
    delassus=np.eye(5) / 2,
    bias=np.array([3.0, 0.0, -1.0, -0.5, 0.1]),
    friction=np.array([0.25]),
    limits=1,
    box=np.array([1.0]),
)
SOLUTION = np.array([-0.5, 0.0, 2.0, 1.0, -0.2])


def test_solution_by_hand_has_no_residual() -> None:
    residuals = check_solution(PROBLEM, SOLUTION)
    assert max(vars(residuals).values()) < 1e-15


@pytest.mark.parametrize(
    "index, value, name, size",
    [
        (2, -0.1, "negative_impulse", 0.1),
        (3, -0.2, "negative_impulse", 0.2),
        (2, 1.0, "negative_velocity", 0.5),
        (2, 3.0, "complementarity", 1.5),
        (0, -0.6, "cone", 0.1),
        (0, -0.4, "dissipation", 0.28),
        (1, 0.3, "cone", np.hypot(0.5, 0.3) - 0.5),
        (4, -1.5, "box", 0.5),
        (4, 0.5, "box_dissipation", 0.525),
        (3, 1.5, "natural_map", 0.5),
    ],
)
def test_a_violation_is_seen(index: int, value: float, name: str, size: float) -> None:
    impulses = SOLUTION.copy()
    impulses[index] = value
    residuals = check_solution(PROBLEM, impulses)
    assert getattr(residuals, name) == pytest.approx(size)
    assert residuals.natural_map > 0.01


def test_compliance_belongs_to_the_velocity() -> None:
    problem = ContactProblem(
        np.eye(3), np.array([0.0, 0.0, -1.0]), np.array([0.5]), compliance=np.array([0, 0, 1.0])
    )
    assert check_solution(problem, np.array([0.0, 0.0, 0.5])).natural_map == 0.0
    assert check_solution(problem, np.array([0.0, 0.0, 1.0])).natural_map == pytest.approx(0.5)


def test_extra_needs_a_normal_impulse() -> None:
    problem = ContactProblem(np.eye(3), np.array([1.0, 0.0, 1.0]), np.array([0.5]), extra=np.array([0.1]))
    assert check_solution(problem, np.zeros(3)).natural_map == 0.0
    assert check_solution(problem, np.array([-0.1, 0.0, 0.0])).cone == pytest.approx(0.1)
