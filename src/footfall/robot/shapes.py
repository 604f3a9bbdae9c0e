"""Shapes that stand on bodies, for looks and for contact."""

from __future__ import annotations

from dataclasses import dataclass, field

from footfall.errors import RobotError
from footfall.math.transform import Transform, identity_transform
from footfall.robot.values import Subject, Value, finite_number, placement, vector


@dataclass(frozen=True, slots=True)
class Box:
    """size: edge lengths (x, y, z), m."""

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        edges = vector(self.size, 3, "size", ("shape", "box"))
        object.__setattr__(self, "size", tuple(_length(edge, "an edge", "box") for edge in edges))


@dataclass(frozen=True, slots=True)
class Sphere:
    """radius, m."""

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius", "sphere"))


@dataclass(frozen=True, slots=True)
class Cylinder:
    """radius and full length along z, m."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius", "cylinder"))
        object.__setattr__(self, "length", _length(self.length, "length", "cylinder"))


@dataclass(frozen=True, slots=True)
class Capsule:
    """radius and length of the cylindrical part along z, m."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius", "capsule"))
        object.__setattr__(self, "length", _length(self.length, "length", "capsule"))


@dataclass(frozen=True, slots=True)
class Mesh:
    """path: as written in the description, or resolved to a file; scale along x, y, z."""

    path: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", vector(self.scale, 3, "scale", ("shape", "mesh")))


Shape = Box | Sphere | Cylinder | Capsule | Mesh


@dataclass(frozen=True, slots=True)
class Geometry(Value):
    """A shape fixed to a body; colour is RGBA in [0, 1].

    friction: Coulomb coefficient where it touches; None leaves it to what it touches. group, mask: as bits; two shapes
    touch if the group of one has a bit of the other's mask (MJCF: contype, conaffinity), where contact is found while
    the step runs. rolling_friction, torsional_friction: m, moments against rolling and against turning about the normal
    over the normal force; a contact has the larger of both sides.
    """

    shape: Shape
    placement: Transform = field(default_factory=identity_transform)
    name: str = ""
    color: tuple[float, float, float, float] | None = None
    friction: float | None = None
    group: int = 1
    mask: int = 1
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0

    def __post_init__(self) -> None:
        subject = ("geometry", self.name)
        for what in ("rolling_friction", "torsional_friction"):
            object.__setattr__(self, what, finite_number(getattr(self, what), what, subject, minimum=0.0))
        for what in ("group", "mask"):
            object.__setattr__(self, what, _bits(getattr(self, what), what, subject))
        object.__setattr__(self, "placement", placement(self.placement, "geometry", subject))
        if self.color is not None:
            object.__setattr__(self, "color", vector(self.color, 4, "color", subject))
        if self.friction is not None:
            friction = finite_number(self.friction, "friction", subject, minimum=0.0)
            object.__setattr__(self, "friction", friction)


def _bits(value: int, what: str, subject: Subject) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        message = f"{what} is {value!r}; it must be a whole number from 0 to 2^31 - 1, whose bits are groups"
        raise RobotError(message, subject=subject)
    return value


def _length(value: float, what: str, shape: str) -> float:
    return finite_number(value, what, ("shape", shape), minimum=0.0)
