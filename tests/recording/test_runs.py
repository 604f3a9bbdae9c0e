"""What a run gives to a recorder is what it returns, also if a controller stops it, and wrong tables are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import RecordingWriter, read_recording
from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.recording.reader import Recording
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory


def require_same(recording: Recording, trajectory: Trajectory, periods: int) -> None:
    """The first periods of a trajectory, bit for bit, with what touched in each."""
    np.testing.assert_array_equal(recording.time, trajectory.time[:periods])
    np.testing.assert_array_equal(recording.q, trajectory.q[:periods])
    np.testing.assert_array_equal(recording.v, trajectory.v[:periods])
    np.testing.assert_array_equal(recording.tau, trajectory.effort[:periods])
    touches, contacts = trajectory.contacts, recording.contacts
    end = int(touches.starts[periods])
    np.testing.assert_array_equal(contacts.time, trajectory.time[:periods])
    np.testing.assert_array_equal(contacts.count, touches.counts[:periods])
    np.testing.assert_array_equal(contacts.position, touches.positions[:end])
    np.testing.assert_array_equal(contacts.force, touches.forces[:end])
    names = [recording.robot.bodies[k].name for k in contacts.body]
    assert names == [touches.names[k] for k in touches.first[:end]]


@pytest.mark.parametrize("contacts", ["found", "listed"])
@pytest.mark.parametrize("called", [False, True])
def test_a_recorded_run_is_the_trajectory(contacts: str, called: bool, tmp_path: Path) -> None:
    plant = footfall.Simulation if contacts == "found" else FeetSimulation
    simulation = plant(footfall.load("point-foot-quadruped"), "flat")
    hold = simulation.hold()
    simulation.push("torso", np.array([300.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.05)  # feet slide and lift
    with RecordingWriter(tmp_path / "run.mcap", simulation.robot) as writer:
        trajectory = simulation.run((lambda t, q, v: hold) if called else hold, 0.4, recorder=writer)
        again = simulation.run(hold, 0.1, recorder=writer)
    assert trajectory.contacts.counts.max() > 0
    recording = read_recording(tmp_path / "run.mcap")
    require_same(recording, footfall.simulation.join_trajectories([trajectory, again]), len(recording.time))
    assert len(recording.time) == len(trajectory.time) + len(again.time)


def test_what_was_computed_before_an_error_is_recorded(tmp_path: Path) -> None:
    simulation = footfall.Simulation(footfall.load("point-foot-quadruped"), "flat")
    twin, hold = footfall.Simulation(footfall.load("point-foot-quadruped"), "flat"), simulation.hold()
    stop = 37 * simulation.control_period

    def controller(time: float, q: Array, v: Array) -> footfall.Command:
        if time > stop - 1e-9:
            raise ZeroDivisionError("a fault of the user's")
        return hold

    with (
        pytest.raises(ZeroDivisionError),
        RecordingWriter(tmp_path / "run.mcap", simulation.robot) as writer,
    ):
        simulation.run(controller, 1.0, recorder=writer)
    require_same(read_recording(tmp_path / "run.mcap"), twin.run(hold, 0.1), 37)


def test_a_trajectory_may_be_changed_while_it_is_written(tmp_path: Path) -> None:
    simulation = footfall.Simulation(footfall.load("point-foot-quadruped"), "flat")
    with RecordingWriter(tmp_path / "run.mcap", simulation.robot, flush_interval=60.0) as writer:
        trajectory = simulation.run(simulation.hold(), 0.05, recorder=writer)
        forces = trajectory.contacts.forces.copy()
        trajectory.contacts.forces[:] = trajectory.q[:] = 7.0
    recording = read_recording(tmp_path / "run.mcap")
    np.testing.assert_array_equal(recording.contacts.force, forces)
    assert not (recording.q == 7.0).any()


def test_contacts_of_many_instants_are_those_of_each(tmp_path: Path) -> None:
    robot = footfall.load("point-foot-quadruped")
    random = np.random.default_rng(3)
    counts = random.integers(0, 5, size=700)
    positions, forces, normals = random.normal(size=(3, counts.sum(), 3))
    bodies = random.integers(-1, len(robot.bodies), size=counts.sum())
    times = 0.01 * np.arange(700)
    with RecordingWriter(tmp_path / "many.mcap", robot) as writer:
        writer.contacts_at(times, counts, positions, forces, normals=normals, bodies=bodies)
    with RecordingWriter(tmp_path / "each.mcap", robot) as writer:
        ends = np.cumsum(counts)
        for time, begin, end in zip(times, ends - counts, ends, strict=True):
            part = slice(begin, end)
            writer.contacts(
                time, positions[part], forces[part], normals=normals[part], bodies=bodies[part].tolist()
            )
    many, each = (read_recording(tmp_path / name).contacts for name in ("many.mcap", "each.mcap"))
    for name in ("time", "offset", "position", "normal", "force", "body"):
        np.testing.assert_array_equal(getattr(many, name), getattr(each, name))


def test_one_contact_may_be_plain_vectors(tmp_path: Path) -> None:
    with RecordingWriter(tmp_path / "run.mcap", footfall.load("point-foot-quadruped")) as writer:
        writer.contacts(0.0, [0.0, 0.1, 0.2], [0.0, 0.0, 3.0], normals=[0.0, 0.0, 1.0])
    contacts = read_recording(tmp_path / "run.mcap").contacts
    np.testing.assert_array_equal(contacts.position, [[0.0, 0.1, 0.2]])
    np.testing.assert_array_equal(contacts.force, [[0.0, 0.0, 3.0]])


@pytest.mark.parametrize(
    ("times", "counts", "bodies", "message"),
    [
        ([0.0, 0.1], [1, 1, 1], None, r"must be \(2,\) whole numbers"),
        ([0.0, 0.1], [1.0, 2.0], None, "whole numbers"),
        ([0.0, 0.1], [-1, 4], None, "whole numbers from 0"),
        ([0.0, 0.1], [1, 1], None, "add up to 2 contacts; there are 3"),
        ([], [], None, "add up to 0 contacts; there are 3"),
        ([0.1, 0.0], [1, 2], None, "must not decrease"),
        ([0.0, np.nan], [1, 2], None, "time nan"),
        ([[0.0, 0.1]], [1, 2], None, r"times have shape \(1, 2\)"),
        ([0.0, 0.1], [1, 2], [0, 99, 0], "body 99 of a contact"),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    times: list[float], counts: list[int], bodies: list[int] | None, message: str, tmp_path: Path
) -> None:
    with (
        RecordingWriter(tmp_path / "run.mcap", footfall.load("point-foot-quadruped")) as writer,
        pytest.raises(InvalidInput, match=message),
    ):
        writer.contacts_at(times, counts, np.zeros((3, 3)), np.zeros((3, 3)), bodies=bodies)
    assert len(read_recording(tmp_path / "run.mcap").contacts.time) == 0
