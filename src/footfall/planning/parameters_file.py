"""Parameters of the planner in TOML: read with checks, written with their meaning beside them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from footfall.errors import InvalidInput, RobotError
from footfall.planning.parameters import PlannerParameters
from footfall.robot.toml_parts import read_schema
from footfall.robot.toml_text import toml_key, toml_value
from footfall.whole_file import written_whole

_LARGEST_FILE = 2**20  # bytes


def read_planner_parameters(path: Path | str) -> PlannerParameters:
    """Parameters from a TOML file; what it leaves out has its default. Unknown names and numbers out of range are
    refused."""
    try:
        return read_schema(Path(path), PlannerParameters, limit=_LARGEST_FILE)
    except RobotError as error:
        raise InvalidInput(str(error)) from None


def write_planner_parameters(parameters: PlannerParameters, path: Path | str) -> None:
    """Write all parameters as TOML, each table with a comment that says what its numbers mean."""
    with written_whole(Path(path)) as file:
        file.write(planner_parameters_text(parameters).encode())


def planner_parameters_text(parameters: PlannerParameters) -> str:
    """All parameters as TOML with comments. Units stand in the names: m, deg, s, N; `per_m` is a cost for a metre."""
    parts = []
    for name in parameters.__struct_fields__:
        table = getattr(parameters, name)
        meaning = textwrap.fill(" ".join((type(table).__doc__ or "").split()), 100)
        comment = textwrap.indent(meaning, "# ")
        values = msgspec.to_builtins(table)
        numbers = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
        tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
        parts.append(f"{comment}\n[{name}]\n{_fields(numbers)}")
        for key, table_of_tables in tables.items():
            parts += [
                f"[{name}.{key}.{toml_key(entry)}]\n{_fields(fields)}"
                for entry, fields in table_of_tables.items()
            ]
    return "\n".join(parts)


def _fields(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_value(value)}\n" for name, value in values.items())


def _value(value: Any) -> str:
    """Whole numbers stay whole: readers tell counts from lengths."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else toml_value(value)
