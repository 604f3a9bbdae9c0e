"""Files that a scenario leaves: recording, series, summary and the page of plots."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from footfall.recording.reader import read_recording
from footfall.scenarios.quadruped import Run, write_outputs
from footfall.scenarios.quadruped.run import unwrapped_angles
from footfall.scenarios.quadruped.summary import series


@pytest.fixture
def runs(run_of: Callable[..., Run]) -> list[Run]:
    return [run_of("fall", contact, fall__height=0.1, duration=0.4) for contact in ("exact", "penalty")]


def test_recording_holds_the_run(runs: list[Run], tmp_path: Path) -> None:
    written = write_outputs(runs, tmp_path, plots=False)
    assert [path.name for path in written[:2]] == ["fall-0.1m-exact.mcap", "fall-0.1m-penalty.mcap"]
    recording = read_recording(written[0])
    assert recording.complete
    assert recording.metadata["contact"] == "exact"
    assert recording.scene is not None
    rows = np.searchsorted(runs[0].trajectory.time, recording.time - 1e-9)
    assert recording.q == pytest.approx(runs[0].trajectory.q[rows])
    mean = runs[0].trajectory.forces.reshape(-1, 8, 4, 3).mean(axis=1)  # 4 ms of steps of 0.5 ms
    assert recording.contacts.force.reshape(-1, 4, 3) == pytest.approx(mean)
    names = [recording.robot.bodies[k].name for k in recording.contacts.body[:4]]
    assert names == ["RB_foot", "LB_foot", "RF_foot", "LF_foot"]


def test_series(runs: list[Run], tmp_path: Path) -> None:
    write_outputs(runs, tmp_path, plots=False)
    curves = series(runs[0])
    assert len(curves) == 18
    with np.load(tmp_path / "fall-0.1m-exact.npz") as arrays:
        for name, values in curves.items():
            assert (arrays[name] == values).all()
    with (tmp_path / "fall-0.1m-penalty.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(runs[1].trajectory.time)
    assert float(rows[-1]["z"]) == pytest.approx(runs[1].trajectory.q[-1, 2], rel=1e-8)
    content = json.loads((tmp_path / "fall-0.1m.json").read_text())
    assert content["scenario"]["fall"]["height"] == 0.1
    assert set(content["summary"]) == {"fall-0.1m-exact", "fall-0.1m-penalty"}


def test_page_of_plots(runs: list[Run], tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    written = write_outputs(runs, tmp_path)
    pictures = [path for path in written if path.suffix == ".png"]
    assert len(pictures) == 3
    page = pyplot.imread(tmp_path / "fall-0.1m.png")
    assert page.shape[0] > 1000
    assert page.shape[1] > 1500
    # both colours are there: curves were drawn for both models
    for color in ((0.0, 0.4, 0.74), (0.85, 0.37, 0.01)):
        assert (np.abs(page[:, :, :3] - color).max(axis=2) < 0.05).sum() > 1000


def test_angles() -> None:
    """One turn about each axis, and past a half turn without a jump."""
    angle = np.linspace(0.0, 4.0, 50)
    zero = np.zeros_like(angle)
    about_x = np.stack([np.cos(angle / 2), np.sin(angle / 2), zero, zero], axis=-1)
    assert unwrapped_angles(about_x)[:, 0] == pytest.approx(angle, abs=1e-12)
    small = angle / 4
    about_y = np.stack([np.cos(small / 2), zero, np.sin(small / 2), zero], axis=-1)
    assert unwrapped_angles(about_y)[:, 1] == pytest.approx(small, abs=1e-12)
    about_z = np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], axis=-1)
    assert unwrapped_angles(about_z)[:, 2] == pytest.approx(angle, abs=1e-12)
