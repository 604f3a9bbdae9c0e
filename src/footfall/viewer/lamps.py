"""Lamps of the state row: is all well, and if not, what is wrong."""

from __future__ import annotations

import numpy as np

from footfall.walking.hardware import Stage
from footfall.walking.hardware_setup import trouble_of
from footfall.walking.session import WalkSession

Lamp = tuple[str, str, str]  # name, "good", "fair", "bad" or "off", and a few words
_GOOD_ESTIMATE, _BAD_ESTIMATE = 0.03, 0.08  # m between the centre of mass and its estimate
_IDLE, _BUSY = 0.6, 1.0  # of a processor for real time


def lamps(session: WalkSession, busy: float) -> list[Lamp]:
    """Of estimator, contacts, planner, real time and drives. busy: processor seconds for a second of the walk."""
    walker = session.walker
    found: list[Lamp] = []
    if walker.period > 0:
        last = walker.latest
        error = float(np.linalg.norm(np.subtract(last["estimated_center"], last["center"])[:2]))
        found.append(("estimator", _level(error, _GOOD_ESTIMATE, _BAD_ESTIMATE), f"{1e3 * error:.0f} mm"))
        feet = [name for name, side in (("R", "right"), ("L", "left")) if last[f"{side}_state"][0] > 0.5]
        hands = [
            name
            for name, side in (("RH", "right"), ("LH", "left"))
            if abs(last[f"{side}_hand"][:3]).max() > 1.0
        ]
        found.append(("contacts", "good" if feet else "bad", " ".join([*feet, *hands]) or "none"))
    version = session.pilot.versions[-1]
    if session.problem is not None:
        found.append(("planner", "bad", "no way"))
    else:
        found.append(("planner", "good", f"{version.milliseconds:.0f} ms"))
    if busy > 0.0:
        found.append(("real time", _level(busy, _IDLE, _BUSY), f"{100.0 * busy:.0f} % of a core"))
    if walker.options.mode == "full":
        trouble = trouble_of(walker.hardware, walker.code.body)
        stage = Stage(int(walker.hardware.state.stage[0]))
        found.append(("drives", "bad" if trouble else "good", trouble or stage.name.lower()))
    return found


def _level(value: float, fair: float, bad: float) -> str:
    return "good" if value < fair else "fair" if value < bad else "bad"
