"""The robot as the algorithms see it: links that turn about or slide along their own z axis.

Three reductions make every recursion short:

- bodies on fixed joints are merged into the link that carries them (their names live on as frames);
- joints with several velocities become chains of elementary ones with massless links between: a floating base
  is three slides along the axes of its joint frame and a ball joint, a universal joint two hinges;
- link frames are chosen so that the joint axis is z and constant transforms have many zeros (`link_frames.py`). These,
  and the zeros and ones of right angles, vanish when an algorithm is traced.

Then only three kinds of joint are left, and the motion subspace of each is constant in its link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform, identity_transform
from footfall.robot.link_frames import ChosenFrame, Kind, RawLink, choose_frames, cosine_and_sine

if TYPE_CHECKING:
    from footfall.robot.loop_structure import LoopStructure
    from footfall.robot.model import Joint, Robot

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
