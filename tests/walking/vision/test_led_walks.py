"""Walks that another process leads: to the same bits again, in spite of its death, its silence and nonsense."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.environment import (
    EnvironmentUpdate,
    MotionCapture,
    PerceptionRecorder,
    VisionToControl,
    read_perception,
)
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import ControlToVision, FrameMotion
from footfall.errors import InvalidInput, InvalidMessage
from footfall.math.rotations import rotation_y
from footfall.math.transform import Transform
from footfall.messages import LinkOptions, Listener, Message
from footfall.messages.connection import Connection
from footfall.messages.frames import message_bytes
from footfall.messages.signals import Signal
from footfall.robot.shapes import Box
from footfall.scene.load import load_scene
from footfall.scene.model import SceneObject
from footfall.walking import WalkRequest, WalkSession
from footfall.walking.vision.link import BEGIN, TOKEN, VisionLink
from footfall.walking.vision.service import (
    RecordingSeer,
    SceneSeer,
    SeeingOptions,
    VisionService,
    seen_before,
)
from footfall.walking.walker import WalkingCode, soft_scene
from tests.eventually import eventually

_GOAL = (1.2, 0.2, 0.1)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "footfall.messages")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vision that is there is waited for, however seldom it comes to its turn."""
    monkeypatch.setattr("footfall.walking.vision.link._FIRST", 240.0)
    monkeypatch.setattr("footfall.walking.vision.link._PROMPT", 240.0)


def seer(sight: str = "exact") -> Callable[[], SceneSeer]:
    scene = soft_scene(load_scene("flat"))
    return lambda: SceneSeer(scene, SeeingOptions(sight=sight, seed=4))  # type: ignore[arg-type]


def led(address: tuple[str, int], **changes: object) -> WalkRequest:
    fields = {"goal": _GOAL, "noise": True, "seed": 4, "vision": f"{address[0]}:{address[1]}"} | changes
    return WalkRequest("flat", **fields)  # type: ignore[arg-type]


def events(session: WalkSession) -> list[str]:
    return [name for _, name, _ in session.happened if name.startswith("vision")]


def replays(session: WalkSession, code: WalkingCode) -> bool:
    """Whether the request of a walk and the file of its perception give the same bits."""
    request = session.request
    assert request.vision is None
    again = WalkSession(request, code=code)
    assert request.seconds is not None
    again.run_until(request.seconds)
    again.close()
    return np.array_equal(again.walker.log.q, session.walker.log.q)


@pytest.mark.usefixtures("patient")
def test_a_led_walk_arrives_and_replays_to_the_same_bits(code: WalkingCode, tmp_path: Path) -> None:
    place = tmp_path / "seen.mcap"
    with VisionService(seer()) as service:
        session = WalkSession(led(service.address, perception=str(place)), code=code)
        assert session.run_to_rest(30.0)
        session.close()
    assert session.succeeded
    assert events(session) == []
    assert replays(session, code)
    # A file that another walk has recorded leads as well, also through the service.
    with VisionService(lambda: RecordingSeer(place)) as service:
        other = WalkSession(led(service.address, seed=5), code=code)
        assert other.run_to_rest(30.0)
        other.close()
    assert other.succeeded
    # The bits come from the file: with its first containers alone the robot stops on the way.
    first = list(read_perception(place))[:8]
    with PerceptionRecorder(place, overwrite=True) as recorder:
        for container in first:
            recorder.add(container)
    assert not replays(session, code)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        return int(made.getsockname()[1])


def serving(port: int, token: str) -> subprocess.Popen[bytes]:
    words = ["perceive", "--serve", "flat", "--sight", "exact", "--port", str(port)]
    return subprocess.Popen(
        [sys.executable, "-m", "footfall", *words],
        env=os.environ | {TOKEN: token},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for each in started:
        each.kill()
        each.wait()


@pytest.mark.usefixtures("patient")
def test_vision_is_killed_and_comes_back(
    code: WalkingCode,
    tmp_path: Path,
    processes: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The robot goes on by its last map, comes to rest, waits, and goes on to its goal; with a token all the way."""
    monkeypatch.setenv(TOKEN, "a secret")
    monkeypatch.setattr("footfall.walking.session.GIVE_UP", 600.0)
    port = free_port()
    processes.append(serving(port, "a secret"))
    request = led(("127.0.0.1", port), perception=str(tmp_path / "seen.mcap"))
    session = WalkSession(request, code=code)
    link = session.sight.arrivals  # type: ignore[union-attr]
    assert isinstance(link, VisionLink)
    assert eventually(lambda: link.up)
    session.run_until(2.0)
    assert events(session) == []
    assert not session.pilot.rests(session.time)
    os.kill(processes[0].pid, signal.SIGKILL)
    session.run_until(2.4)
    assert not session.pilot.rests(session.time)  # the last map leads on
    session.run_until(5.0)
    assert events(session) == ["vision lost"]
    assert session.pilot.rests(session.time)
    assert not session.resting  # it waits to go on
    processes.append(serving(port, "a secret"))
    assert eventually(lambda: link.up)
    assert session.run_to_rest(60.0)
    assert events(session) == ["vision lost", "vision back"]
    assert session.succeeded
    assert link.connections == 2
    session.close()
    assert replays(session, code)


def test_who_does_not_know_the_token_sees_nothing(code: WalkingCode) -> None:
    with VisionService(seer(), token="right") as service:
        link = VisionLink("{}:{}".format(*service.address), token="wrong")
        assert eventually(lambda: "left" in link.status)
        assert service.served == 0
        link.close()


def test_nobody_there(code: WalkingCode, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without vision the robot stands, and says why."""
    monkeypatch.setattr("footfall.walking.session.GIVE_UP", 1.0)
    monkeypatch.setattr("footfall.walking.vision.link._FIRST", 0.1)
    session = WalkSession(led(("127.0.0.1", free_port())), code=code)
    session.run_to_rest(10.0)
    assert session.resting
    assert not session.succeeded
    assert "no listener" in str(session.problem)
    session.close()


class Liar:
    """A process that answers every question, by whatever it is told to make of the truth."""

    def __init__(self, answer: Callable[[ControlToVision], list[bytes]]) -> None:
        self._answer = answer
        self.listener = Listener(self._take, options=LinkOptions(waiting=1000))

    def _take(self, peer: Connection, message: Message) -> None:
        told = read_container(message)
        if isinstance(told, MotionCapture):
            return
        assert isinstance(told, ControlToVision)
        for data in self._answer(told):
            peer._link.sendall(data)


def message_of(acquired: float, planning: Transform, vision: Transform) -> bytes:
    return message_bytes(
        container_message(VisionToControl(acquired, planning, vision, update=EnvironmentUpdate()))
    )


def nonsense(told: ControlToVision) -> list[bytes]:
    here, now = told.camera.pose, told.acquired
    elsewhere = Transform(here.rotation, here.translation + np.array([0.06, 0.0, 0.0]))
    tilted = Transform(rotation_y(0.2) @ here.rotation, here.translation)
    good = container_message(VisionToControl(now, here, here))
    return [
        message_of(now + 100.0, here, here),  # of the future
        message_of(now - 100.0, here, here),  # long ago
        message_of(now, elsewhere, here),  # it was told something else
        message_of(now, here, tilted),  # floors are level
        message_bytes(Message(17, good.content[:-3])),
        message_bytes(Message(17, b"")),
        message_bytes(Message(99, good.content)),
        message_bytes(container_message(told)),  # what goes the other way
    ]


def test_wrong_data_is_refused_and_counted(code: WalkingCode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.walking.session.GIVE_UP", 0.5)
    monkeypatch.setattr("footfall.walking.vision.link._FIRST", 0.5)
    liar = Liar(nonsense)
    session = WalkSession(led(liar.listener.address), code=code)
    session.run_to_rest(10.0)
    link = session.sight.arrivals  # type: ignore[union-attr]
    assert link.refused >= 24
    assert link.connections == 1  # it is no reason to leave, yet
    assert session.sight.heard == -np.inf  # type: ignore[union-attr]
    assert events(session) == ["vision lost"]
    assert not session.fallen
    session.close()
    liar.listener.close()


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n", b"FFMS" + bytes(60), b"FFMS\x01\x11\x00\x00" + b"\xff" * 8]
)
def test_bytes_that_are_no_messages_end_the_connection_only(data: bytes, code: WalkingCode) -> None:
    liar = Liar(lambda told: [data])
    session = WalkSession(led(liar.listener.address), code=code)
    session.run_until(1.5)
    assert events(session) == ["vision lost"]
    session.close()
    liar.listener.close()


def test_who_sends_nothing_but_nonsense_is_left(code: WalkingCode) -> None:
    liar = Liar(lambda told: nonsense(told) * 20)
    link = VisionLink("{}:{}".format(*liar.listener.address))
    session = WalkSession(led(liar.listener.address), code=code)
    session.run_until(0.5)
    mine = session.sight.arrivals  # type: ignore[union-attr]
    assert eventually(lambda: mine.connections >= 2)
    session.close()
    link.close()
    liar.listener.close()


def test_eight_silent_peers_do_not_keep_the_ninth_out() -> None:
    """Those that do not introduce themselves in time give their places up."""
    with VisionService(seer(), limits=LinkOptions(first=2.0)) as service:
        silent = [socket.create_connection(service.address) for _ in range(8)]
        assert eventually(lambda: len(service.listener.peers) == 8)
        link = VisionLink("{}:{}".format(*service.address))
        assert eventually(lambda: any(peer.name in _names(link) for peer in service.listener.peers))
        assert eventually(lambda: len(service.listener.peers) == 1)
        assert link.up
        link.close()
        for each in silent:
            each.close()


def _names(link: VisionLink) -> list[str]:
    connection = link._connection
    if connection is None or not connection.open:
        return []
    host, port = connection._link.getsockname()[:2]
    return [f"{host}:{port}"]


@pytest.mark.parametrize(
    "address", ["", "localhost", "localhost:", ":5265", "localhost:0", "a:70000", "a:-1", "a:b"]
)
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(InvalidInput, match="HOST:PORT"):
        WalkRequest("flat", vision=address)


def test_sight_of_ones_own_beside_that_of_others_is_refused() -> None:
    with pytest.raises(InvalidInput, match="sees for the robot"):
        WalkRequest("flat", vision="localhost:1", sight="camera")
    with pytest.raises(InvalidInput, match="sees for the robot"):
        WalkRequest("flat", perception="a.mcap", localisation="none")


def test_a_scene_that_was_seen_before_is_told_to_each_walk() -> None:
    """Floors that end are seen once, whole, before walks connect; each walk is told of all of them."""
    floor = SceneObject("floor", Box((4.0, 3.0, 0.1)), Transform(np.eye(3), np.array([0.0, 0.0, -0.05])))
    scene = soft_scene(replace(load_scene("flat"), objects=(floor,)))
    options = SeeingOptions(sight="exact")
    whole = seen_before(scene, options)
    camera = FrameMotion(np.array([0.0, 0.0, 1.6]), np.array([1.0, 0.0, 0.0, 0.0]))
    for _ in range(2):
        seer = SceneSeer(scene, options, whole)
        begin = (Signal(BEGIN, 0.0),)
        assert list(seer.answers(ControlToVision(0.0, 0.0, camera, camera, None, begin), None)) == []
        (first,) = seer.answers(ControlToVision(0.2, 0.2, camera, camera), None)
        assert len(first.update.patches) >= 4 * 3 / 0.64**2
        (second,) = seer.answers(ControlToVision(0.4, 0.4, camera, camera), None)
        assert not second.update.patches  # nothing is new


def test_files_that_are_no_perception(code: WalkingCode, tmp_path: Path) -> None:
    place = tmp_path / "seen.mcap"
    place.write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidMessage, match="no recorded perception"):
        WalkSession(WalkRequest("flat", goal=_GOAL, perception=str(place)), code=code)


def test_a_request_finds_its_perception_beside_it(tmp_path: Path) -> None:
    from footfall.walking import read_request, write_request

    request = WalkRequest("flat", perception="/no/such/folder/seen.mcap")
    write_request(request, tmp_path / "a.walk.json")
    assert read_request(tmp_path / "a.walk.json").perception == request.perception
    (tmp_path / "seen.mcap").write_bytes(b"")
    assert read_request(tmp_path / "a.walk.json").perception == str(tmp_path / "seen.mcap")
