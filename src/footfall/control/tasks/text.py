"""Tasks and boundaries as TOML."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from footfall.control.gains import Gains
from footfall.control.references import MovingFrame
from footfall.control.tasks.features import FeatureTask
from footfall.control.tasks.frames import MODES, AxisGoal, FrameTask, Guard
from footfall.control.tasks.points import FramePoint
from footfall.control.tasks.positions import BOUNDARY_PRIORITY, Boundary
from footfall.errors import FootfallError, InvalidInput, RobotError
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.model import WORLD
from footfall.robot.toml_parts import load_toml

Entry = Mapping[str, Any]
_SHARED = ("name", "frame", "priority", "stiffness", "damping")
_OPTIONS = ("priority", "compliance", "softness")  # the last of earlier releases
_TASK = (*_SHARED, "axes", "point", *_OPTIONS[1:], "when", "until", "goals")
_FEATURES = (*_SHARED, "relative_to", "chain", "targets", "near", "rate", "most_force")
_BOUNDARY = (*_SHARED, "point", "start", "normal", "most_force")
_FRAME = ("name", "position", "rotation", "velocity", "turning")
_TABLES = ("task", "features", "boundary", "frame")


Written = FrameTask | FeatureTask | Boundary


def parse_tasks(text: str) -> tuple[Written, ...]:
    """Tasks of a TOML text: tables `[[task]]` with the fields of `FrameTask`, `[[features]]` with those of
    `FeatureTask`, then `[[boundary]]` with those of `Boundary`. Tables `[[frame]]` are for `parse_frames`.

    Gains are `stiffness` (1/s2) and `damping` (1/s). A goal is written `x = { position = 0.3, most_force = 50 }`, a
    guard `until = [{ axis = "z", quantity = "force", beyond = 5 }]`, a place `point = [0.1, 0.0, 0.2]`.
    """
    tables = _document(text)
    tasks = [_task(entry) for entry in tables["task"]]
    features = [_features(entry) for entry in tables["features"]]
    return (*tasks, *features, *(_boundary(entry) for entry in tables["boundary"]))


def parse_frames(text: str, time: float = 0.0) -> dict[str, MovingFrame]:
    """Frames outside the robot of a TOML text at a time (s), by name: what `solve_tasks(frames=)` takes.

    A table `[[frame]]` has a `name`, at time zero a `position` (m) and a `rotation` (a rotation vector, rad), and moves
    on with `velocity` (m/s) and `turning` (rad/s, about its own origin), both along axes of the world.
    """
    found = {}
    for entry in _document(text)["frame"]:
        what = _named(entry, "frame", _FRAME, ("name",))
        name = entry["name"]
        if not isinstance(name, str) or not name or name in found:
            raise InvalidInput(f"{what}: name is {name!r}; it must be a name of its own")
        position, rotation, velocity, turning = (
            np.array(_place(entry.get(key, [0.0, 0.0, 0.0]), f"{what}: {key}")) for key in _FRAME[1:]
        )
        turned = matrix_from_rotation_vector(turning * time) @ matrix_from_rotation_vector(rotation)
        pose = Transform(turned, position + velocity * time)
        found[name] = MovingFrame(pose, np.concatenate([velocity, turning]), np.zeros(6))
    return found


def _document(text: str) -> dict[str, list[Entry]]:
    if not isinstance(text, str):
        raise InvalidInput(f"tasks are {text!r}; they must be a text")
    try:
        document = load_toml(text, "tasks")
    except RobotError as error:
        raise InvalidInput(f"the text must be TOML: {error}") from error
    unknown = sorted(set(document) - set(_TABLES))
    if unknown:
        raise InvalidInput(f"unknown table {unknown[0]!r}; there are: {', '.join(_TABLES)}")
    return {name: _tables(document.get(name, []), name) for name in _TABLES}


def _features(entry: Entry) -> FeatureTask:
    what = _named(entry, "features", _FEATURES, ("name", "frame", "chain", "targets"))
    for key in ("chain", "targets", "near"):
        if not isinstance(entry.get(key, {}), dict):
            raise InvalidInput(f"{what}: {key} is {entry[key]!r}; it must be a table, [features.{key}]")
    numbers = {
        key: {name: _number(value, f"{what}: {key}: {name}") for name, value in entry.get(key, {}).items()}
        for key in ("targets", "near")
    }
    for name, axis in entry["chain"].items():
        if not isinstance(axis, str):
            raise InvalidInput(f'{what}: chain: {name} is {axis!r}; it must be an axis such as "rz"')
    options: dict[str, Any] = {key: entry[key] for key in ("priority", "rate", "most_force") if key in entry}
    return FeatureTask(
        entry["frame"],
        entry["chain"],
        numbers["targets"],
        entry.get("relative_to", WORLD),
        numbers["near"],
        name=entry["name"],
        gains=_gains(entry, FrameTask.usual, what),
        **options,
    )


def _tables(value: Any, name: str) -> list[Entry]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(f"{name} is {value!r}; it must be tables that begin with [[{name}]]")
    return value


def _named(entry: Entry, kind: str, known: Sequence[str], needed: Sequence[str]) -> str:
    """What an entry is called in messages; its fields are checked."""
    what = f"{kind} {entry.get('name', '')!r}"
    _check_fields(entry, what, sorted(known), needed)
    return what


def _check_fields(entry: Entry, what: str, known: Sequence[str], needed: Sequence[str]) -> None:
    for key in entry:
        if key not in known:
            raise InvalidInput(f"{what}: unknown field {key!r}; there are: {', '.join(known)}")
    for key in needed:
        if key not in entry:
            raise InvalidInput(f"{what}: {key} is missing; give it")


def _gains(entry: Entry, usual: Gains, what: str) -> Gains:
    given = {key: _several(entry[key], f"{what}: {key}") for key in ("stiffness", "damping") if key in entry}
    try:
        return Gains(**{"stiffness": usual.stiffness, "damping": usual.damping} | given)
    except FootfallError as error:
        raise InvalidInput(f"{what}: {error}") from error


def _several(value: Any, what: str) -> Any:
    """A number, or a list of them."""
    return [_number(each, what) for each in value] if isinstance(value, list) else _number(value, what)


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise InvalidInput(f"{what} is {value!r}; it must be a number")
    try:
        return float(value)
    except OverflowError:
        raise InvalidInput(f"{what} is {value!r}; it must be a number below 1e308") from None


def _place(value: Any, what: str) -> tuple[float, float, float]:
    if not isinstance(value, list) or len(value) != 3:
        raise InvalidInput(f"{what} is {value!r}; it must be three numbers, [0.1, 0.0, 0.2] say")
    x, y, z = (_number(each, what) for each in value)
    return x, y, z


def _task(entry: Entry) -> FrameTask:
    what = _named(entry, "task", _TASK, ("name", "frame", "goals"))
    goals = entry["goals"]
    if not isinstance(goals, dict):
        raise InvalidInput(f"{what}: goals are {goals!r}; they must be a table, [task.goals]")
    if "compliance" in entry and "softness" in entry:
        raise InvalidInput(f"{what}: softness is the old name of compliance; give compliance alone")
    options: dict[str, Any] = {key: entry[key] for key in _OPTIONS if key in entry}
    for key in ("when", "until"):
        if key in entry:
            options[key] = tuple(
                _guard(each, f"{what}: {key}") for each in _listed(entry[key], f"{what}: {key}")
            )
    return FrameTask(
        entry["name"],
        entry["frame"],
        {axis: _goal(goal, f"{what}: {axis}") for axis, goal in goals.items()},
        entry.get("axes", WORLD),
        _place(entry.get("point", [0.0, 0.0, 0.0]), f"{what}: point"),
        gains=_gains(entry, FrameTask.usual, what),
        **options,
    )


def _listed(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInput(f'{what} is {value!r}; it must be a list of tables, [{{ axis = "z", ... }}] say')
    return value


def _guard(entry: Any, what: str) -> Guard:
    if not isinstance(entry, dict):
        raise InvalidInput(f"{what} has {entry!r}; it must be a table with axis, quantity and a bound")
    known = [each.name for each in fields(Guard)]
    _check_fields(entry, what, known, ("axis", "quantity"))
    bounds = {key: _number(entry[key], f"{what}: {key}") for key in known[2:] if key in entry}
    return Guard(entry["axis"], entry["quantity"], **bounds)


def _goal(entry: Any, what: str) -> AxisGoal:
    if not isinstance(entry, dict):
        raise InvalidInput(f"{what} is {entry!r}; it must be a table such as {{ position = 0.3 }}")
    options = dict(entry)
    modes = [mode for mode in MODES if mode in options]
    if len(modes) != 1:
        raise InvalidInput(f"{what} has {len(modes)} modes; it needs one of {', '.join(MODES)}")
    target = _number(options.pop(modes[0]), f"{what}: {modes[0]}")
    others = [each.name for each in fields(AxisGoal) if each.name not in ("mode", "target")]
    for key in options:
        if key not in others:
            raise InvalidInput(f"{what} has {key}; besides {modes[0]} there are: {', '.join(others)}")
    try:
        return AxisGoal(modes[0], target, **options)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error}") from None


def _boundary(entry: Entry) -> Boundary:
    what = _named(entry, "boundary", _BOUNDARY, ("name", "frame", "start", "normal"))
    if not isinstance(entry["frame"], str):
        raise InvalidInput(f"{what}: frame is {entry['frame']!r}; it must be a name")
    return Boundary(
        FramePoint(entry["frame"], _place(entry.get("point", [0.0, 0.0, 0.0]), f"{what}: point")),
        np.array(_place(entry["start"], f"{what}: start")),
        np.array(_place(entry["normal"], f"{what}: normal")),
        entry["name"],
        _number(entry.get("most_force", math.inf), f"{what}: most_force"),
        priority=entry.get("priority", BOUNDARY_PRIORITY),
        gains=_gains(entry, Boundary.usual, what),
    )


def tasks_text(tasks: Sequence[Written]) -> str:
    """The tasks as TOML that `parse_tasks` reads back to the same values."""
    kept = [task for task in tasks if isinstance(task, FrameTask)]
    bounds = [task for task in tasks if isinstance(task, Boundary)]
    chains = [_features_text(task) for task in tasks if isinstance(task, FeatureTask)]
    return "\n".join(
        [*(_task_text(task) for task in kept), *chains, *(_boundary_text(task) for task in bounds)]
    )


def _features_text(task: FeatureTask) -> str:
    values: dict[str, Any] = {"name": task.label, "frame": task.frame, "relative_to": task.relative_to}
    if np.isfinite(task.most_force):
        values["most_force"] = task.most_force
    if task.rate is not None:
        values["rate"] = [float(rate) for rate in task.rate]
    lines = _table("features", values, task, task.feedback(FrameTask.usual))
    for table in ("chain", "targets", "near"):
        quoted = {json.dumps(key): each for key, each in getattr(task, table).items()}
        lines.append(f"{table} = {_inline(quoted)}")
    return "\n".join(lines) + "\n"


def _task_text(task: FrameTask) -> str:
    values = {"name": task.name, "frame": task.frame, "axes": task.axes, "point": list(task.point)}
    lines = _table("task", values | {"compliance": task.compliance}, task, task.feedback())
    for name in ("when", "until"):
        guards = getattr(task, name)
        if guards:
            lines.append(f"{name} = [{', '.join(_inline(_given(guard)) for guard in guards)}]")
    lines.append("[task.goals]")
    for axis, goal in task.goals.items():
        others = {key: value for key, value in _given(goal).items() if key not in ("mode", "target")}
        lines.append(f"{axis} = {_inline({goal.mode: goal.target} | others)}")
    return "\n".join(lines) + "\n"


def _table(kind: str, values: Mapping[str, Any], task: Written, gains: Gains) -> list[str]:
    """Lines of an entry: its values, and what all kinds have."""
    if getattr(task, "outside", None) is not None:
        raise InvalidInput(
            f"{task.label}: a text cannot say where a frame outside the robot is; give it to solve_tasks instead"
        )
    stiffness, damping = (
        list(gain) if isinstance(gain, tuple) else gain for gain in (gains.stiffness, gains.damping)
    )
    shared = {"priority": int(task.priority), "stiffness": stiffness, "damping": damping}
    return [f"[[{kind}]]", *(f"{name} = {_written(value)}" for name, value in {**values, **shared}.items())]


def _boundary_text(task: Boundary) -> str:
    point = FramePoint(task.point) if isinstance(task.point, str) else task.point
    if not isinstance(point, FramePoint):
        raise InvalidInput(f"{task.label} is about {point!r}; in a text it is about points of frames")
    values = {
        "name": task.name,
        "frame": point.frame,
        "point": list(point.offset),
        "start": task.start.tolist(),
        "normal": task.normal.tolist(),
        "most_force": task.most_force,
    }
    return "\n".join(_table("boundary", values, task, task.feedback())) + "\n"


def _given(value: Guard | AxisGoal) -> dict[str, Any]:
    """Fields that differ from their defaults."""
    return {
        each.name: getattr(value, each.name)
        for each in fields(value)
        if getattr(value, each.name) != each.default
    }


def _inline(options: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{name} = {_written(value)}" for name, value in options.items()) + " }"


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)
