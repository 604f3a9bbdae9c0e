"""Vision as a process: it plays what cameras would see of a scene, or a recording, to walks that connect to it.

A walk tells where its camera is (in the world of its plan), and a simulated one also where the camera really is, as a
motion capture system would. The service answers with the pose that a tracking camera measures and with what has changed
in its map. It keeps the time of the walk: a picture is taken when that time has gone on by a period.
"""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol

import msgspec
import numpy as np

from footfall.environment.depth_mapper import CAMERA as DEPTH_CAMERA
from footfall.environment.depth_mapper import LOOK, DepthMapper, look
from footfall.environment.model import Environment, EnvironmentUpdate, difference, whole
from footfall.environment.vision.alignment import vision_in_planning
from footfall.environment.vision.bridged import BridgedCamera
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import ControlToVision, MotionCapture, VisionToControl
from footfall.environment.vision.recordings import PerceptionRecorder, read_perception
from footfall.environment.vision.tracking import TrackingCamera, TrackingQuality
from footfall.errors import FootfallError, InvalidInput, InvalidMessage
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.messages.connection import Connection, LinkOptions
from footfall.messages.frames import Message
from footfall.messages.listener import Listener
from footfall.messages.signals import Signal
from footfall.option_checks import require_choice
from footfall.planning.contacts import Goal
from footfall.scene.model import Scene
from footfall.walking import signals as kinds
from footfall.walking.sight import WholeSight
from footfall.walking.signal_effects import added_object, changed_objects
from footfall.walking.vision.led_sight import CAMERA, EVENT
from footfall.walking.vision.link import BEGIN, LIMITS

Seeing = Literal["camera", "noisy", "exact"]
_FASTEST = 100.0  # Hz
_SEEN, _SNAP = 6.0, 2.0  # m around the robot that are seen at once of floors without end, in whole pieces


@dataclass(frozen=True)
class SeeingOptions:
    """How a scene is seen. sight: by a depth camera bit by bit, or all of it with errors or exactly. noise: whether
    cameras have errors. seed: of errors. rate: of pictures, Hz. tracking: quality of the tracking camera."""

    sight: Seeing = "camera"
    noise: bool = True
    seed: int = 0
    rate: float = 1.0 / LOOK
    tracking: TrackingQuality = field(default_factory=TrackingQuality)

    def __post_init__(self) -> None:
        require_choice(self, sight=Seeing)
        if not 0.01 <= self.rate <= _FASTEST:
            raise InvalidInput(f"rate is {self.rate:g} Hz; it must be from 0.01 to {_FASTEST:g}")
        if not 0 <= self.seed < 2**63:
            raise InvalidInput("the seed must be a whole number from 0 to 2^63 - 1")


class Seer(Protocol):
    """Who sees for one walk."""

    def answers(self, asked: ControlToVision, truth: Transform | None) -> Iterator[VisionToControl]:
        """What there is to tell. truth: where the camera really is, if that was told."""


class SceneSeer:
    """Sees a scene for one walk. whole: has seen this scene already, and saves that time; see `seen_before`."""

    def __init__(self, scene: Scene, options: SeeingOptions, whole: WholeSight | None = None) -> None:
        self._scene, self._options = scene, options
        quality = options.tracking
        if not options.noise:
            quality = msgspec.structs.replace(quality, drift=0.0, noise_m=0.0, noise_rad=0.0)
        if options.sight != "camera":  # who sees all at once finds itself in it
            quality = msgspec.structs.replace(quality, drift=0.0)
        self._tracking = BridgedCamera(TrackingCamera(quality, seed=options.seed))
        self._rng = np.random.default_rng(options.seed) if options.noise else None
        self._mapper = DepthMapper()
        self._whole = seen_before(scene, options) if whole is None else copy.deepcopy(whole)
        self._map, self._sent = Environment(), Environment()
        self._pictured, self._ground = -math.inf, 0.0

    def answers(self, asked: ControlToVision, truth: Transform | None) -> Iterator[VisionToControl]:
        """Where the camera is in the map, and what is new in that."""
        true = asked.camera.pose if truth is None else truth
        for signal in asked.signals:
            if signal.name == BEGIN:
                self._begin(asked, true, signal)
            elif signal.name == EVENT:
                self._scene = happened(self._scene, str(signal.payload))
        if any(signal.name == BEGIN for signal in asked.signals):
            return  # its pose is one of vision's world
        vision = self._tracking.track(asked.acquired, true, asked.camera.pose)
        if vision is None:
            return
        if asked.acquired >= self._pictured + 1.0 / self._options.rate - 1e-9:
            self._pictured = asked.acquired
            self._see(asked.acquired, true, vision)
        first = self._sent.version == 0
        update = whole(self._map) if first else difference(self._sent, self._map)
        self._sent = self._map
        yield VisionToControl(asked.acquired, asked.camera.pose, vision, (), update)

    def _begin(self, asked: ControlToVision, true: Transform, signal: Signal) -> None:
        pose = asked.camera.pose
        if not isinstance(signal.payload, float) or not abs(signal.payload) < 30.0:
            raise InvalidMessage(f"the ground is at {signal.payload!r}; it must be a height, m")
        # A map that grows lies where the robot says that it is; one of all at once lies where the scene does.
        self._tracking.begin(asked.acquired, true, pose if self._options.sight == "camera" else true)
        self._ground = signal.payload
        self._mapper = DepthMapper()
        self._mapper.begin(float(pose.translation[0]), float(pose.translation[1]), signal.payload)
        self._map, self._sent, self._pictured = Environment(), Environment(), -math.inf

    def _see(self, time: float, true: Transform, vision: Transform) -> None:
        if self._options.sight == "camera":
            frame = look(self._scene, time, true, vision, camera=DEPTH_CAMERA, rng=self._rng)
            self._map = self._mapper.add(frame)
            return
        if not _is_endless(self._scene):
            seen = self._whole.see(self._scene, None, time)
            self._take(self._whole.known if self._map.version == 0 else seen)
            return
        # Of floors without end a square is seen around the robot, which goes along with it.
        x, y = (_SNAP * round(float(each) / _SNAP) for each in vision.translation[:2])
        corner = Transform(np.eye(3), np.array([x - _SEEN, y - _SEEN, self._ground]))
        scene = replace(self._scene, start=corner)
        self._take(self._whole.see(scene, Goal(x + _SEEN, y + _SEEN, 0.0, self._ground), time))

    def _take(self, seen: Environment | None) -> None:
        if seen is not None:
            self._map = Environment(seen.terrain, seen.objects, self._map.version + 1)


def seen_before(scene: Scene, options: SeeingOptions) -> WholeSight:
    """Sight that has looked at a scene once, if it sees all of it at once: buildings take seconds."""
    whole = WholeSight(noisy=options.sight == "noisy", seed=options.seed)
    if options.sight != "camera" and not _is_endless(scene):
        whole.see(scene, None)
    return whole


def _is_endless(scene: Scene) -> bool:
    return any(isinstance(each.shape, Plane) for each in scene.objects if each.visible)


class RecordingSeer:
    """Plays a recording to one walk, by its times; the map lies in the world of the plan as it did then."""

    def __init__(self, path: Path) -> None:
        self._rest = read_perception(path)
        self._next = next(self._rest, None)

    def answers(self, asked: ControlToVision, truth: Transform | None) -> Iterator[VisionToControl]:
        """All that had been seen by then."""
        if any(signal.name == BEGIN for signal in asked.signals):
            return
        found: VisionToControl | None = None
        update = EnvironmentUpdate()
        while self._next is not None and self._next.acquired <= asked.acquired:
            found = self._next
            update, self._next = update.then(found.update), next(self._rest, None)
        if found is not None:
            worlds = vision_in_planning(found.planning_camera, found.vision_camera)
            here = asked.camera.pose
            yield VisionToControl(asked.acquired, here, worlds.inverse() @ here, found.signals, update)


class VisionService:
    """Serves walks; use it as a context manager.

    seer: makes who sees for a walk that connects. host, port: where it listens, by default on this machine only and at
    a free port. token: a secret that walks must show. record: file that keeps what the first walk is told.
    """

    def __init__(
        self,
        seer: Callable[[], Seer],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str = "",
        record: Path | None = None,
        limits: LinkOptions = LIMITS,
    ) -> None:
        self._make, self._record = seer, record
        self._lock = threading.Lock()
        self._walks: dict[Connection, _Walk] = {}
        self.served = 0  # walks
        options = LinkOptions(
            limits.waiting,
            limits.patience,
            limits.first,
            limits.whole,
            token=token,
            most=limits.most,
            unpacked=limits.unpacked,
        )
        self.listener = Listener(self._take, host=host, port=port, options=options)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return self.listener.address

    def close(self) -> None:
        """Leave all walks."""
        self.listener.close()
        with self._lock:
            for each in self._walks.values():
                each.close()

    def __enter__(self) -> VisionService:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, peer: Connection, message: Message) -> None:
        """Each peer has a thread of its own, which sees for it."""
        container = read_container(message)
        walk = self._walk(peer)
        if isinstance(container, MotionCapture):
            walk.truth = container
        elif isinstance(container, ControlToVision):
            try:
                walk.answer(peer, container)
            except FootfallError as problem:
                raise InvalidMessage(f"cannot be answered: {problem}") from None
        else:
            raise InvalidMessage("is for control; vision takes what control sends")

    def _walk(self, peer: Connection) -> _Walk:
        with self._lock:
            for gone in [each for each in self._walks if not each.open]:
                self._walks.pop(gone).close()
            if peer not in self._walks:
                recorder = None
                if self._record is not None and self.served == 0:
                    recorder = PerceptionRecorder(self._record)
                self._walks[peer] = _Walk(self._make(), recorder)
                self.served += 1
            return self._walks[peer]


class _Walk:
    """One that is served."""

    def __init__(self, seer: Seer, recorder: PerceptionRecorder | None) -> None:
        self._seer, self._recorder = seer, recorder
        self.truth: MotionCapture | None = None

    def answer(self, peer: Connection, asked: ControlToVision) -> None:
        truth = None
        if self.truth is not None and abs(self.truth.time - asked.acquired) < 1e-9:
            truth = self.truth.bodies.get(CAMERA)
        for container in self._seer.answers(asked, truth):
            if not peer.send(container_message(container)):
                # Updates build on each other: after a lost one it must begin anew.
                raise InvalidMessage("takes what it is sent too slowly")
            if self._recorder is not None:
                self._recorder.add(container)

    def close(self) -> None:
        if self._recorder is not None:
            self._recorder.close()


_EVENTS = kinds.Add | kinds.Remove | kinds.Move | kinds.Surface | kinds.Load


def happened(scene: Scene, text: str) -> Scene:
    """The scene after something that a walk tells of as JSON."""
    try:
        event = msgspec.json.decode(text, type=_EVENTS)
    except msgspec.DecodeError as error:
        raise InvalidMessage(f"an event is {text[:60]!r}: {error}") from None
    match event:
        case kinds.Add():
            changed = [added_object(event)]
        case kinds.Move() | kinds.Surface():
            changed = changed_objects(event, scene)
        case kinds.Remove(object=name):
            return replace(scene, objects=tuple(each for each in scene.objects if each.name != name))
        case _:
            return scene
    names = {each.name for each in changed}
    return replace(scene, objects=(*(each for each in scene.objects if each.name not in names), *changed))
