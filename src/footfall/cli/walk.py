"""`footfall walk`: a humanoid walks through a scene by itself; `footfall replay`: the same walk again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.files import output_folder
from footfall.cli.screen import errors, program, progress, screen, table
from footfall.cli.view import until_interrupted

if TYPE_CHECKING:
    from footfall.walking.request import WalkRequest
    from footfall.walking.summary import WalkSummary
    from footfall.walking.walk import Walk

_DEFAULT = "platform"  # run
_MISSED = 1  # exit status if the goal is not reached


def walk(
    scene: Annotated[
        str | None, typer.Argument(help="A scene: shipped name or file (.toml). Default: the platform.")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="A walk with a name; --list shows them.")] = None,
    route: Annotated[
        str | None, typer.Option(help="A plan of steps: shipped name (`footfall plan list`) or file.")
    ] = None,
    goal: Annotated[str | None, typer.Option(help="Where to go: X,Y,YAW in m and degrees.")] = None,
    script: Annotated[
        Path | None, typer.Option(help="What it is told on the way, and what happens around it (.toml).")
    ] = None,
    sight: Annotated[
        str | None, typer.Option(help="How it sees: exact, noisy, or camera (in its head, on the way).")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="How long; by default until all is done.")] = None,
    robot: Annotated[str | None, typer.Option(help="Who walks: shipped name or file. Default: lola.")] = None,
    speed: Annotated[float | None, typer.Option(help="At most, m/s.")] = None,
    noise: Annotated[bool, typer.Option("--noise", help="Sensors have errors and delays.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is random.")] = 0,
    mode: Annotated[
        str | None,
        typer.Option(help="reduced: joints follow exactly (default). full: servos, motors, gears and a bus."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="In full mode, what breaks: KIND,START,SECONDS or KIND:NAME,START,SECONDS; kinds are bus, motor, "
            "encoder, force."
        ),
    ] = None,
    bus: Annotated[
        str | None,
        typer.Option(
            help="In full mode: LATENCY,JITTER,DROPPED; ticks of 0.25 ms, and probabilities of late and lost frames."
        ),
    ] = None,
    push: Annotated[
        list[str] | None, typer.Option(help="BODY,FX,FY,FZ,START,SECONDS: a force on a body, N and s.")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1, max=100, help="Steps of the simulation in a control period of 1 ms: 2, in full mode 4."
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--view", help="Show it in the browser, until Ctrl-C.")] = False,
    panel: Annotated[
        bool, typer.Option("--panel", help="Command it from the browser while it walks, until Ctrl-C.")
    ] = False,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the page of plots.")] = True,
    video: Annotated[
        Path | None, typer.Option(help="Also draw a moving picture: .gif or .webp; wants Chromium.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what is written.")] = Path(
        "walk"
    ),
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
        _print_listing()
        return
    if parameters:
        _print_parameters(robot or "lola")
        return
    request = _request(run, scene, script)
    changes = {
        "sight": sight,
        "seconds": seconds,
        "route": route,
        "robot": robot,
        "speed": speed,
        "goal": None if goal is None else _goal(goal),
        "noise": noise or None,
        "seed": seed or None,
        "substeps": steps,
        **_hardware_options(mode, bus, fault),
    }
    request = _changed(request, {name: value for name, value in changes.items() if value is not None})
    if push:
        from footfall.walking.request import read_push

        request = _changed(request, {"pushes": (*request.pushes, *(read_push(text) for text in push))})
    name = run or Path(script or scene or _DEFAULT).stem
    if panel:
        _walk_by_hand(request, output, name=name, plots=plot)
        return
    run_and_write(request, output, name=name, plots=plot, as_json=as_json, show=show, video=video)


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
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the page of plots.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for what is written.")] = Path(
        "replay"
    ),
) -> None:
    """Walk once more as a file says, with all that was told on the way: the same bits.

    [dim]$[/] footfall replay walk/platform.walk.json
    """
    from footfall.walking.request import read_request

    name = source.name.removesuffix(".walk.json")
    run_and_write(read_request(source), output, name=name, plots=plot, as_json=as_json)


def run_and_write(
    request: WalkRequest,
    output: Path,
    *,
    name: str,
    plots: bool = True,
    as_json: bool = False,
    show: bool = False,
    video: Path | None = None,
) -> None:
    """Walk, write all files, print what happened; leaves with a status."""
    from footfall.scenarios.pyplot import load_pyplot
    from footfall.scenarios.walking.outputs import summary_text, write_walk
    from footfall.walking.walk import walk as run_walk

    output_folder(output)
    if video is not None:
        from footfall.viewer.video import checked_video

        video = checked_video(video)
    if plots:
        load_pyplot()  # rather fail now than after the walk
    with progress("preparing; the first time native code is made, which takes a minute", 1.0) as told:
        done = run_walk(
            request, progress=lambda now, end: told(now / end, f"walking, {now:.1f} of {end:.1f} s")
        )
    written = write_walk(done, output, name=name, plots=plots)
    if as_json:
        typer.echo(summary_text(done))
    else:
        _print_summary(done, name)
        screen().print(
            "Written: " + ", ".join(str(path) for path in written), highlight=False, soft_wrap=True
        )
        screen().print(f"View it: {program()} view {written[0]}", highlight=False, soft_wrap=True)
    if video is not None:
        _draw_video(written[0], video)
    if show:
        _view(written[0])
    if not done.summary.reached:
        raise typer.Exit(_MISSED)


def _walk_by_hand(request: WalkRequest, output: Path, *, name: str, plots: bool) -> None:
    """Walk as a page in the browser says, then write all files."""
    from footfall.scenarios.walking.outputs import write_walk
    from footfall.viewer.stage import Stage
    from footfall.viewer.walk_panel import WalkPanel
    from footfall.walking.session import WalkSession
    from footfall.walking.walk import Walk, summarise

    output_folder(output)
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
    written = write_walk(done, output, name=name, plots=plots)
    _print_summary(done, name)
    screen().print("Written: " + ", ".join(str(path) for path in written), highlight=False, soft_wrap=True)


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
    import msgspec

    return msgspec.structs.replace(request, **changes)


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


def _print_listing() -> None:
    from footfall.scene import library
    from footfall.walking.runs import RUNS

    rows = [[name, each.about] for name, each in RUNS.items()]
    screen().print(table("Walks: footfall walk --run NAME", ["name", "what"], rows))
    scenes = [[name, library.about(name)] for name in library.names()]
    screen().print(table("Scenes: footfall walk NAME", ["name", "what"], scenes))


def _print_parameters(robot: str) -> None:
    from footfall.walking.session import WalkSession

    rows = [[name, str(value)] for name, value in WalkSession(robot=robot).parameters.items()]
    screen().print(table('Parameters: [[signal]] do = "set"', ["name", "value"], rows))


def _print_summary(done: Walk, name: str) -> None:
    found = done.summary
    rows = [
        ["goal", "reached" if found.reached else found.problem or "not reached"],
        ["off the goal", f"{1e3 * found.goal_error:.0f} mm, {found.goal_turn * 57.2958:.1f} degrees"],
        ["fall", found.cause or "none"],
        ["simulated", f"{found.time:.2f} s, {found.real_time_factor:.1f} times real time"],
        ["steps", f"{found.steps}"],
        ["hand contacts, planned, made", f"{found.planned_hand_contacts}, {found.made_hand_contacts}"],
        ["distance, speed", f"{found.distance:.2f} m, {found.speed:.2f} m/s"],
        ["control period, median", f"{found.control_us:.1f} us"],
        [
            "planning; plans, longest on the way",
            f"{found.planning_ms:.1f} ms; {found.plans}, {found.replanning_ms:.1f} ms",
        ],
        ["greatest tilt against the plan", f"{found.tilt * 57.2958:.2f} degrees"],
        ["centre of mass against the plan, RMS", f"{1e3 * found.center_error_rms:.1f} mm"],
        ["zero-moment point against the plan, RMS", f"{1e3 * found.zmp_error_rms:.1f} mm"],
        ["greatest force on a foot, a hand", f"{found.peak_foot_force:.0f} N, {found.peak_hand_force:.0f} N"],
        [
            "drift of the estimate",
            f"{1e3 * found.drift:.0f} mm, {found.drift_turn * 57.2958:.1f} degrees",
        ],
        ["residual of contact, of the weight", f"{found.residual:.1e}"],
        *_hardware_rows(found),
        ["energy, cost of transport", f"{found.energy:.0f} J, {found.cost_of_transport:.2f}"],
    ]
    screen().print(table(f"Walk: {name}", ["", "value"], rows))


def _hardware_rows(found: WalkSummary) -> list[list[str]]:
    if found.mode != "full":
        return []
    return [
        ["greatest error of a joint against its set point", f"{found.tracking * 57.2958:.2f} degrees"],
        ["greatest current, of what its motor can have", f"{found.strain:.0%}"],
        ["lost frames of the bus", f"{found.lost_frames}"],
    ]


def _view(recording: Path) -> None:
    from footfall.viewer.show import View, load_subject

    with until_interrupted() as wait, View(load_subject(str(recording)), play=True, loop=True) as shown:
        screen().print(f"open {shown.address} in a browser; Ctrl-C ends", highlight=False, markup=False)
        wait()
