"""Where a robot stands at the end of a walk: against its goal, and against where it believes to stand."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import RobotPose, mean_foot_frame
from footfall.math.rotations import yaw_of
from footfall.planning.contacts import Goal
from footfall.planning.planning_job import STOREY
from footfall.walking.body import FEET, WalkingBody

ARRIVED, ALIGNED = 0.15, math.radians(10.0)  # m and rad: who stands so near to a goal has reached it


class Distance(NamedTuple):
    """How far the middle between two feet is from a place: away, m in the plane, turned, rad, and above, m, where both
    heights are known, else 0."""

    away: float
    turned: float
    above: float = 0.0

    @property
    def reached(self) -> bool:
        """Whether who stands there has come to the place."""
        return self.away < ARRIVED and abs(self.turned) < ALIGNED and self.same_storey

    @property
    def same_storey(self) -> bool:
        """Whether both are on the same storey."""
        return abs(self.above) <= STOREY


def standing(body: WalkingBody, q: Array) -> Goal:
    """The middle between the feet of a robot in a configuration, the robot's part of q (nq,) comes first."""
    own = np.ascontiguousarray(q[: body.robot.nq])
    feet = [frame_pose(body.robot, own, body.model.frames[foot]) for foot in FEET]
    x, y, z = 0.5 * (feet[0].translation + feet[1].translation)
    ahead = feet[0].rotation[:, 0] + feet[1].rotation[:, 0]
    return Goal(float(x), float(y), math.atan2(ahead[1], ahead[0]), float(z))


def middle_of(pose: RobotPose) -> Goal:
    """The middle between the feet of a pose."""
    (x, y, z), turn = mean_foot_frame(*pose.feet)
    return Goal(float(x), float(y), float(yaw_of(turn)), float(z))


def distance(place: Goal, goal: Goal) -> Distance:
    """How far a place is from a goal."""
    turned = math.remainder(place.yaw - goal.yaw, 2.0 * math.pi)
    above = 0.0 if place.z is None or goal.z is None else place.z - goal.z
    return Distance(math.hypot(place.x - goal.x, place.y - goal.y), turned, above)
