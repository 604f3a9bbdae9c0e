"""An event of the server that other threads set while its own goes on."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from footfall.viewer.loop_event import LoopEvent
from footfall.viewer.stage import Stage
from tests.eventually import eventually


class Changing(deque[Any]):
    """Who waits for an event: others come and go as soon as another thread than the loop's iterates."""

    def __iter__(self) -> Iterator[Any]:
        for each in super().__iter__():
            if threading.current_thread().name != "loop":
                self.rotate(1)
            yield each


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, name="loop")
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join()
    made.close()


def wait_for(event: asyncio.Event, loop: asyncio.AbstractEventLoop) -> Any:
    """Two who wait, as two pages of a server do."""
    event._waiters = Changing()  # type: ignore[attr-defined]

    async def both() -> None:
        await asyncio.gather(event.wait(), event.wait())

    waits = asyncio.run_coroutine_threadsafe(both(), loop)
    assert eventually(lambda: len(event._waiters) == 2)  # type: ignore[attr-defined]
    return waits


def test_other_threads_set_it_while_others_come_and_go(loop: asyncio.AbstractEventLoop) -> None:
    event = asyncio.Event()
    waits = wait_for(event, loop)
    with pytest.raises(RuntimeError, match="deque mutated during iteration"):
        event.set()
    waits.cancel()
    event = LoopEvent(loop)
    waits = wait_for(event, loop)
    event.set()
    waits.result(timeout=240.0)
    event.set()  # is nothing new
    assert event.is_set()


def test_the_loop_itself_sets_it_at_once_and_a_closed_one_is_left(loop: asyncio.AbstractEventLoop) -> None:
    event = LoopEvent(loop)

    async def use() -> bool:
        event.set()
        return event.is_set()

    assert asyncio.run_coroutine_threadsafe(use(), loop).result(timeout=240.0)
    over = asyncio.new_event_loop()
    over.close()
    LoopEvent(over).set()


def test_a_stage_has_it() -> None:
    stage = Stage(port=0)
    try:
        buffer = stage.server.scene._websock_interface.get_message_buffer()
        assert eventually(lambda: isinstance(buffer.message_event, LoopEvent))
        pushed = buffer.message_counter
        stage.set_ground(0.5)
        assert buffer.message_counter > pushed
        assert eventually(buffer.message_event.is_set)  # no page is open: nobody clears it
    finally:
        stage.close()
