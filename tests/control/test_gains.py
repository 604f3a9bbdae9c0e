"""The gain rule with the numbers of RSL 2022, (3.73)-(3.80)."""

from __future__ import annotations

import math

import pytest

from footfall.control.gains import Gains, gains_from
from footfall.errors import InvalidGains


def test_three_hertz() -> None:
    gains = gains_from(3.0)
    assert gains.stiffness == pytest.approx(355.306, abs=5e-4)
    assert gains.damping == pytest.approx(37.699, abs=5e-4)
    assert gains.frequency == pytest.approx(3.0, rel=1e-14)
    assert gains.damping_ratio == pytest.approx(1.0, rel=1e-14)


def test_round_numbers() -> None:
    assert Gains(350.0, 37.0).damping_ratio == pytest.approx(0.98887, abs=5e-6)
    assert Gains(350.0, 37.0).frequency == pytest.approx(2.9775, abs=5e-5)
    critical = gains_from(Gains(350.0, 0.0).frequency)
    assert critical.damping == pytest.approx(37.417, abs=5e-4)
    assert Gains(0.0, 1.0).damping_ratio == math.inf


@pytest.mark.parametrize(
    "frequency, ratio", [(0.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (1.0, -0.1), (1.0, math.inf)]
)
def test_impossible_gains(frequency: float, ratio: float) -> None:
    with pytest.raises(InvalidGains, match="must be finite"):
        gains_from(frequency, damping_ratio=ratio)


def test_negative_gains() -> None:
    with pytest.raises(InvalidGains, match="stiffness is -1"):
        Gains(-1.0, 0.0)
