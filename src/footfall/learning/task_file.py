"""Tasks from TOML files: a robot, numbers, and terms of our own by their names; nothing in a file is executed."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path
from typing import Any

from footfall.errors import InvalidInput, MissingFile, UnknownName
from footfall.learning import terms as library
from footfall.learning.task import LearningTask, Term
from footfall.learning.velocity_tasks import biped_velocity, quadruped_velocity

_MOST_BYTES = 1_000_000  # bytes of a file
_KINDS = {"quadruped": quadruped_velocity, "biped": biped_velocity}
_TERMS = ("observations", "critic", "rewards", "terminations", "resets")
_SINGLE = ("command", "kick", "curriculum")
_NUMBERS = ("dt", "seconds", "action_scale", "action_limit")
_KNOWN = (
    "kind", "robot", "posture", "feet", "exact", "substeps", "kp", "kd", "redraw", "kick_every",
    *_TERMS, *_SINGLE, *_NUMBERS,
)  # fmt: skip


def term_names() -> list[str]:
    """Terms that a file may name."""
    return [
        name for name, value in vars(library).items()
        if inspect.isfunction(value) and value.__module__ == library.__name__ and name != "square"
    ]  # fmt: skip


def read_task(path: str | Path) -> LearningTask:
    """A task from a file.

    `kind` is "quadruped" or "biped", whose terms are changed by the tables; `robot` a name or a file beside this one.
    A term has a `weight`, `noise`, `function` (by default the term's own name) and options; `false` leaves it out.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MissingFile(f"task {str(path)!r} cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise InvalidInput(f"task {str(path)!r} has {len(content)} bytes; at most {_MOST_BYTES} are read")
    try:
        table = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"task {str(path)!r} is no TOML: {error}") from error
    for key in table:
        if key not in _KNOWN:
            raise UnknownName("key", key, _KNOWN, f"task {str(path)!r}")
    kind, robot = table.pop("kind", "quadruped"), table.pop("robot", None)
    if kind not in _KINDS:
        raise UnknownName("kind", str(kind), _KINDS, f"task {str(path)!r}")
    if not isinstance(robot, str):
        raise InvalidInput(f"task {str(path)!r} has robot = {robot!r}; it must be a name or a file")
    beside = path.parent / robot
    robot = str(beside) if beside.is_file() else robot
    base = _KINDS[kind](robot)
    changes: dict[str, Any] = {}
    for name, value in table.items():
        if name in _TERMS:
            changes[name] = _changed(name, dict(getattr(base, name) or {}), value)
        elif name in _SINGLE:
            usual = getattr(base, name) or Term(
                getattr(library, {"curriculum": "walked_far"}.get(name, name))
            )
            changes[name] = None if value is False else _term(name, name, value, usual)
        elif name in ("redraw", "kick_every"):
            changes[name] = _pair(name, value)
        else:
            changes[name] = value
    return _KINDS[kind](robot, **changes)


def _changed(kind: str, terms: dict[str, Any], table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise InvalidInput(f"{kind} is {table!r}; it must be a table of terms")
    for name, value in table.items():
        if value is False:
            if name not in terms:
                raise UnknownName("term", name, terms, kind)
            del terms[name]
        else:
            terms[name] = _term(kind, name, value, terms.get(name))
    return terms


def _term(kind: str, name: str, value: Any, usual: Term | None) -> Term:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = {"weight": float(value)}
    if not isinstance(value, dict):
        raise InvalidInput(f"term {name!r} of {kind} is {value!r}; it must be a weight, a table, or false")
    options = dict(value)
    function = options.pop("function", None)
    weight, noise = options.pop("weight", None), options.pop("noise", None)
    if function is None and usual is not None:
        made, options = usual.function, {**usual.options, **options}
    else:
        function = name if function is None else function
        if function not in term_names():
            raise UnknownName("term", str(function), term_names(), kind)
        made = getattr(library, function)
    weight = (usual.weight if usual else 1.0) if weight is None else weight
    noise = (usual.noise if usual else 0.0) if noise is None else noise
    return Term(made, weight, noise, options)


def _pair(name: str, value: Any) -> tuple[float, float]:
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not all(isinstance(each, int | float) for each in value)
    ):
        raise InvalidInput(f"{name} is {value!r}; it must be two times, [least, most], s")
    return float(value[0]), float(value[1])
