"""Shows a robot in the browser, with sliders for its joints."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import forward_kinematics
from footfall.math.rotations import quaternion_from_matrix
from footfall.robot.model import Joint, JointType, Robot
from footfall.viewer.drawing import RobotDrawing
from footfall.viewer.stage import Stage
from footfall.viewer.volumes import VolumeSwitch

_NEUTRAL = "neutral"
_MOVED = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


class RobotPanel:
    """A robot in one of its configurations; configuration: its name, by default the first one.

    volumes: whether its swept-sphere volumes are drawn at first.
    """

    def __init__(
        self, stage: Stage, robot: Robot, *, configuration: str | None = None, volumes: bool = False
    ) -> None:
        self.robot = robot
        names = [*robot.configurations, _NEUTRAL]
        chosen = names[0] if configuration is None else configuration
        self.q = self._named(chosen)
        self._stage = stage
        self._drawing = RobotDrawing(stage.server.scene, robot)
        self._lock = threading.Lock()
        bounds = self._drawing.bounds(forward_kinematics(robot, self.q))
        stage.look_at(bounds)
        stage.set_ground(float(bounds[0, 2]))
        self._add_controls(names, chosen, volumes)
        self.show()

    def show(self, q: Array | None = None) -> None:
        """Draw the robot at `q` (nq,), by default where it is."""
        with self._lock:
            self.q = self.q if q is None else np.array(q, np.float64)
            poses = forward_kinematics(self.robot, self.q)
            with self._stage.server.atomic():
                self._drawing.place(poses.position, quaternion_from_matrix(poses.rotation))
                self._volumes.show(self.q)

    def _named(self, name: str) -> Array:
        if name == _NEUTRAL and name not in self.robot.configurations:
            return np.array(neutral(self.robot))
        return np.array(self.robot.configuration(name))

    def _add_controls(self, names: list[str], chosen: str, volumes: bool) -> None:
        gui = self._stage.server.gui
        choice: Any = gui.add_dropdown("Configuration", tuple(names), initial_value=chosen)
        self._volumes = VolumeSwitch(self._stage.server, self.robot, shown=volumes, redraw=self.show)
        sliders: list[tuple[int, Any]] = []
        with gui.add_folder("Joints", expand_by_default=False):
            for joint in self.robot.joints:
                if joint.type in _MOVED:
                    index = self.robot.q_slice(joint.name).start
                    sliders.append((index, self._add_slider(joint, index)))

        def choose(_: Any) -> None:
            if choice.value not in names:  # pages may say anything
                return
            self.q = self._named(choice.value)
            for index, slider in sliders:
                slider.value = float(np.clip(self.q[index], slider.min, slider.max))
            self.show()

        choice.on_update(choose)

    def _add_slider(self, joint: Joint, index: int) -> Any:
        reach = 1.0 if joint.type is JointType.PRISMATIC else np.pi
        lower, upper = self.robot.lower_limits[index], self.robot.upper_limits[index]
        low = float(lower) if np.isfinite(lower) else min(-reach, float(self.q[index]))
        high = float(upper) if np.isfinite(upper) else max(reach, float(self.q[index]))
        high = max(high, low + 1e-3)  # a joint that may not move still has a slider
        at_start = float(np.clip(self.q[index], low, high))
        slider: Any = self._stage.server.gui.add_slider(joint.name, low, high, 1e-3, at_start)

        def move(event: Any) -> None:
            if event.client is not None and np.isfinite(slider.value):  # moved by a person, not by us
                self.q[index] = np.clip(slider.value, low, high)
                self.show()

        slider.on_update(move)
        return slider
