"""Clocks and worlds of vision and control brought together.

Vision gets pictures late: it asks where the camera was when they were taken. And its world drifts against that of
planning: each message tells the camera's pose in both, which gives one world in the other. Both have z up, so they
differ by a turn about z and a shift only; what else the two poses differ by is an error of one of them and left out.
"""

from __future__ import annotations

import math
import threading
from collections import deque

import numpy as np

from footfall.arrays import Array
from footfall.environment.vision.containers import ControlToVision, FrameMotion
from footfall.errors import InvalidMessage
from footfall.math.rotations import matrix_from_rotation_vector, rotation_vector_from_matrix, rotation_z
from footfall.math.transform import Transform


def vision_in_planning(planning_camera: Transform, vision_camera: Transform) -> Transform:
    """Pose X_PV of vision's world in that of planning, from poses of the camera at one time in both.

    Seiwald 2023, (4.1), with the turn reduced to the part about z.
    """
    turn = np.asarray(planning_camera.rotation) @ np.asarray(vision_camera.rotation).T
    # The turn about z that is nearest to it: it maximises the trace of rotation_z(yaw)^T turn.
    rotation = rotation_z(math.atan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]))
    return Transform(rotation, planning_camera.translation - rotation @ vision_camera.translation)


def levelled(vision_camera: Transform, planning_camera: Transform) -> Transform:
    """The pose of vision at the height that planning knows: legs measure it from the ground, odometry drifts."""
    x, y, _ = vision_camera.translation
    return Transform(vision_camera.rotation, np.array([x, y, planning_camera.translation[2]]))


def tilt_between(planning_camera: Transform, vision_camera: Transform) -> float:
    """Angle (rad) by which the two worlds seem to be tilted against each other: an error of one of the poses."""
    turn = np.asarray(planning_camera.rotation) @ np.asarray(vision_camera.rotation).T
    return math.acos(max(-1.0, min(1.0, float(turn[2, 2]))))


class WorldAlignment:
    """Pose X_PV of vision's world in that of planning, smoothed over messages.

    smoothing: s, time constant. Single messages carry the sway of the robot and the noise of the camera; the worlds
    themselves drift against each other by millimetres a second. What is farther off than `jump` (m and rad) is taken at
    once: one of the worlds has jumped.
    """

    def __init__(self, *, smoothing: float = 0.5, jump: tuple[float, float] = (0.3, 0.2)) -> None:
        self._smoothing, self._jump = smoothing, jump
        self._time = -math.inf
        self.value: Transform | None = None

    def take(self, time: float, planning_camera: Transform, vision_camera: Transform) -> None:
        """Poses of the camera at a time (s) in both worlds; what is not later than the last is left out."""
        if time <= self._time:
            return
        passed, self._time = time - self._time, time
        found = vision_in_planning(planning_camera, vision_camera)
        if self.value is None:
            self.value = found
            return
        # The lever is long: mixed is where the camera is, not where the origin of vision's world is.
        place, known = found.apply(vision_camera.translation), self.value.apply(vision_camera.translation)
        yaw = heading(self.value)
        turn = math.remainder(heading(found) - yaw, 2.0 * math.pi)
        away = float(np.linalg.norm(place - known))
        share = 1.0 - math.exp(-passed / self._smoothing)
        if away > self._jump[0] or abs(turn) > self._jump[1]:
            share = 1.0
        rotation = rotation_z(yaw + share * turn)
        middle = known + share * (place - known)
        self.value = Transform(rotation, middle - rotation @ vision_camera.translation)


def heading(pose: Transform) -> float:
    """Of a frame whose z points up, rad."""
    return math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])


class PoseHistory:
    """Where the camera was: what control told, for the last seconds. seconds: that are kept. May be used from any
    thread."""

    def __init__(self, *, seconds: float = 2.0, most: int = 10_000) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._known: deque[tuple[float, FrameMotion]] = deque(maxlen=most)

    def add(self, container: ControlToVision) -> None:
        """Keep what control told; what is not later than the last is left out."""
        with self._lock:
            if self._known and container.acquired <= self._known[-1][0]:
                return
            self._known.append((container.acquired, container.camera))
            while self._known[-1][0] - self._known[0][0] > self._seconds:
                self._known.popleft()

    def at(self, time: float, *, beyond: float = 0.1) -> Transform:
        """Pose of the camera at a time (s), between those that are known; up to `beyond` (s) later it moves on as it
        did."""
        with self._lock:
            known = list(self._known)
        if not known:
            raise InvalidMessage("nothing is known yet of where the camera is")
        first, last = known[0][0], known[-1][0]
        if not first <= time <= last + beyond:
            raise InvalidMessage(
                f"where the camera was at {time:g} s is not known; known is {first:g} to {last:g} s"
            )
        if time >= last:
            return _moved_on(known[-1][1], time - last)
        after = next(k for k, (moment, _) in enumerate(known) if moment > time)
        (t0, one), (t1, two) = known[after - 1], known[after]
        share = (time - t0) / (t1 - t0)
        begin = one.pose.rotation
        way = rotation_vector_from_matrix(begin.T @ two.pose.rotation)
        position = one.position + share * (two.position - one.position)
        return Transform(begin @ matrix_from_rotation_vector(share * way), position)


def _moved_on(motion: FrameMotion, time: float) -> Transform:
    turn = matrix_from_rotation_vector(time * motion.angular_velocity)
    return Transform(turn @ motion.pose.rotation, motion.position + time * motion.velocity)


def in_planning(alignment: Transform, points: Array) -> Array:
    """Points (n, 3) of vision's world in that of planning."""
    return np.asarray(np.asarray(points) @ np.asarray(alignment.rotation).T + alignment.translation)
