"""Where things touch: a contact as a record, from detection to report, and the contacts of a robot as arrays.

`Contact` is what detection finds, what steps go on from and what runs report; in lanes its numbers are symbols. What
may touch is no contact yet: a `Pair` of shapes where contacts are found, a `Candidate` where places are listed. What a
solver needs besides stands in a record of its own: `IslandContact`, `LaneContact`, and for dense problems `Contacts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags
from footfall.compiler.functions import sqrt, where
from footfall.compiler.routines import Vector3
from footfall.errors import InvalidInput
from footfall.math.spatial import cross
from footfall.robot.model import WORLD

_NEAR_X = 1e-6  # square of the sine of the angle to world x below which y takes over


def contact_frame(normal: Array) -> Array:
    """Rotation (3, 3) with columns t1, t2, n of a contact with the unit normal n (3,), on numbers or symbols.

    t1 is the world's x axis projected onto the tangent plane; where n is almost parallel to x (within 1e-3 rad)
    it is the projected y axis.
    """
    x, y, z = normal
    near = y * y + z * z < _NEAR_X
    first = np.array(
        [where(near, -x * y, 1 - x * x), where(near, 1 - y * y, -x * y), where(near, -y * z, -x * z)]
    )
    first = first / sqrt(first @ first)
    return np.array([first, cross(normal, first), np.asarray(normal)]).T


class Contact(NamedTuple):
    """A point where two things touch or may do so within the step.

    first, second: numbers of the two shapes, in lanes of two links, -1 for the world; the first moves by itself.
    feature: tells the points of a pair apart; from step to step the same point has the same (none in lanes). position:
    in the world, on the second if that does not move by itself, else in the middle between both, m; in lanes see
    `on_surface`. normal: unit, from the second towards the first. gap: along it, m, negative if they overlap. ahead:
    where something presses the gap that the velocity after the step leads to, m, else minus infinity. bend: by how much
    the last step ended nearer than that said, m; not above zero. moment: of rolling and torsional friction on the
    first, world axes, N m s. (These three go from one found step to the next.)
    """

    first: int
    second: int
    feature: int
    position: Vector3
    normal: Vector3
    gap: float
    ahead: float
    bend: float
    moment: Vector3


@dataclass(frozen=True)
class Contacts:
    """m contacts of a robot, by bodies, as arrays with one entry a contact: what a contact problem is built from.

    bodies: names of bodies or frames that the impulses act on. points: (m, 3) where, in that frame, m.
    rotations: (m, 3, 3) contact frames, columns t1, t2, n in the world, n towards `bodies`. gaps: (m,) signed
    distance, m. friction: (m,) Coulomb coefficient. viscous_friction: (m,) N s/m, Ayit 2015, (4.22). restitution: (m,)
    in [0, 1]. stiffness (m,) in N/m and damping (m,) in N s/m: of an implicit normal spring-damper; infinite
    stiffness: rigid. others: names of what is touched, the world unless given, and other_points (m, 3) where, in
    that frame; only where both are the same place do impulses keep angular momentum. surface_velocity: (m, 3) of
    what is touched beside the motion of `others`, world axes, m/s. rolling_friction, torsional_friction: (m,) m.
    """

    bodies: Sequence[str]
    points: Array
    rotations: Array
    gaps: Array
    friction: Array
    viscous_friction: Array = field(default_factory=lambda: np.zeros(()))
    restitution: Array = field(default_factory=lambda: np.zeros(()))
    stiffness: Array = field(default_factory=lambda: np.array(np.inf))
    damping: Array = field(default_factory=lambda: np.zeros(()))
    others: Sequence[str] = ()
    other_points: Array = field(default_factory=lambda: np.zeros(3))
    surface_velocity: Array = field(default_factory=lambda: np.zeros(3))
    rolling_friction: Array = field(default_factory=lambda: np.zeros(()))
    torsional_friction: Array = field(default_factory=lambda: np.zeros(()))

    def __post_init__(self) -> None:
        count = len(self.bodies)
        others = tuple(self.others) or (WORLD,) * count
        if len(others) != count:
            raise InvalidInput(f"there are {len(others)} others for {count} contacts; give one for each")
        object.__setattr__(self, "bodies", tuple(self.bodies))
        object.__setattr__(self, "others", others)
        for name, shape in _SHAPES.items():
            object.__setattr__(self, name, _filled(name, getattr(self, name), (count, *shape)))
        for name in _OF_MATERIALS:
            _require(name, getattr(self, name), 0.0, np.inf)
        _require("restitution", self.restitution, 0.0, 1.0)
        if np.any((self.stiffness == 0.0) & (self.damping == 0.0)):
            raise InvalidInput("a contact with stiffness 0 and damping 0 carries nothing; leave it out")
        errors = self.rotations @ self.rotations.swapaxes(1, 2) - np.eye(3)
        if count and np.abs(errors).max() > 1e-6:
            index = int(np.abs(errors).max(axis=(1, 2)).argmax())
            raise InvalidInput(
                f"rotation of contact {index} is not orthonormal: {self.rotations[index].tolist()}; see contact_frame"
            )

    def __len__(self) -> int:
        return len(self.bodies)


_OF_MATERIALS = (
    "friction",
    "viscous_friction",
    "restitution",
    "stiffness",
    "damping",
    "rolling_friction",
    "torsional_friction",
)
_SHAPES: dict[str, tuple[int, ...]] = {
    "points": (3,),
    "rotations": (3, 3),
    "gaps": (),
    "other_points": (3,),
    "surface_velocity": (3,),
    **dict.fromkeys(_OF_MATERIALS, ()),
}


def material_columns(materials: Sequence[Any]) -> dict[str, Any]:
    """What `Contacts` has of the materials of pairs, (m,) each."""
    return {
        name: np.array([getattr(each, name) for each in materials], dtype=np.float64)
        for name in _OF_MATERIALS
    }


def _filled(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A value for all contacts or one each, as an array of that shape."""
    array = np.asarray(value, dtype=np.float64)
    try:
        array = np.broadcast_to(array, shape)
    except ValueError as error:
        raise InvalidInput(f"{name} of the contacts has shape {array.shape}; it must be {shape}") from error
    finite = ~np.isnan(array) if name == "stiffness" else np.isfinite(array)
    if not finite.all():
        raise InvalidInput(
            f"{name} of the contacts holds a NaN or infinite value at {_place(~finite)}; all must be finite"
        )
    return array


def _require(name: str, values: Array, lowest: float, highest: float) -> None:
    wrong = (values < lowest) | (values > highest)
    if wrong.any():
        place = _place(wrong)
        raise InvalidInput(
            f"{name} of contact {place} is {values[wrong][0]:g}; it must be in [{lowest:g}, {highest:g}]"
        )


def _place(wrong: Flags) -> int:
    return int(np.argwhere(wrong)[0][0])
