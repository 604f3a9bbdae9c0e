"""`footfall perceive`: what a robot would believe of a scene, as a file, or played to walks by a process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.option_groups import grouped
from footfall.cli.screen import errors, screen
from footfall.cli.view import until_interrupted
from footfall.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.walking.vision.service import Seer

_FILE, _SERVE = "A file", "A process that sees for walks"
PORT = 5265


@dataclass(frozen=True)
class FileOptions:
    """What is written."""

    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", rich_help_panel=_FILE)] = (
        Path("environment.toml")
    )
    voxel: Annotated[
        float, typer.Option(help="Grid of rebuilt surfaces, m; 0: as they are.", rich_help_panel=_FILE)
    ] = 0.05
    noise: Annotated[
        float, typer.Option(help="Standard deviation of surfaces, m.", rich_help_panel=_FILE)
    ] = 0.004
    time: Annotated[float, typer.Option(help="Of objects on given paths, s.", rich_help_panel=_FILE)] = 0.0
    beside: Annotated[
        bool,
        typer.Option("--beside", help="Write pictures and meshes as files beside it.", rich_help_panel=_FILE),
    ] = False
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.", rich_help_panel=_FILE)] = False


@dataclass(frozen=True)
class ServeOptions:
    """How walks are served."""

    serve: Annotated[
        bool,
        typer.Option(
            "--serve",
            help="See for walks that connect (`footfall walk --vision`), until Ctrl-C.",
            rich_help_panel=_SERVE,
        ),
    ] = False
    play: Annotated[
        Path | None,
        typer.Option(
            "--play", help="Play recorded perception (.mcap) instead of a scene.", rich_help_panel=_SERVE
        ),
    ] = None
    sight: Annotated[
        str,
        typer.Option(
            "--sight",
            help="camera: a depth camera in the robot's head, bit by bit; noisy, exact: all of the scene at once.",
            rich_help_panel=_SERVE,
        ),
    ] = "camera"
    ideal: Annotated[
        bool, typer.Option("--ideal", help="Cameras without errors.", rich_help_panel=_SERVE)
    ] = False
    rate: Annotated[float, typer.Option("--rate", help="Of pictures, Hz.", rich_help_panel=_SERVE)] = 5.0
    drift: Annotated[
        float,
        typer.Option(
            "--drift",
            help="Of the tracking camera of --sight camera, a part of the way.",
            rich_help_panel=_SERVE,
        ),
    ] = 0.002
    host: Annotated[str, typer.Option("--host", help="Address to listen on.", rich_help_panel=_SERVE)] = (
        "127.0.0.1"
    )
    port: Annotated[
        int, typer.Option("--port", help="0: a free one.", min=0, max=65535, rich_help_panel=_SERVE)
    ] = PORT
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="FOOTFALL_VISION_TOKEN",
            help="A secret that walks must show; better as a variable than on the command line.",
            rich_help_panel=_SERVE,
        ),
    ] = ""
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", help="File that keeps what the first walk receives.", rich_help_panel=_SERVE
        ),
    ] = None


@grouped
def perceive(
    source: Annotated[str | None, typer.Argument(help="A scene: shipped name or file.")] = None,
    *,
    seed: Annotated[int, typer.Option(help="Of the noise.", min=0)] = 0,
    file: FileOptions,
    service: ServeOptions,
) -> None:
    """Make the environment that good cameras would see of a scene; or, with --serve, see for walks in other processes.

    [dim]$[/] footfall perceive stairs -o stairs-seen.toml

    [dim]$[/] footfall view stairs-seen.toml

    [dim]$[/] footfall perceive --serve obstacles

    [dim]$[/] footfall perceive --serve --play walk/obstacles.perception.mcap
    """
    if service.serve:
        _serve(source, seed, service)
        return
    if service.play is not None or service.record is not None:
        raise InvalidInput("--play and --record want --serve")
    if source is None:
        raise InvalidInput("say which scene: `footfall perceive stairs`")
    from footfall.environment.files import save_environment
    from footfall.environment.perception import PerceptionOptions
    from footfall.environment.perception import perceive as see
    from footfall.scene.load import load_scene

    new_file(file.output, force=file.force)
    options = PerceptionOptions(voxel=file.voxel, noise=file.noise, seed=seed)
    environment = see(load_scene(source), options, time=file.time)
    save_environment(environment, file.output, embedded=not file.beside, compressed=not file.beside)
    screen().print(f"{environment!r}\nwritten to {file.output}", highlight=False, markup=False)


def _serve(source: str | None, seed: int, options: ServeOptions) -> None:
    from footfall.walking.vision.service import VisionService

    seer = _seer(source, seed, options)
    if options.record is not None:
        new_file(options.record, force=False)
    if options.host not in ("127.0.0.1", "localhost", "::1") and not options.token:
        raise InvalidInput(f"--host is {options.host}, which others reach: give a --token")
    try:
        service = VisionService(
            seer, host=options.host, port=options.port, token=options.token, record=options.record
        )
    except OSError as problem:
        raise InvalidInput(
            f"cannot listen on {options.host}:{options.port}: {problem.strerror or problem}; choose another --port"
        ) from None
    with service, until_interrupted() as wait:
        host, port = service.address
        errors().print(
            f"seeing for walks: footfall walk {source or ''} --vision {host}:{port}; Ctrl-C ends it",
            highlight=False,
            markup=False,
        )
        wait()


def _seer(source: str | None, seed: int, options: ServeOptions) -> Callable[[], Seer]:
    from footfall.environment.vision.recordings import read_perception
    from footfall.environment.vision.tracking import TrackingQuality
    from footfall.scene.load import load_scene
    from footfall.walking.vision.service import RecordingSeer, SceneSeer, SeeingOptions, seen_before
    from footfall.walking.walker import soft_scene

    if options.play is not None:
        if source is not None:
            raise InvalidInput(f"there are a scene, {source!r}, and a recording to play; give one of them")
        path = options.play
        next(read_perception(path))  # refused now, not when a walk connects
        return lambda: RecordingSeer(path)
    if not 0.0 <= options.drift <= 0.2:
        raise InvalidInput(f"--drift is {options.drift:g}; it must be from 0 to 0.2 of the way")
    seeing = SeeingOptions(
        sight=options.sight,  # type: ignore[arg-type]  # checked where it is made
        noise=not options.ideal,
        seed=seed,
        rate=options.rate,
        tracking=TrackingQuality(drift=options.drift),
    )
    if source is None:
        raise InvalidInput("say which scene is seen: `footfall perceive --serve obstacles`")
    scene = soft_scene(load_scene(source))
    whole = seen_before(scene, seeing)  # now, not when a walk connects
    return lambda: SceneSeer(scene, seeing, whole)
