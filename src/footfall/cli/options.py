"""Arguments that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RobotArgument = Annotated[
    str, typer.Argument(help="Name of a shipped robot, or a .urdf, .xml or .toml file.")
]
FloatingBaseOption = Annotated[
    bool | None,
    typer.Option("--floating-base/--fixed-base", help="Set the root free, or fix it to the world."),
]
PackageDirOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-dir",
        help="Where package:// paths of meshes are looked for first; repeat it. ROS_PACKAGE_PATH counts too.",
    ),
]
LenientOption = Annotated[bool, typer.Option("--lenient", help="Take impossible inertias with a warning.")]
SrdfOption = Annotated[
    Path | None,
    typer.Option(
        "--srdf",
        help="Groups, named configurations and pairs that never touch; default: a file that lies beside a URDF.",
    ),
]
