"""MJCF: read robots move as in MuJoCo, written ones are the same there, and bad text is refused."""

from __future__ import annotations

import builtins
import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.drives import Spring
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput, MissingPackage, RobotError, RobotWarning
from footfall.math.transform import Transform
from footfall.robot import library
from footfall.robot.load import load
from footfall.robot.mjcf import parse_mjcf, read_mjcf
from footfall.robot.mjcf_writer import mjcf_text
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
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation
from tests.random_robots import random_robot, random_rotation, random_state, robots
from tests.robot.comparison import difference, tree_difference
from tests.robot.dressed_robots import dressed_robot, dressed_robots

mujoco = pytest.importorskip("mujoco")

INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'

# Everything that moves a joint away from the body's origin or its zero, and joints that share a body.
AWKWARD = """
<mujoco model="awkward"><compiler angle="degree"/><default><joint damping=".3"/></default><worldbody>
<body name="a" pos="0 0 1" euler="10 20 30"><freejoint/><geom size=".1"/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/>
 <site name="a"/><site name="tip" pos="1 2 3" euler="0 0 90"/>
 <body name="b" pos=".3 0 0">
  <joint name="h1" axis="1 0 0" pos=".1 .2 .3" ref="30" range="-20 50"/>
  <joint name="s" type="slide" axis="0 1 1" ref=".2"/>
  <joint name="h2" axis="0 1 0" pos="0 .1 0" armature=".1" frictionloss=".2"/>
  <geom type="capsule" size=".05 .2" euler="5 6 7"/>
  <body name="c" pos="0 0 .4" quat="1 .1 .2 .3"><joint name="ball" type="ball" pos=".05 .05 0"/>
   <geom type="cylinder" size=".1 .2"/><body><geom size=".05" pos="0 .2 0"/></body></body>
 </body></body>
</worldbody>
<actuator><motor joint="h1" gear="4" forcerange="-3 2" armature=".01"/></actuator>
<equality><joint joint1="h1" joint2="h2" polycoef=".1 2 0 0 0"/></equality>
<keyframe><key name="home" qpos="0 0 2 1 0 0 0 .5 .2 .1 1 0 0 0"/></keyframe></mujoco>
"""


def forces_in_mujoco(model: Any, robot: Robot, seed: int) -> tuple[Any, Any]:
    """Inverse dynamics of both at a random state, of all joints: MuJoCo has loops as constraints."""
    robot = robot.spanning
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(
        off.mjDSBL_CONTACT
        | off.mjDSBL_LIMIT
        | off.mjDSBL_EQUALITY
        | off.mjDSBL_FRICTIONLOSS
        | off.mjDSBL_DAMPER
        | off.mjDSBL_SPRING
    )
    q, v, a, _ = random_state(robot, seed)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
    mujoco.mj_inverse(model, data)
    return np.array(data.qfrc_inverse), np.asarray(inverse_dynamics.textbook(robot, q, v, a))


POSE = Transform(random_rotation(np.random.default_rng(0)), np.array([0.1, 0.2, 0.3]))


def relative(theirs: Any, ours: Any) -> float:
    return float(np.linalg.norm(theirs - ours) / np.linalg.norm(ours))


def test_awkward_robot_moves_as_in_mujoco() -> None:
    robot = parse_mjcf(AWKWARD)
    model = mujoco.MjModel.from_xml_string(AWKWARD)
    assert (robot.nq, robot.nv) == (model.nq, model.nv)
    for seed in range(5):
        assert relative(*forces_in_mujoco(model, robot, seed)) < 1e-12
    q = random_state(robot, 9).q
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    poses = forward_kinematics.textbook(robot, q, frames=("a", "b", "c", "tip"))
    for index, name in enumerate(("a", "b", "c")):
        np.testing.assert_allclose(poses.position[index], data.body(name).xpos, atol=1e-14)
    np.testing.assert_allclose(poses.position[3], data.site("tip").xpos, atol=1e-14)


def test_comparison_can_fail() -> None:
    robot = parse_mjcf(AWKWARD)
    model = mujoco.MjModel.from_xml_string(AWKWARD.replace('ref="30"', 'ref="30.001"'))
    assert relative(*forces_in_mujoco(model, robot, 0)) > 1e-9


def test_details_of_the_awkward_robot() -> None:
    robot = parse_mjcf(AWKWARD)
    hinge = robot.joint("h1")
    assert hinge.lower == pytest.approx((math.radians(-20),), rel=1e-15)
    assert hinge.effort == (12.0,)  # 3 N m times the gear of 4
    assert hinge.armature == pytest.approx(0.16, rel=1e-15)  # 0.01 kg m2 times the gear squared
    # MuJoCo's polynomial is between the deviations from the reference angles
    assert difference(hinge.mimic, Mimic("h2", 2.0, 0.1 + math.radians(30))) < 1e-15
    assert (robot.joint("h2").armature, robot.joint("h2").friction, robot.joint("h2").damping) == (
        0.1,
        0.2,
        0.3,
    )
    assert robot.joint("h2").type is JointType.CONTINUOUS
    assert [frame.name for frame in robot.frames] == ["a_site", "tip"]
    assert robot.configuration("home")[7] == 0.5
    assert robot.configuration("qpos0")[7] == pytest.approx(math.radians(30))
    assert robot.body("b_h1").mass == 0.0
    shapes = [geometry.shape for body in robot.bodies for geometry in body.collisions]
    assert shapes == [Sphere(0.1), Box((0.2, 0.4, 0.6)), Capsule(0.05, 0.4), Cylinder(0.1, 0.4), Sphere(0.05)]


def test_gravity_and_colors() -> None:
    body = (
        f'<body>{INERTIAL}<geom size="1" rgba="1 0 .3 1"/><geom size="1" contype="0" conaffinity="0"/></body>'
    )
    robot = parse_mjcf(f'<mujoco><option gravity="1 2 3"/><worldbody>{body}</worldbody></mujoco>')
    assert robot.gravity == (1.0, 2.0, 3.0)
    assert robot.bodies[0].collisions[0].color == (1.0, 0.0, 0.3, 1.0)
    assert robot.bodies[0].visuals[0].color is None
    assert robot.joints[0].type is JointType.FIXED


def test_groups_and_masks_are_kept_in_all_formats() -> None:
    geoms = '<geom size="1" contype="2" conaffinity="4"/><geom size="1"/><geom size="1" contype="0" conaffinity="6"/>'
    robot = parse_mjcf(f"<mujoco><worldbody><body>{INERTIAL}{geoms}</body></worldbody></mujoco>")
    expected = [(2, 4), (1, 1), (0, 6)]
    for again in (robot, parse_mjcf(mjcf_text(robot)), parse_toml(toml_text(robot))):
        assert [(each.group, each.mask) for each in again.bodies[0].collisions] == expected


@pytest.mark.parametrize("wrong", [-1, 2**31, 1.5, True])
def test_groups_are_bits(wrong: Any) -> None:
    with pytest.raises(RobotError, match="whole number from 0 to"):
        Geometry(Sphere(1.0), group=wrong)


def test_mesh_is_put_back_where_it_was(tmp_path: Path) -> None:
    mesh = tmp_path / "tetra.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    robot = dressed_robot(3)
    geometry = replace(_geometry(), shape=Mesh(str(mesh), (1.0, 0.5, 2.0)))
    robot = replace(robot, bodies=(replace(robot.bodies[0], visuals=(geometry,)), *robot.bodies[1:]))
    text = mjcf_text(robot, meshes=True)
    # Single precision
    assert difference(geometry, parse_mjcf(text).body(robot.bodies[0].name).visuals[0]) < 1e-6
    assert "mesh" not in mjcf_text(robot)


def _geometry() -> Geometry:
    return next(
        g for seed in range(99) for b in dressed_robot(seed).bodies for g in b.visuals if g.color is None
    )


def test_shapes_that_touch_nothing_here_are_said() -> None:
    text = (
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom name="step" type="box" size="1 1 1"/>'
        '<geom name="drawn" type="box" size="1 1 1" contype="0" conaffinity="0"/>'
        '<body name="a"><freejoint/><geom name="egg" type="ellipsoid" size="0.1 0.1 0.2"/><geom size="0.1"/></body>'
        "</worldbody></mujoco>"
    )
    with pytest.warns(RobotWarning) as warned:
        robot = parse_mjcf(text)
    assert [str(each.message) for each in warned] == [
        "<text>: left out: shapes (ellipsoids, planes, fields and meshes without a file touch nothing) egg",
        "<text>: shapes of the world are no part of a robot: step; load_scene has them",
    ]
    assert len(robot.bodies[0].collisions) == 1


def test_what_is_left_out_is_said() -> None:
    text = (
        f'<mujoco><worldbody><body name="a"><joint name="j" type="ball" stiffness="3"/>{INERTIAL}'
        '<geom size="0.1" solref="0.01 1" condim="6" mass="0"/><site name="s"/></body></worldbody>'
        '<equality><connect name="loop" body1="a" anchor="0 0 0" active="false"/></equality>'
        '<actuator><motor name="m" joint="j" gear="1 0 0"/></actuator>'
        '<sensor><gyro site="s"/><accelerometer site="s"/></sensor></mujoco>'
    )
    with pytest.warns(RobotWarning) as warned:
        parse_mjcf(text)
    assert [str(each.message) for each in warned] == [
        "<text>: left out: equality constraints loop; springs of j; actuators m; 2 sensors; 1 geoms with solref or "
        "solimp"
    ]


ACTED = f"""
<mujoco><worldbody><body name="a">{INERTIAL}
  <joint name="hip" range="-1 1" stiffness="4" springref="0.5"/>
  <geom name="sole" type="box" size="0.1 0.1 0.1" friction="0.3"/>
  <geom name="slick" size="0.1" condim="1"/><geom name="plain" size="0.1"/>
  <body name="b">{INERTIAL}<joint name="knee" axis="0 1 0"/>
    <body name="c">{INERTIAL}<joint name="lift" type="slide"/>
      <body name="d">{INERTIAL}<joint name="toe"/></body></body></body></body></worldbody>
<actuator>
  <position joint="hip" kp="30" kv="2" gear="3" forcerange="-7 7"/>
  <motor joint="knee" ctrlrange="-5 5" gear="10"/>
  <velocity joint="lift" kv="6"/>
  <intvelocity name="pull" joint="toe" kp="3" actrange="-1 1"/>
</actuator>
<keyframe><key name="stand" qpos="0.1 0.2 0.3 0"/></keyframe></mujoco>
"""


def test_rolling_and_torsional_friction_are_read_and_written() -> None:
    """MuJoCo's second number counts from condim 4 on, its third with condim 6; elsewhere there is none."""
    numbers = 'friction="0.7 0.02 0.003"'
    geoms = "".join(f'<geom name="d{dim}" size="0.1" condim="{dim}" {numbers}/>' for dim in (3, 4, 6))
    text = f'<mujoco><worldbody><body name="a"><freejoint/>{INERTIAL}{geoms}</body></worldbody></mujoco>'
    robot = parse_mjcf(text)
    for each in (robot, parse_mjcf(mjcf_text(robot)), parse_toml(toml_text(robot))):
        found = {
            shape.name: (shape.rolling_friction, shape.torsional_friction)
            for shape in each.bodies[0].collisions
        }
        assert found == {"d3": (0.0, 0.0), "d4": (0.0, 0.02), "d6": (0.003, 0.02)}


def test_actuators_springs_friction_and_keyframes() -> None:
    """A gear g makes a stiffness of kp g^2 at the joint; a motor's control range times its gear is its limit."""
    with pytest.warns(RobotWarning, match=r"left out: actuators pull$"):
        robot = parse_mjcf(ACTED)
    hip, knee, lift, toe = (robot.joint(name) for name in ("hip", "knee", "lift", "toe"))
    assert (hip.kp, hip.kd, hip.effort) == ((270.0,), (18.0,), (21.0,))
    assert (knee.kp, knee.effort) == ((), (50.0,))
    assert (lift.kp, lift.kd) == ((0.0,), (6.0,))
    assert (toe.kp, toe.effort) == ((), ())
    assert robot.springs == (Spring("hip", 4.0, 0.0, math.radians(0.5)),)
    assert {shape.name: shape.friction for shape in robot.body("a").collisions} == {
        "sole": 0.3,
        "slick": 0.0,
        "plain": None,
    }
    np.testing.assert_array_equal(robot.configuration("stand"), [0.1, 0.2, 0.3, 0.0])
    again = parse_mjcf(mjcf_text(robot))
    assert again.springs == robot.springs
    for joint in ("hip", "knee", "lift"):
        one, other = robot.joint(joint), again.joint(joint)
        assert (one.kp, one.kd, one.effort) == (other.kp, other.kd, other.effort)
    assert [each.friction for each in again.body("a").collisions] == [0.3, 0.0, None]
    saved = parse_toml(toml_text(robot))
    assert saved.springs == robot.springs
    assert [(each.kp, each.kd) for each in saved.joints] == [(each.kp, each.kd) for each in robot.joints]
    assert [each.friction for each in saved.body("a").collisions] == [0.3, 0.0, None]


def test_a_servo_and_a_spring_rest_where_mujoco_says() -> None:
    """A pendulum against gravity, held by its position servo and pulled by its spring: after 5 s both rest alike."""
    text = (
        '<mujoco><option timestep="0.001"/><worldbody><body name="a"><joint name="j" axis="0 1 0" stiffness="4" '
        'springref="20" damping="0.5"/><inertial pos="0.3 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>'
        '</worldbody><actuator><position joint="j" kp="9" kv="1"/></actuator></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.2
    for _ in range(5000):
        mujoco.mj_step(model, data)
    simulation = Simulation(parse_mjcf(text), dt=1e-3)
    simulation.run(simulation.pd([0.2]), 5.0)  # type: ignore[arg-type]
    assert simulation.q[0] == pytest.approx(data.qpos[0], abs=1e-6)
    assert abs(simulation.v[0]) < 1e-6


def test_gains_of_the_robot_are_those_of_hold() -> None:
    with pytest.warns(RobotWarning):
        simulation = FeetSimulation(parse_mjcf(ACTED), candidates=())
    held = simulation.hold()
    stiffness = 3.0 * simulation.robot.mass * 9.81  # a radian holds the weight at 3 m
    np.testing.assert_allclose(held.kp, [270.0, stiffness, 0.0, stiffness])
    np.testing.assert_allclose(held.kd, [18.0, 0.1 * stiffness, 6.0, 0.1 * stiffness])
    with pytest.raises(InvalidInput, match="no servo gains for knee, toe; give kp= and kd="):
        simulation.pd(np.zeros(4))


BODY = f"<body name='a'><joint/>{INERTIAL}</body>"
BAD: list[tuple[str, type[RobotError], str, str]] = [
    ("no xml", RobotError, "no well-formed XML", "mujoco"),
    ("bomb", RobotError, "entity", "<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>"),
    ("other root", RobotError, "root element is <robot>", "<robot/>"),
    ("schema", RobotError, r"r.xml:2: MuJoCo: .*foo", "<mujoco>\n<foo/></mujoco>"),
    ("no mass", RobotError, "MuJoCo: .*mjMINVAL",
     "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>"),
    ("copies", RobotError, "<replicate> asks for",
     f"<mujoco><worldbody><replicate count='99999'>{BODY}</replicate></worldbody></mujoco>"),
    ("nested copies", RobotError, "copies", "<mujoco><worldbody><replicate count='900'><replicate count='900'>"
     f"{BODY}</replicate></replicate></worldbody></mujoco>"),
    ("texture", RobotError, "<texture> asks for 1e",
     "<mujoco><asset><texture builtin='flat' width='100000' height='100000'/></asset></mujoco>"),
    ("sizes", RobotError, "<size> asks for", "<mujoco><size nuser_body='999999999'/></mujoco>"),
    ("include", RobotError, "text without a path", "<mujoco><include file='x.xml'/></mujoco>"),
    ("point on the axis", RobotError, r"r.xml:1: joint 'j'",
     "<mujoco><worldbody><body name='a'><joint name='j' axis='0 0 1'/>"
     "<inertial pos='0 0 1' mass='1' diaginertia='1e-14 1e-14 1e-14'/></body></worldbody></mujoco>"),
    ("huge position", RobotError, r"body pos has the entry 1e\+200",
     f"<mujoco><worldbody><body pos='0 0 1e200'><joint/>{INERTIAL}</body></worldbody></mujoco>"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "text"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_text(error: type[RobotError], message: str, text: str) -> None:
    with pytest.raises(error, match=message):
        parse_mjcf(text, source="r.xml")


def test_included_files(tmp_path: Path) -> None:
    main, part = tmp_path / "main.xml", tmp_path / "part.xml"
    main.write_text("<mujoco><include file='part.xml'/></mujoco>")
    part.write_text(f"<mujocoinclude><worldbody>{BODY}</worldbody></mujocoinclude>")
    assert (read_mjcf(main).nv, read_mjcf(main).name) == (1, "main")
    part.write_text("<mujocoinclude><size nuser_body='999999999'/></mujocoinclude>")
    with pytest.raises(RobotError, match=r"part\.xml:1: <size>"):
        read_mjcf(main)
    part.write_text("<mujocoinclude><include file='part.xml'/></mujocoinclude>")
    with pytest.raises(RobotError, match="too often"):
        read_mjcf(main)


def test_mujoco_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackage, match=r"pip install footfall\[mujoco\]"):
        parse_mjcf("<mujoco/>")
    assert "<mujoco" in mjcf_text(random_robot(0))


@given(dressed_robots())
@settings(max_examples=60)
def test_written_robots_are_read_back(robot: Robot) -> None:
    again = parse_mjcf(mjcf_text(robot))
    assert tree_difference(robot, again) < 1e-12
    for name in ("lower_limits", "upper_limits", "damping", "friction", "armature"):
        assert difference(getattr(robot, name), getattr(again, name)) == 0.0
    assert difference(robot.configurations, again.configurations) < 1e-15
    for joint in robot.joints:
        other = again.joint(joint.name if joint.type.velocities else joint.child)
        assert other.type is joint.type or (other.type, joint.type) == (
            JointType.CONTINUOUS,
            JointType.REVOLUTE,
        )
        assert other.mimic == joint.mimic
    for body in robot.bodies:
        for mine, theirs in (("visuals", "visuals"), ("collisions", "collisions")):
            shapes = [g for g in getattr(body, mine) if not isinstance(g.shape, Mesh)]
            assert difference(shapes, list(getattr(again.body(body.name), theirs))) < 1e-12


@given(robots())
@settings(max_examples=40)
def test_written_robots_move_alike_in_mujoco(robot: Robot) -> None:
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    assert relative(*forces_in_mujoco(model, robot, 0)) < 1e-10


# MuJoCo refuses the inertias of the one and has no rods of a length for the other.
@pytest.mark.parametrize(
    "name", [name for name in library.names() if name not in ("kuka-lwr", "camera-vergence")]
)
def test_shipped_robots_move_alike_in_mujoco(name: str) -> None:
    robot = load(name)
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    assert relative(*forces_in_mujoco(model, robot, 0)) < 1e-12


def test_effort_limits_become_motors() -> None:
    joint = Joint("j", JointType.UNIVERSAL, "world", "a", effort=(3.0, 4.0), second_axis=(1, 0, 0))
    text = mjcf_text(Robot("r", (Body("a", 1.0, inertia=np.eye(3)),), (joint,)))
    model = mujoco.MjModel.from_xml_string(text)
    np.testing.assert_array_equal(model.actuator_forcerange, [[-3, 3], [-4, 4]])
    assert parse_mjcf(text).joints[0].effort == (3.0, 4.0)


def test_bodies_without_inertia_are_accepted_by_mujoco() -> None:
    bodies = (Body("cross"), Body("bob", 1.0, center_of_mass=np.array([0.0, 0.0, -1.0])))
    joints = (
        Joint("x", JointType.REVOLUTE, "world", "cross", axis=(1, 0, 0)),
        Joint("y", JointType.REVOLUTE, "cross", "bob", axis=(0, 1, 0)),
    )
    robot = Robot("r", bodies, joints)
    text = mjcf_text(robot)
    model = mujoco.MjModel.from_xml_string(text)
    assert relative(*forces_in_mujoco(model, robot, 0)) < 1e-12
    assert difference(robot.bodies, parse_mjcf(text).bodies) == 0.0


def test_impossible_parts_are_merged_into_what_they_are_fixed_to() -> None:
    arm = Body("arm", 1.0, inertia=np.diag([0.1, 0.1, 0.1]))
    camera = Body("camera", 0.1, inertia=np.diag([1e-4, 1e-4, 3e-4]))
    joints = (
        Joint("j", JointType.SPHERICAL, "world", "arm"),
        Joint("weld", JointType.FIXED, "arm", "camera", POSE),
    )
    robot = Robot("r", (arm, camera), joints)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    assert relative(*forces_in_mujoco(model, robot, 0)) < 1e-12
    assert model.body("camera").mass == 0.0


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_impossible_inertia_is_raised_with_a_warning() -> None:
    robot = load("kuka-lwr")
    with pytest.warns(RobotWarning, match="body 'link2': inertia is raised by"):
        text = mjcf_text(robot)
    assert mujoco.MjModel.from_xml_string(text).nv == 7
