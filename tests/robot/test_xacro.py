"""xacro files are expanded: properties, macros, included files of packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.errors import RobotError
from footfall.robot.load import load

pytest.importorskip("xacrodoc")

PARTS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="rod" params="name mass"><link name="${name}"><inertial><mass value="${mass}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></xacro:macro></robot>"""
ROBOT = """<robot name="pair" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:include filename="$(find rods)/parts.xacro"/>
<xacro:property name="heavy" value="${2 * 1.5}"/>
<xacro:rod name="a" mass="1"/><xacro:rod name="b" mass="${heavy}"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


def test_macros_properties_and_packages(tmp_path: Path) -> None:
    (tmp_path / "somewhere" / "rods").mkdir(parents=True)
    (tmp_path / "somewhere" / "rods" / "parts.xacro").write_text(PARTS)
    (tmp_path / "pair.urdf.xacro").write_text(ROBOT)
    before = Path.cwd()
    robot = load(tmp_path / "pair.urdf.xacro", package_dirs=[tmp_path / "somewhere"])
    assert (robot.name, robot.nv, robot.mass) == ("pair", 1, 4.0)
    assert Path.cwd() == before
    with pytest.raises(RobotError, match=r"pair\.urdf\.xacro: xacro: .*rods"):
        load(tmp_path / "pair.urdf.xacro")  # what was found for another file is forgotten


@pytest.mark.parametrize(
    "text", ["<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">${1/0}</robot>']
)
def test_what_cannot_be_expanded(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.xacro").write_text(text)
    with pytest.raises(RobotError, match=r"bad\.xacro"):
        load(tmp_path / "bad.xacro")
