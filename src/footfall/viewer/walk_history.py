"""The last minute of a walk, thinned out, for plots and looks back: it costs the same however long it has walked."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.robot.model import Robot
from footfall.robot.parts import JointType
from footfall.scenarios.walk_outputs import UNITS
from footfall.viewer.signal_groups import SignalGroup, component_labels, moved_joints
from footfall.walking.log import cut
from footfall.walking.session import WalkSession

SECONDS, _RATE = 60.0, 50.0  # that are kept, and rows a second
_MOST_CURVES = 60  # components that can be told apart


class WalkHistory:
    """Rows of one session's log, as they come."""

    live = True

    def __init__(self, session: WalkSession) -> None:
        walker = session.walker
        self._every = max(1, round(1.0 / (_RATE * walker.row_time)))
        self._row = 0  # the next one of the log
        self._most = round(SECONDS / (self._every * walker.row_time))
        self._parts: deque[tuple[Array, Array, Any]] = deque()  # times, configurations and signals
        self._rows = 0
        self._robot: Robot = session.code.body.robot
        self._joints = moved_joints(self._robot)
        self.names: Sequence[tuple[str, str]] = self._names(walker.latest)

    def take(self, session: WalkSession) -> None:
        """Keep what is new."""
        walker = session.walker
        end = walker.period // walker.options.log_every
        if end <= self._row:
            return
        log = cut(walker.log_from(self._row), self._row, end)
        rows = np.arange(len(log.q))
        rows = rows[(rows + log.first + 1) % self._every == 0]
        self._row = end
        if len(rows):
            times = walker.row_time * (rows + log.first + 1.0)
            self._parts.append((times, log.q[rows], log.signals[rows]))
            self._rows += len(rows)
        while self._parts and self._rows - len(self._parts[0][0]) >= self._most:
            self._rows -= len(self._parts.popleft()[0])

    @property
    def range(self) -> tuple[float, float]:
        """First and last instant that is kept, s."""
        if not self._parts:
            return 0.0, 0.0
        return float(self._parts[0][0][0]), float(self._parts[-1][0][-1])

    def column(self, name: str) -> Array:
        """A signal (n, ...) of all rows."""
        return np.concatenate([signals[name] for _, _, signals in self._parts])

    def last(self, name: str, seconds: float) -> Array:
        """A signal (n, ...), or the time, of the rows of the last seconds."""
        rows, parts = round(seconds * _RATE), list[Array]()
        for times, _, signals in reversed(self._parts):
            parts.append(times if name == "time" else np.asarray(signals[name], np.float64))
            rows -= len(times)
            if rows <= 0:
                break
        return np.concatenate(parts[::-1]) if parts else np.zeros(0)

    def groups(self, name: str) -> Sequence[tuple[str, SignalGroup]]:
        """A signal, or a joint's position."""
        if not self._parts or name not in (known := dict(self.names)):
            return []
        time = np.concatenate([times for times, _, _ in self._parts])
        joint = name.removesuffix(".position")
        if joint in self._joints:
            place = self._robot.q_slice(joint)
            values = np.concatenate([q[:, place] for _, q, _ in self._parts])
            labels: tuple[str, ...] = (joint,)
        else:
            values = np.asarray(self.column(name), np.float64).reshape(len(time), -1)
            labels = component_labels(name, values.shape[1], self._joints)
        return [("", SignalGroup(name, known[name], labels, time, values))]

    def at(self, moment: float) -> tuple[Array, Any]:
        """Configuration (nq,) between the rows around an instant, s, and the signals of the row before it."""
        part, k = self._place(moment)
        times, q, signals = self._parts[part]
        first, then = q[k], times[k]
        if k + 1 < len(q):
            second, later = q[k + 1], times[k + 1]
        elif part + 1 < len(self._parts):
            second, later = self._parts[part + 1][1][0], self._parts[part + 1][0][0]
        else:
            return np.array(first), signals[k]
        share = float(np.clip((moment - then) / max(later - then, 1e-9), 0.0, 1.0))
        # Quaternions of both rows are hardly apart: forward kinematics needs them of unit length only.
        return _normed(first + share * (second - first), self._robot), signals[k]

    def _place(self, moment: float) -> tuple[int, int]:
        part = max((k for k, (times, _, _) in enumerate(self._parts) if times[0] <= moment), default=0)
        return part, max(int(np.searchsorted(self._parts[part][0], moment + 1e-9, side="right")) - 1, 0)

    def _names(self, row: Any) -> list[tuple[str, str]]:
        named = [
            (name, UNITS.get(name, ""))
            for name in row.dtype.names
            if name != "time" and row[name].size <= _MOST_CURVES
        ]
        return named + [(f"{joint}.position", "rad") for joint in self._joints if self._is_turning(joint)]

    def _is_turning(self, name: str) -> bool:
        place = self._robot.q_slice(name)
        return int(place.stop - place.start) == 1


def _normed(q: Array, robot: Robot) -> Array:
    for joint in robot.joints:
        place = robot.q_slice(joint.name)
        if joint.type is JointType.FLOATING:
            q[place.start + 3 : place.stop] /= np.linalg.norm(q[place.start + 3 : place.stop])
        elif joint.type is JointType.SPHERICAL:
            q[place] /= np.linalg.norm(q[place])
    return q
