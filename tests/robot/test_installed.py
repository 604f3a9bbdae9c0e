"""Robots of other packages by name; nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from footfall.errors import MissingFile, UnknownName
from footfall.robot import installed
from footfall.robot.load import load

FOLDER = installed.examples_folder()
needs_examples = pytest.mark.skipif(FOLDER is None, reason="needs example-robot-data")


@needs_examples
@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_names_of_example_robot_data() -> None:
    assert load("talos").nv == 38  # 32 joints and a free base
    assert load("talos", floating_base=False).nv == 32
    assert load("ur5").nv == 6
    assert load("talos_left_arm").nv == 7  # the only file of that name
    with pytest.raises(UnknownName, match="there are: "):
        load("anymal_zz")
    with pytest.raises(UnknownName):
        load("nothing_at_all")


@needs_examples
def test_all_short_names_have_files() -> None:
    for name in installed.EXAMPLES:
        assert installed.example_file(name).is_file()


def test_a_hint_where_the_package_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "examples_folder", lambda: None)
    with pytest.raises(MissingFile, match=r"example-robot-data: pip install 'footfall\[robots\]'"):
        load("talos")
    assert installed.installed_names() == []


def test_robot_descriptions_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed.util, "find_spec", lambda name: None)
    for name in ("rod_description", "rod_mj"):
        with pytest.raises(MissingFile, match="pip install robot_descriptions"):
            installed.find_installed(name)
    assert installed.find_installed("rod") is None


def test_robot_descriptions_only_from_its_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A package of the same shape: its module must not be imported before its repository is there.
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_repositories.py").write_text(
        "class R:\n    cache_path = 'rods'\nREPOSITORIES = {'rods-repository': R}\n"
    )
    (package / "rod_description.py").write_text(
        "import os\n"
        "def clone_to_cache(name): return os.path.join(os.environ['ROBOT_DESCRIPTIONS_CACHE'], 'rods')\n"
        'REPOSITORY_PATH = clone_to_cache(\n    "rods-repository",\n)\n'
        "URDF_PATH = os.path.join(REPOSITORY_PATH, 'rod.urdf')\n"
    )
    for name in [name for name in sys.modules if name.split(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(MissingFile, match=r'once: python -c "import robot_descriptions.rod_description"'):
        load("rod")
    assert "robot_descriptions.rod_description" not in sys.modules
    (tmp_path / "cache" / "rods").mkdir(parents=True)
    (tmp_path / "cache" / "rods" / "rod.urdf").write_text(
        '<robot name="rod"><link name="a"><inertial><mass value="3"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>'
    )
    assert load("rod").mass == 3.0
    assert load("rod_description").mass == 3.0
    for name in [name for name in sys.modules if name.split(".")[0] == "robot_descriptions"]:
        monkeypatch.delitem(sys.modules, name)
