"""Acceleration constraints of hybrid dynamics: which parts of which segment's acceleration are prescribed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_attachment
from footfall.errors import InvalidInput
from footfall.math.spatial import rotate, shift_force
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Robot

Direction = tuple[float, float, float, float, float, float]

AXES = ("x", "y", "z", "rx", "ry", "rz")
OWN = "frame"


@dataclass(frozen=True, slots=True)
class Constraint:
    """Components `d . [a; alpha] = set-point` of the classical acceleration of a frame's origin.

    frame: body or frame. directions: each "x", "y", "z" (linear), "rx", "ry", "rz" (angular) or six numbers
    [linear; angular]; or a number of directions that are given with every call. axes: those of the directions,
    "world", "frame" (its own, the cheapest) or another frame's name. against: a second frame; the acceleration of
    its body, at the point where the first one's origin is, is subtracted: with set-point zero both move together,
    which closes a loop. name: for messages; the frame's if empty. Directions are also those of unit constraint
    forces [f; n]; the second body feels the opposite, at the same point.
    """

    frame: str
    directions: tuple[str | Direction, ...] | int = AXES
    axes: str = WORLD
    against: str | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.frame)
        if isinstance(self.directions, int):
            if not 1 <= self.directions <= 6:
                raise InvalidInput(
                    f"constraint {self.name!r}: {self.directions} directions; there can be 1 to 6"
                )
            return
        given = tuple(self.directions)
        object.__setattr__(self, "directions", tuple(_checked(self.name, each) for each in given))
        if not 1 <= len(given) <= 6:
            raise InvalidInput(f"constraint {self.name!r}: {len(given)} directions; there can be 1 to 6")

    @property
    def rows(self) -> int:
        """How many components it prescribes."""
        return self.directions if isinstance(self.directions, int) else len(self.directions)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each component, such as "left_foot.x"."""
        if isinstance(self.directions, int):
            return tuple(f"{self.name}[{k}]" for k in range(self.directions))
        words = (each if isinstance(each, str) else f"[{k}]" for k, each in enumerate(self.directions))
        return tuple(f"{self.name}{'' if word.startswith('[') else '.'}{word}" for word in words)


def _checked(name: str, direction: str | Sequence[float]) -> str | Direction:
    if isinstance(direction, str):
        if direction not in AXES:
            raise InvalidInput(
                f"constraint {name!r}: direction {direction!r} must be one of {', '.join(AXES)}, or six numbers"
            )
        return str(direction)  # not NumPy's kind of string, which reads differently in the names of kernels
    numbers = tuple(float(number) for number in direction)
    if len(numbers) != 6 or not np.all(np.isfinite(numbers)) or not np.any(numbers):
        raise InvalidInput(
            f"constraint {name!r}: direction {numbers} must be six numbers [linear; angular], not all zero"
        )
    return numbers


def constraint_labels(constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """Names of all components, in the order of the set-points."""
    return tuple(label for constraint in constraints for label in constraint.labels)


def constraint_rows(constraints: Iterable[Constraint]) -> int:
    """Number of components of all constraints together."""
    if isinstance(constraints, Constraint):
        raise InvalidInput(f"constraints are {constraints!r}; give a list, with one: [constraint]")
    return sum(constraint.rows for constraint in constraints)


def check_constraints(robot: Robot, constraints: Sequence[Constraint], **stacked: Array | None) -> None:
    """Frames exist, and arrays that stack all components have the right length."""
    for constraint in constraints:
        for frame in {constraint.frame, constraint.axes, constraint.against or WORLD} - {OWN}:
            frame_attachment(robot, frame)
    rows = constraint_rows(constraints)
    for name, array in stacked.items():
        if array is not None and np.shape(array)[-1] != rows:
            raise InvalidInput(
                f"{name} has {np.shape(array)[-1]} entries; the constraints have {rows}: "
                f"{', '.join(constraint_labels(constraints))}"
            )
    if stacked.get("directions") is None:
        for constraint in constraints:
            if isinstance(constraint.directions, int):
                raise InvalidInput(
                    f"constraint {constraint.name!r} takes its directions with the call: give directions (6, {rows})"
                )


def direction_columns(constraints: Iterable[Constraint], directions: Array | None) -> list[Array]:
    """Directions (6,) of all components, each in the axes of its constraint.

    directions: (6, rows) or None; read only for constraints that take theirs with the call.
    """
    columns: list[Array] = []
    for constraint in constraints:
        if isinstance(constraint.directions, int):
            assert directions is not None
            first = len(columns)
            columns += [directions[:, first + k] for k in range(constraint.directions)]
        else:
            columns += [
                np.eye(6)[AXES.index(each)] if isinstance(each, str) else np.array(each)
                for each in constraint.directions
            ]
    return columns


@dataclass(frozen=True, slots=True)
class AttachedColumn:
    """A unit constraint force on a link.

    row: of the component. link: index, never the world. force: [f; n] (6,), link axes, at the link's origin.
    point: (3,) where it acts, in the link, m.
    """

    row: int
    link: int
    force: Array
    point: Array


def attached_columns(
    robot: Robot, world: Sequence[Transform], constraints: Iterable[Constraint], columns: Sequence[Array]
) -> list[AttachedColumn]:
    """Columns of `direction_columns` on the links that they act on; world: poses of the links in the world."""
    attached: list[AttachedColumn] = []
    row = 0
    for constraint in constraints:
        for _ in range(constraint.rows):
            for frame, sign in ((constraint.frame, 1.0), (constraint.against, -1.0)):
                if frame is None:
                    continue
                carrier = frame_attachment(robot, frame)
                if carrier.link < 0:
                    continue
                point = _point_on_link(robot, world, carrier.link, constraint.frame)
                turn = _turn_to_link(robot, world, carrier.link, constraint)
                force = shift_force(point, rotate(turn, sign * columns[row]))
                attached.append(AttachedColumn(row, carrier.link, force, point))
            row += 1
    return attached


def _point_on_link(robot: Robot, world: Sequence[Transform], link: int, frame: str) -> Array:
    """Origin (3,) of a frame as seen from a link."""
    carrier = frame_attachment(robot, frame)
    if carrier.link == link:
        return carrier.placement.translation
    origin = carrier.placement.translation
    if carrier.link >= 0:
        origin = world[carrier.link].apply(origin)
    seen: Array = world[link].rotation.T @ (origin - world[link].translation)
    return seen


def _turn_to_link(robot: Robot, world: Sequence[Transform], link: int, constraint: Constraint) -> Array:
    """Rotation (3, 3) from the axes of the directions to those of a link."""
    axes = constraint.frame if constraint.axes == OWN else constraint.axes
    origin = frame_attachment(robot, axes)
    if origin.link == link:
        return origin.placement.rotation
    to_world = origin.placement.rotation
    if origin.link >= 0:
        to_world = world[origin.link].rotation @ to_world
    return world[link].rotation.T @ to_world
