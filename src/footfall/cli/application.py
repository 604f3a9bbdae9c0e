"""The commands put together, and how errors reach the user: one line, no traceback."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, TextIO

import typer
from rich.markup import escape

import footfall
from footfall.cli import (
    bench,
    cache,
    check,
    convert,
    demo,
    drives,
    export,
    live,
    perceive,
    plan,
    plot,
    quadruped,
    robots,
    scene,
    screenshot,
    show,
    simulate,
    study,
    task,
    view,
    volumes,
    walk,
    workspace,
)
from footfall.cli.help_pages import Commands
from footfall.cli.screen import errors
from footfall.errors import FootfallError

_DEBUG = "FOOTFALL_DEBUG"

app = Commands(
    name="footfall",
    help="Simulate, plan and control legged robots: textbook NumPy in, native code out.",
    epilog="Start with: footfall demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(demo.app, name="demo")
app.command("robots")(robots.robots)
app.command("show")(show.show)
app.command("info", hidden=True)(show.show)  # what many type first
app.command("simulate")(simulate.simulate)
app.command("convert")(convert.convert)
app.command("view")(view.view)
app.command("volumes")(volumes.volumes)
app.command("export")(export.export)
app.command("screenshot")(screenshot.screenshot)
app.command("plot")(plot.plot)
app.command("share")(plot.share)
app.command("check")(check.check)
app.command("plan")(plan.plan)
app.command("walk")(walk.walk)
app.command("panel")(walk.panel)
app.command("replay")(walk.replay)
app.command("signal", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    live.signal
)
app.add_typer(scene.app, name="scene")
app.command("perceive")(perceive.perceive)
app.add_typer(quadruped.app, name="quadruped")
app.add_typer(study.app, name="study")
app.add_typer(workspace.app, name="workspace")
app.command("task")(task.task)
app.add_typer(drives.app, name="drives")
app.add_typer(bench.app, name="bench")
app.add_typer(cache.app, name="cache")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"footfall {footfall.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar=_DEBUG, help="Show the traceback of an error.")
    ] = False,
) -> None:
    if debug:
        os.environ[_DEBUG] = "1"


def main() -> None:
    """Run the command line; errors of footfall and of files end it with one line and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            app()
    except (FootfallError, OSError) as error:
        if os.environ.get(_DEBUG):
            raise
        errors().print(f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True, markup=True)
        sys.exit(2)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    errors().print(f"[yellow]warning:[/] {escape(str(message))}", soft_wrap=True, markup=True)
