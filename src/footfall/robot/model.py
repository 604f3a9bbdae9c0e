"""The robot model: an immutable value that every algorithm takes.

A robot is a tree of bodies. `joints[i]` carries `bodies[i]` on its parent body (or on the world) and stands
in the order of the coordinates: parents before children, depth first, children in the order of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from footfall.math.transform import Transform, identity_transform
from footfall.robot.tree import Tree, build_tree

Array = np.ndarray[Any, np.dtype[np.float64]]
WORLD = "world"


class JointType(StrEnum):
    """Kinds of joint; the comments give (coordinates, velocities)."""

    FIXED = "fixed"  # (0, 0)
    REVOLUTE = "revolute"  # (1, 1) angle about `axis`
    CONTINUOUS = "continuous"  # (1, 1) the same without stops
    PRISMATIC = "prismatic"  # (1, 1) displacement along `axis`
    UNIVERSAL = "universal"  # (2, 2) angle about `axis`, then about `second_axis`
    PLANAR = "planar"  # (3, 3) x and y in the plane normal to `axis`, then the angle about it
    SPHERICAL = "spherical"  # (4, 3) quaternion; rates in the axes of the child
    FLOATING = "floating"  # (7, 6) position and quaternion; linear rates in world axes, angular in the child's

    @property
    def coordinates(self) -> int:
        """Number of entries in `q`."""
        return _SIZES[self][0]

    @property
    def velocities(self) -> int:
        """Number of entries in `v`."""
        return _SIZES[self][1]


_SIZES: dict[JointType, tuple[int, int]] = {
    JointType.FIXED: (0, 0),
    JointType.REVOLUTE: (1, 1),
    JointType.CONTINUOUS: (1, 1),
    JointType.PRISMATIC: (1, 1),
    JointType.UNIVERSAL: (2, 2),
    JointType.PLANAR: (3, 3),
    JointType.SPHERICAL: (4, 3),
    JointType.FLOATING: (7, 6),
}


@dataclass(frozen=True, slots=True)
class Box:
    """size: edge lengths (x, y, z), m."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Sphere:
    """radius, m."""

    radius: float


@dataclass(frozen=True, slots=True)
class Cylinder:
    """radius and full length along z, m."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """radius and length of the cylindrical part along z, m."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """path: as written in the description, or resolved to a file; scale along x, y, z."""

    path: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Shape = Box | Sphere | Cylinder | Capsule | Mesh


@dataclass(frozen=True, slots=True)
class Geometry:
    """A shape fixed to a body; colour is RGBA in [0, 1]."""

    shape: Shape
    placement: Transform = field(default_factory=identity_transform)
    name: str = ""
    color: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body. mass in kg, center_of_mass (3,) in m, inertia (3, 3) about the centre of mass in body axes, kg m2."""

    name: str
    mass: float = 0.0
    center_of_mass: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()


@dataclass(frozen=True, slots=True)
class Mimic:
    """This joint follows another: q = multiplier * q_other + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint; its frame is the child body's frame at q = 0.

    placement: pose of the joint frame in the parent body. axis, second_axis: unit vectors in the joint frame.
    lower, upper: position limits, one per velocity (empty: none), rad or m. velocity, effort: limits, one per
    velocity (empty: none), rad/s or m/s and N m or N. damping (N m s/rad or N s/m), friction (Coulomb, N m or N)
    and armature (rotor inertia seen at the joint, kg m2 or kg) hold for each velocity of the joint.
    """

    name: str
    type: JointType
    parent: str
    child: str
    placement: Transform = field(default_factory=identity_transform)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    second_axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body. Bodies are frames too, under their own names."""

    name: str
    body: str
    placement: Transform = field(default_factory=identity_transform)


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot: see the module's docstring. Compared and hashed by identity; arrays are read-only.

    configurations: named `q` (nq,). groups: named tuples of joint names. gravity: (3,) in world axes, m/s2.
    notes: remarks of the description (which values are reconstructed, say), by name.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    configurations: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(joint.type.coordinates for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(joint.type.velocities for joint in self.joints)

    @cached_property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(sum(body.mass for body in self.bodies))

    @cached_property
    def tree(self) -> Tree:
        """The robot reduced to elementary links: what the algorithms run on."""
        return build_tree(self)
