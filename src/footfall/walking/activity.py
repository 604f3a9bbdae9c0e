"""What a walking robot does at this moment, in the words of a state row."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from footfall.gait.plan import Action
from footfall.walking.session import WalkSession

Doing = Literal["standing", "planning", "walking", "stopping", "fallen"]
_MOVED = 0.01  # m: a foot that comes farther makes a step


class Activity(NamedTuple):
    """doing: in a word. about: what its plan is for. steps, seconds: that remain of the plan."""

    doing: Doing
    about: str
    steps: int
    seconds: float


def activity(session: WalkSession) -> Activity:
    """What the robot of a session does now."""
    pilot, now = session.pilot, session.time
    followed = [version for version in pilot.versions if version.problem is None]
    about = followed[-1].about if followed else ""
    if session.fallen:
        return Activity("fallen", about, 0, 0.0)
    seconds = max(pilot.motion.end_time - now, 0.0)
    if pilot.rests(now) or _idles(session):
        waits = pilot.coming is not None or (pilot.busy and session.problem is None)
        return Activity("planning" if waits else "standing", about, 0, 0.0)
    return Activity("stopping" if about == "stop" else "walking", about, _steps_left(session), seconds)


def _idles(session: WalkSession) -> bool:
    """Whether all that is left of the plan is to stand."""
    motion = session.pilot.motion
    first, _ = motion.plan.at(session.time)
    return all(each.action is Action.IDLE for each in motion.given.sequences[first:])


def _steps_left(session: WalkSession) -> int:
    motion, count = session.pilot.motion, 0
    for first, second, _, end in motion.plan.spans():
        if end <= session.time:
            continue
        each = motion.given.sequences[first].transitions[second]
        ways = [
            np.subtract(after.position, before.position)
            for before, after in zip(each.begin.feet, each.end.feet, strict=True)
        ]
        count += any(float(np.abs(way).max()) > _MOVED for way in ways)
    return count
