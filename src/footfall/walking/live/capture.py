"""Motion capture of a live walk: where cameras around it would see its bodies, with the times of the walk, for analysis
and calibration; it is never used for control (Seiwald 2023, section 7.6).

Poses go a hundred times a second to whoever connects, as `MotionCapture` messages of the vision interface. Beside the
true ones they stand in a log that never keeps the loop waiting: a thread writes it, and what it cannot keep up with is
dropped and counted.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.environment.vision.codec import container_message, read_container
from footfall.environment.vision.containers import MotionCapture
from footfall.gait.poses import HANDS
from footfall.math.rotations import matrix_from_rotation_vector, quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.messages.connection import Connection, LinkOptions, connect
from footfall.messages.frames import Message
from footfall.messages.listener import Listener
from footfall.messages.stream_log import StreamLog
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.live.session import LiveSession

BODIES = ("UB", "VTCP", *FEET, *HANDS)  # frames of the robot that carry markers
NOISE_M, NOISE_RAD = 2e-4, 5e-4  # of what cameras around the robot measure
_MOST_WAITING = 1000  # captures that wait to be taken
_COLUMNS = tuple(f"{body}.{name}" for body in BODIES for name in ("x", "y", "z", "qw", "qx", "qy", "qz"))


class CaptureServer:
    """Sees the robot of a session; use it as a context manager. path: of a log, an .mcap file, if there is to be one.
    token: that who listens must show. seed: of errors."""

    def __init__(self, session: LiveSession, *, token: str, path: Path | None = None, seed: int = 0) -> None:
        self._session, self._rng = session, np.random.default_rng((seed, 6))
        self._log = None if path is None else StreamLog(path, {"captured": _COLUMNS, "true": _COLUMNS})
        self._last = -1
        options = LinkOptions(waiting=64, token=token)
        self._listener = Listener(lambda peer, message: None, options=options)

    @property
    def port(self) -> int:
        """On this machine."""
        return self._listener.address[1]

    @property
    def followers(self) -> int:
        """How many listen."""
        return len(self._listener.peers)

    def serve(self) -> None:
        """Look at the robot where it was at the last border of the loop, if that is wanted. Never waits."""
        place = self._session.snapshot
        listens = bool(self._listener.peers)
        if place.period <= self._last or (self._log is None and not listens):
            return
        self._last = place.period
        time = place.period * self._session.walker.gains.period
        true = marked_poses(self._session.code.body, place.q)
        seen = {name: self._measured(pose) for name, pose in true.items()}
        if self._log is not None:
            self._log.put("captured", time, _row(seen))
            self._log.put("true", time, _row(true))
        if listens:
            self._listener.send(container_message(MotionCapture(time, seen)))

    def close(self) -> None:
        """See no more."""
        self._listener.close()
        if self._log is not None:
            self._log.close()

    def __enter__(self) -> CaptureServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _measured(self, pose: Transform) -> Transform:
        shift, turn = self._rng.normal(size=(2, 3))
        rotation = pose.rotation @ matrix_from_rotation_vector(NOISE_RAD * turn)
        return Transform(rotation, pose.translation + NOISE_M * shift)


class CaptureLink:
    """Listens to the motion capture of a walk; the latest poses wait in `captures`."""

    def __init__(self, port: int, *, token: str) -> None:
        self.captures: deque[MotionCapture] = deque(maxlen=_MOST_WAITING)
        self._link = connect(("127.0.0.1", port), self._take, LinkOptions(token=token))

    def close(self) -> None:
        """Listen no more."""
        self._link.close()

    def _take(self, peer: Connection, message: Message) -> None:
        found = read_container(message)
        if isinstance(found, MotionCapture):
            self.captures.append(found)


def marked_poses(body: WalkingBody, q: Array) -> dict[str, Transform]:
    """True poses of frames with markers, at q (nq,) of all that moves."""
    own = np.ascontiguousarray(q[: body.robot.nq])
    poses: dict[str, Transform] = {}
    for name in BODIES:
        found = frame_pose(body.robot, own, body.model.frames[name])
        poses[name] = Transform(np.array(found.rotation), np.array(found.translation))
    return poses


def _row(poses: dict[str, Transform]) -> Array:
    found = (np.r_[each.translation, quaternion_from_matrix(each.rotation)] for each in poses.values())
    return np.concatenate(list(found))
