"""The server starts on this machine, serves its page, shows what it was given, and stops."""

from __future__ import annotations

import gc
import math
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import Scene, SceneObject
from footfall.errors import InvalidInput, PortInUse, RobotError, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_quaternion
from footfall.recording.reader import Recording, read_recording
from footfall.recording.writer import RecordingWriter
from footfall.scene import GivenMotion
from footfall.viewer.drawing import forces_by_body, ground_height, node_name
from footfall.viewer.player import Player
from footfall.viewer.show import View, load_subject
from tests.eventually import eventually


@pytest.fixture(scope="module")
def robot() -> footfall.Robot:
    return footfall.load("point-foot-quadruped")


@pytest.fixture(scope="module")
def recording_path(robot: footfall.Robot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of walking on air over a floor at -0.5 m, with a ball that flies by; half of it has contacts."""
    path = tmp_path_factory.mktemp("view") / "walk.mcap"
    times = np.linspace(0.0, 1.0, 101)
    flight = GivenMotion(np.array([0.0, 1.0]), np.array([[0.0, 1.0, 1.0], [2.0, 1.0, 1.0]]))
    floor = footfall.Transform(np.eye(3), np.array([0.0, 0.0, -0.5]))
    scene = Scene(
        objects=(
            SceneObject("floor", Plane(), floor),
            SceneObject("ball/of/light", footfall.Sphere(0.1), motion=flight),
        )
    )
    with RecordingWriter(path, robot, scene=scene, preview_rate=0.0) as writer:
        for time in times:
            q = np.array(robot.configuration("stand"))
            q[0] += time
            writer.state(time, q, np.zeros(robot.nv))
            if time >= 0.5:
                writer.contacts(time, [[time, 0.0, 0.0]], [[0.0, 0.0, robot.mass * 9.81]])
        writer.event(0.4, "turned")
    return path


@pytest.fixture
def recording(recording_path: Path) -> Recording:
    return read_recording(recording_path)


@pytest.fixture
def view(recording: Recording) -> Iterator[View]:
    with View(recording, port=0) as shown:
        yield shown


def body_frame(view: View, name: str) -> object:
    handle = view.stage.server.scene.get_handle_by_name(f"/robot/{name}")
    assert handle is not None
    return handle


def test_page_is_served_on_this_machine_and_gone_after_closing(robot: footfall.Robot) -> None:
    with View(robot, port=0) as shown:
        assert shown.address.startswith("http://localhost:")
        with urllib.request.urlopen(shown.address) as answer:
            page = answer.read()
        assert answer.status == 200
        assert b"<html" in page
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(shown.address)
    gc.collect()


def test_port_in_use_is_named(robot: footfall.Robot) -> None:
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"localhost:{port}"):
            View(robot, port=port)


def test_bodies_stand_where_the_kinematics_says(view: View, recording: Recording) -> None:
    assert view.player is not None
    view.player.seek(0.755)
    row = 75  # the last state before that instant
    poses = footfall.forward_kinematics.textbook(recording.robot, recording.q[row])
    for body, position, rotation in zip(recording.robot.bodies, *poses, strict=True):
        frame = body_frame(view, body.name)
        np.testing.assert_allclose(frame.position, position, atol=1e-6)
        np.testing.assert_allclose(matrix_from_quaternion(np.array(frame.wxyz)), rotation, atol=1e-6)
    assert view.player._clock.value == "0.755 s of 1.000 s"


def test_moved_object_and_floor_of_the_scene(view: View, recording: Recording) -> None:
    assert view.player is not None
    assert recording.scene is not None
    view.player.seek(0.25)
    ball = recording.scene.object("ball/of/light")
    assert ball.motion is not None
    scene = view.stage.server.scene
    handle = scene.get_handle_by_name(f"/scene/{node_name(ball.name)}")
    assert handle is not None
    np.testing.assert_allclose(handle.position, ball.motion.pose(0.25).translation, atol=1e-6)
    assert scene.get_handle_by_name("/ground").position[2] == -0.5


def test_ground_lies_in_the_floor_below_terrain_or_under_the_robot(recording: Recording) -> None:
    bounds = np.array([[0.0, 0.0, -0.2], [1.0, 1.0, 1.0]])
    raised = footfall.Transform(np.eye(3), np.array([0.0, 0.0, 3.0]))
    terrain = SceneObject("terrain", HeightMap(np.array([[0.0, 1.0], [-0.5, 0.0]]), (1.0, 1.0)), raised)
    assert ground_height(recording.scene, bounds) == -0.5
    assert ground_height(Scene(objects=(terrain,)), bounds) == pytest.approx(2.5 - 0.01)
    assert ground_height(None, bounds) == -0.2
    assert ground_height(None, bounds + 1.0) == 0.0


def test_forces_are_arrows_of_their_instant(view: View) -> None:
    assert view.player is not None
    arrows = view.stage.server.scene.get_handle_by_name("/forces")
    view.player.seek(0.3)
    assert arrows.points.shape == (0, 2, 3)
    view.player.seek(0.8)
    drawing = view.player._robot  # type: ignore[union-attr]
    low, high = drawing.bounds(footfall.forward_kinematics(view.subject.robot, view.subject.q[0]))  # type: ignore[union-attr]
    length = 0.5 * np.linalg.norm(high - low)  # a force as large as the weight
    assert 0.2 < length < 0.6
    np.testing.assert_allclose(arrows.points, [[[0.8, 0.0, 0.0], [0.8, 0.0, length]]], atol=1e-6)


def test_camera_follows(view: View) -> None:
    assert view.player is not None
    before = np.array(view.stage.server.initial_camera.position)
    view.player.seek(1.0)
    np.testing.assert_allclose(view.stage.server.initial_camera.position - before, [1.0, 0.0, 0.0], atol=1e-6)


def test_view_of_the_camera_is_upright_and_meets_the_robot(view: View) -> None:
    camera = view.stage.view
    right, down, forward = matrix_from_quaternion(camera.wxyz).T
    np.testing.assert_allclose(np.cross(right, down), forward, atol=1e-12)
    assert right[2] == pytest.approx(0.0)
    assert down[2] < 0.0
    ray = view.stage.focus - camera.position
    np.testing.assert_allclose(forward, ray / np.linalg.norm(ray), atol=1e-12)
    np.testing.assert_allclose(view.stage.server.initial_camera.position, camera.position)


def test_playing_moves_on_when_somebody_looks(recording: Recording) -> None:
    with View(recording, port=0, play=True, loop=True) as shown:
        assert shown.player is not None
        timeline = shown.player.timeline
        shown.player._thread.join(timeout=0.2)
        assert timeline.now == timeline.start
        shown.stage._opened[0] = -math.inf  # a page, long ago
        assert shown.stage.is_watched
        assert eventually(lambda: timeline.now > timeline.start)
        assert shown.player._play.label == "Pause"
        shown.player._on_play(None)
        assert not timeline.playing
        assert shown.player._play.label == "Play"
        paused = timeline.now
        shown.player._thread.join(timeout=0.1)
        assert timeline.now == paused


def test_robot_panel_starts_in_its_configuration(robot: footfall.Robot) -> None:
    with View(robot, port=0, configuration="stand") as shown:
        pose = footfall.frame_pose.textbook(robot, robot.configuration("stand"), "torso")
        np.testing.assert_allclose(body_frame(shown, "torso").position, pose.translation, atol=1e-6)


def test_unknown_configuration_closes_the_server(robot: footfall.Robot) -> None:
    with pytest.raises(UnknownName, match="no configuration 'fly'"):
        View(robot, port=0, configuration="fly")


def test_recording_without_states_is_named(robot: footfall.Robot, tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "empty.mcap", robot).close()
    with pytest.raises(InvalidInput, match=r"empty\.mcap"):
        View(read_recording(tmp_path / "empty.mcap"), port=0)


def test_states_that_are_not_finite_are_left_out(robot: footfall.Robot, tmp_path: Path) -> None:
    q = np.array(robot.configuration("stand"))
    with RecordingWriter(tmp_path / "diverged.mcap", robot) as writer:
        writer.state(0.0, q, np.zeros(robot.nv))
        writer.state(1.0, q * np.nan, np.zeros(robot.nv))
    with View(read_recording(tmp_path / "diverged.mcap"), port=0) as shown:
        assert shown.player is not None
        assert shown.player.timeline.end == 0.0


def test_subject_by_name_or_path(recording_path: Path) -> None:
    assert isinstance(load_subject(recording_path), Recording)
    assert isinstance(load_subject("wrist"), footfall.Robot)
    with pytest.raises(UnknownName, match="lolla"):
        load_subject("lolla")


def test_command_ends_cleanly_on_interrupt(recording_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "footfall", "view", str(recording_path), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    assert "point-foot-quadruped" in lines[0]
    address = next(word for word in lines[1].split() if word.startswith("http://localhost:"))
    with urllib.request.urlopen(address) as answer:
        assert answer.status == 200
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")


def test_an_event_is_a_place_to_go_to(view: View) -> None:
    assert isinstance(view.player, Player)
    choice = view.player._events
    assert choice is not None
    choice.value = choice.options[1]
    assert choice.value == "0.400 s  turned"
    assert view.player.timeline.now == 0.4
    assert "is the weight of the robot" in view.player._forces.scale


def test_a_notebook_shows_the_page(robot: footfall.Robot) -> None:
    shown = footfall.view(robot)
    try:
        assert shown.address in shown._repr_html_()
        assert repr(shown) == f"View of {robot.name!r}: open {shown.address} in a browser"
    finally:
        shown.close()


def test_a_scene_is_shown_as_it_starts() -> None:
    scene = footfall.load_scene("blocks")
    assert load_subject("blocks").name == scene.name  # type: ignore[union-attr]
    with View(scene, port=0) as shown:
        drawn = shown.stage.server.scene
        for each in scene.objects:
            node = drawn.get_handle_by_name(f"/{'robot' if each.free else 'scene'}/{each.name}")
            assert (node is None) == isinstance(each.shape, Plane), each.name  # a level floor is the grid
            if node is not None:
                np.testing.assert_allclose(node.position, each.placement.translation, atol=1e-9)
    with View(footfall.load_scene("flat"), port=0) as shown:
        assert repr(shown).startswith("View of 'flat'")


def test_a_simulation_is_shown_as_it_runs(robot: footfall.Robot) -> None:
    simulation = footfall.Simulation(robot, "flat")
    with View(simulation, port=0) as shown:
        before = np.array(body_frame(shown, "torso").position)
        np.testing.assert_allclose(before, simulation.q[:3], atol=1e-6)
        simulation.reset(q=simulation.q + np.r_[0.5, np.zeros(robot.nq - 1)])
        simulation.run(simulation.hold(), 0.02)
        frame = body_frame(shown, "torso")
        assert eventually(lambda: np.allclose(frame.position, simulation.q[:3], rtol=0.0, atol=1e-6))
        assert eventually(lambda: shown._panel._clock.value == "0.020 s")  # type: ignore[union-attr]


def test_a_view_shows_any_configuration(robot: footfall.Robot, recording: Recording) -> None:
    q = np.array(robot.configuration("stand"))
    q[:3] = 1.0, 2.0, 3.0
    with View(robot, port=0) as shown:
        shown.show(q)
        np.testing.assert_allclose(body_frame(shown, "torso").position, q[:3], atol=1e-6)
        with pytest.raises(RobotError, match="q has shape"):
            shown.show(q[:5])
    with View(recording, port=0) as shown, pytest.raises(InvalidInput, match="no robot that could be moved"):
        shown.show(q)


def test_forces_are_those_of_bodies() -> None:
    """Four corners of a sole: one force at the centre of pressure; what has no body stays as it is."""
    corners = np.array(
        [[0.1, 0.1, 0.0], [0.1, -0.1, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0], [5.0, 0.0, 0.0]]
    )
    forces = np.zeros((5, 3))
    forces[:, 2] = 30.0, 30.0, 10.0, 10.0, 7.0
    positions, sums = forces_by_body(corners, forces, np.array([2, 2, 2, 2, -1]))
    np.testing.assert_allclose(positions, [[5.0, 0.0, 0.0], [0.05, 0.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(sums, [[0.0, 0.0, 7.0], [0.0, 0.0, 80.0]])
    alone = forces_by_body(corners, forces, np.full(5, -1))
    assert alone[0] is corners
