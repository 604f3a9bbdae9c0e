"""Recordings with ROS 2 messages, read back by the field's own readers: mcap-ros2-support and rosbags."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli.application import app
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.recording.reader import Recording, read_recording
from footfall.recording.ros2 import write_ros2
from footfall.recording.writer import RecordingWriter
from footfall.robot.orientation import matrix_from_quaternion

pytest.importorskip("mcap_ros2")
rosbags = pytest.importorskip("rosbags.highlevel")

PLAN = {
    "feet": [
        {"foot": "right", "position": [0.1, -0.1, 0.0], "rotation": [1.0, 0.0, 0.0, 0.0]},
        {"foot": "left", "position": [0.3, 0.1, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0]},
    ],
    "hands": [{"step": 1, "hand": "RH", "position": [0.5, -0.4, 1.0]}],
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Random states of a quadruped, 50 at 100 Hz, with forces on two of its bodies."""
    robot = footfall.load("point-foot-quadruped")
    generator = np.random.default_rng(4)
    path = tmp_path_factory.mktemp("ros2") / "run.mcap"
    with RecordingWriter(path, robot, scene=footfall.load_scene("blocks"), dt=0.01) as writer:
        for step in range(50):
            q = generator.uniform(-1.0, 1.0, robot.nq)
            q[3:7] /= np.linalg.norm(q[3:7])
            writer.state(step / 100, q, generator.normal(size=robot.nv), generator.normal(size=robot.nv))
            writer.contacts(
                step / 100, generator.normal(size=(3, 3)), generator.normal(size=(3, 3)), bodies=[2, 2, 5]
            )
        writer.event(0.1, "plan", PLAN)
        writer.signals(
            [0.0, 0.1], {"height": [0.5, 0.25], "slip": np.ones((2, 3))}, {"height": "m", "slip": "m"}
        )
    return read_recording(path)


def _by_mcap_ros2(path: Path) -> dict[str, list[Any]]:
    from mcap_ros2.reader import read_ros2_messages

    found = defaultdict(list)
    for message in read_ros2_messages(str(path)):
        found[message.channel.topic].append(message.ros_msg)
    return found


def _by_rosbags(path: Path) -> dict[str, list[Any]]:
    """With the definitions that rosbags has of ROS 2 Humble, not those of the file."""
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    found = defaultdict(list)
    with rosbags.AnyReader([path], default_typestore=store) as reader:
        for connection, _, raw in reader.messages():
            found[connection.topic].append(store.deserialize_cdr(raw, connection.msgtype))
    return found


@pytest.fixture(scope="module", params=[_by_mcap_ros2, _by_rosbags])
def topics(
    request: Any, recording: Recording, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Any]]:
    path = tmp_path_factory.mktemp("written") / "run.ros2.mcap"
    write_ros2(recording, path)
    found: dict[str, list[Any]] = request.param(path)
    return found


def test_joints_come_back_bit_for_bit(recording: Recording, topics: dict[str, list[Any]]) -> None:
    robot = recording.robot
    names = [joint.name for joint in robot.joints if joint.type.coordinates == 1]
    assert len(topics["/joint_states"]) == 50
    for row, message in enumerate(topics["/joint_states"]):
        assert list(message.name) == names
        at_q = [robot.q_slice(name).start for name in names]
        at_v = [robot.v_slice(name).start for name in names]
        np.testing.assert_array_equal(message.position, recording.q[row, at_q])
        np.testing.assert_array_equal(message.velocity, recording.v[row, at_v])
        np.testing.assert_array_equal(message.effort, recording.tau[row, at_v])
        assert message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec == pytest.approx(row / 100)


def _pose(translation: Any, rotation: Any) -> Transform:
    turn = matrix_from_quaternion((rotation.w, rotation.x, rotation.y, rotation.z))
    return Transform(turn, np.array([translation.x, translation.y, translation.z]))


def test_transforms_make_up_the_robot(recording: Recording, topics: dict[str, list[Any]]) -> None:
    robot = recording.robot
    row = 17
    tree = {
        each.child_frame_id: (
            each.header.frame_id,
            _pose(each.transform.translation, each.transform.rotation),
        )
        for message in (*topics["/tf_static"], topics["/tf"][row])
        for each in message.transforms
    }
    expected = forward_kinematics(robot, recording.q[row])
    for index, body in enumerate(robot.bodies):
        name, pose = body.name, Transform(np.eye(3), np.zeros(3))
        while name != "world":
            name, step = tree[name]
            pose = step @ pose
        np.testing.assert_allclose(pose.translation, expected.position[index], atol=1e-12)
        np.testing.assert_allclose(pose.rotation, expected.rotation[index], atol=1e-12)
    base = topics["/base_pose"][row].pose
    np.testing.assert_allclose(
        _pose(base.position, base.orientation).translation, recording.q[row, :3], atol=1e-12
    )


def test_wrenches_are_those_of_the_contacts(recording: Recording, topics: dict[str, list[Any]]) -> None:
    row, contacts = 8, recording.contacts
    rows = contacts.at(row)
    poses = forward_kinematics(recording.robot, recording.q[row])
    for index in (2, 5):
        name = recording.robot.bodies[index].name
        message = topics[f"/contact_wrench/{name}"][row]
        assert message.header.frame_id == name
        chosen = contacts.body[rows] == index
        force = contacts.force[rows][chosen]
        arms = contacts.position[rows][chosen] - poses.position[index]
        turn = poses.rotation[index]
        for found, wanted in (
            (message.wrench.force, force.sum(axis=0)),
            (message.wrench.torque, np.cross(arms, force).sum(axis=0)),
        ):
            np.testing.assert_allclose(turn @ [found.x, found.y, found.z], wanted, atol=1e-12)
    assert len(topics["/contact_forces"][row].markers) == 1 + 3


def test_plan_scene_signals_and_events(recording: Recording, topics: dict[str, list[Any]]) -> None:
    (plan,) = topics["/plan"]
    assert [marker.ns for marker in plan.markers] == ["", "feet", "feet", "hands"]
    second = plan.markers[2].pose
    assert (second.position.x, second.orientation.z, second.orientation.w) == (0.3, 1.0, 0.0)
    assert len(topics["/scene"][0].markers) >= 1
    assert [message.data for message in topics["/signals/height"]] == [0.5, 0.25]
    assert list(topics["/signals/slip"][0].data) == [1.0, 1.0, 1.0]
    assert json.loads(topics["/events"][0].data)["name"] == "plan"
    description = topics["/robot_description"][0].data
    assert description.startswith("<?xml")
    assert all(f'<link name="{body.name}"' in description for body in recording.robot.bodies)


def test_rates_layout_and_errors(recording: Recording, tmp_path: Path) -> None:
    written = write_ros2(recording, tmp_path / "slow.mcap", rate=10.0)
    assert len(_by_mcap_ros2(written[0])["/joint_states"]) == 5
    layout = json.loads(written[1].read_text())
    values = [path["value"] for path in layout["configById"]["Plot!forces"]["paths"]]
    names = [recording.robot.bodies[index].name for index in (2, 5)]
    assert values == [f"/contact_wrench/{name}.wrench.force.z" for name in names]
    panels = json.dumps(layout["layout"])
    assert all(panel in panels for panel in layout["configById"])
    for rate in (0.0, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="above 0 Hz"):
            write_ros2(recording, tmp_path / "wrong.mcap", rate=rate)
    assert not (tmp_path / "wrong.mcap").exists()


def test_the_command(recording: Recording, tmp_path: Path) -> None:
    run = CliRunner().invoke
    target = str(tmp_path / "run.ros2.mcap")
    result = run(app, ["export", str(recording.path), target])
    assert result.exit_code == 0, result.output
    assert "run.ros2.layout.json" in " ".join(result.output.split())
    assert run(app, ["export", str(recording.path), str(tmp_path / "a.csv"), "--rate", "5"]).exit_code == 2
    assert run(app, ["export", str(recording.path), str(recording.path), "--force"]).exit_code == 2
