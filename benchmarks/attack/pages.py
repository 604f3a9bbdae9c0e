"""Attack the viewer as hostile web pages and hostile files do.

    python -m benchmarks.attack.pages [--messages 20000] [--seed 0]

Requests of pages of other origins and of names that lead here; messages that no page of ours sends, random ones among
them; scenes and recordings whose names are scripts. The viewer must refuse or ignore them, and go on to play.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import socket
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
import numpy as np

_LOOKS = 5000  # at a page, 50 ms apart: minutes, since machines are busy at times
_PATIENCE = 240.0  # s, likewise

SCRIPT = "<img src=x onerror=\"new WebSocket('ws://localhost:{port}/')\">"
MARKDOWN = (
    "![](http://localhost:{port}/picture) **loud** [link](javascript:alert(1)) </b></ul><script>1</script>"
)


class Request(NamedTuple):
    """A handshake, and whether it is ours."""

    what: str
    headers: dict[str, str]
    path: str = "/"
    welcome: bool = False


def requests(port: int) -> list[Request]:
    """Of a viewer that listens on this machine only."""
    here = f"localhost:{port}"
    return [
        Request("our page", {"Host": here, "Origin": f"http://{here}"}, welcome=True),
        Request(
            "our page by address",
            {"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}"},
            welcome=True,
        ),
        Request(
            "our page through a tunnel",
            {"Host": "localhost:9000", "Origin": "http://localhost:9000"},
            welcome=True,
        ),
        Request("a program without a page", {"Host": here}, welcome=True),
        Request("another page", {"Host": here, "Origin": "http://evil.example"}),
        Request("another page of this machine", {"Host": here, "Origin": "http://localhost:1"}),
        Request("a page that looks like ours", {"Host": here, "Origin": f"http://{here}.evil.example"}),
        Request("a user in the origin", {"Host": here, "Origin": f"http://{here}@evil.example"}),
        Request("a sandboxed page", {"Host": here, "Origin": "null"}),
        Request("an empty origin", {"Host": here, "Origin": ""}),
        Request(
            "a name that leads here",
            {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"},
        ),
        Request("a name that leads here, no origin", {"Host": f"evil.example:{port}"}),
        Request("no host", {}),
        Request("a page told to load another", {"Host": here}, path="/?websocket=ws://evil.example"),
        Request("a page told to play a file", {"Host": here}, path="/?playbackPath=http://evil.example"),
    ]


def messages() -> list[tuple[str, bytes]]:
    """What no page of ours sends."""
    encode = msgspec.msgpack.encode
    nested: Any = 1
    for _ in range(100_000):
        nested = [nested]
    deep = b"\x91" * 200_000 + b"\x01"
    update = {"type": "GuiUpdateMessage"}
    return [
        ("publish it", encode({"type": "ShareUrlRequest"})),
        ("unpublish it", encode({"type": "ShareUrlDisconnect"})),
        ("empty", b""),
        ("no type", encode({})),
        ("another type", encode({"type": "NoSuchMessage"})),
        ("a number", encode(5)),
        ("deep", deep),
        ("a constructor", encode({"type": "Message"})),
        ("a file", encode({"type": "FileTransferStartUpload", "source_component_uuid": "x"})),
        ("camera of text", encode({"type": "ViewerCameraMessage", "wxyz": "abcd"})),
        ("no control", encode({**update, "uuid": "nobody", "updates": {"value": 1.0}})),
        ("no updates", encode({**update, "uuid": "nobody"})),
        ("large", encode({**update, "uuid": "nobody", "updates": {"value": "x" * 10_000_000}})),
        ("text instead of bytes", b"text"),
    ]


def hostile_updates(uuid: str) -> Iterator[bytes]:
    """For one control."""
    values: list[dict[str, Any]] = [
        {"removed": True},
        {"sync_cb": None},
        {"update_cb": []},
        {"value": float("nan")},
        {"value": float("inf")},
        {"value": 1e308},
        {"value": -1e308},
        {"value": "nan"},
        {"value": "9" * 300},
        {"value": 2**63 - 1},
        {"value": "<script>"},
        {"value": None},
        {"value": True},
        {"value": [1, 2, 3]},
        {"value": {"a": 1}},
        {"value": 1.0, "removed": True},
        {"__class__": "x"},
        {"": 1},
    ]
    for updates in values:
        yield msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": uuid, "updates": updates})


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """A message with some bytes changed, inserted or left out."""
    content = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(len(content) + 1)
        match rng.randrange(3):
            case 0:
                content[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                content[place:place] = rng.randbytes(rng.choice((1, 4, 40)))
            case _:
                del content[place : place + rng.choice((1, 4, 40))]
    return bytes(content)


def status(port: int, request: Request) -> int:
    """Of the answer to a handshake."""
    lines = [
        f"GET {request.path} HTTP/1.1",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in request.headers.items()),
    ]
    with socket.create_connection(("localhost", port), timeout=_PATIENCE) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = connection.recv(4096).decode("latin-1")
    return int(answer.split()[1]) if answer.startswith("HTTP/1.1 ") else 0


class Visitor:
    """A page of ours, as far as the server can tell."""

    def __init__(self, address: str) -> None:
        import viser
        from websockets.sync.client import connect

        protocol: Any = f"viser-v{viser.__version__}"
        # No pings: a server on a busy processor may not answer them within their 20 s.
        options: dict[str, Any] = {"max_size": None, "open_timeout": _PATIENCE, "ping_interval": None}
        place = address.replace("http", "ws", 1).rstrip("/")
        self._connection = connect(place, subprotocols=[protocol], **options)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def say(self, message: bytes | str) -> None:
        self._connection.send(message)

    def look(self, x: float = 1.0) -> None:
        """Send the place of a camera, as every page does."""
        camera = {
            "type": "ViewerCameraMessage",
            "wxyz": [1.0, 0.0, 0.0, 0.0],
            "position": [x, 0.0, 0.0],
            "fov": 1.0,
            "near": 0.1,
            "far": 10.0,
            "image_height": 100,
            "image_width": 100,
            "look_at": [0.0, 0.0, 0.0],
            "up_direction": [0.0, 0.0, 1.0],
        }
        self.say(msgspec.msgpack.encode(camera))


@contextlib.contextmanager
def playing() -> Iterator[Any]:
    """A viewer that plays a recording, whose event has a script as its name."""
    import footfall
    from footfall.viewer.show import View

    robot = footfall.load("arm-7r")
    path = Path(tempfile.mkdtemp(prefix="footfall-attack-")) / "run.mcap"
    with footfall.RecordingWriter(path, robot, preview_rate=0.0) as writer:
        times = np.linspace(0.0, 10.0, 1001)
        q = np.tile(footfall.neutral(robot), (len(times), 1))
        writer.states(times, q, np.zeros((len(times), robot.nv)))
        writer.event(1.0, SCRIPT.format(port=1))
    with View(footfall.read_recording(path), port=0, play=True, loop=True) as view:
        yield view


@contextlib.contextmanager
def modelling() -> Iterator[Any]:
    """The page on which volumes are modelled, of a robot whose name and bodies are scripts."""
    import footfall
    from footfall.viewer.volume_tool import VolumeTool

    robot = footfall.load("arm-7r")
    fitted = footfall.volumes.fit_volumes(robot, bodies=[robot.bodies[1].name], most=2)
    hostile = replace(fitted, name=SCRIPT.format(port=1))
    with (
        tempfile.TemporaryDirectory(prefix="footfall-attack-") as folder,
        VolumeTool(hostile, Path(folder) / "volumes.toml", port=0) as tool,
    ):
        yield tool


@contextlib.contextmanager
def running() -> Iterator[Any]:
    """A live view of a simulation."""
    import footfall

    simulation = footfall.Simulation(footfall.load("double-pendulum"), None)
    with footfall.view(simulation, port=0) as view:
        yield view


def still_serves(shown: Any) -> bool:
    """Whether pages still come, and see controls."""
    server = shown.stage.server
    with Visitor(shown.address) as visitor:
        known = set(server.get_clients())
        visitor.look()
        for _ in range(_LOOKS):
            if set(server.get_clients()) - known:
                return not any(
                    handle._impl.removed for handle in server.gui._gui_input_handle_from_uuid.values()
                )
            time.sleep(0.05)
    return False


def other_pages(shown: Any, *, count: int, seed: int) -> dict[str, bool]:
    """The same attacks on a page that plays nothing."""
    outcome = refused_requests(shown)
    server = shown.stage.server
    controls = list(server.gui._gui_input_handle_from_uuid)
    shares: list[int] = []
    with patch.object(type(server), "request_share_url", lambda self: shares.append(1)):
        seeds = [message for _, message in messages() if message != b"text"]
        seeds += [message for uuid in controls for message in hostile_updates(uuid)]
        _say_all(shown, seeds)
        outcome["hostile messages"] = still_serves(shown)
        rng = random.Random(seed)
        short = [message for message in seeds if 0 < len(message) < 1000]
        _say_all(shown, (mutated(rng, short) for _ in range(count)))
        outcome[f"{count} mutations"] = still_serves(shown)
        outcome["nothing is published"] = not shares
    outcome["names are text"] = not any("<img" in text or "<script" in text for text in texts_on_page(shown))
    return outcome


def still_plays(view: Any) -> bool:
    """Whether time goes on, and pages still come and are heard."""
    view.player.timeline.playing = True
    before = view.player.timeline.now
    with Visitor(view.address) as visitor:
        known = set(view.stage.server.get_clients())
        visitor.look()
        for _ in range(_LOOKS):
            moved = view.player.timeline.now != before
            if moved and set(view.stage.server.get_clients()) - known:
                return bool(view.player._thread.is_alive())
            time.sleep(0.05)
    return False


def refused_requests(view: Any) -> dict[str, bool]:
    """Whether each request got the answer that it should."""
    port = view.stage.port
    return {
        request.what: (status(port, request) in (101, 200)) == request.welcome for request in requests(port)
    }


def ignored_messages(view: Any, *, count: int, seed: int) -> dict[str, bool]:
    """Whether the viewer goes on after each kind of message."""
    server = view.stage.server
    controls = list(server.gui._gui_input_handle_from_uuid)
    shares: list[int] = []
    outcome = {}
    with patch.object(type(server), "request_share_url", lambda self: shares.append(1)):
        for what, message in messages():
            with contextlib.suppress(OSError), Visitor(view.address) as visitor:
                visitor.look()
                visitor.say(message.decode() if message == b"text" else message)
                time.sleep(0.1)
            outcome[what] = still_plays(view)
        _say_all(view, [message for uuid in controls for message in hostile_updates(uuid)])
        outcome["fields of controls"] = still_plays(view) and not any(
            handle._impl.removed for handle in server.gui._gui_input_handle_from_uuid.values()
        )
        rng = random.Random(seed)
        seeds = [message for _, message in messages() if 0 < len(message) < 1000]
        seeds += [message for uuid in controls for message in hostile_updates(uuid)]
        _say_all(view, (mutated(rng, seeds) for _ in range(count)))
        outcome[f"{count} mutations"] = still_plays(view)
        outcome["nothing is published"] = not shares
    return outcome


def _say_all(view: Any, content: Iterable[bytes]) -> None:
    """Send messages, by another visitor where one is shown the door."""
    from websockets.exceptions import ConnectionClosed

    visitor = Visitor(view.address)
    for message in content:
        try:
            visitor.say(message)
        except ConnectionClosed:
            visitor = Visitor(view.address)
    time.sleep(0.5)
    visitor._connection.close()


def texts_on_page(view: Any) -> list[str]:
    """All that the server has pages take for HTML or Markdown."""
    import viser

    kinds = (viser.GuiHtmlHandle, viser.GuiMarkdownHandle)
    handles = view.stage.server.gui._gui_input_handle_from_uuid.values()
    found = [handle for handle in handles if isinstance(handle, kinds)]
    found += [
        child
        for container in view.stage.server.gui._container_handle_from_uuid.values()
        for child in getattr(container, "_children", {}).values()
        if isinstance(child, kinds)
    ]
    return [handle.content for handle in found]


def hostile_scene(port: int) -> Any:
    """A scene whose names are scripts that connect to a port."""
    import footfall
    from footfall import Scene, SceneObject

    script, markdown = SCRIPT.format(port=port), MARKDOWN.format(port=port)
    objects = tuple(
        SceneObject(name, footfall.Sphere(0.1)) for name in (script, markdown, "`" + script + "`", "plain")
    )
    return Scene(objects=objects, name=markdown)


def scripts_run(*, seconds: float = 8.0) -> int | None:
    """How often a browser connects to the port that scripts in names of a scene want; None without a browser."""
    from footfall.viewer.chromium import find_chromium, page_open
    from footfall.viewer.show import View

    if find_chromium() is None:
        return None
    with socket.socket() as trap:
        trap.bind(("localhost", 0))
        trap.listen()
        trap.settimeout(0.2)
        with View(hostile_scene(trap.getsockname()[1]), port=0) as view:
            with page_open(view.address, width=400, height=300):
                deadline = time.monotonic() + 240.0
                while not view.stage.server.get_clients() and time.monotonic() < deadline:
                    time.sleep(0.1)
                caught, deadline = 0, time.monotonic() + seconds
                while time.monotonic() < deadline:
                    with contextlib.suppress(TimeoutError):
                        trap.accept()[0].close()
                        caught += 1
            return caught if view.stage.server else None


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--messages", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    with playing() as view:
        outcome = refused_requests(view)
        outcome |= ignored_messages(view, count=given.messages, seed=given.seed)
    for name, page in (("volumes", modelling), ("live view", running)):
        with page() as shown:
            found = other_pages(shown, count=given.messages, seed=given.seed)
        outcome |= {f"{name}: {what}": sound for what, sound in found.items()}
    caught = scripts_run()
    if caught is not None:
        outcome["scripts in names do not run"] = caught == 0
    for what, sound in outcome.items():
        print(f"{what:40}{'sound' if sound else 'NOT SOUND'}")
    return int(not all(outcome.values()))


if __name__ == "__main__":
    sys.exit(main())
