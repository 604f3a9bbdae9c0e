"""Shows a simulation in the browser while it runs."""

from __future__ import annotations

import logging
import threading
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.math.rotations import quaternion_from_matrix
from footfall.scene.model import SceneObject
from footfall.simulation.simulation import SimulationBase
from footfall.viewer.drawing import RobotDrawing, SceneDrawing, are_same, ground_height
from footfall.viewer.stage import Stage

_LOG = logging.getLogger("footfall")
_FRAME = 1.0 / 30.0  # s between pictures


class LivePanel:
    """The robots, free bodies and objects of a simulation as they are now; it looks at them by itself."""

    def __init__(self, stage: Stage, simulation: SimulationBase) -> None:
        self.simulation = simulation
        self.robot = simulation.robot
        self._stage = stage
        self._closing = threading.Event()
        self._robot = RobotDrawing(stage.server.scene, simulation.robot)
        self._objects: tuple[SceneObject, ...] = simulation.scene.fixed_objects
        self._scene = SceneDrawing(stage.server.scene, self._objects)
        first = forward_kinematics(simulation.robot, simulation.q)
        bounds = self._robot.bounds(first)
        stage.look_at(bounds)
        stage.set_ground(ground_height(simulation.scene, bounds))
        self._focus_offset = stage.focus - first.position[0]
        gui = stage.server.gui
        self._clock: Any = gui.add_text("Time", "", disabled=True)
        self._follow: Any = gui.add_checkbox("Follow the robot", True)
        self._drawn: Array | None = None
        self._lock = threading.Lock()
        self.show(simulation.q)
        self._thread = threading.Thread(target=self._run, name="live view", daemon=True)
        self._thread.start()

    def show(self, q: Array) -> None:
        """Draw the robots at q (nq,)."""
        with self._lock:
            time = self.simulation.time
            poses = forward_kinematics(self.simulation.robot, np.ascontiguousarray(q, np.float64))
            self._draw_objects()
            with self._stage.server.atomic():
                self._robot.place(poses.position, quaternion_from_matrix(poses.rotation))
                self._scene.place(time)
                self._clock.value = f"{time:.3f} s"
            if self._follow.value:
                self._stage.follow(poses.position[0] + self._focus_offset)
            self._drawn = np.array(q)

    def close(self) -> None:
        """Look no more."""
        self._closing.set()
        self._thread.join()

    def _draw_objects(self) -> None:
        """Anew, if objects have come, changed or gone."""
        objects = self.simulation.scene.fixed_objects
        if not are_same(objects, self._objects):
            self._stage.server.scene.remove_by_name("/scene")
            self._objects = objects
            self._scene = SceneDrawing(self._stage.server.scene, objects)

    def _run(self) -> None:
        while not self._closing.wait(_FRAME):
            q = self.simulation.q
            moved = self._drawn is None or not np.array_equal(q, self._drawn)
            if np.isfinite(q).all() and (
                moved or not are_same(self.simulation.scene.fixed_objects, self._objects)
            ):
                try:
                    self.show(q)
                except Exception:  # the next instant may be a good one
                    _LOG.exception("the viewer cannot draw %.3f s", self.simulation.time)
