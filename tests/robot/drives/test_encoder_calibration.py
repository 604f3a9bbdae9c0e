"""Encoder offsets from a jig, the file that keeps them, and homing into a stop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall
from footfall.errors import InvalidInput, RobotError, UnknownName
from footfall.robot.drives.drive_schema import lola_drives
from footfall.robot.drives.encoder_calibration import (
    Calibration,
    calibrate_encoders,
    read_calibration,
    wrapped,
    write_calibration,
)
from footfall.robot.drives.homing import Homing, HomingPhase, HomingState

LOLA = footfall.load("lola")
ENCODERS = [name for drive in lola_drives(LOLA) if drive.absolute_encoder for name in drive.joints]
N = len(ENCODERS)


def jig(poses: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True offsets, readings within one turn, joint angles of the jig."""
    random = np.random.default_rng(seed)
    offsets = random.uniform(-np.pi, np.pi, N)
    q = random.uniform(-0.5, 1.0, (poses, N))
    return offsets, (q + offsets + noise * random.normal(size=q.shape)) % (2 * np.pi), q


def test_offsets_are_found_wherever_the_encoder_was_mounted() -> None:
    assert N == 24
    offsets, readings, q = jig(3, 0.0)
    found = calibrate_encoders(ENCODERS, readings, q)
    np.testing.assert_allclose(wrapped(found.offsets - offsets), 0.0, atol=1e-14)
    assert found.spread.max() < 1e-14
    np.testing.assert_array_equal(found.poses, 3)
    back = found.joint_position(dict(zip(ENCODERS, readings[1], strict=True)))
    np.testing.assert_allclose(list(back.values()), q[1], atol=1e-13)


def test_uncertainty_is_that_of_the_errors() -> None:
    """Over many jigs, errors by their stated uncertainty have variance one."""
    ratios = []
    for seed in range(40):
        offsets, readings, q = jig(3, 1e-3, seed)
        found = calibrate_encoders(ENCODERS, readings, q, noise=1e-3)
        ratios.append(wrapped(found.offsets - offsets) / found.uncertainty)
    assert np.std(ratios) == pytest.approx(1.0, abs=0.1)
    assert np.isnan(calibrate_encoders(ENCODERS, readings[:1], q[:1]).uncertainty).all()
    assert (calibrate_encoders(ENCODERS, readings, q).uncertainty < 5e-3).all()


def test_one_leg_at_a_time() -> None:
    _, readings, q = jig(3, 1e-4)
    readings[2, 2:9] = np.nan
    np.testing.assert_array_equal(calibrate_encoders(ENCODERS, readings, q).poses[2:9], 2)
    readings[:2, 4] = np.nan
    with pytest.raises(InvalidInput, match=f"23 of 24.*one pose.*: {ENCODERS[4]}$"):
        calibrate_encoders(ENCODERS, readings, q)


def test_gains_need_poses_that_differ() -> None:
    offsets, _, q = jig(4, 0.0)
    readings = 1.02 * q + offsets
    found = calibrate_encoders(ENCODERS, readings, q, identify_gains=True)
    np.testing.assert_allclose(found.gains, 1.02, rtol=1e-12)
    np.testing.assert_allclose(wrapped(found.offsets - offsets), 0.0, atol=1e-12)
    q[:, 5] = 0.2  # such as hip adduction and flexion, which the jig hardly moves
    with pytest.raises(InvalidInput, match=f"two different poses.*: {ENCODERS[5]}$"):
        calibrate_encoders(ENCODERS, readings, q, identify_gains=True)
    assert calibrate_encoders(ENCODERS, readings, q).spread.max() > 1e-3  # offsets alone do not fit


def test_measurements_of_the_wrong_shape() -> None:
    with pytest.raises(InvalidInput, match=r"must be \(poses, 2\)"):
        calibrate_encoders(["a", "b"], np.zeros((3, 2)), np.zeros((2, 2)))
    found = calibrate_encoders(["a"], [[1.0]], [[0.5]])
    with pytest.raises(UnknownName, match="calibrated encoder 'b'"):
        found.joint_position({"b": 1.0})


@settings(max_examples=25)
@given(
    st.dictionaries(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1), st.floats(-4, 4))
)
def test_file_round_trip(tmp_path_factory, offsets: dict[str, float]) -> None:
    path = tmp_path_factory.mktemp("calibration") / "lola.toml"
    write_calibration(Calibration(offsets, (0.01, -0.02, 0.5)), path)
    found = read_calibration(path)
    assert dict(found.encoder_offsets) == offsets
    assert found.imu_offset == (0.01, -0.02, 0.5)
    assert [each.name for each in path.parent.iterdir()] == ["lola.toml"]


def test_broken_files(tmp_path) -> None:
    path = tmp_path / "calibration.toml"
    path.write_text("[encoder_offsets]\nkfr = 'much'\n")
    with pytest.raises(RobotError, match=r"encoder_offsets.*float"):
        read_calibration(path)
    path.write_text("[encoder_offsets]\nkfr = nan\n")
    with pytest.raises(RobotError, match="encoder 'kfr'"):
        read_calibration(path)


HOMING = Homing(stop=math.radians(11.0), speed=0.2, current=0.5, travel=math.radians(70.0))


def home(homing: Homing, start: float, stop: float, steps: int = 4000) -> tuple[HomingState, float, float]:
    """A joint with a stop whose incremental encoder starts at zero: last state, position, count."""
    state, position = HomingState(), start
    period, velocity, current = 0.01, 0.0, 0.0
    for _ in range(steps):
        command = homing.command(state)
        following = (
            min(position + command * period, stop)
            if homing.speed > 0
            else max(position + command * period, stop)
        )
        velocity, position = (following - position) / period, following
        current = 0.8 * np.sign(command) if position == stop and command * homing.speed > 0 else 0.1
        state = homing.step(state, period, count=position - start, velocity=velocity, current=current)
    return state, position, position - start


@pytest.mark.parametrize("start", [-0.8, 0.0, math.radians(11.0)])
def test_homing_finds_the_stop(start: float) -> None:
    state, position, count = home(HOMING, start, HOMING.stop)
    assert state.phase is HomingPhase.HOMED
    assert count + state.offset == pytest.approx(position, abs=1e-12)
    assert HOMING.stop - position == pytest.approx(HOMING.release, abs=0.2 * 0.01 + 1e-12)
    assert HOMING.command(state) == 0.0


def test_homing_into_the_lower_stop() -> None:
    homing = Homing(stop=-0.9, speed=-0.2, current=0.5, travel=2.0)
    state, position, count = home(homing, 0.1, -0.9)
    assert state.phase is HomingPhase.HOMED
    assert count + state.offset == pytest.approx(position, abs=1e-12)


def test_homing_gives_up() -> None:
    assert home(HOMING, 0.0, 50.0)[0].phase is HomingPhase.FAILED  # no stop within the travel
    waiting = HomingState()
    for _ in range(700):  # a joint that neither moves nor meets resistance
        waiting = HOMING.step(waiting, 0.1, count=0.0, velocity=0.0, current=0.0)
    assert waiting.phase is HomingPhase.FAILED
    assert math.isnan(waiting.offset)
    with pytest.raises(RobotError, match="stall_speed"):
        Homing(stop=0.0, speed=0.001, current=1.0, travel=1.0)
    with pytest.raises(RobotError, match="travel"):
        Homing(stop=0.0, speed=1.0, current=1.0, travel=0.0)
