"""Why a robot fell, in words, from what was recorded in the last seconds before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import FootfallError
from footfall.motion.model_derivation import reduced_model
from footfall.recording.reader import Recording
from footfall.robot.model import Robot
from footfall.scene.model import Scene
from footfall.walking.body import FEET
from footfall.walking.session import WalkSession
from footfall.walking.walk import cause_of_fall

_BEFORE = 2.0  # s before the fall that are looked at
_LOADED = 0.15  # of the weight
_ALONE = 0.7  # likewise, on a foot that bears nearly all of it
_EDGE, _LASTING = 0.004, 0.06  # m from the edge of the sole, or beyond, and for how long, s
_FULL, _ROWS = 0.99, 50  # of a motor's current, and rows for which it is that
_LIMIT = np.radians(1.0)
_TILTED = np.radians(12.0)
_FEET = ("right", "left")
_KNOWN = ("right_foot", "left_foot", "tilt", "strain")


class Reason(NamedTuple):
    """time: when it began, s. text: what happened, then what it ended in."""

    time: float
    text: str


class LastSeconds(NamedTuple):
    """What is known of a fall. end: s; cause: the limit that was passed. time (n,), q (n, nq): of the last seconds.
    signals: by name, of the same times. scene: that it fell in. events: time, name and data of what happened."""

    end: float
    cause: str
    robot: Robot
    time: Array
    q: Array
    signals: Mapping[str, tuple[Array, Array]]
    scene: Scene | None
    events: Sequence[tuple[float, str, Mapping[str, Any]]]

    def signal(self, name: str) -> tuple[Array, Array] | None:
        """Times and values of a signal in the last seconds, None if it is not known."""
        if name not in self.signals:
            return None
        time, values = self.signals[name]
        rows = (time >= self.end - _BEFORE) & (time <= self.end)
        return (time[rows], np.asarray(values[rows])) if rows.sum() > 3 else None


def reason_of_fall(recording: Recording) -> Reason | None:
    """The first thing that went wrong before a fall; None if nothing fell."""
    falls = [event for event in recording.events if event.name == "fallen"]
    if not falls:
        return None
    end, table = falls[0].time, recording.signals
    rows = (recording.time >= end - _BEFORE) & (recording.time <= end)
    return first_reason(
        LastSeconds(
            end,
            str(falls[0].data.get("cause", "")),
            recording.robot,
            recording.time[rows],
            recording.q[rows],
            {name: (table.time, values) for name, values in table.values.items()},
            recording.scene,
            [(event.time, event.name, event.data) for event in recording.events],
        )
    )


def reason_of_walk(session: WalkSession) -> Reason | None:
    """The same of a walk that has just fallen."""
    walker = session.walker
    cause = cause_of_fall(walker)
    if cause is None:
        return None
    log = walker.log_from(max(walker.rows - round(_BEFORE / walker.row_time), 0))
    robot, time = session.code.body.robot, np.array(log.signals["time"])
    known = {name: (time, log.signals[name]) for name in _KNOWN}
    q = log.q[:, : robot.nq]
    return first_reason(
        LastSeconds(session.time, cause, robot, time, q, known, walker.scene, session.happened)
    )


def first_reason(fall: LastSeconds) -> Reason:
    """What went wrong, one thing after the other."""
    found = (*_slips(fall), *_edges(fall), *_tilt(fall), *_stops(fall), *_currents(fall))
    signs = sorted([*found, *_events_before(fall)], key=lambda each: each.time)
    if not signs:
        return Reason(fall.end, f"fell: {fall.cause}")
    chain = ", then ".join(dict.fromkeys(f"{each.text} at {each.time:.2f} s" for each in signs[:4]))
    return Reason(signs[0].time, f"fell because {chain}; in the end {fall.cause}")


def _slips(fall: LastSeconds) -> list[Reason]:
    """Feet that bear load along a surface that cannot bear it."""
    found: list[Reason] = []
    weight, limit = fall.robot.mass * 9.81, _friction(fall.scene)
    for side in _FEET:
        forces = fall.signal(f"{side}_foot")
        if forces is None:
            continue
        ratio = np.hypot(forces[1][:, 0], forces[1][:, 1]) / np.maximum(forces[1][:, 2], 1.0)
        slipping = (forces[1][:, 2] > _LOADED * weight) & (ratio > 0.97 * limit)
        if slipping.sum() >= 3:
            at = float(forces[0][np.argmax(slipping)])
            found.append(Reason(at, f"the {side} foot slipped (friction {limit:.2f})"))
    return found


def _friction(scene: Scene | None) -> float:
    if scene is None or not scene.objects:
        return 0.8
    return float(min(each.material.friction for each in scene.objects))


def _edges(fall: LastSeconds) -> list[Reason]:
    """A foot that bears nearly all of the robot and is pressed at an edge of its sole only."""
    try:
        model = reduced_model(fall.robot)
    except FootfallError:
        return []  # it is none that walks
    found: list[Reason] = []
    rear, front, right, left = model.sole
    for side, name in zip(_FEET, FEET, strict=True):
        wrench = fall.signal(f"{side}_foot")
        if wrench is None or not len(fall.time):
            continue
        since: float | None = None
        for time, row in zip(wrench[0].tolist(), wrench[1], strict=True):
            if row[2] < _ALONE * fall.robot.mass * 9.81:
                since = None
                continue
            q = fall.q[int(np.searchsorted(fall.time, time).clip(max=len(fall.q) - 1))]
            turn = frame_pose(fall.robot, np.ascontiguousarray(q), model.frames[name]).rotation
            x, y = (turn.T @ np.array([-row[4], row[3], 0.0]))[:2] / row[2]
            inside = min(x - rear, front - x, y - right, left - y)
            since = (time if since is None else since) if inside < _EDGE else None
            if since is not None and time - since > _LASTING:
                found.append(Reason(since, f"it stood on the edge of its {side} foot"))
                break
    return found


def _tilt(fall: LastSeconds) -> list[Reason]:
    found = fall.signal("tilt")
    if found is None:
        return []
    size = np.hypot(found[1][:, 0], found[1][:, 1])
    if not (size > _TILTED).any():
        return []
    row = int(np.argmax(size > _TILTED))
    roll, pitch = found[1][row, :2]
    way = (
        ("ahead" if pitch > 0 else "back")
        if abs(pitch) > abs(roll)
        else ("to the right" if roll > 0 else "to the left")
    )
    return [Reason(float(found[0][row]), f"the upper body tilted {way} by more than 12 degrees")]


def _stops(fall: LastSeconds) -> list[Reason]:
    """Joints that come to their limits."""
    robot, q = fall.robot, fall.q
    lower, upper = robot.limits()
    found: list[Reason] = []
    for joint in robot.joints:
        place = robot.q_slice(joint.name)
        if place.stop - place.start != 1 or not np.isfinite(lower[place][0]) or not len(q):
            continue
        angle = q[:, place][:, 0]
        near = (angle < lower[place][0] + _LIMIT) | (angle > upper[place][0] - _LIMIT)
        if near.any() and not near.all():
            found.append(Reason(float(fall.time[np.argmax(near)]), f"joint {joint.name} came to its limit"))
    return found


def _currents(fall: LastSeconds) -> list[Reason]:
    """Motors that give all that they can, for a while."""
    strain = fall.signal("strain")
    if strain is None:
        return []
    full = strain[1] > _FULL
    held = np.convolve(full, np.ones(_ROWS), "valid") == _ROWS if len(full) >= _ROWS else np.zeros(1, bool)
    if not held.any():
        return []
    return [Reason(float(strain[0][np.argmax(held)]), "a motor gave all of its current")]


def _events_before(fall: LastSeconds) -> list[Reason]:
    """What was done to it, and plans that there were none, or that came late."""
    found: list[Reason] = []
    for time, name, data in fall.events:
        if not fall.end - _BEFORE <= time <= fall.end:
            continue
        if name == "signal" and data.get("do") == "push":
            force = float(np.linalg.norm([float(each) for each in data.get("force", (0.0,))]))
            if not any("pushed" in each.text for each in found):
                found.append(Reason(time, f"it was pushed with {force:.0f} N"))
        elif name == "signal" and data.get("do") == "served" and data.get("late"):
            found.append(Reason(time, "a plan came late"))
        elif name == "no plan":
            found.append(Reason(time, "there was no plan"))
    return found
