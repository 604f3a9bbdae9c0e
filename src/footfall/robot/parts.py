"""The parts of a robot: bodies, the joints that carry them, and frames on them, each checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform, identity_transform
from footfall.robot import values
from footfall.robot.shapes import Geometry


class JointType(StrEnum):
    """Kinds of joint; the comments give (coordinates, velocities)."""

    FIXED = "fixed"  # (0, 0)
    REVOLUTE = "revolute"  # (1, 1) angle about `axis`
    CONTINUOUS = "continuous"  # (1, 1) the same without stops
    PRISMATIC = "prismatic"  # (1, 1) displacement along `axis`
    UNIVERSAL = "universal"  # (2, 2) angle about `axis`, then about `second_axis`
    PLANAR = "planar"  # (3, 3) two displacements in the plane normal to `axis`, then the angle about it
    SPHERICAL = "spherical"  # (4, 3) quaternion; rates in the axes of the child
    FLOATING = "floating"  # (7, 6) position, quaternion; linear rates in joint axes, angular in the child's

    @property
    def coordinates(self) -> int:
        """Number of entries in `q`."""
        return _SIZES[self][0]

    @property
    def velocities(self) -> int:
        """Number of entries in `v`."""
        return _SIZES[self][1]

    @property
    def has_quaternion(self) -> bool:
        """Whether its last four coordinates are a quaternion; such joints have no position limits."""
        return self in (JointType.SPHERICAL, JointType.FLOATING)

    @property
    def turns(self) -> bool:
        """Whether all its coordinates are angles."""
        return self in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.UNIVERSAL)


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


def joint_type(name: str, subject: values.Subject) -> JointType:
    """The type of that name."""
    if name not in [*JointType]:
        raise RobotError(f"type is {name!r}; it must be one of: {', '.join(JointType)}", subject=subject)
    return JointType(name)


@dataclass(frozen=True, slots=True)
class Body(values.Value):
    """A rigid body.

    mass in kg, center_of_mass (3,) in m, inertia (3, 3) about the centre of mass in body axes, kg m2.
    """

    name: str
    mass: float = 0.0
    center_of_mass: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()

    def __post_init__(self) -> None:
        subject = ("body", self.name)
        center = values.finite_array(self.center_of_mass, (3,), "center_of_mass", subject)
        inertia = values.finite_array(self.inertia, (3, 3), "inertia", subject)
        if np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
            raise RobotError(f"inertia {inertia.tolist()} is not symmetric", subject=subject)
        object.__setattr__(self, "mass", values.finite_number(self.mass, "mass", subject, minimum=0.0))
        object.__setattr__(self, "center_of_mass", center)
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "visuals", tuple(self.visuals))
        object.__setattr__(self, "collisions", tuple(self.collisions))


@dataclass(frozen=True, slots=True)
class Mimic:
    """This joint follows another: q = multiplier * q_other + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        subject = ("mimic of joint", self.joint)
        object.__setattr__(self, "multiplier", values.finite_number(self.multiplier, "multiplier", subject))
        object.__setattr__(self, "offset", values.finite_number(self.offset, "offset", subject))


@dataclass(frozen=True, slots=True)
class Joint(values.Value):
    """A joint; its frame is the child body's frame in the neutral configuration.

    placement: pose of the joint frame in the parent body. axis, second_axis: unit vectors in the joint frame.
    lower, upper: position limits, one per velocity (empty: none), rad or m. velocity, effort: limits, one per
    velocity (empty: none), rad/s or m/s and N m or N. damping (N m s/rad or N s/m), friction (Coulomb, N m or
    N) and armature (rotor inertia seen at the joint, kg m2 or kg) hold for each velocity of the joint. kp, kd: gains
    of its position servo, one per velocity (empty: it has none), N m/rad and N m s/rad or N/m and N s/m.
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
    kp: tuple[float, ...] = ()
    kd: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        subject = ("joint", self.name)
        object.__setattr__(self, "type", joint_type(self.type, subject))
        object.__setattr__(self, "placement", values.placement(self.placement, "joint", subject))
        object.__setattr__(self, "axis", values.unit_vector(self.axis, "axis", subject))
        object.__setattr__(self, "second_axis", values.unit_vector(self.second_axis, "second_axis", subject))
        count = self.type.velocities
        for name in ("lower", "upper"):
            object.__setattr__(self, name, values.per_velocity(getattr(self, name), count, name, subject))
        for name in ("velocity", "effort", "kp", "kd"):
            limits = values.per_velocity(getattr(self, name), count, name, subject, minimum=0.0)
            object.__setattr__(self, name, limits)
        for name in ("damping", "friction", "armature"):
            number = values.finite_number(getattr(self, name), name, subject, minimum=0.0)
            object.__setattr__(self, name, number)
        if (self.lower or self.upper) and (self.type.has_quaternion or self.type is JointType.CONTINUOUS):
            raise RobotError(f"a {self.type} joint has no position limits", subject=subject)
        for lower, upper in zip(self.lower, self.upper, strict=False):
            if lower > upper:
                raise RobotError(f"lower limit {lower:g} is above upper limit {upper:g}", subject=subject)
        if self.type is JointType.UNIVERSAL and np.linalg.norm(np.cross(self.axis, self.second_axis)) < 1e-6:
            message = f"axis and second_axis are parallel: {self.axis}, {self.second_axis}"
            raise RobotError(message, subject=subject)


@dataclass(frozen=True, slots=True)
class Frame(values.Value):
    """A named frame fixed to a body. Bodies are frames too, under their own names."""

    name: str
    body: str
    placement: Transform = field(default_factory=identity_transform)

    def __post_init__(self) -> None:
        pose = values.placement(self.placement, "frame", ("frame", self.name))
        object.__setattr__(self, "placement", pose)
