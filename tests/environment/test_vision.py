"""The vision interface: containers to the bit, worlds aligned, a second process that plays, peers that misbehave."""

from __future__ import annotations

import contextlib
import logging
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from footfall import Transform
from footfall.environment import (
    ControlSide,
    ControlToVision,
    Environment,
    EnvironmentManager,
    EnvironmentUpdate,
    FrameMotion,
    ImuReading,
    MotionCapture,
    PerceptionRecorder,
    PoseHistory,
    VisionSide,
    VisionToControl,
    read_perception,
    updated,
    vision_in_planning,
)
from footfall.environment.model import whole
from footfall.environment.vision.alignment import in_planning, tilt_between
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import motion_of
from footfall.errors import CannotWrite, FootfallError, InvalidMessage, TooLate
from footfall.math.rotations import matrix_from_rotation_vector, rotation_z
from footfall.messages import LinkOptions, Message, Signal
from footfall.messages.frames import MessageReader, message_bytes
from tests.environment.test_model import assert_same, random_environment
from tests.eventually import eventually
from tests.poses import random_pose
from tests.refusals import is_refused


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "footfall.messages")


def random_control(seed: int, time: float = 1.0) -> ControlToVision:
    rng = np.random.default_rng(seed)

    def motion() -> FrameMotion:
        quaternion = rng.normal(size=4)
        return FrameMotion(
            rng.normal(size=3),
            quaternion / np.linalg.norm(quaternion),
            rng.normal(size=3),
            rng.normal(size=3),
        )

    reading = ImuReading(rng.normal(size=3), rng.normal(size=3), rng.normal(size=3))
    signals = (Signal("start calibration"), Signal("gain", 0.5), Signal("name", "ü"), Signal("count", 3))
    return ControlToVision(time, time - 0.01, motion(), motion(), reading, signals)


def random_vision(seed: int, environment: Environment | None = None) -> VisionToControl:
    rng = np.random.default_rng(seed)
    environment = environment or random_environment(seed)
    update = whole(environment)
    update = EnvironmentUpdate(
        frozenset({(3, 4), (-5, 6)}), update.patches, frozenset({"gone"}), update.objects, update.everything
    )
    return VisionToControl(2.5, random_pose(rng), random_pose(rng), (Signal("reset model"),), update)


def through(message: Message, *, compressed: bool = True) -> Message:
    (came,) = MessageReader().feed(message_bytes(message, compressed=compressed))
    return came


# Containers


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_containers_come_as_they_were_sent(seed: int, compressed: bool) -> None:
    sent = random_control(seed)
    came = read_container(through(container_message(sent), compressed=compressed))
    assert isinstance(came, ControlToVision)
    assert (came.time, came.acquired, came.signals) == (sent.time, sent.acquired, sent.signals)
    for one, two in ((came.camera, sent.camera), (came.imu, sent.imu)):
        for name in ("position", "quaternion", "velocity", "angular_velocity"):
            assert (getattr(one, name) == getattr(two, name)).all()
    assert came.reading is not None
    assert sent.reading is not None
    assert (came.reading.acceleration == sent.reading.acceleration).all()
    vision = random_vision(seed)
    back = read_container(through(container_message(vision), compressed=compressed))
    assert isinstance(back, VisionToControl)
    assert back.acquired == vision.acquired
    assert back.signals == vision.signals
    assert (back.update.reset, back.update.remove) == (vision.update.reset, vision.update.remove)
    assert_same(updated(Environment(), back.update), updated(Environment(), vision.update))
    np.testing.assert_allclose(back.vision_camera.rotation, vision.vision_camera.rotation, atol=1e-15)
    capture = MotionCapture(3.0, {"pelvis": random_pose(np.random.default_rng(seed))})
    seen = read_container(through(container_message(capture)))
    assert isinstance(seen, MotionCapture)
    np.testing.assert_allclose(seen.bodies["pelvis"].rotation, capture.bodies["pelvis"].rotation, atol=1e-15)


def test_what_cannot_be_is_not_made() -> None:
    with pytest.raises(InvalidMessage, match="quaternion has length"):
        FrameMotion(np.zeros(3), np.array([2.0, 0, 0, 0]))
    with pytest.raises(InvalidMessage, match="3 finite numbers"):
        FrameMotion(np.array([0.0, np.nan, 0.0]), np.array([1.0, 0, 0, 0]))
    with pytest.raises(InvalidMessage, match="a time is"):
        VisionToControl(float("nan"), Transform(np.eye(3), np.zeros(3)), Transform(np.eye(3), np.zeros(3)))
    with pytest.raises(InvalidMessage, match="kind 99"):
        read_container(Message(99, b""))


@pytest.mark.parametrize("kind", [16, 17, 18])
def test_mutated_containers_are_refused_with_our_errors(kind: int) -> None:
    rng = np.random.default_rng(kind)
    small = Environment(objects=dict(list(random_environment(0).objects.items())[:1]))
    seeds = {
        16: container_message(random_control(0)).content,
        17: container_message(random_vision(0, small)).content,
        18: container_message(MotionCapture(1.0, {"a": random_pose(rng)})).content,
    }
    refused = 0
    for _ in range(1500):
        data = bytearray(seeds[kind])
        for _ in range(rng.integers(1, 5)):
            place = int(rng.integers(len(data)))
            if rng.uniform() < 0.2:
                del data[place : place + int(rng.integers(1, 9))]
            else:
                data[place] = int(rng.integers(256))
        refused += is_refused(FootfallError, lambda data=bytes(data): read_container(Message(kind, data)))
    assert 100 < refused < 1500


# Worlds and clocks


def test_landmarks_coincide_whatever_the_drift() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        drift = Transform(rotation_z(float(rng.uniform(-3, 3))), rng.normal(size=3))  # planning from vision
        camera = random_pose(rng)  # in vision's world
        found = vision_in_planning(drift @ camera, camera)
        points = rng.normal(size=(5, 3))
        expected = np.array([drift.apply(point) for point in points])
        assert np.abs(in_planning(found, points) - expected).max() < 1e-12
        assert tilt_between(drift @ camera, camera) < 1e-7


def test_the_alignment_never_tilts() -> None:
    """Both poses are a little wrong: the formula as it stands in the source would tilt the floor."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        camera = random_pose(rng)
        drift = Transform(rotation_z(float(rng.uniform(-3, 3))), rng.normal(size=3))
        wrong = matrix_from_rotation_vector(0.05 * rng.normal(size=3))
        planned = drift @ camera
        planned = Transform(planned.rotation @ wrong, planned.translation)
        found = vision_in_planning(planned, camera)
        assert np.abs(found.rotation[2] - (0, 0, 1)).max() == 0.0
        assert np.abs(found.rotation[:, 2] - (0, 0, 1)).max() == 0.0
        plain = planned.rotation @ camera.rotation.T  # (4.1)
        assert np.abs(plain[2] - (0, 0, 1)).max() > 1e-6
        # No other turn about z is nearer to it.
        for other in rng.uniform(-np.pi, np.pi, 20):
            assert np.trace(found.rotation.T @ plain) >= np.trace(rotation_z(other).T @ plain) - 1e-12
        # The camera itself is where planning says.
        np.testing.assert_allclose(
            in_planning(found, camera.translation[None])[0], planned.translation, atol=1e-12
        )


def test_poses_between_samples() -> None:
    """A camera on a screw motion at constant rates is met between samples, and a little beyond."""
    history, rate, speed = PoseHistory(seconds=0.5), np.array([0.0, 0.0, 1.2]), np.array([0.3, 0.0, -0.1])

    def motion(t: float) -> FrameMotion:
        half = 0.6 * t
        return FrameMotion(speed * t, np.array([np.cos(half), 0, 0, np.sin(half)]), speed, rate)

    with pytest.raises(InvalidMessage, match="nothing is known"):
        history.at(0.0)
    for k in range(101):
        history.add(ControlToVision(0.01 * k, 0.01 * k, motion(0.01 * k), motion(0.01 * k)))
    for t in (0.501, 0.75, 0.9949, 1.0, 1.05):
        pose = history.at(t)
        np.testing.assert_allclose(pose.translation, speed * t, atol=1e-12)
        np.testing.assert_allclose(pose.rotation, rotation_z(1.2 * t), atol=1e-12)
    for t in (0.4, 1.2):
        with pytest.raises(InvalidMessage, match=r"known is 0\.5 to 1 s"):
            history.at(t)


# Over TCP


def test_vision_and_control_talk() -> None:
    told: list[ControlToVision] = []
    environment = random_environment(5)
    with EnvironmentManager() as manager, ControlSide(manager) as control:
        assert control.address[0] == "127.0.0.1"
        with VisionSide(control.address, received=told.append) as vision:
            assert eventually(lambda: bool(control.listener.peers))
            for k in range(5):
                control.send(random_control(k, time=0.01 * k))
            assert eventually(lambda: len(told) == 5)
            pose = vision.camera_at(0.025)
            other = random_pose(np.random.default_rng(0))
            sent = VisionToControl(0.025, pose, other, (Signal("done"),), whole(environment))
            vision.send(sent)
            vision.send(MotionCapture(0.03, {"pelvis": pose}))
            assert eventually(lambda: manager.current.version > 0)
            assert eventually(lambda: len(control.captures) == 1)
            assert_same(manager.current, environment)
            assert control.alignment is not None
            expected = vision_in_planning(sent.planning_camera, sent.vision_camera)
            np.testing.assert_allclose(control.alignment.translation, expected.translation, atol=1e-12)
            assert control.take_signals() == [Signal("done")]
            assert control.take_signals() == []


def test_nonsense_leaves_the_environment_as_it_is() -> None:
    environment = random_environment(6)
    with (
        EnvironmentManager(environment) as manager,
        ControlSide(manager, options=LinkOptions(patience=0.5)) as control,
    ):
        bad = [
            b"\x00" * 100,
            message_bytes(Message(17, b"nothing")),
            message_bytes(container_message(random_control(0))),  # for the other side
            message_bytes(container_message(random_vision(1)))[:-10],  # dies in the middle
        ]
        for content in bad:
            link = socket.create_connection(control.address)
            link.sendall(content)
            link.shutdown(socket.SHUT_WR)
            assert eventually(lambda: not control.listener.peers)
            link.close()
        assert eventually(lambda: len(control.listener.left) == len(bad))
        assert manager.current is environment
        with VisionSide(control.address) as vision:
            vision.send(random_vision(2))
            assert eventually(lambda: manager.current.version > environment.version)


PLAYER = """
import sys
from footfall.environment import VisionSide, read_perception

with VisionSide(("127.0.0.1", int(sys.argv[1]))) as vision:
    for container in read_perception(sys.argv[2]):
        vision.send(container)
        vision.connection.flush()
"""


def test_a_second_process_plays_recorded_perception(tmp_path: Path) -> None:
    path = tmp_path / "seen.mcap"
    environments = [random_environment(k) for k in range(3)]
    with PerceptionRecorder(path) as recorder:
        for k, environment in enumerate(environments):
            pose = random_pose(np.random.default_rng(k))
            recorder.add(VisionToControl(0.1 * k, pose, pose, (), whole(environment)))
    with EnvironmentManager() as manager, ControlSide(manager) as control:
        port = control.address[1]
        subprocess.run([sys.executable, "-c", PLAYER, str(port), str(path)], check=True)
        assert eventually(lambda: sum("closed" in text for text in control.listener.left) == 1)
        assert manager.settle(240.0)
        assert_same(manager.current, environments[-1])


# Recordings


def test_recorded_perception_that_fails_refuses_more(tmp_path: Path) -> None:
    recorder = PerceptionRecorder(tmp_path / "seen.mcap")
    recorder.add(random_vision(0))
    recorder._file.stream.close()  # as a disk that is gone
    with pytest.raises(CannotWrite, match="any further"):
        recorder.close()
    with pytest.raises(TooLate):
        recorder.add(random_vision(1))


def test_recorded_perception_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "seen.mcap"
    containers = [random_vision(k) for k in range(4)]
    with PerceptionRecorder(path) as recorder:
        for container in containers:
            recorder.add(container)
    back = list(read_perception(path))
    assert [each.acquired for each in back] == [each.acquired for each in containers]
    for one, two in zip(back, containers, strict=True):
        assert_same(updated(Environment(), one.update), updated(Environment(), two.update))
    with pytest.raises(FileExistsError):
        PerceptionRecorder(path)
    content = path.read_bytes()
    cut = tmp_path / "cut.mcap"
    for share in (0.0, 0.1, 0.5, 0.9):
        cut.write_bytes(content[: int(share * len(content))])
        with contextlib.suppress(InvalidMessage):
            assert len(list(read_perception(cut))) <= 4
    cut.write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidMessage, match="no recorded perception"):
        list(read_perception(cut))


def test_frames_at_rest() -> None:
    pose = random_pose(np.random.default_rng(0))
    np.testing.assert_allclose(motion_of(pose).pose.rotation, pose.rotation, atol=1e-12)
