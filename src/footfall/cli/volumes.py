"""`footfall volumes`: swept-sphere volumes of a robot, fitted, reported, exported, and modelled in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.options import FloatingBaseOption, PackageDirOption, RobotArgument
from footfall.cli.screen import progress, screen, table
from footfall.cli.view import until_interrupted

if TYPE_CHECKING:
    from footfall.robot.model import Robot


def volumes(
    robot: RobotArgument,
    fit: Annotated[bool, typer.Option("--fit", help="Fit a volume to every body first.")] = False,
    most: Annotated[int, typer.Option(min=1, max=64, help="Elements a body, at most.")] = 8,
    visuals: Annotated[bool, typer.Option("--visuals", help="Hold what is seen, too.")] = False,
    volume_file: Annotated[
        Path | None, typer.Option("--volumes", help="Begin with the volumes of this file.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File that volumes are saved to: .toml.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Also write them as balls (.yml) or the robot with capsules (.xml, .urdf, .toml)."),
    ] = None,
    edit: Annotated[
        bool | None,
        typer.Option("--edit/--no-edit", help="Open the tool; by default unless --fit or --export is given."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines use it.")
    ] = "localhost",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8080,
    floating_base: FloatingBaseOption = None,
    package_dir: PackageDirOption = None,
) -> None:
    """Model the volumes of a robot in the browser, or fit them.

    [dim]$[/] footfall volumes lola

    [dim]$[/] footfall volumes go2.urdf --fit --output go2-volumes.toml

    [dim]$[/] footfall volumes panda.urdf --fit --export panda-spheres.yml
    """
    from footfall.robot.load import load
    from footfall.robot.volume_file import load_volumes, save_volumes

    model = load(robot, floating_base=floating_base, strict=False, package_dirs=package_dir or ())
    if volume_file is not None:
        model = load_volumes(model, volume_file)
    opens = edit if edit is not None else not fit and export is None
    if fit:
        model = _fitted(model, most=most, visuals=visuals)
    if fit or not opens:
        _report(model, visuals=visuals)
    if output is not None and not opens:
        save_volumes(model, output)
        screen().print(f"written: {output}", markup=False)
    if export is not None:
        from footfall.robot.volume_export import export_volumes

        export_volumes(model, export)
        screen().print(f"written: {export}", markup=False)
    if opens:
        from footfall.viewer.volume_tool import VolumeTool

        target = output or Path(f"{model.name}-volumes.toml")
        with (
            until_interrupted() as wait,
            VolumeTool(model, target, visuals=visuals, host=host, port=port) as tool,
        ):
            text = f"open {tool.address} in a browser; Save writes {target}; Ctrl-C ends"
            screen().print(text, highlight=False, markup=False)
            wait()


def _fitted(model: Robot, *, most: int, visuals: bool) -> Robot:
    from footfall.dynamics.fitted_volumes import fit_volumes

    with progress("fitting", len(model.bodies)) as tell:
        return fit_volumes(model, most=most, visuals=visuals, progress=tell)


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
