"""`footfall walk`: a humanoid walks through a scene by itself; `footfall replay`: the same walk again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli import walk_options as options
from footfall.cli.files import output_folder
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, program, progress, screen
from footfall.cli.view import ServerOptions, until_interrupted
from footfall.cli.walk_request import DEFAULT_RUN, request_of
from footfall.cli.walk_tables import print_listing, print_parameters, print_summary

if TYPE_CHECKING:
    from footfall.scenarios.walk_outputs import WalkRecorder
    from footfall.walking.request import WalkRequest
    from footfall.walking.walker import WalkingCode

PERCEPTION = ".perception.mcap"  # ending of what another process saw for the robot
MISSED = 1  # exit status if the goal is not reached
INTERRUPTED = 130  # by Ctrl-C
_PANEL_LOG = 64  # MB of rows in memory: 19 s of a humanoid; the page has a minute of them thinned out


@grouped
def walk(
    scene: Annotated[
        str | None, typer.Argument(help="A scene: shipped name or file (.toml). Default: the platform.")
    ] = None,
    *,
    course: options.RouteOptions,
    walker: options.Walker,
    trouble: options.Trouble,
    results: options.Results,
    server: ServerOptions,
    listing: Annotated[bool, typer.Option("--list", help="List scenes and walks with a name.")] = False,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="List parameters that a script can set, with their values.")
    ] = False,
) -> None:
    """Let a humanoid walk through a scene in closed loop, from the plan of its contacts to the forces on its feet.

    The exit status is 0 if it reaches the goal, or does what a script tells it, without falling; 1 otherwise.

    [dim]$[/] footfall walk

    [dim]$[/] footfall walk flat --goal 3,0,0 --noise --push torso,0,150,0,4,0.1

    [dim]$[/] footfall walk --run straight --mode full --fault motor:kfr,4,1

    [dim]$[/] footfall walk --run straight --generator dcm --json

    [dim]$[/] footfall walk flat --script drive.toml

    [dim]$[/] footfall walk obstacles --panel

    [dim]$[/] footfall walk obstacles --live

    [dim]$[/] footfall walk obstacles --vision 127.0.0.1:5265
    """
    if listing:
        print_listing()
        return
    if parameters:
        print_parameters(walker.robot or "lola")
        return
    name = course.run or Path(course.script or scene or DEFAULT_RUN).stem
    request = with_record(request_of(scene, course, walker, trouble), name, results.output)
    if results.live:
        from footfall.cli.live import walk_live

        walk_live(request, name, results, server)
    elif results.panel:
        walk_by_hand(request, name, results, server)
    elif not run_and_write(request, name, results, server):
        raise typer.Exit(MISSED)


def replay(
    source: Annotated[
        Path,
        typer.Argument(
            help="What a walk has written: .walk.json, or the journal of one that was killed, .walk.jsonl."
        ),
    ],
    plot: options.Plot = True,
    as_json: options.AsJson = False,
    output: options.Output = Path("replay"),
) -> None:
    """Walk once more as a file says, with all signals that it received: the same bits.

    [dim]$[/] footfall replay walk/platform.walk.json
    """
    from footfall.walking.journal import ENDING, read_journal
    from footfall.walking.request import other_version, read_request

    killed = source.name.endswith(ENDING)
    name = source.name.removesuffix(ENDING if killed else ".walk.json")
    request = read_journal(source) if killed else read_request(source)
    if (note := other_version(request)) is not None:
        errors().print(f"{source}: {note}", highlight=False, soft_wrap=True)
    if not run_and_write(request, name, options.Results(plot=plot, as_json=as_json, output=output)):
        raise typer.Exit(MISSED)


@grouped
def panel(
    scene: Annotated[str, typer.Argument(help="A scene: shipped name or file (.toml).")] = "flat",
    *,
    walker: options.Walker,
    trouble: options.Trouble,
    output: options.Output = Path("walk"),
    attach: Annotated[
        bool,
        typer.Option(
            "--attach",
            help="Show the live walk that runs (`footfall walk --live`), and command it, instead of a new one.",
        ),
    ] = False,
    to: Annotated[
        int | None, typer.Option("--to", help="With --attach: process of the walk, if several run.")
    ] = None,
    server: ServerOptions,
) -> None:
    """Steer a humanoid from the browser: by keys, stick, gamepad and mouse, until Ctrl-C.

    W and S walk ahead and back, A and D to the sides, Q and E turn, space stops. A click on the ground plans a way
    there. Every walk is written and replays to the same bits.

    [dim]$[/] footfall panel

    [dim]$[/] footfall panel obstacles --noise --open

    [dim]$[/] footfall panel --attach
    """
    if attach:
        from footfall.cli.live import attach_panel

        attach_panel(to, server)
        return
    import msgspec

    request = request_of(scene, options.RouteOptions(), walker, trouble)
    request = msgspec.structs.replace(
        request, goal=None, goal_height=None
    )  # it stands until somebody says more
    results = options.Results(plot=False, output=output, log_memory=_PANEL_LOG)
    walk_by_hand(request, Path(scene).stem, results, server)


def with_record(request: WalkRequest, name: str, folder: Path) -> WalkRequest:
    """The request with the file that keeps what another process sees for the robot, if one does."""
    if request.vision is None:
        return request
    import msgspec

    output_folder(folder)
    return msgspec.structs.replace(request, perception=str(folder / f"{name}{PERCEPTION}"))


def run_and_write(
    request: WalkRequest, name: str, results: options.Results, server: ServerOptions | None = None
) -> bool:
    """Walk, write all files, print what happened; whether the goal was reached."""
    from footfall.scenarios.pyplot import load_pyplot
    from footfall.scenarios.walk_outputs import WalkRecorder, summary_text
    from footfall.walking.live.session import session_for
    from footfall.walking.walk import completed, walk_on

    output_folder(results.output)
    video = results.video
    if video is not None:
        from footfall.viewer.video import checked_video

        video = checked_video(video)
    if results.plot:
        load_pyplot()  # rather fail now than after the walk
    with progress("preparing; the first time native code is made, which takes a minute", 1.0) as report:
        session = session_for(completed(request), log_every=results.log_every, log_memory=results.log_bytes)
        with WalkRecorder(session, results.output, name=name) as recorder:
            try:
                done = walk_on(
                    session, progress=lambda now, end: report(now / end, f"walking, {now:.1f} of {end:.1f} s")
                )
            except KeyboardInterrupt:
                session.close()
                _keep_walked(recorder)
                raise typer.Exit(INTERRUPTED) from None
            session.close()
            report(1.0, "writing what happened")
            try:
                written = recorder.finish(done, plots=results.plot)
            except KeyboardInterrupt:
                kept = ", ".join(str(path) for path in sorted(recorder.folder.glob(f"{name}.*")))
                errors().print(f"interrupted while it wrote; kept: {kept}", highlight=False, soft_wrap=True)
                raise typer.Exit(INTERRUPTED) from None
    if request.vision is not None and request.perception is not None:
        written.append(Path(request.perception))
    if results.as_json:
        typer.echo(summary_text(done))
    else:
        print_summary(done.summary, name)
        print_written(written)
        screen().print(f"View it: {program()} view {written[0]}", highlight=False, soft_wrap=True)
    if video is not None:
        _draw_video(written[0], video)
    if results.show:
        _view(written[0], server or ServerOptions())
    return done.summary.reached


def _keep_walked(recorder: WalkRecorder) -> None:
    """Ctrl-C: keep what was walked, and say where it is."""
    recorder.close()
    walked = recorder.session.time
    if walked <= 0.0:
        recorder.recording.unlink(missing_ok=True)
        recorder.journal.remove()
        errors().print("interrupted before it walked: nothing was written", highlight=False)
        return
    journal = recorder.journal.path
    errors().print(
        f"interrupted after {walked:.2f} s of walking; kept: {recorder.recording}, {journal}\n"
        f"View it: {program()} view {recorder.recording}\n"
        f"Walk it again: {program()} replay {journal}",
        highlight=False,
        soft_wrap=True,
    )


def walk_by_hand(request: WalkRequest, name: str, results: options.Results, server: ServerOptions) -> None:
    """Walk as a page in the browser says; every walk is written as it goes."""
    from footfall.scenarios.walk_outputs import WalkRecorder
    from footfall.viewer.page_link import PageLink
    from footfall.viewer.stage import Stage
    from footfall.viewer.uploads import MOST_BYTES
    from footfall.viewer.walk_panel import WalkPanel
    from footfall.walking.session import WalkSession
    from footfall.walking.walk import Walk, summarise

    output_folder(results.output)
    recorders: dict[int, WalkRecorder] = {}
    walks = 0

    def make(request: WalkRequest, code: WalkingCode | None = None) -> WalkSession:
        nonlocal walks
        walks += 1
        session = WalkSession(request, code=code, log_every=results.log_every, log_memory=results.log_bytes)
        session.run(session.walker.gains.period)  # what is made of the first period is native code
        numbered = name if walks == 1 else f"{name}-{walks}"
        recorders[id(session)] = WalkRecorder(session, results.output, name=numbered)
        return session

    def write(ended: WalkSession) -> None:
        done, recorder = Walk(ended, summarise(ended)), recorders.pop(id(ended))
        written = recorder.finish(done, plots=results.plot)
        print_summary(done.summary, recorder.name)
        print_written(written)

    with progress("preparing; the first time native code is made, which takes a minute", 1.0):
        session = make(request)
    link = PageLink()
    stage = Stage(
        host=server.host,
        port=server.port,
        token=server.token,
        title=f"walk: {name}",
        link=link,
        uploads=MOST_BYTES,
    )
    try:
        shown = WalkPanel(stage, session, link=link, make=make, ended=write)
        server.announce(stage.address, "Ctrl-C ends the walk")
        with until_interrupted() as wait:
            shown.run(lambda: bool(wait(0.0)))
    finally:
        stage.close()
        for recorder in recorders.values():
            recorder.close()
    shown.finish()


def print_written(paths: list[Path]) -> None:
    screen().print("Written: " + ", ".join(str(path) for path in paths), highlight=False, soft_wrap=True)


def _draw_video(recording: Path, path: Path) -> None:
    from footfall.recording.reader import read_recording
    from footfall.viewer.video import take_video

    with progress("drawing", 1.0) as report:
        take_video(read_recording(recording), path, progress=report)
    errors().print(f"Written: {path}", highlight=False, soft_wrap=True, markup=False)


def _view(recording: Path, server: ServerOptions) -> None:
    from footfall.viewer.show import View, load_subject

    subject = load_subject(str(recording))
    with (
        until_interrupted() as wait,
        View(subject, play=True, loop=True, host=server.host, port=server.port, token=server.token) as shown,
    ):
        server.announce(shown.address)
        wait()
