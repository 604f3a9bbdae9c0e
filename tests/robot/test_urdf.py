"""URDF: what is read, what is refused and where, and what the writer makes of every joint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from footfall.errors import RobotError, RobotWarning, UnsupportedFeature
from footfall.robot.model import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Mesh,
    Mimic,
    Robot,
    Sphere,
)
from footfall.robot.urdf import parse_urdf, read_urdf
from footfall.robot.urdf_writer import urdf_text
from footfall.robot.variants import with_floating_base
from tests.random_robots import random_robot
from tests.robot.comparison import difference, tree_difference
from tests.robot.dressed_robots import dressed_robots

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def urdf(joint: str = "", *, kind: str = "revolute", link: str = INERTIAL, rest: str = "") -> str:
    return (
        f'<robot name="r">\n<link name="a">{INERTIAL}</link>\n<link name="b">{link}</link>\n'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{joint}</joint>\n{rest}</robot>'
    )


def joint_of(text: str) -> Joint:
    return parse_urdf(text).joint("j")


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"])
def test_joint_types(kind: str) -> None:
    robot = parse_urdf(urdf('<axis xyz="0 2 0"/>', kind=kind))
    assert robot.joint("j").type == kind
    assert robot.nv == JointType(kind).velocities
    if kind not in ("fixed", "floating"):
        assert robot.joint("j").axis == (0.0, 1.0, 0.0)


def test_root_is_fixed_to_the_world() -> None:
    robot = parse_urdf(urdf())
    root = robot.joints[0]
    assert (root.name, root.type, root.parent, root.child) == ("root_joint", JointType.FIXED, "world", "a")
    assert joint_of(urdf()).axis == (1.0, 0.0, 0.0)


def test_root_named_world_is_the_world() -> None:
    text = urdf(
        kind="fixed", rest='<joint name="k" type="fixed"><parent link="world"/><child link="a"/></joint>'
    )
    robot = parse_urdf(text.replace('<link name="a">', '<link name="world"/><link name="a">'))
    assert [(joint.name, joint.parent) for joint in robot.joints] == [("k", "world"), ("j", "a")]
    assert with_floating_base(robot).nv == 6


def test_taken_name_of_the_root_joint() -> None:
    robot = parse_urdf(urdf().replace('"j"', '"root_joint"'))
    assert [joint.name for joint in robot.joints] == ["root_joint_2", "root_joint"]


def test_joint_details() -> None:
    joint = joint_of(
        urdf(
            '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="5" friction="6"/>',
            rest='<transmission name="t"><joint name="j"/><actuator name="m"><drake:rotor_inertia value="0.5"/>'
            '<drake:gear_ratio value="3"/></actuator></transmission>',
        )
    )
    np.testing.assert_array_equal(joint.placement.translation, [1, 2, 3])
    np.testing.assert_array_equal(joint.placement.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == ((-1.0,), (2.0,), (3.0,), (4.0,))
    assert (joint.damping, joint.friction, joint.armature) == (5.0, 6.0, 4.5)


def test_limits_that_are_none() -> None:
    joint = joint_of(urdf('<limit lower="-1e9" upper="1e16" effort="1e9"/>'))
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == ((), (), (), ())
    assert joint_of(urdf('<limit effort="1" velocity="1"/>')).upper == (0.0,)  # the format's default
    assert joint_of(urdf()).upper == ()


def test_inertia_is_turned_into_body_axes() -> None:
    link = (
        '<inertial><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>'
    )
    body = parse_urdf(urdf(link=link)).body("b")
    # x' = y, y' = -x: the entry xx is that of the turned y axis, and so on
    np.testing.assert_allclose(body.inertia, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15)
    np.testing.assert_array_equal(body.center_of_mass, [0, 0, 1])


def test_mimic() -> None:
    rest = (
        f'<link name="c">{INERTIAL}</link><joint name="k" type="prismatic"><parent link="b"/><child link="c"/>'
        '<mimic joint="j" multiplier="-2" offset="0.5"/></joint>'
    )
    assert parse_urdf(urdf(rest=rest)).joint("k").mimic == Mimic("j", -2.0, 0.5)
    with pytest.warns(
        RobotWarning, match="joint 'k': mimics joint 'j', which is fixed; taken as independent"
    ):
        assert parse_urdf(urdf(kind="fixed", rest=rest)).joint("k").mimic is None
    with pytest.warns(RobotWarning, match="which does not exist"):
        loose = parse_urdf(urdf(rest=rest.replace('joint="j"', 'joint="x"')), strict=False)
    assert loose.joint("k").mimic is None


def test_shapes_and_colors() -> None:
    link = (
        f"{INERTIAL}"
        '<visual name="v"><origin xyz="1 0 0"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>'
        '<visual><geometry><sphere radius="1"/></geometry>'
        '<material name="x"><color rgba="0 1 0 1"/></material></visual>'
        '<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>'
        '<collision><geometry><capsule radius="1" length="2"/></geometry></collision>'
        '<collision><geometry><mesh filename="package://p/m.stl" scale="2"/></geometry></collision>'
    )
    text = urdf(link=link, rest='<material name="red"><color rgba="1 0 0 1"/></material>')
    body = parse_urdf(text).body("b")
    assert [geometry.shape for geometry in body.visuals] == [Box((1, 2, 3)), Sphere(1)]
    assert [geometry.color for geometry in body.visuals] == [(1, 0, 0, 1), (0, 1, 0, 1)]
    assert body.visuals[0].name == "v"
    assert body.visuals[0].placement.translation.tolist() == [1, 0, 0]
    mesh = Mesh("package://p/m.stl", (2, 2, 2))
    assert [geometry.shape for geometry in body.collisions] == [Cylinder(1, 2), Capsule(1, 2), mesh]


def test_meshes_are_found_beside_the_file(tmp_path: Path) -> None:
    mesh = tmp_path / "pkg" / "m.stl"
    mesh.parent.mkdir()
    mesh.touch()
    link = f'{INERTIAL}<visual><geometry><mesh filename="package://pkg/m.stl"/></geometry></visual>'
    path = tmp_path / "pkg" / "robot.urdf"
    path.write_text(urdf(link=link).replace('<robot name="r">', "<robot>"))
    robot = read_urdf(path)
    assert robot.body("b").visuals[0].shape == Mesh(str(mesh))
    assert robot.name == "robot"


BAD: list[tuple[str, type[RobotError], str, str]] = [
    ("no xml", RobotError, "r.urdf:1: no well-formed XML", "robot"),
    ("bomb", RobotError, "entity", "<!DOCTYPE a [<!ENTITY b 'c'>]><robot/>"),
    ("other root", RobotError, "root element is <mujoco>", "<mujoco/>"),
    ("empty", RobotError, "has no <link>", "<robot name='r'/>"),
    ("xacro", RobotError, "xacro file", "<robot name='r' xmlns:xacro='x'/>"),
    (
        "macros",
        RobotError,
        "<xacro:property> is a macro of xacro; expand the file first: xacro robot",
        "<robot name='r' xmlns:xacro='x'><xacro:property name='a' value='1'/><link name='l'/></robot>",
    ),
    ("no link name", RobotError, "r.urdf:3: <link> lacks attribute 'name'",
     urdf().replace('link name="b"', "link")),
    ("no joint name", RobotError, "r.urdf:4: <joint>", urdf().replace('name="j"', "")),
    ("joint type", RobotError, "r.urdf:4: joint 'j' has type 'ball'; there are: revolute", urdf(kind="ball")),
    ("no joint type", RobotError, "r.urdf:4: <joint> 'j' lacks attribute 'type'",
     urdf().replace('type="revolute"', "")),
    ("no parent", RobotError, "r.urdf:4: <joint> 'j' lacks <parent>", urdf().replace('<parent link="a"/>', "")),
    ("unknown parent", RobotError, "r.urdf:4: joint 'j': parent body 'x'",
     urdf().replace('parent link="a"', 'parent link="x"')),
    ("duplicate", RobotError, "r.urdf:5: body 'b'", urdf(rest='<link name="b"/>')),
    ("two roots", RobotError, "links 'a', 'c' have no parent; there must be one root", urdf(rest='<link name="c"/>')),
    ("cycle", RobotError, "every link has a parent",
     urdf(rest='<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>')),
    ("two parents", RobotError, "r.urdf:5: joint 'k': carries body 'b', which joint 'j' carries already",
     urdf(rest='<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>')),
    ("three numbers", RobotError, "'xyz' of <origin> is '1 2'", urdf('<origin xyz="1 2"/>')),
    ("no number", RobotError, "'rpy' of <origin> is 'a b c'", urdf('<origin rpy="a b c"/>')),
    ("infinite", RobotError, "must be 3 finite numbers", urdf('<origin xyz="0 0 inf"/>')),
    ("zero axis", RobotError, "r.urdf:4: joint 'j': axis is zero", urdf('<axis xyz="0 0 0"/>')),
    ("limits", RobotError, "lower limit 2 is above upper limit 1", urdf('<limit lower="2" upper="1"/>')),
    ("no mass", RobotError, "<inertial> lacks <mass>", urdf(link=INERTIAL.replace('<mass value="1"/>', ""))),
    ("no inertia", RobotError, "<inertial> lacks <inertia>",
     urdf(link='<inertial><mass value="1"/></inertial>')),
    ("negative mass", RobotError, "r.urdf:3: body 'b': mass is -1",
     urdf(link=INERTIAL.replace('value="1"', 'value="-1"'))),
    ("impossible inertia", RobotError, "r.urdf:3: body 'b'", urdf(link=INERTIAL.replace('ixx="1"', 'ixx="-1"'))),
    ("missing inertia", RobotError, "r.urdf:4: joint 'j'", urdf(link="")),
    ("unknown mimic", RobotError, "mimicked joint 'x'", urdf('<mimic joint="x"/>')),
    ("empty geometry", RobotError, "<geometry> is empty", urdf(link="<visual><geometry/></visual>")),
    ("unknown shape", RobotError, "shape <cone> is unknown",
     urdf(link="<visual><geometry><cone/></geometry></visual>")),
    ("negative radius", RobotError, "radius is -1",
     urdf(link='<visual><geometry><sphere radius="-1"/></geometry></visual>')),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "text"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_text(error: type[RobotError], message: str, text: str) -> None:
    with pytest.raises(error, match=message):
        parse_urdf(text, source="r.urdf")


def test_too_many_bodies() -> None:
    links = "".join(f'<link name="l{i}"/>' for i in range(5000))
    with pytest.raises(RobotError, match="has 5002 bodies; at most 5000"):
        parse_urdf(urdf(rest=links))


def test_slightly_impossible_inertia_warns() -> None:
    link = INERTIAL.replace('ixx="1"', 'ixx="2.5"')
    with pytest.warns(RobotWarning, match="r.urdf:3: body 'b': .* must not exceed the sum of the others, 2"):
        parse_urdf(urdf(link=link), source="r.urdf")


WRITABLE = tuple(kind for kind in JointType if kind is not JointType.SPHERICAL)


@given(dressed_robots(types=WRITABLE))
def test_written_robots_move_alike(robot: Robot) -> None:
    again = parse_urdf(urdf_text(replace(robot, gravity=(0.0, 0.0, -9.81))))
    assert tree_difference(robot, again) < 1e-12
    for name in ("lower_limits", "upper_limits", "damping", "friction", "armature"):
        if not any(joint.type is JointType.PLANAR for joint in robot.joints):  # its limits have no place
            assert difference(getattr(robot, name), getattr(again, name)) == 0.0


@given(dressed_robots(types=(JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS, JointType.FIXED)))
def test_joints_and_bodies_of_urdf_are_read_back_whole(robot: Robot) -> None:
    again = parse_urdf(urdf_text(robot))
    for joint in robot.joints:
        assert difference(replace(joint, second_axis=(0, 1, 0)), again.joint(joint.name)) < 1e-12
    for body in robot.bodies:
        shapes = [g for g in body.visuals + body.collisions if not isinstance(g.shape, Capsule)]
        if len(shapes) == len(body.visuals + body.collisions):
            assert difference(body, again.body(body.name)) < 1e-12


def test_capsules_are_written_as_cylinder_and_spheres() -> None:
    body = Body("a", 1.0, inertia=np.eye(3), collisions=(Geometry(Capsule(0.1, 2.0), name="leg"),))
    robot = Robot("r", (body,), (Joint("root_joint", JointType.FIXED, "world", "a"),))
    shapes = parse_urdf(urdf_text(robot)).bodies[0].collisions
    assert [geometry.shape for geometry in shapes] == [Cylinder(0.1, 2.0), Sphere(0.1), Sphere(0.1)]
    assert [geometry.placement.translation[2] for geometry in shapes] == [0.0, -1.0, 1.0]


def test_plain_root_needs_no_world_link() -> None:
    robot = parse_urdf(urdf())
    assert "world" not in urdf_text(robot)
    assert '"floating"' in urdf_text(with_floating_base(robot))


def test_ball_joints_cannot_be_written() -> None:
    with pytest.raises(
        UnsupportedFeature, match=r"joint 'joint0': is spherical, which URDF cannot express; save as \.xml"
    ):
        urdf_text(random_robot(0, types=["spherical"]))


def test_names_are_escaped() -> None:
    name = "a <\"&'> b"
    robot = Robot(
        name, (Body(name, 1.0, inertia=np.eye(3)),), (Joint(name, JointType.REVOLUTE, "world", name),)
    )
    again = parse_urdf(urdf_text(robot))
    assert (again.name, again.bodies[0].name, again.joints[0].name) == (name, name, name)
    odd = replace(robot.bodies[0], visuals=(Geometry(Mesh("\x01")),))
    with pytest.raises(UnsupportedFeature, match="characters that XML cannot hold"):
        urdf_text(replace(robot, bodies=(odd,)))


def _pinocchio_rnea(
    pin: Any, text: str, robot: Robot, v: np.ndarray[Any, Any], a: np.ndarray[Any, Any]
) -> Any:
    model = pin.buildModelFromXML(text)
    names = [joint.name for joint in robot.joints if joint.type is not JointType.FIXED]
    order = [model.joints[model.getJointId(name)].idx_v for name in names]
    ours, theirs = np.zeros(model.nv), np.zeros(model.nv)
    ours[order], theirs[order] = v, a
    return pin.rnea(model, model.createData(), pin.neutral(model), ours, theirs)[order]


def test_pinocchio_opens_what_is_written() -> None:
    pin = pytest.importorskip("pinocchio")
    from footfall.dynamics.inverse_dynamics import inverse_dynamics

    for seed in range(10):
        # file order is not Pinocchio's order, and hinges are enough to see that inertias and poses arrive
        robot = random_robot(seed, types=["fixed", *["revolute", "prismatic"] * 4], armature=False)
        rng = np.random.default_rng(seed)
        v, a = rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        ours = np.asarray(inverse_dynamics.textbook(robot, np.zeros(robot.nq), v, a))
        theirs = _pinocchio_rnea(pin, urdf_text(robot), robot, v, a)
        assert np.linalg.norm(ours - theirs) <= 1e-12 * np.linalg.norm(ours)
