"""The gain rule with the numbers of RSL 2022, (3.73)-(3.80)."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import footfall
from footfall.control import EndEffectorControl, JointImpedance
from footfall.control.gains import Gains, gains_from
from footfall.errors import InvalidInput
from footfall.ik import build_ik
from footfall.math.transform import identity_transform
from footfall.tasks import PoseTask


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
    with pytest.raises(InvalidInput, match="must be finite"):
        gains_from(frequency, damping_ratio=ratio)


def test_negative_gains() -> None:
    with pytest.raises(InvalidInput, match="stiffness is -1"):
        Gains(-1.0, 0.0)


def test_gains_by_joint_and_by_axis() -> None:
    """A number, or several: hashable, pickled, and the same law joint by joint."""
    arm = footfall.load("arm-7r")
    several = Gains(np.linspace(10.0, 70.0, 7), 2.0)
    assert several.size == 7
    assert several.stiffness[3] == 40.0
    assert hash(several) == hash(pickle.loads(pickle.dumps(several)))
    assert several == Gains(list(np.linspace(10.0, 70.0, 7)), 2.0)
    assert several.for_axis(3) == Gains(40.0, 2.0)
    assert gains_from([1.0, 2.0]).frequency == pytest.approx((1.0, 2.0))
    assert gains_from([1.0, 2.0], damping_ratio=0.5).damping_ratio == pytest.approx((0.5, 0.5))
    q, v = arm.configuration("ready"), 0.1 * np.arange(7.0)
    law = JointImpedance(arm, np.zeros(7), several, gravity_compensation=False)
    assert law.torque(0.0, q, v) == pytest.approx(np.linspace(10.0, 70.0, 7) * -q - 2.0 * v)
    assert law(0.0, q, v).kp == pytest.approx(np.linspace(10.0, 70.0, 7))
    wanted = footfall.frame_pose(arm, q, "tip")
    for several in (Gains(np.full(6, 9.0), np.full(6, 6.0)), Gains(9.0, np.full(6, 6.0))):
        one = EndEffectorControl(arm, "tip", wanted, Gains(9.0, 6.0)).torque(0.0, q, v)
        assert np.array_equal(EndEffectorControl(arm, "tip", wanted, several).torque(0.0, q, v), one)
    task = PoseTask("tip", wanted, gains=Gains(np.arange(1.0, 7.0) ** 2, 1.0))
    rates = build_ik(arm, q + 0.1, [task]).rate
    assert rates == pytest.approx(
        np.arange(1.0, 7.0) * build_ik(arm, q + 0.1, [PoseTask("tip", wanted)]).rate
    )
    assert build_ik(arm, q + 0.1, [PoseTask("tip", wanted, gains=range(1, 7))]).rate == pytest.approx(rates)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Gains(np.ones(3), np.ones(2)), "3 stiffnesses and 2 dampings"),
        (lambda: Gains("stiff", 1.0), "must be a number"),
        (lambda: Gains(np.ones((2, 2)), 1.0), r"shape \(2, 2\)"),
        (lambda: Gains([1.0, np.nan], 1.0), "finite"),
        (
            lambda: JointImpedance(footfall.load("arm-7r"), np.zeros(7), Gains(np.ones(6), 1.0)),
            "joint impedance: there are 6 gains; give one for all, or 7",
        ),
        (
            lambda: EndEffectorControl(
                footfall.load("arm-7r"), "tip", identity_transform(), Gains(np.ones(7), 1.0)
            ),
            "there are 7 gains; give one for all, or 6",
        ),
        (
            lambda: build_ik(
                footfall.load("arm-7r"),
                np.zeros(7),
                [PoseTask("tip", identity_transform(), gains=np.ones(5))],
            ),
            "there are 5 gains; give one for all, or 6 for its rows",
        ),
    ],
)
def test_wrong_numbers_of_gains_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
