"""Controls and clock of whatever is played in the browser: instant, play, speed, loop, follow."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from typing import Any

from footfall.viewer.stage import Stage
from footfall.viewer.timeline import Timeline

_LOG = logging.getLogger("footfall")
_FRAME = 1.0 / 50.0  # s between pictures
_SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "5x")


class Playback(ABC):
    """A timeline with controls; what is drawn at an instant is up to those who derive from it."""

    def __init__(self, stage: Stage, timeline: Timeline) -> None:
        self.timeline = timeline
        self._stage = stage
        self._closing = threading.Event()
        self._lock = threading.RLock()
        self._shown: float | None = None
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)

    @abstractmethod
    def draw(self, now: float) -> None:
        """Draw an instant, s."""

    @abstractmethod
    def follow(self, now: float) -> None:
        """Let the cameras follow at an instant, s."""

    def start(self) -> None:
        """Let time pass."""
        self._thread.start()

    def close(self) -> None:
        """Stop playing."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def seek(self, time: float) -> None:
        """Show an instant, s."""
        with self._lock:
            self.timeline.seek(time)
            self.show()

    def show(self) -> None:
        """Draw the instant at which the timeline stands."""
        with self._lock:
            now = self.timeline.now
            if now == self._shown:
                return
            self._shown = now
            with self._stage.server.atomic():
                self.draw(now)
                self._clock.value = f"{now:.3f} s of {self.timeline.end:.3f} s"
                if abs(self._slider.value - now) > 1e-9:
                    self._slider.value = now
            if self._follow.value:
                self.follow(now)

    def add_controls(self) -> None:
        """Put the controls onto the page."""
        gui, timeline = self._stage.server.gui, self.timeline
        self._clock: Any = gui.add_text("Time", "", disabled=True)
        length = max(timeline.end - timeline.start, 1e-3)
        self._slider: Any = gui.add_slider(
            "Instant", timeline.start, timeline.start + length, min(1e-3, length), timeline.start
        )
        self._play: Any = gui.add_button("Play")
        self._speed: Any = gui.add_dropdown("Speed", _SPEEDS, initial_value="1x")
        self._loop: Any = gui.add_checkbox("Loop", timeline.loop)
        self._follow: Any = gui.add_checkbox("Follow the robot", True)
        self._slider.on_update(self._on_slider)
        self._play.on_click(self._on_play)
        self._speed.on_update(self._on_speed)
        self._loop.on_update(lambda _: setattr(timeline, "loop", bool(self._loop.value)))

    def play(self) -> None:
        """Move on; from the end it begins again. Time passes from when the first page is there to see it."""
        with self._lock:
            self.timeline.play()
            self._name_button()

    def pause(self) -> None:
        """Stay at this instant."""
        with self._lock:
            self.timeline.playing = False
            self._name_button()

    def _on_slider(self, event: Any) -> None:
        if event.client is not None:  # moved by a person, not by us
            self.seek(self._slider.value)

    def _on_speed(self, _: Any) -> None:
        if self._speed.value in _SPEEDS:  # pages may say anything
            self.timeline.speed = float(self._speed.value.rstrip("x"))

    def _on_play(self, _: Any) -> None:
        if self.timeline.playing:
            self.pause()
        else:
            self.play()

    def _name_button(self) -> None:
        self._play.label = "Pause" if self.timeline.playing else "Play"

    def _run(self) -> None:
        before = time.monotonic()
        while not self._closing.wait(_FRAME):
            moment = time.monotonic()
            with self._lock:
                try:
                    self._advance(moment - before if self._stage.is_watched else 0.0)
                except Exception:  # the next instant may be a good one
                    self.timeline.playing = False
                    _LOG.exception("the viewer stops to play: it cannot draw %.3f s", self.timeline.now)
            before = moment

    def _advance(self, elapsed: float) -> None:
        was_playing = self.timeline.playing
        self.timeline.advance(elapsed)
        self.show()
        if was_playing and not self.timeline.playing:
            self._name_button()
