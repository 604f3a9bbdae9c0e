"""The joints between two frames of a robot: what a workspace is the workspace of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_attachment, frame_pose, link_poses
from footfall.errors import InvalidInput, UnsuitableRobot
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Joint, JointType, Robot
from footfall.robot.tree import Attachment, Tree
from footfall.robot.variants import lock_joints

_TRIED = 64  # configurations that tell in which directions a hand can move at all
_NO_MOTION = 1e-9  # of the greatest singular value: a direction in which it cannot


class HandMotion(NamedTuple):
    """A hand seen from the root frame, in its axes: its pose, and how n joints move and turn it, (3, n) each."""

    pose: Transform
    linear: Array
    angular: Array


class Attached(NamedTuple):
    """A tree with the two ends of a chain."""

    tree: Tree
    root: Attachment
    hand: Attachment


@dataclass(frozen=True, eq=False)
class ArmChain:
    """A chain of n joints from a root frame to a hand.

    robot: the whole robot, all other joints welded. root, hand: names of frames or bodies. lower, upper: (n,) rad or
    m, finite.
    """

    robot: Robot
    root: str
    hand: str
    lower: Array
    upper: Array

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.robot, self.root, self.hand, self.lower, self.upper)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, one for each coordinate."""
        moving = (joint for joint in self.robot.joints if joint.type is not JointType.FIXED)
        return tuple(joint.name for joint in moving for _ in range(joint.type.coordinates))

    @property
    def count(self) -> int:
        """Number n of coordinates."""
        return len(self.lower)

    @cached_property
    def attached(self) -> Attached:
        """What algorithms run on."""
        robot = self.robot
        return Attached(robot.tree, frame_attachment(robot, self.root), frame_attachment(robot, self.hand))

    @cached_property
    def slides(self) -> tuple[bool, ...]:
        """Whether coordinates are lengths."""
        return tuple(link.kind == "prismatic" for link in self.robot.tree.links)

    @cached_property
    def levers(self) -> Array:
        """(n,) m: the farthest that the hand can be from each joint, the sum of all distances that follow."""
        levers = np.zeros(self.count)
        for end in (self.root, self.hand):
            length, before = 0.0, self._place(end)
            for index in self.robot.tree.path(frame_attachment(self.robot, end).link):
                here = self._place(self.robot.tree.links[index].body)
                length += float(np.linalg.norm(here - before))
                levers[index], before = length, here
                length += max(abs(self.lower[index]), abs(self.upper[index])) if self.slides[index] else 0.0
        return levers

    def _place(self, frame: str) -> Array:
        """(3,) of a frame in the world where all coordinates are zero."""
        place: Array = frame_pose(self.robot, np.zeros(self.count), frame).translation
        return place

    @cached_property
    def ball(self) -> tuple[Array, float]:
        """Middle (3,) and radius, m, of a ball that holds all that the hand reaches, in the root frame."""
        tree, (_, root, hand) = self.robot.tree, self.attached
        radii = []
        for end in (root, hand):
            path = tree.path(end.link)
            slide = [max(abs(self.lower[k]), abs(self.upper[k])) for k in path[-1:] if self.slides[k]]
            radii.append(self.levers[path[-1]] + sum(slide) if path else 0.0)
        if root.link >= 0:
            apart = [
                self._place(tree.links[tree.path(end.link)[-1]].body) for end in (root, hand) if end.link >= 0
            ]
            return np.zeros(3), sum(radii) + float(np.linalg.norm(apart[-1] - apart[0]))
        first = self._place(tree.links[tree.path(hand.link)[-1]].body)
        return np.asarray(root.placement.inverse().apply(first)), sum(radii)

    @cached_property
    def spans(self) -> tuple[Array, Array]:
        """Directions (p, 3) in which the hand can move at all, and about which it can turn: an arm in a plane has two
        of the first and one of the second. Unit vectors in root axes."""
        random = np.random.default_rng(0)
        tried = [
            hand_motion(self.attached, q)
            for q in random.uniform(self.lower, self.upper, (_TRIED, self.count))
        ]
        return (
            _spanned(np.hstack([each.linear for each in tried])),
            _spanned(np.hstack([each.angular for each in tried])),
        )

    @cached_property
    def effort(self) -> Array:
        """(n,) N m or N, infinite where the robot has no limit."""
        return self.robot.effort_limits

    def pose(self, q: Array) -> Transform:
        """Of the hand in the root frame at q (n,)."""
        return hand_motion(self.attached, np.asarray(q, dtype=np.float64)).pose


def hand_motion(chain: Attached, q: Array) -> HandMotion:
    """How the hand stands and moves at q (n,), numbers or symbols."""
    tree, root, hand = chain
    poses = link_poses(tree, q)
    start, end = (
        poses[each.link] @ each.placement if each.link >= 0 else each.placement for each in (root, hand)
    )
    turned = start.rotation.T
    linear: list[Array] = [np.zeros(3)] * tree.nv
    angular: list[Array] = [np.zeros(3)] * tree.nv
    carried = set(tree.path(hand.link)), set(tree.path(root.link))
    for index in carried[0] ^ carried[1]:
        link, pose = tree.links[index], poses[index]
        # A joint that carries the root moves the hand the other way round, as seen from there.
        sign = 1.0 if index in carried[0] else -1.0
        axis = sign * (turned @ pose.rotation[:, 2])
        if link.kind == "prismatic":
            linear[link.v.start] = axis
        else:
            arm = turned @ (end.translation - pose.translation)
            linear[link.v.start], angular[link.v.start] = cross(axis, arm), axis
    seen = Transform(turned @ end.rotation, turned @ (end.translation - start.translation))
    return HandMotion(seen, np.array(linear).T, np.array(angular).T)


def arm_chain(
    robot: Robot,
    root: str,
    hand: str,
    *,
    q: Array | None = None,
    limit_set: str | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
) -> ArmChain:
    """The chain from one frame or body of a robot to another, all other joints held at q (nq,), neutral by default.

    Neither has to carry the other. limit_set: one of the robot's. limits: of single joints, rad or m, by name. Joints
    that turn without stops get half a turn either way.
    """
    if root == hand:
        raise InvalidInput(f"root and hand are both {root!r}; they must be two frames of the robot")
    for name in (root, hand):
        frame_attachment(robot, name)
    between = _between(robot, root, hand)
    moving = [joint for joint in between if joint.type is not JointType.FIXED]
    if not moving:
        raise InvalidInput(f"no joint lies between {root!r} and {hand!r}; choose frames that move apart")
    for joint in moving:
        if joint.type.has_quaternion:
            message = f"is {joint.type}: it has no range; choose a root frame that it carries"
            raise UnsuitableRobot(f"joint {joint.name!r} {message}")
        if joint.mimic is not None:
            message = f"follows {joint.mimic.joint!r}; chains have joints that move by themselves"
            raise UnsuitableRobot(f"joint {joint.name!r} {message}")
    names = {joint.name for joint in moving}
    for name in limits or {}:
        if name not in names:
            raise InvalidInput(f"limits has {name!r}; the chain has: {', '.join(j.name for j in moving)}")
    lowest, highest = (bound.copy() for bound in robot.limits(limit_set))
    for name, (low, high) in (limits or {}).items():
        lowest[robot.q_slice(name)], highest[robot.q_slice(name)] = low, high
    places = np.concatenate(
        [np.arange(robot.nq)[robot.q_slice(joint.name)] for joint in robot.joints if joint.name in names]
    )
    held = [name for name in robot.joint_names if name not in names]
    welded = replace(lock_joints(robot, held, q=q), configurations={}, springs=(), drives=())
    if welded.loops:
        message = "has joints in a closed loop; lock or cut it first"
        raise UnsuitableRobot(f"the chain from {root!r} to {hand!r} {message}")
    slides = [link.kind == "prismatic" for link in welded.tree.links]
    bounds = [
        _bounds(*each) for each in zip(_names(welded), lowest[places], highest[places], slides, strict=True)
    ]
    lower, upper = np.array(bounds).T
    return ArmChain(welded, root, hand, np.ascontiguousarray(lower), np.ascontiguousarray(upper))


def _names(robot: Robot) -> list[str]:
    return [name for name in robot.joint_names for _ in range(robot.joint(name).type.coordinates)]


def _bounds(name: str, low: float, high: float, slides: bool) -> tuple[float, float]:
    if slides and not (np.isfinite(low) and np.isfinite(high)):
        message = f"slides without end ({low:g} to {high:g} m); give it a range by `limits`"
        raise InvalidInput(f"joint {name!r} {message}")
    if not slides:
        low, high = (low, high) if np.isfinite(low) and np.isfinite(high) else (-np.pi, np.pi)
    if not low <= high:
        raise InvalidInput(f"joint {name!r} has limits {low:g} to {high:g}; the first must not be greater")
    return float(low), float(high)


def _between(robot: Robot, root: str, hand: str) -> list[Joint]:
    """Joints on the path between two frames, through the last body that carries both."""
    bodies = {frame.name: frame.body for frame in robot.frames}
    parents = {joint.child: joint for joint in robot.joints}
    paths = []
    for name in (root, hand):
        body, path = bodies.get(name, name), []
        while body != WORLD:
            path.append(parents[body])
            body = parents[body].parent
        paths.append(path)
    return [joint for joint in (*paths[0], *paths[1]) if (joint in paths[0]) != (joint in paths[1])]


def _spanned(motions: Array) -> Array:
    """Orthonormal rows (p, 3) that span columns (3, m); the axes themselves where they do."""
    left, values, _ = np.linalg.svd(motions, full_matrices=False)
    rank = int((values > _NO_MOTION * max(values[0], 1.0)).sum())
    if rank == 3:
        return np.eye(3)
    plain = np.eye(3)[np.abs(motions).max(axis=1) > _NO_MOTION]
    return plain if len(plain) == rank else left[:, :rank].T
