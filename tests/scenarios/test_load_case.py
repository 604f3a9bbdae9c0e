"""Interface wrenches under the load case, against statics by hand."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.drives import DriveSet, torque_report
from footfall.scenarios.load_case import interface_loads

LOLA = footfall.load("lola")
IDLE = LOLA.configuration("idle")
LOADS = {
    load.joint: load
    for load in interface_loads(LOLA, IDLE, hands=("RH", "LH"), feet=("RF", "LF"), force=100.0)
}


def test_forearm_bears_its_weight_and_the_hand() -> None:
    """The worst direction is down: (100, 100, 100 + weight)."""
    weight = sum(LOLA.body(name).mass for name in ("efr",)) * 9.81
    assert LOADS["efr"].force == pytest.approx(np.hypot(np.hypot(100.0, 100.0), 100.0 + weight), rel=1e-9)


def test_moments_are_no_smaller_than_the_torques_of_the_report() -> None:
    hands = {hand: footfall.frame_jacobian(LOLA, IDLE, hand) for hand in ("RH", "LH")}
    feet = {foot: footfall.frame_jacobian(LOLA, IDLE, foot) for foot in ("RF", "LF")}
    report = torque_report(
        DriveSet(LOLA, LOLA.drives), IDLE, footfall.gravity_forces(LOLA, IDLE), hands, support_jacobians=feet
    )
    for row in report:
        assert LOADS[row.joint].moment >= row.load * (1.0 - 1e-9) - 1e-6


def test_nothing_hangs_on_the_world() -> None:
    assert LOADS["root"].force < 1e-9
    assert LOADS["root"].moment < 1e-9
    hanging = interface_loads(LOLA, IDLE, hands=(), force=0.0)
    assert hanging[0].force == pytest.approx(LOLA.mass * 9.81)
