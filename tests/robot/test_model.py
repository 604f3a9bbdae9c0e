"""The robot as a value: order, read-only arrays, lookups."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given

import footfall
from footfall.errors import RobotError, UnknownName
from footfall.math.transform import Transform
from footfall.robot.model import Body, Box, Frame, Geometry, Joint, JointType, Robot
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from tests.robot.comparison import difference
from tests.robot.dressed_robots import dressed_robot, dressed_robots

INERTIA = np.diag([0.1, 0.1, 0.1])


def biped() -> Robot:
    """Given out of order: the left leg's joints come after the right one's."""
    bodies = [Body(name, 1.0, inertia=INERTIA) for name in ("rshank", "rthigh", "lshank", "lthigh", "trunk")]
    joints = (
        Joint("rknee", JointType.REVOLUTE, "rthigh", "rshank", lower=(-1.0,), upper=(2.0,), effort=(5.0,)),
        Joint("rhip", JointType.UNIVERSAL, "trunk", "rthigh", lower=(-1.0, -2.0), damping=0.5),
        Joint("root", JointType.FLOATING, "world", "trunk"),
        Joint("lhip", JointType.SPHERICAL, "trunk", "lthigh", friction=0.1),
        Joint("lknee", JointType.REVOLUTE, "lthigh", "lshank", velocity=(3.0,), armature=0.2),
    )
    return Robot(
        "biped",
        tuple(bodies),
        joints,
        frames=(Frame("sole", "rshank"),),
        limit_sets={"software": {"rknee": (-0.5, 0.5)}},
    )


def test_bodies_and_joints_are_depth_first_with_children_in_order() -> None:
    robot = biped()
    assert [joint.name for joint in robot.joints] == ["root", "rhip", "rknee", "lhip", "lknee"]
    assert [body.name for body in robot.bodies] == ["trunk", "rthigh", "rshank", "lthigh", "lshank"]


def test_sizes_and_slices() -> None:
    robot = biped()
    assert (robot.nq, robot.nv, robot.mass) == (7 + 2 + 1 + 4 + 1, 6 + 2 + 1 + 3 + 1, 5.0)
    assert robot.q_slice("rknee") == slice(9, 10)
    assert robot.v_slice("lknee") == slice(12, 13)
    assert robot.joint_names == ("root", "rhip", "rknee", "lhip", "lknee")
    assert robot.frame_names == ("sole", "trunk", "rthigh", "rshank", "lthigh", "lshank", "world")


def test_limits_stand_where_the_coordinates_stand() -> None:
    robot = biped()
    lower, upper = np.full(15, -np.inf), np.full(15, np.inf)
    lower[7:10], upper[9] = (-1.0, -2.0, -1.0), 2.0
    np.testing.assert_array_equal(robot.lower_limits, lower)
    np.testing.assert_array_equal(robot.upper_limits, upper)
    lower[9], upper[9] = -0.5, 0.5
    np.testing.assert_array_equal(robot.limits("software"), [lower, upper])


def test_velocity_vectors() -> None:
    robot = biped()
    np.testing.assert_array_equal(robot.damping[6:9], [0.5, 0.5, 0.0])
    np.testing.assert_array_equal(robot.friction[8:], [0.0, 0.1, 0.1, 0.1, 0.0])
    np.testing.assert_array_equal(robot.armature[[11, 12]], [0.0, 0.2])
    np.testing.assert_array_equal(robot.velocity_limits[[0, 12]], [np.inf, 3.0])
    np.testing.assert_array_equal(robot.effort_limits[[0, 8]], [np.inf, 5.0])


def test_representation() -> None:
    assert repr(biped()) == "Robot 'biped': 5 bodies, 4 joints + floating base, nq 15, nv 13, 5 kg"
    one = Robot("one", (Body("a"),), (Joint("j", JointType.REVOLUTE, "world", "a"),))
    assert repr(one) == "Robot 'one': 1 body, 1 joint, nq 1, nv 1, 0 kg"


@pytest.mark.parametrize("lookup", ["body", "joint", "q_slice", "v_slice", "configuration", "limits"])
def test_unknown_names_list_close_ones_first(lookup: str) -> None:
    robot = replace(biped(), configurations={"rhip": np.eye(15)[3] + np.eye(15)[10]}, limit_sets={"rhip": {}})
    with pytest.raises(UnknownName, match=r"no .* 'rthip' in robot 'biped'; there are: r(hip|thigh)"):
        getattr(robot, lookup)("rthip")


def test_everything_is_read_only() -> None:
    source = np.zeros(3)
    body = Body("a", 1.0, source, INERTIA, visuals=(Geometry(Box((1, 1, 1))),))
    joint = Joint("j", JointType.FIXED, "world", "a", Transform(np.eye(3), source))
    robot = Robot("r", (body,), (joint,), configurations={"c": np.zeros(0)})
    source[0] = 7.0
    assert body.center_of_mass[0] == 0.0
    for array in (
        body.inertia,
        joint.placement.translation,
        body.visuals[0].placement.rotation,
        robot.lower_limits,
        robot.damping,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0
    with pytest.raises(TypeError):
        robot.configurations["d"] = np.zeros(0)  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        robot.name = "other"  # type: ignore[misc]


def test_a_configuration_is_a_copy_to_write_into() -> None:
    robot = replace(biped(), configurations={"stand": np.eye(15)[3] + np.eye(15)[10]})
    robot.configuration("stand")[0] = 1.0
    assert robot.configuration("stand")[0] == 0.0


def test_wrong_types_and_placements_say_what_would_be_right() -> None:
    with pytest.raises(RobotError, match="joint 'j': type is 'hinge'; it must be one of: fixed, revolute,"):
        Joint("j", "hinge", "world", "a")  # type: ignore[arg-type]
    with pytest.raises(
        RobotError, match=r"joint 'j': placement .* must be a Transform\(rotation, translation\)"
    ):
        Joint("j", JointType.FIXED, "world", "a", (0, 0, 1))  # type: ignore[arg-type]


@given(dressed_robots())
def test_copies_are_equal_and_read_only(robot: Robot) -> None:
    again = pickle.loads(pickle.dumps(robot))
    assert difference(robot, again) == 0.0
    assert again.fingerprint == robot.fingerprint
    assert not again.bodies[0].inertia.flags.writeable
    assert again != robot  # compared by identity
    assert copy.copy(robot) is copy.deepcopy(robot) is robot  # nothing in it can change


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("bodies", "Body"),
        ("joints", "Joint"),
        ("frames", "Frame"),
        ("loops", "Loop"),
        ("drives", "Drive"),
        ("springs", "Spring"),
    ],
)
@pytest.mark.parametrize("value", ["knee", ("knee",), 3], ids=["text", "tuple of text", "number"])
def test_parts_of_a_wrong_kind_are_named(field: str, kind: str, value: object) -> None:
    with pytest.raises(RobotError, match=f"robot 'biped': {field} has .*; each must be a {kind}"):
        replace(biped(), **{field: value})


def test_axes_are_made_unit_length() -> None:
    joint = Joint("j", JointType.REVOLUTE, "world", "a", axis=(0.0, 3e-200, 4e-200))
    assert joint.axis == pytest.approx((0.0, 0.6, 0.8), abs=1e-15)
    again = replace(joint)
    assert again.axis == joint.axis


def test_rotations_are_made_orthonormal() -> None:
    rotation = np.round(np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]) + 1e-7, 8)
    placement = Joint("j", JointType.FIXED, "world", "a", Transform(rotation, np.zeros(3))).placement
    np.testing.assert_allclose(placement.rotation @ placement.rotation.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(placement.rotation, rotation, atol=2e-7)


def test_comparison_can_fail() -> None:
    robot = dressed_robot(1)
    body = replace(robot.bodies[0], mass=robot.bodies[0].mass + 1e-9)
    assert difference(robot, replace(robot, bodies=(body, *robot.bodies[1:]))) > 1e-10
    assert difference(robot, replace(robot, name="other")) == np.inf


def test_minus_zero_is_zero() -> None:
    """Files have one zero: a robot with the other one read back as another."""
    robot = footfall.load("double-pendulum")
    body = replace(robot.bodies[0], center_of_mass=-0.0 * np.ones(3))
    joint = replace(robot.joints[0], damping=-0.0)
    minus = replace(robot, bodies=(body, *robot.bodies[1:]), joints=(joint, *robot.joints[1:]))
    plus = replace(
        robot,
        bodies=(replace(body, center_of_mass=np.zeros(3)), *robot.bodies[1:]),
        joints=(replace(joint, damping=0.0), *robot.joints[1:]),
    )
    assert minus.fingerprint == plus.fingerprint == parse_toml(toml_text(minus)).fingerprint
    heavier = replace(plus, bodies=(replace(plus.bodies[0], mass=9.0), *robot.bodies[1:]))
    assert heavier.fingerprint != plus.fingerprint
