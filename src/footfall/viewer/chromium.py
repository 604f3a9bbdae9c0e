"""A Chromium without a window, that opens a page and draws it on the processor; a page can be used as a person does."""

from __future__ import annotations

import base64
import json
import logging
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from footfall.errors import MissingPackage, ProgramFailed

_LOG = logging.getLogger("footfall")
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--mute-audio",
)


def find_chromium() -> str | None:
    """Path of the program, None if it is not installed."""
    return next((found for program in _PROGRAMS if (found := shutil.which(program))), None)


def sandbox_flags() -> list[str]:
    """Chromium refuses to run in its sandbox for root, and only then it does without."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    _LOG.warning("Chromium draws without its sandbox, because this is root: draw only files that you trust")
    return ["--no-sandbox"]


@contextmanager
def page_open(address: str, *, width: int, height: int) -> Iterator[subprocess.Popen[bytes]]:
    """A page that is open in a window of that size, in pixels, with a profile of its own."""
    with _browser(address, width=width, height=height) as (process, _):
        yield process


@contextmanager
def operated_page(
    address: str, *, width: int = 1280, height: int = 800, timeout: float = 120.0
) -> Iterator[OperatedPage]:
    """A page that is open in a window of that size and is operated by a program. timeout: s, of every answer."""
    from websockets.sync.client import connect

    with _browser(address, "--remote-debugging-port=0", width=width, height=height) as (process, profile):
        port = _awaited(lambda: _debugging_port(profile), process, timeout)
        target = _awaited(lambda: _page_target(port), process, timeout)
        # No pings: a browser that draws on a busy processor may not answer them for longer than their 20 s.
        options: dict[str, Any] = {"max_size": None, "compression": None, "ping_interval": None}
        with connect(target, open_timeout=timeout, **options) as connection:
            page = OperatedPage(connection, timeout)
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            page.call("Emulation.setDeviceMetricsOverride", **size)
            page.call("Runtime.enable")
            yield page


class OperatedPage:
    """A page of Chromium, by its DevTools protocol: what it holds, what it looks like, keys and the mouse."""

    def __init__(self, connection: Any, timeout: float) -> None:
        self._connection, self._timeout, self._calls = connection, timeout, 0

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        self._connection.send(json.dumps(message))
        while True:
            answer = json.loads(self._connection.recv(timeout=self._timeout))
            if answer.get("id") == self._calls:
                break
        if "error" in answer:
            raise ProgramFailed(f"the browser refuses {method}: {answer['error'].get('message')}")
        return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise ProgramFailed(f"the page has no {expression!r}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression: str, timeout: float | None = None) -> Any:
        """The value of an expression as soon as it is true. timeout: s, as long as for any answer by default."""
        timeout = self._timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        while not (value := self.evaluate(expression)):
            if time.monotonic() > deadline:
                raise ProgramFailed(f"{expression!r} did not become true within {timeout:g} s")
            time.sleep(0.05)
        return value

    def click_on(self, selector: str) -> None:
        """Click on the middle of the first element that a CSS selector finds."""
        name = json.dumps(selector)
        self.wait_for(f"document.querySelector({name}) !== null")
        box = f"document.querySelector({name}).getBoundingClientRect()"
        x, y = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")
        self.click(x, y)

    def click(self, x: float, y: float) -> None:
        """Click at a place, pixels from the left and from the top."""
        self.drag([(x, y)])

    def drag(self, places: list[tuple[float, float]], *, modifiers: int = 0, pause: float = 0.05) -> None:
        """Press at the first place, move through the others and let go. modifiers: 2 is Ctrl, 8 is Shift."""
        with self.held(places[0], modifiers=modifiers, pause=pause) as move:
            for x, y in places[1:]:
                move(x, y)

    @contextmanager
    def held(
        self, place: tuple[float, float], *, modifiers: int = 0, pause: float = 0.05
    ) -> Iterator[Callable[[float, float], None]]:
        """The left button is held from a place on, until the block ends; what it gives moves the mouse."""
        at = place
        common: dict[str, Any] = {"modifiers": modifiers, "button": "left", "clickCount": 1}

        def move(x: float, y: float) -> None:
            nonlocal at
            at = (x, y)
            time.sleep(pause)
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, buttons=1, **common)

        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1], modifiers=modifiers)
        time.sleep(pause)
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=at[0], y=at[1], **common)
        try:
            yield move
        finally:
            time.sleep(pause)
            self.call("Input.dispatchMouseEvent", type="mouseReleased", x=at[0], y=at[1], **common)

    def key(self, key: str, kind: str) -> None:
        """Send a key, as "w" or "Escape": kind is "keyDown" or "keyUp"."""
        code = f"Key{key.upper()}" if len(key) == 1 and key.isalpha() else key
        code = "Space" if key == " " else code
        number = ord(key.upper()) if len(key) == 1 else {"Escape": 27, "Enter": 13, "Delete": 46}.get(key, 0)
        self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number)

    def picture(self, *, kind: str = "png", quality: int | None = None) -> bytes:
        """What the window shows: content of a PNG or JPEG file."""
        options = {} if quality is None else {"quality": quality}
        answer = self.call("Page.captureScreenshot", format=kind, **options)
        return base64.b64decode(answer["data"])


def _awaited(find: Callable[[], Any], process: subprocess.Popen[bytes], timeout: float) -> Any:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and process.poll() is None:
        found = find()
        if found is not None:
            return found
        time.sleep(0.05)
    raise ProgramFailed(f"the browser did not open the page within {timeout:g} s")


def _debugging_port(profile: Path) -> int | None:
    try:
        return int((profile / "DevToolsActivePort").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _page_target(port: int) -> str | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=5.0) as answer:
            pages = [each for each in json.load(answer) if each["type"] == "page"]
    except (OSError, ValueError):
        return None
    return str(pages[0]["webSocketDebuggerUrl"]) if pages else None


def _ends_with_us() -> list[str]:
    """Words before a command that let the system end it with this process, also if that is killed."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return []
    # This process may have ended before the system was asked: then the command has another parent, and is left out.
    ours = f'[ "$PPID" = {os.getpid()} ] && exec "$@"'
    return [setpriv, "--pdeathsig", "KILL", "sh", "-c", ours, "sh"]


@contextmanager
def _browser(
    address: str, *flags: str, width: int, height: int
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    program = find_chromium()
    if program is None:
        raise MissingPackage(
            "pictures are taken with Chromium, which is not installed; on Debian: apt-get install chromium"
        )
    with tempfile.TemporaryDirectory(prefix="footfall-chromium-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                *_ends_with_us(),
                program,
                *_FLAGS,
                *sandbox_flags(),
                *flags,
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                address,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process, Path(profile)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
