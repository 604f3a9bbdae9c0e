"""LOLA's leg on its drives: it follows a step, rings where its eigenvalues are, and is stable under its servos."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.drives import DriveSet
from footfall.scenarios.driven_leg import (
    LEG_JOINTS,
    StepReference,
    StepResult,
    follow_step,
    lola_leg,
    plot_modes,
    plot_step,
    ring_modes,
    step_reference,
)
from tests.scenarios.driven_leg.servo_modes import ring_servo_modes, step_modes

LEG = lola_leg()


@pytest.fixture(scope="module")
def reference() -> StepReference:
    return step_reference(LEG, knots=21)


@pytest.fixture(scope="module")
def results(reference: StepReference) -> dict[str, StepResult]:
    return {gears: follow_step(LEG, reference, gears) for gears in ("rigid", "elastic")}  # type: ignore[arg-type]


def test_the_leg_is_the_right_one() -> None:
    assert [joint.name for joint in LEG.joints if joint.type.velocities] == list(LEG_JOINTS)
    assert DriveSet(LEG, LEG.drives).joints == LEG_JOINTS


def test_reference_lifts_the_foot_and_keeps_it_level(reference: StepReference) -> None:
    start, middle, end = (
        footfall.frame_pose(LEG, reference.position(time), "RF") for time in (0.0, 0.4, 0.8)
    )
    np.testing.assert_allclose(end.translation - start.translation, [0.4, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(middle.translation - start.translation, [0.2, 0.0, 0.08], atol=1e-4)
    np.testing.assert_allclose(middle.rotation, start.rotation, atol=1e-3)
    step = 1e-6
    for time in (0.1, 0.33):
        slope = (reference.position(time + step) - reference.position(time - step)) / (2 * step)
        np.testing.assert_allclose(reference.velocity(time), slope, atol=1e-6)


@pytest.mark.parametrize("gears", ["rigid", "elastic"])
def test_step_is_followed(results: dict[str, StepResult], gears: str) -> None:
    result = results[gears]
    assert result.joint_error.max() < np.radians(0.25)
    assert result.foot_error.max() < 1e-3
    motors = [drive.motor for drive in LEG.drives for _ in drive.joints]
    assert all(peak < motor.peak_current for peak, motor in zip(result.peak_current, motors, strict=True))
    assert result.thermal_load.max() < 1.0


def test_currents_are_what_inverse_dynamics_needs(results: dict[str, StepResult]) -> None:
    """Torque constant times current, through the transmission, less friction and rotors, moves the leg."""
    path = results["rigid"].path
    drives = DriveSet(LEG, LEG.drives)
    motors = [drive.motor for drive in LEG.drives for _ in drive.joints]
    constants, rotors = (
        np.array([getattr(m, n) for m in motors]) for n in ("torque_constant", "rotor_inertia")
    )
    period = path.time[1] - path.time[0]
    errors, sizes = [], []
    for k in range(100, 700, 20):
        q, v = path.q[k], path.v[k]
        a = (path.v[k + 1] - path.v[k - 1]) / (2 * period)
        speed = drives.motor_jacobian(q) @ v
        wanted = footfall.inverse_dynamics(LEG, q, v, a)
        turning = rotors * (drives.motor_jacobian(q) @ a + drives.motor_jacobian_rate(q, v) @ v)
        transmitted = drives.motor_torque(q, wanted)
        losses = [
            drive.friction.torque(w, t)
            for drive, w, t in zip(
                [drive for drive in LEG.drives for _ in drive.joints], speed, transmitted, strict=True
            )
        ]
        errors.append(constants * path.currents[k] - transmitted - turning - losses)
        sizes.append(constants * path.currents[k])
    assert np.linalg.norm(errors) < 0.03 * np.linalg.norm(sizes)


def test_gears_ring_at_their_eigenvalues(reference: StepReference, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    modes = ring_modes(LEG, reference.position(0.4), dt=2e-5, duration=0.3)
    assert len(modes) == 4  # as many as elastic gears
    for mode in modes:
        assert mode.error == pytest.approx(0.0, abs=0.02)
    assert modes[0].frequency == pytest.approx(43.5, abs=0.5)
    plot_modes(modes, tmp_path / "modes.png")
    assert (tmp_path / "modes.png").stat().st_size > 10_000


@pytest.mark.parametrize("gears", ["rigid", "elastic"])
def test_servos_keep_the_leg_stable(reference: StepReference, gears: str) -> None:
    q = reference.position(0.4)
    values = step_modes(LEG, q, gears)  # type: ignore[arg-type]
    assert values.real.max() < -5.0
    modes = ring_servo_modes(LEG, q, gears, duration=0.2)  # type: ignore[arg-type]
    assert len(modes) >= 10
    for mode in modes:
        assert mode.error == pytest.approx(0.0, abs=0.02)


def test_pictures(results: dict[str, StepResult], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_step(list(results.values()), tmp_path / "step.png")
    assert (tmp_path / "step.png").stat().st_size > 10_000
