"""`footfall walk --live`: a walk in real time; `footfall signal`: tell a running walk something."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from footfall.cli.files import output_folder
from footfall.cli.screen import errors, progress, screen
from footfall.cli.view import until_interrupted
from footfall.cli.walk_tables import print_summary
from footfall.errors import InvalidInput

if TYPE_CHECKING:
    from footfall.cli.view import ServerOptions
    from footfall.cli.walk_options import Results
    from footfall.walking.live.command_link import Address
    from footfall.walking.live.runner import Deadlines
    from footfall.walking.request import WalkRequest

_MISSED = 1  # exit status if the goal is not reached
_LEVELS = {
    "pattern": "sampling the plan",
    "stabilisation": "stabilisation, inverse kinematics",
    "plant": "plant and sensors",
    "tick": "from tick to tick of the drives",
    "period": "all of a period",
    "lateness": "begins late by",
}


def walk_live(request: WalkRequest, name: str, results: Results, server: ServerOptions) -> None:
    """Walk in real time, take commands from other processes until all is done or Ctrl-C, and write all files. server:
    of the page, if a panel is wanted."""
    import msgspec

    from footfall.cli.walk import print_written
    from footfall.scenarios.walk_outputs import WalkRecorder, summary_text
    from footfall.walking.live.capture import CaptureServer
    from footfall.walking.live.commands import CommandServer
    from footfall.walking.live.ports import PlannerProcess
    from footfall.walking.live.runner import run_live
    from footfall.walking.live.session import LiveSession
    from footfall.walking.live.window import Window
    from footfall.walking.walk import Walk, completed, summarise

    output_folder(results.output)
    token = secrets.token_urlsafe(16)
    stays = request.seconds is None and (
        results.panel or not (request.signals or request.goal or request.route)
    )
    asked = msgspec.structs.replace(request if stays else completed(request), live=True)
    with progress("preparing; the first time native code is made, which takes a minute", 1.0):
        planner = PlannerProcess(asked, preferred=results.priority)
        session = LiveSession(
            asked, planner=planner, log_every=results.log_every, log_memory=results.log_bytes
        )
        planner.wait()
    try:
        captured = _captured(results, name)
        with WalkRecorder(session, results.output, name=name) as recorder:
            with (
                Window(session) as window,
                CaptureServer(session, token=token, path=captured, seed=asked.seed) as capture,
                CommandServer(name, window=window, capture=capture, token=token) as commands,
                _panel(results, server),
            ):
                notice = f"walking; `footfall signal stop` and others command it (process {os.getpid()})"
                errors().print(notice, highlight=False)
                with until_interrupted() as wait:
                    met = run_live(
                        session,
                        seconds=asked.seconds,
                        ended=lambda: (
                            bool(wait(0.0)) or (not stays and asked.seconds is None and session.resting)
                        ),
                        commands=commands,
                        priority=results.priority,
                    )
            # Nobody is kept waiting for answers while files are written.
            done = Walk(session, summarise(session))
            written = recorder.finish(done, plots=results.plot)
    finally:
        session.close()
    if asked.vision is not None and asked.perception is not None:
        written.append(Path(asked.perception))
    if captured is not None:
        written.append(captured)
    if results.as_json:
        typer.echo(summary_text(done))
    else:
        print_summary(done.summary, name)
        print_deadlines(met)
        print_written(written)
    if not done.summary.reached:
        raise typer.Exit(_MISSED)


def _captured(results: Results, name: str) -> Path | None:
    """Where motion capture is kept, if it is wanted; an old file goes."""
    if not results.capture:
        return None
    path = results.output / f"{name}.capture.mcap"
    path.unlink(missing_ok=True)
    return path


@contextmanager
def _panel(results: Results, server: ServerOptions) -> Iterator[None]:
    """A process with a panel of this one's walk meanwhile; the walk goes on whatever becomes of it."""
    if not results.panel:
        yield
        return
    port = [] if server.port is None else ["--port", str(server.port)]
    token = [] if server.token is None else ["--token" if server.token else "--no-token"]
    shown = ["--open"] if server.open_page else []
    words = ["panel", "--attach", "--to", str(os.getpid()), "--host", server.host, *port, *token, *shown]
    process = subprocess.Popen([sys.executable, "-m", "footfall", *words])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def attach_panel(to: int | None, server: ServerOptions) -> None:
    """Show a live walk in the browser and command it from there, until it ends or Ctrl-C."""
    from footfall.viewer.attached_panel import AttachedPanel
    from footfall.viewer.page_link import PageLink
    from footfall.viewer.stage import Stage
    from footfall.walking.live.command_link import running_walks
    from footfall.walking.live.followed import FollowedSession

    walk = _chosen(list(running_walks()), to)
    with progress("preparing; the first time native code is made, which takes a minute", 1.0):
        session = FollowedSession(walk)
    link = PageLink()
    title = f"live walk: {walk.name}"
    stage = Stage(host=server.host, port=server.port, token=server.token, title=title, link=link)
    try:
        shown = AttachedPanel(stage, session, link=link)
        server.announce(stage.address, f"it shows process {walk.pid}, which goes on without it")
        with until_interrupted() as wait:
            shown.run(lambda: bool(wait(0.0)) or shown.failed is not None)
        if shown.failed is not None:
            errors().print(shown.failed, highlight=False, markup=False)
    finally:
        stage.close()
        session.close()


def print_deadlines(met: Deadlines) -> None:
    """A table of what a live walk took, and what it missed."""
    table = Table("us", "mean", "sigma", "99.99 %", "largest")
    for level, title in _LEVELS.items():
        found = met.levels[level]
        if found.number:
            numbers = (found.mean, found.sigma, found.most, found.largest)
            table.add_row(title, *(f"{each:.1f}" for each in numbers))
    screen().print(table)
    screen().print(
        f"{met.missed} of {met.periods} periods ended late, in {met.stalls} stretches, "
        f"time was let go {met.slipped} times, "
        f"{met.late_plans} plans came too late, {met.lost_planners} planners died",
        highlight=False,
    )


def signal(
    context: typer.Context,
    word: Annotated[
        str | None,
        typer.Argument(help="What to tell it: walk_to, drive, stop, push, set ...; --list has all."),
    ] = None,
    to: Annotated[int | None, typer.Option(help="Process of the walk, if several run.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="List signals with their fields.")] = False,
) -> None:
    """Tell a walk something that runs in another process (`footfall walk --live`).

    Fields of the signal are options; numbers of a vector are separated by commas.

    [dim]$[/] footfall signal walk_to --x 2 --y 0.5

    [dim]$[/] footfall signal drive --forward 0.3

    [dim]$[/] footfall signal push --body torso --force 0,150,0

    [dim]$[/] footfall signal set --name planner.step.forward_m --value 0.4

    [dim]$[/] footfall signal stop
    """
    from footfall.walking.live.command_link import running_walks, send_command
    from footfall.walking.signals import command

    if listing:
        _print_signals()
        return
    if word is None:
        raise InvalidInput(
            "say what to tell the robot: `footfall signal stop`; `footfall signal --list` has all"
        )
    sent = command(word, _fields(word, context.args))
    walk = _chosen(list(running_walks()), to)
    send_command(walk, sent)
    screen().print(f"{word}: taken by {walk.name!r} (process {walk.pid})", highlight=False, markup=False)


def _chosen(walks: list[Address], to: int | None) -> Address:
    if to is not None:
        walks = [each for each in walks if each.pid == to]
    if not walks:
        which = "" if to is None else f" with process {to}"
        raise InvalidInput(f"no live walk{which} runs; start one by `footfall walk --live`")
    if len(walks) > 1:
        running = ", ".join(f"{each.pid} ({each.name})" for each in walks)
        raise InvalidInput(f"several live walks run: {running}; say which by --to PROCESS")
    return walks[0]


def _fields(word: str, words: list[str]) -> dict[str, Any]:
    """Values of a signal as they are typed: --name value."""
    values: dict[str, Any] = {}
    rest = list(words)
    while rest:
        name = rest.pop(0)
        name, equals, value = name.partition("=")
        if not name.startswith("--") or not (equals or rest):
            raise InvalidInput(
                f"{name!r} of signal {word!r} must be --field value; `footfall signal --list` has them"
            )
        values[name[2:].replace("-", "_")] = _value(value if equals else rest.pop(0))
    return values


def _value(text: str) -> Any:
    if "," in text:
        return [_value(each) for each in text.split(",")]
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _print_signals() -> None:
    from footfall.walking.signals import WORDS

    table = Table("signal", "fields", "what it does")
    for name, kind in WORDS.items():
        fields = ", ".join(each for each in kind.__struct_fields__ if each != "time")
        table.add_row(name, fields, (kind.__doc__ or "").partition("\n")[0])
    screen().print(table)
