"""Robots by name and by path, and written files."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

from footfall.errors import MissingFile, RobotError, RobotWarning, UnknownName, UnsupportedFeature
from footfall.robot.load import load
from footfall.robot.model import JointType
from footfall.robot.save import save
from tests.random_robots import random_robot
from tests.robot.comparison import difference, tree_difference

load_module = importlib.import_module("footfall.robot.load")

URDF = (
    '<robot name="r"><link name="a"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
)
MJCF = '<mujoco><worldbody><body name="a"><joint/><geom size="1"/></body></worldbody></mujoco>'


def test_shipped_names() -> None:
    assert load("planar-arm").nv == 3
    assert load("chain-7").nv == 7
    with pytest.raises(UnknownName, match=r"no robot 'lolla' in footfall .*; there are: lola"):
        load("lolla")


def test_floating_base() -> None:
    lola = load("lola")
    assert lola.joints[0].type is JointType.FLOATING
    assert load("lola", floating_base=True).nv == lola.nv
    assert load("lola", floating_base=False).nv == lola.nv - 6
    assert load("scara", floating_base=True).nv == load("scara").nv + 6


def test_format_by_suffix_and_root_element(tmp_path: Path) -> None:
    for name, text in (("a.urdf", URDF), ("a.XML", URDF), ("b.URDF", URDF)):
        (tmp_path / name).write_text(text)
        assert load(tmp_path / name).name == "r"
        assert load(str(tmp_path / name), floating_base=True).nv == 6
    pytest.importorskip("mujoco")
    (tmp_path / "b.xml").write_text(MJCF)
    assert load(tmp_path / "b.xml").nv == 1
    (tmp_path / "c.urdf").write_text(MJCF)
    assert load(tmp_path / "c.urdf").nv == 1


def test_files_that_are_not_there_or_not_robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingFile, match=r"no file '.*nothing\.urdf'"):
        load(tmp_path / "nothing.urdf")
    with pytest.raises(FileNotFoundError):
        load("folder/nothing.toml")
    with pytest.raises(RobotError, match=r"suffix '\.yaml' is unknown; robots are in \.toml, \.urdf, \.xml"):
        load(tmp_path / "robot.yaml")
    (tmp_path / "x.xml").write_text("<html/>")
    with pytest.raises(RobotError, match=r"x\.xml:1: root element is <html>; it must be <robot>"):
        load(tmp_path / "x.xml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(MissingFile, match=r"folder\.toml' is a folder"):
        load(tmp_path / "folder.toml")
    with pytest.raises(MissingFile, match=r"no folder '.*nowhere' to write 'a\.urdf' into"):
        save(load("wrist"), tmp_path / "nowhere" / "a.urdf")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("")
    with pytest.raises(RobotError, match="suffix ''"):
        load("plain")


def test_lenient_loading_and_package_dirs(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    bad = URDF.replace('ixx="1"', 'ixx="5"').replace(
        "</inertial>", '</inertial><visual><geometry><mesh filename="package://p/m.stl"/></geometry></visual>'
    )
    path.write_text(bad)
    (tmp_path / "elsewhere" / "p").mkdir(parents=True)
    (tmp_path / "elsewhere" / "p" / "m.stl").touch()
    with pytest.warns(RobotWarning, match=r"r\.urdf:1: body 'a'"):
        robot = load(path, strict=False, package_dirs=[tmp_path / "elsewhere"])
    assert robot.bodies[0].visuals[0].shape.path == str(tmp_path / "elsewhere" / "p" / "m.stl")  # type: ignore[union-attr]


def test_saved_robots_load(tmp_path: Path) -> None:
    robot = random_robot(5, types=["floating", "revolute", "universal", "prismatic"])
    save(robot, tmp_path / "r.toml")
    assert difference(robot, load(tmp_path / "r.toml")) < 1e-15
    save(robot, str(tmp_path / "r.urdf"))
    assert tree_difference(robot, load(tmp_path / "r.urdf")) < 1e-12
    save(robot, tmp_path / "r.xml")
    assert (tmp_path / "r.xml").read_text().startswith('<?xml version="1.0"?>\n<mujoco')
    with pytest.raises(RobotError, match="suffix"):
        save(robot, tmp_path / "r.json")


def test_failed_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.urdf"
    save(random_robot(0, types=["revolute"]), path)
    before = path.read_text()
    with pytest.raises(UnsupportedFeature):
        save(random_robot(0, types=["spherical"]), path)

    def full_disk(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(load_module.os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        save(random_robot(1, types=["revolute"]), path)
    assert path.read_text() == before
    assert os.listdir(tmp_path) == ["r.urdf"]


def test_saved_files_have_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    save(random_robot(0, types=["revolute"]), tmp_path / "r.toml")
    assert (tmp_path / "r.toml").stat().st_mode == (tmp_path / "plain").stat().st_mode
