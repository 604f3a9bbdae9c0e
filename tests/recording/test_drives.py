"""Recordings of driven and of looped robots: motor currents come back, and columns fit the velocities."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from mcap.reader import make_reader
from typer.testing import CliRunner

import footfall
from footfall.cli import app
from footfall.drives import ElectricMotor, HarmonicDrive, tuned_servo
from footfall.errors import InvalidInput, RecordingError
from footfall.recording.export import motor_names, velocity_names
from footfall.recording.format import STATES
from footfall.recording.reader import read_recording
from footfall.recording.writer import RecordingWriter
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.drive_set import DriveSet
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from tests.looped_robots import four_bar

MOTOR = ElectricMotor(0.1, 0.5, 5e-4, 48.0, 3.0, 9.0, 2e-5)


def driven_four_bar() -> footfall.Robot:
    """One velocity, three coordinates, one motor."""
    servo = tuned_servo(MOTOR, 2.0 * MOTOR.rotor_inertia, bandwidth=200.0)
    return replace(four_bar(), drives=(Drive(("crank",), HarmonicDrive(50.0), MOTOR, servo=servo),))


class Run(NamedTuple):
    path: Path
    trajectory: Trajectory


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("driven") / "crank.mcap"
    simulation = FeetSimulation(driven_four_bar(), candidates=(), dt=2.5e-4, substeps=4, drives="rigid")
    start = simulation.joint_positions()
    command = simulation.pd(start + 0.1, kp=0.0, kd=0.0)
    with RecordingWriter(path, simulation.robot, dt=simulation.options.dt) as writer:
        return Run(path, simulation.run(command, 0.3, recorder=writer))  # more than a block


def state_messages(path: Path) -> list[dict[str, object]]:
    with path.open("rb") as file:
        return [
            json.loads(message.data) for _, _, message in make_reader(file).iter_messages(topics=[STATES])
        ]


def test_currents_come_back_bit_for_bit(run: Run) -> None:
    recording = read_recording(run.path)
    assert recording.currents.shape == (300, 1)
    assert np.abs(recording.currents).max() > 0.1  # A: the motor does work
    np.testing.assert_array_equal(recording.currents, run.trajectory.currents)
    np.testing.assert_array_equal(recording.v, run.trajectory.v)
    assert recording.robot.drives[0].motor == MOTOR


def test_exports_hold_the_currents(run: Run, tmp_path: Path) -> None:
    for name in ("crank.npz", "crank.csv"):
        result = CliRunner().invoke(app, ["export", str(run.path), str(tmp_path / name)])
        assert result.exit_code == 0, result.output
    with np.load(tmp_path / "crank.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["currents"], run.trajectory.currents)
        assert arrays["motor_names"].tolist() == ["crank"]
        assert arrays["v_names"].tolist() == ["crank"]
    with (tmp_path / "crank.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "time",
        "q.crank",
        "q.coupler",
        "q.rocker",
        "v.crank",
        "tau.crank",
        "current.crank",
    ]
    found = np.array([[float(row["current.crank"])] for row in rows])
    np.testing.assert_array_equal(found, run.trajectory.currents)


def test_states_without_currents_are_written_as_before_there_were_any(tmp_path: Path) -> None:
    """So they also stand for recordings of then: the message has no such field, and reads as NaN."""
    robot, path = driven_four_bar(), tmp_path / "old.mcap"
    with RecordingWriter(path, robot, preview_rate=0.0) as writer:
        writer.state(0.0, footfall.neutral(robot), [1.0], [2.0])
    (message,) = state_messages(path)
    assert list(message) == ["rows", "time", "q", "v", "tau"]
    recording = read_recording(path)
    assert recording.complete
    assert recording.currents.shape == (1, 1)
    assert np.isnan(recording.currents).all()
    assert recording.tau.tolist() == [[2.0]]


def test_rows_with_and_without_currents(tmp_path: Path) -> None:
    robot, path = driven_four_bar(), tmp_path / "mixed.mcap"
    q, ones = footfall.neutral(robot), np.ones((2, 1))
    with RecordingWriter(path, robot, preview_rate=0.0) as writer:
        writer.state(0.0, q, [0.0], currents=[3.5])
        writer.state(0.1, q, [0.0])
        writer.states([0.2, 0.3], np.array([q, q]), ones, ones, currents=2.0 * ones)
    np.testing.assert_array_equal(read_recording(path).currents[:, 0], [3.5, np.nan, 2.0, 2.0])


def test_wrong_currents_are_refused(tmp_path: Path) -> None:
    robot = driven_four_bar()
    q = footfall.neutral(robot)
    with RecordingWriter(tmp_path / "wrong.mcap", robot, preview_rate=0.0) as writer:
        with pytest.raises(InvalidInput, match=r"currents of robot .* has shape \(2,\); it must be \(1,\)"):
            writer.state(0.0, q, [0.0], currents=[1.0, 2.0])
        with pytest.raises(InvalidInput, match=r"currents .* has shape \(1,\); it must be \(1, 1\)"):
            writer.states([0.0], q[None], [[0.0]], currents=[1.0])
    assert len(read_recording(tmp_path / "wrong.mcap").time) == 0


def test_block_with_currents_for_other_motors_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, path = driven_four_bar(), tmp_path / "other.mcap"
    with RecordingWriter(path, robot, preview_rate=0.0) as writer:
        writer.state(0.0, footfall.neutral(robot), [0.0], currents=[1.0])
    monkeypatch.setattr(DriveSet, "motors", 2)
    with pytest.raises(RecordingError, match=r"currents has 8 bytes; shape \(1, 2\) has 16"):
        read_recording(path)


def test_every_motor_and_velocity_has_a_name() -> None:
    lola, cassie = footfall.load("lola"), footfall.load("cassie")
    assert len(set(motor_names(lola))) == len(motor_names(lola)) == 26
    names = velocity_names(cassie)
    assert len(set(names)) == len(names) == cassie.nv
    for place, name in enumerate(names):
        joint, _, part = name.partition(".")
        places = cassie.v_slice(joint)
        assert places.start <= place < places.stop
        assert bool(part) == (places.stop - places.start > 1)
