"""`footfall study`: many runs from a file, on all cores or on a cluster; `footfall study replay`: one of them again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from footfall.cli.first_command import first_command
from footfall.cli.help_pages import Commands
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, program, screen, table
from footfall.cli.view import ServerOptions

if TYPE_CHECKING:
    from footfall.studies import SearchResult, StudyProgress, StudyResult

_FAILED = 1  # exit status if runs ended with an error
_INTERRUPTED = 130
_SHOWN = 40  # cells
_DRAWN = 20_000  # cells, at most: a picture of more shows nothing


app = Commands(cls=first_command("run"), no_args_is_help=True)


@app.callback()
def study() -> None:
    """Run many walks, simulations or functions of your own, varied as a file says.

    [dim]$[/] footfall study list

    [dim]$[/] footfall study pushes.toml --output pushes

    [dim]$[/] footfall study my.toml --function my.py:measure --cluster tcp://10.0.0.1:8786

    [dim]$[/] footfall study replay pushes 17
    """


@dataclass(frozen=True)
class Where:
    """Who runs, and how much of it."""

    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="Processes of this machine; default: all cores."),
    ] = None
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://HOST:8786, instead.")
    ] = None
    cells: Annotated[
        int | None, typer.Option(min=1, help="So many cells, drawn at random, instead of all.")
    ] = None
    most: Annotated[int | None, typer.Option(min=1, help="Runs at most now; call again to go on.")] = None


@app.command("run")
@grouped
def run(
    source: Annotated[str, typer.Argument(help="A study: file (.toml) or shipped name; `list` lists them.")],
    *,
    where: Where,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for results; default: the study's name.")
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            help="FILE.py:NAME, run instead of an experiment by name, with the parameters and seed."
        ),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what the folder has.")] = False,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the cells.")] = True,
) -> None:
    """Run a study, or go on with it: whatever stopped it, nothing is run twice and nothing is lost."""
    from footfall.errors import InvalidInput
    from footfall.studies import read_study, run_search, run_study

    asked = read_study(source)
    folder = output or Path(Path(source).stem)
    words: dict[str, Any] = {"function": function, "workers": where.workers, "cluster": where.cluster}
    if asked.search is not None and (where.cells or where.most):
        raise InvalidInput(
            "--cells and --most are for studies without a search; Ctrl-C ends one, and it goes on"
        )
    try:
        with _progress(asked.name) as report:
            words |= {"restart": restart, "progress": report}
            if asked.search is not None:
                found = run_search(asked, folder, **words)
            else:
                result = run_study(asked, folder, cells=where.cells, most=where.most, **words)
    except KeyboardInterrupt:
        errors().print(
            f"interrupted: what has run is kept in {folder}; the same command goes on", highlight=False
        )
        raise typer.Exit(_INTERRUPTED) from None
    if asked.search is not None:
        _print_search(found)
        return
    print_result(result)
    if plot and result.runs:
        _draw(result)
    if result.failed:
        raise typer.Exit(_FAILED)


@app.command("list")
def listing() -> None:
    """List shipped studies, and experiments with their parameters."""
    from footfall.studies import EXPERIMENTS, read_study, study_names

    rows = [[name, read_study(name).name, str(read_study(name).most_runs)] for name in study_names()]
    screen().print(table("Shipped studies", ["name", "what", "runs, at most"], rows, numbers="runs, at most"))
    for each in EXPERIMENTS.values():
        rows = [[name, str(known.default), known.meaning] for name, known in each.parameters.items()]
        title = f"Experiment {each.name!r}: {each.meaning}; success: {each.success}"
        screen().print(table(title, ["parameter", "default", "what"], rows))
    screen().print(
        "Walks also take every parameter of `footfall walk --parameters` as set.NAME.", highlight=False
    )


@app.command("replay")
def replay(
    result: Annotated[Path, typer.Argument(help="Folder of the results.")],
    row: Annotated[int, typer.Argument(help="Row of runs.parquet, from 0.")],
    panel: Annotated[bool, typer.Option("--panel", help="Watch and command it in the browser.")] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for all that is written.")] = Path(
        "replay"
    ),
    video: Annotated[bool, typer.Option("--video", help="Also draw a video (.mp4); wants Chromium.")] = False,
) -> None:
    """Walk a row of a study once more: the same bits, with recording and plots.

    [dim]$[/] footfall study replay pushes 17 --panel
    """
    from footfall.cli.walk import MISSED

    if not _replay(result, row, panel=panel, output=output, video=video):
        raise typer.Exit(MISSED)


@app.command("worst")
def worst(
    result: Annotated[Path, typer.Argument(help="Folder of the results.")],
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=100, help="How many.")] = 3,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for all that is written.")] = Path(
        "worst"
    ),
    video: Annotated[bool, typer.Option("--video/--no-video", help="Draw videos (.mp4).")] = True,
) -> None:
    """Walk the worst rows of a study once more and draw videos of them: those that failed at the least, and soonest.

    [dim]$[/] footfall study worst pushes --count 3
    """
    from footfall.studies.store import worst_rows

    rows = worst_rows(result, count)
    text = f"{len(rows)} of the walks that failed: rows {rows}" if rows else "no walk failed"
    screen().print(text, highlight=False)
    for row in rows:
        _replay(result, row, panel=False, output=output, video=video)


def _replay(result: Path, row: int, *, panel: bool, output: Path, video: bool) -> bool:
    """Walk a row; whether it reached its goal."""
    import msgspec

    from footfall.cli import walk, walk_options
    from footfall.errors import InvalidInput
    from footfall.studies.store import stored_row
    from footfall.walking.request import WalkRequest, other_version

    found = stored_row(result, row)
    if found.replay is None:
        raise InvalidInput(f"row {row} is no walk: only walks can be replayed")
    request = msgspec.json.decode(found.replay, type=WalkRequest)
    if (note := other_version(request)) is not None:
        errors().print(f"row {row}: {note}", highlight=False, soft_wrap=True)
    name = f"{result.resolve().name}-{row}"
    wishes = walk_options.Results(panel=panel, output=output, video=output / f"{name}.mp4" if video else None)
    if panel:
        walk.walk_by_hand(request, name, wishes, ServerOptions())
        return True
    return walk.run_and_write(request, name, wishes)


def print_result(result: StudyResult) -> None:
    """What came out, and where it is."""
    study = result.study
    what = "success" if study.limit is None else study.limit.parameter
    shown = result.first_cells(_SHOWN)
    rows = [
        [
            *(f"{value:g}" if isinstance(value, float) else str(value) for value in cell.values.values()),
            f"{cell.shown.value:.3g}",
            f"{cell.shown.low:.3g} to {cell.shown.high:.3g}",
            str(cell.runs),
            str(cell.failed),
        ]
        for cell in shown
    ]
    columns = [*study.varied, what, "interval", "runs", "failed"]
    screen().print(table(study.name, columns, rows, numbers="; ".join(columns)))
    if study.cells > _SHOWN and len(shown) == _SHOWN:
        screen().print("other cells are in cells.csv", highlight=False)
    for warning in result.warnings:
        errors().print(f"warning: {warning}", highlight=False, soft_wrap=True)
    state = "complete" if result.complete else f"not complete: {program()} study goes on with it"
    screen().print(
        f"{_runs(result.runs)} in {result.folder} ({state}): runs.parquet, cells.csv, README.md",
        highlight=False,
        soft_wrap=True,
    )
    if result.failed:
        errors().print(
            f"{_runs(result.failed)} ended with an error (column `error`), the first with {result.first_error}",
            highlight=False,
            soft_wrap=True,
        )


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _print_search(result: SearchResult) -> None:
    """Which parameters were found, and whether they are better on other seeds."""
    from footfall.studies.search import comparison

    rows = [
        [name, f"{value:.4g}", f"{result.best.parameters[name]:.4g}"]
        for name, value in result.default.parameters.items()
    ]
    columns = ["parameter", "default", "best"]
    screen().print(table(result.study.name, columns, rows, numbers="default; best"))
    screen().print(comparison(result), highlight=False, soft_wrap=True)
    screen().print(
        f"{len(result.candidates)} candidates in {result.folder}: candidates.csv, README.md", highlight=False
    )


def _draw(result: StudyResult) -> None:
    from footfall.errors import MissingPackage
    from footfall.viewer.study_plots import draw_cells

    try:
        path = draw_cells(result, result.folder / "cells.png") if result.study.cells <= _DRAWN else None
    except MissingPackage as missing:
        errors().print(f"no picture: {missing}", highlight=False, soft_wrap=True)
        return
    if path is not None:
        screen().print(f"picture written to {path}", highlight=False, soft_wrap=True)


class _progress:
    """A bar with rate and forecast; where output is no terminal a line now and then."""

    def __init__(self, name: str) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn())
        self._bar = Progress(*columns, console=errors(), transient=True)
        self._task = self._bar.add_task(f"{name}: preparing", total=None)
        self._name, self._lines = name, 0

    def __enter__(self) -> Any:
        self._bar.start()
        return self.tell

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, now: StudyProgress) -> None:
        left = "" if now.remaining == float("inf") else f", {_duration(now.remaining)} left"
        bad = f", {now.failed} failed" if now.failed else ""
        text = f"{now.runs} of about {now.expected} runs, {_rate(now.rate)}{left}{bad}"
        self._bar.update(self._task, total=now.expected, completed=now.runs, description=text)
        tenths = 10 * now.runs // max(now.expected, 1)
        if not errors().is_terminal and tenths > self._lines:
            self._lines = tenths
            errors().print(f"{self._name}: {text}", highlight=False, soft_wrap=True)


def _rate(runs: float) -> str:
    return f"{runs:,.0f} a second" if runs >= 100.0 else f"{runs:.3g} a second"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
