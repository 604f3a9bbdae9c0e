"""Exports hold the numbers of the recording exactly, and appear whole or not at all."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import footfall
from footfall.errors import InvalidInput, MissingPackage
from footfall.recording.export import coordinate_names, export_recording, velocity_names
from footfall.recording.reader import Recording, read_recording
from footfall.robot.toml import parse_toml
from tests.random_robots import robots
from tests.recording.recordings import random_numbers, write_example


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    robot = footfall.load("point-foot-quadruped")
    path = tmp_path_factory.mktemp("export") / "example.mcap"
    write_example(path, robot, random_numbers(robot, 30), dt=0.01, preview_rate=0.0)
    return read_recording(path)


def test_csv_reads_back_to_the_same_bits(recording: Recording, tmp_path: Path) -> None:
    export_recording(recording, tmp_path / "states.csv")
    with (tmp_path / "states.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    table = np.array(rows, dtype=np.float64)
    assert header[:5] == ["time", "q.root.x", "q.root.y", "q.root.z", "q.root.qw"]
    assert len(set(header)) == len(header)
    expected = np.column_stack([recording.time, recording.q, recording.v, recording.tau])
    np.testing.assert_array_equal(table, expected)


def test_csv_of_contacts_and_events(recording: Recording, tmp_path: Path) -> None:
    export_recording(recording, tmp_path / "contacts.csv", table="contacts")
    with (tmp_path / "contacts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(recording.contacts.body) == 30
    assert rows[-1] == {
        "time": "0.29",
        "body": recording.robot.bodies[1].name,
        **{f"position.{axis}": "29.0" for axis in "xyz"},
        **{f"normal.{axis}": "30.0" for axis in "xyz"},
        **{f"force.{axis}": "58.0" for axis in "xyz"},
    }
    export_recording(recording, tmp_path / "events.csv", table="events")
    with (tmp_path / "events.csv").open(newline="") as file:
        (event,) = csv.DictReader(file)
    assert (event["time"], event["name"]) == ("0.29", "landed")
    assert json.loads(event["data"]) == {"foot": "left", "height": 0.1}


def test_npz_holds_everything_without_pickles(recording: Recording, tmp_path: Path) -> None:
    export_recording(recording, tmp_path / "all.npz")
    with np.load(tmp_path / "all.npz", allow_pickle=False) as arrays:
        for name in ("time", "q", "v", "tau"):
            np.testing.assert_array_equal(arrays[name], getattr(recording, name))
        for name in ("time", "offset", "position", "normal", "force", "body"):
            np.testing.assert_array_equal(arrays[f"contact_{name}"], getattr(recording.contacts, name))
        assert arrays["event_name"].tolist() == ["landed"]
        assert arrays["q_names"].tolist() == coordinate_names(recording.robot)
        assert parse_toml(str(arrays["robot"])).nv == recording.robot.nv
        assert json.loads(str(arrays["metadata"]))["dt"] == "0.01"


def test_parquet_reads_back_to_the_same_bits(recording: Recording, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export_recording(recording, tmp_path / "states.parquet")
    table = parquet.read_table(tmp_path / "states.parquet")
    expected = np.column_stack([recording.time, recording.q, recording.v, recording.tau])
    found = np.column_stack([column.to_numpy() for column in table.columns])
    np.testing.assert_array_equal(found, expected)
    assert table.schema.metadata[b"footfall.dt"] == b"0.01"


def test_parquet_without_its_package_says_what_to_install(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackage, match=r"footfall\[parquet\]"):
        export_recording(recording, tmp_path / "states.parquet")
    assert list(tmp_path.iterdir()) == []


def test_failed_export_leaves_the_old_file(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "states.npz"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        export_recording(recording, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_suffix_and_table(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"is a recording, not 'run\.mcap'; use read_recording"):
        export_recording("run.mcap", tmp_path / "run.csv")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"'\.xlsx'.*there are: \.csv, \.npz, \.parquet"):
        export_recording(recording, tmp_path / "states.xlsx")
    with pytest.raises(InvalidInput, match=r"no table 'plans'.*states, contacts, events"):
        export_recording(recording, tmp_path / "states.csv", table="plans")
    assert list(tmp_path.iterdir()) == []


@given(robots())
@settings(max_examples=30)
def test_every_coordinate_has_a_name_of_its_own(robot: footfall.Robot) -> None:
    for names, count in ((coordinate_names(robot), robot.nq), (velocity_names(robot), robot.nv)):
        assert len(names) == len(set(names)) == count


def test_times_are_multiples_of_the_step(tmp_path: Path) -> None:
    """9 steps of 1 ms are 0.009 s; nine times 0.001 would be 0.009000000000000001."""
    simulation = footfall.Simulation(footfall.load("point-foot-quadruped"), "flat")
    with footfall.RecordingWriter(
        tmp_path / "run.mcap", simulation.robot, dt=simulation.options.dt
    ) as writer:
        simulation.run(simulation.hold(), 0.06, recorder=writer)
    recording = footfall.read_recording(tmp_path / "run.mcap")
    rate = round(1.0 / simulation.options.dt)
    np.testing.assert_array_equal(recording.time, np.arange(1, len(recording.time) + 1) / rate)
    assert (recording.contacts.body >= 0).all()
    assert max(len(repr(float(time))) for time in recording.time) <= len("0.0005")


def test_pandas_has_the_same_bits_by_time(recording: Recording) -> None:
    pytest.importorskip("pandas")
    states = recording.to_pandas()
    assert np.array_equal(states.index, recording.time)
    names = [f"v.{name}" for name in velocity_names(recording.robot)]
    assert np.array_equal(states[names].to_numpy(), recording.v)
    assert len(recording.to_pandas("contacts")) == len(recording.contacts.body)
    with pytest.raises(InvalidInput, match="there are: states"):
        recording.to_pandas("joints")


def test_pandas_is_asked_for_where_it_is_missing(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackage, match=r"footfall\[pandas\]"):
        recording.to_pandas()
