"""Pseudo-, damped and weighted inverses against their defining conditions and the numbers of RSL 2022, chapter 2."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.math.generalised_inverses import (
    damped_inverse,
    decompose,
    filtered_inverse,
    motion_weighted_inverse,
    null_space_basis,
    null_space_projector,
    pseudo_inverse,
    singularity,
    task_weighted_inverse,
)


def of_rank(rank: int, shape: tuple[int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))


@pytest.mark.parametrize("shape", [(3, 7), (7, 3), (5, 5)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_moore_penrose_conditions(shape: tuple[int, int], rank: int) -> None:
    a = of_rank(rank, shape, seed=rank)
    b = pseudo_inverse(a)
    for left, right in ((a @ b @ a, a), (b @ a @ b, b), ((a @ b).T, a @ b), ((b @ a).T, b @ a)):
        np.testing.assert_allclose(left, right, atol=1e-12)
    np.testing.assert_allclose(b, np.linalg.pinv(a, rcond=1e-9), atol=1e-11)
    assert decompose(a).rank == rank


def test_damped_inverse_minimises_its_cost() -> None:
    a, b, damping = of_rank(3, (3, 5), 1), np.array([1.0, -2.0, 0.5]), 0.3
    x = damped_inverse(a, damping) @ b
    stacked = np.vstack([a, damping * np.eye(5)])
    np.testing.assert_allclose(
        x, np.linalg.lstsq(stacked, np.append(b, np.zeros(5)), rcond=None)[0], atol=1e-13
    )
    other = np.linalg.solve(a.T @ a + damping**2 * np.eye(5), a.T)
    np.testing.assert_allclose(damped_inverse(a, damping), other, atol=1e-13)
    np.testing.assert_allclose(damped_inverse(a, 1e-9), pseudo_inverse(a), atol=1e-8)
    np.testing.assert_allclose(damped_inverse(a, 0.0), pseudo_inverse(a), atol=1e-13)


def test_singular_planar_arm() -> None:
    """RSL 2022, (2.208): the stretched arm."""
    j = np.array([[3.0, 2.0, 1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(pseudo_inverse(j) @ [1, 1], np.array([3, 2, 1]) / 14, atol=1e-14)
    np.testing.assert_allclose(damped_inverse(j, 0.1) @ [1, 1], [0.214133, 0.142755, 0.071378], atol=5e-7)


def test_weights() -> None:
    a, b = of_rank(3, (5, 3), 4), np.array([1.0, 2.0, -1.0, 0.5, 3.0])
    weights = np.array([1.0, 10.0, 0.1, 2.0, 5.0])
    x = task_weighted_inverse(a, weights) @ b
    np.testing.assert_allclose(
        x, np.linalg.solve(a.T @ (weights[:, None] * a), a.T @ (weights * b)), atol=1e-12
    )
    wide, motion = of_rank(2, (2, 5), 5), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    inverse = np.diag(1 / motion)
    expected = inverse @ wide.T @ np.linalg.inv(wide @ inverse @ wide.T)  # Schwienbacher 2014, (4.12)
    np.testing.assert_allclose(motion_weighted_inverse(wide, motion), expected, atol=1e-12)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_null_space(rank: int) -> None:
    a = of_rank(rank, (4, 6), 2) if rank else np.zeros((4, 6))
    n, basis = null_space_projector(a), null_space_basis(a)
    np.testing.assert_allclose(n @ n, n, atol=1e-13)
    np.testing.assert_array_equal(n, n.T)
    np.testing.assert_allclose(a @ n, 0.0, atol=1e-12)
    assert basis.shape == (6, 6 - rank)
    np.testing.assert_allclose(basis @ basis.T, n, atol=1e-12)
    assert null_space_projector(np.zeros((0, 6))).trace() == 6.0


def test_damping_starts_before_trouble_and_nowhere_else() -> None:
    rng = np.random.default_rng(1)
    u, v = np.linalg.qr(rng.normal(size=(3, 3)))[0], np.linalg.qr(rng.normal(size=(5, 5)))[0][:3]

    def largest(small: float) -> float:
        a = u @ np.diag([2.0, 1.0, small]) @ v
        return float(np.linalg.norm(filtered_inverse(a, threshold=0.1, damping=0.1), 2))

    healthy = u @ np.diag([2.0, 1.0, 0.2]) @ v
    inverse = filtered_inverse(healthy, threshold=0.1, damping=0.1)
    np.testing.assert_allclose(inverse, pseudo_inverse(healthy), atol=1e-13)
    gains = [largest(small) for small in np.linspace(0.0, 0.2, 401)]
    assert max(gains) < 11.0  # the pseudo-inverse's grow without bound
    assert np.abs(np.diff(gains)).max() < 0.2  # nothing jumps


def test_damped_velocities_are_bounded() -> None:
    """sigma / (sigma^2 + lambda^2) is at most 1 / (2 lambda), reached where sigma is lambda (Schwienbacher 2014)."""
    rng, damping = np.random.default_rng(7), 0.05
    u, v = np.linalg.qr(rng.normal(size=(3, 3)))[0], np.linalg.qr(rng.normal(size=(5, 5)))[0][:3]
    for small in (*np.linspace(0.0, 0.2, 41), damping):
        inverse = damped_inverse(u @ np.diag([2.0, 1.0, small]) @ v, damping)
        largest = np.linalg.norm(inverse, 2)
        assert largest < (1.0 + 1e-12) / (2.0 * damping)
    assert largest == pytest.approx(1.0 / (2.0 * damping), rel=1e-12)


def test_singularity_of_nothing() -> None:
    assert singularity(np.zeros((0, 3))).rank == 0


def test_singularity_measures() -> None:
    """RSL 2022, (2.216)-(2.220): the singular values of Example 2.9.1."""
    j = 0.5 * np.array([[0.0, -np.sqrt(3), -np.sqrt(3)], [-4.0, -3.0, -1.0]])
    measured = singularity(j)
    np.testing.assert_allclose(measured.singular_values, [2.653560, 0.979091], atol=1e-6)
    assert measured.manipulability == pytest.approx(np.sqrt(np.linalg.det(j @ j.T)))
    assert measured.condition == pytest.approx(np.linalg.cond(j))
    assert measured.rank == 2
    assert singularity(np.zeros((2, 3))).condition == np.inf
