"""The shipped robots as a whole: names, files, and what holds for every one of them."""

from __future__ import annotations

import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import RobotError, UnknownName
from footfall.robot import library
from footfall.robot.load import load
from footfall.robot.model import JointType, Robot
from footfall.robot.validation import check_physics

IMPOSSIBLE_BY_INTENT = {"kuka-lwr"}


@pytest.fixture(params=library.names())
def robot(request: pytest.FixtureRequest) -> Robot:
    return load(request.param)


def test_every_name_loads_under_its_own_name(robot: Robot) -> None:
    assert robot.name in library.names()


@pytest.mark.parametrize("name", library.names())
def test_loads_without_a_warning_and_can_be(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = load(name)
    if name not in IMPOSSIBLE_BY_INTENT:
        assert check_physics(robot) == []


def test_every_file_is_listed_and_every_listed_file_is_packaged() -> None:
    folder = Path(str(files("footfall.robot.library")))
    shipped = {path.stem for path in folder.glob("*.toml")}
    listed = {name for name in library.names() if isinstance(library.find(name), Path)}
    assert shipped == listed
    for name in listed:
        path = library.find(name)
        assert isinstance(path, Path)
        assert path.is_file()


@pytest.mark.parametrize("name", [*library.names(), "chain-3", "dill-2"])
def test_descriptions_are_one_line(name: str) -> None:
    description = library.describe(name)
    assert 10 < len(description) < 90
    assert "\n" not in description


@pytest.mark.parametrize("name", ["lola2012", "chain-", "chain-N", "dill-007", "chain--3", "../lola", ""])
def test_other_names_are_not_found(name: str) -> None:
    assert library.find(name) is None
    with pytest.raises(UnknownName, match="lola"):
        library.describe(name)


@pytest.mark.parametrize(
    ("name", "range_"), [("chain-0", "1 to 10000"), ("chain-10001", "1 to"), ("dill-13", "0 to 12")]
)
def test_numbers_out_of_range_are_refused(name: str, range_: str) -> None:
    with pytest.raises(RobotError, match=range_):
        load(name)


def test_configurations_respect_the_joint_limits(robot: Robot) -> None:
    for q in robot.configurations.values():
        assert (robot.lower_limits <= q).all()
        assert (q <= robot.upper_limits).all()


def test_all_bodies_can_be_seen(robot: Robot) -> None:
    for body in robot.bodies:
        assert body.visuals or body.mass == 0.0, body.name


def test_roots_float_or_stand_still(robot: Robot) -> None:
    root = robot.joints[0]
    assert root.type is not JointType.FLOATING or (root.name == "root" and robot.nq == robot.spanning.nv + 1)


def test_mass_regions_cover_every_body_with_mass_once() -> None:
    for name in library.names():
        robot = load(name)
        members = [body for region in robot.regions.values() for body in region]
        assert len(members) == len(set(members))
        if members:
            assert {body.name for body in robot.bodies if body.mass > 0.0} <= set(members)


def test_groups_cover_every_joint_of_the_legged_robots() -> None:
    for name in ("lola", "lola-2012", "quadruped", "point-foot-quadruped"):
        robot = load(name)
        grouped = [joint for group in robot.groups.values() for joint in group]
        moving = [joint.name for joint in robot.joints if joint.type.coordinates == 1]
        assert sorted(grouped) == sorted(moving)


def test_reading_does_not_share_arrays_that_can_be_written(robot: Robot) -> None:
    for body in robot.bodies:
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(body.inertia)[0, 0] = 1.0
