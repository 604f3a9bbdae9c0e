"""The contact benchmark with the least effort: it measures, checks residuals, and does not count what is unsolved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.lab.contact import ContactEffort, ContactMeasurement, measure_scene
from benchmarks.lab.contact_report import bars_of, markdown
from benchmarks.lab.contact_scenes import contact_scene, plate_scene
from footfall.errors import UnknownName

LEAST = ContactEffort(blocks=2, block_seconds=1e-5, batch=8, checked=20, drift_seconds=0.1)


@pytest.fixture(scope="module")
def plate() -> ContactMeasurement:
    return measure_scene(plate_scene(4), effort=LEAST)


def test_a_plate_is_measured_and_solved(plate: ContactMeasurement) -> None:
    assert {"bound", "batch"} <= set(plate.race.seconds)
    assert plate.solved == 1.0
    assert plate.counts
    assert plate.rows == 12
    assert plate.standing is not None
    assert plate.standing.drift < 1e-9


def test_our_times_need_no_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.lab.contact.has_mujoco", lambda: False)
    measured = measure_scene(plate_scene(1), effort=LEAST)
    assert set(measured.race.seconds) == {"bound", "batch"}
    assert "plate on 1 points" in markdown([measured], [measured], effort=LEAST, load_before="0")


def test_unsolved_steps_do_not_count(plate: ContactMeasurement) -> None:
    pytest.importorskip("mujoco")
    lola = replace(plate, scene=contact_scene("LOLA standing, 8 points"))
    assert bars_of(lola) == (4.0, 12.0)
    assert bars_of(plate) is None
    unsolved = replace(lola, solved=0.5)
    assert not unsolved.counts
    text = markdown([unsolved], [], effort=LEAST, load_before="0")
    assert "only 50.00 % of the steps are solved" in text


@pytest.mark.parametrize("points", [1, 2, 6, 7])
def test_plates_have_so_many_points_below_their_middle(points: int) -> None:
    scene = plate_scene(points)
    assert len(scene.candidates) == points
    assert np.mean([each.point for each in scene.candidates], axis=0)[:2] == pytest.approx([0, 0], abs=1e-12)


def test_an_unknown_scene_is_named() -> None:
    with pytest.raises(UnknownName, match="no contact scene 'table'"):
        contact_scene("table")
