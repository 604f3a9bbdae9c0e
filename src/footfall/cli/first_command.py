"""Groups of commands of which one needs no name."""

from __future__ import annotations

from typing import Any

from footfall.cli.help_pages import Group


def first_command(name: str) -> type[Group]:
    """A group in which what is no command's name is an argument of this one: `footfall study FILE` is
    `footfall study run FILE`."""

    class FirstCommand(Group):
        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args and args[0] not in self.commands:
                args = [name, *args]
            return super().resolve_command(ctx, args)

    return FirstCommand
