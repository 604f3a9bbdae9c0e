"""Arguments that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

RobotArgument = Annotated[
    str, typer.Argument(help="Name of a shipped robot, or a .urdf, .xml or .toml file.")
]
FloatingBaseOption = Annotated[
    bool | None,
    typer.Option("--floating-base/--fixed-base", help="Set the root free, or fix it to the world."),
]
LenientOption = Annotated[bool, typer.Option("--lenient", help="Take impossible inertias with a warning.")]
