"""`footfall scene`: every scene of the catalogue as a file, with measures as options."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from footfall import load_scene
from footfall.cli.application import app
from footfall.cli.scene import _meanings
from footfall.errors import ExistingFile, SceneError
from footfall.scene.catalogue import SCENES


def test_measures_are_options(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    run = CliRunner().invoke(app, ["scene", "stairs", "--riser", "0.12", "-o", str(target)])
    assert run.exit_code == 0, run.output
    step = load_scene(target).object("step-1")
    assert step.shape.size[2] == pytest.approx(0.12)  # type: ignore[union-attr]
    again = CliRunner().invoke(app, ["scene", "stairs", "-o", str(target)])
    assert isinstance(again.exception, ExistingFile)


def test_wrong_measures_write_nothing(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    run = CliRunner().invoke(app, ["scene", "corridor", "--wall-distance", "-1", "-o", str(target)])
    assert isinstance(run.exception, SceneError)
    assert not target.exists()


@pytest.mark.parametrize("name", SCENES)
def test_every_measure_is_explained(name: str) -> None:
    assert set(_meanings(SCENES[name])) >= set(SCENES[name].__kwdefaults__ or {})
    run = CliRunner().invoke(app, ["scene", name, "--help"])
    assert run.exit_code == 0, run.output
