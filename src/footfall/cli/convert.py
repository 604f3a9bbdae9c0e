"""`footfall convert`: from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.option_groups import grouped
from footfall.cli.options import RobotArgument, RobotReading
from footfall.cli.screen import screen
from footfall.robot.mesh_files import Meshes
from footfall.robot.save import save


@grouped
def convert(
    source: RobotArgument,
    target: Annotated[Path, typer.Argument(help="File to write: .urdf, .xml (MJCF) or .toml.")],
    *,
    reading: RobotReading,
    meshes: Annotated[
        Meshes,
        typer.Option(
            help="Copy mesh files into a folder beside the target, refer to them where they are, or leave them out."
        ),
    ] = Meshes.COPY,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Write a robot in another format, with its meshes; a warning lists what the format has no word for.

    [dim]$[/] footfall convert lola lola.urdf

    [dim]$[/] footfall convert my_robot.urdf my_robot.toml --floating-base
    """
    robot = reading.load(source)
    new_file(target, force=force)
    if target.suffix.lower() == ".urdf" and (robot.groups or robot.configurations or robot.apart):
        new_file(target.with_suffix(".srdf"), force=force)
    save(robot, target, meshes=meshes)
    screen().print(f"{robot!r}\nwritten to {target}", highlight=False, markup=False)
