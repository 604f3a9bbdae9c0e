"""Tasks in the manner of the task frame formalism: what each axis of a frame does, Devaramani 2019, chapters 2 and 3.

Some axes keep a position, a velocity or an acceleration, some push with a force, the others are free. Motion axes are
rows like those of all other tasks; bounds of forces, forces and guards are for hybrid control.

When tasks begin and end: conditions on what happens along an axis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from footfall.arrays import Array
from footfall.compiler import maximum, minimum
from footfall.control.gains import Gains
from footfall.control.references import MovingFrame, checked_frame
from footfall.control.tasks.orientations import relative_rotation, relative_rotation_bias
from footfall.control.tasks.points import FramePoint, Segment, point_bias, point_kinematics
from footfall.control.tasks.positions import relative_position, relative_position_bias
from footfall.control.tasks.rows import AXES, row_places
from footfall.control.tasks.task import (
    MotionTask,
    RowMotion,
    RowNumbers,
    TaskValue,
    axis_directions,
    check_bound,
    is_number,
)
from footfall.dynamics.hybrid_constraints import OWN
from footfall.dynamics.kinematics import frame_attachment, frame_motion, frame_pose
from footfall.errors import InvalidInput
from footfall.math.rotations import rotation_vector_from_matrix
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.renamed import renamed_keywords, warn_renamed
from footfall.robot.model import WORLD, Robot

Mode = Literal["position", "velocity", "acceleration", "force"]
_UNBOUNDED = 1e30  # stands for no bound
MODES: tuple[Mode, ...] = ("position", "velocity", "acceleration", "force")


@dataclass(frozen=True, slots=True)
class AxisGoal:
    """What one axis does.

    mode, target: keeps a position (m, rad), velocity (m/s, rad/s) or acceleration, or is pushed with a force (N, N m).
    most_speed: bound of the speed with which an axis goes to its position, m/s or rad/s. most_acceleration: bound of
    what is asked for, m/s2 or rad/s2. most_force: N or N m; where a constraint would need more, this force acts
    instead. pushes_only: a constraint that can only push along the axis, as a contact does.
    """

    mode: Mode
    target: float = 0.0
    most_acceleration: float = np.inf
    most_force: float = np.inf
    pushes_only: bool = False
    most_speed: float = np.inf

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidInput(f"mode {self.mode!r} must be one of {', '.join(MODES)}")
        if not (is_number(self.target) and np.isfinite(self.target)):
            raise InvalidInput(f"target is {self.target!r}; it must be a finite number")
        for name in ("most_acceleration", "most_force", "most_speed"):
            check_bound(name, getattr(self, name))
        if not isinstance(self.pushes_only, bool):
            raise InvalidInput(f"pushes_only is {self.pushes_only!r}; it must be true or false")

    @property
    def limits_motion(self) -> bool:
        """Whether speed or acceleration have bounds."""
        return bool(np.isfinite(self.most_speed) or np.isfinite(self.most_acceleration))

    @property
    def limits_force(self) -> bool:
        """Whether it is about forces, which only hybrid control knows."""
        return self.mode == "force" or self.pushes_only or bool(np.isfinite(self.most_force))


_ON_ALL_AXES = {
    mode: MappingProxyType({axis: AxisGoal(mode) for axis in AXES}) for mode in ("position", "velocity")
}


@renamed_keywords(softness="compliance")
@dataclass(frozen=True, eq=False, repr=False)
class FrameTask(MotionTask):
    """What each axis of a task frame does.

    frame: the body or frame that it moves; point (3,): which point of it, in its axes, m. axes: "world" or the name of
    the task frame: positions are those of the point in it, angles the components of the rotation vector; or "frame",
    its own axes, which have no positions. goals: by axis, "x", "y", "z", "rx", "ry", "rz". gains: of motion axes, one
    for all or six, linear before angular.
    compliance: 0 for a hard task, else (m/s2)/N by which it yields to harder ones. when: guards that all must hold for
    it to begin, until: guards of which one ends it. outside: where the task frame is, if it is not on the robot.
    """

    usual: ClassVar[Gains] = Gains(100.0, 20.0)

    name: str
    frame: str
    goals: Mapping[str, AxisGoal]
    axes: str = WORLD
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    compliance: float = field(default=0.0, kw_only=True)
    when: tuple[Guard, ...] = field(default=(), kw_only=True)
    until: tuple[Guard, ...] = field(default=(), kw_only=True)
    outside: MovingFrame | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("name", "frame", "axes"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise InvalidInput(
                    f"task {self.name!r}: {name} is {getattr(self, name)!r}; it must be a name"
                )
        super().__post_init__()
        self._check_goals()
        self._set("point", FramePoint(self.frame, self.point).offset)
        if not (is_number(self.compliance) and 0.0 <= self.compliance < np.inf):
            raise InvalidInput(
                f"{self.label}: compliance {self.compliance!r} must be a number of at least zero"
            )
        for axis, goal in self.goals.items():
            if self.axis_gains(axis).damping == 0.0 and np.isfinite(goal.most_speed):
                raise InvalidInput(f"{self.label}: a bound on speed needs damping; it is 0.0 for {axis}")
        if self.outside is not None:
            self._set("outside", checked_frame(self.outside, f"{self.label}: outside"))
        for name in ("when", "until"):
            self._set(name, guards(getattr(self, name), f"{self.label}: {name}"))

    def _check_goals(self) -> None:
        if not isinstance(self.goals, Mapping) or not self.goals:
            raise InvalidInput(f"{self.label}: no goals; give at least one axis of {', '.join(AXES)}")
        for axis, goal in self.goals.items():
            if axis not in AXES:
                raise InvalidInput(f"{self.label}: axis {axis!r} must be one of {', '.join(AXES)}")
            if not isinstance(goal, AxisGoal):
                raise InvalidInput(f"{self.label}: goal of {axis} is {goal!r}; it must be an AxisGoal")
            if goal.mode == "position" and self.axes == OWN:
                raise InvalidInput(
                    f"{self.label}: {axis} keeps a position, which its own axes do not have; give other axes"
                )
        ordered = {axis: self.goals[axis] for axis in AXES if axis in self.goals}
        self._set("goals", MappingProxyType(ordered))

    @property
    def label(self) -> str:
        return f"task {self.name!r}"

    @property
    def softness(self) -> float:
        """The old name of `compliance`."""
        warn_renamed("FrameTask.softness", "compliance", depth=3)
        return self.compliance

    @property
    def motion_axes(self) -> tuple[str, ...]:
        """Axes that constraints hold."""
        return tuple(axis for axis, goal in self.goals.items() if goal.mode != "force")

    @property
    def force_axes(self) -> tuple[str, ...]:
        """Axes that wrenches push."""
        return tuple(axis for axis, goal in self.goals.items() if goal.mode == "force")

    def seen_from(self, frames: Mapping[str, MovingFrame]) -> Self:
        """The task with its frame outside the robot, if it is among those given by name."""
        if self.axes not in frames:
            return self
        outside = checked_frame(frames[self.axes], f"frame {self.axes!r}")
        task = self._placed(outside)
        task._set("probe", self.probe._placed(outside))
        return task

    def _placed(self, outside: MovingFrame) -> Self:
        task = self._copied()
        task._set("outside", outside)
        return task

    @cached_property
    def probe(self) -> FrameTask:
        """A task of six rows in the same axes: its error is minus the position, its speed the velocity in them."""
        probe = self._copied()
        probe._set("goals", _ON_ALL_AXES["velocity" if self.axes == OWN else "position"])
        return probe

    # The family's side of it

    def check(self, level: str) -> None:
        for axis, goal in self.goals.items():
            if goal.limits_force or self.compliance > 0.0:
                raise InvalidInput(
                    f"{self.label}: {axis} is about forces or yields to them; only hybrid control (solve_tasks) can"
                )
            if level != "acceleration" and (goal.limits_motion or goal.mode == "acceleration"):
                raise InvalidInput(
                    f"{self.label}: {axis} is about accelerations or limits motion; inverse kinematics cannot"
                )
            if level == "position" and goal.mode != "position":
                raise InvalidInput(f"{self.label}: {axis} has no position, only a rate; use it with build_ik")

    def settled(self, robot: Robot, time: float = 0.0) -> Self:
        if self.outside is None and self.axes != OWN:
            frame_attachment(robot, self.axes)
        frame_attachment(robot, self.frame)
        motion = [goal for goal in self.goals.values() if goal.mode != "force"]
        task = self._copied()
        for name, mode in (("rate", "velocity"), ("acceleration", "acceleration")):
            task._set(name, np.array([goal.target if goal.mode == mode else 0.0 for goal in motion]))
        return task

    @property
    def structure(self) -> tuple[Any, ...]:
        goals = [self.goals[axis] for axis in self.motion_axes]
        limited = [(bool(np.isfinite(g.most_speed)), bool(np.isfinite(g.most_acceleration))) for g in goals]
        modes = tuple(zip(self.motion_axes, (goal.mode for goal in goals), limited, strict=True))
        return ("frame task", self.frame, self.axes, self.point, modes, self.outside is not None)

    @property
    def parameters(self) -> Array:
        goals = [self.goals[axis] for axis in self.motion_axes]
        own = [np.minimum([(g.target, g.most_speed, g.most_acceleration) for g in goals], _UNBOUNDED).ravel()]
        if self.outside is not None:
            pose, velocity, acceleration = self.outside
            own += [pose.translation, pose.rotation.reshape(9), velocity, acceleration]
        return np.concatenate(own)

    def size(self, robot: Robot) -> int:
        return len(self.motion_axes)

    @property
    def decay(self) -> Any:
        return np.sqrt(self.row_gains(self.usual)[0])

    def check_row_gains(self, count: int) -> None:
        super().check_row_gains(len(AXES))

    def axis_gains(self, axis: str, usual: Gains | None = None) -> Gains:
        """Gains of an axis by its name."""
        self.check_row_gains(len(AXES))
        return self.feedback(usual).for_axis(AXES.index(axis))

    def row_gains(self, usual: Gains | None = None) -> tuple[Array, Array]:
        rows = [(self.goals[axis].mode, self.axis_gains(axis, usual)) for axis in self.motion_axes]
        return (
            np.array([gains.stiffness if mode == "position" else 0.0 for mode, gains in rows]),
            np.array([gains.damping if mode != "acceleration" else 0.0 for mode, gains in rows]),
        )

    def law(self, motion: RowMotion, numbers: RowNumbers, parameters: Array) -> Array:
        asked = super().law(motion, numbers, parameters)
        limits = parameters[: 3 * len(asked)].reshape(-1, 3)
        for k, axis in enumerate(self.motion_axes):
            goal = self.goals[axis]
            if np.isfinite(goal.most_speed) and goal.mode != "acceleration":
                stiffness, damping, most = numbers.stiffness[k], numbers.damping[k], limits[k, 1]
                wanted = numbers.rate[k]
                if goal.mode == "position":
                    wanted = wanted + stiffness / damping * motion.error[k]
                asked[k] = damping * (clipped(wanted, most) - motion.speed[k])
            if np.isfinite(goal.most_acceleration):
                asked[k] = clipped(asked[k], limits[k, 2])
        return asked

    @property
    def drifting(self) -> bool:
        return self.outside is not None

    def _outside(self, parameters: Array) -> MovingFrame:
        given = parameters[3 * len(self.motion_axes) :]
        pose = Transform(given[3:12].reshape(3, 3), given[:3])
        return MovingFrame(pose, given[12:18], given[18:])

    @property
    def _point(self) -> FramePoint:
        return FramePoint(self.frame, self.point)

    def evaluate(self, robot: Robot, q: Array, parameters: Array) -> TaskValue:
        places = row_places(self.motion_axes, AXES)
        targets = parameters[: 3 * len(places)].reshape(-1, 3)[:, 0]
        value, jacobian = self._seen(robot, q, parameters)
        kept = [self.goals[axis].mode == "position" for axis in self.motion_axes]
        error = [
            targets[k] - value[place] if held else 0.0
            for k, (place, held) in enumerate(zip(places, kept, strict=True))
        ]
        return TaskValue(np.array(error), jacobian[places])

    def _seen(self, robot: Robot, q: Array, parameters: Array) -> tuple[Array, Array]:
        """Position and angles (6,) of the frame in the task frame, and the Jacobian (6, nv) of its velocity there."""
        if self.axes != OWN and self.outside is None:
            position, linear = relative_position(robot, q, self._point, self.axes, self.axes)
            rotation, angular = relative_rotation(robot, q, self.frame, self.axes)
        else:
            place, linear = point_kinematics(robot, q, self._point)
            own, angular = relative_rotation(robot, q, self.frame, WORLD)
            turn, start = own.T, place
            if self.outside is not None:
                pose = self._outside(parameters).pose
                turn, start = pose.rotation.T, pose.translation
            position, rotation = turn @ (place - start), turn @ own
            linear, angular = turn @ linear, turn @ angular
        if self.axes == OWN:
            return np.zeros(6), np.concatenate([linear, angular])
        return (
            np.concatenate([position, rotation_vector_from_matrix(rotation)]),
            np.concatenate([linear, angular]),
        )

    def drift(self, robot: Robot, q: Array, parameters: Array) -> Array:
        frame = self._outside(parameters)
        arm = point_kinematics(robot, q, self._point).position - frame.pose.translation
        moving = frame.velocity[:3] + cross(frame.velocity[3:], arm)
        turn = frame.pose.rotation.T
        return -np.concatenate([turn @ moving, turn @ frame.velocity[3:]])[row_places(self.motion_axes, AXES)]

    def bias(self, robot: Robot, q: Array, v: Array, parameters: Array) -> Array:
        places = row_places(self.motion_axes, AXES)
        if self.axes != OWN and self.outside is None:
            linear = relative_position_bias(robot, q, v, self._point, self.axes, self.axes)
            angular = relative_rotation_bias(robot, q, v, self.frame, self.axes)
            return np.concatenate([linear, angular])[places]
        place, jacobian = point_kinematics(robot, q, self._point)
        linear, moving = point_bias(robot, q, v, self._point), jacobian @ v
        own = frame_motion(robot, q, v, np.zeros(robot.nv), self.frame)
        turning, angular = own.velocity[3:], own.acceleration[3:]
        if self.outside is None:
            rotation = frame_pose.textbook(robot, q, self.frame).rotation
            # What is prescribed as an acceleration is that of the point; else the rate of the velocity in these axes.
            classical = np.concatenate([rotation.T @ linear, rotation.T @ angular])
            relative = np.concatenate([rotation.T @ (linear - cross(turning, moving)), rotation.T @ angular])
            given = [self.goals[axis].mode == "acceleration" for axis in self.motion_axes]
            rows = [(classical if whole else relative)[k] for k, whole in zip(places, given, strict=True)]
            return np.array(rows)
        frame = self._outside(parameters)
        arm, spin, spun = place - frame.pose.translation, frame.velocity[3:], frame.acceleration[3:]
        seen = moving - frame.velocity[:3] - cross(spin, arm)
        carried = frame.acceleration[:3] + cross(spun, arm) + cross(spin, cross(spin, arm))
        linear = linear - carried - 2 * cross(spin, seen)
        angular = angular - spun - cross(spin, turning - spin)
        turn = frame.pose.rotation.T
        return np.concatenate([turn @ linear, turn @ angular])[places]

    def segment(self, robot: Robot) -> Segment:
        against = None
        if self.outside is None and self.axes != OWN and frame_attachment(robot, self.axes).link >= 0:
            against = self.axes
        return Segment(self.frame, against)

    def directions(self, robot: Robot, q: Array, parameters: Array) -> Array:
        pose = frame_pose.textbook(robot, q, self.frame)
        if self.outside is not None:
            rotation = self._outside(parameters).pose.rotation
        else:
            rotation = (
                pose.rotation if self.axes == OWN else frame_pose.textbook(robot, q, self.axes).rotation
            )
        columns = axis_directions(rotation, pose.rotation @ np.array(self.point))
        return columns[:, row_places(self.motion_axes, AXES)]


def clipped(value: Any, most: Any) -> Any:
    """A number or symbol, not beyond a size."""
    return minimum(maximum(value, -most), most)


def guards(given: Any, what: str) -> tuple[Guard, ...]:
    """One guard or several, as a tuple."""
    every = (given,) if isinstance(given, Guard) else tuple(given)
    for each in every:
        if not isinstance(each, Guard):
            raise InvalidInput(f"{what} has {each!r}; it must be a Guard")
    return every


Quantity = Literal["force", "position", "speed"]
QUANTITIES: tuple[Quantity, ...] = ("force", "position", "speed")


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on a quantity along an axis of a task: a force (N, N m), a position (m, rad) or a speed (m/s, rad/s).

    It holds if the quantity is above one bound or below the other, with its sign; beyond: if its size is above,
    within: if its size is below, whatever the sign.
    """

    axis: str
    quantity: Quantity
    above: float = math.inf
    below: float = -math.inf
    beyond: float = math.inf
    within: float = -math.inf

    def __post_init__(self) -> None:
        if self.axis not in AXES or self.quantity not in QUANTITIES:
            raise InvalidInput(
                f"guard on {self.quantity!r} of axis {self.axis!r}: there are the quantities "
                f"{', '.join(QUANTITIES)} and the axes {', '.join(AXES)}"
            )
        bounds = {each.name: getattr(self, each.name) for each in fields(self)[2:]}
        for name, bound in bounds.items():
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or math.isnan(bound):
                raise InvalidInput(f"guard on {self.axis}: {name} is {bound!r}; it must be a number")
        for name in ("beyond", "within"):
            if math.isfinite(bounds[name]) and bounds[name] < 0.0:
                raise InvalidInput(
                    f"guard on {self.axis}: {name} is {bounds[name]}; sizes are not negative, see above and below"
                )
        if not any(math.isfinite(bound) for bound in bounds.values()):
            raise InvalidInput(
                f"guard on {self.quantity} of {self.axis} has no bound; give one of {', '.join(bounds)}"
            )

    def holds(self, value: float) -> bool:
        """Whether a value of its quantity fulfils it."""
        size = abs(value)
        return value > self.above or value < self.below or size > self.beyond or size < self.within


class TaskProgress(NamedTuple):
    """Names of tasks that have begun and of those that have ended, one control period handing them to the next."""

    started: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()
