"""Kinematic loops: what couples the joints of a robot besides its tree.

A robot stays a tree of joints. A loop says that two frames on it meet, or that a joint follows others; then some
joints of the tree depend on the rest (`footfall.robot.loop_structure` finds out which).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from footfall.errors import RobotError, listed
from footfall.robot import values

if TYPE_CHECKING:
    from footfall.robot.model import Joint, Robot


_MOST_LOOPS = 1000


class LoopType(StrEnum):
    """Kinds of loop; the comments give the number of equations and what they say."""

    POINT = "point"  # (3) the origins of two frames coincide: a ball joint
    HINGE = "hinge"  # (5) origins coincide, and `axis` is the same line in both frames
    WELD = "weld"  # (6) the frames coincide
    DISTANCE = "distance"  # (1) the origins keep the distance `length`: a massless rod with two ball joints
    GEAR = "gear"  # (1) q0 = c0 q1 + c1 q2 + ... + offset
    # (1) r0 q0 + r1 q1 = offset: wheels of these radii roll on each other; a rack has r = -1
    ROLLING = "rolling"
    POLYNOMIAL = "polynomial"  # (1) q0 = c0 + c1 q1 + c2 q1^2 + ...
    SCREW = "screw"  # (1) q0 = c0 * (distance of the origins) + offset: a spindle that two frames stretch

    @property
    def joins_frames(self) -> bool:
        """Whether it concerns a pair of frames."""
        return self not in (LoopType.GEAR, LoopType.ROLLING, LoopType.POLYNOMIAL)

    @property
    def is_explicit(self) -> bool:
        """Whether it gives its first joint as a formula of others: nothing must be solved."""
        return self in (LoopType.GEAR, LoopType.ROLLING, LoopType.POLYNOMIAL, LoopType.SCREW)


@dataclass(frozen=True, slots=True)
class Loop(values.Value):
    """What couples joints; see `LoopType` for the equations.

    frame, against: names of the two frames or bodies (of "point", "hinge", "weld", "distance", "screw"). axis: of a
    hinge, unit vector in both frames. length: m. joints: names, with one coordinate each (of "gear", "rolling",
    "polynomial", "screw"). coefficients: of the equation; for "rolling" radii in m, negative for a rack or a ring
    around the other wheel. offset: rad or m (rad m for "rolling"). dependent: joints that shall follow from the
    others, where the choice is not to be left to `footfall.robot.loop_structure`. held_by: "coordinates", so that
    joints follow from others; or "forces", see `footfall.dynamics.loop_forces`, for loops that are large or say the
    same twice; with these `recovery`, 1/s, is the rate at which a violation fades.
    """

    name: str
    type: LoopType
    frame: str = ""
    against: str = ""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    length: float = 0.0
    joints: tuple[str, ...] = ()
    coefficients: tuple[float, ...] = ()
    offset: float = 0.0
    dependent: tuple[str, ...] = ()
    held_by: Literal["coordinates", "forces"] = "coordinates"
    recovery: float = 0.0

    def __post_init__(self) -> None:
        subject = ("loop", self.name)
        if self.type not in [*LoopType]:
            message = f"type is {self.type!r}; it must be one of: {', '.join(LoopType)}"
            raise RobotError(message, subject=subject)
        for name in ("joints", "dependent"):
            names = getattr(self, name)
            object.__setattr__(self, name, (names,) if isinstance(names, str) else tuple(names))
        object.__setattr__(self, "type", LoopType(self.type))
        object.__setattr__(self, "axis", values.unit_vector(self.axis, "axis", subject))
        object.__setattr__(self, "length", values.finite_number(self.length, "length", subject, minimum=0.0))
        recovery = values.finite_number(self.recovery, "recovery", subject, minimum=0.0)
        object.__setattr__(self, "recovery", recovery)
        if self.held_by not in ("coordinates", "forces"):
            message = f"held_by is {self.held_by!r}; it must be 'coordinates' or 'forces'"
            raise RobotError(message, subject=subject)
        object.__setattr__(self, "offset", values.finite_number(self.offset, "offset", subject))
        coefficients = tuple(
            values.finite_number(value, "coefficient", subject) for value in self.coefficients
        )
        object.__setattr__(self, "coefficients", coefficients)
        self._check_parts(subject)

    def _check_parts(self, subject: values.Subject) -> None:
        """Each type has the parts it needs."""
        if self.type.joins_frames and (not self.frame or not self.against):
            message = f"a {self.type} joins two frames; frame is {self.frame!r}, against is {self.against!r}"
            raise RobotError(message, subject=subject)
        if not self.type.joins_frames and (self.frame or self.against):
            raise RobotError(f"a {self.type} couples joints; it takes no frames", subject=subject)
        if self.type is LoopType.DISTANCE and self.length <= 0.0:
            message = f"length is {self.length:g} m; it must be positive (a point has none)"
            raise RobotError(message, subject=subject)
        joints, coefficients = len(self.joints), len(self.coefficients)
        if len(set(self.joints)) != joints:
            message = f"joints are {', '.join(self.joints)}; each may be named once"
            raise RobotError(message, subject=subject)
        wanted = {
            LoopType.GEAR: (
                joints >= 2 and coefficients == joints - 1,
                "a ratio for each joint after the first",
            ),
            LoopType.ROLLING: (joints == coefficients == 2, "two joints and their two radii"),
            LoopType.POLYNOMIAL: (
                joints == 2 and coefficients >= 2,
                "two joints and two or more coefficients",
            ),
            LoopType.SCREW: (joints == coefficients == 1, "one joint and one coefficient (rad/m)"),
        }
        right, needed = wanted.get(self.type, (joints == coefficients == 0, "no joints and no coefficients"))
        if not right:
            message = f"a {self.type} has {needed}; here are {joints} joints, {coefficients} coefficients"
            raise RobotError(message, subject=subject)
        if self.type is not LoopType.POLYNOMIAL and 0.0 in self.coefficients:
            message = f"coefficients are {list(self.coefficients)}; none may be zero"
            raise RobotError(message, subject=subject)


def renamed(loop: Loop, name: Callable[[str], str]) -> Loop:
    """The loop with other names for itself and for all that it refers to."""
    return replace(
        loop,
        name=name(loop.name),
        frame=name(loop.frame) if loop.frame else "",
        against=name(loop.against) if loop.against else "",
        joints=tuple(map(name, loop.joints)),
        dependent=tuple(map(name, loop.dependent)),
    )


def check_loops(robot: Robot) -> None:
    """Loops have names of their own and refer to what exists."""
    joints: Mapping[str, Joint] = {joint.name: joint for joint in robot.joints}
    frames = {"world", *(body.name for body in robot.bodies), *(frame.name for frame in robot.frames)}
    seen: set[str] = set()
    if len(robot.loops) > _MOST_LOOPS:
        message = f"has {len(robot.loops)} loops; at most {_MOST_LOOPS} are taken"
        raise RobotError(message, subject=("robot", robot.name))
    for loop in robot.loops:
        subject = ("loop", loop.name)
        if not loop.name or not loop.name.isprintable() or loop.name in seen:
            raise RobotError("the name must be printable, not empty, and of this loop only", subject=subject)
        seen.add(loop.name)
        for frame in (loop.frame, loop.against) if loop.type.joins_frames else ():
            if frame not in frames:
                message = f"frame {frame!r} does not exist; there are: {listed(frame, sorted(frames))}"
                raise RobotError(message, subject=subject)
        for name in (*loop.joints, *loop.dependent):
            if name not in joints:
                message = f"joint {name!r} does not exist; there are: {listed(name, joints)}"
                raise RobotError(message, subject=subject)
        for name in loop.joints:
            if joints[name].type.coordinates != 1:
                message = f"joint {name!r} is {joints[name].type}; it must have one coordinate"
                raise RobotError(message, subject=subject)
