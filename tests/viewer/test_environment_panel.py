"""What is drawn of an environment: terrain in its place and colours, objects at their poses, boxes that switch them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from footfall.cli.application import app
from footfall.environment import Environment, load_environment, perceive, terrain_from_cells
from footfall.environment.perception import EXACT
from footfall.scene import make_scene
from footfall.viewer.environment_panel import (
    EnvironmentPanel,
    colored_heights,
    shown_bounds,
    shown_window,
    terrain_surface,
)
from footfall.viewer.show import View, load_subject
from footfall.viewer.stage import Stage


def test_terrain_is_drawn_where_it_is() -> None:
    heights = np.full((100, 80), 0.1)
    heights[40:50, 30:40] = np.nan  # a hole
    window = shown_window(Environment(terrain_from_cells(heights, np.ones((100, 80)), first=(-20, 10))))
    assert window is not None
    vertices, triangles, _ = terrain_surface(window)
    assert len(vertices) == 100 * 80 - 100
    assert vertices.min(axis=0) == pytest.approx([-0.195, 0.105, 0.1])
    assert vertices.max(axis=0) == pytest.approx([0.795, 0.895, 0.1])
    corners = vertices[triangles]
    assert np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2].min() > 0.0  # upwards
    middles = corners.mean(axis=1)
    inside = (np.abs(middles[:, 0] - 0.25) < 0.04) & (np.abs(middles[:, 1] - 0.45) < 0.04)
    assert not inside.any()
    low, high = colored_heights(window)
    assert low == pytest.approx(0.1)
    assert high - low == pytest.approx(0.05)


def test_large_maps_are_drawn_coarsely() -> None:
    big = Environment(terrain_from_cells(np.zeros((1000, 1000)), np.ones((1000, 1000))))
    window = shown_window(big)
    assert window is not None
    assert max(window.mean.shape) <= 400
    assert shown_window(Environment()) is None
    assert shown_bounds(Environment(), None).shape == (2, 3)


def test_boxes_switch_what_is_drawn() -> None:
    environment = perceive(make_scene("right-wall"), EXACT)
    stage = Stage(port=0)
    try:
        panel = EnvironmentPanel(stage, environment, confidence=True)
        assert [node.visible for node in panel.drawing._terrain.values()] == [False, True]
        assert not any(node.visible for node in panel.drawing._volumes)
        panel._color.value = "height"
        panel._around.value = True
        panel._shown.value = False
        panel._choose()
        assert [node.visible for node in panel.drawing._terrain.values()] == [True, False]
        assert all(node.visible for node in panel.drawing._volumes)
        assert not any(node.visible for node in panel.drawing._objects)
        wall = environment.object("right-wall")
        assert panel.drawing._objects[0].position == pytest.approx(wall.placement.translation)
    finally:
        stage.close()


def test_an_environment_without_anything_is_shown() -> None:
    with View(Environment(), port=0) as view:
        assert view.address


def test_perceive_writes_what_view_shows(tmp_path: Path) -> None:
    target = tmp_path / "seen.toml"
    run = CliRunner().invoke(app, ["perceive", "right-wall", "-o", str(target), "--voxel", "0", "--beside"])
    assert run.exit_code == 0, run.output
    assert "1 objects" in run.output
    assert isinstance(load_subject(target), Environment)
    assert list(load_environment(target).objects) == ["right-wall"]
    assert list(tmp_path.glob("*.ply"))
    wrong = CliRunner().invoke(app, ["screenshot", "lola", str(tmp_path / "x.png"), "--confidence"])
    assert wrong.exit_code == 2
