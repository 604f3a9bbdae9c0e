"""Plays a recording in the browser."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from footfall.dynamics.kinematics import Poses, forward_kinematics
from footfall.simulation.recording import Recording
from footfall.viewer.drawing import ForceDrawing, RobotDrawing, SceneDrawing, ground_height, quaternions_of
from footfall.viewer.errors import NothingToShow
from footfall.viewer.stage import Stage
from footfall.viewer.timeline import Timeline, latest_row

_FRAME = 1.0 / 50.0  # s between pictures
_SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "5x")


class Player:
    """Shows the robot, the scene and the contact forces of a recording, with controls to play it."""

    def __init__(self, stage: Stage, recording: Recording, *, loop: bool = False) -> None:
        finite = np.isfinite(recording.q).all(axis=1) & np.isfinite(recording.time)
        if not finite.any():
            raise NothingToShow(f"{str(recording.path)!r} has no state to show")
        self.recording = recording
        self.timeline = Timeline(recording.time[finite], loop=loop)
        self._stage = stage
        self._poses = forward_kinematics(recording.robot, np.ascontiguousarray(recording.q[finite]))
        self._quaternions = quaternions_of(self._poses.rotation)
        scene = stage.server.scene
        self._robot = RobotDrawing(scene, recording.robot)
        self._scene = SceneDrawing(scene, recording.scene.fixed_objects if recording.scene else ())
        gravity = float(np.linalg.norm(recording.robot.gravity)) or 9.81
        self._forces = ForceDrawing(scene, recording.robot.mass * gravity)
        self._closing = threading.Event()
        self._lock = threading.RLock()
        self._shown: float | None = None
        first = Poses(self._poses.position[0], self._poses.rotation[0])
        bounds = self._robot.bounds(first)
        stage.set_ground(ground_height(recording.scene, bounds))
        stage.look_at(bounds)
        self._focus_offset = stage.focus - self._poses.position[0, 0]
        self._add_controls()
        self.show()
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)

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
            row = self.timeline.row
            with self._stage.server.atomic():
                self._robot.place(self._poses.position[row], self._quaternions[row])
                self._scene.place(now)
                self._show_forces(now)
                self._clock.value = f"{now:.3f} s of {self.timeline.end:.3f} s"
                if abs(self._slider.value - now) > 1e-9:
                    self._slider.value = now
            if self._follow.value:
                self._stage.follow(self._poses.position[row, 0] + self._focus_offset)

    def _show_forces(self, now: float) -> None:
        contacts = self.recording.contacts
        instant = latest_row(contacts.time, now)
        rows = contacts.at(instant) if instant >= 0 else slice(0, 0)
        self._forces.show(contacts.position[rows], contacts.force[rows])

    def _add_controls(self) -> None:
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
        self._arrows: Any = gui.add_checkbox("Contact forces", True)
        if self.recording.damage is not None:
            gui.add_markdown(f"The file is not whole: {self.recording.damage}")
        self._slider.on_update(self._on_slider)
        self._play.on_click(self._on_play)
        self._speed.on_update(lambda _: setattr(timeline, "speed", float(self._speed.value.rstrip("x"))))
        self._loop.on_update(lambda _: setattr(timeline, "loop", bool(self._loop.value)))
        self._arrows.on_update(lambda _: setattr(self._forces, "visible", bool(self._arrows.value)))

    def _on_slider(self, event: Any) -> None:
        if event.client is not None:  # moved by a person, not by us
            self.seek(self._slider.value)

    def play(self) -> None:
        """Move on; from the end it begins again."""
        with self._lock:
            self.timeline.play()
            self._name_button()

    def pause(self) -> None:
        """Stay at this instant."""
        with self._lock:
            self.timeline.playing = False
            self._name_button()

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
                was_playing = self.timeline.playing
                self.timeline.advance(moment - before)
                self.show()
                if was_playing and not self.timeline.playing:
                    self._name_button()
            before = moment
