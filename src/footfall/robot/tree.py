"""The robot as the algorithms see it: links that turn about or slide along their own z axis.

Three reductions make every recursion short:

- bodies on fixed joints are merged into the link that carries them (their names live on as frames);
- joints with several velocities become chains of elementary ones with massless links between: a floating base
  is three slides along the world's axes and a ball joint, a universal joint two hinges;
- link frames are turned so that the joint axis is z, and those of hinges lie where on it their placement has the
  most zeros. Turns by right angles keep exact zeros and ones, so that they vanish when an algorithm is traced.

Then only three kinds of joint are left, and the motion subspace of each is constant in its link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from footfall.math.transform import Transform, identity_transform

if TYPE_CHECKING:
    from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]
Kind = Literal["revolute", "prismatic", "spherical"]

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
    """A rigid body with an elementary joint.

    parent: index of the parent link, -1 for the world. placement: pose of the link frame in the parent link at
    q = 0. q, v: where its coordinates stand. mass (kg), center_of_mass (3,) m and inertia (3, 3) kg m2 about the
    centre of mass, in link axes, with all bodies merged that are fixed to the link.
    """

    name: str
    parent: int
    kind: Kind
    placement: Transform
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


@dataclass(frozen=True, slots=True)
class Attachment:
    """A named frame: the link that carries it (-1: the world) and its pose in that link."""

    link: int
    placement: Transform


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, parents first, and the frames they carry."""

    links: tuple[Link, ...]
    attachments: Mapping[str, Attachment]
    nq: int
    nv: int
    gravity: Array

    @cached_property
    def parent_velocity(self) -> tuple[int, ...]:
        """For each velocity the one before it on the path to the root, -1 at the root (lambda of 000 C-RSC)."""
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


def turn_z_to(axis: Array) -> Array:
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


def slide_along_axis(pose: Transform) -> tuple[Transform, float]:
    """A hinge's frame moved along its z axis to where an offset is left out, and the way back, m.

    Only where z is an axis of the parent, so that an exact zero is gained.
    """
    z = pose.rotation[:, 2]
    if np.count_nonzero(z) != 1:
        return pose, 0.0
    return Transform(pose.rotation, np.where(z == 0.0, pose.translation, 0.0)), float(z @ pose.translation)


class _LinkBuilder:
    """Collects links; `carrier` of a body is the link that moves it and the body's pose in that link."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.members: list[list[tuple[Transform, float, Array, Array]]] = []

    def add(
        self, name: str, parent: int, kind: Kind, placement: Transform, q: slice, v: slice, armature: float
    ) -> int:
        zero = np.zeros(3)
        self.links.append(Link(name, parent, kind, placement, q, v, 0.0, zero, np.zeros((3, 3)), armature))
        self.members.append([])
        return len(self.links) - 1

    def finished(self) -> tuple[Link, ...]:
        """The links with the mass, centre and inertia of all that is fixed to them."""
        from dataclasses import replace

        result = []
        for link, members in zip(self.links, self.members, strict=True):
            mass, center, inertia = merge_inertias(members)
            result.append(replace(link, mass=mass, center_of_mass=center, inertia=inertia))
        return tuple(result)


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
        steiner = body_mass * (r @ r * np.eye(3) - np.outer(r, r))  # 002 10.3, parallel axes
        inertia = inertia + pose.rotation @ body_inertia @ pose.rotation.T + steiner
    return mass, center, (inertia + inertia.T) / 2


def build_tree(robot: Robot) -> Tree:
    """Reduce a robot to elementary links."""
    from footfall.robot.model import WORLD, JointType

    builder = _LinkBuilder()
    carriers: dict[str, tuple[int, Transform]] = {WORLD: (-1, identity_transform())}
    q = v = 0
    for body, joint in zip(robot.bodies, robot.joints, strict=True):
        parent, pose = carriers[joint.parent]
        pose = pose @ joint.placement  # of the joint frame in the parent link

        def chain(kind: Kind, axis: Any, width: int = 1, *, joint: Any = joint) -> None:
            """One elementary joint more; `pose` stays the pose of the joint frame in the newest link."""
            nonlocal parent, pose, q, v
            turn = Transform(turn_z_to(np.asarray(axis)) if kind != "spherical" else np.eye(3), np.zeros(3))
            coordinates = 4 if kind == "spherical" else 1
            placement, along = slide_along_axis(pose @ turn) if kind == "revolute" else (pose @ turn, 0.0)
            parent = builder.add(
                joint.child, parent, kind, placement, slice(q, q + coordinates), slice(v, v + width), joint.armature
            )
            pose = Transform(turn.rotation.T, np.array([0.0, 0.0, along]))
            q += coordinates
            v += width

        match joint.type:
            case JointType.REVOLUTE | JointType.CONTINUOUS:
                chain("revolute", joint.axis)
            case JointType.PRISMATIC:
                chain("prismatic", joint.axis)
            case JointType.UNIVERSAL:
                chain("revolute", joint.axis)
                chain("revolute", joint.second_axis)
            case JointType.PLANAR:
                in_plane = turn_z_to(np.asarray(joint.axis))
                chain("prismatic", in_plane[:, 0])
                chain("prismatic", in_plane[:, 1])
                chain("revolute", joint.axis)
            case JointType.SPHERICAL:
                chain("spherical", joint.axis, 3)
            case JointType.FLOATING:
                for axis in np.eye(3):
                    chain("prismatic", axis)
                chain("spherical", joint.axis, 3)
            case JointType.FIXED:
                pass
        carriers[body.name] = (parent, pose)
        if parent >= 0:
            builder.members[parent].append((pose, body.mass, body.center_of_mass, body.inertia))
    attachments = {name: Attachment(link, pose) for name, (link, pose) in carriers.items()}
    for frame in robot.frames:
        link, pose = carriers[frame.body]
        attachments[frame.name] = Attachment(link, pose @ frame.placement)
    return Tree(builder.finished(), MappingProxyType(attachments), q, v, np.asarray(robot.gravity, dtype=np.float64))
