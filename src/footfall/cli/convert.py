"""`footfall convert`: from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.options import FloatingBaseOption, LenientOption, PackageDirOption, RobotArgument
from footfall.cli.screen import screen
from footfall.robot.load import load, save


def convert(
    source: RobotArgument,
    target: Annotated[Path, typer.Argument(help="File to write: .urdf, .xml (MJCF) or .toml.")],
    floating_base: FloatingBaseOption = None,
    lenient: LenientOption = False,
    package_dir: PackageDirOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
) -> None:
    """Write a robot in another format.

    [dim]$[/] footfall convert lola lola.urdf

    [dim]$[/] footfall convert my_robot.urdf my_robot.toml --floating-base
    """
    robot = load(source, floating_base=floating_base, strict=not lenient, package_dirs=package_dir or ())
    save(robot, new_file(target, force=force))
    screen().print(f"{robot!r}\nwritten to {target}", highlight=False, markup=False)
