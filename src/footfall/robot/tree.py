"""The robot as the algorithms see it: links that turn about or slide along their own z axis.

Three reductions make every recursion short:

- bodies on fixed joints are merged into the link that carries them (their names live on as frames);
- joints with several velocities become chains of elementary ones with massless links between: a floating base
  is three slides along the axes of its joint frame and a ball joint, a universal joint two hinges;
- link frames are chosen so that the joint axis is z and constant transforms have many zeros (below). These,
  and the zeros and ones of right angles, vanish when an algorithm is traced.

Then only three kinds of joint are left, and the motion subspace of each is constant in its link.

Link frames in which constant transforms have zeros, as those of Denavit and Hartenberg have.

What a joint lets free, its link frame may choose: where it stands on a hinge's axis and its angle about it, and
its angle about a slide and where it stands. The constant rotation of any joint in its parent is

    Rz(beta) Rx(alpha) Rz(theta)

and a hinge takes theta into its angle (`Link.offset`). So two turns about coordinate axes are left where descriptions
with crooked frames had nine numbers. A parent that turns its x axis along the common normal of its axis and that of a
child makes beta zero, too; which of its children it does so for, if any, is what costs least in all. Right angles stay
exact: their zeros and ones vanish from traced code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform, identity_transform

if TYPE_CHECKING:
    from footfall.robot.loop_structure import LoopStructure
    from footfall.robot.model import Joint, Robot

Kind = Literal["revolute", "prismatic", "spherical"]

_ROUNDING = 1e-14  # of rotations and relative to lengths: what is closer to a round number is it
_STEEP = 0.2  # component of an axis along which a frame may be moved to make an offset zero
_MOST_SHIFT = 2.0  # m, that a frame is moved along its axis
_HALF_TURN = np.diag([-1.0, -1.0, 1.0])
# What constants cost in operations, about: a turn of an inertia and of vectors, a shift, an offset of an angle.
_TURN_COST, _SHIFT_COST, _OFFSET_COST = 30.0, 8.0, 1.0


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
            if abs(along) <= _MOST_SHIFT:
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
        return 0.0 if _is_quarter(turns.theta + angle) else _OFFSET_COST
    return _TURN_COST * (0.0 if _is_quarter(turns.theta + angle) else 1.0)


def _children_cost(children: Sequence[RawLink], along: Array, angle: float) -> float:
    back = Transform(_about_z(angle), along).inverse()
    total = 0.0
    for child in children:
        pose = back @ child.placement
        rotation = _rounded(pose.rotation)
        if child.kind == "spherical":
            total += _TURN_COST * sum(not _is_simple(row) for row in rotation)
            continue
        total += _TURN_COST * sum(not simple for simple in _turns(rotation).simple)
        total += _SHIFT_COST * np.count_nonzero(_origin(child.kind, rotation, pose.translation)[1])
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


# Motion subspaces, rows [linear; angular] in link axes.
SUBSPACES: Mapping[Kind, Array] = MappingProxyType(
    {
        "revolute": np.eye(6)[:, 5:],
        "prismatic": np.eye(6)[:, 2:3],
        "spherical": np.eye(6)[:, 3:],
    }
)


@dataclass(frozen=True, slots=True)
class Link:
    """An elementary joint and the rigid body that it carries: all bodies of the robot that are fixed to each other.

    body: the one whose joint this is; massless links of a chain repeat it. parent: index of the parent link, -1 for
    the world. kind: of the joint. placement: pose of the joint in the parent link. offset: that a hinge adds to its
    angle, rad, see `neutral`. q, v: slices into the robot's q and v. mass (kg), center_of_mass (3,) m and inertia (3,
    3) kg m2 about the centre of mass, in link axes. armature: rotor inertia for each velocity, kg m2 or kg.
    """

    body: str
    parent: int
    kind: Kind
    placement: Transform
    offset: float
    q: slice
    v: slice
    mass: float
    center_of_mass: Array
    inertia: Array
    armature: float

    @property
    def subspace(self) -> Array:
        """Motion subspace S (6, velocities), rows [linear; angular] in link axes."""
        return SUBSPACES[self.kind]

    @property
    def neutral(self) -> Transform:
        """Pose of the link frame in the parent link where the joint's coordinate is zero."""
        cosine, sine = cosine_and_sine(self.offset)
        turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
        return self.placement @ Transform(turn, np.zeros(3))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A named frame: the link that carries it (-1: the world) and its pose in that link."""

    link: int
    placement: Transform


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, parents first, and the frames they carry.

    nq, nv: of the tree by itself; where loops couple its joints the robot has fewer velocities. loops: how it is
    coupled, None if it is not.
    """

    links: tuple[Link, ...]
    attachments: Mapping[str, Attachment]
    nq: int
    nv: int
    gravity: Array
    loops: LoopStructure | None = None

    @cached_property
    def parent_velocity(self) -> tuple[int, ...]:
        """For each velocity of the robot the one before it on the path to the root, -1 at the root.

        Featherstone's expanded parent array lambda. The velocities of a sub-system stand one behind the other.
        """
        if self.loops is not None:
            return self.loops.parent_velocity
        last: list[int] = []
        parents: list[int] = []
        for link in self.links:
            before = last[link.parent] if link.parent >= 0 else -1
            for index in range(link.v.start, link.v.stop):
                parents.append(before)
                before = index
            last.append(before)
        return tuple(parents)

    @cached_property
    def kernels(self) -> dict[Any, Any]:
        """Native code that algorithms have made for this tree; they fill and read it."""
        return {}

    def path(self, link: int) -> list[int]:
        """Links from `link` (included) to the root."""
        path = []
        while link >= 0:
            path.append(link)
            link = self.links[link].parent
        return path


def rotation_with_z_along(axis: Array) -> Array:
    """Rotation matrix (3, 3) whose third column is `axis`; exact for the coordinate axes."""
    axis = np.asarray(axis, dtype=np.float64)
    largest = int(np.argmax(np.abs(axis)))
    if np.count_nonzero(axis) == 1:
        cyclic = np.roll(np.eye(3), largest + 1, axis=0)  # moves z to the largest axis, keeps the handedness
        return cyclic if axis[largest] > 0 else cyclic @ np.diag([1.0, -1.0, -1.0])
    z = axis / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class _LinkBuilder:
    """Collects joints as they are described; members: for each the bodies fixed to its link, as pose in its described
    frame, mass, centre, inertia."""

    def __init__(self) -> None:
        self.joints: list[RawLink] = []
        self.carried: list[tuple[str, float]] = []  # body and armature
        self.members: list[list[tuple[Transform, float, Array, Array]]] = []

    def add_elementary_joint(
        self, joint: Joint, kind: Kind, axis: Array, parent: int, pose: Transform
    ) -> tuple[int, Transform]:
        """One link more on `parent`, where the joint frame has that pose; the link, and the frame's pose in it."""
        turn = rotation_with_z_along(axis)
        self.joints.append(RawLink(parent, kind, pose @ Transform(turn, np.zeros(3))))
        self.carried.append((joint.child, joint.armature))
        self.members.append([])
        return len(self.joints) - 1, Transform(turn.T, np.zeros(3))

    def finished(self, frames: Sequence[ChosenFrame]) -> tuple[Link, ...]:
        """The links in their chosen frames, with the mass, centre and inertia of all that is fixed to them."""
        links = []
        nq = nv = 0
        for raw, frame, (body, armature), members in zip(
            self.joints, frames, self.carried, self.members, strict=True
        ):
            q = slice(nq, nq + (4 if raw.kind == "spherical" else 1))
            v = slice(nv, nv + SUBSPACES[raw.kind].shape[1])
            nq, nv = q.stop, v.stop
            back = frame.change.inverse()
            inertial = merge_inertias([(back @ pose, m, c, i) for pose, m, c, i in members])
            links.append(
                Link(body, raw.parent, raw.kind, frame.placement, frame.offset, q, v, *inertial, armature)
            )
        return tuple(links)


def merge_inertias(members: list[tuple[Transform, float, Array, Array]]) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it of bodies (pose, mass, centre, inertia) fixed together."""
    members = [member for member in members if member[1] > 0.0 or np.any(member[3])]
    mass = float(sum(member[1] for member in members))
    if not members:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centers = [pose.apply(center) for pose, _, center, _ in members]
    if mass > 0.0:
        center = sum((m[1] / mass * c for m, c in zip(members, centers, strict=True)), start=np.zeros(3))
    else:
        center = centers[0]
    inertia = np.zeros((3, 3))
    for (pose, body_mass, _, body_inertia), body_center in zip(members, centers, strict=True):
        r = body_center - center
        steiner = body_mass * (r @ r * np.eye(3) - np.outer(r, r))  # RSL 2022, (3.14)-(3.25), parallel axes
        inertia = inertia + pose.rotation @ body_inertia @ pose.rotation.T + steiner
    return mass, center, (inertia + inertia.T) / 2


def elementary_joints(joint: Joint) -> list[tuple[Kind, Array]]:
    """The joint as a chain of elementary ones: kinds and axes (3,) in the joint frame."""
    from footfall.robot.model import JointType

    axis, free = np.asarray(joint.axis), np.array([0.0, 0.0, 1.0])
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            return [("revolute", axis)]
        case JointType.PRISMATIC:
            return [("prismatic", axis)]
        case JointType.UNIVERSAL:
            return [("revolute", axis), ("revolute", np.asarray(joint.second_axis))]
        case JointType.PLANAR:
            x, y, _ = rotation_with_z_along(axis).T
            return [("prismatic", x), ("prismatic", y), ("revolute", axis)]
        case JointType.SPHERICAL:
            return [("spherical", free)]
        case JointType.FLOATING:
            return [*(("prismatic", along) for along in np.eye(3)), ("spherical", free)]
    return []


def build_tree(robot: Robot) -> Tree:
    """Reduce a robot to elementary links."""
    from footfall.robot.model import WORLD

    builder = _LinkBuilder()
    carriers: dict[str, tuple[int, Transform]] = {WORLD: (-1, identity_transform())}
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        link, pose = carriers[joint.parent]
        pose = pose @ joint.placement  # of the joint frame in the link
        for kind, axis in elementary_joints(joint):
            link, pose = builder.add_elementary_joint(joint, kind, axis, link, pose)
        carriers[body.name] = (link, pose)
        if link >= 0:
            builder.members[link].append((pose, body.mass, body.center_of_mass, body.inertia))
    frames = choose_frames(builder.joints)
    back = [frame.change.inverse() for frame in frames]
    named = {**carriers, **{each.name: _placed(carriers[each.body], each.placement) for each in robot.frames}}
    attachments = {
        name: Attachment(link, back[link] @ pose if link >= 0 else pose)
        for name, (link, pose) in named.items()
    }
    links = builder.finished(frames)
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    gravity = np.asarray(robot.gravity, dtype=np.float64)
    return Tree(links, MappingProxyType(attachments), nq, nv, gravity)


def _placed(carrier: tuple[int, Transform], placement: Transform) -> tuple[int, Transform]:
    link, pose = carrier
    return link, pose @ placement
