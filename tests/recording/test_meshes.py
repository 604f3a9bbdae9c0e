"""Meshes inside of recordings: they are drawn where the files are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import RecordingWriter, Scene, SceneObject, read_recording
from footfall.errors import RecordingError
from footfall.geometry.mesh import load_mesh
from footfall.recording.meshes import is_mesh, mesh_files, unpacked_mesh
from footfall.robot.shapes import Mesh

PART = """ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
"""
URDF = """<robot name="part"><link name="base">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="part.ply"/></geometry></visual>
  <collision><geometry><mesh filename="part.ply" scale="2 2 2"/></geometry></collision>
</link></robot>"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "part.ply").write_text(PART)
    (folder / "part.urdf").write_text(URDF)
    return folder


def recorded(home: Path, path: Path, **options: object) -> RecordingWriter:
    robot = footfall.load(home / "part.urdf", floating_base=True)
    rock = SceneObject("rock", Mesh(str(home / "part.ply"), (0.5, 0.5, 0.5)))
    with RecordingWriter(path, robot, scene=Scene("yard", (rock,)), **options) as writer:  # type: ignore[arg-type]
        writer.state(0.0, footfall.neutral(robot), np.zeros(robot.nv))
    return writer


def test_a_recording_needs_no_other_file(home: Path, tmp_path: Path) -> None:
    writer = recorded(home, tmp_path / "run.mcap")
    expected = load_mesh(home / "part.ply").vertices
    (home / "part.ply").unlink()
    recording = read_recording(tmp_path / "run.mcap")
    (body,) = (each for each in recording.robot.bodies if each.visuals)
    for geometry, scale in ((body.visuals[0], 1.0), (body.collisions[0], 2.0)):
        assert isinstance(geometry.shape, Mesh)
        mesh = load_mesh(geometry.shape.path, scale=geometry.shape.scale)
        np.testing.assert_array_equal(mesh.vertices, scale * expected)
    assert recording.scene is not None
    shape = recording.scene.object("rock").shape
    assert isinstance(shape, Mesh)
    np.testing.assert_array_equal(load_mesh(shape.path, scale=shape.scale).vertices, 0.5 * expected)
    # One file for all three, and its size is told.
    assert len(writer.meshes.contents) == 1
    assert recording.metadata["meshes"] == f"1 files, {writer.meshes.size} bytes"
    assert recording.robot.fingerprint == writer.robot.fingerprint


def test_meshes_may_be_left_out(home: Path, tmp_path: Path) -> None:
    writer = recorded(home, tmp_path / "run.mcap", meshes=False)
    assert writer.meshes.size == 0
    recording = read_recording(tmp_path / "run.mcap")
    assert not recording.meshes
    assert "meshes" not in recording.metadata


def test_missing_meshes_keep_their_paths(home: Path, tmp_path: Path) -> None:
    (home / "part.ply").unlink()
    robot = footfall.load(home / "part.urdf", floating_base=True, strict=False)
    assert not mesh_files(robot, None).contents


def test_wrong_meshes_are_refused(home: Path) -> None:
    robot = footfall.load(home / "part.urdf", floating_base=True)
    ((name, content),) = mesh_files(robot, None).contents.items()
    told: list[int] = []
    path = unpacked_mesh(name, content, "run", lambda size, _: told.append(size))
    assert Path(path).read_text() == PART
    assert told == [len(PART)]
    for wrong, message in ((content[:-4], "unpacked"), (b"nothing", "unpacked")):
        with pytest.raises(RecordingError, match=message):
            unpacked_mesh(name, wrong, "run", lambda *_: None)
    other = f"meshes/{64 * 'a'}.ply"
    with pytest.raises(RecordingError, match="not the mesh"):
        unpacked_mesh(other, content, "run", lambda *_: None)
    for bad in ("meshes/../../x.ply", f"meshes/{64 * 'a'}.exe", "robot.toml", f"{64 * 'a'}.ply"):
        assert not is_mesh(bad)
