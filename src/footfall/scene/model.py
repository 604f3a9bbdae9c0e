"""The scene: an immutable value with the objects around the robots, and the robots in it.

Centre of mass and inertia of solids of one density.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import SceneError, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.geometry.swept_sphere import SweptVolume
from footfall.math.transform import Transform, identity_transform
from footfall.robot import values
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from footfall.robot.start import start_of
from footfall.scene.checks import scene_errors
from footfall.scene.given_motion import GivenMotion
from footfall.scene.shapes import Cone, Icosphere, MeshShape, Triangles


def solid_inertia(shape: Any, mass: float) -> tuple[Array, Array]:
    """Centre of mass (3,) in m and inertia (3, 3) about it in kg m2, in the frame of the shape."""
    center = np.zeros(3)
    match shape:
        case Box((x, y, z)):
            moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) / 12
        case Sphere(radius):
            moments = np.full(3, 0.4 * radius**2)
        case Cylinder(radius, length):
            across = (3 * radius**2 + length**2) / 12
            moments = np.array([across, across, radius**2 / 2])
        case Capsule(radius, length):
            moments = _capsule(radius, length)
        case Mesh(path, scale):
            from footfall.geometry.mesh import (
                load_mesh,  # slow to import
                mesh_inertia,
            )

            return mesh_inertia(load_mesh(path, scale=scale), mass)
        case Cone(radius, length):  # its centre is a quarter of the length above the base
            across = (3 * radius**2 / 20) + 3 * length**2 / 80
            center = np.array([0.0, 0.0, -length / 4])
            moments = np.array([across, across, 0.3 * radius**2])
        case Icosphere() | Triangles():
            from footfall.geometry.mesh import mesh_inertia

            return mesh_inertia(shape.mesh, mass)
        case _:
            raise SceneError(
                f"a {type(shape).__name__} has no mass; give a box, sphere, cylinder, capsule, cone, icosphere or mesh"
            )
    if not math.isfinite(float(mass) * float(moments.max())):
        raise SceneError(
            f"a {type(shape).__name__} of that size and {mass:g} kg has no inertia that could be held"
        )
    return center, np.diag(mass * moments)


def _capsule(radius: float, length: float) -> Array:
    """Moments for unit mass: a cylinder and two half balls, whose centres lie 3/8 radius beyond its ends."""
    cylinder, ball = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    total = cylinder + ball
    if total == 0.0:
        raise SceneError("a capsule without volume has no inertia", subject=("shape", "capsule"))
    shift = length / 2 + 3 / 8 * radius
    across = cylinder * (3 * radius**2 + length**2) / 12
    across += ball * ((0.4 - (3 / 8) ** 2) * radius**2 + shift**2)
    along = cylinder * radius**2 / 2 + ball * 0.4 * radius**2
    return np.array([across, across, along]) / total


SceneShape = Shape | Plane | HeightMap | MeshShape
_SHAPES = (Box, Sphere, Cylinder, Capsule, Mesh, Plane, HeightMap, MeshShape)
MOST_OBJECTS = 5_000


@dataclass(frozen=True, slots=True)
class Material(values.Value):
    """How a surface touches.

    friction: Coulomb coefficient. viscous_friction: N s/m, Ayit 2015, (4.22). restitution: in [0, 1]. stiffness (N/m)
    and damping (N s/m): of one contact point on a soft surface; infinite stiffness is rigid. shear_stiffness
    (N/m): of a point along the surface as long as it sticks; if it is infinite, what sticks does not move at all.
    rolling_friction, torsional_friction: m, of one contact point: a moment of so much times the normal force resists
    rolling, and turning about the normal.
    """

    friction: float = 0.8
    viscous_friction: float = 0.0
    restitution: float = 0.0
    stiffness: float = float("inf")
    damping: float = 0.0
    shear_stiffness: float = float("inf")
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0

    def __post_init__(self) -> None:
        subject = ("material", "surface")
        with scene_errors(subject):
            for name in (
                "friction", "viscous_friction", "restitution", "damping", "rolling_friction", "torsional_friction"
            ):  # fmt: skip
                number = values.finite_number(getattr(self, name), name, subject, minimum=0.0)
                object.__setattr__(self, name, number)
        if self.restitution > 1.0:
            message = f"restitution is {self.restitution:g}; it must be in [0, 1]"
            raise SceneError(message, subject=subject)
        for name in ("stiffness", "shear_stiffness"):
            if not getattr(self, name) > 0.0:
                message = (
                    f"{name} is {getattr(self, name):g}; it must be positive, infinite for a rigid surface"
                )
                raise SceneError(message, subject=subject)


@dataclass(frozen=True, slots=True)
class Mass(values.Value):
    """What makes an object a free body.

    mass: kg. center_of_mass: (3,) in the frame of the object, m. inertia: (3, 3) about it in the object's axes,
    kg m2. velocity: (6,) at the start, linear then angular, world axes at the object's origin, m/s and rad/s.
    """

    mass: float
    center_of_mass: Array
    inertia: Array
    velocity: tuple[float, ...] = (0.0,) * 6

    def __post_init__(self) -> None:
        subject = ("free body", "mass")
        with scene_errors(subject):
            mass = values.finite_number(self.mass, "mass", subject, minimum=0.0)
            inertia = values.finite_array(self.inertia, (3, 3), "inertia", subject)
            center = values.finite_array(self.center_of_mass, (3,), "center_of_mass", subject)
            velocity = values.vector(self.velocity, 6, "velocity", subject)
        moments = np.linalg.eigvalsh(inertia)
        if mass == 0.0 or moments[0] <= 0.0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
            raise SceneError(
                f"mass is {mass:g} kg, principal moments of inertia are {moments.tolist()} kg m2; all must be "
                "positive, and no moment greater than the sum of the others",
                subject=subject,
            )
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "center_of_mass", center)
        object.__setattr__(self, "velocity", velocity)


@dataclass(frozen=True)
class Perception(values.Value):
    """How an object is seen where perception is made of the scene; what is None is as `perceive` has it.

    volume: around the object, in its frame. voxel: edge of the cells that its surface is sampled with, m. noise:
    standard deviation of its surface, m.
    """

    volume: SweptVolume | None = None
    voxel: float | None = None
    noise: float | None = None

    def __post_init__(self) -> None:
        subject = ("perception", "object")
        with scene_errors(subject):
            if self.voxel is not None:
                object.__setattr__(
                    self, "voxel", values.finite_number(self.voxel, "voxel", subject, minimum=1e-3)
                )
            if self.noise is not None:
                object.__setattr__(
                    self, "noise", values.finite_number(self.noise, "noise", subject, minimum=0.0)
                )


@dataclass(frozen=True)
class SceneObject(values.Value):
    """A thing in the scene: it rests, moves on a path, or is a free body.

    placement: its pose in the world (where a free body starts). category: its class, "floor" or "wall" say, for
    planners. contact, visible: whether it can be touched and seen. color: RGBA in [0, 1]. motion: where it goes, which
    replaces the placement. free: its mass, if it is a free body. perception: how it is seen.
    """

    name: str
    shape: SceneShape
    placement: Transform = field(default_factory=identity_transform)
    material: Material = field(default_factory=Material)
    category: str = ""
    contact: bool = True
    visible: bool = True
    color: tuple[float, float, float, float] | None = None
    motion: GivenMotion | None = None
    free: Mass | None = None
    perception: Perception = field(default_factory=Perception)

    def __post_init__(self) -> None:
        subject = ("object", self.name)
        _check_name("object", self.name)
        shape: object = self.shape
        if not isinstance(shape, _SHAPES):
            kinds = ", ".join(kind.__name__ for kind in _SHAPES)
            message = f"shape is a {type(self.shape).__name__}; it must be one of {kinds}"
            raise SceneError(message, subject=subject)
        with scene_errors(subject):
            object.__setattr__(self, "placement", values.placement(self.placement, "object", subject))
            if self.color is not None:
                object.__setattr__(self, "color", values.vector(self.color, 4, "color", subject))
        if self.color is not None and not all(0.0 <= part <= 1.0 for part in self.color):
            raise SceneError(f"color is {self.color}; its parts must be in [0, 1]", subject=subject)
        if self.motion is not None and self.free is not None:
            raise SceneError("moves on a path and is free; it can be one of them", subject=subject)
        if self.free is not None and isinstance(self.shape, Plane | HeightMap):
            raise SceneError("is ground without end; it cannot be a free body", subject=subject)


@dataclass(frozen=True)
class SceneRobot(values.Value):
    """A robot in a scene.

    source: what `footfall.load` takes, or a robot. placement: where its world stands in the scene. configuration:
    the name of one of its configurations, or `q` (nq,); if None "idle", else the first it has, else neutral, inside
    its limits. floating_base: as for `footfall.load`.
    """

    name: str
    source: str | Robot
    placement: Transform = field(default_factory=identity_transform)
    configuration: str | tuple[float, ...] | None = None
    floating_base: bool | None = None

    def __post_init__(self) -> None:
        _check_name("robot", self.name)
        with scene_errors(("robot", self.name)):
            pose = values.placement(self.placement, "robot", ("robot", self.name))
        object.__setattr__(self, "placement", pose)
        if self.configuration is not None and not isinstance(self.configuration, str):
            object.__setattr__(self, "configuration", tuple(float(value) for value in self.configuration))

    @cached_property
    def robot(self) -> Robot:
        """The robot, loaded on first use."""
        if isinstance(self.source, Robot):
            return self.source
        return load(self.source, floating_base=self.floating_base)

    @property
    def q(self) -> Array:
        """Its configuration (nq,) before the placement is applied."""
        if self.configuration is None:
            return start_of(self.robot).q
        if isinstance(self.configuration, str):
            return self.robot.configuration(self.configuration)
        if len(self.configuration) != self.robot.nq:
            raise SceneError(
                f"configuration has {len(self.configuration)} values; {self.robot.name!r} has "
                f"{self.robot.nq} coordinates",
                subject=("robot", self.name),
            )
        return np.array(self.configuration)


@dataclass(frozen=True, eq=False, repr=False)
class Scene(values.Value):
    """Objects and robots; compared by identity.

    gravity: (3,) in world axes, m/s2; None is that of the robots in it. notes: remarks by name. start, goal: where a
    robot begins and where it is to go, the mean of its feet on the ground with x ahead; None if the scene does not say.
    """

    name: str = "scene"
    objects: tuple[SceneObject, ...] = ()
    robots: tuple[SceneRobot, ...] = ()
    gravity: tuple[float, float, float] | None = None
    notes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    start: Transform | None = None
    goal: Transform | None = None

    def __post_init__(self) -> None:
        subject = ("scene", self.name)
        object.__setattr__(self, "objects", tuple(self.objects))
        object.__setattr__(self, "robots", tuple(self.robots))
        object.__setattr__(self, "notes", MappingProxyType(dict(self.notes)))
        with scene_errors(subject):
            if self.gravity is not None:
                object.__setattr__(self, "gravity", values.vector(self.gravity, 3, "gravity", subject))
            for name in ("start", "goal"):
                pose = getattr(self, name)
                if pose is not None:
                    object.__setattr__(self, name, values.placement(pose, name, subject))
        if len(self.objects) + len(self.robots) > MOST_OBJECTS:
            message = f"has {len(self.objects)} objects and {len(self.robots)} robots; at most {MOST_OBJECTS}"
            raise SceneError(message, subject=subject)
        taken: dict[str, str] = {}
        for kind, members in (("object", self.objects), ("robot", self.robots)):
            for member in members:
                if member.name in taken:
                    message = f"there is an {taken[member.name]} of this name; names must differ"
                    raise SceneError(message.replace("an robot", "a robot"), subject=(kind, member.name))
                taken[member.name] = kind

    def __repr__(self) -> str:
        free, moved = len(self.free_objects), sum(each.motion is not None for each in self.objects)
        parts = [
            f"{len(self.objects)} object{'' if len(self.objects) == 1 else 's'}",
            f"{free} free" if free else "",
            f"{moved} moved" if moved else "",
        ]
        parts.append(f"robots {', '.join(each.name for each in self.robots)}" if self.robots else "")
        return f"Scene {self.name!r}: {', '.join(part for part in parts if part)}"

    @property
    def free_objects(self) -> tuple[SceneObject, ...]:
        """Objects that are free bodies."""
        return tuple(each for each in self.objects if each.free is not None)

    @property
    def fixed_objects(self) -> tuple[SceneObject, ...]:
        """Objects whose motion is given: at rest or on a path."""
        return tuple(each for each in self.objects if each.free is None)

    def object(self, name: str) -> SceneObject:
        """The object of that name."""
        by_name = {member.name: member for member in self.objects}
        if name not in by_name:
            raise UnknownName("object", name, by_name, f"scene {self.name!r}")
        return by_name[name]

    def robot(self, name: str) -> SceneRobot:
        """The robot of that name."""
        by_name = {member.name: member for member in self.robots}
        if name not in by_name:
            raise UnknownName("robot", name, by_name, f"scene {self.name!r}")
        return by_name[name]


def free_body(
    shape: SceneShape,
    mass: float,
    *,
    center_of_mass: Iterable[float] | None = None,
    inertia: Any = None,
    velocity: Iterable[float] = (0.0,) * 6,
) -> Mass:
    """Mass (kg) of a free body; what is not given is that of a solid of one density."""
    if center_of_mass is None or inertia is None:
        center, uniform = solid_inertia(shape, mass)
        center_of_mass = center if center_of_mass is None else center_of_mass
        inertia = uniform if inertia is None else inertia
    return Mass(mass, np.array(center_of_mass), np.array(inertia), tuple(velocity))


def _check_name(kind: str, name: str) -> None:
    if not name or not name.isprintable() or name == "world":
        message = "the name must be printable, not empty and not 'world'"
        raise SceneError(message, subject=(kind, name))
