"""Options of `footfall walk` in groups: where to, who and how, what goes wrong, and what is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.frame_options import FRAME_HELP, FRAME_METAVAR, SOLE_HELP, SOLE_METAVAR
from footfall.cli.goal_option import METAVAR

_WAY, _ROBOT, _TROUBLE, _OUTPUT = "Where to", "Who and how", "What goes wrong", "What is made of it"


def _option(
    *names: str,
    help: str,
    panel: str,
    metavar: str | None = None,
    min: int | None = None,
    max: int | None = None,
) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(
        *names, help=help, rich_help_panel=panel, metavar=metavar, min=min, max=max
    )
    return found


Plot = Annotated[bool, _option("--plot/--no-plot", help="Draw the page of plots.", panel=_OUTPUT)]
AsJson = Annotated[bool, _option("--json", help="Print the summary as one JSON object.", panel=_OUTPUT)]
Output = Annotated[Path, _option("--output", "-o", help="Folder for what is written.", panel=_OUTPUT)]


@dataclass(frozen=True)
class RouteOptions:
    """Where to, and how long."""

    run: Annotated[
        str | None, _option("--run", help="A walk with a name; --list shows them.", panel=_WAY)
    ] = None
    route: Annotated[
        str | None,
        _option("--route", help="A plan of steps: shipped name (`footfall plan list`) or file.", panel=_WAY),
    ] = None
    goal: Annotated[
        str | None,
        _option("--goal", metavar=METAVAR, help="Where to go, m and degrees.", panel=_WAY),
    ] = None
    script: Annotated[
        Path | None,
        _option("--script", help="Signals that it receives, and events around it (.toml).", panel=_WAY),
    ] = None
    seconds: Annotated[
        float | None,
        _option("--seconds", "--duration", help="How long, s; by default until all is done.", panel=_WAY),
    ] = None
    speed: Annotated[float | None, _option("--speed", help="At most, m/s.", panel=_WAY)] = None


@dataclass(frozen=True)
class Walker:
    """Who walks, and how it is simulated."""

    robot: Annotated[
        str | None,
        _option(
            "--robot", help="Who walks: a name (footfall robots) or a file. Default: lola.", panel=_ROBOT
        ),
    ] = None
    frame: Annotated[
        list[str] | None, _option("--frame", metavar=FRAME_METAVAR, help=FRAME_HELP, panel=_ROBOT)
    ] = None
    sole: Annotated[str | None, _option("--sole", metavar=SOLE_METAVAR, help=SOLE_HELP, panel=_ROBOT)] = None
    lenient: Annotated[
        bool, _option("--lenient", help="Take impossible inertias of a robot with a warning.", panel=_ROBOT)
    ] = False
    mode: Annotated[
        str | None,
        _option(
            "--mode",
            help="reduced: joints follow exactly (default). full: servos, motors, gears and a bus.",
            panel=_ROBOT,
        ),
    ] = None
    generator: Annotated[
        str | None,
        _option(
            "--generator",
            help="The model that plans its centre of mass: lipm, preview, dcm, mpc, flywheel, biped, three_masses, "
            "five_masses, centroidal, whole_body (default).",
            panel=_ROBOT,
        ),
    ] = None
    sight: Annotated[
        str | None,
        _option(
            "--sight", help="How it sees: exact, noisy, or camera (in its head, on the way).", panel=_ROBOT
        ),
    ] = None
    localisation: Annotated[
        str | None,
        _option(
            "--localisation",
            help="How it knows where it is: exact, camera (a tracking camera, default with --sight camera), none.",
            panel=_ROBOT,
        ),
    ] = None
    scan: Annotated[
        bool,
        _option(
            "--scan", help="Look around with the head before it walks, if it sees by a camera.", panel=_ROBOT
        ),
    ] = False
    vision: Annotated[
        str | None,
        _option(
            "--vision",
            metavar="HOST:PORT",
            help="A process that sees for it: `footfall perceive --serve`; its token is in FOOTFALL_VISION_TOKEN.",
            panel=_ROBOT,
        ),
    ] = None
    perception: Annotated[
        Path | None,
        _option(
            "--perception",
            help="A file of what such a process has sent (.mcap), instead of one.",
            panel=_ROBOT,
        ),
    ] = None
    steps: Annotated[
        int | None,
        _option(
            "--steps",
            help="Steps of the simulation in a control period of 1 ms: 2, in full mode 4.",
            panel=_ROBOT,
            min=1,
            max=100,
        ),
    ] = None


@dataclass(frozen=True)
class Trouble:
    """What goes wrong."""

    noise: Annotated[bool, _option("--noise", help="Sensors have errors and delays.", panel=_TROUBLE)] = False
    seed: Annotated[int, _option("--seed", help="Of all that is random.", panel=_TROUBLE, min=0)] = 0
    push: Annotated[
        list[str] | None,
        _option("--push", help="BODY,FX,FY,FZ,START,SECONDS: a force on a body, N and s.", panel=_TROUBLE),
    ] = None
    bus: Annotated[
        str | None,
        _option(
            "--bus",
            help="In full mode: LATENCY,JITTER,DROPPED; ticks of 0.25 ms, and probabilities of late and lost frames.",
            panel=_TROUBLE,
        ),
    ] = None
    fault: Annotated[
        list[str] | None,
        _option(
            "--fault",
            help="In full mode, what breaks: KIND,START,SECONDS or KIND:NAME,START,SECONDS; kinds are bus, motor, "
            "encoder, force.",
            panel=_TROUBLE,
        ),
    ] = None


@dataclass(frozen=True)
class Results:
    """What is made of a walk."""

    show: Annotated[bool, _option("--view", help="Show it in the browser, until Ctrl-C.", panel=_OUTPUT)] = (
        False
    )
    panel: Annotated[
        bool,
        _option("--panel", help="Command it from the browser while it walks, until Ctrl-C.", panel=_OUTPUT),
    ] = False
    plot: Plot = True
    video: Annotated[
        Path | None,
        _option(
            "--video", help="Also draw a video: .mp4, .webm, .gif or .webp; wants Chromium.", panel=_OUTPUT
        ),
    ] = None
    as_json: AsJson = False
    output: Output = Path("walk")
    live: Annotated[
        bool,
        _option(
            "--live",
            help="In real time, with the planner in a process of its own; `footfall signal` commands it.",
            panel=_OUTPUT,
        ),
    ] = False
    priority: Annotated[
        bool,
        _option("--priority", help="With --live: ask the system for real-time priority.", panel=_OUTPUT),
    ] = False
    capture: Annotated[
        bool,
        _option(
            "--capture",
            help="With --live: write what motion capture would see of it, beside the truth (.capture.mcap).",
            panel=_OUTPUT,
        ),
    ] = False
    log_every: Annotated[
        int,
        _option("--log-every", help="Periods that a row of the .npz stands for.", panel=_OUTPUT, min=1),
    ] = 1
    log_memory: Annotated[
        int,
        _option(
            "--log-memory",
            help="MB that rows in memory may take: the .npz has the latest of them, the recording all at 100 Hz.",
            panel=_OUTPUT,
            min=1,
        ),
    ] = 256

    @property
    def log_bytes(self) -> float:
        """Bytes that rows in memory may take."""
        return 1e6 * self.log_memory
