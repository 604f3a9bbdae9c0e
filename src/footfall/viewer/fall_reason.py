"""Why a robot fell, in words, from what was recorded in the last seconds before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.recording.reader import Recording

_BEFORE = 2.0  # s before the fall that are looked at
_SLIP = 0.12  # m/s of a loaded foot along the ground
_LOADED = 0.15  # of the weight
_EDGE = 0.004  # m from the edge of the sole, or beyond
_LIMIT = np.radians(1.0)
_TILTED = np.radians(12.0)


class Reason(NamedTuple):
    """time: when it began, s. text: what happened, then what it ended in."""

    time: float
    text: str


def reason_of_fall(recording: Recording) -> Reason | None:
    """The first thing that went wrong before a fall; None if nothing fell."""
    falls = [event for event in recording.events if event.name == "fallen"]
    if not falls:
        return None
    end, cause = falls[0].time, str(falls[0].data.get("cause", ""))
    signs = [
        sign
        for sign in (*_slips(recording, end), *_tilt(recording, end), *_stops(recording, end))
        if sign is not None
    ]
    signs += _told(recording, end)
    signs.sort(key=lambda each: each.time)
    if not signs:
        return Reason(end, f"fell: {cause}")
    chain = ", then ".join(dict.fromkeys(f"{each.text} at {each.time:.2f} s" for each in signs[:4]))
    return Reason(signs[0].time, f"fell because {chain}; in the end {cause}")


def _recent(recording: Recording, name: str, end: float) -> tuple[Array, Array] | None:
    table = recording.signals
    if name not in table.values:
        return None
    rows = (table.time >= end - _BEFORE) & (table.time <= end)
    return (table.time[rows], table.values[name][rows]) if rows.sum() > 3 else None


def _slips(recording: Recording, end: float) -> list[Reason | None]:
    """Feet that bear load and move: their centre of pressure in contacts cannot tell, their bodies can."""
    found: list[Reason | None] = []
    weight = recording.robot.mass * 9.81
    for side, body in (("right", "right_foot"), ("left", "left_foot")):
        forces = _recent(recording, body, end)
        if forces is None:
            continue
        ratio = np.hypot(forces[1][:, 0], forces[1][:, 1]) / np.maximum(forces[1][:, 2], 1.0)
        loaded = forces[1][:, 2] > _LOADED * weight
        limit = _friction(recording)
        slipping = loaded & (ratio > 0.97 * limit)
        if slipping.sum() >= 3:
            at = float(forces[0][np.argmax(slipping)])
            found.append(Reason(at, f"the {side} foot slipped (friction {limit:.2f})"))
    return found


def _friction(recording: Recording) -> float:
    scene = recording.scene
    if scene is None or not scene.objects:
        return 0.8
    return float(min(each.material.friction for each in scene.objects))


def _tilt(recording: Recording, end: float) -> list[Reason | None]:
    found = _recent(recording, "tilt", end)
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


def _stops(recording: Recording, end: float) -> list[Reason | None]:
    """Joints that come to their limits."""
    robot = recording.robot
    lower, upper = robot.limits()
    rows = (recording.time >= end - _BEFORE) & (recording.time <= end)
    q, time = recording.q[rows], recording.time[rows]
    found: list[Reason | None] = []
    for joint in robot.joints:
        place = robot.q_slice(joint.name)
        if place.stop - place.start != 1 or not np.isfinite(lower[place][0]) or not len(q):
            continue
        angle = q[:, place][:, 0]
        near = (angle < lower[place][0] + _LIMIT) | (angle > upper[place][0] - _LIMIT)
        if near.any() and not near.all():
            found.append(Reason(float(time[np.argmax(near)]), f"joint {joint.name} came to its limit"))
    return found


def _told(recording: Recording, end: float) -> list[Reason]:
    """What was done to it, and plans that there were none."""
    found: list[Reason] = []
    for event in recording.events:
        if not end - _BEFORE <= event.time <= end:
            continue
        if event.name == "signal" and event.data.get("do") == "push":
            force = float(np.linalg.norm([float(each) for each in event.data.get("force", (0.0,))]))
            if not any("pushed" in each.text for each in found):
                found.append(Reason(event.time, f"it was pushed with {force:.0f} N"))
        elif event.name == "no plan":
            found.append(Reason(event.time, "there was no plan"))
    return found
