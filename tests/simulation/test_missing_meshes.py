"""Robots whose collision meshes are not on this machine still simulate; what is missing is named as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

import footfall
from footfall.cli import app
from footfall.errors import MissingFile, RobotWarning
from footfall.geometry.mesh import load_mesh
from footfall.simulation.simulation import Simulation

URDF = """
<robot name="boxy">
  <link name="base">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://boxy_description/meshes/base.stl"/></geometry></collision>
    <collision><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
</robot>
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    path = tmp_path / "robots" / "boxy.urdf"
    path.parent.mkdir()
    path.write_text(URDF)
    return path


def test_it_stands_on_its_other_shapes(description: Path) -> None:
    robot = footfall.load(description, floating_base=True)
    with pytest.warns(
        RobotWarning,
        match=r"'package://boxy_description/meshes/base.stl' of body 'base' \(its other shapes touch\).*package_dirs=",
    ):
        simulation = Simulation(robot, "flat", dt=1e-3)
    assert "exact contact, 2 shapes may touch" in repr(simulation)  # and the floor
    simulation.reset([0.0, 0.0, 0.21, 1.0, 0.0, 0.0, 0.0])
    simulation.run(simulation.hold(), 0.5)
    assert simulation.q[2] == pytest.approx(0.2, abs=1e-4)


def test_packages_are_found_where_they_are_named(
    description: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meshes = tmp_path / "elsewhere" / "boxy_description" / "meshes"
    meshes.mkdir(parents=True)
    trimesh.creation.box(extents=(0.2, 0.2, 0.2)).export(meshes / "base.stl")
    found = str(meshes / "base.stl")
    robot = footfall.load(description, package_dirs=[tmp_path / "elsewhere"])
    assert robot.bodies[0].collisions[0].shape.path == found  # type: ignore[union-attr]
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path / 'elsewhere'}")
    assert footfall.load(description).bodies[0].collisions[0].shape.path == found  # type: ignore[union-attr]


def test_commands_take_package_dirs(description: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    meshes = tmp_path / "elsewhere" / "boxy_description" / "meshes"
    meshes.mkdir(parents=True)
    trimesh.creation.box(extents=(0.2, 0.2, 0.2)).export(meshes / "base.stl")
    target = tmp_path / "boxy.toml"
    arguments = ["convert", str(description), str(target), "--package-dir", str(tmp_path / "elsewhere")]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert 'path = "boxy_meshes/base.stl"' in target.read_text()
    copied = trimesh.load(tmp_path / "boxy_meshes" / "base.stl")
    assert copied.volume == pytest.approx(0.2**3, rel=1e-6)  # of the mesh in the named folder


def test_paths_are_named_as_written() -> None:
    with pytest.raises(
        MissingFile, match=r"no mesh file 'package://a/b.stl'; name the folder .* --package-dir"
    ):
        load_mesh("package://a/b.stl")
    with pytest.raises(MissingFile, match=r"no mesh file 'nowhere/b.stl'$"):
        load_mesh("nowhere/b.stl")
