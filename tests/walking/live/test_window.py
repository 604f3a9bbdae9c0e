"""What a live walk shows to other processes: the same rows, plans and things as it has itself; and who may look."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from footfall.errors import InvalidInput, PeerGone
from footfall.messages import read_log
from footfall.walking import WalkRequest
from footfall.walking.hardware import Stage
from footfall.walking.live import window as rooms
from footfall.walking.live.capture import BODIES, NOISE_M, CaptureLink, CaptureServer
from footfall.walking.live.commands import CommandServer
from footfall.walking.live.followed import FollowedSession
from footfall.walking.live.session import LiveSession
from footfall.walking.live.window import EVERY, Window, WindowLink
from footfall.walking.mailbox import BORDER
from footfall.walking.session import WalkSession
from footfall.walking.signals import Drive, EmergencyStop
from footfall.walking.walker import WalkingCode
from tests.eventually import eventually

_REQUEST = WalkRequest(scene="flat", noise=True, seed=1006, live=True)


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkSession(msgspec.structs.replace(_REQUEST, live=False)).code


class Shown:
    """A live walk, and what another process would show of it."""

    def __init__(self, code: WalkingCode) -> None:
        self.session = LiveSession(_REQUEST, code=code)
        self.session.run(0.05)
        self.window = Window(self.session)
        self.commands = CommandServer("shown", window=self.window)
        self.followed = FollowedSession(self.commands.address)

    def go(self, seconds: float) -> None:
        """Both go on."""
        for _ in range(round(seconds / (BORDER * 1e-3))):
            self.session.run(BORDER * 1e-3)
            self.commands.serve(self.session)
            self.followed.run(0.0)
        self.window.follow(self.session)
        assert eventually(self._told)

    def _told(self) -> bool:
        """Whether the other one has heard of all that there is."""
        walk, seen = self.session, self.followed
        seen.run(0.0)
        return (
            len(seen.sent) == len(walk.sent)
            and len(seen.pilot.versions) == len(walk.pilot.versions)
            and seen.pilot.motion.end_time == walk.pilot.motion.end_time
            and seen.operator.stage is walk.operator.stage
            and seen.links == self.window.links
        )

    def close(self) -> None:
        self.followed.close()
        self.commands.close()
        self.window.close()
        self.session.close()


@pytest.fixture
def shown(code: WalkingCode) -> Iterator[Shown]:
    made = Shown(code)
    yield made
    made.close()


def test_another_session_shows_what_a_walk_does_and_tells_it_what_to_do(shown: Shown) -> None:
    walk, seen = shown.session, shown.followed
    shown.go(0.3)
    here = float(seen.walker.arrays[0].q[0])
    seen.drive(0.3)
    assert eventually(lambda: not shown.commands._waiting.empty())
    shown.go(1.5)
    assert any(isinstance(each, Drive) for each in walk.sent)
    assert seen.refusals() == []
    assert seen.walker.arrays[0].q[0] > here + 0.05  # it walks
    # Its rows are those of the walk, every twentieth.
    log, rows = walk.walker.log, seen.walker.log
    assert len(rows.q) > 60
    for k in range(len(rows.q)):
        row = round(float(rows.signals["time"][k]) / 1e-3)
        np.testing.assert_array_equal(rows.q[k], log.q[row])
        assert rows.signals[k] == log.signals[row]
    assert np.diff(rows.signals["time"]) == pytest.approx(EVERY * 1e-3)
    assert seen.pilot.motion.end_time == walk.pilot.motion.end_time
    assert [each.about for each in seen.pilot.versions] == [each.about for each in walk.pilot.versions]
    assert seen.links == (True, None, 1, 1, 0)


def test_things_that_come_are_shown_and_refusals_are_told(shown: Shown) -> None:
    walk, seen = shown.session, shown.followed
    shown.go(0.1)
    seen.happen("add", name="box", size=(0.2, 0.2, 0.2), position=(2.0, 1.0, 0.1))
    assert eventually(lambda: not shown.commands._waiting.empty())
    shown.go(0.1)
    assert [each.name for each in seen.walker.scene.objects] == [
        each.name for each in walk.walker.scene.objects
    ]
    seen.set("gains.force_rate", "much")
    refused: list[str] = []
    assert eventually(lambda: (shown.commands.serve(walk), refused.extend(seen.refusals()), refused)[2])
    assert "must be a number" in refused[0]
    seen.send(EmergencyStop())
    assert eventually(lambda: not shown.commands._waiting.empty())
    shown.go(0.1)
    assert seen.operator.stage is Stage.ERROR


def test_who_comes_later_sees_everything_and_who_dies_is_not_missed(shown: Shown) -> None:
    shown.session.drive(0.2)
    shown.go(1.0)
    later = FollowedSession(shown.commands.address)
    shown.go(0.2)
    assert eventually(lambda: (later.run(0.0), len(later.sent) == len(shown.session.sent))[1])
    assert later.time == shown.followed.time
    assert [each.word for each in later.sent] == [each.word for each in shown.session.sent]
    later._window._link.shutdown(socket.SHUT_RDWR)  # as if it were killed
    assert eventually(lambda: (shown.window.follow(None), shown.window.links.viewers)[1] == 1)
    shown.go(0.1)
    later.close()


def test_the_end_of_a_walk_is_told(code: WalkingCode) -> None:
    made = Shown(code)
    made.go(0.1)
    made.window.close()
    assert eventually(lambda: made.followed._window.ended)
    with pytest.raises(PeerGone, match="has ended"):
        made.followed.run(0.0)
    with pytest.raises(PeerGone, match="shows nothing any more"):
        WindowLink(made.window.name)
    made.followed.close()
    made.commands.close()
    made.session.close()


def test_other_users_see_nothing(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    viewers = shown.window.links.viewers
    own = os.geteuid()
    monkeypatch.setattr(rooms.os, "geteuid", lambda: own + 1)  # both ends take the other for a stranger
    with pytest.raises(PeerGone, match="another user"):
        WindowLink(shown.window.name)
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(240.0)
    link.connect(f"\0{shown.window.name}")
    assert link.recv(1) == b""  # nothing is told
    link.close()
    time.sleep(0.05)
    assert shown.window.links.viewers == viewers


def test_a_panel_can_begin_no_other_walk(shown: Shown) -> None:
    from footfall.viewer.attached_panel import _no_other

    with pytest.raises(InvalidInput, match="end that by Ctrl-C"):
        _no_other()


def test_motion_capture_has_the_times_of_the_walk(code: WalkingCode, tmp_path: Path) -> None:
    session = LiveSession(_REQUEST, code=code)
    session.run(0.05)
    place = tmp_path / "seen.mcap"
    with CaptureServer(session, token="right", path=place, seed=3) as server:
        link = CaptureLink(server.port, token="right")
        stranger = CaptureLink(server.port, token="wrong")
        # Who does not know the token is left.
        assert eventually(lambda: [each.trusted for each in server._listener.peers] == [True])
        for _ in range(60):
            session.run(BORDER * 1e-3)
            server.serve()
            server.serve()  # once a border
        assert eventually(lambda: len(link.captures) > 10)
        assert len(stranger.captures) == 0
        link.close()
        stranger.close()
    found = read_log(place)
    assert found["true"].rows.shape == found["captured"].rows.shape == (60, 7 * len(BODIES))
    np.testing.assert_allclose(np.diff(found["true"].time), BORDER * 1e-3, atol=1e-9)
    away = (found["captured"].rows - found["true"].rows).reshape(60, len(BODIES), 7)[:, :, :3]
    # The mean square of n errors of one axis is within 4 sqrt(2 / n) of the variance.
    count = away.size
    assert abs(np.mean(away**2) / NOISE_M**2 - 1.0) < 4.0 * np.sqrt(2.0 / count)
    for capture in link.captures:
        row = round((capture.time - found["true"].time[0]) / (BORDER * 1e-3))
        own = found["captured"].rows[row].reshape(len(BODIES), 7)
        np.testing.assert_array_equal(capture.bodies["UB"].translation, own[0, :3])
    session.close()
