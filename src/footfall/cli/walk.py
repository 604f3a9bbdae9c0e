"""`footfall walk`: a humanoid walks through a scene by itself; `footfall replay`: the same walk again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from footfall.cli import walk_options as options
from footfall.cli.files import output_folder
from footfall.cli.screen import errors, program, progress, screen
from footfall.cli.view import until_interrupted
from footfall.cli.walk_tables import print_listing, print_parameters, print_summary

if TYPE_CHECKING:
    from footfall.walking.request import WalkRequest

_DEFAULT = "platform"  # run
_MISSED = 1  # exit status if the goal is not reached


class Wishes(NamedTuple):
    """What is to be made of a walk. name: of its files. output: folder for them. plots: whether to draw them. as_json:
    print the summary as JSON. show: in the browser. video: file of a moving picture."""

    name: str
    output: Path
    plots: bool = True
    as_json: bool = False
    show: bool = False
    video: Path | None = None


def walk(
    scene: options.Scene = None,
    run: options.Run = None,
    route: options.Route = None,
    goal: options.GoalText = None,
    script: options.Script = None,
    seconds: options.Seconds = None,
    speed: options.Speed = None,
    robot: options.RobotName = None,
    mode: options.Mode = None,
    sight: options.SightName = None,
    steps: options.Steps = None,
    noise: options.Noise = False,
    seed: options.Seed = 0,
    push: options.Pushes = None,
    bus: options.Bus = None,
    fault: options.Faults = None,
    show: options.Show = False,
    panel: options.Panel = False,
    plot: options.Plot = True,
    video: options.Video = None,
    as_json: options.AsJson = False,
    output: options.Output = Path("walk"),
    listing: options.Listing = False,
    parameters: options.Parameters = False,
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
        print_parameters(robot or "lola")
        return
    request = _changed(
        _request(run, scene, script),
        {
            "route": route,
            "goal": None if goal is None else _goal(goal),
            "seconds": seconds,
            "speed": speed,
            "robot": robot,
            "sight": sight,
            "substeps": steps,
            "noise": noise or None,
            "seed": seed or None,
            **_hardware_options(mode, bus, fault),
        },
    )
    request = _with_pushes(_with_goal(request, of_scene=run is None and script is None), push or [])
    wishes = Wishes(run or Path(script or scene or _DEFAULT).stem, output, plot, as_json, show, video)
    if panel:
        _walk_by_hand(request, wishes)
    else:
        run_and_write(request, wishes)


def _with_goal(request: WalkRequest, *, of_scene: bool) -> WalkRequest:
    """The request with the goal of its scene, if it has one and nothing else is asked for."""
    from footfall.scene.load import load_scene
    from footfall.walking.walk import with_goal_of_scene

    if not of_scene or request.route is not None or request.goal is not None:
        return request
    scene = load_scene(request.scene)
    return request if scene.goal is None else with_goal_of_scene(request, scene)


def _with_pushes(request: WalkRequest, pushes: list[str]) -> WalkRequest:
    from footfall.walking.request import read_push

    return _changed(request, {"pushes": (*request.pushes, *(read_push(text) for text in pushes))})


def _hardware_options(mode: str | None, bus: str | None, faults: list[str] | None) -> dict[str, object]:
    """Changes of a request, None where nothing is said."""
    from typing import get_args

    from footfall.walking.hardware_request import read_bus, read_fault
    from footfall.walking.request import WalkMode

    if mode is not None and mode not in get_args(WalkMode):
        raise typer.BadParameter(f"--mode is {mode!r}; it must be {' or '.join(get_args(WalkMode))}")
    return {
        "mode": mode,
        "bus": None if bus is None else read_bus(bus),
        "faults": tuple(read_fault(text) for text in faults) if faults else None,
    }


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
    run_and_write(read_request(source), Wishes(name, output, plot, as_json))


def run_and_write(request: WalkRequest, wishes: Wishes) -> None:
    """Walk, write all files, print what happened; leaves with a status."""
    from footfall.scenarios.pyplot import load_pyplot
    from footfall.scenarios.walking.outputs import summary_text, write_walk
    from footfall.walking.walk import walk as run_walk

    output_folder(wishes.output)
    video = wishes.video
    if video is not None:
        from footfall.viewer.video import checked_video

        video = checked_video(video)
    if wishes.plots:
        load_pyplot()  # rather fail now than after the walk
    with progress("preparing; the first time native code is made, which takes a minute", 1.0) as told:
        done = run_walk(
            request, progress=lambda now, end: told(now / end, f"walking, {now:.1f} of {end:.1f} s")
        )
    written = write_walk(done, wishes.output, name=wishes.name, plots=wishes.plots)
    if wishes.as_json:
        typer.echo(summary_text(done))
    else:
        print_summary(done.summary, wishes.name)
        _print_written(written)
        screen().print(f"View it: {program()} view {written[0]}", highlight=False, soft_wrap=True)
    if video is not None:
        _draw_video(written[0], video)
    if wishes.show:
        _view(written[0])
    if not done.summary.reached:
        raise typer.Exit(_MISSED)


def _walk_by_hand(request: WalkRequest, wishes: Wishes) -> None:
    """Walk as a page in the browser says, then write all files; a fall is told by the status."""
    from footfall.scenarios.walking.outputs import write_walk
    from footfall.viewer.stage import Stage
    from footfall.viewer.walk_panel import WalkPanel
    from footfall.walking.session import WalkSession
    from footfall.walking.walk import Walk, summarise

    output_folder(wishes.output)
    session = WalkSession(request)
    stage = Stage(title=f"walk: {wishes.name}")
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
    written = write_walk(done, wishes.output, name=wishes.name, plots=wishes.plots)
    print_summary(done.summary, wishes.name)
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


def _request(run: str | None, scene: str | None, script: Path | None) -> WalkRequest:
    from footfall.errors import UnknownName
    from footfall.walking.request import WalkRequest, read_request
    from footfall.walking.runs import RUNS

    if script is not None:
        if run is not None:
            raise typer.BadParameter("give --run or --script, not both")
        request = read_request(script)
        return request if scene is None else _changed(request, {"scene": scene})
    if run is None and scene is not None:
        return WalkRequest(scene=scene)
    run = run or _DEFAULT
    if run not in RUNS:
        raise UnknownName("walk", run, list(RUNS), "footfall walk --list")
    request = RUNS[run].request
    return request if scene is None else _changed(request, {"scene": scene})


def _changed(request: WalkRequest, changes: dict[str, object]) -> WalkRequest:
    """The request with what was said; None leaves it as it is."""
    import msgspec

    said = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(request, **said)


def _goal(text: str) -> tuple[float, float, float]:
    """X,Y or X,Y,YAW; m and degrees."""
    import math

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3):
        raise typer.BadParameter(f"--goal is {text!r}; it must be X,Y,YAW in m and degrees, such as 3,0,90")
    x, y, yaw = (*numbers, 0.0)[:3]
    return x, y, math.radians(yaw)


def _view(recording: Path) -> None:
    from footfall.viewer.show import View, load_subject

    with until_interrupted() as wait, View(load_subject(str(recording)), play=True, loop=True) as shown:
        screen().print(f"open {shown.address} in a browser; Ctrl-C ends", highlight=False, markup=False)
        wait()
