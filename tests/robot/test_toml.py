"""footfall's own format: what its fields mean, what is refused and where, and that nothing is lost."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from footfall.errors import MissingFile, RobotError, RobotWarning
from footfall.robot.model import Box, JointType, Mesh, Robot
from footfall.robot.toml import parse_toml, read_toml
from footfall.robot.toml_writer import toml_text
from tests.robot.comparison import difference
from tests.robot.dressed_robots import dressed_robots

BODY = '[[body]]\nname = "a"\nmass = 2.0\ninertia = [1, 1, 1, 0, 0, 0]\n'


def one(joint: str = "", body: str = "", after: str = "") -> Robot:
    """A robot with one body."""
    return parse_toml(f'name = "r"\n{BODY}{body}\n[body.joint]\n{joint}\n{after}', source="r.toml")


def test_defaults() -> None:
    robot = parse_toml(f'name = "r"\n{BODY}')
    joint = robot.joints[0]
    assert (joint.name, joint.type, joint.parent, joint.child) == ("a", JointType.FIXED, "world", "a")
    assert robot.gravity == (0.0, 0.0, -9.81)


def test_inertia_about_the_origin_is_shifted() -> None:
    # RSL 2022, (3.14)-(3.25): about the origin 1 + m d^2 for the axes across the offset d = 0.5
    about = 'inertia_about = "origin"\ncenter_of_mass = [0.5, 0, 0]'
    np.testing.assert_allclose(one(body=about).bodies[0].inertia, np.diag([1.0, 0.5, 0.5]), atol=1e-15)


@pytest.mark.parametrize(
    "written",
    [
        "rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "quaternion = [0.7071067811865476, 0, 0, 0.7071067811865476]",
        "quaternion = [3, 0, 0, 3]",
        "rpy = [0, 0, 1.5707963267948966]",
        "rpy = [0, 0, 1.57079632679]",
    ],
)
def test_quarter_turns_are_exact_however_they_are_written(written: str) -> None:
    np.testing.assert_array_equal(
        one(written).joints[0].placement.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    )


def test_limits_in_degrees_and_for_all_velocities() -> None:
    joint = one('type = "universal"\nlower_deg = [-90, -45]\nupper_deg = 180\neffort = 3').joints[0]
    assert joint.lower == pytest.approx((-math.pi / 2, -math.pi / 4), rel=1e-15)
    assert joint.upper == pytest.approx((math.pi, math.pi), rel=1e-15)
    assert joint.effort == (3.0, 3.0)


def test_configurations_as_lists_and_tables() -> None:
    root = 'name = "root"\ntype = "floating"'
    second = BODY.replace('"a"', '"b"') + '[body.joint]\ntype = "revolute"\nparent = "a"\n'
    tables = (
        "[configurations]\n"
        "list = [1, 2, 3, 0, 1, 0, 0, 4]\ntable = { b = 4 }\npose = { root = [1, 2, 3, 0, 1, 0, 0] }"
    )
    robot = one(root, after=second + tables)
    np.testing.assert_array_equal(robot.configuration("list"), [1, 2, 3, 0, 1, 0, 0, 4])
    np.testing.assert_array_equal(robot.configuration("table"), [0, 0, 0, 1, 0, 0, 0, 4])
    np.testing.assert_array_equal(robot.configuration("pose"), [1, 2, 3, 0, 1, 0, 0, 0])


def test_limit_sets_in_degrees() -> None:
    sets = '[limit_sets.soft]\nunit = "deg"\na = [-90, 180]\n[limit_sets.hard]\na = [-1, 1]'
    robot = one('type = "revolute"', after=sets)
    assert robot.limit_sets["soft"]["a"] == pytest.approx((-math.pi / 2, math.pi), rel=1e-15)
    assert robot.limits("hard")[1][0] == 1.0


def test_example_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robot-format.md").read_text()
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert example is not None
    robot = parse_toml(example.group(1))
    assert robot.configuration("raised") == pytest.approx([0.8])


def test_shapes() -> None:
    shapes = (
        '[[body.visual]]\nshape = "box"\nsize = [1, 2, 3]\ncolor = [1, 0, 0, 1]\nposition = [0, 0, 1]\n'
        '[[body.collision]]\nname = "hull"\nshape = "mesh"\npath = "hull.stl"'
    )
    body = one(after=shapes).bodies[0]
    assert body.visuals[0].shape == Box((1.0, 2.0, 3.0))
    assert body.visuals[0].color == (1.0, 0.0, 0.0, 1.0)
    assert (body.collisions[0].name, body.collisions[0].shape) == ("hull", Mesh("hull.stl"))


@given(dressed_robots())
def test_written_robots_are_read_back_to_the_same_numbers(robot: Robot) -> None:
    assert difference(robot, parse_toml(toml_text(robot))) <= 1e-15


BAD = [
    ("syntax", RobotError, "r.toml:2: no valid TOML", 'name = "r"\nbody = = 3'),
    ("deep", RobotError, "nested too deeply", 'name = "r"\nx = ' + "[" * 5000),
    ("no name", RobotError, "missing required field `name`", BODY),
    ("no bodies", RobotError, r"r.toml: has no \[\[body\]\]", 'name = "r"'),
    ("unknown field", RobotError, r"r.toml:6: body\[0\]: .*unknown field `mas`; there are: mass, name,",
     f'name = "r"\n{BODY}mas = 2'),
    ("unknown field of all", RobotError, "r.toml:1: .*unknown field `nam`; there are: name", 'nam = "r"'),
    ("unknown field of a shape", RobotError, r"r.toml:9: body\[0\].visual\[1\]: .*`siz`; there are: size",
     f'name = "r"\n{BODY}[[body.visual]]\nshape = "box"\n[[body.visual]]\nsiz = 1'),
    ("unknown shape", RobotError, r"r.toml:7: .*'bax'; there are: box, ",
     f'name = "r"\n{BODY}[[body.visual]]\nshape = "bax"'),
    ("in one line", RobotError, r"r.toml:2: body\[0\]: .*`mas`", 'name = "r"\nbody = [{ mas = 1 }]'),
    ("dotted", RobotError, r"r.toml:6: .*'hinge'", f'name = "r"\n{BODY}joint.type = "hinge"'),
    ("wrong type", RobotError, r"r.toml:4: body\[0\].mass: Expected `float`",
     'name = "r"\n[[body]]\nname = "a"\nmass = "2"'),
    ("five numbers", RobotError, r"body\[0\].inertia: Expected `array` of length 6",
     'name = "r"\n[[body]]\nname = "a"\ninertia = [1, 1, 1, 0, 0]'),
    ("unknown joint type", RobotError, r"r.toml:7: .*Invalid enum value 'hinge'; there are: fixed, rev",
     f'name = "r"\n{BODY}[body.joint]\ntype = "hinge"'),
    ("huge number", RobotError, "r.toml", f'name = "r"\n{BODY}[body.joint]\ndamping = {"9" * 400}'),
    ("two orientations", RobotError, "r.toml:2: joint 'a': has rotation and rpy; give at most one",
     f'name = "r"\n{BODY}[body.joint]\nrpy = [0, 0, 0]\nrotation = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]'),
    ("zero quaternion", RobotError, "joint 'a': quaternion",
     f'name = "r"\n{BODY}[body.joint]\nquaternion = [0, 0, 0, 0]'),
    ("infinite angle", RobotError, "joint 'a': rpy", f'name = "r"\n{BODY}[body.joint]\nrpy = [0, inf, 0]'),
    ("degrees twice", RobotError, "lower and lower_deg",
     f'name = "r"\n{BODY}[body.joint]\ntype = "revolute"\nlower = 0\nlower_deg = 0'),
    ("degrees of a slide", RobotError, "no angle limits",
     f'name = "r"\n{BODY}[body.joint]\ntype = "prismatic"\nlower_deg = 0'),
    ("shape without size", RobotError, "body 'a': box lacks size; it takes size",
     f'name = "r"\n{BODY}[[body.visual]]\nshape = "box"'),
    ("shape with too much", RobotError, "sphere has length; it takes radius",
     f'name = "r"\n{BODY}[[body.visual]]\nshape = "sphere"\nradius = 1\nlength = 1'),
    ("unknown unit", RobotError, "unit is 'grad'", f'name = "r"\n{BODY}[limit_sets.s]\nunit = "grad"'),
    ("text as limit", RobotError, "limit set 's': limits of joint 'a' are 'x'",
     f'name = "r"\n{BODY}[limit_sets.s]\na = "x"'),
    ("configuration of nothing", RobotError, "configuration 'c': joint 'knee' does not exist; there are: a",
     f'name = "r"\n{BODY}[configurations]\nc = {{ knee = 1 }}'),
    ("short part", RobotError, "joint 'a' has 1 values; it must have 4",
     f'name = "r"\n{BODY}[body.joint]\ntype = "spherical"\n[configurations]\nc = {{ a = 1 }}'),
    ("unknown parent", RobotError, "r.toml:2: joint 'a': parent body 'b'",
     f'name = "r"\n{BODY}[body.joint]\nparent = "b"'),
    ("duplicate", RobotError, "r.toml:6: body 'a'", f'name = "r"\n{BODY}{BODY}[body.joint]\nname = "b"'),
    ("impossible inertia", RobotError, "r.toml:2: body 'a'",
     f'name = "r"\n{BODY}'.replace("1, 1, 1", "1, 1, 3")),
    ("missing inertia", RobotError, "r.toml:2: joint 'a'",
     'name = "r"\n[[body]]\nname = "a"\n[body.joint]\ntype = "revolute"'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "text"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_text(error: type[RobotError], message: str, text: str) -> None:
    with pytest.raises(error, match=message):
        parse_toml(text, source="r.toml")


def test_lenient_reading_warns() -> None:
    text = f'name = "r"\n{BODY}'.replace("1, 1, 1", "1, 1, 3")
    with pytest.warns(RobotWarning, match="r.toml:2: body 'a': principal moments"):
        assert parse_toml(text, source="r.toml", strict=False).mass == 2.0


def test_too_many_bodies() -> None:
    bodies = "".join(f'[[body]]\nname = "b{i}"\n' for i in range(5001))
    with pytest.raises(RobotError, match="has 5001 bodies; at most 5000"):
        parse_toml(f'name = "r"\n{bodies}')


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    with pytest.raises(MissingFile, match=re.escape(str(path))):
        read_toml(path)
    path.write_bytes(b'name = "r"\n# \xff')
    with pytest.raises(RobotError, match=r"robot.toml:2: is not UTF-8"):
        read_toml(path)
    path.write_bytes(b"#" * (5 * 2**20))
    with pytest.raises(RobotError, match="larger than 4 MiB"):
        read_toml(path)
    path.write_text(f'name = "r"\n{BODY}')
    assert read_toml(path).name == "r"
