"""`footfall quadruped`: the robot of Ayit 2015 trots, falls and jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from footfall.cli.files import output_folder
from footfall.cli.help_pages import Commands
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, program, screen, table

app = Commands(
    help="Let the quadruped trot, fall or jump, with exact and with penalty contact.", no_args_is_help=True
)


class ContactModel(StrEnum):
    """Choices of --contact."""

    EXACT = "exact"
    PENALTY = "penalty"
    IMPACTS = "impacts"
    BOTH = "both"


class GapTerm(StrEnum):
    """Choices of --gap-term."""

    GAP = "gap"
    SOURCE = "source"


StepOption = Annotated[float | None, typer.Option(help="Time step, s; default 0.0005.")]
DurationOption = Annotated[float | None, typer.Option(help="Duration, s; default 10.6.")]


@dataclass(frozen=True)
class Settings:
    """Options that all runs have."""

    contact: Annotated[
        ContactModel, typer.Option(help="Contact model; both: exact and penalty, side by side in the plots.")
    ] = ContactModel.BOTH
    foot_height: Annotated[
        float | None,
        typer.Option(help="Height of the feet's boxes, m: 0.05, or 0.5 as the source prints it."),
    ] = None
    dt: StepOption = None
    duration: DurationOption = None
    gap_term: Annotated[
        GapTerm | None, typer.Option(help="gap: nothing sinks; source: contact from gap <= 0 on.")
    ] = None
    scenario: Annotated[Path | None, typer.Option(help="TOML file with all parameters, instead of ours.")] = (
        None
    )
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for recordings, series, plots.")] = (
        Path("quadruped")
    )
    plots: Annotated[bool, typer.Option(help="Draw the plots.")] = True


@app.command("trot")
@grouped
def trot(
    *,
    stride: Annotated[float | None, typer.Option(help="Way of the body in half a cycle, m.")] = None,
    settings: Settings,
) -> None:
    """Trot along x on a reference whose zero-moment point stays on the diagonals; joints under PID.

    [dim]$[/] footfall quadruped trot

    [dim]$[/] footfall quadruped trot --contact exact --dt 0.002
    """
    _run("trot", settings, {"trot__stride": stride})


@app.command("fall")
@grouped
def fall(
    *,
    height: Annotated[float | None, typer.Option(help="Clearance of the feet at release, m.")] = None,
    roll: Annotated[float | None, typer.Option(help="Tilt at release, rad.")] = None,
    pitch: Annotated[float | None, typer.Option(help="Tilt at release, rad.")] = None,
    settings: Settings,
) -> None:
    """Let go above the ground, the joints held.

    [dim]$[/] footfall quadruped fall --height 0.5 --roll 0.02
    """
    _run("fall", settings, {"fall__height": height, "fall__roll": roll, "fall__pitch": pitch})


@app.command("jump")
@grouped
def jump(
    *,
    speed: Annotated[float | None, typer.Option(help="Speed of the legs' extension, m/s.")] = None,
    settings: Settings,
) -> None:
    """Crouch, then extend the legs fast.

    [dim]$[/] footfall quadruped jump
    """
    _run("jump", settings, {"jump__extension_speed": speed})


@app.command("tilts")
def tilts(
    height: Annotated[float, typer.Option(min=0.0, help="Clearance of the feet at release, m.")] = 0.5,
    largest: Annotated[float, typer.Option(min=0.0, max=1.5, help="Largest tilt, rad.")] = 0.05,
    count: Annotated[int, typer.Option(min=1, max=200, help="Tilts of roll, and as many of pitch.")] = 5,
    contact: ContactModel = ContactModel.EXACT,
    dt: StepOption = None,
    duration: DurationOption = None,
) -> None:
    """Fall from a grid of tilts, all in one native call: which end upside down?

    [dim]$[/] footfall quadruped tilts --height 1.5
    """
    from footfall.scenarios.quadruped import load_scenario
    from footfall.scenarios.quadruped.run import fall_tilted

    changes = _asked({"fall__height": height, "step__dt": dt, "duration": duration})
    scenario = load_scenario("fall").changed(**changes)
    angles = np.linspace(-largest, largest, count)
    grid = np.array([(roll, pitch) for roll in angles for pitch in angles])
    for model in _models(contact):
        with errors().status(f"{len(grid)} falls, {model} contact"):
            result = fall_tilted(scenario, grid, model)
        rows = [
            [
                f"{roll:.3f}",
                f"{pitch:.3f}",
                "upright" if up > 0.7 else "upside down" if up < -0.7 else "on its side",
                f"{end:.3f}",
                f"{top:.3f}",
                f"{speed:.1e}",
            ]
            for (roll, pitch), up, end, top, speed in zip(
                result.tilts, result.upright, result.end_height, result.top_height, result.speed, strict=True
            )
        ]
        columns = ["roll, rad", "pitch, rad", "at the end", "height, m", "top, m", "fastest, rad/s"]
        title = f"Falls from {height:g} m, {model} contact"
        screen().print(table(title, columns, rows, numbers="; ".join([*columns[:2], *columns[3:]])))


def _asked(changes: dict[str, Any]) -> dict[str, Any]:
    """Changes of a scenario that were asked for."""
    return {name: value for name, value in changes.items() if value is not None}


def _models(contact: ContactModel) -> list[Any]:
    return ["exact", "penalty"] if contact is ContactModel.BOTH else [contact.value]


def _run(kind: str, settings: Settings, changes: dict[str, Any]) -> None:
    from footfall.scenarios.quadruped import load_scenario

    changes = changes | {
        "robot__foot_height": settings.foot_height,
        "step__dt": settings.dt,
        "duration": settings.duration,
        "step__gap_term": settings.gap_term and settings.gap_term.value,
    }
    source = kind if settings.scenario is None else settings.scenario
    scenario = load_scenario(source).changed(**_asked(changes))
    recording = run_and_write(scenario, _models(settings.contact), settings.output, plots=settings.plots)
    screen().print(f"View it: {program()} view {recording}", highlight=False, soft_wrap=True)


def run_and_write(scenario: Any, models: Sequence[Any], output: Path, *, plots: bool = True) -> Path:
    """Run a scenario with contact models, print the summary, write all files; gives the first recording."""
    from footfall.scenarios.pyplot import load_pyplot
    from footfall.scenarios.quadruped import fall_failures, run_scenario, summarise, write_outputs

    if plots:
        load_pyplot()  # rather fail now than after the run
    output_folder(output)
    runs = []
    with errors().status("") as status:
        for model in models:
            status.update(f"{scenario.kind}, {model} contact")
            runs.append(run_scenario(scenario, model))
        status.update("writing")
        written = write_outputs(runs, output, plots=plots)
    console = screen()
    title = f"Quadruped: {scenario.kind}, {scenario.duration:g} s in steps of {1e3 * scenario.step.dt:g} ms"
    rows = _rows([summarise(run) for run in runs])
    console.print(table(title, ["", *models], rows, numbers="; ".join(models)))
    if scenario.kind == "fall":
        for run in runs:
            failures = fall_failures(run)
            console.print(f"{run.contact}: " + ("the fall succeeds" if not failures else "; ".join(failures)))
    console.print("Written: " + ", ".join(str(path) for path in written), highlight=False, soft_wrap=True)
    return written[0]


_LINES = (
    ("distance x, m", "distance", ".3f"),
    ("drift y, m", "drift", ".3f"),
    ("yaw, rad", "yaw", ".4f"),
    ("height at the end, m", "end_height", ".4f"),
    ("greatest height, m", "top_height", ".3f"),
    ("greatest roll or pitch, rad", "tilt", ".3f"),
    ("upside down at the end", "upside_down", ""),
    ("peak force on a foot, N", "peak_force", ".0f"),
    ("largest impulse on a foot in a step, N s", "step_impulse", ".2f"),
    ("impulse of all normal forces, N s", "total_impulse", ".1f"),
    ("load at the end, of the weight", "load", ".4f"),
    ("deepest penetration, m", "penetration", ".1e"),
    ("penetration at the end, m", "rest_penetration", ".1e"),
    ("largest residual, of weight times dt", "residual", ".1e"),
    ("steps with a residual above 1e-8", "unsolved", ".2%"),
    ("steps of the solver in a time step, mean", "sweeps", ".1f"),
    ("energy less actuator work grows by, J", "energy_growth", ".2g"),
    ("work of the contacts, J", "contact_work", ".1f"),
    ("real-time factor", "real_time_factor", ".1f"),
    ("diverged", "diverged", ""),
)


def _rows(summaries: Sequence[Any]) -> list[list[str]]:
    """A line for each number; what did not happen is left out."""
    rows = []
    for label, name, form in _LINES:
        values = [getattr(summary, name) for summary in summaries]
        if not form and not any(values):
            continue
        cells = [
            format(value, form) if form else "yes" if value is True else str(value or "no")
            for value in values
        ]
        rows.append([label, *cells])
    return rows
