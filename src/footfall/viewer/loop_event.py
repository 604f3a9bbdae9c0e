"""An event of viser's that every thread may set.

viser's buffers of messages wake who sends them by an `asyncio.Event`, which they set in the thread that draws. That
goes through those who wait for it, in a deque, while the thread of the server lets others come and go: about once in
ten minutes of drawing it raises "deque mutated during iteration", a picture is lost, and who came last may sleep on.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any


class LoopEvent(asyncio.Event):
    """Set by the thread of its loop alone: others leave that to it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._home = loop

    def set(self) -> None:
        if self.is_set():
            return
        if _is_running(self._home):
            super().set()
        else:
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                self._home.call_soon_threadsafe(super().set)


def let_threads_push(handle: Any) -> None:
    """Give the messages of a server or a page of viser's such an event. A viser that keeps them elsewhere is left as it
    is."""
    interface: Any = getattr(handle.scene, "_websock_interface", None)
    buffer: Any = interface.get_message_buffer() if hasattr(interface, "get_message_buffer") else None
    if type(getattr(buffer, "message_event", None)) is not asyncio.Event:
        return
    loop = buffer.event_loop

    def change() -> None:
        before, buffer.message_event = buffer.message_event, LoopEvent(loop)
        before.set()  # who waits already looks once more, and waits for the other one from then on
        buffer.message_event.set()

    with suppress(RuntimeError):  # closed already
        loop.call_soon_threadsafe(change)


def _is_running(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:  # this thread has none
        return False
