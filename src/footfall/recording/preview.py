"""What of a recording is drawn in Foxglove, at a rate that it can draw."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.recording import foxglove
from footfall.recording.contacts import ContactTable
from footfall.robot.model import Robot
from footfall.scene.model import Scene

Stamped = tuple[str, float, msgspec.Struct]  # topic, time in s, message


class Preview:
    """Picks rows at a rate in Hz of recorded time and turns them into messages that Foxglove knows."""

    messages = foxglove.FOXGLOVE_MESSAGES

    def __init__(self, robot: Robot, scene: Scene | None, rate: float) -> None:
        self._robot = robot
        self._scene = scene
        self._names = [body.name for body in robot.bodies]
        self._period = 1.0 / rate
        self._next_state = self._next_contact = 0.0
        self._shapes_sent = False
        forward_kinematics.kernel(robot)  # compiled here and not in the thread that writes

    def of_states(self, times: Array, q: Array, v: Array, tau: Array) -> Iterator[Stamped]:
        """Frames and joints of some of the states (n,), (n, nq), (n, nv), (n, nv)."""
        chosen = []
        for row, time in enumerate(times):
            if time >= self._next_state and np.isfinite(q[row]).all():
                chosen.append(row)
                self._next_state = self._after(float(time))
        if not chosen:
            return
        if not self._shapes_sent:
            self._shapes_sent = True
            first = float(times[chosen[0]])
            yield foxglove.BODIES, first, foxglove.robot_shapes(first, self._robot)
            if self._scene is not None:
                yield foxglove.OBJECTS, first, foxglove.scene_shapes(first, self._scene)
        poses = forward_kinematics(self._robot, np.ascontiguousarray(q[chosen]))
        for row, position, rotation in zip(chosen, poses.position, poses.rotation, strict=True):
            time = float(times[row])
            yield foxglove.TRANSFORMS, time, foxglove.frame_transforms(time, self._names, position, rotation)
            yield foxglove.JOINTS, time, foxglove.joint_states(time, self._robot, q[row], v[row], tau[row])

    def of_contacts(self, table: ContactTable) -> Iterator[Stamped]:
        """Arrows of some of the instants."""
        for instant, time in enumerate(table.time.tolist()):
            if time >= self._next_contact:
                self._next_contact = self._after(time)
                rows = table.at(instant)
                yield (
                    foxglove.FORCES,
                    time,
                    foxglove.force_arrows(time, table.position[rows], table.force[rows]),
                )

    def _after(self, time: float) -> float:
        """The next instant to draw; a hair early, so that rounding of times skips none."""
        return (math.floor(time / self._period + 1e-6) + 1.0 - 1e-6) * self._period
