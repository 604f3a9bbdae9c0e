"""Smooth heights within bounds, against an exact solver of quadratic programs."""

from __future__ import annotations

import daqp
import numpy as np
import pytest

from footfall.arrays import Array
from footfall.errors import HeightNotSmooth
from footfall.math.interpolation import quintic_spline
from footfall.motion.vertical_torso import largest_acceleration, smooth_height, solve_program

TIMES = np.linspace(0.0, 4.0, 41)
FREE = np.full(41, np.inf)
AT = np.linspace(0.0, 4.0, 4001)
MOST = 4.905


def wave() -> Array:
    return 1.1 + 0.002 * np.sin(TIMES)


def test_smooth_heights_stay_as_they_are() -> None:
    spline = smooth_height(TIMES, wave(), -FREE, FREE, most=MOST)
    np.testing.assert_allclose(spline(TIMES)[:, 0], wave(), atol=1e-14)


def test_a_jump_is_spread_and_only_there() -> None:
    wanted = wave()
    wanted[20:] += 0.08
    spline = smooth_height(TIMES, wanted, -FREE, FREE, most=MOST)
    assert np.abs(spline(AT, 2)).max() <= MOST
    moved = np.abs(spline(TIMES)[:, 0] - wanted)
    assert 0.01 < moved.max() < 0.05
    assert moved[[*range(12), *range(29, 41)]].max() < 1e-3


def test_bounds_are_kept_with_the_limit_of_acceleration() -> None:
    """Dips of the upper bound as in steps: the heights dive below them in time."""
    highest = 1.15 - 0.03 * (np.arange(41) % 8 == 4)
    wanted = np.full(41, 1.2)
    wanted[[0, -1]] = 1.1
    spline = smooth_height(TIMES, wanted, -FREE, highest, most=MOST)
    assert (spline(TIMES)[1:-1, 0] <= highest[1:-1] + 1e-4).all()
    assert np.abs(spline(AT, 2)).max() <= MOST
    assert spline(TIMES)[:, 0].mean() > 1.11


@pytest.mark.parametrize("seed", range(6))
def test_the_program_is_solved(seed: int) -> None:
    """Against the active-set solver DAQP, which is exact; bounds give way a little.

    Bounds lie around a curve that bends less than allowed, so that there is a solution.
    """
    rng = np.random.default_rng(seed)
    count, bend, smoothness = 18, 0.004, 0.7
    inside = 1.1 + 0.02 * np.sin(0.4 * np.arange(count + 2) + rng.uniform(0, 6))
    inside[:2], inside[-2:] = inside[2], inside[-3]
    wanted = inside + 0.015 * rng.normal(size=count + 2)
    wanted[0], wanted[-1] = inside[0], inside[-1]
    lowest, highest = (
        inside - rng.uniform(0.002, 0.03, count + 2),
        inside + rng.uniform(0.002, 0.03, count + 2),
    )
    found = solve_program(wanted, lowest, highest, bend, 0.0, smoothness)
    matrix, shift = np.zeros((count + 2, count)), np.zeros(count + 2)
    everything = np.concatenate([wanted[:1], wanted, wanted[-1:]])
    for k in range(count + 2):
        for offset, factor in ((0, 1.0), (1, -2.0), (2, 1.0)):
            index = k + offset - 2
            if 0 <= index < count:
                matrix[k, index] += factor
            else:
                shift[k] += factor * everything[k + offset]
    limits = np.r_[bend / 6, np.full(count, bend), bend / 6]
    exact, _, flag, _ = daqp.solve(
        np.eye(count) + smoothness * matrix.T @ matrix,
        -wanted[1:-1] + smoothness * matrix.T @ shift,
        matrix,
        np.concatenate([highest[1:-1], limits - shift]),
        np.concatenate([lowest[1:-1], -limits - shift]),
        np.zeros(2 * count + 2, dtype=np.int32),
    )
    assert flag == 1
    np.testing.assert_allclose(found[1:-1], exact, atol=2e-5)
    assert (np.clip(found, lowest, highest) - found)[1:-1] == pytest.approx(0.0, abs=2e-5)
    assert np.abs(exact - np.clip(wanted, lowest, highest)[1:-1]).max() > 2e-3


def test_the_start_goes_on_as_it_was() -> None:
    spline = smooth_height(TIMES, wave(), -FREE, FREE, velocity=0.05, acceleration=-0.4, most=MOST)
    np.testing.assert_allclose(spline.sample(np.array([0.0]))[1:, 0, 0], [0.05, -0.4], atol=1e-10)
    np.testing.assert_allclose(spline.sample(np.array([4.0]))[1:, 0, 0], 0.0, atol=1e-9)


def test_the_limit_counts_more_than_bounds() -> None:
    """Bounds that jump by 0.3 m within 0.1 s cannot be kept."""
    step = np.where(TIMES < 2.0, 1.0, 1.3)
    wanted = np.where(TIMES < 2.0, 1.0, 1.3)
    spline = smooth_height(TIMES, wanted, step - 0.001, step + 0.001, most=MOST)
    assert np.abs(spline(AT, 2)).max() <= MOST


def test_heights_that_cannot_be_smooth_are_refused() -> None:
    with pytest.raises(HeightNotSmooth, match="at most 1 m/s2"):
        smooth_height(np.linspace(0.0, 0.2, 4), np.array([1.0, 1.0, 1.5, 1.5]), -FREE[:4], FREE[:4], most=1.0)


@pytest.mark.parametrize("seed", range(5))
def test_largest_acceleration_is_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spline = quintic_spline(np.linspace(0.0, 1.0, 6), rng.normal(size=6))
    sampled = np.abs(spline(np.linspace(0.0, 1.0, 20_001), 2)).max()
    assert sampled <= largest_acceleration(spline.times, spline.coefficients) <= sampled * (1 + 1e-6)
