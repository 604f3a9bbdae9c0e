"""Commands whose `--help` has no word for what needs none: an option that is given or not takes no `<bool>`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


def _without_kinds(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if getattr(each, "is_flag", False) and each.metavar is None:
            each.metavar = ""
    return parameters


class Command(TyperCommand):
    """A command."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_kinds(super().get_params(ctx))


class Group(TyperGroup):
    """Several commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_kinds(super().get_params(ctx))


class Commands(typer.Typer):
    """Commands of footfall, as `typer.Typer`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": Group, **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        return super().command(name, **{"cls": Command, **options})
