"""Tasks of hybrid dynamics as values: what each axis of a task frame does, in Python or TOML, 004 sections 11 and 17.

A task says for some axes of a frame whether they keep a position, a velocity, an acceleration or a force; the others
are free. Motion axes become acceleration constraints, force axes wrenches. Hard tasks come before soft ones, and among
them those with a lower `priority` number: where they contradict each other, the first win.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from footfall.dynamics.hybrid_constraints import AXES, OWN
from footfall.errors import InvalidTask
from footfall.robot.model import WORLD
from footfall.robot.values import Value

Mode = Literal["position", "velocity", "acceleration", "force"]
Quantity = Literal["force", "position", "speed"]

MODES: tuple[Mode, ...] = ("position", "velocity", "acceleration", "force")


@dataclass(frozen=True, slots=True)
class AxisGoal:
    """What one axis does.

    mode, target: keeps a position (m, rad), velocity (m/s, rad/s) or acceleration, or is pushed with a force (N, N m).
    most_acceleration: bound of what is asked for, m/s2 or rad/s2. most_force: N or N m; where a constraint would need
    more, this force acts instead. pushes_only: a constraint that can only push along the axis, as a contact does.
    """

    mode: Mode
    target: float = 0.0
    most_acceleration: float = np.inf
    most_force: float = np.inf
    pushes_only: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InvalidTask(f"mode {self.mode!r} must be one of {', '.join(MODES)}")
        if not np.isfinite(self.target):
            raise InvalidTask(f"target {self.target} must be a finite number")
        for name in ("most_acceleration", "most_force"):
            if not getattr(self, name) > 0.0:
                raise InvalidTask(f"{name} {getattr(self, name)} must be above zero")


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that ends a task: a quantity along an axis is above or below a value (of its absolute value)."""

    axis: str
    quantity: Quantity
    above: float = np.inf
    below: float = -np.inf

    def __post_init__(self) -> None:
        if self.axis not in AXES or self.quantity not in ("force", "position", "speed"):
            raise InvalidTask(
                f"guard on {self.quantity!r} of axis {self.axis!r}: quantities are force, position and speed, "
                f"axes {', '.join(AXES)}"
            )

    def holds(self, value: float) -> bool:
        """Whether a value of its quantity ends the task."""
        return abs(value) > self.above or abs(value) < self.below


@dataclass(frozen=True, slots=True)
class Task(Value):
    """One task in one frame.

    frame: the body or frame that it moves. axes: "world" or the name of the task frame, taken as resting: positions are
    those of the frame's origin in it, angles the components of the rotation vector; or "frame", its own axes, which
    have no positions. goals: by axis, "x", "y", "z", "rx", "ry", "rz". stiffness 1/s2 and damping 1/s of motion axes.
    softness: 0 for a hard task, else (m/s2)/N by which it yields. until: guards that end it.
    """

    name: str
    frame: str
    goals: Mapping[str, AxisGoal]
    axes: str = WORLD
    priority: int = 0
    stiffness: float = 100.0
    damping: float = 20.0
    softness: float = 0.0
    until: tuple[Guard, ...] = field(default=())

    def __post_init__(self) -> None:
        subject = f"task {self.name!r}"
        if not self.goals:
            raise InvalidTask(f"{subject}: no goals; give at least one axis of {', '.join(AXES)}")
        for axis, goal in self.goals.items():
            if axis not in AXES:
                raise InvalidTask(f"{subject}: axis {axis!r} must be one of {', '.join(AXES)}")
            if goal.mode == "position" and self.axes == OWN:
                raise InvalidTask(f"{subject}: {axis} keeps a position, which its own axes do not have")
        for name in ("stiffness", "damping", "softness"):
            if not getattr(self, name) >= 0.0:
                raise InvalidTask(f"{subject}: {name} {getattr(self, name)} must not be negative")
        ordered = {axis: self.goals[axis] for axis in AXES if axis in self.goals}
        object.__setattr__(self, "goals", MappingProxyType(ordered))
        object.__setattr__(self, "until", tuple(self.until))

    @property
    def motion_axes(self) -> tuple[str, ...]:
        """Axes that constraints hold."""
        return tuple(axis for axis, goal in self.goals.items() if goal.mode != "force")

    @property
    def force_axes(self) -> tuple[str, ...]:
        """Axes that wrenches push."""
        return tuple(axis for axis, goal in self.goals.items() if goal.mode == "force")


def in_order(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Hard tasks first, then by priority, then as given."""
    ordered = tuple(sorted(tasks, key=lambda task: (task.softness > 0.0, task.priority)))
    names = [task.name for task in ordered]
    for name in names:
        if names.count(name) > 1:
            raise InvalidTask(f"two tasks are named {name!r}")
    return ordered


def parse_tasks(text: str) -> tuple[Task, ...]:
    """Tasks of a TOML text: tables `[[task]]` with the fields of `Task`.

    A goal is written `x = { position = 0.3, most_force = 50 }`, a guard
    `until = [{ axis = "z", quantity = "force", above = 5 }]`.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidTask(f"no TOML: {error}") from error
    unknown = set(document) - {"task"}
    if unknown:
        raise InvalidTask(f"unknown table {sorted(unknown)[0]!r}; there is: task")
    return tuple(_task(entry) for entry in document.get("task", []))


def _task(entry: Mapping[str, Any]) -> Task:
    name = str(entry.get("name", ""))
    known = {each.name for each in fields(Task)}
    for key in entry:
        if key not in known:
            raise InvalidTask(f"task {name!r}: unknown field {key!r}; there are: {', '.join(sorted(known))}")
    for key in ("name", "frame", "goals"):
        if key not in entry:
            raise InvalidTask(f"task {name!r}: {key} is missing")
    values = dict(entry)
    values["goals"] = {axis: _goal(name, axis, goal) for axis, goal in entry["goals"].items()}
    values["until"] = tuple(Guard(**guard) for guard in entry.get("until", ()))
    return Task(**values)


def _goal(name: str, axis: str, entry: Mapping[str, Any]) -> AxisGoal:
    options = dict(entry)
    modes = [mode for mode in MODES if mode in options]
    if len(modes) != 1:
        raise InvalidTask(f"task {name!r}: {axis} needs one of {', '.join(MODES)}, has {len(modes)}")
    target = float(options.pop(modes[0]))
    try:
        return AxisGoal(modes[0], target, **options)
    except TypeError as error:
        raise InvalidTask(
            f"task {name!r}: {axis} has {', '.join(options)}; besides {modes[0]} there are: most_acceleration, "
            "most_force, pushes_only"
        ) from error


def tasks_text(tasks: Sequence[Task]) -> str:
    """The tasks as TOML that `parse_tasks` reads back to the same values."""
    return "\n".join(_task_text(task) for task in tasks)


def _task_text(task: Task) -> str:
    lines = ["[[task]]"]
    for entry in fields(Task):
        value = getattr(task, entry.name)
        if entry.name not in ("goals", "until"):
            lines.append(f"{entry.name} = {_scalar(value)}")
    if task.until:
        lines.append(f"until = [{', '.join(_table(guard) for guard in task.until)}]")
    lines.append("[task.goals]")
    for axis, goal in task.goals.items():
        options = {goal.mode: goal.target} | {
            each.name: getattr(goal, each.name)
            for each in fields(AxisGoal)
            if each.name not in ("mode", "target") and getattr(goal, each.name) != each.default
        }
        lines.append(f"{axis} = {_inline(options)}")
    return "\n".join(lines) + "\n"


def _table(guard: Guard) -> str:
    return _inline({each.name: getattr(guard, each.name) for each in fields(Guard)})


def _inline(options: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{name} = {_scalar(value)}" for name, value in options.items()) + " }"


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)
