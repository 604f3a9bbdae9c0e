"""Rows of studies that take hours, saved one by one: a study that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar


class Row(Protocol):
    """A named tuple that says which seed it is of."""

    seed: int

    def _asdict(self) -> dict[str, Any]: ...


Kind = TypeVar("Kind", bound=Row)
Robot = TypeVar("Robot")


def studied(
    kind: Callable[..., Kind],
    study: Callable[[Robot, range], Iterator[Kind]],
    robot: Robot,
    seeds: range,
    path: Path | None,
) -> list[Kind]:
    """Rows of a study of all seeds; those that a file (one JSON object a line) has already are taken from there."""
    name = kind.__name__
    known = {} if path is None or not path.exists() else _read(path, name)
    rows = [kind(**{field: _frozen(value) for field, value in each.items()}) for each in known.values()]
    for seed in seeds:
        if seed not in known:
            (row,) = study(robot, range(seed, seed + 1))
            rows.append(row)
            if path is not None:
                with path.open("a") as file:
                    file.write(json.dumps({"kind": name, "row": row._asdict()}) + "\n")
    return sorted((row for row in rows if row.seed in seeds), key=lambda row: row.seed)


def _read(path: Path, name: str) -> dict[int, dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {each["row"]["seed"]: each["row"] for each in lines if each["kind"] == name}


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
