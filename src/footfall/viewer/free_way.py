"""Whether a held velocity leads onto or into something: a robot that is driven looks at nothing."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.environment.sampling import sample_terrain
from footfall.math.transform import Transform
from footfall.motion.pose_checks import sole_gap
from footfall.planning.step_set import sole_corners
from footfall.planning.teleoperation import plane_motion
from footfall.robot.shapes import Box
from footfall.viewer.held_drive import Velocity
from footfall.walking.body import FEET
from footfall.walking.session import WalkSession
from footfall.walking.sight import WholeSight

_STOPPING = 1.3  # s: a robot that is told to stop goes on for up to 1.15 s, until both feet stand
_RIM, _APART = 0.04, 0.04  # m around the soles, and between places that are looked at
_RISE = 0.02  # m, from the ground that it stands on
_TIMES = 8  # that are looked at in it
_LOOK = 0.5  # s between two looks at what stands around


class Blocked(NamedTuple):
    """away: m from the soles. rise: m, of what is there above the ground that the robot stands on, or below it."""

    away: float
    rise: float

    def __str__(self) -> str:
        side = "above" if self.rise > 0.0 else "below"
        return (
            f"{100 * self.away:.0f} cm from its feet the ground is {100 * abs(self.rise):.0f} cm {side} them: "
            "keys stop before it. Click where it shall go: it plans a way over or around it"
        )


class FreeWay:
    """What operators may drive over. It sees the scene without errors, and the walk does not know of its looks."""

    def __init__(self, session: WalkSession) -> None:
        self._session, self._sight, self._looked = session, WholeSight(noisy=False, seed=0), -math.inf

    def blocked(self, velocity: Velocity) -> Blocked | None:
        """The first thing that soles would come to if the robot were told to stop now; None if the way is free."""
        session = self._session
        if session.time >= self._looked + _LOOK:
            self._looked = session.time
            self._sight.see(session.walker.scene, None, session.time)
        axes, middle, lower, upper, ground = _stance(session)
        rim = _rim(lower, upper)
        for seconds in np.linspace(0.0, _STOPPING, _TIMES)[1:]:
            x, y, turn = plane_motion(seconds * np.array(velocity))
            c, s = math.cos(turn), math.sin(turn)
            there = rim @ np.array([[c, s], [-s, c]]) + (x, y)
            there = there[((there < lower) | (there > upper)).any(axis=1)]  # where it does not stand already
            if not len(there):
                continue
            rise = sample_terrain(self._sight.known.terrain, there @ axes.T + middle).height - ground
            high = np.nan_to_num(rise)  # what is not seen is not judged
            if (np.abs(high) > _RISE).any():
                worst = int(np.argmax(np.abs(high)))
                outside = np.maximum(lower - there[worst], there[worst] - upper).max()
                return Blocked(float(outside) + _RIM, float(high[worst]))
        return None


class DrawnStance(NamedTuple):
    """axes (2, 2): ahead and to the left, as columns, from middle (2,), m. lower, upper (2,): corners in them, m, of a
    rectangle around the soles. ground: height of the lower foot, m."""

    axes: Array
    middle: Array
    lower: Array
    upper: Array
    ground: float


def _stance(session: WalkSession) -> DrawnStance:
    body, q = session.code.body, np.ascontiguousarray(session.walker.arrays[0].q)
    robot, model = body.robot, body.model
    feet = [frame_pose(robot, q[: robot.nq], model.frames[name]) for name in FEET]
    heading = sum(foot.rotation[:2, 0] for foot in feet)
    axes = np.array([heading, [-heading[1], heading[0]]]).T / np.linalg.norm(heading)
    middle = sum(foot.translation for foot in feet)[:2] / len(feet)
    soles = np.column_stack([sole_corners(model.sole), np.zeros(4)])
    corners = np.concatenate([(soles @ foot.rotation.T + foot.translation)[:, :2] for foot in feet])
    within = (corners - middle) @ axes
    ground = min(float(foot.translation[2]) for foot in feet)
    return DrawnStance(axes, middle, within.min(axis=0) - _RIM, within.max(axis=0) + _RIM, ground)


def stands_in(session: WalkSession, thing: object, placement: Transform) -> bool:
    """Whether soles are where a box is, or would be."""
    if not isinstance(thing, Box):
        return False
    axes, middle, lower, upper, _ = _stance(session)
    soles = sole_corners((lower[0], upper[0], lower[1], upper[1])) @ axes.T + middle
    x, y, _ = np.array(thing.size) / 2
    box = [placement.apply(np.array([*corner, 0.0]))[:2] for corner in sole_corners((-x, x, -y, y))]
    return float(sole_gap(soles, np.array(box))) <= 0.0


def _rim(lower: Array, upper: Array) -> Array:
    """Places (n, 2) along the sides of a rectangle, m."""
    counts = np.ceil((upper - lower) / _APART).astype(int) + 1
    along, across = (np.linspace(lower[k], upper[k], counts[k]) for k in range(2))
    sides = [np.column_stack([along, np.full_like(along, y)]) for y in (lower[1], upper[1])]
    ends = [np.column_stack([np.full_like(across, x), across]) for x in (lower[0], upper[0])]
    return np.concatenate([*sides, *ends])
