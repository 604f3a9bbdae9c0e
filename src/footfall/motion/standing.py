"""A humanoid as it stands before any motion, and frames on it as the motion generator wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import link_poses
from footfall.errors import MisplacedFrame
from footfall.math.transform import Transform
from footfall.motion.landmarks import landmarks
from footfall.motion.soles import foot_points
from footfall.robot.model import Frame, Robot

_STANCES = ("idle", "standing", "stand", "half_sitting", "home")
_UPRIGHT = 0.99  # cosine of the largest angle by which an axis may be off


def start_configuration(robot: Robot) -> Array:
    """A configuration in which the robot stands, if it names one; else the neutral one, within the limits."""
    for name in _STANCES:
        if name in robot.configurations:
            return robot.configuration(name)
    return np.clip(neutral(robot), robot.lower_limits, robot.upper_limits)


def placed_frame(robot: Robot, poses: Sequence[Transform], frame: str) -> Transform:
    """Pose of a frame in the world, where links have these poses."""
    attachment = robot.tree.attachments[frame]
    return poses[attachment.link] @ attachment.placement if attachment.link >= 0 else attachment.placement


def check_upright(robot: Robot, poses: Sequence[Transform], frames: Mapping[str, str]) -> None:
    """Refuse feet whose z axis is not up, and an upper body that yaws against them."""
    for name in ("RF", "LF"):
        up = placed_frame(robot, poses, frames[name]).rotation[:, 2]
        if up[2] < _UPRIGHT:
            raise MisplacedFrame(
                f"frame {frames[name]!r} of robot {robot.name!r} has z axis {up.round(3).tolist()} where the robot "
                "stands; a foot frame must have x forward and z up"
            )
    foot, body = (placed_frame(robot, poses, frames[name]).rotation for name in ("RF", "UB"))
    if min(np.diag(foot.T @ body)) < _UPRIGHT:
        raise MisplacedFrame(
            f"frame {frames['UB']!r} of robot {robot.name!r} is turned against {frames['RF']!r} where the robot "
            "stands; the upper body must have x forward and z up too: `with_standing_frames` adds such a frame"
        )


def with_standing_frames(robot: Robot, *, frames: Mapping[str, str] | None = None) -> Robot:
    """The robot with frames RF, LF, UB and VTCP for its motions: those of the feet below the given ones, where the
    lowest points of their shapes are, those of upper body and head at the given ones, turned as the right foot is where
    the robot stands.

    frames: names of frames to start from, where names of the robot do not show them; those of the feet have x forward
    and z up. Frames of these names that the robot has already stay as they are.
    """
    found = landmarks(robot, frames)
    poses = link_poses(robot.tree, start_configuration(robot))
    level = placed_frame(robot, poses, found["RF"]).rotation
    added = []
    for name in ("RF", "LF", "UB", "VTCP"):
        if name in robot.frame_names:
            continue
        pose = placed_frame(robot, poses, found[name])
        if name in ("RF", "LF"):
            points = foot_points(robot, found[name])
            drop = float(points[:, 2].min()) if len(points) else 0.0
            pose = Transform(pose.rotation, pose.translation + drop * pose.rotation[:, 2])
        else:
            pose = Transform(level, pose.translation)
        body = _body(robot, found[name])
        added.append(Frame(name, body, placed_frame(robot, poses, body).inverse() @ pose))
    return replace(robot, frames=(*robot.frames, *added))


def _body(robot: Robot, frame: str) -> str:
    return next((entry.body for entry in robot.frames if entry.name == frame), frame)
