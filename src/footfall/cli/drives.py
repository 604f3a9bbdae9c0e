"""`footfall drives`: what a robot's drives can give, and a leg that moves on them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from footfall.cli.files import output_folder
from footfall.cli.help_pages import Commands
from footfall.cli.options import RobotArgument
from footfall.cli.screen import errors, screen, table

app = Commands(help="Drives: torques that they can give, and motion through them.", no_args_is_help=True)


@app.command("torques")
def torques(
    robot: RobotArgument = "lola",
    configuration: Annotated[str, typer.Option(help="Named configuration.")] = "idle",
    hands: Annotated[str, typer.Option(help="Frames that are loaded, separated by commas.")] = "RH,LH",
    feet: Annotated[
        str, typer.Option(help="Frames that bear a floating robot, separated by commas.")
    ] = "RF,LF",
    force: Annotated[float, typer.Option(min=0.0, help="N on each hand along each axis at once.")] = 100.0,
    parts: Annotated[
        bool, typer.Option("--parts", help="Also what each joint transmits in all directions.")
    ] = False,
) -> None:
    """Compare what the drives must hold with what they can give: permanent, peak, and what people do.

    [dim]$[/] footfall drives torques lola

    [dim]$[/] footfall drives torques lola --feet RF --force 50
    """
    from footfall.dynamics.inverse_dynamics import gravity_forces
    from footfall.dynamics.jacobians import frame_jacobian
    from footfall.errors import RobotError
    from footfall.robot.drives.drive_set import DriveSet
    from footfall.robot.drives.torque_report import torque_report
    from footfall.robot.load import load

    shown = load(robot)
    if not shown.drives:
        raise RobotError(
            "it has no drives; lola has, and robots of TOML files can", subject=("robot", shown.name)
        )
    q = shown.configuration(configuration)
    loaded, bearing = (
        {name: frame_jacobian(shown, q, name) for name in names.split(",") if name} for names in (hands, feet)
    )
    report = torque_report(
        DriveSet(shown, shown.drives),
        q,
        gravity_forces(shown, q),
        loaded,
        support_jacobians=bearing,
        force=force,
    )
    rows = [
        [
            row.joint,
            *(f"{value:.1f}" for value in (row.weight, row.hands, row.load, row.permanent, row.peak)),
            f"{row.motor_share:.2f}",
            "yes" if row.lasts else "no",
            "" if np.isnan(row.human) else f"{row.human:.0f}",
        ]
        for row in report
    ]
    columns = ["joint", "weight", "hands", "load", "permanent", "peak", "motor share", "lasts", "human"]
    title = f"Torques of {shown.name}, N m, {force:g} N on each hand along each axis"
    console = screen()
    console.print(table(title, columns, rows, numbers="; ".join(columns[1:])))
    if parts:
        from footfall.scenarios.load_case import interface_loads

        loads = interface_loads(shown, q, hands=list(loaded), feet=list(bearing), force=force)
        rows = [[load.joint, load.body, f"{load.force:.0f}", f"{load.moment:.1f}"] for load in loads]
        columns = ["joint", "body", "force, N", "moment, N m"]
        console.print(table("Greatest loads between parts", columns, rows, numbers="; ".join(columns[2:])))


@app.command("leg")
def leg(
    folder: Annotated[Path | None, typer.Argument(help="Folder for the pictures; none without it.")] = None,
    length: Annotated[float, typer.Option(min=0.0, help="Of the step, m.")] = 0.4,
    height: Annotated[float, typer.Option(min=0.0, help="Of the foot, m.")] = 0.08,
    duration: Annotated[float, typer.Option(min=0.1, help="Of the step, s.")] = 0.8,
    modes: Annotated[bool, typer.Option(help="Also ring the elastic gears.")] = True,
) -> None:
    """Let LOLA's leg make a step on rigid and on elastic drives: tracking, currents, resonances.

    [dim]$[/] footfall drives leg pictures
    """
    from footfall.scenarios import driven_leg
    from footfall.scenarios.pyplot import load_pyplot

    if folder is not None:
        load_pyplot()  # rather fail now than after the run
        output_folder(folder)
    robot = driven_leg.lola_leg()
    reference = driven_leg.step_reference(robot, length=length, height=height, duration=duration)
    console = screen()
    with errors().status("") as status:
        results = []
        for gears in ("rigid", "elastic"):
            status.update(f"a step on {gears} gears")
            results.append(driven_leg.follow_step(robot, reference, gears))
        status.update("the gears ring")
        found = driven_leg.ring_modes(robot, reference.position(duration / 2)) if modes else []
    for result in results:
        columns = zip(
            driven_leg.LEG_JOINTS, result.joint_error, result.peak_current, result.thermal_load, strict=True
        )
        rows = [
            [joint, f"{np.degrees(error):.3f}", f"{peak:.2f}", f"{load:.3f}"]
            for joint, error, peak, load in columns
        ]
        title = f"{result.gears} gears: foot within {1e3 * result.foot_error.max():.2f} mm"
        heads = ["joint", "greatest error, deg", "peak current, A", "of the permanent current"]
        console.print(table(title, heads, rows, numbers="; ".join(heads[1:])))
    if found:
        rows = [
            [f"{mode.frequency:.2f}", f"{mode.damping:.3f}", f"{mode.peak:.2f}", f"{100 * mode.error:+.2f}"]
            for mode in found
        ]
        heads = ["eigenvalue, Hz", "damping ratio", "peak of the simulation, Hz", "difference, %"]
        console.print(table("Modes of the elastic gears", heads, rows, numbers="; ".join(heads)))
    if folder is not None:
        driven_leg.plot_step(results, folder / "leg-step.png")
        if found:
            driven_leg.plot_modes(found, folder / "leg-modes.png")
        errors().print(f"written to {folder}")
