"""The equations of a loop in a configuration: residuals, how velocities change them, and their accelerations.

Everything is seen from the link that carries both ends of the loop, so that only the joints between take part. Both
on numbers and on symbols. Derivatives are those of a closed loop: what vanishes with the residual is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import sqrt
from footfall.math.spatial import axial_difference, cross
from footfall.math.transform import Transform, identity_transform
from footfall.robot.joint_poses import joint_transform
from footfall.robot.loops import Loop, LoopType
from footfall.robot.tree import Attachment, Tree, rotation_with_z_along

Row = dict[int, Any]  # tree velocity -> entry


@dataclass(frozen=True, slots=True)
class Cut:
    """A loop on a tree.

    ends: the two frames, if it joins frames. ancestor: the link that carries both, -1 for the world. coordinates: (in
    q, in the velocities of the tree) of its joints. links: all that move against the ancestor, ascending.
    """

    loop: Loop
    ends: tuple[Attachment, ...]
    ancestor: int
    coordinates: tuple[tuple[int, int], ...]
    links: tuple[int, ...]


def cut_of(tree: Tree, loop: Loop, places: Mapping[str, tuple[int, int]]) -> Cut:
    """The loop on a tree; places: joint name -> (index in q, in the velocities of the tree)."""
    ends = (
        tuple(tree.attachments[name] for name in (loop.frame, loop.against)) if loop.type.joins_frames else ()
    )
    coordinates = tuple(places[name] for name in loop.joints)
    carriers = {link.v.start: index for index, link in enumerate(tree.links)}
    tips = [end.link for end in ends] + [carriers[velocity] for _, velocity in coordinates]
    paths = [tree.path(tip) for tip in tips]
    common = set(paths[0]).intersection(*paths[1:])
    # A gear between a link and one that it carries moves the first too: it is no ancestor that both hang on.
    common -= {carriers[velocity] for _, velocity in coordinates}
    for _, velocity in coordinates:
        common -= {link for link in common if carriers[velocity] in tree.path(link)}
    links = sorted({link for path in paths for link in path} - common)
    return Cut(loop, ends, max(common, default=-1), coordinates, tuple(links))


class Seen(NamedTuple):
    """A frame seen from an ancestor, in its axes. columns: for each tree velocity the motion [v; w] (6,) of the
    frame's origin that it gives."""

    pose: Transform
    columns: dict[int, Array]


def seen_from(tree: Tree, ancestor: int, end: Attachment, q: Array) -> Seen:
    """Where a frame is, and how it moves with the joints between the ancestor and it."""
    pose, carriers = identity_transform(), []
    for index in _way(tree, ancestor, end.link):
        pose = pose @ joint_transform(tree.links[index], q)
        carriers.append((tree.links[index], pose))
    pose = pose @ end.placement
    columns: dict[int, Array] = {}
    for link, carrier in carriers:
        for velocity, motion in zip(range(link.v.start, link.v.stop), link.subspace.T, strict=True):
            angular = carrier.rotation @ motion[3:]
            linear = carrier.rotation @ motion[:3] + cross(angular, pose.translation - carrier.translation)
            columns[velocity] = np.concatenate([linear, angular])
    return Seen(pose, columns)


def motion_seen_from(tree: Tree, ancestor: int, end: Attachment, q: Array, v: Array) -> tuple[Array, Array]:
    """Velocity and acceleration (6,) of a frame against its ancestor in constant tree velocities v."""
    pose = identity_transform()
    w, velocity, acceleration, alpha = (np.zeros(3) for _ in range(4))
    for index in _way(tree, ancestor, end.link):
        link = tree.links[index]
        following = pose @ joint_transform(link, q)
        velocity, acceleration = _carried(
            following.translation - pose.translation, velocity, acceleration, w, alpha
        )
        rate = link.subspace @ v[link.v]
        linear, angular = following.rotation @ rate[:3], following.rotation @ rate[3:]
        acceleration = acceleration + 2 * cross(w, linear)
        velocity = velocity + linear
        alpha = alpha + cross(w, angular)
        w = w + angular
        pose = following
    offset = (pose @ end.placement).translation - pose.translation
    velocity, acceleration = _carried(offset, velocity, acceleration, w, alpha)
    return np.concatenate([velocity, w]), np.concatenate([acceleration, alpha])


def _carried(r: Array, velocity: Array, acceleration: Array, w: Array, alpha: Array) -> tuple[Array, Array]:
    """Velocity and acceleration of a point at r from a point of the same body."""
    turning = cross(w, r)
    return velocity + turning, acceleration + cross(alpha, r) + cross(w, turning)


def _way(tree: Tree, ancestor: int, link: int) -> list[int]:
    """Links from the ancestor (excluded) to the link."""
    path = tree.path(link)
    return (path if ancestor < 0 else path[: path.index(ancestor)])[::-1]


class Equations(NamedTuple):
    """residual (n,), m and rad, zero when closed; rows: of its Jacobian."""

    residual: Array
    rows: list[Row]


def loop_equations(tree: Tree, cut: Cut, q: Array) -> Equations:
    """Residuals of a loop and their Jacobian in the configuration q (nq,)."""
    loop = cut.loop
    if not cut.ends:
        return _joint_equations(cut, q)
    first, second = (seen_from(tree, cut.ancestor, end, q) for end in cut.ends)
    apart = second.pose.translation - first.pose.translation
    columns = _difference(second.columns, first.columns)
    if loop.type in (LoopType.DISTANCE, LoopType.SCREW):
        distance = sqrt(apart @ apart)
        along = apart / distance
        row = {velocity: along @ column[:3] for velocity, column in columns.items()}
        if loop.type is LoopType.DISTANCE:
            return Equations(np.array([distance - loop.length]), [row])
        (place, own), ratio = cut.coordinates[0], loop.coefficients[0]
        row = {velocity: -ratio * entry for velocity, entry in row.items()}
        row[own] = row.get(own, 0.0) + 1.0
        return Equations(np.array([q[place] - ratio * distance - loop.offset]), [row])
    turning = first.pose.rotation @ hindered_turns(loop)
    rows = [{velocity: column[k] for velocity, column in columns.items()} for k in range(3)]
    rows += [{velocity: axis @ column[3:] for velocity, column in columns.items()} for axis in turning.T]
    return Equations(np.concatenate([apart, _misalignment(loop, first.pose, second.pose)]), rows)


def held_equations(tree: Tree, q: Array) -> list[tuple[Any, Row]]:
    """Of all loops that forces hold: by how much each equation is missed at q (nq,), m or rad, and how that changes
    with the velocities of the tree."""
    found: list[tuple[Any, Row]] = []
    for cut in tree.loops.held if tree.loops is not None else ():
        equations = loop_equations(tree, cut, q)
        found += [(equations.residual[k], row) for k, row in enumerate(equations.rows)]
    return found


def loop_acceleration(tree: Tree, cut: Cut, q: Array, v: Array) -> Array:
    """Second derivative (n,) of the residuals of a closed loop in constant tree velocities v."""
    loop = cut.loop
    if not cut.ends:
        return _joint_acceleration(cut, q, v)
    motions = [motion_seen_from(tree, cut.ancestor, end, q, v) for end in cut.ends]
    velocity, acceleration = (motions[1][k] - motions[0][k] for k in range(2))
    first, second = (seen_from(tree, cut.ancestor, end, q).pose for end in cut.ends)
    if loop.type in (LoopType.DISTANCE, LoopType.SCREW):
        apart = second.translation - first.translation
        distance = sqrt(apart @ apart)
        rate = apart @ velocity[:3] / distance
        # Schwienbacher 2014, (3.6)
        second_rate = (velocity[:3] @ velocity[:3] + apart @ acceleration[:3] - rate * rate) / distance
        return np.array(
            [second_rate if loop.type is LoopType.DISTANCE else -loop.coefficients[0] * second_rate]
        )
    turning = first.rotation @ hindered_turns(loop)
    spin = acceleration[3:] - cross(motions[0][0][3:], velocity[3:])  # rate in the axes of the first frame
    return np.concatenate([acceleration[:3], turning.T @ spin])


def _difference(second: dict[int, Array], first: dict[int, Array]) -> dict[int, Array]:
    zero = np.zeros(6)
    return {k: second.get(k, zero) - first.get(k, zero) for k in sorted({*second, *first})}


def hindered_turns(loop: Loop) -> Array:
    """Axes (3, n), in the first frame, about which the frames must not turn against each other."""
    if loop.type is LoopType.POINT:
        return np.zeros((3, 0))
    return np.eye(3) if loop.type is LoopType.WELD else rotation_with_z_along(np.array(loop.axis))[:, :2]


def _misalignment(loop: Loop, first: Transform, second: Transform) -> Array:
    """Turn (n,) about `hindered_turns` that leads from the first frame to the second, rad to first order."""
    turn = first.rotation.T @ second.rotation
    if loop.type is LoopType.WELD:
        return axial_difference(turn) / 2
    axis = np.array(loop.axis)
    return hindered_turns(loop).T @ cross(axis, turn @ axis)


def _joint_equations(cut: Cut, q: Array) -> Equations:
    loop, numbers = cut.loop, cut.loop.coefficients
    values = [q[place] for place, _ in cut.coordinates]
    velocities = [velocity for _, velocity in cut.coordinates]
    if loop.type is LoopType.ROLLING:
        rolled = numbers[0] * values[0] + numbers[1] * values[1] - loop.offset
        return Equations(np.array([rolled]), [dict(zip(velocities, numbers, strict=True))])
    if loop.type is LoopType.GEAR:
        follows = sum((c * x for c, x in zip(numbers, values[1:], strict=True)), start=loop.offset)
        slopes: list[Any] = list(numbers)
    else:
        follows, slopes = _polynomial(numbers, values[1]), [_polynomial(_derivative(numbers), values[1])]
        follows = follows + loop.offset
    row = {velocities[0]: 1.0} | {k: -slope for k, slope in zip(velocities[1:], slopes, strict=True)}
    return Equations(np.array([values[0] - follows]), [row])


def _joint_acceleration(cut: Cut, q: Array, v: Array) -> Array:
    if cut.loop.type is not LoopType.POLYNOMIAL:
        return np.zeros(1)
    place, velocity = cut.coordinates[1]
    curvature = _polynomial(_derivative(_derivative(cut.loop.coefficients)), q[place])
    return np.array([-curvature * v[velocity] * v[velocity]])


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    value: Any = 0.0
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def _derivative(coefficients: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(k * c for k, c in enumerate(coefficients))[1:]
