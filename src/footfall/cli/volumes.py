"""`footfall volumes`: swept-sphere volumes of a robot, fitted, reported, exported, and modelled in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.option_groups import grouped
from footfall.cli.options import FloatingBaseOption, PackageDirOption, RobotArgument
from footfall.cli.screen import progress, screen, table
from footfall.cli.view import ServerOptions, until_interrupted

if TYPE_CHECKING:
    from footfall.robot.model import Robot


@dataclass(frozen=True)
class Fit:
    """How volumes are fitted."""

    fit: Annotated[bool, typer.Option("--fit", help="Fit a volume to every body first.")] = False
    most: Annotated[int, typer.Option(min=1, max=64, help="Elements a body, at most.")] = 8
    visuals: Annotated[bool, typer.Option("--visuals", help="Hold what is seen, too.")] = False


@dataclass(frozen=True)
class Files:
    """What is read and written."""

    volumes: Annotated[Path | None, typer.Option(help="Begin with the volumes of this file.")] = None
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File that volumes are saved to: .toml.")
    ] = None
    export: Annotated[
        Path | None,
        typer.Option(help="Also write them as balls (.yml) or the robot with capsules (.xml, .urdf, .toml)."),
    ] = None
    floating_base: FloatingBaseOption = None
    package_dir: PackageDirOption = None

    def load(self, source: str) -> Robot:
        """The robot, with the volumes of the file if one is given."""
        from footfall.robot.load import load
        from footfall.robot.volume_schema import load_volumes

        model = load(
            source, floating_base=self.floating_base, strict=False, package_dirs=self.package_dir or ()
        )
        return model if self.volumes is None else load_volumes(model, self.volumes)

    def write(self, model: Robot, *, save: bool) -> None:
        """Export the volumes, and save them if they will not change any more."""
        from footfall.robot.volume_export import export_volumes
        from footfall.robot.volume_schema import save_volumes

        for path, written in ((self.output if save else None, save_volumes), (self.export, export_volumes)):
            if path is not None:
                written(model, path)
                screen().print(f"written: {path}", markup=False)


@grouped
def volumes(
    robot: RobotArgument,
    *,
    fitting: Fit,
    files: Files,
    edit: Annotated[
        bool | None,
        typer.Option("--edit/--no-edit", help="Open the tool; by default unless --fit or --export is given."),
    ] = None,
    server: ServerOptions,
) -> None:
    """Model the volumes of a robot in the browser, or fit them.

    [dim]$[/] footfall volumes lola

    [dim]$[/] footfall volumes go2.urdf --fit --output go2-volumes.toml

    [dim]$[/] footfall volumes panda.urdf --fit --export panda-spheres.yml
    """
    model = files.load(robot)
    opens = edit if edit is not None else not fitting.fit and files.export is None
    if fitting.fit:
        model = _fitted(model, fitting)
    if fitting.fit or not opens:
        _report(model, visuals=fitting.visuals)
    files.write(model, save=not opens)
    if opens:
        _edit(model, files.output or Path(f"{model.name}-volumes.toml"), fitting, server)


def _edit(model: Robot, target: Path, fitting: Fit, server: ServerOptions) -> None:
    """Open the tool, until Ctrl-C."""
    from footfall.viewer.volume_tool import VolumeTool

    tool = VolumeTool(
        model, target, visuals=fitting.visuals, host=server.host, port=server.port, token=server.token
    )
    with until_interrupted() as wait, tool:
        text = f"open {tool.address} in a browser; Save writes {target}; Ctrl-C ends"
        screen().print(text, highlight=False, markup=False)
        wait()


def _fitted(model: Robot, fitting: Fit) -> Robot:
    from footfall.dynamics.fitted_volumes import fit_volumes

    with progress("fitting", len(model.bodies)) as tell:
        return fit_volumes(model, most=fitting.most, visuals=fitting.visuals, progress=tell)


def _report(model: Robot, *, visuals: bool) -> None:
    from footfall.robot.volume_fitting import volume_coverage

    counts: dict[str, int] = {}
    for volume in model.volumes:
        counts[volume.body] = counts.get(volume.body, 0) + len(volume.shape)
    rows = [
        (
            body,
            str(counts[body]),
            f"{max(found.protrusion, 0.0) * 1e3:.2f}",
            f"{found.volume * 1e3:.3f}",
            f"{found.excess:+.0%}",
        )
        for body, found in volume_coverage(model, visuals=visuals).items()
    ]
    columns = ("body", "elements", "sticks out, mm", "litres", "over the hull")
    screen().print(
        table(f"Volumes of {model.name}", columns, rows, numbers="elements; sticks out, mm; litres")
    )
    screen().print(f"{len(model.volume_pairs)} pairs can meet", highlight=False)
