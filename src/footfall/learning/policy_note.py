"""What a policy must be told: robot, joints, gains, period, and what it sees, part by part; as its file or a TOML file
beside it says."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import InvalidInput, MissingFile, UnknownName
from footfall.learning import terms as library
from footfall.learning.task import LearningTask, as_term
from footfall.learning.task_file import term_names
from footfall.whole_file import is_file

_MOST_BYTES = 1_000_000  # bytes of a file


class SeenPart(NamedTuple):
    """A part of an observation. size: 0 where nobody said it. term: a function of `footfall.learning.terms`, None if it
    is one of the user's own. options: of this function."""

    name: str
    size: int
    term: str | None
    options: Mapping[str, Any]

    @property
    def function(self) -> Callable[..., Any]:
        """That gives it."""
        if self.term is None:
            raise InvalidInput(
                f"observation {self.name!r} is a function of the task's own, which no file holds; "
                "give the task: Observer(policy.note, task=...)"
            )
        if self.term not in term_names():
            raise UnknownName("term", self.term, term_names(), f"the observation {self.name!r}")
        function: Callable[..., Any] = getattr(library, self.term)
        return function


class PolicyNote(NamedTuple):
    """What a policy was trained for. robot: name or file. joints: names in the order of actions. default: their
    positions, rad. kp, kd: N m/rad, N m s/rad. action_scale: rad for an action of one, of each joint. action_limit: at
    which actions are cut. period, dt: of control and of a step of the physics, s. observations: parts in order. speeds:
    m/s ahead and to a side and rad/s that it has learned to follow. scan (n, 2): points whose heights are seen, m.
    others: positions of joints that it does not move, rad, by name or by a part of it."""

    robot: str
    joints: tuple[str, ...]
    default: tuple[float, ...]
    kp: tuple[float, ...]
    kd: tuple[float, ...]
    action_scale: tuple[float, ...]
    action_limit: float
    period: float
    observations: tuple[SeenPart, ...]
    dt: float = 0.005
    speeds: tuple[float, float, float] = (1.0, 0.5, 1.0)
    scan: tuple[tuple[float, float], ...] = ()
    others: Mapping[str, float] = {}

    @property
    def parts(self) -> dict[str, int]:
        """Sizes of the parts of an observation, by name."""
        return {part.name: part.size for part in self.observations}


def note_of(task: LearningTask) -> PolicyNote:
    """What a policy for a task must know."""
    from footfall.learning.compiled import CompiledTask

    robot, (kp, kd) = task.model, task.gains
    names = {
        velocity: name for name in robot.joint_names for velocity in range(robot.nv)[robot.v_slice(name)]
    }
    places, moved = task.joints, task.moved
    joints = tuple(names[velocity] for _, velocity in places)
    others = {names[velocity]: float(task.default[coordinate]) for coordinate, velocity in task.step.joints}
    sizes = CompiledTask(task).sizes
    command = as_term("command", task.command).options
    scan = [] if task.scan is None else np.asarray(task.scan, dtype=np.float64).tolist()
    return PolicyNote(
        task.robot if isinstance(task.robot, str) else robot.name,
        joints,
        tuple(float(task.default[coordinate]) for coordinate, _ in places),
        tuple(kp[moved].tolist()),
        tuple(kd[moved].tolist()),
        tuple(task.scales.tolist()),
        float(task.action_limit),
        task.dt * task.substeps,
        tuple(_part(name, as_term(name, term), sizes[name]) for name, term in task.observations.items()),
        float(task.dt),
        tuple(float(command.get(name, usual)) for name, usual in _SPEEDS.items()),  # type: ignore[arg-type]
        tuple((x, y) for x, y in scan),
        {name: value for name, value in others.items() if name not in joints},
    )


_SPEEDS = {"forwards": 1.0, "sideways": 0.5, "turning": 1.0}  # defaults of `terms.twist`


def note_text(note: PolicyNote) -> str:
    """As JSON, for the file of a policy."""
    table = note._asdict()
    table["observations"] = [part._asdict() for part in note.observations]
    return json.dumps(table)


def note_from_json(text: str, source: str) -> PolicyNote:
    """Of the file of a policy; source: its name, for messages."""
    try:
        table = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{source} has a note of footfall that cannot be read: {error}") from error
    return _checked(table, source)


def read_policy_note(path: str | Path) -> PolicyNote:
    """Of a policy that was trained elsewhere, from a TOML file. docs/learning.md has its keys."""
    path = Path(path)
    if not is_file(path):
        raise MissingFile(f"{str(path)!r} is not there; it must say what the policy sees and moves, as TOML")
    if path.stat().st_size > _MOST_BYTES:
        raise InvalidInput(f"{str(path)!r} has {path.stat().st_size} bytes; at most {_MOST_BYTES} are read")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{str(path)!r} is no TOML file: {error}") from error
    note = _checked(table, repr(str(path)))
    beside = path.parent / note.robot
    return note._replace(robot=str(beside)) if is_file(beside) else note


def _part(name: str, term: Any, size: int) -> SeenPart:
    ours = getattr(library, term.function.__name__, None) is term.function
    options = {key: np.asarray(value).tolist() for key, value in term.options.items()}
    return SeenPart(name, size, term.function.__name__ if ours else None, options)


# Input that somebody else wrote

_NEEDED = ("robot", "joints", "default", "kp", "kd", "action_scale", "period", "observations")


def _checked(table: Any, source: str) -> PolicyNote:
    if not isinstance(table, dict):
        raise InvalidInput(f"{source} has a note that is {type(table).__name__}; it must be a table")
    for name in table:
        if name not in PolicyNote._fields:
            raise UnknownName("key", str(name), PolicyNote._fields, source)
    missing = [name for name in _NEEDED if name not in table]
    if missing:
        raise InvalidInput(f"{source} does not say {', '.join(missing)}; it must have: {', '.join(_NEEDED)}")
    joints = _names("joints", table["joints"], source)
    each = {
        name: _numbers(name, table[name], source, len(joints), least=None if name == "default" else 0.0)
        for name in ("default", "kp", "kd", "action_scale")
    }
    scalars = {"action_limit": 1e3, "dt": 0.005, **{name: table[name] for name in _SCALARS if name in table}}
    for name, value in scalars.items():
        if not _is_number(value) or not 0.0 < value < np.inf:
            raise InvalidInput(f"{name} of {source} is {value!r}; it must be above zero and finite")
    if not isinstance(table["robot"], str):
        raise InvalidInput(f"robot of {source} is {table['robot']!r}; it must be a name or a file")
    scan = table.get("scan", [])
    if not isinstance(scan, list) or len(scan) > 10_000:
        raise InvalidInput(f"scan of {source} must be at most 10,000 points [x, y], m")
    others = table.get("others", {})
    if not isinstance(others, dict) or not all(_is_number(value) for value in others.values()):
        raise InvalidInput(f"others of {source} is {others!r}; it must be positions by joint, rad")
    ahead, side, turn = _numbers("speeds", table.get("speeds", [1.0, 0.5, 1.0]), source, 3, least=0.0)
    return PolicyNote(
        table["robot"], joints, each["default"], each["kp"], each["kd"], each["action_scale"],
        **{name: float(value) for name, value in scalars.items()},
        observations=tuple(_seen(value, source) for value in _list("observations", table, source)),
        speeds=(ahead, side, turn),
        scan=tuple((x, y) for x, y in (_numbers("scan", point, source, 2) for point in scan)),
        others={str(name): float(value) for name, value in others.items()},
    )  # fmt: skip


_SCALARS = ("action_limit", "period", "dt")


def _list(name: str, table: Mapping[str, Any], source: str) -> list[Any]:
    value = table[name]
    if not isinstance(value, list) or not value:
        raise InvalidInput(f"{name} of {source} is {value!r}; it must be a list of parts, in their order")
    return value


def _seen(value: Any, source: str) -> SeenPart:
    if isinstance(value, list) and len(value) == 2:  # notes of the first version: name and size
        value = {"name": value[0], "size": value[1]}
    if isinstance(value, str):
        value = {"term": value}
    name = value.get("name", value.get("term")) if isinstance(value, dict) else None
    if not isinstance(name, str):
        raise InvalidInput(f"observation {value!r} of {source} must be a name, or a table with a term")
    extra = {key: each for key, each in value.items() if key not in ("name", "size", "term", "options")}
    options = {**value.get("options", {}), **extra} if isinstance(value.get("options", {}), dict) else None
    size = value.get("size", 0)
    if options is None or not isinstance(size, int) or size < 0:
        raise InvalidInput(f"observation {name!r} of {source} has a size or options that are none")
    for key, given in options.items():
        if not _is_number(given) and not (isinstance(given, list) and all(_is_number(one) for one in given)):
            raise InvalidInput(
                f"option {key!r} of observation {name!r} of {source} is {given!r}; it must be numbers"
            )
    term = value.get("term", name)
    return SeenPart(name, size, term if term is None else str(term), options)


def _names(name: str, value: Any, source: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise InvalidInput(f"{name} of {source} is {value!r}; it must be names of joints, in their order")
    if len(set(value)) != len(value):
        raise InvalidInput(f"{name} of {source} names a joint twice")
    return tuple(value)


def _numbers(
    name: str, value: Any, source: str, count: int, *, least: float | None = None
) -> tuple[float, ...]:
    values: Sequence[Any] = [value] * count if _is_number(value) else value
    if not isinstance(values, list) or len(values) != count or not all(_is_number(each) for each in values):
        raise InvalidInput(f"{name} of {source} is {value!r}; it must be {count} finite numbers")
    if least is not None and min(values) < least:
        raise InvalidInput(f"{name} of {source} is {value!r}; it must be at least {least:g}")
    return tuple(float(each) for each in values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
