"""Where a hand can be: within the limits of the arm's joints and without touching the robot itself.

A map of cells, found by trying many angles of the arm (the exploration by forward kinematics of Seiwald 2023, section
3.3). Asking it costs next to nothing, so that planner and generator can ask it for every hand.

The arms of a robot: where their shoulders and elbows are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.dynamics.kinematics import frame_pose, link_poses
from footfall.dynamics.volume_distances import free_pairs, volume_distances
from footfall.errors import UnsuitableRobot
from footfall.gait.poses import Hand
from footfall.math.transform import Transform
from footfall.motion.body_tasks import joints_between
from footfall.motion.standing import placed_frame
from footfall.robot.model import JointType, Robot
from footfall.robot.volumes import Pair


class Arm(NamedTuple):
    """Links: the first that no other part hangs on, the one after it, and the one farthest from both ends."""

    shoulder: int
    following: int
    elbow: int


def arm_of(robot: Robot, poses: list[Transform], frames: Mapping[str, str], hand: str) -> Arm:
    """The arm of a hand."""
    tree = robot.tree
    others = {
        index for name in frames if name != hand for index in tree.path(tree.attachments[frames[name]].link)
    }
    own = [index for index in sorted(tree.path(tree.attachments[frames[hand]].link)) if index not in others]
    if len(own) < 2:
        raise UnsuitableRobot(
            f"frame {frames[hand]!r} of robot {robot.name!r} has {len(own)} joints of its own; {hand} must have "
            "a shoulder and an elbow"
        )
    shoulder = on_axis(poses[own[0]], poses[own[1]].translation)
    end = placed_frame(robot, poses, frames[hand]).translation

    def between(index: int) -> float:
        place = poses[index].translation
        return float(min(np.linalg.norm(place - shoulder), np.linalg.norm(end - place)))

    return Arm(own[0], own[1], max(own, key=between))


def shoulder_place(robot: Robot, poses: list[Transform], frames: Mapping[str, str], hand: str) -> Array:
    """Where the shoulder of a hand's arm is in the world (3,), m."""
    arm = arm_of(robot, poses, frames, hand)
    return on_axis(poses[arm.shoulder], poses[arm.following].translation)


def on_axis(joint: Transform, point: Array) -> Array:
    """The point of a joint's axis that is closest to a point: where a joint is, whatever its frame's origin."""
    axis = joint.rotation[:, 2]
    return np.asarray(joint.translation + axis * (axis @ (point - joint.translation)))


LIMIT_SET = "multi_contact"  # of joints, if the robot has one of that name: arms that lean keep elbows low
_TRIALS = 2**18  # arms that are tried; a cell of 5 cm within reach is hit some ten times
_CHUNK = 2**14
_MOST_TRIALS = 8  # arms that are tried for collisions in each cell


class ArmReach(NamedTuple):
    """Cells that a hand reaches, in the frame of the upper body.

    corner (3,): lowest corner of the first cell, m. size: of a cell, m. cells (x, y, z): whether the hand gets there.
    shoulder (3,): where the shoulder is, m: for those who know where shoulders are, not the upper body's frame.
    """

    corner: Array
    size: float
    cells: Flags
    shoulder: Array

    def contains(self, points: Array) -> Flags:
        """Whether the hand reaches points (n, 3) in the frame of the upper body, m: (n,)."""
        places = np.floor((np.asarray(points) - self.corner) / self.size).astype(np.int64)
        inside = ((places >= 0) & (places < self.cells.shape)).all(axis=1)
        x, y, z = np.where(inside[:, None], places, 0).T
        return np.asarray(inside & self.cells[x, y, z])

    def contains_from_shoulder(self, points: Array) -> Flags:
        """The same for points (n, 3) seen from the shoulder, in the axes of the upper body, m."""
        return self.contains(np.asarray(points) + self.shoulder)


def arm_reach(
    robot: Robot,
    frames: Mapping[str, str],
    hand: Hand,
    q: Array,
    *,
    size: float = 0.05,
    margin: float = 0.0873,
    apart: float = 0.0,
) -> ArmReach:
    """Where a hand gets while all else is as in the configuration q (nq,).

    frames: names of the robot's frames for UB and the hand, as those of a reduced model. size: of cells, m. margin:
    from the limits of joints, of the set `multi_contact` if there is one, rad (5 degrees). apart: least distance of
    the robot's volumes, m; robots without volumes are not looked at.
    """
    arms = _tried_arms(robot, frames["UB"], frames[hand], q, margin)
    body = placed_frame(robot, link_poses(robot.tree, q), frames["UB"])
    places = np.concatenate(
        [
            (frame_pose(robot, arms[k : k + _CHUNK], frames[hand]).translation - body.translation)
            @ body.rotation
            for k in range(0, len(arms), _CHUNK)
        ]
    )
    corner = size * np.floor(places.min(axis=0) / size)
    cells = np.floor((places - corner) / size).astype(np.int64)
    shape = cells.max(axis=0) + 1
    reached = np.zeros(shape, dtype=np.bool_)
    pairs = free_pairs(robot, q) if robot.volumes else ()
    _mark(reached, np.ravel_multi_index(tuple(cells.T), tuple(shape)), robot, arms, apart, pairs)
    poses = link_poses(robot.tree, q)
    shoulder = (shoulder_place(robot, poses, frames, hand) - body.translation) @ body.rotation
    return ArmReach(corner, size, reached, shoulder)


def _tried_arms(robot: Robot, upper_body: str, hand: str, q: Array, margin: float) -> Array:
    """Configurations (n, nq) with the arm's joints spread evenly over their ranges, always the same ones."""
    from scipy.stats import qmc  # slow to import, and maps are kept

    joints = [joint for joint in joints_between(robot, upper_body, hand) if joint.type is not JointType.FIXED]
    places = [robot.q_slice(joint.name).start for joint in joints]
    lowest, highest = robot.limits(LIMIT_SET if LIMIT_SET in robot.limit_sets else None)
    lower = np.maximum(lowest[places] + margin, -np.pi)
    upper = np.minimum(highest[places] - margin, np.pi)
    shares = qmc.Sobol(len(places), seed=0).random(_TRIALS)
    arms = np.tile(q, (_TRIALS, 1))
    arms[:, places] = lower + shares * np.maximum(upper - lower, 0.0)
    return arms


def _mark(
    reached: Flags, cells: Integers, robot: Robot, arms: Array, apart: float, pairs: tuple[Pair, ...]
) -> None:
    """Mark cells in which some arm is that does not touch the robot; a few are tried in each."""
    order = np.argsort(cells, kind="stable")
    names, first, count = np.unique(cells[order], return_index=True, return_counts=True)
    flat = reached.reshape(-1)
    if not pairs:
        flat[names] = True
        return
    for trial in range(_MOST_TRIALS):
        open_cells = np.flatnonzero(~flat[names] & (count > trial))
        chosen = order[first[open_cells] + trial]
        for k in range(0, len(chosen), _CHUNK):
            part = slice(k, k + _CHUNK)
            distance = volume_distances(robot, arms[chosen[part]], pairs=pairs, threshold=0.1).distance
            flat[names[open_cells[part]]] |= np.asarray(distance).min(axis=1) > apart
