"""Limits of joints by their drives."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.robot.drives.drive_limits import drive_limits


def test_limits_of_lola_by_its_drives() -> None:
    """A gear of ratio N: no-load speed U / (k N), torque k I N. Knees: what the mechanism has in its range."""
    robot = footfall.load("lola")
    limits = drive_limits(robot)

    def of(joint: str) -> tuple[float, float]:
        place = robot.v_slice(joint).start
        return float(limits.velocity[place]), float(limits.effort[place])

    assert of("hfr") == pytest.approx((80.0 / (0.12 * 100.0), 0.12 * 32.0 * 100.0))
    assert of("afl") == pytest.approx((8.0, 147.0))
    # docs/drives.md: 30.5 to 75.3 motor radians a joint radian.
    assert of("kfr") == pytest.approx((80.0 / 0.12 / 75.3, 0.12 * 32.0 * 75.3), rel=2e-3)
    assert np.isinf(limits.velocity[:6]).all()
    assert np.isfinite(limits.velocity[6:]).all()


def test_without_drives_limits_are_those_of_the_description() -> None:
    arm = footfall.load("arm-6r")
    assert np.array_equal(drive_limits(arm).effort, arm.effort_limits)
