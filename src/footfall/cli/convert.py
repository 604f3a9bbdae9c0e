"""`footfall convert`: from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.option_groups import grouped
from footfall.cli.options import RobotArgument, RobotReading
from footfall.cli.screen import screen
from footfall.robot.load import save


@grouped
def convert(
    source: RobotArgument,
    target: Annotated[Path, typer.Argument(help="File to write: .urdf, .xml (MJCF) or .toml.")],
    *,
    reading: RobotReading,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Write a robot in another format.

    [dim]$[/] footfall convert lola lola.urdf

    [dim]$[/] footfall convert my_robot.urdf my_robot.toml --floating-base
    """
    robot = reading.load(source)
    save(robot, new_file(target, force=force))
    screen().print(f"{robot!r}\nwritten to {target}", highlight=False, markup=False)
