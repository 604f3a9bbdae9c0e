"""Sight of a walk that another process, or a recording, leads: a map and a place in it that arrive from outside.

What arrives is taken when the robot looks, and kept in a file with that time. All that follows depends on these
containers and times only, so that the file gives the same walk again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from footfall.environment.model import Environment, updated
from footfall.environment.vision.alignment import WorldAlignment
from footfall.environment.vision.containers import (
    ControlToVision,
    FrameMotion,
    MotionCapture,
    VisionToControl,
)
from footfall.environment.vision.recordings import PerceptionRecorder, nanoseconds, read_arrivals
from footfall.errors import FootfallError, InvalidMessage
from footfall.gait.poses import mean_foot_frame
from footfall.math.rotations import quaternion_from_matrix, rotation_vector_from_matrix
from footfall.math.transform import Transform
from footfall.messages.frames import Message
from footfall.messages.signals import Signal
from footfall.planning.contacts import Goal
from footfall.walking.request import WalkRequest
from footfall.walking.signals import AnySignal, PushBody
from footfall.walking.vision.link import BEGIN, Arrived, VisionLink
from footfall.walking.vision.localisation import CameraPlaces, in_plane, planning_camera, true_camera
from footfall.walking.walker import Walker

CAMERA = "VTCP"  # name of the camera in motion capture
EVENT = "event"  # signal to vision: something happened in a simulated scene
SILENCE = 1.0  # s, after which a robot that sees nothing more comes to rest
GIVE_UP = 30.0  # s, after which nobody is waited for any more
_MOST_VERTICES = 3_000_000  # of all objects together
_MOST_EVENTS = 1000


class Arrivals(Protocol):
    """Where containers of vision come from."""

    def ask(self, report: ControlToVision, truth: MotionCapture) -> None:
        """Tell vision where the robot is."""

    def take(self, time: float) -> list[Arrived]:
        """What has arrived by a time, s."""

    def renewed(self) -> bool:
        """Whether vision has begun anew since this was asked last: it knows of nothing."""

    def skip(self, time: float) -> None:
        """Leave out what arrived before a time, s: another sight has taken it."""

    @property
    def status(self) -> str:
        """What is known of the connection."""

    def close(self) -> None:
        """No more is wanted."""


class Keeper(Protocol):
    """Who keeps what was taken."""

    def add_message(self, message: Message, acquired: float, arrived: float) -> None:
        """Keep a container as it came. acquired: when its picture was taken, arrived: when the robot took it, s."""

    def close(self) -> None:
        """No more comes."""


class NoArrivals:
    """Nothing arrives here: another process of the walk is told what is seen. told: where, in a few words."""

    def __init__(self, status: str) -> None:
        self.status = status

    def ask(self, report: ControlToVision, truth: MotionCapture) -> None:
        """Nobody listens."""

    def take(self, time: float) -> list[Arrived]:
        """Nothing."""
        return []

    def renewed(self) -> bool:
        """Never."""
        return False

    def skip(self, time: float) -> None:
        """There is nothing to leave out."""

    def close(self) -> None:
        """Nothing is open."""


class RecordedArrivals:
    """Containers of a file, at the times at which they arrived."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rest: Iterator[tuple[int, VisionToControl]] = read_arrivals(path)
        self._next = next(self._rest, None)

    def ask(self, report: ControlToVision, truth: MotionCapture) -> None:
        """Nobody listens."""

    def take(self, time: float) -> list[Arrived]:
        """What had arrived by then."""
        taken = []
        while self._next is not None and self._next[0] <= nanoseconds(time):
            taken.append(Arrived(self._next[1]))
            self._next = next(self._rest, None)
        return taken

    def renewed(self) -> bool:
        """A file does not begin anew."""
        return False

    def skip(self, time: float) -> None:
        """Go on behind what arrived before a time, s."""
        while self._next is not None and self._next[0] < nanoseconds(time):
            self._next = next(self._rest, None)

    @property
    def status(self) -> str:
        """Where it comes from."""
        return f"file {self._path!r}" + (" has ended" if self._next is None else "")

    def close(self) -> None:
        """Close the file."""
        self._rest = iter(())
        self._next = None


class LedSight:
    """Sees by what arrives; also knows from it where it is. refused: containers that were not taken, since they cannot
    be right. keeper: keeps what was taken."""

    smooth = True

    def __init__(self, arrivals: Arrivals, *, keeper: Keeper | None = None) -> None:
        self.arrivals = arrivals
        self.refused = 0
        self.heard = -math.inf  # s, when something was taken last
        self.problem = ""  # of the last container that was refused
        self._environment = Environment()
        self._worlds = WorldAlignment()
        self._acquired = -math.inf
        self._shown: tuple[float, Transform] | None = None
        self._news: list[Signal] = []
        self._events: list[Signal] = []
        self._keeper = keeper

    def look(
        self, walker: Walker, goal: Goal | None = None, places: CameraPlaces | None = None
    ) -> Environment | None:
        """The surroundings after what has arrived, None if they are as they were."""
        now, before = walker.time, self._environment
        self._tell(walker)
        for container, message in self.arrivals.take(now):
            if self._takes(container):
                self.heard = now
                if self._keeper is not None and message is not None:
                    self._keeper.add_message(message, container.acquired, now)
        return None if self._environment is before else self._environment

    def alignment(self, walker: Walker) -> Transform:
        """Pose of vision's world in that of planning."""
        return in_plane(self._worlds.value)

    def happened(self, event: AnySignal) -> None:
        """Something happened in the simulated scene: a simulated camera sees it."""
        if not isinstance(event, PushBody) and len(self._events) < _MOST_EVENTS:
            signal = Signal(EVENT, msgspec.json.encode(event).decode())
            self._events.append(signal)
            self._news.append(signal)

    def silent(self, now: float) -> bool:
        """Whether nothing has come for so long that the map must not be trusted any more."""
        return now - self.heard > SILENCE - 1e-9

    def close(self) -> None:
        """Leave vision, and finish the file."""
        self.arrivals.close()
        if self._keeper is not None:
            self._keeper.close()

    def _tell(self, walker: Walker) -> None:
        """Tell vision where the robot is, and a simulated camera where it really is."""
        now, planning, true = walker.time, planning_camera(walker), true_camera(walker)
        truth = MotionCapture(now, {CAMERA: Transform(np.array(true.rotation), np.array(true.translation))})
        if self.arrivals.renewed():
            # Its world shall be the one that is known: the camera is told where it is in that one.
            there = self.alignment(walker).inverse() @ planning
            middle, _ = mean_foot_frame(*walker.motion.given.begin.feet)
            begin = (Signal(BEGIN, float(middle[2])), *self._events)
            self._shown, self._news = None, []
            still = self._motion(now, there)
            self.arrivals.ask(ControlToVision(now, now, still, still, None, begin), truth)
            self._shown = None
        signals, self._news = tuple(self._news), []
        moving = self._motion(now, planning)
        self.arrivals.ask(ControlToVision(now, now, moving, moving, None, signals), truth)

    def _motion(self, now: float, pose: Transform) -> FrameMotion:
        """The camera with its velocities since it was told of last."""
        before, self._shown = self._shown, (now, pose)
        quaternion = quaternion_from_matrix(np.asarray(pose.rotation))
        if before is None or now <= before[0]:
            return FrameMotion(pose.translation, quaternion)
        passed = now - before[0]
        turned = rotation_vector_from_matrix(np.asarray(pose.rotation) @ np.asarray(before[1].rotation).T)
        return FrameMotion(
            pose.translation,
            quaternion,
            (pose.translation - before[1].translation) / passed,
            turned / passed,
        )

    def _takes(self, container: VisionToControl) -> bool:
        """Take a container into the map, if it can be right."""
        try:
            if container.acquired <= self._acquired:
                raise InvalidMessage(
                    f"is of {container.acquired:g} s, which is not later than the one before"
                )
            environment = updated(self._environment, container.update)
            vertices = sum(len(each.surface.mesh.vertices) for each in environment.objects.values())
            if vertices > _MOST_VERTICES:
                raise InvalidMessage(
                    f"makes {vertices} vertices of objects; at most {_MOST_VERTICES} are held"
                )
        except FootfallError as problem:
            self.refused, self.problem = self.refused + 1, str(problem)
            return False
        self._acquired = container.acquired
        update = container.update
        if update.patches or update.reset or update.remove or update.objects or update.everything:
            self._environment = environment
        self._worlds.take(container.acquired, container.planning_camera, container.vision_camera)
        return True


def arrivals_of(request: WalkRequest, *, waits: bool = True) -> Arrivals:
    """What leads a walk: another process, or a recording. waits: see `VisionLink`."""
    if request.vision is None:
        assert request.perception is not None
        return RecordedArrivals(request.perception)
    return VisionLink(request.vision, waits=waits)


def perception_keeper(request: WalkRequest) -> PerceptionRecorder | None:
    """Writes what another process sees for a walk, if the request names a file for it."""
    if request.vision is None or request.perception is None:
        return None
    return PerceptionRecorder(Path(request.perception), overwrite=True)


def led_sight(request: WalkRequest) -> LedSight:
    """The sight of a walk that is led by another process, or by its recording."""
    arrivals = arrivals_of(request)
    try:
        return LedSight(arrivals, keeper=perception_keeper(request))
    except BaseException:
        arrivals.close()
        raise
