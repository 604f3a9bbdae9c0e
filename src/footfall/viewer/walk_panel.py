"""The control panel of a walk: the robot in the browser as it walks, with sliders and buttons that tell it what to do.

Pages only leave wishes in a queue. One thread walks, in real time, and takes them one after the other: each becomes a
signal of the session, so that a walk from the panel replays to the same bits.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import FootfallError
from footfall.math.rotations import quaternion_from_matrix
from footfall.scene.model import SceneObject
from footfall.viewer.drawing import RobotDrawing, SceneDrawing, ground_height
from footfall.viewer.stage import Stage
from footfall.walking.session import WalkSession

_FRAME = 1.0 / 30.0  # s, simulated, between two pictures
_MOST_WISHES = 100  # that wait
_LAG = 0.25  # s: who is farther behind real time does not try to catch up
_MOTIONS = ("bow", "look_around", "one_leg", "stamp", "wave")
_PUSHES = {
    "from behind": (1.0, 0.0),
    "from ahead": (-1.0, 0.0),
    "from the right": (0.0, 1.0),
    "from the left": (0.0, -1.0),
}

Wish = Callable[[WalkSession], object]


class WalkPanel:
    """A walk with its controls on a page."""

    def __init__(self, stage: Stage, session: WalkSession) -> None:
        self.session = session
        self.paused = False
        self._stage = stage
        self._wishes: queue.Queue[Wish] = queue.Queue(_MOST_WISHES)
        walker = session.walker
        self._whole = walker.engine.setting.robot
        self._robot = RobotDrawing(stage.server.scene, self._whole)
        self._objects: tuple[SceneObject, ...] = walker.scene.fixed_objects
        self._scene = SceneDrawing(stage.server.scene, self._objects)
        first = forward_kinematics(self._whole, self._q())
        bounds = self._robot.bounds(first)
        stage.look_at(bounds)
        stage.set_ground(ground_height(walker.scene, bounds))
        self._focus_offset = stage.focus - first.position[0]
        self._add_controls(stage.server.gui)
        self.show()

    # What a page can ask for

    def wish(self, wish: Wish) -> None:
        """Leave something to be done by the thread that walks; too many are dropped."""
        try:
            self._wishes.put_nowait(wish)
        except queue.Full:
            self._status.value = "too many commands at once"

    def _add_controls(self, gui: Any) -> None:
        self._clock: Any = gui.add_text("Time", "", disabled=True)
        self._doing: Any = gui.add_text("Plan", "", disabled=True)
        self._status: Any = gui.add_text("Status", "", disabled=True)
        with gui.add_folder("Drive"):
            self._forward: Any = gui.add_slider("ahead, m/s", -0.25, 0.6, 0.05, 0.0)
            self._left: Any = gui.add_slider("to the left, m/s", -0.15, 0.15, 0.01, 0.0)
            self._turn: Any = gui.add_slider("turn, rad/s", -0.4, 0.4, 0.05, 0.0)
            for slider in (self._forward, self._left, self._turn):
                slider.on_update(lambda event: self._drive() if event.client is not None else None)
            gui.add_button("Stop").on_click(lambda _: self._stop())
        with gui.add_folder("Goal"):
            self._x: Any = gui.add_slider("x, m", -20.0, 20.0, 0.1, 2.0)
            self._y: Any = gui.add_slider("y, m", -20.0, 20.0, 0.1, 0.0)
            self._yaw: Any = gui.add_slider("yaw, degrees", -180, 180, 5, 0)
            gui.add_button("Walk there").on_click(lambda _: self._walk_there())
        with gui.add_folder("Motions"):
            self._motion: Any = gui.add_dropdown("motion", _MOTIONS)
            gui.add_button("Perform").on_click(lambda _: self._perform())
        with gui.add_folder("Push"):
            self._impulse: Any = gui.add_slider("N s", 1, 40, 1, 8)
            self._side: Any = gui.add_dropdown("side", tuple(_PUSHES))
            gui.add_button("Push").on_click(lambda _: self._push())
        self._pause: Any = gui.add_checkbox("Pause", False)
        self._follow: Any = gui.add_checkbox("Follow the robot", True)

    def _drive(self) -> None:
        forward, left, turn = (float(each.value) for each in (self._forward, self._left, self._turn))
        self.wish(lambda session: session.drive(forward, left, turn))

    def _stop(self) -> None:
        self._forward.value = self._left.value = self._turn.value = 0.0
        self.wish(WalkSession.stop)

    def _walk_there(self) -> None:
        x, y, yaw = float(self._x.value), float(self._y.value), float(np.radians(self._yaw.value))
        self.wish(lambda session: session.walk_to(x, y, yaw))

    def _perform(self) -> None:
        motion = str(self._motion.value)
        self.wish(lambda session: session.perform(motion))

    def _push(self) -> None:
        ahead, left = _PUSHES.get(str(self._side.value), (0.0, 0.0))
        force = 10.0 * float(self._impulse.value)  # for 0.1 s

        def push(session: WalkSession) -> None:
            body = session.code.body.body_of("UB")
            turn = self._heading()
            way = turn @ np.array([ahead, left])
            session.happen("push", body=body, force=(force * float(way[0]), force * float(way[1]), 0.0))

        self.wish(push)

    def _heading(self) -> Array:
        poses = forward_kinematics(self._whole, self._q())
        x, y = poses.rotation[0][:2, 0] / max(float(np.hypot(*poses.rotation[0][:2, 0])), 1e-9)
        return np.array([[x, -y], [y, x]])

    # What the thread that walks does

    def run(self, ended: Callable[[], bool], *, most: float = np.inf) -> None:
        """Walk in real time until `ended` says so, the robot falls, or `most` simulated seconds are over."""
        begin = time.monotonic() - self.session.time
        while not ended() and self.session.time < most and not self.session.fallen:
            self.step()
            ahead = begin + self.session.time - time.monotonic()
            if self.paused or ahead < -_LAG:
                begin = time.monotonic() - self.session.time
            time.sleep(min(max(ahead, 0.0 if not self.paused else _FRAME), _FRAME))
        self.show()

    def step(self) -> None:
        """Take what was wished for, and walk on for a picture's time."""
        while True:
            try:
                wish = self._wishes.get_nowait()
            except queue.Empty:
                break
            try:
                wish(self.session)
                self._status.value = ""
            except FootfallError as problem:
                self._status.value = str(problem)[:200]
        self.paused = bool(self._pause.value)
        if not self.paused:
            self.session.run(_FRAME)
        self.show()

    def show(self) -> None:
        """Draw all as it is now."""
        session, walker = self.session, self.session.walker
        poses = forward_kinematics(self._whole, self._q())
        if walker.scene.fixed_objects != self._objects:
            self._stage.server.scene.remove_by_name("/scene")
            self._objects = walker.scene.fixed_objects
            self._scene = SceneDrawing(self._stage.server.scene, self._objects)
        with self._stage.server.atomic():
            self._robot.place(poses.position, quaternion_from_matrix(poses.rotation))
            self._scene.place(session.time)
            self._clock.value = f"{session.time:.1f} s"
            self._doing.value = session.pilot.versions[-1].about
            if session.fallen:
                self._status.value = "fallen"
            elif session.problem is not None:
                self._status.value = session.problem[:200]
        if self._follow.value:
            self._stage.follow(poses.position[0] + self._focus_offset)

    def _q(self) -> Array:
        return np.ascontiguousarray(self.session.walker.arrays[0].q, np.float64)
