"""`footfall walk`: a humanoid walks through a scene by itself; `footfall replay`: the same walk again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli import walk_options as options
from footfall.cli.files import output_folder
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, program, progress, screen
from footfall.cli.view import until_interrupted
from footfall.cli.walk_request import DEFAULT_RUN, request_of
from footfall.cli.walk_tables import print_listing, print_parameters, print_summary

if TYPE_CHECKING:
    from footfall.walking.request import WalkRequest

_MISSED = 1  # exit status if the goal is not reached


@grouped
def walk(
    scene: Annotated[
        str | None, typer.Argument(help="A scene: shipped name or file (.toml). Default: the platform.")
    ] = None,
    *,
    course: options.Course,
    walker: options.Walker,
    trouble: options.Trouble,
    results: options.Results,
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

    [dim]$[/] footfall walk --run straight --json

    [dim]$[/] footfall walk flat --script drive.toml

    [dim]$[/] footfall walk obstacles --panel
    """
    if listing:
        print_listing()
        return
    if parameters:
        print_parameters(walker.robot or "lola")
        return
    request = request_of(scene, course, walker, trouble)
    name = course.run or Path(course.script or scene or DEFAULT_RUN).stem
    if results.panel:
        _walk_by_hand(request, name, results)
    else:
        run_and_write(request, name, results)


def replay(
    source: Annotated[Path, typer.Argument(help="A request that a walk has written (.walk.json).")],
    plot: options.Plot = True,
    as_json: options.AsJson = False,
    output: options.Output = Path("replay"),
) -> None:
    """Walk once more as a file says, with all that was told on the way: the same bits.

    [dim]$[/] footfall replay walk/platform.walk.json
    """
    from footfall.walking.request import read_request

    name = source.name.removesuffix(".walk.json")
    run_and_write(read_request(source), name, options.Results(plot=plot, as_json=as_json, output=output))


def run_and_write(request: WalkRequest, name: str, results: options.Results) -> None:
    """Walk, write all files, print what happened; leaves with a status."""
    from footfall.scenarios.pyplot import load_pyplot
    from footfall.scenarios.walking.outputs import summary_text, write_walk
    from footfall.walking.walk import walk as run_walk

    output_folder(results.output)
    video = results.video
    if video is not None:
        from footfall.viewer.video import checked_video

        video = checked_video(video)
    if results.plot:
        load_pyplot()  # rather fail now than after the walk
    with progress("preparing; the first time native code is made, which takes a minute", 1.0) as told:
        done = run_walk(
            request, progress=lambda now, end: told(now / end, f"walking, {now:.1f} of {end:.1f} s")
        )
    written = write_walk(done, results.output, name=name, plots=results.plot)
    if results.as_json:
        typer.echo(summary_text(done))
    else:
        print_summary(done.summary, name)
        _print_written(written)
        screen().print(f"View it: {program()} view {written[0]}", highlight=False, soft_wrap=True)
    if video is not None:
        _draw_video(written[0], video)
    if results.show:
        _view(written[0])
    if not done.summary.reached:
        raise typer.Exit(_MISSED)


def _walk_by_hand(request: WalkRequest, name: str, results: options.Results) -> None:
    """Walk as a page in the browser says, then write all files; a fall is told by the status."""
    from footfall.scenarios.walking.outputs import write_walk
    from footfall.viewer.stage import Stage
    from footfall.viewer.walk_panel import WalkPanel
    from footfall.walking.session import WalkSession
    from footfall.walking.walk import Walk, summarise

    output_folder(results.output)
    session = WalkSession(request)
    stage = Stage(title=f"walk: {name}")
    try:
        panel = WalkPanel(stage, session)
        screen().print(
            f"open {stage.address} in a browser; Ctrl-C ends the walk", highlight=False, markup=False
        )
        with until_interrupted() as wait:
            panel.run(lambda: bool(wait(0.0)))
    finally:
        stage.close()
    if session.time == 0.0:
        return
    done = Walk(session, summarise(session))
    written = write_walk(done, results.output, name=name, plots=results.plot)
    print_summary(done.summary, name)
    _print_written(written)
    if done.summary.fallen:
        raise typer.Exit(_MISSED)


def _print_written(paths: list[Path]) -> None:
    screen().print("Written: " + ", ".join(str(path) for path in paths), highlight=False, soft_wrap=True)


def _draw_video(recording: Path, path: Path) -> None:
    from footfall.recording.reader import read_recording
    from footfall.viewer.video import take_video

    with progress("drawing", 1.0) as told:
        take_video(read_recording(recording), path, progress=told)
    errors().print(f"Written: {path}", highlight=False, soft_wrap=True, markup=False)


def _view(recording: Path) -> None:
    from footfall.viewer.show import View, load_subject

    with until_interrupted() as wait, View(load_subject(str(recording)), play=True, loop=True) as shown:
        screen().print(f"open {shown.address} in a browser; Ctrl-C ends", highlight=False, markup=False)
        wait()
