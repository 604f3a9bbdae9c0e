"""Where meshes are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.robot.mesh_paths import MeshPaths


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    """ws/src/my_robot/meshes/arm.stl, with descriptions in ws/src/my_robot/urdf."""
    path = tmp_path / "ws" / "src" / "my_robot" / "meshes" / "arm.stl"
    path.parent.mkdir(parents=True)
    path.touch()
    (tmp_path / "ws" / "src" / "my_robot" / "urdf").mkdir()
    return path


def test_package_above_the_description(mesh: Path) -> None:
    paths = MeshPaths(mesh.parents[1] / "urdf")
    assert paths.resolve("package://my_robot/meshes/arm.stl") == str(mesh)
    assert paths.resolve("model://my_robot/meshes/arm.stl") == str(mesh)


def test_package_beside_a_directory_above(mesh: Path) -> None:
    other = mesh.parents[2] / "other" / "urdf"
    other.mkdir(parents=True)
    assert MeshPaths(other).resolve("package://my_robot/meshes/arm.stl") == str(mesh)


def test_given_and_ros_directories(mesh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = "package://my_robot/meshes/arm.stl"
    far = tmp_path / "far"
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    assert MeshPaths(far).resolve(written) == written
    assert MeshPaths(far, [mesh.parents[2]]).resolve(written) == str(mesh)
    assert MeshPaths(None, [mesh.parents[1]]).resolve(written) == str(mesh)
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{mesh.parents[2]}")
    assert MeshPaths(far).resolve(written) == str(mesh)


def test_files_and_relative_paths(mesh: Path) -> None:
    paths = MeshPaths(mesh.parents[1] / "urdf")
    assert paths.resolve(f"file://{mesh}") == str(mesh)
    assert Path(paths.resolve("../meshes/arm.stl")).samefile(mesh)


@pytest.mark.parametrize(
    "written",
    [
        "package://my_robot/meshes/leg.stl",
        "http://x/y.stl",
        "a\x00b",
        "x" * 5000,
        "",
        "package://",
        "package:///",
    ],
)
def test_what_is_not_found_stays_as_written(mesh: Path, written: str) -> None:
    assert MeshPaths(mesh.parents[1] / "urdf").resolve(written) == written
