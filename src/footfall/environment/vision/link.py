"""Vision and control over TCP: `ControlSide` listens, `VisionSide` connects, from any process or machine.

By default only this machine is served. What goes to and fro are the containers of `containers.py`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from footfall.environment.manager import EnvironmentManager
from footfall.environment.vision.alignment import PoseHistory, vision_in_planning
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import ControlToVision, MotionCapture, VisionToControl
from footfall.errors import InvalidMessage
from footfall.math.transform import Transform
from footfall.messages.connection import Connection, LinkOptions, connect
from footfall.messages.frames import Message
from footfall.messages.listener import Listener
from footfall.messages.signals import Signal

_MOST_WAITING = 1000  # captures and signals that wait to be taken


class ControlSide:
    """Control's end: sends where the robot is, and keeps the environment up to date with what vision sends.

    manager: gets all updates. host, port: where it listens. received: called with each container, after its update was
    posted. Use it as a context manager.
    """

    def __init__(
        self,
        manager: EnvironmentManager,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        received: Callable[[VisionToControl], None] | None = None,
        options: LinkOptions | None = None,
    ) -> None:
        self._manager, self._received = manager, received
        self._lock = threading.Lock()
        self._alignment: Transform | None = None
        self._signals: deque[Signal] = deque(maxlen=_MOST_WAITING)
        self.captures: deque[MotionCapture] = deque(maxlen=_MOST_WAITING)
        self.listener = Listener(self._take, host=host, port=port, options=options)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return self.listener.address

    @property
    def alignment(self) -> Transform | None:
        """Pose of vision's world in that of planning, of the newest message; None before the first."""
        return self._alignment

    def send(self, container: ControlToVision) -> int:
        """Tell vision where the robot is; how many peers are told. Never waits."""
        return self.listener.send(container_message(container))

    def take_signals(self) -> list[Signal]:
        """Signals of vision since the last call."""
        with self._lock:
            taken = list(self._signals)
            self._signals.clear()
        return taken

    def close(self) -> None:
        """Leave all peers."""
        self.listener.close()

    def __enter__(self) -> ControlSide:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, peer: Connection, message: Message) -> None:
        container = read_container(message)
        if isinstance(container, MotionCapture):
            self.captures.append(container)
            return
        if not isinstance(container, VisionToControl):
            raise InvalidMessage("is for vision; control takes what vision and motion capture send")
        with self._lock:
            self._alignment = vision_in_planning(container.planning_camera, container.vision_camera)
            self._signals.extend(container.signals)
        self._manager.post(container.update)
        if self._received is not None:
            self._received(container)


class VisionSide:
    """Vision's end: hears where the robot is, and sends what it sees.

    address: (host, port) of control. received: called with each container of control. Use it as a context manager.
    """

    def __init__(
        self,
        address: tuple[str, int],
        *,
        received: Callable[[ControlToVision], None] | None = None,
        options: LinkOptions | None = None,
        timeout: float = 5.0,
    ) -> None:
        self._received = received
        self.history = PoseHistory()
        self.connection = connect(address, self._take, options, timeout=timeout)

    def send(self, container: VisionToControl | MotionCapture) -> bool:
        """Tell control; whether nothing had to be dropped for it. Never waits."""
        return self.connection.send(container_message(container))

    def camera_at(self, time: float) -> Transform:
        """Where control says that the camera was at a time, s of its clock: to be sent back with the picture."""
        return self.history.at(time)

    def close(self) -> None:
        """Leave control."""
        self.connection.close()

    def __enter__(self) -> VisionSide:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, peer: Connection, message: Message) -> None:
        container = read_container(message)
        if not isinstance(container, ControlToVision):
            raise InvalidMessage("is for control; vision takes what control sends")
        self.history.add(container)
        if self._received is not None:
            self._received(container)
