"""Robots made from robots: another root joint, joints welded or sprung, a configuration more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError, UnsupportedFeature
from footfall.math.transform import Transform, identity_transform
from footfall.robot.drives.spring import Spring
from footfall.robot.model import WORLD, Body, Joint, JointType, Loop, LoopType, Robot
from footfall.robot.orientation import matrix_from_axis_angle, matrix_from_quaternion, quaternion_from_matrix
from footfall.robot.tree import rotation_with_z_along
from footfall.robot.tree_loops import closed_configuration, loop_systems, neutral_coordinates
from footfall.robot.validation import checked_configuration
from footfall.robot.values import finite_array


def with_floating_base(robot: Robot) -> Robot:
    """The robot with its root body free to move; configurations get the pose where it was fixed."""
    root = _root(robot, "float")
    if root.type is JointType.FLOATING:
        return robot
    if root.type is not JointType.FIXED:
        message = f"is {root.type}; only a robot whose root is fixed to the world can be set afloat"
        raise UnsupportedFeature(message, subject=("joint", root.name))
    rotation, translation = root.placement
    at_rest = np.concatenate([translation, quaternion_from_matrix(rotation)])
    joints = _exchanged(robot, {root.name: Joint(root.name, JointType.FLOATING, WORLD, root.child)})
    configurations = {name: np.concatenate([at_rest, q]) for name, q in robot.configurations.items()}
    return replace(robot, joints=joints, configurations=configurations)


def with_fixed_base(robot: Robot) -> Robot:
    """The robot with its floating root body fixed to the world, where its neutral configuration has it."""
    root = _root(robot, "fix")
    if root.type is JointType.FIXED:
        return robot
    if root.type is not JointType.FLOATING:
        message = f"is {root.type}; only a floating root can be fixed (`lock_joints` welds any joint)"
        raise UnsupportedFeature(message, subject=("joint", root.name))
    return lock_joints(robot, [root.name])


def with_sprung_joint(
    robot: Robot,
    before: str,
    spring: Spring,
    *,
    type: JointType = JointType.PRISMATIC,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
) -> Robot:
    """The robot with one more joint, held by a spring, in front of joint `before` and all that it carries.

    The new joint has the name of the spring's joint, and so has the body without mass between both. axis: in the axes
    of the parent of `before`. Configurations get the spring's rest.
    """
    joint, along = robot.joint(before), finite_array(axis, (3,), "axis", ("joint", spring.joint))
    if type not in (JointType.PRISMATIC, JointType.REVOLUTE) or not np.linalg.norm(along) > 0.0:
        message = (
            f"is {type} along {list(axis)}; it must be prismatic or revolute, along or about a direction"
        )
        raise RobotError(message, subject=("joint", spring.joint))
    direction = along / np.linalg.norm(along)
    here = Transform(np.eye(3), joint.placement.translation)
    added = Joint(spring.joint, type, joint.parent, spring.joint, here, tuple(direction.tolist()))
    carried = replace(joint, parent=spring.joint, placement=Transform(joint.placement.rotation, np.zeros(3)))
    place, start = robot.joints.index(joint), robot.q_slice(before).start
    return replace(
        robot,
        bodies=(*robot.bodies, Body(spring.joint)),
        joints=(*robot.joints[:place], added, carried, *robot.joints[place + 1 :]),
        configurations={name: np.insert(q, start, spring.rest) for name, q in robot.configurations.items()},
        springs=(*robot.springs, spring),
    )


def sprung_joints(robot: Robot) -> tuple[str, ...]:
    """Joints that nothing but a spring holds, as `with_sprung_joint` adds them: their bodies have no mass. They stand
    for parts that bend, and no drive moves them."""
    weightless = {body.name for body in robot.bodies if body.mass == 0.0}
    return tuple(spring.joint for spring in robot.springs if robot.joint(spring.joint).child in weightless)


def lock_joints(
    robot: Robot,
    joints: Iterable[str] | Mapping[str, float | Sequence[float]],
    *,
    q: Array | None = None,
) -> Robot:
    """The robot with these joints welded at configuration `q` (nq,), the neutral one by default.

    joints: names, or a mapping from names to the coordinates to weld them at. Joints that mimic a welded one are
    welded too, where it holds them, and so are joints that follow from welded ones through loops. Configurations,
    groups and limit sets lose what concerns the welded joints, and
    drives and springs that act on one are left out.
    """
    if isinstance(joints, str):
        raise RobotError(f"joints are {joints!r}; give a list: [{joints!r}]", subject=("robot", robot.name))
    at = neutral_coordinates(robot) if q is None else np.array(q)
    at = checked_configuration("q", at, robot.joints)
    if isinstance(joints, Mapping):
        at = _with_coordinates(robot, at, joints)
    at = closed_configuration(robot, at)
    values = {joint.name: at[robot.q_slice(joint.name)] for joint in robot.joints}
    locked = {robot.joint(name).name for name in joints}
    for joint in _followers(robot, locked):
        assert joint.mimic is not None
        values[joint.name] = joint.mimic.multiplier * values[joint.mimic.joint] + joint.mimic.offset
        locked.add(joint.name)
    locked |= _looped_with(robot, locked)
    welded = {
        name: Joint(
            name, JointType.FIXED, joint.parent, joint.child, joint.placement @ _motion(joint, values[name])
        )
        for name, joint in ((name, robot.joint(name)) for name in locked)
    }
    kept = np.ones(robot.nq, dtype=bool)
    for name in locked:
        kept[robot.q_slice(name)] = False
    return replace(
        robot,
        joints=_exchanged(robot, welded),
        configurations={name: q[kept] for name, q in robot.configurations.items()},
        loops=tuple(loop for loop in robot.loops if not locked & _joints_of(robot, loop.name)),
        groups={name: tuple(m for m in members if m not in locked) for name, members in robot.groups.items()},
        limit_sets={
            name: {joint: limit for joint, limit in limits.items() if joint not in locked}
            for name, limits in robot.limit_sets.items()
        },
        drives=tuple(drive for drive in robot.drives if locked.isdisjoint(drive.joints)),
        springs=tuple(spring for spring in robot.springs if spring.joint not in locked),
    )


def couple_mimics(robot: Robot) -> Robot:
    """The robot whose joints that mimic others do follow them: each mimic becomes a loop of type "gear"."""
    followers = {joint.name: joint.mimic for joint in robot.joints if joint.mimic is not None}
    gears = tuple(
        Loop(
            f"{name} mimics {mimic.joint}",
            LoopType.GEAR if mimic.multiplier else LoopType.POLYNOMIAL,
            joints=(name, mimic.joint),
            coefficients=(mimic.multiplier,) if mimic.multiplier else (0.0, 0.0),
            offset=mimic.offset,
        )
        for name, mimic in followers.items()
    )
    joints = tuple(replace(joint, mimic=None) for joint in robot.joints)
    return replace(robot, joints=joints, loops=(*robot.loops, *gears))


def with_configuration(robot: Robot, name: str, q: Array) -> Robot:
    """The robot with one more named configuration `q` (nq,)."""
    return replace(robot, configurations={**robot.configurations, name: q})


def _joints_of(robot: Robot, loop: str) -> set[str]:
    """Names of the joints that a loop couples, with all others of its sub-system."""
    for system in loop_systems(robot.tree):
        if loop in (cut.loop.name for cut in system.cuts):
            bodies = {robot.tree.links[k].body for k in system.subsystem.links}
            return {joint.name for joint in robot.joints if joint.child in bodies}
    return set()


def _looped_with(robot: Robot, locked: set[str]) -> set[str]:
    """Joints that follow from locked ones; all independent joints of a sub-system must be locked, or none."""
    following: set[str] = set()
    for loop in robot.loops:
        joints = _joints_of(robot, loop.name)
        slices = {name: robot.v_slice(name) for name in joints}
        free = {name for name, place in slices.items() if place.stop > place.start}
        if joints & locked and not free <= locked:
            message = (
                f"joints {', '.join(sorted(joints & locked))} are in a loop with others; lock all of "
                f"{', '.join(sorted(free))}, from which the rest follow"
            )
            raise UnsupportedFeature(message, subject=("loop", loop.name))
        following |= joints if joints & locked else set()
    return following


def _root(robot: Robot, purpose: str) -> Joint:
    roots = [joint for joint in robot.joints if joint.parent == WORLD]
    if len(roots) != 1:
        message = f"cannot {purpose} its root: {len(roots)} bodies hang on the world; there must be one"
        raise UnsupportedFeature(message, subject=("robot", robot.name))
    return roots[0]


def _exchanged(robot: Robot, joints: dict[str, Joint]) -> tuple[Joint, ...]:
    return tuple(joints.get(joint.name, joint) for joint in robot.joints)


def _followers(robot: Robot, locked: set[str]) -> list[Joint]:
    """Joints that mimic locked ones, directly or through others, leaders first."""
    followers: list[Joint] = []
    known = set(locked)
    while True:
        found = [
            joint
            for joint in robot.joints
            if joint.mimic is not None and joint.mimic.joint in known and joint.name not in known
        ]
        if not found:
            return followers
        followers.extend(found)
        known.update(joint.name for joint in found)


def _with_coordinates(robot: Robot, q: Array, given: Mapping[str, float | Sequence[float]]) -> Array:
    """The configuration q (nq,) with the coordinates of some joints exchanged."""
    q = q.copy()
    for name, coordinates in given.items():
        place = robot.q_slice(name)
        shape = (place.stop - place.start,)
        q[place] = finite_array(np.atleast_1d(coordinates), shape, "coordinates", ("joint", name))
    return checked_configuration("joints", q, robot.joints)


def _motion(joint: Joint, values: Any) -> Transform:
    """Pose of the child in the joint frame at the joint's own coordinates."""
    still = np.zeros(3)
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            return Transform(matrix_from_axis_angle(joint.axis, float(values[0])), still)
        case JointType.PRISMATIC:
            return Transform(np.eye(3), np.array(joint.axis) * values[0])
        case JointType.UNIVERSAL:
            first = matrix_from_axis_angle(joint.axis, float(values[0]))
            return Transform(first @ matrix_from_axis_angle(joint.second_axis, float(values[1])), still)
        case JointType.PLANAR:
            plane = rotation_with_z_along(np.array(joint.axis))[:, :2]
            return Transform(matrix_from_axis_angle(joint.axis, float(values[2])), plane @ values[:2])
        case JointType.SPHERICAL:
            return Transform(matrix_from_quaternion(values), still)
        case JointType.FLOATING:
            return Transform(matrix_from_quaternion(values[3:]), np.array(values[:3]))
        case JointType.FIXED:
            return identity_transform()
