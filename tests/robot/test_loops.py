"""Loops as parts of robots: what is chosen, what is refused, files and variants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.errors import LoopClosureError, LoopError, RobotError, RobotWarning, UnsupportedFeature
from footfall.robot.combine import Placed, combine
from footfall.robot.mjcf_writer import mjcf_text
from footfall.robot.model import Body, Frame, Joint, JointType, Loop, LoopType, Robot
from footfall.robot.subsystems import find_subsystems
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from footfall.robot.tree import Tree
from footfall.robot.urdf import parse_urdf
from footfall.robot.urdf_writer import urdf_text
from footfall.robot.validation import check_mass_matrix
from footfall.robot.variants import couple_mimics
from tests.looped_robots import at, four_bar, geared_rotor, random_looped_robot, rod, six_bar, slider_crank


def chain(*loops: Loop, bodies: int = 3) -> Robot:
    """Hinges about z in a row, with frames at the tips."""
    names = [f"b{k}" for k in range(bodies)]
    return Robot(
        "chain",
        tuple(rod(name, 0.5) for name in names),
        tuple(
            Joint(f"j{k}", JointType.CONTINUOUS, names[k - 1] if k else "world", name, at(0.5 if k else 0.0))
            for k, name in enumerate(names)
        ),
        tuple(Frame(f"t{k}", name, at(0.5)) for k, name in enumerate(names)),
        loops=loops,
    )


def gear(name: str, follower: str, leader: str, ratio: float) -> Loop:
    return Loop(name, LoopType.GEAR, joints=(follower, leader), coefficients=(ratio,))


FAR = (Frame("tip", "b2", at(0.5)), Frame("far", "world", at(2.5)), Frame("off", "world", at(0.7, 0.0, 0.1)))

BAD: list[tuple[str, type[Exception], str, Callable[[], object]]] = [
    ("type", RobotError, "type is 'bolt'; it must be one of: point", lambda: Loop("a", "bolt")),  # type: ignore[arg-type]
    ("frames", RobotError, "joins two frames", lambda: Loop("a", LoopType.POINT, "x")),
    ("no frames", RobotError, "takes no frames", lambda: replace(gear("a", "j", "k", 2.0), frame="x")),
    ("length", RobotError, "must be positive", lambda: Loop("a", LoopType.DISTANCE, "x", "y")),
    ("ratio", RobotError, "none may be zero", lambda: gear("a", "j", "k", 0.0)),
    ("nan", RobotError, "coefficient is nan", lambda: gear("a", "j", "k", float("nan"))),
    ("twice", RobotError, "each may be named once", lambda: gear("a", "j", "j", 2.0)),
    (
        "count",
        RobotError,
        "here are 2 joints, 0 coeff",
        lambda: Loop("a", LoopType.GEAR, joints=("j", "k")),
    ),
    (
        "frame",
        RobotError,
        "frame 'x' does not exist",
        lambda: chain(Loop("a", LoopType.POINT, "x", "t0")),
    ),
    ("joint", RobotError, "joint 'k' does not exist", lambda: chain(gear("a", "k", "j1", 2.0))),
    (
        "same body",
        LoopError,
        "do not move against each other",
        lambda: chain(Loop("a", LoopType.POINT, "t0", "b0")),
    ),
    (
        "out of reach",
        LoopClosureError,
        "loop 'a': does not close: the nearest that was found leaves 1 m",
        lambda: replace(chain(), frames=FAR, loops=(Loop("a", LoopType.POINT, "tip", "far"),)),
    ),
    (
        "out of plane",
        LoopClosureError,
        "leaves 0.1 m",
        lambda: replace(chain(), frames=FAR, loops=(Loop("a", LoopType.POINT, "tip", "off"),)),
    ),
    (
        "the same loop again",
        LoopError,
        "loop 'b': says nothing that 'a' does not say already",
        lambda: chain(Loop("a", LoopType.POINT, "t2", "world"), Loop("b", LoopType.POINT, "world", "t2")),
    ),
    (
        "gear cycle that repeats",
        LoopError,
        "loop 'c': says nothing",
        lambda: chain(gear("a", "j0", "j1", 2.0), gear("b", "j1", "j2", 3.0), gear("c", "j2", "j0", 1 / 6)),
    ),
    (
        "gear cycle that locks",
        LoopError,
        "3 equations for 3 velocities: nothing moves",
        lambda: chain(gear("a", "j0", "j1", 2.0), gear("b", "j1", "j2", 3.0), gear("c", "j2", "j0", 2.0)),
    ),
    (
        "too large",
        LoopError,
        "sub-system has 90 velocities, at most 80",
        lambda: chain(Loop("a", LoopType.POINT, "t89", "world"), bodies=90),
    ),
    (
        "too many dependent joints",
        LoopError,
        "crank cannot follow from the others",
        lambda: four_bar(dependent=("crank", "coupler", "rocker")),
    ),
]


@pytest.mark.parametrize(
    ("error", "message", "make"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_what_cannot_be_is_refused(error: type[Exception], message: str, make: Callable[[], object]) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_rotor_needs_inertia_unless_it_follows() -> None:
    """Rigidly geared a massless rotor is harmless, by itself it has no forward dynamics."""
    rigid = geared_rotor(50.0, 0.0)
    assert footfall.mass_matrix(rigid, footfall.neutral(rigid))[0, 0] == pytest.approx(0.25 / 3)
    check_mass_matrix(rigid)
    with pytest.raises(RobotError, match="joint 'rotor'"):
        check_mass_matrix(replace(rigid, loops=()))
    turned = replace(rigid, loops=(replace(rigid.loops[0], dependent=("arm",)),))
    check_mass_matrix(turned)  # the rotor is v now, and moves the arm
    assert footfall.mass_matrix(turned, footfall.neutral(turned))[0, 0] == pytest.approx(0.25 / 3 / 50.0**2)


def test_motors_stay_independent() -> None:
    """Of three joints of a planar loop the one with a motor is kept, whichever it is."""
    for name in ("crank", "coupler", "rocker"):
        plain = four_bar()
        joints = tuple(replace(joint, effort=5.0 if joint.name == name else 0.0) for joint in plain.joints)
        robot = replace(plain, joints=joints)
        kept = [joint.name for joint in robot.joints if len(range(1)[robot.v_slice(joint.name)])]
        assert kept == [name]
        assert robot.effort_limits.tolist() == [5.0]
        assert robot.spanning.effort_limits.shape == (3,)


def test_formulas_need_no_solver() -> None:
    """Gears, nuts and rods of one ankle drive are solved one after the other."""
    robot = six_bar()
    assert robot.tree.loops is not None
    assert [len(block.velocities) for block in robot.tree.loops.blocks] == [2, 2]
    assert robot.tree.loops.independent == (0,)


def test_subsystems_reach_up_to_what_carries_the_loop() -> None:
    robot = random_looped_robot(7, loops=3, joints=14)
    structure = robot.tree.loops
    assert structure is not None
    links = robot.tree.links
    owner = {link: k for k, subsystem in enumerate(structure.subsystems) for link in subsystem.links}
    assert sorted(owner) == list(range(len(links)))
    for k, subsystem in enumerate(structure.subsystems):
        # Schwienbacher 2014, chapter 2: every entry after its parent.
        assert subsystem.parent < 0 or owner[subsystem.parent] < k
        for link in subsystem.links:
            assert links[link].parent in (*subsystem.links, subsystem.parent)
    shared = {link for cut in structure.cuts for link in cut.links}
    assert all(len(s.links) == 1 for s in structure.subsystems if not {*s.links} & shared)
    assert all(parent < k for k, parent in enumerate(structure.parent_velocity))


def test_a_tree_is_a_subsystem_for_each_link() -> None:
    tree: Tree = chain().tree
    assert [s.links for s in find_subsystems(tree, ())] == [(0,), (1,), (2,)]
    assert chain().spanning.nv == chain().nv == 3


def test_two_points_make_a_hinge() -> None:
    """Five of six equations count; the two frames on the axis may stand anywhere on it."""
    bodies = (rod("a", 0.5), rod("b", 0.4), Body("c", 1.0, inertia=np.eye(3)))
    joints = (
        Joint("a", JointType.CONTINUOUS, "world", "a"),
        Joint("b", JointType.CONTINUOUS, "world", "b", at(0.6)),
        Joint("c", JointType.FLOATING, "world", "c"),
    )
    frames = (
        Frame("a1", "a", at(0.5)),
        Frame("a2", "a", at(0.5, 0.0, 0.2)),
        Frame("c1", "c", at(0.0)),
        Frame("c2", "c", at(0.0, 0.0, 0.2)),
    )
    loops = (Loop("one", LoopType.POINT, "a1", "c1"), Loop("two", LoopType.POINT, "a2", "c2"))
    robot = Robot("pinned", bodies, joints, frames, loops=loops)
    assert robot.nv == 8 - 5


def test_configurations_are_closed_and_the_branch_is_theirs() -> None:
    up, down = four_bar(), four_bar(start=(1.0, -1.9, -2.2))
    tips = [
        footfall.frame_pose(robot, footfall.neutral(robot), "rocker_tip").translation[1]
        for robot in (up, down)
    ]
    assert tips[0] > 0.2 > tips[1]
    with pytest.raises(LoopClosureError, match="closure"):
        replace(
            four_bar(dependent=("crank", "coupler")),
            configurations={"assembly": [1.0, -0.5, 1.8], "bad": [0, 0, 0]},
        )
    with pytest.raises(RobotError, match=r"q has shape \(2,\); it must be \(3,\)"):
        footfall.close_loops(up, np.zeros(2))


@pytest.mark.parametrize(
    "robot", [four_bar("hinge"), slider_crank(), six_bar(), random_looped_robot(8, loops=3)]
)
def test_toml_round_trip(robot: Robot) -> None:
    again = parse_toml(toml_text(robot), strict=False)
    assert again.loops == robot.loops
    assert again.nv == robot.nv
    assert again.tree.loops is not None
    assert robot.tree.loops is not None
    assert again.tree.loops.independent == robot.tree.loops.independent
    assert np.allclose(again.tree.loops.reference, robot.tree.loops.reference, rtol=0.0, atol=1e-12)


def test_errors_of_files_name_the_line() -> None:
    text = toml_text(four_bar()).replace('against = "rocker_tip"', 'against = "nowhere"')
    line = text[: text.index("[[loop]]")].count("\n") + 1
    with pytest.raises(RobotError, match=rf":{line}: loop 'closure': frame 'nowhere' does not exist"):
        parse_toml(text)
    with pytest.raises(RobotError, match=r"Invalid enum value 'bolt'.*there are: point"):
        parse_toml(toml_text(four_bar()).replace('type = "point"', 'type = "bolt"'))
    broken = toml_text(four_bar()).replace("[0.8, 0.0, 0.0]", "[3.0, 0.0, 0.0]")
    with pytest.raises(LoopClosureError, match="strict=False"):
        parse_toml(broken)
    with pytest.warns(RobotWarning, match="does not close"):
        assert parse_toml(broken, strict=False).loops == ()


def test_mjcf_round_trip_and_mujoco_sees_closed_loops() -> None:
    mujoco = pytest.importorskip("mujoco")
    from footfall.robot.mjcf import parse_mjcf

    for robot in (four_bar(), six_bar(), geared_rotor()):
        text = mjcf_text(robot)
        again = parse_mjcf(text)
        assert again.nv == robot.nv
        assert {frame.name for frame in again.frames} == {frame.name for frame in robot.frames}
        q = footfall.integrate(robot, footfall.neutral(robot), np.array([0.2]))
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        assert data.ne > 0
        assert np.abs(data.efc_pos[: data.ne]).max() < 1e-12
        assert np.abs(footfall.close_loops(again, q) - q).max() < 1e-12
    with pytest.raises(UnsupportedFeature, match="hinge"):
        mjcf_text(four_bar("hinge"))


def test_mjcf_constraints_between_bodies() -> None:
    """Anchors of bodies, welds with a relative pose, polynomials of joints."""
    mujoco = pytest.importorskip("mujoco")
    from footfall.robot.mjcf import parse_mjcf

    inertial = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
    text = f"""<mujoco><worldbody>
      <body name="a"><joint name="a" axis="0 0 1"/>{inertial}
        <body name="b" pos="0.3 0 0"><joint name="b" axis="0 0 1"/>{inertial}</body></body>
      <body name="c" pos="0.5 0 0"><joint name="c" axis="0 0 1"/>{inertial}</body>
      <body name="d" pos="0 0 1"><joint name="d" type="ball"/>{inertial}
        <body name="e" pos="0 0.2 0" euler="20 30 0"><freejoint/></body></body>
      <body name="f"><joint name="f" axis="1 0 0" ref="10"/>{inertial}</body>
      </worldbody><equality>
      <connect name="meet" body1="b" body2="c" anchor="0.1 0.2 0"/>
      <joint name="bend" joint1="f" joint2="a" polycoef="0.1 0.5 0.3 0 0"/>
      </equality></mujoco>""".replace("<freejoint/>", '<joint name="e" type="ball"/>' + inertial)
    text = text.replace("</equality>", '<weld name="stick" body1="f" body2="e"/></equality>')
    robot = parse_mjcf(text)
    assert [loop.type for loop in robot.loops] == ["point", "polynomial", "weld"]
    assert robot.nv == robot.spanning.nv - 2 - 1 - 6
    q = footfall.integrate(robot, footfall.neutral(robot), 0.1 * np.ones(robot.nv))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-10


def test_urdf_has_gears_as_mimics() -> None:
    robot = geared_rotor()
    loaded = parse_urdf(urdf_text(robot))
    assert loaded.nv == 2  # a mimic is a remark until it is coupled
    coupled = couple_mimics(loaded)
    assert coupled.nv == 1
    assert footfall.mass_matrix(coupled, footfall.neutral(coupled)) == pytest.approx(
        footfall.mass_matrix(robot, footfall.neutral(robot)), rel=1e-12
    )
    with pytest.raises(UnsupportedFeature, match="loop 'closure': is a point"):
        urdf_text(four_bar())


def test_locking_an_independent_joint_locks_what_follows() -> None:
    locked = footfall.lock_joints(four_bar(), ["crank"])
    assert (locked.nv, locked.nq, locked.loops) == (0, 0, ())
    q = footfall.neutral(four_bar())
    tips = [
        footfall.frame_pose(locked, np.zeros(0), name).translation for name in ("coupler_tip", "rocker_tip")
    ]
    assert np.abs(tips[0] - tips[1]).max() < 1e-14
    assert np.abs(tips[0] - footfall.frame_pose(four_bar(), q, "coupler_tip").translation).max() < 1e-14
    with pytest.raises(UnsupportedFeature, match="lock all of crank"):
        footfall.lock_joints(four_bar(), ["rocker"])


def test_looped_robots_side_by_side() -> None:
    pair = combine([Placed(four_bar(), name="left"), Placed(four_bar(), at(2.0), name="right")])
    assert pair.nv == 2
    assert [loop.name for loop in pair.loops] == ["left/closure", "right/closure"]
    one = four_bar()
    q, v, tau = pair.configuration("initial"), np.array([1.0, 1.0]), np.array([0.1, 0.1])
    expected = footfall.forward_dynamics(one, footfall.neutral(one), v[:1], tau[:1])
    assert footfall.forward_dynamics(pair, q, v, tau) == pytest.approx(np.repeat(expected, 2), rel=1e-12)


def test_looped_robots_are_saved_and_pickled(tmp_path: Path) -> None:
    import pickle

    robot = slider_crank()
    footfall.save(robot, tmp_path / "slider.toml")
    assert (
        footfall.load(tmp_path / "slider.toml").fingerprint == pickle.loads(pickle.dumps(robot)).fingerprint
    )
    assert robot.fingerprint != robot.spanning.fingerprint
    assert "1 loop, nq 3, nv 1" in repr(robot)


def test_an_assembly_that_is_not_closed_reads_back_as_the_same_robot() -> None:
    """Loops are analysed near "assembly": what is written must be where they were, to the bit."""
    robot = footfall.load("cassie")
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.05):
        moved = np.array(robot.configuration("assembly"))
        moved[7:] += rng.normal(0.0, size, len(moved) - 7)
        given = replace(robot, configurations={"assembly": moved})
        again = parse_toml(toml_text(given))
        assert again.fingerprint == given.fingerprint
        np.testing.assert_array_equal(again.configuration("assembly"), given.configuration("assembly"))


def test_closed_configurations_do_not_creep_from_file_to_file() -> None:
    """A crank that is wound up: residuals are as large as the rounding of its angle, closing it anew finds others."""
    robot = footfall.load("cassie")
    for turns in (13, 70_000):
        wound = np.array(robot.configurations["assembly"])
        wound[robot.q_slice("left_knee")] += 2 * np.pi * turns
        first = replace(robot, configurations={"assembly": wound})
        again = parse_toml(toml_text(first))
        assert again.configurations["assembly"].tolist() == first.configurations["assembly"].tolist()
        assert again.fingerprint == first.fingerprint
