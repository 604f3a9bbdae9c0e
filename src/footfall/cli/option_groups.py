"""Options of commands in groups: a command takes records, Typer sees every option."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer reads it: parameters that are dataclasses are replaced by their fields, each an option."""
    own = signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {each.name: each.annotation for each in own if is_dataclass(each.annotation)}
    options = {name: _options(kind) for name, kind in groups.items()}
    seen = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own if each.name not in groups]
    seen += [option for several in options.values() for option in several]

    @wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: kind(**{option.name: given.pop(option.name) for option in options[name]})
            for name, kind in groups.items()
        }
        command(**given, **made)

    run.__signature__ = Signature(seen)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in seen}
    return run


def _options(kind: Any) -> list[Parameter]:
    """The fields of a dataclass as parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]
