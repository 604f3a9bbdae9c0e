"""Plays a recording in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.dynamics.kinematics import Poses, forward_kinematics
from footfall.simulation.recording import Recording
from footfall.viewer.drawing import ForceDrawing, RobotDrawing, SceneDrawing, ground_height, quaternions_of
from footfall.viewer.errors import NothingToShow
from footfall.viewer.playback import Playback
from footfall.viewer.stage import Stage
from footfall.viewer.timeline import Timeline, latest_row


class Player(Playback):
    """Shows the robot, the scene and the contact forces of a recording, with controls to play it."""

    def __init__(self, stage: Stage, recording: Recording, *, loop: bool = False) -> None:
        finite = np.isfinite(recording.q).all(axis=1) & np.isfinite(recording.time)
        if not finite.any():
            raise NothingToShow(f"{str(recording.path)!r} has no state to show")
        super().__init__(stage, Timeline(recording.time[finite], loop=loop))
        self.recording = recording
        self._poses = forward_kinematics(recording.robot, np.ascontiguousarray(recording.q[finite]))
        self._quaternions = quaternions_of(self._poses.rotation)
        scene = stage.server.scene
        self._robot = RobotDrawing(scene, recording.robot)
        self._scene = SceneDrawing(scene, recording.scene.fixed_objects if recording.scene else ())
        gravity = float(np.linalg.norm(recording.robot.gravity)) or 9.81
        self._forces = ForceDrawing(scene, recording.robot.mass * gravity)
        first = Poses(self._poses.position[0], self._poses.rotation[0])
        bounds = self._robot.bounds(first)
        stage.set_ground(ground_height(recording.scene, bounds))
        stage.look_at(bounds)
        self._focus_offset = stage.focus - self._poses.position[0, 0]
        self.add_controls()
        self._add_own_controls()
        self.show()

    def draw(self, now: float) -> None:
        """Draw an instant, s."""
        row = self.timeline.row
        self._robot.place(self._poses.position[row], self._quaternions[row])
        self._scene.place(now)
        self._show_forces(now)

    def follow(self, now: float) -> None:
        """Let the cameras follow the robot."""
        self._stage.follow(self._poses.position[self.timeline.row, 0] + self._focus_offset)

    def _show_forces(self, now: float) -> None:
        contacts = self.recording.contacts
        instant = latest_row(contacts.time, now)
        rows = contacts.at(instant) if instant >= 0 else slice(0, 0)
        self._forces.show(contacts.position[rows], contacts.force[rows])

    def _add_own_controls(self) -> None:
        gui = self._stage.server.gui
        self._arrows: Any = gui.add_checkbox("Contact forces", True)
        if self.recording.damage is not None:
            gui.add_markdown(f"The file is not whole: {self.recording.damage}")
        self._arrows.on_update(lambda _: setattr(self._forces, "visible", bool(self._arrows.value)))
