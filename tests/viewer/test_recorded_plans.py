"""What a recorded walk planned and believed is drawn at its instant; other recordings are ghosts beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.dynamics.kinematics import forward_kinematics
from footfall.environment import perceive
from footfall.environment.perception import EXACT
from footfall.errors import InvalidInput
from footfall.math.rotations import quaternion_from_matrix
from footfall.recording.reader import Recording, read_recording
from footfall.recording.writer import RecordingWriter
from footfall.scene.assembly import combined_robot
from footfall.viewer.page_link import Branch
from footfall.viewer.player import Player
from footfall.viewer.show import View
from footfall.viewer.signal_groups import moved_joints, signal_groups
from footfall.viewer.walk_layers import PARTS
from footfall.walking.recorded import belief_map, read_belief_map

FEET = [
    {"foot": foot, "position": (0.2 * k, 0.1, 0.0), "rotation": (1.0, 0.0, 0.0, 0.0)}
    for k, foot in enumerate("RLRL")
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    robot = footfall.load("wrist")
    path = tmp_path_factory.mktemp("recorded") / "one.mcap"
    known = perceive(footfall.load_scene("obstacles"), EXACT)
    things = [{"id": "box", "lower": (0, 0, 0), "upper": (1, 1, 1)}]
    with RecordingWriter(path, robot) as writer:
        for k in range(101):
            writer.state(0.01 * k, footfall.neutral(robot), np.zeros(robot.nv))
        writer.event(0.0, "plan", {"about": "first", "feet": FEET[:2], "hands": []})
        writer.event(0.0, "environment", {"changed": things})
        writer.event(0.2, "belief", belief_map(known))
        writer.event(0.5, "plan", {"about": "second", "feet": FEET, "sole": (-0.1, 0.2, -0.05, 0.05)})
        writer.event(0.6, "plan", {"feet": "anything"})  # files may say so
        writer.event(0.7, "environment", {"removed": ["box"]})
    return read_recording(path)


def drawn(player: Player, moment: float) -> dict[str, Any]:
    player.seek(moment)
    return {str(node.name): node for node in player.plans._nodes}


def test_plans_and_beliefs_follow_the_time(recorded: Recording) -> None:
    with View(recorded, port=0, others=[recorded]) as view:
        player = view.player
        assert isinstance(player, Player)
        assert {"/plan/R", "/plan/L"} <= set(first := drawn(player, 0.3))
        assert len(first["/plan/R"].vertices) == 4  # one sole
        second = drawn(player, 0.8)
        assert len(second["/plan/R"].vertices) == 8
        # A sole from 0.1 m behind its frame to 0.2 m ahead of it, the second right foot 0.4 m ahead.
        assert second["/plan/R"].vertices[:, 0].max() == pytest.approx(0.6, abs=1e-6)
        tree = player.plans.tree
        assert tree is not None
        player._on_message(1, Branch(version=1))
        assert len(drawn(player, 0.3)["/plan/R"].vertices) == 8  # also at an earlier time
        player._on_message(1, Branch(version=1, pose=2))
        assert len(drawn(player, 0.81)["/plan/R"].vertices) == 4  # one pose is hidden
        assert "☐ 2: " in tree._html.content
        player._on_message(1, Branch(version=1, pose=2))
        assert len(drawn(player, 0.82)["/plan/R"].vertices) == 8
        player._on_message(1, Branch())
        player.plans.seen.value = False
        player.plans.beliefs.value = "objects"
        assert len(drawn(player, 0.3)) == 1
        assert drawn(player, 0.75) == {}  # it is gone
        player.plans.beliefs.value = "height"
        assert drawn(player, 0.1) == {}  # nothing was known yet
        assert set(drawn(player, 0.3)) == {"/beliefs/terrain"}
        player.plans.beliefs.value = "anything"
        player._on_message(1, Branch(version=99))  # there is no such plan
        player.plans.seen.value = True
        assert "/plan/R" in drawn(player, 0.4)
        assert player._ghosts[0][0]._drawing is not None
        assert {run for run, _ in player.plots.source.groups("base.position")} <= {"one"}


def test_maps_come_back_as_they_were_and_broken_ones_are_none() -> None:
    known = perceive(footfall.load_scene("obstacles"), EXACT)
    data = belief_map(known)
    assert data is not None
    window = read_belief_map(data)
    assert window is not None
    level = round(np.log2(0.64 / window.cell))
    there = known.terrain.window(*known.terrain.bounds.tolist(), level=level)
    assert (np.isnan(window.mean) == np.isnan(there.mean)).all()
    assert np.nanmax(np.abs(window.mean - there.mean)) <= 0.5e-3 + 1e-6  # whole millimetres
    assert np.abs(window.sure - there.sure).max() <= 0.5 / 255 + 1e-6
    for change in (
        {"shape": (10**6, 10**6)},
        {"shape": (3, 3)},
        {"heights": "!"},
        {"cell": "x"},
        {"cell": -1.0},
        {"corner": None},
    ):
        assert read_belief_map({**data, **change}) is None
    assert read_belief_map({}) is None


def test_only_recordings_have_others_beside_them(recorded: Recording, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no recording"):
        View(footfall.load("wrist"), port=0, others=[recorded])


def test_a_click_on_a_foot_tells_its_wrench(tmp_path: Path) -> None:
    """At 300 N a torque of 12 Nm about pitch is that of a force 40 mm behind, one of 6 Nm about roll 20 mm aside."""
    robot = footfall.load("lola")
    with RecordingWriter(tmp_path / "stand.mcap", robot) as writer:
        for time in (0.0, 0.5, 1.0):
            writer.state(time, robot.configuration("idle"), np.zeros(robot.nv))
        rows = np.array([[0.0, 0.0, 300.0, 6.0, 12.0, 0.0]] * 2)
        writer.signals([0.0, 1.0], {"right_foot": rows}, {"right_foot": "N, Nm"})
    with View(read_recording(tmp_path / "stand.mcap"), port=0) as view:
        player = view.player
        assert isinstance(player, Player)
        assert set(player._parts) == {"zfr", "sfr"}  # toe and foot; nothing is known of the left one
        player.seek(0.5)
        player._choose_foot("sfr")
        label = player.wrench._label
        assert label.visible
        assert "force 0, 0, 300 N" in label.text
        assert "pressure at -40 mm ahead, 20 mm to the left" in label.text
        player._choose_foot("sfr")
        assert not label.visible


def test_balance_of_a_walk_is_drawn_beside_what_was_planned(tmp_path: Path) -> None:
    """At a friction of 0.8 a foot with 300 N bears 240 N along the ground: 100 N hold, 290 N slip."""
    robot = footfall.load("lola")
    time = 0.1 * np.arange(101)
    level = np.zeros((len(time), 3))
    level[:, 0] = 0.3 * time
    wrenches = {part: np.zeros((len(time), 6)) for part in PARTS}
    wrenches["right_foot"][:, 2], wrenches["left_foot"][:, 2] = 300.0, 300.0
    wrenches["right_foot"][:, 0], wrenches["left_foot"][:, 0] = 100.0, 290.0
    with RecordingWriter(tmp_path / "walk.mcap", robot) as writer:
        q = np.array(robot.configuration("idle"))
        for now in time:
            q[0] = 0.3 * now
            writer.state(now, q, np.zeros(robot.nv))
        high, aside = np.array([0.0, 0.0, 0.9]), np.array([0.0, 0.01, 0.0])
        signals = {"center": level + high, "zmp": level, "planned_zmp": level + aside} | wrenches
        writer.signals(time, signals, dict.fromkeys(signals, ""))
    with View(read_recording(tmp_path / "walk.mcap"), port=0) as view:
        player = view.player
        assert isinstance(player, Player)
        balance = player.balance
        player.seek(2.0)
        assert not balance._marks  # nothing is made before it is wanted
        for box in balance._boxes.values():
            box.value = True
        player.seek(5.0)
        assert balance._marks["centre of mass"].position == pytest.approx((1.5, 0.0, 0.9))
        assert set(balance._lines) == {"center", "zmp", "planned_zmp"}
        line = balance._lines["planned_zmp"].points  # from three seconds before to three after
        assert line[0, 0] == pytest.approx((0.6, 0.01, 0.0), abs=0.031)
        assert line[-1, 1] == pytest.approx((2.4, 0.01, 0.0), abs=0.031)
        assert balance._cones is not None
        right, left, *hands = balance._cones._cones
        assert right.color[1] > right.color[0]  # green
        assert left.color[0] > left.color[1]  # red
        assert not any(hand.visible for hand in hands)
        assert balance._traces is not None
        foot = np.array(balance._traces._lines[0].points)
        assert foot[-1, 1, 0] - foot[0, 0, 0] == pytest.approx(1.5, abs=1e-5)  # 5 s at 0.3 m/s
        for box in balance._boxes.values():
            box.value = False
        player.seek(6.0)
        assert not any(node.visible for node in (*balance._marks.values(), *balance._lines.values()))
        assert not balance._cones.root.visible
        assert not balance._traces.root.visible


GHOST = "Ghost: set points"


def test_set_points_are_a_ghost_beside_the_robot(tmp_path: Path) -> None:
    """The robot leans to one side, its set points to the other; a board lies free beside it and has no ghost."""
    robot = footfall.load("lola")
    whole = combined_robot(footfall.load_scene("rolling-board"), robot)
    time = 0.1 * np.arange(1, 11)
    true, wanted = whole.configuration("initial"), robot.configuration("idle")
    q = np.tile(wanted, (len(time), 1))
    q[:, 0] += 0.2 * time
    q[:, robot.q_slice("vp")] += 0.3 * time[:, None]
    q[-1, 9] = np.nan  # of a controller that was lost
    with RecordingWriter(tmp_path / "walk.mcap", whole) as writer:
        for now in (0.0, *time):
            writer.state(now, true, np.zeros(whole.nv))
        signals = {"wanted_base": q[:, :7], "wanted_joints": q[:, 7:]}
        writer.signals(time, signals, {"wanted_base": "m, quaternion", "wanted_joints": "rad"})
    recording = read_recording(tmp_path / "walk.mcap")
    assert signal_groups(recording)["wanted_joints"].labels == tuple(moved_joints(robot))
    with View(recording, port=0) as view:
        player = view.player
        assert isinstance(player, Player)
        balance = player.balance
        player.seek(0.5)
        assert balance._ghost._drawing is None  # nothing is made before it is wanted
        balance._boxes[GHOST].value = True
        for moment, aside in ((0.5, 0.0), (0.8, -0.5)):
            balance._aside.value = aside
            player.seek(moment)
            drawing = balance._ghost._drawing
            assert drawing is not None
            assert drawing.root.visible
            there = forward_kinematics(robot, q[round(10 * moment) - 1])
            left = there.rotation[0][:2, 1]
            places = np.array([frame.position for frame in drawing._frames])[: len(robot.bodies)]
            np.testing.assert_allclose(places[:, :2], there.position[:, :2] + aside * left, atol=1e-12)
            np.testing.assert_allclose(places[:, 2], there.position[:, 2], atol=1e-12)
            turns = np.array([frame.wxyz for frame in drawing._frames])[: len(robot.bodies)]
            assert np.abs(np.sum(turns * quaternion_from_matrix(there.rotation), axis=1)) == pytest.approx(1)
        seen = {
            body.name: [mesh.visible for mesh in meshes]
            for body, meshes in zip(whole.bodies, drawing.meshes, strict=True)
        }
        own = {body.name for body in robot.bodies}
        assert all(all(each) == (name in own) for name, each in seen.items() if each)
        assert any(each for name, each in seen.items() if name not in own)
        for moment in (0.05, 1.0):  # before anything was wanted, and where it is no number
            player.seek(moment)
            assert not drawing.root.visible
            player.seek(0.5)
            assert drawing.root.visible
        balance._boxes[GHOST].value = False
        player.seek(0.6)
        assert not drawing.root.visible


def test_recordings_without_set_points_have_no_ghost(recorded: Recording, tmp_path: Path) -> None:
    robot = footfall.load("lola")
    with RecordingWriter(tmp_path / "other.mcap", robot) as writer:  # of a robot with fewer joints
        writer.state(0.0, robot.configuration("idle"), np.zeros(robot.nv))
        wrong = {"wanted_base": np.zeros((1, 7)), "wanted_joints": np.zeros((1, 90))}
        writer.signals([0.0], wrong, dict.fromkeys(wrong, ""))
    for each in (recorded, read_recording(tmp_path / "other.mcap")):
        with View(each, port=0) as view:
            assert isinstance(view.player, Player)
            assert GHOST not in view.player.balance._boxes
            view.player.seek(0.0)
