"""The torque report of LOLA, against statics computed in other ways."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.drives.drive_schema import lola_drives
from footfall.robot.drives.torque_report import report_text, torque_report

LOLA = footfall.load("lola")
DRIVES = lola_drives(LOLA)
IDLE = LOLA.configuration("idle")
HANDS = {hand: footfall.frame_jacobian(LOLA, IDLE, hand) for hand in ("RH", "LH")}
GRAVITY = footfall.gravity_forces(LOLA, IDLE)
REPORT = {row.joint: row for row in torque_report(DRIVES, IDLE, GRAVITY, HANDS)}


def test_load_is_the_worst_static_torque() -> None:
    """Inverse dynamics with every combination of forces on both hands, as wrenches on the robot."""
    worst = np.zeros(LOLA.nv)
    still = np.zeros(LOLA.nv)
    for signs in itertools.product((1.0, -1.0), repeat=6):
        wrenches = {
            hand: np.array([*(100.0 * np.array(part)), 0.0, 0.0, 0.0])
            for hand, part in (("RH", signs[:3]), ("LH", signs[3:]))
        }
        tau = footfall.inverse_dynamics(LOLA, IDLE, still, still, wrenches=wrenches)
        worst = np.maximum(worst, np.abs(tau))
    for name, row in REPORT.items():
        assert row.load == pytest.approx(worst[LOLA.v_slice(name).start], rel=1e-9, abs=1e-9)


def test_single_joint_drives_share_by_their_rating() -> None:
    for name in ("afr", "efl", "kfr"):
        row = REPORT[name]
        assert row.motor_share == pytest.approx(row.load / row.permanent, rel=1e-9)
        assert row.lasts == (row.motor_share <= 1.0)
    assert REPORT["vp"].hands == 0.0
    assert REPORT["afr"].human == 61.0
    assert np.isnan(REPORT["kfr"].human)


def test_arms_bear_the_load_case_within_their_peak() -> None:
    """The drives were chosen for 100 N a hand and axis; short peaks must cover it in the idle pose."""
    assert all(
        REPORT[f"{joint}{side}"].load < REPORT[f"{joint}{side}"].peak
        for joint in ("af", "aa", "ar", "ef")
        for side in "rl"
    )


def test_without_hands_only_the_weight_remains() -> None:
    for row in torque_report(DRIVES, IDLE, GRAVITY, {}):
        assert row.hands == 0.0
        assert row.load == abs(row.weight)


def test_standing_on_one_foot() -> None:
    """The foot bears the weight and its moment; inverse dynamics with that wrench gives the same torques."""
    foot = footfall.frame_jacobian(LOLA, IDLE, "RF")
    report = {
        row.joint: row for row in torque_report(DRIVES, IDLE, GRAVITY, HANDS, support_jacobians={"RF": foot})
    }
    still = np.zeros(LOLA.nv)
    sole, center = footfall.frame_pose(LOLA, IDLE, "RF").translation, footfall.center_of_mass(LOLA, IDLE)
    weight = np.array([0.0, 0.0, 9.81 * LOLA.mass])
    wrench = np.concatenate([weight, np.cross(center - sole, weight)])
    tau = footfall.inverse_dynamics(LOLA, IDLE, still, still, wrenches={"RF": wrench})
    np.testing.assert_allclose(tau[:6], 0.0, atol=1e-9)
    for name, row in report.items():
        assert row.weight == pytest.approx(tau[LOLA.v_slice(name).start], abs=1e-8)
    assert report["kfr"].hands > 50.0  # the leg bears what the hands bear
    assert report["kfl"].hands == pytest.approx(0.0, abs=1e-9)
    fixed = footfall.with_fixed_base(LOLA)
    with pytest.raises(InvalidInput, match="no floating base"):
        torque_report(
            lola_drives(fixed), IDLE[7:], np.zeros(26), {}, support_jacobians={"RF": np.zeros((6, 26))}
        )


def test_text_has_a_line_a_joint() -> None:
    assert len(report_text(tuple(REPORT.values())).splitlines()) == 28


def test_faults() -> None:
    with pytest.raises(InvalidInput, match="gravity_forces"):
        torque_report(DRIVES, IDLE, GRAVITY[1:], HANDS)
    for force in (-1.0, np.inf, np.nan):
        with pytest.raises(InvalidInput, match="force is"):
            torque_report(DRIVES, IDLE, GRAVITY, HANDS, force=force)
    with pytest.raises(InvalidInput, match="'RH'"):
        torque_report(DRIVES, IDLE, GRAVITY, {"RH": np.zeros((3, LOLA.nv))})
    with pytest.raises(UnknownName, match="nose"):
        torque_report(DRIVES, IDLE, GRAVITY, {"nose": np.zeros((6, LOLA.nv))})
