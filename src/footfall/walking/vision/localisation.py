"""Where a robot is in the world that it sees: the worlds of planning and of vision against each other.

The robot knows its pose by its plan: feet that slip, and a heading that nobody measures, make it drift (world PW). The
map lies in vision's world VW, in which a tracking camera tells where the camera is. From both poses at one time follows
how VW lies in PW; plans are made in the map and walked in PW, Seiwald (2023), section 4.4. Nothing else is fed back.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.environment.vision.alignment import WorldAlignment
from footfall.environment.vision.bridged import BridgedCamera
from footfall.environment.vision.tracking import TrackingCamera, TrackingQuality
from footfall.math.rotations import rotation_z, yaw_of
from footfall.math.transform import Transform, identity_transform
from footfall.walking.body import FEET
from footfall.walking.perceived import tilt_of
from footfall.walking.request import Localisation, WalkRequest
from footfall.walking.walker import Walker


class CameraPlaces(NamedTuple):
    """Where the camera is: really, as planning believes (PW), and in vision's world (VW); the last is None while that
    is not known."""

    true: Transform
    planning: Transform
    vision: Transform | None


class Localiser:
    """Keeps the pose of vision's world in that of planning up to date.

    "camera": by a tracking camera. "exact": it knows where it really is. "none": it is where it believes to be.
    """

    def __init__(self, kind: Localisation, quality: TrackingQuality, *, noisy: bool, seed: int) -> None:
        self.kind = kind
        if not noisy:
            quality = msgspec.structs.replace(quality, drift=0.0, noise_m=0.0, noise_rad=0.0)
        self._camera = BridgedCamera(TrackingCamera(quality, seed=seed))
        self._worlds = WorldAlignment()
        self._coming: deque[tuple[float, Transform, Transform]] = deque()  # measured at, s; not there yet
        self._begun = False

    @property
    def smooth(self) -> bool:
        """Whether what it finds is smooth enough to plan again because of it."""
        return self.kind == "camera"

    def look(self, walker: Walker) -> CameraPlaces:
        """Where the camera is now; what it measures comes to be known a little later."""
        true, planning = true_camera(walker), planning_camera(walker)
        if self.kind == "none":
            return CameraPlaces(true, planning, planning)
        if self.kind == "exact":
            return CameraPlaces(true, planning, true)
        if not self._begun:  # vision's world is begun where planning believes the camera to be
            self._camera.begin(walker.time, true, planning)
            self._begun = True
        vision = self._camera.track(walker.time, true, planning)
        if vision is not None:
            self._coming.append((walker.time, planning, vision))
        return CameraPlaces(true, planning, vision)

    def alignment(self, walker: Walker) -> Transform:
        """Pose X_PV of vision's world in that of planning, as it is known now."""
        if self.kind == "exact":
            return true_drift(walker)
        while (
            self._coming and self._coming[0][0] + self._camera.camera.quality.latency_s <= walker.time + 1e-9
        ):
            self._worlds.take(*self._coming.popleft())
        return in_plane(self._worlds.value)


def in_plane(worlds: Transform | None) -> Transform:
    """The turn about z and the shift in the plane alone: what a plan believed of heights would come back to it through
    the feet that are put there."""
    if worlds is None:
        return identity_transform()
    x, y, _ = worlds.translation
    return Transform(worlds.rotation, np.array([x, y, 0.0]))


def localiser_for(request: WalkRequest) -> Localiser:
    """How the robot of a walk knows where it is."""
    return Localiser(request.located, request.tracking, noisy=request.noise, seed=request.seed)


def true_camera(walker: Walker) -> Transform:
    """Where the camera in the head really is."""
    body = walker.code.body
    q = np.ascontiguousarray(walker.arrays[0].q[: body.robot.nq])
    pose: Transform = frame_pose(body.robot, q, body.model.frames["VTCP"])
    return pose


def planning_camera(walker: Walker) -> Transform:
    """Where the camera is by what the robot knows of itself, Seiwald (2023), section 4.5.3: roll and pitch as they are
    measured, heading as planned, joints by their encoders, and the middle between the feet where it is planned to be;
    so it is turned about its feet. Where sensors are not known, in the planner of a live walk, the model counts."""
    body, state, sensors = walker.code.body, walker.brain.state, walker.brain.sensors
    q, turn, frames = state.q.copy(), np.eye(3), body.model.frames
    if walker.period > 0 and walker.senses:
        q[body.coordinates] = sensors.joints
        upper = np.array(frame_pose(body.robot, state.q, frames["UB"]).rotation)
        turn = tilt_of(sensors, upper, np.zeros(3)).rotation
    camera = frame_pose(body.robot, q, frames["VTCP"])
    arm = camera.translation - _middle(walker, q)
    return Transform(turn @ camera.rotation, _middle(walker, state.q) + turn @ arm)


def _middle(walker: Walker, q: Array) -> Array:
    body = walker.code.body
    feet = [frame_pose(body.robot, q, body.model.frames[foot]).translation for foot in FEET]
    return np.asarray(0.5 * (feet[0] + feet[1]))


def true_drift(walker: Walker) -> Transform:
    """From where things are to where the robot believes them to be, in the plane."""
    true, believed = walker.arrays[0].q, walker.brain.state.q
    turn = float(yaw_of(believed[3:7]) - yaw_of(true[3:7]))
    way = believed[:3] - rotation_z(turn) @ true[:3]
    return Transform(rotation_z(turn), np.array([way[0], way[1], 0.0]))
