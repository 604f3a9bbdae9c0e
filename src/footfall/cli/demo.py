"""`footfall demo`: what footfall does, in half a minute."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from footfall.cli import demo_dynamics
from footfall.cli.help_pages import Commands
from footfall.cli.quadruped import run_and_write
from footfall.cli.screen import program, screen

app = Commands()
app.command("dynamics")(demo_dynamics.dynamics)


@app.callback(invoke_without_command=True)
def demo(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for all that is written.")] = Path(
        "demo"
    ),
    duration: Annotated[float, typer.Option(help="How long the robot trots, s.")] = 10.6,
) -> None:
    """A quadruped trots, with exact contact and with springs, and the motion of LOLA over a platform is generated;
    summary, plots and recordings are written.

    [dim]$[/] footfall demo

    [dim]$[/] footfall demo dynamics lola
    """
    if context.invoked_subcommand is not None:
        return
    from footfall.scenarios.quadruped import load_scenario

    console = screen()
    plots = find_spec("matplotlib") is not None
    if not plots:
        console.print("No plots without matplotlib: pip install 'footfall[plots]'")
    scenario = load_scenario("trot").changed(duration=duration)
    recording = run_and_write(scenario, ("exact", "penalty"), output, plots=plots)
    _plan_platform(output, plots=plots)
    console.print(f"More: {program()} --help, and the scripts in examples/.")
    console.print(f"View it: {program()} view {recording}", highlight=False, soft_wrap=True)


def _plan_platform(output: Path, *, plots: bool) -> None:
    """LOLA walks over a platform with a hand on the wall: plan, motion, plot."""
    from footfall.cli.plan import generate, print_summary, write_plot
    from footfall.gait.plan_record import write_plan

    motion, _ = generate("platform")
    print_summary(motion)
    write_plan(motion.plan, output / "platform.json")
    if plots:
        write_plot(motion, output / "platform.png")
    screen().print(f"See it move: {program()} plan platform --view", highlight=False, soft_wrap=True)
