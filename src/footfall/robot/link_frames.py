"""Link frames in which constant transforms have zeros, as those of Denavit and Hartenberg have.

What a joint lets free, its link frame may choose: where it stands on a hinge's axis and its angle about it, and
its angle about a slide and where it stands. The constant rotation of any joint in its parent is

    Rz(beta) Rx(alpha) Rz(theta)

and a hinge takes theta into its angle (`Link.offset`). So two turns about coordinate axes are left where descriptions
with crooked frames had nine numbers. A parent that turns its x axis along the common normal of its axis and that of a
child makes beta zero, too; which of its children it does so for, if any, is what costs least in all. Right angles stay
exact: their zeros and ones vanish from traced code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform, identity_transform

Kind = Literal["revolute", "prismatic", "spherical"]

_ROUNDING = 1e-14  # of rotations and relative to lengths: what is closer to a round number is it
_STEEP = 0.2  # component of an axis along which a frame may be moved to make an offset zero
_FARTHEST = 2.0  # m, that a frame is moved along its axis
_HALF_TURN = np.diag([-1.0, -1.0, 1.0])
# What constants cost in operations, about: a turn of an inertia and of vectors, a shift, an offset of an angle.
_TURN, _SHIFT, _OFFSET = 30.0, 8.0, 1.0


@dataclass(frozen=True, slots=True)
class RawLink:
    """A joint as it is described: parent (-1: the world), kind, and the pose of its frame, whose z is its axis, in the
    frame of the parent."""

    parent: int
    kind: Kind
    placement: Transform


class ChosenFrame(NamedTuple):
    """placement: constant pose of the joint in the parent's chosen frame. offset: angle that a hinge adds to its
    coordinate, rad. change: pose of the chosen frame in the described one."""

    placement: Transform
    offset: float
    change: Transform


def choose_frames(links: Sequence[RawLink]) -> list[ChosenFrame]:
    """Frames for all links, parents first."""
    children: list[list[RawLink]] = [[] for _ in links]
    for link in links:
        if link.parent >= 0:
            children[link.parent].append(link)
    chosen: list[ChosenFrame] = []
    for link, carried in zip(links, children, strict=True):
        before = chosen[link.parent].change.inverse() if link.parent >= 0 else identity_transform()
        chosen.append(_chosen(link.kind, before @ link.placement, carried))
    return chosen


def _chosen(kind: Kind, pose: Transform, children: Sequence[RawLink]) -> ChosenFrame:
    """The frame of a link whose described one has a pose in its parent's chosen one."""
    rotation = _rounded(pose.rotation)
    if kind == "spherical":  # its velocities are in its axes
        return ChosenFrame(Transform(rotation, _clean(pose.translation)), 0.0, identity_transform())
    along, translation = _origin(kind, rotation, pose.translation)
    turns = _turns(rotation)
    angles = [0.0, *(_normal_angle(child) for child in children if child.kind != "spherical")]
    best = min(
        angles, key=lambda angle: _own_cost(kind, turns, angle) + _children_cost(children, along, angle)
    )
    change = Transform(_about_z(best), along)
    whole = _rounded(rotation @ change.rotation)
    if kind == "prismatic" or _is_simple(whole):
        return ChosenFrame(Transform(whole, translation), 0.0, change)
    turns = _turns(whole)
    return ChosenFrame(Transform(turns.rotation, translation), turns.theta, change)


class _Turns(NamedTuple):
    """A rotation as Rz(beta) Rx(alpha) Rz(theta): rotation: the first two, (3, 3). theta: rad. simple: which of the two
    are by right angles."""

    rotation: Array
    theta: float
    simple: tuple[bool, bool]


def _turns(rotation: Array) -> _Turns:
    z = rotation[:, 2]
    sine = float(np.hypot(z[0], z[1]))
    if sine < _ROUNDING:
        first = np.diag([1.0, np.sign(z[2]), np.sign(z[2])])
        simple = (True, True)
    else:
        cos_beta, sin_beta = -z[1] / sine, z[0] / sine
        sine, cosine = _rounded(np.array([sine, z[2]])).tolist()
        turn = np.array([[cos_beta, -sin_beta, 0.0], [sin_beta, cos_beta, 0.0], [0.0, 0.0, 1.0]])
        lean = np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])
        simple = (_is_simple(np.array([cos_beta, sin_beta])), _is_simple(np.array([cosine, sine])))
        first = _rounded(_rounded(turn) @ lean)
    rest = _rounded(first.T @ rotation)
    if rest[0, 0] < 0.0:  # the same with theta nearer to zero
        first, rest = first @ _HALF_TURN, _HALF_TURN @ rest
    return _Turns(first, _round_angle(float(np.arctan2(rest[1, 0], rest[0, 0]))), simple)


def _origin(kind: Kind, rotation: Array, translation: Array) -> tuple[Array, Array]:
    """Where the frame stands in the described one (3,), and then in its parent (3,), m: as many zeros as there can be.

    A slide may stand anywhere: in the parent's origin. A hinge may stand anywhere on its axis.
    """
    translation = _clean(translation)
    if kind == "prismatic":
        return -(rotation.T @ translation), np.zeros(3)
    z = rotation[:, 2]
    options = [(0.0, translation)]
    for axis in range(3):
        if abs(z[axis]) > _STEEP and translation[axis] != 0.0:
            along = -translation[axis] / z[axis]
            moved = _clean(translation + along * z, scale=np.abs(translation).max())
            moved[axis] = 0.0
            if abs(along) <= _FARTHEST:
                options.append((float(along), moved))
    along, moved = min(options, key=lambda option: (np.count_nonzero(option[1]), abs(option[0])))
    return np.array([0.0, 0.0, along]), moved


def _normal_angle(child: RawLink) -> float:
    """Angle about z by which a frame turns its x axis along the common normal of its z axis and a child's, rad."""
    z, offset = child.placement.rotation[:, 2], child.placement.translation
    normal = np.array([-z[1], z[0]])
    if np.hypot(*normal) < _ROUNDING:  # parallel: along the way from one to the other
        normal = offset[:2]
        if np.hypot(*normal) < _ROUNDING:
            return 0.0
    return _round_angle(float(np.arctan2(normal[1], normal[0])))


def _own_cost(kind: Kind, turns: _Turns, angle: float) -> float:
    """What a link costs whose frame is rotated about its z axis by an angle, without what it costs its children."""
    if kind == "revolute":
        return 0.0 if _is_quarter(turns.theta + angle) else _OFFSET
    return _TURN * (0.0 if _is_quarter(turns.theta + angle) else 1.0)


def _children_cost(children: Sequence[RawLink], along: Array, angle: float) -> float:
    back = Transform(_about_z(angle), along).inverse()
    total = 0.0
    for child in children:
        pose = back @ child.placement
        rotation = _rounded(pose.rotation)
        if child.kind == "spherical":
            total += _TURN * sum(not _is_simple(row) for row in rotation)
            continue
        total += _TURN * sum(not simple for simple in _turns(rotation).simple)
        total += _SHIFT * np.count_nonzero(_origin(child.kind, rotation, pose.translation)[1])
    return total


def _about_z(angle: float) -> Array:
    cosine, sine = cosine_and_sine(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def cosine_and_sine(angle: float) -> tuple[float, float]:
    """Of an angle, exact for right angles."""
    if _is_quarter(angle):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(2 * angle / np.pi) % 4]
    return float(np.cos(angle)), float(np.sin(angle))


def _is_quarter(angle: float) -> bool:
    return abs(angle - np.pi / 2 * round(2 * angle / np.pi)) < _ROUNDING


def _round_angle(angle: float) -> float:
    """In (-pi, pi], right angles exact."""
    angle = float(np.arctan2(np.sin(angle), np.cos(angle)))
    return np.pi / 2 * round(2 * angle / np.pi) if _is_quarter(angle) else angle


def _is_simple(values: Array) -> bool:
    """Whether all are zero or plus or minus one."""
    return bool(np.all((values == 0.0) | (np.abs(values) == 1.0)))


def _rounded(rotation: Array) -> Array:
    """Entries that differ from 0 and +-1 by rounding only are made exact."""
    whole = np.round(rotation)
    return np.where(np.abs(rotation - whole) <= _ROUNDING, whole, rotation)


def _clean(translation: Array, *, scale: float | None = None) -> Array:
    """Components that are rounding errors of others are made zero."""
    largest = float(np.abs(translation).max()) if scale is None else scale
    return np.where(np.abs(translation) <= _ROUNDING * largest, 0.0, translation)
