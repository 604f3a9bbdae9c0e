"""Coordinates of one object seen from another along a chain of features (iTaSC, De Schutter and others 2007).

Between two objects one imagines a chain of six slides and turns: across a table, round a post, up, and tilted. Its
coordinates are what the task is about. The chain is solved for them, and their rates follow from its Jacobian:

    T(chi) = pose of object 2 in object 1      J_f chi' = velocity of object 2 in object 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from footfall.arrays import Array
from footfall.control.references import MovingFrame
from footfall.control.tasks.frames import AxisGoal, FrameTask
from footfall.control.tasks.orientations import relative_rotation
from footfall.control.tasks.points import FramePoint
from footfall.control.tasks.positions import relative_position
from footfall.control.tasks.rows import ANGULAR, AXES
from footfall.control.tasks.task import MotionTask, TaskValue, check_bound
from footfall.errors import InvalidInput
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.rotations import boxminus, rotation_x, rotation_y, rotation_z
from footfall.math.spatial import cross, symmetric
from footfall.robot.model import WORLD, Robot

_TURNS = dict(zip(ANGULAR, (rotation_x, rotation_y, rotation_z), strict=True))
_NEWTON_STEPS = 10  # of Newton's method: from within a radian it takes five
_ALL = {axis: AxisGoal("position") for axis in AXES}
_FRAME_NUMBERS = 24  # numbers of a frame outside: place, rotation, velocity, acceleration


class ChainPose(NamedTuple):
    """End of a chain: rotation (3, 3), position (3,), and the Jacobian (6, 6) of [position; turning] by coordinates."""

    rotation: Array
    position: Array
    jacobian: Array


def chain_pose(axes: Sequence[str], values: Array) -> ChainPose:
    """Where slides and turns along and about moving axes lead, with coordinates (6,), m and rad."""
    rotation, position = np.eye(3), np.zeros(3)
    joints = []
    for axis, value in zip(axes, values, strict=True):
        along = rotation[:, AXES.index(axis) % 3]
        joints.append((axis, along, position))
        if axis in _TURNS:
            rotation = rotation @ _TURNS[axis](value)
        else:
            position = position + along * value
    columns = [
        np.concatenate([cross(along, position - place), along])
        if axis in _TURNS
        else np.concatenate([along, np.zeros(3)])
        for axis, along, place in joints
    ]
    return ChainPose(rotation, position, np.stack(columns, axis=1))


def chain_bias(axes: Sequence[str], values: Array, rates: Array) -> Array:
    """Acceleration (6,) of the end of a chain whose coordinates change at constant rates (6,)."""
    rotation, turning, turned = np.eye(3), np.zeros(3), np.zeros(3)
    moved = np.zeros(3)
    for axis, value, rate in zip(axes, values, rates, strict=True):
        along = rotation[:, AXES.index(axis) % 3]
        if axis in _TURNS:
            turned = turned + cross(turning, along * rate)
            turning = turning + along * rate
            rotation = rotation @ _TURNS[axis](value)
        else:
            arm = along * value
            moved = moved + cross(turned, arm) + cross(turning, cross(turning, arm))
            moved = moved + 2.0 * cross(turning, along * rate)
    return np.concatenate([moved, turned])


def _solved(jacobian: Array, right: Array) -> Array:
    """`jacobian^-1 right` by normal equations, which need no pivots: fit for traces."""
    square = symmetric(6, lambda i, j: jacobian[:, i] @ jacobian[:, j] + (1e-14 if i == j else 0.0))
    return solve_positive_definite(square, jacobian.T @ right)


@dataclass(frozen=True, eq=False, repr=False)
class FeatureTask(MotionTask):
    """Coordinates of a chain of features between two objects should have values.

    frame: object 2, a frame of the robot. chain: six names with their axes, "x", "y", "z", "rx", "ry" or "rz", each of
    the frame that the ones before it have moved: `{"angle": "rz", "distance": "x", "height": "z", "tilt": "ry", "lean":
    "rx", "turn": "rz"}` goes round a post. targets: of those that matter, m and rad. relative_to: object 1, a frame of
    the robot, "world", or a frame outside whose motion comes with the call of `solve_tasks`. near: of coordinates,
    where to look for a solution if zero is a bad place to begin, such as a distance from the post. Angles count modulo
    a turn. name: of the task in solutions and reports. most_force: along any of the coordinates in hybrid control, N or
    N m; where more is needed, this acts instead. outside: where object 1 is, if it is not on the robot.
    """

    frame: str
    chain: Mapping[str, str]
    targets: Mapping[str, float]
    relative_to: str = WORLD
    near: Mapping[str, float] = field(default_factory=dict)
    name: str = field(default="", kw_only=True)
    most_force: float = field(default=np.inf, kw_only=True)
    outside: MovingFrame | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for what in ("name", "frame", "relative_to"):
            if not isinstance(getattr(self, what), str):
                raise InvalidInput(f"features: {what} is {getattr(self, what)!r}; it must be a name")
        super().__post_init__()
        check_bound(f"{self.label}: most_force", self.most_force)
        if not isinstance(self.chain, Mapping):
            raise InvalidInput(
                f"{self.label}: chain is {self.chain!r}; it must have six names with their axes"
            )
        if len(self.chain) != 6 or not set(self.chain.values()) <= set(AXES):
            raise InvalidInput(
                f"{self.label}: chain is {dict(self.chain)}; it must have six names, with axes of {', '.join(AXES)}"
            )
        for what in ("targets", "near"):
            given = getattr(self, what)
            unknown = sorted(set(given) - set(self.chain))
            if unknown:
                raise InvalidInput(
                    f"{self.label}: {what} has {unknown}; the chain has {', '.join(self.chain)}"
                )
            self._array(what, list(given.values()), None)
            self._set(what, MappingProxyType({name: float(value) for name, value in given.items()}))
        if not self.targets:
            raise InvalidInput(
                f"{self.label}: there are no targets; name coordinates of {', '.join(self.chain)}"
            )
        self._set("chain", MappingProxyType(dict(self.chain)))

    @property
    def label(self) -> str:
        return self.name or f"features of {self.frame}" + (
            "" if self.relative_to == WORLD else f" seen from {self.relative_to}"
        )

    @property
    def _axes(self) -> tuple[str, ...]:
        return tuple(self.chain.values())

    @property
    def _places(self) -> list[int]:
        return [list(self.chain).index(name) for name in self.targets]

    @property
    def structure(self) -> tuple[Any, ...]:
        outside = self.outside is not None
        seen_from = "" if outside else self.relative_to
        return ("features", self.frame, seen_from, self._axes, tuple(self._places), outside)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the coordinates that have targets."""
        return tuple(self.targets)

    @property
    def parameters(self) -> Array:
        near = [self.near.get(name, self.targets.get(name, 0.0)) for name in self.chain]
        numbers: Any = [] if self.outside is None else self._between.parameters[-_FRAME_NUMBERS:]
        return np.array([*self.targets.values(), *near, *numbers])

    def seen_from(self, frames: Mapping[str, MovingFrame]) -> Self:
        """The task with object 1 outside the robot, if it is among those given by name."""
        if self.relative_to not in frames:
            return self
        task = self._copied()
        task._set("outside", frames[self.relative_to])
        return task

    @property
    def drifting(self) -> bool:
        return self.outside is not None

    @property
    def _between(self) -> FrameTask:
        """All six components of object 2 in object 1, as a task frame has them."""
        return FrameTask("between", self.frame, _ALL, self.relative_to, outside=self.outside)

    def _between_numbers(self, parameters: Array) -> Array:
        """Numbers that `_between` takes: no targets, and where object 1 is."""
        numbers = parameters[len(self.targets) + 6 :]
        return np.concatenate([np.zeros(3 * len(AXES)), numbers])

    def size(self, robot: Robot) -> int:
        return len(self.targets)

    def coordinates(self, robot: Robot, q: Array, parameters: Array) -> Array:
        """All six (6,), m and rad, by Newton's method."""
        position, rotation = self._pose(robot, q, parameters)
        values = parameters[len(self.targets) : len(self.targets) + 6]
        for _ in range(_NEWTON_STEPS):
            end = chain_pose(self._axes, values)
            missing = np.concatenate([position - end.position, boxminus(rotation, end.rotation)])
            values = values + _solved(end.jacobian, missing)
        return values

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        values = self.coordinates(robot, q, parameters)
        jacobian = chain_pose(self._axes, values).jacobian
        moving = self._moving(robot, q, parameters)
        rows = np.stack([_solved(jacobian, column) for column in moving.T], axis=1)[self._places]
        error = []
        for place, target in zip(self._places, parameters[: len(self.targets)], strict=True):
            apart = target - values[place]
            error.append(np.arctan2(np.sin(apart), np.cos(apart)) if self._axes[place] in _TURNS else apart)
        return TaskValue(np.array(error), rows)

    def _pose(self, robot: Robot, q: Array, parameters: Array) -> tuple[Array, Array]:
        """Position (3,) and rotation (3, 3) of object 2 in object 1."""
        seen_from = WORLD if self.outside is not None else self.relative_to
        position, _ = relative_position(robot, q, FramePoint(self.frame), seen_from, seen_from)
        rotation, _ = relative_rotation(robot, q, self.frame, seen_from)
        if self.outside is not None:
            numbers = parameters[len(self.targets) + 6 :]
            turn = numbers[3:12].reshape(3, 3).T
            position, rotation = turn @ (position - numbers[:3]), turn @ rotation
        return position, rotation

    def _moving(self, robot: Robot, q: Array, parameters: Array) -> Array:
        """Jacobian (6, nv) of the pose of object 2 in object 1."""
        return self._between.evaluate(robot, q, self._between_numbers(parameters)).jacobian

    def drift(self, robot: Robot, q: Array, parameters: Array) -> Array:
        jacobian = chain_pose(self._axes, self.coordinates(robot, q, parameters)).jacobian
        return _solved(jacobian, self._between.drift(robot, q, self._between_numbers(parameters)))[
            self._places
        ]

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        values = self.coordinates(robot, q, parameters)
        jacobian = chain_pose(self._axes, values).jacobian
        between, numbers = self._between, self._between_numbers(parameters)
        moving = between.evaluate(robot, q, numbers).jacobian @ v
        if self.drifting:
            moving = moving + between.drift(robot, q, numbers)
        own = between.bias(robot, q, v, numbers) - chain_bias(self._axes, values, _solved(jacobian, moving))
        return _solved(jacobian, own)[self._places]
