"""`footfall bench`: measure on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.help_pages import Commands
from footfall.cli.screen import errors, screen

app = Commands(
    help="Measure footfall on this machine, against its peers where they are installed.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Keeps `dynamics` a command of its own while it is the only one."""


@app.command("dynamics")
def dynamics(
    robots: Annotated[
        list[str] | None,
        typer.Argument(help="xarm7, anymal, g1, talos (of example-robot-data), a shipped name, or a file."),
    ] = None,
    blocks: Annotated[int, typer.Option(min=1, help="Interleaved blocks of ours and theirs.")] = 30,
    batch: Annotated[int, typer.Option(min=1, help="Robots in a batch.")] = 4096,
    only: Annotated[str, typer.Option(help="Only algorithms with this text in their name.")] = "",
    cpp: Annotated[
        bool,
        typer.Option("--cpp", help="Also Pinocchio in C++; compiles a program once, which takes minutes."),
    ] = False,
    chains: Annotated[
        bool | None,
        typer.Option(
            "--chains/--no-chains", help="Chains of 2 to 200 joints; default: if no robot is named."
        ),
    ] = None,
    startup: Annotated[
        bool | None,
        typer.Option(
            "--startup/--no-startup", help="Import and compile times; default: if no robot is named."
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Also write the report to this file.")] = None,
) -> None:
    """Time rigid-body algorithms against Pinocchio and report as Markdown.

    [dim]$[/] footfall bench dynamics

    [dim]$[/] footfall bench dynamics talos --only "forward dynamics" --blocks 5

    [dim]$[/] footfall bench dynamics --cpp --output report.md

    Without the package `pin` only our own times are given; pip install 'footfall\\[bench]' brings it and the robots.
    Compiling all kernels takes minutes the first time.
    """
    from footfall.bench import surroundings
    from footfall.bench.cases import matching
    from footfall.bench.chains import measure_chains
    from footfall.bench.dynamics import Effort, has_pinocchio, measure_robot
    from footfall.bench.report import markdown
    from footfall.bench.robots import measurable
    from footfall.bench.startup import measure_startup
    from footfall.whole_file import write_text

    if output is not None:
        new_file(output, force=True)
    console = errors()
    if not has_pinocchio():
        console.print("Pinocchio is not installed: our times only (pip install 'footfall[bench]')")
    everything = not robots
    effort = Effort(blocks=blocks, batch=batch, calls=min(256, batch))
    load_before = surroundings.load_average()
    names = robots or measurable()
    cases = matching(only)
    with console.status("") as status:
        reports = [
            measure_robot(name, cases=cases, effort=effort, cpp=cpp, progress=status.update) for name in names
        ]
        of_chains = (
            measure_chains(effort=effort, progress=status.update) if _chosen(chains, everything) else []
        )
        status.update("start-up")
        of_startup = measure_startup(_largest(names)) if _chosen(startup, everything) else None
    text = markdown(reports, of_chains, of_startup, effort=effort, load_before=load_before)
    screen().print(text, markup=False, highlight=False, soft_wrap=True, end="")
    if output is not None:
        write_text(output, text)


def _chosen(option: bool | None, default: bool) -> bool:
    return default if option is None else option


def _largest(names: tuple[str, ...] | list[str]) -> str:
    """The robot with the most velocities."""
    from footfall.bench.robots import load_measured

    return max(names, key=lambda name: load_measured(name).nv)
