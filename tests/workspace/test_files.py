"""Files of workspaces, surfaces and cuts; the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

from footfall.cli.application import app
from footfall.errors import InvalidInput, UnknownName
from footfall.workspace import (
    Workspace,
    cross_section,
    load_workspace,
    save_surface,
    save_vtk,
    save_workspace,
    workspace_surface,
)
from tests.workspace.arms import lola_reaches


def test_a_workspace_comes_back_from_its_file(lola_workspace: Workspace, tmp_path: Path) -> None:
    back = load_workspace(save_workspace(lola_workspace, tmp_path / "arm.parquet"))
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (5000, 3))
    assert (back.reaches(points) == lola_workspace.reaches(points)).all()
    here, there = lola_workspace.at(points), back.at(points)
    assert (here.counts == there.counts).all()
    assert (here.directions == there.directions).all()
    # Indices are written in single precision.
    assert there.mean == pytest.approx(here.mean, rel=1e-6, abs=1e-9, nan_ok=True)
    assert back.volume == pytest.approx(lola_workspace.volume, rel=1e-12)
    assert back.description.joints == lola_workspace.description.joints


def test_damaged_files_are_refused(lola_workspace: Workspace, tmp_path: Path) -> None:
    path = save_workspace(lola_workspace, tmp_path / "arm.parquet")
    whole = path.read_bytes()
    random = np.random.default_rng(4)
    refused = 0
    for _ in range(40):
        damaged = bytearray(whole)
        for place in random.integers(0, len(whole), 30):
            damaged[place] = random.integers(0, 256)
        path.write_bytes(
            bytes(damaged[: random.integers(1, len(whole))] if random.random() < 0.3 else damaged)
        )
        try:
            load_workspace(path)
        except InvalidInput:
            refused += 1
    assert refused > 10


def test_the_surface_is_closed_and_lies_at_the_border(lola_workspace: Workspace, tmp_path: Path) -> None:
    surface = workspace_surface(lola_workspace, "manipulability")
    mesh = trimesh.load(save_surface(surface, tmp_path / "arm.ply"))
    assert mesh.is_watertight
    # Marching cubes round corners off: a few percent in cells of 4 cm.
    assert mesh.volume == pytest.approx(lola_workspace.volume, rel=0.02)
    inwards, outwards = (surface.vertices + sign * 0.04 * surface.normals for sign in (-1.0, 1.0))
    assert lola_reaches(inwards).mean() > 0.97
    assert lola_reaches(outwards).mean() < 0.03
    assert (surface.values >= 0.0).all()


def test_cuts_show_what_is_reached(lola_workspace: Workspace) -> None:
    cut = cross_section(lola_workspace, "joint_range", axis="x", at=0.108)
    area = np.isfinite(cut.values).mean() * np.prod(cut.high - cut.low)
    points = np.random.default_rng(0).uniform(0.0, 1.0, (100_000, 3))
    points[:, 1:] = cut.low + points[:, 1:] * (cut.high - cut.low)
    points[:, 0] = 0.108
    # 1 / sqrt(1e5) of random points, and a few percent of cells at the border.
    assert area == pytest.approx(lola_reaches(points).mean() * np.prod(cut.high - cut.low), rel=0.02)
    assert np.nanmax(cut.values) <= 1.0
    with pytest.raises(InvalidInput, match="axis is 'w'"):
        cross_section(lola_workspace, axis="w")
    with pytest.raises(UnknownName, match="no index 'beauty'"):
        cross_section(lola_workspace, "beauty")


def test_vtk_has_all_cells(lola_workspace: Workspace, tmp_path: Path) -> None:
    content = save_vtk(lola_workspace, tmp_path / "arm.vtk", level=1).read_bytes()
    shape = 4 * np.array(lola_workspace.grid.shape)
    assert f"DIMENSIONS {shape[0]} {shape[1]} {shape[2]}".encode() in content
    start = content.index(b"LOOKUP_TABLE default\n") + len(b"LOOKUP_TABLE default\n")
    shares = np.frombuffer(content[start : start + 4 * int(shape.prod())], ">f4")
    assert shares.sum() * 0.08**3 == pytest.approx(lola_workspace.volume, rel=1e-5)


def test_the_command_writes_all(tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    arguments = ["workspace", "lola", "--from", "torso", "--to", "RH", "--size", "0.08", "--samples", "20000"]
    result = CliRunner().invoke(app, [*arguments, "--output", str(folder), "--vtk"])
    assert result.exit_code == 0, result.output
    assert "compactness" in result.output
    names = {path.name for path in folder.iterdir()}
    assert names == {"workspace.parquet", "surface.ply", "cells.vtk", "workspace.png"}


@pytest.mark.parametrize(
    "wrong, told",
    [
        (["--limit", "efr"], "JOINT=LOW:HIGH"),
        (["--limit", "knee=0:1"], "no joint 'knee'"),
        (["--limit-set", "none"], "no limit set 'none'"),
        (["--method", "guess"], "random, sobol, grid"),
    ],
)
def test_wrong_options_of_the_command_are_told(wrong: list[str], told: str, tmp_path: Path) -> None:
    arguments = ["workspace", "lola", "--from", "torso", "--to", "RH", "-o", str(tmp_path), *wrong]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    assert told in str(result.exception)
