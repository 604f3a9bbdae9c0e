"""A motion somewhere else in the plane: a robot whose feet have landed beside their plan goes on from there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.gait.moved import with_poses
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import FootState, RobotPose
from footfall.motion.motion import Motion, PhaseTable
from footfall.motion.support import SupportAreas

_MOVED = ("zmp", "right_foot", "left_foot", "torso", "center_of_mass")


def displaced(motion: Motion, by: Array) -> Motion:
    """The motion displaced by (3,), m; hands stay at what they touch."""
    curves = {name: getattr(motion.curves, name).mapped(np.eye(3), by) for name in _MOVED}
    return replace(
        motion,
        given=displaced_plan(motion.given, by),
        phases=_moved_phases(motion.phases, by),
        curves=replace(motion.curves, **curves),
    )


def displaced_plan(plan: MotionPlan, by: Array) -> MotionPlan:
    """The plan with its feet displaced by (3,), m."""
    sequences = [with_poses(sequence, lambda pose: displaced_pose(pose, by)) for sequence in plan.sequences]
    return replace(plan, sequences=tuple(sequences))


def displaced_pose(pose: RobotPose, by: Array) -> RobotPose:
    """The pose with its feet displaced by (3,), m."""
    right, left = (_moved_foot(foot, by) for foot in pose.feet)
    return replace(pose, right_foot=right, left_foot=left, com_height=pose.com_height + float(by[2]))


def _moved_foot(foot: FootState, by: Array) -> FootState:
    x, y, z = (np.array(foot.position) + by).tolist()
    return replace(foot, position=(x, y, z))


def _moved_phases(phases: PhaseTable, by: Array) -> PhaseTable:
    areas, soles = (
        SupportAreas(each.corners + np.asarray(by)[:2], each.sizes) for each in (phases.areas, phases.soles)
    )
    return replace(phases, areas=areas, soles=soles)
