"""SDF: poses in the model, joints in any direction, loops; against the shipped Cassie, which was made by hand of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.bench.robots import examples_folder
from footfall.dynamics.kinematics import frame_pose as pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import LoopClosureError, RobotError, RobotWarning, UnsupportedFeature
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.loop_closing import largest_residual
from footfall.robot.model import JointType, LoopType
from footfall.robot.sdf import parse_sdf
from footfall.robot.start import start_of
from footfall.robot.tree_loops import loop_systems

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"


def _sdf(body: str, version: str = "1.9") -> str:
    return f'<sdf version="{version}"><model name="m">{body}</model></sdf>'


def _links(*names: str) -> str:
    return "".join(
        f'<link name="{name}"><pose>0 0 {k} 0 0 0</pose>{INERTIAL}</link>' for k, name in enumerate(names)
    )


def _joint(name: str, kind: str, parent: str, child: str, inner: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inner}</joint>'
    )


AXIS_Y = "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort></limit></axis>"


def test_a_joint_off_its_link() -> None:
    robot = parse_sdf(
        _sdf(_links("a", "b") + _joint("j", "revolute", "a", "b", f"<pose>0 0 -0.4 0 0 0</pose>{AXIS_Y}"))
    )
    assert [joint.type for joint in robot.joints][:2] == [JointType.FLOATING, JointType.REVOLUTE]
    joint = robot.joint("j")
    assert (joint.lower, joint.upper, joint.effort) == ((-1.0,), (2.0,), (30.0,))
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, np.pi / 2])
    # It turns about a point 0.6 m above a: b, 0.4 m beyond it, ends at x = 0.4.
    np.testing.assert_allclose(pose(robot, q, frame="b").translation, (0.4, 0.0, 0.6), atol=1e-12)


def test_a_joint_that_is_met_from_its_child_keeps_its_angle() -> None:
    there = parse_sdf(_sdf(_links("a", "b") + _joint("j", "revolute", "a", "b", AXIS_Y)))
    back = parse_sdf(
        _sdf(_links("a", "b") + _joint("j", "revolute", "b", "a", f"<pose>0 0 1 0 0 0</pose>{AXIS_Y}"))
    )
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.3])
    turned = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -0.3])
    np.testing.assert_allclose(
        pose(there, q, frame="b").rotation, pose(back, turned, frame="b").rotation, atol=1e-14
    )


def test_poses_relative_to_frames() -> None:
    text = _sdf(
        '<frame name="f" attached_to="a"><pose degrees="true">0 0 0 0 0 90</pose></frame>'
        + _links("a")
        + f'<link name="b"><pose relative_to="f">1 0 0 0 0 0</pose>{INERTIAL}</link>'
        + f'<link name="c"><pose rotation_format="quat_xyzw">0 0 2 1 0 0 0</pose>{INERTIAL}</link>'
        + _joint("j", "fixed", "a", "b")
        + _joint("k", "prismatic", "b", "c", '<axis><xyz expressed_in="__model__">0 0 1</xyz></axis>')
    )
    robot = parse_sdf(text)
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5])
    np.testing.assert_allclose(pose(robot, q, frame="b").translation, (0.0, 1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(pose(robot, q, frame="c").translation, (0.0, 0.0, 2.5), atol=1e-12)
    np.testing.assert_allclose(pose(robot, q, frame="f").rotation @ (1, 0, 0), (0.0, 1.0, 0.0), atol=1e-12)


def test_loops_and_springs() -> None:
    # A square of four rods with parallel axes: the fourth hinge closes it.
    corner = {"a": "0 0 0", "b": "0 0 1", "c": "1 0 1", "d": "1 0 0"}
    links = "".join(f'<link name="{n}"><pose>{p} 0 0 0</pose>{INERTIAL}</link>' for n, p in corner.items())
    spring = "<axis><xyz>0 1 0</xyz><dynamics><spring_stiffness>7</spring_stiffness></dynamics></axis>"
    joints = (
        _joint("ab", "revolute", "a", "b", spring)
        + _joint("bc", "revolute", "b", "c", spring)
        + _joint("ad", "revolute", "a", "d", spring)
        + _joint("cd", "ball", "c", "d")
        + _joint("world", "fixed", "world", "a")
    )
    robot = parse_sdf(_sdf(links + joints))
    assert [(loop.name, loop.type) for loop in robot.loops] == [("cd", LoopType.POINT)]
    assert [spring.stiffness for spring in robot.springs] == [7.0, 7.0, 7.0]
    assert robot.nv == 1


def test_parts_touch_each_other_only_if_asked() -> None:
    ball = '<collision name="x"><geometry><sphere><radius>1</radius></sphere></geometry></collision>'
    for word, mask in (("0", 0), ("1", 1)):
        text = _sdf(f'<self_collide>{word}</self_collide><link name="a">{INERTIAL}{ball}</link>')
        assert parse_sdf(text).bodies[0].collisions[0].mask == mask


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_cassie_of_its_file_is_the_shipped_one() -> None:
    folder = examples_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    theirs = load(folder / "cassie_description/robots/cassie_v2.sdf", srdf=False)
    ours = load("cassie")
    assert theirs.mass == pytest.approx(ours.mass, abs=1e-12)
    for body in ours.bodies:
        if body.mass:
            other = theirs.body(body.name.replace("_", "-"))
            np.testing.assert_array_equal(other.inertia, body.inertia)
    assert {loop.name[:14] for loop in theirs.loops} == {
        "left-achilles-",
        "right-achilles",
        "left-plantar-f",
        "right-plantar-",
    }
    # Trees of both, angles at zero; right angles of the file are rounded to 1.57, and the right foot differs in it.
    matrices = []
    for robot, names in ((theirs, ("left-knee-op", "left-foot-op")), (ours, ("left_knee", "left_foot"))):
        tree = robot.spanning
        q = np.zeros(tree.nq)
        for joint in tree.joints:
            if joint.type.has_quaternion:
                q[tree.q_slice(joint.name).stop - 4] = 1.0
        full = mass_matrix(tree, q)
        places = [*range(6), *(tree.v_slice(name).start for name in names)]
        matrices.append(full[np.ix_(places, places)])
    np.testing.assert_allclose(matrices[0], matrices[1], atol=2e-3 * np.abs(matrices[1]).max())


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_all_files_of_cassie_are_read_or_refused_with_a_reason() -> None:
    folder = examples_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    files = sorted((folder / "cassie_description/robots").glob("*.sdf"))
    assert len(files) == 5
    locked = {
        "cassie_reduced",
        "cassie_simple",
    }  # their plantar rods are turned out of the plane of their loop
    for path in files:
        if path.stem in locked:
            with pytest.raises(
                Exception, match=r"nothing moves; strict=False \(--lenient\) leaves all loops out"
            ):
                load(path)
        assert load(path, strict=path.stem not in locked).mass > 30.0


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("<robot/>", RobotError, "an SDF has <sdf>"),
        ("<sdf/>", RobotError, "has no <model>"),
        (_sdf(""), RobotError, "has no <link>"),
        (_sdf(_links("a", "b")), RobotError, "hang on nothing"),
        (_sdf(_links("a", "b") + _joint("j", "screw", "a", "b")), RobotError, "type 'screw'; there are"),
        (_sdf(_links("a") + _joint("j", "fixed", "a", "x")), RobotError, "no link 'x'"),
        (_sdf('<link name="a"><pose relative_to="a"/></link>'), RobotError, "refers to itself"),
        (_sdf('<link name="a"><pose>1 2 3</pose></link>'), RobotError, "must be 6 finite numbers"),
        (_sdf('<model name="n"/>' + _links("a")), RobotError, "inside of a model is not read"),
        (_sdf(_links("a", "b") + _joint("j", "universal", "a", "b")), RobotError, "needs <axis> and <axis2>"),
    ],
)  # fmt: skip
def test_what_cannot_be(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse_sdf(text)


def test_shapes_without_counterpart_are_said() -> None:
    egg = '<collision name="x"><geometry><ellipsoid><radii>1 1 2</radii></ellipsoid></geometry></collision>'
    with pytest.warns(RobotWarning, match="left out: shapes <ellipsoid> of a"):
        parse_sdf(_sdf(f'<link name="a">{INERTIAL}{egg}</link>'))
    assert issubclass(UnsupportedFeature, Exception)


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_a_linkage_whose_numbers_are_rounded_closes_as_well_as_they_let_it() -> None:
    """Cassie's plantar rods lie in planes that the file gives to 1e-8 m; what is left no joint closes."""
    folder = examples_folder()
    assert folder is not None
    robot = load(next(folder.rglob("cassie_v2.sdf")), srdf=False)
    start = start_of(robot)
    assert "right-foot-op" in start.moved
    gaps = [largest_residual(system, start.q)[0] for system in loop_systems(robot.tree)]
    assert 1e-9 < max(gaps) < 1e-7
    rod = next(loop for loop in robot.loops if loop.name == "right-plantar-foot-joint")
    frame = next(frame for frame in robot.frames if frame.name == rod.frame)
    lifted = np.add(frame.placement.translation, (0.0, 0.0, 1e-5))  # the rod turns about its z axis
    moved = replace(frame, placement=Transform(frame.placement.rotation, lifted))
    with pytest.raises(LoopClosureError, match="right-plantar"):
        start_of(replace(robot, frames=tuple(moved if each is frame else each for each in robot.frames)))
