"""Who may use the viewer, and what pages may say. Whole attacks are in `tests/attack/test_pages.py`."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any

import msgspec
import pytest

import footfall
from benchmarks.attack.pages import Request, Visitor, status
from footfall.errors import MissingPackage
from footfall.viewer import chromium
from footfall.viewer.guard import Guard, is_allowed, is_loopback
from footfall.viewer.show import View
from tests.eventually import eventually


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        *(("localhost", True), ("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("[::1]", True)),
        *(("0.0.0.0", False), ("192.168.1.2", False), ("example.org", False), ("", False)),
    ],
)
def test_this_machine_alone(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
    assert bool(Guard(host).token) is not loopback


def test_the_secret_part_is_needed() -> None:
    guard = Guard("0.0.0.0")
    assert guard.refusal(guard.path, "robot.example:8080", None) is None
    assert guard.refusal(guard.path.rstrip("/"), "robot.example:8080", "http://robot.example:8080") is None
    for path in ("/", "/x/", guard.path[:-3], f"/{guard.token}x/", "*", ""):
        assert _refused(guard, path)
    assert guard.refusal(guard.path, "robot.example:8080", "http://evil.example") is not None
    assert guard.token != Guard("0.0.0.0").token


def _refused(guard: Guard, path: str) -> bool:
    try:
        return guard.refusal(path, "robot.example:8080", None) is not None
    except LookupError:  # which is refused as well
        return True


def test_origins_that_are_named_are_welcome() -> None:
    guard = Guard("localhost", origins=["https://hub.example"])
    assert guard.refusal("/", "localhost:8080", "https://hub.example") is None
    assert guard.refusal("/", "localhost:8080", "https://hub.example.evil") is not None


def test_a_served_secret() -> None:
    """As on a server for others, on this machine."""
    robot = footfall.load("arm-7r")
    with View(robot, port=0, token=True) as view:
        bare = f"http://localhost:{view.stage.port}"
        assert view.address.startswith(f"{bare}/")
        assert len(view.address) > len(bare) + 20
        with urllib.request.urlopen(view.address) as answer:
            assert b"<html" in answer.read().lower()
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(bare)
        assert status(view.stage.port, Request("", {"Host": f"localhost:{view.stage.port}"})) == 403
        with Visitor(view.address) as visitor:
            visitor.look()
            assert eventually(view.stage.server.get_clients)


CAMERA: dict[str, Any] = {
    "type": "ViewerCameraMessage",
    "wxyz": [1, 0, 0, 0],
    "position": [1.0, 2.0, 3.0],
    "fov": 0.7,
    "near": 0.01,
    "far": 100,
    "image_height": 480,
    "image_width": 640.5,
    "look_at": [0, 0, 0],
    "up_direction": [0, 0, 1],
}


def test_messages_of_pages() -> None:
    def allowed(content: Any) -> bool:
        return is_allowed(msgspec.msgpack.encode(content))

    assert allowed(CAMERA)
    assert not allowed({**CAMERA, "position": [1.0, 2.0]})
    assert not allowed({**CAMERA, "position": [1.0, 2.0, float("nan")]})
    assert not allowed({**CAMERA, "fov": float("inf")})
    update = {"type": "GuiUpdateMessage", "uuid": "a"}
    for value in (True, 3, 0.5, "1x", [0.0, 60.0, -1.5]):
        assert allowed({**update, "updates": {"value": value}})
    for value in (None, [1], [1.0, 2.0, 1e300], [1.0, 2.0, "3"], {"a": 1}, float("nan"), "x" * 2000):
        assert not allowed({**update, "updates": {"value": value}})
    assert not allowed({**update, "updates": {"removed": True}})
    assert not allowed({**update, "updates": {"value": 1.0, "removed": True}})
    assert not allowed({**update, "updates": {"value": 1.0}, "other": "x" * 20_000})
    assert allowed({"type": "GetRenderResponseMessage", "payload": b"x" * 100_000, "render_uuid": "a"})
    for kind in ("ShareUrlRequest", "FileTransferPart", "GuiFormSubmitMessage"):
        assert not allowed({"type": kind})


def test_a_server_that_cannot_be_guarded_is_an_error() -> None:
    guard = Guard("localhost")
    with pytest.raises(MissingPackage, match=r"viser 1\.1"), guard.watching():
        pass  # no server was started


def test_the_sandbox_is_left_out_for_root_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert chromium.sandbox_flags() == []
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert chromium.sandbox_flags() == ["--no-sandbox"]
    assert "without its sandbox" in caplog.text
