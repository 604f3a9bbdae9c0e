"""Arguments that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall.robot.model import Robot
    from footfall.viewer.show import Subject

RobotArgument = Annotated[
    str, typer.Argument(help="Name of a robot, or a .urdf, .xacro, .sdf, .xml (MJCF) or .toml file.")
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


@dataclass(frozen=True)
class SubjectOptions:
    """How what is shown is read."""

    configuration: Annotated[
        str | None, typer.Option(help="Named configuration of a robot; default: its first one.")
    ] = None
    floating_base: FloatingBaseOption = None
    package_dir: PackageDirOption = None

    def load(self, source: str) -> Subject:
        """A recording, an environment, a robot or a scene."""
        from footfall.viewer.show import load_subject

        return load_subject(source, floating_base=self.floating_base, package_dirs=self.package_dir or ())


@dataclass(frozen=True)
class RobotReading:
    """How a robot's file is read."""

    floating_base: FloatingBaseOption = None
    lenient: LenientOption = False
    package_dir: PackageDirOption = None
    srdf: SrdfOption = None

    def load(self, source: str) -> Robot:
        """A shipped robot or that of a file."""
        from footfall.robot.load import load

        return load(
            source,
            floating_base=self.floating_base,
            strict=not self.lenient,
            package_dirs=self.package_dir or (),
            srdf=True if self.srdf is None else self.srdf,
        )
