"""A connection of our own between pages and the program, beside viser's: what is held, pressed and shown.

Pages of viser have no held keys, no gamepad and no plots that share their time with the view. Scripts of ours in the
page have them: `page/link.js` has the connection and sends what is held ten times a second, `page/panel.js` shows the
state row, `page/drawer.js` plots. Only the newest of each kind of news waits for a page: a slow one misses some, and
nothing piles up.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

PATH = "/panel"
PANEL = ("link.js", "plots.js", "drawer.js", "panel.js")  # scripts of a page that steers
VIEWER = ("link.js", "plots.js", "drawer.js")  # and of one that only shows
_MOST_BYTES = 2**12  # bytes of a message
_MOST_PAGES = 50
Share = Annotated[float, Meta(ge=-1.0, le=1.0)]
Key = Literal["w", "a", "s", "d", "q", "e"]
Name = Annotated[str, Meta(max_length=100)]
Button = Literal["stop", "reset", "go", "undo", "pause", "step", "remove", "review", "forget"]


class PageMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """What a page says."""


class Hold(PageMessage, frozen=True, tag="hold"):
    """What is held now. keys: of the keyboard. stick: ahead and turn. pad: of a gamepad: ahead, left and turn; gait:
    its axes for the height of steps and how long they take; shares from -1 to 1."""

    keys: Annotated[tuple[Key, ...], Meta(max_length=6)] = ()
    stick: tuple[Share, Share] = (0.0, 0.0)
    pad: tuple[Share, Share, Share] | None = None
    gait: tuple[Share, Share] = (0.0, 0.0)


class Press(PageMessage, frozen=True, tag="press"):
    """A button, or the key that stands for it."""

    name: Button


class Speed(PageMessage, frozen=True, tag="speed"):
    """Simulated seconds in a second."""

    value: Annotated[float, Meta(ge=0.05, le=1.0)]


class Tool(PageMessage, frozen=True, tag="tool"):
    """What a click on the ground means."""

    name: Literal["goal", "box"]


class Seek(PageMessage, frozen=True, tag="seek"):
    """Show an instant, s; None: the present one again."""

    time: Annotated[float, Meta(ge=0.0, le=1e7)] | None = None


class Choose(PageMessage, frozen=True, tag="choose"):
    """Signals whose plots are seen, by name; none while no plot is."""

    names: Annotated[tuple[Name, ...], Meta(max_length=12)] = ()


class Branch(PageMessage, frozen=True, tag="branch"):
    """A version of the plan, None for the newest; or one of its poses."""

    version: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    pose: Annotated[int, Meta(ge=0, le=10**6)] | None = None


AnyMessage = Hold | Press | Speed | Tool | Seek | Choose | Branch


def read_message(content: object) -> AnyMessage | None:
    """What a page says, None if no page of ours says so."""
    if not isinstance(content, (str, bytes)) or len(content) > _MOST_BYTES:
        return None
    try:
        message: AnyMessage = msgspec.json.decode(content, type=AnyMessage)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return message


class PageLink:
    """All pages that are open. received: called with the number of a page and what it says. lost: with the number of a
    page that is gone; both from the server's thread, and both may be replaced. scripts: that pages have."""

    def __init__(self, scripts: Sequence[str] = PANEL) -> None:
        self.received: Callable[[int, AnyMessage], None] = lambda _, __: None
        self.lost: Callable[[int], None] = lambda _: None
        self._scripts = scripts
        self._pages: dict[int, _Mailbox] = {}
        self._numbers, self._latest = 0, dict[str, str]()
        self._lock = threading.Lock()

    @property
    def html(self) -> str:
        """What is put into the page."""
        folder = files("footfall.viewer") / "page"
        style = (folder / "panel.css").read_text(encoding="utf-8")
        scripts = [(folder / name).read_text(encoding="utf-8") for name in self._scripts]
        return f"<style>{style}</style>" + "".join(f"<script>{each}</script>" for each in scripts)

    @property
    def pages(self) -> int:
        """How many are open."""
        return len(self._pages)

    def tell(self, kind: str, news: dict[str, Any]) -> None:
        """Show something on all pages, also on those that open later, in place of what was told of this kind."""
        text = msgspec.json.encode({"kind": kind, **news}).decode()
        with self._lock:
            if text == self._latest.get(kind):
                return
            self._latest[kind] = text
            pages = list(self._pages.values())
        for page in pages:
            page.put(kind, text)

    async def serve(self, connection: Any) -> None:
        """Listen to a page until it is gone."""
        mailbox = _Mailbox(asyncio.get_running_loop())
        with self._lock:
            if len(self._pages) >= _MOST_PAGES:
                return
            self._numbers += 1
            number = self._numbers
            self._pages[number] = mailbox
            latest = dict(self._latest)
        for kind, text in latest.items():
            mailbox.put(kind, text)
        sending = asyncio.create_task(mailbox.send_to(connection))
        try:
            async for content in connection:
                message = read_message(content)
                if message is not None:
                    self.received(number, message)
        finally:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await sending
            with self._lock:
                del self._pages[number]
            self.lost(number)


class _Mailbox:
    """The newest text of each kind for one page."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._full = loop, asyncio.Event()
        self._texts: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, kind: str, text: str) -> None:
        """From any thread."""
        with self._lock:
            self._texts[kind] = text
        with contextlib.suppress(RuntimeError):  # the server has been stopped
            self._loop.call_soon_threadsafe(self._full.set)

    async def send_to(self, connection: Any) -> None:
        while True:
            await self._full.wait()
            self._full.clear()
            with self._lock:
                texts, self._texts = self._texts, {}
            for text in texts.values():
                await connection.send(text)
