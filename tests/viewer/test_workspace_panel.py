"""A workspace in the browser: what its controls change."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.viewer.show import View, load_subject
from footfall.viewer.workspace_panel import _cut_mesh
from footfall.workspace import Workspace, analyse_workspace, cross_section, save_workspace
from tests.workspace.arms import lola_arm, planar_arm


def test_a_folder_with_a_workspace_is_shown(tmp_path: Path) -> None:
    found = analyse_workspace(lola_arm(), size=0.1, samples=20_000)
    save_workspace(found, tmp_path / "workspace.parquet")
    subject = load_subject(tmp_path)
    assert isinstance(subject, Workspace)
    with View(subject, port=0) as view:
        assert view.address.startswith("http://")
        assert "workspace of lola" in repr(view)


def test_robots_that_are_not_at_hand_are_left_out() -> None:
    found = analyse_workspace(planar_arm(), size=0.1, samples=5_000)
    with View(found, port=0) as view:
        assert view.player is None


def test_cuts_are_seen_from_where_they_are_open() -> None:
    found = analyse_workspace(lola_arm(), size=0.1, samples=20_000)
    for axis in "xyz":
        mesh = _cut_mesh(cross_section(found, axis=axis, at=0.3), 0.3, 0.0, 1.0)
        across = "xyz".index(axis)
        assert np.allclose(mesh.face_normals[:, across], 1.0)
        assert np.allclose(mesh.vertices[:, across], 0.3)
