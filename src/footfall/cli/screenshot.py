"""`footfall screenshot`: a picture of a robot or a recording."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.files import new_file
from footfall.cli.option_groups import grouped
from footfall.cli.options import SubjectOptions
from footfall.cli.screen import screen


def picture_size(text: str) -> tuple[int, int]:
    """Width and height in pixels, as they are typed."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if match is None:
        raise typer.BadParameter(f"{text!r}; write width and height in pixels as 1280x960")
    return int(match.group(1)), int(match.group(2))


@grouped
def screenshot(
    source: Annotated[
        str,
        typer.Argument(
            help="A recording, an environment, a workspace, or a robot or scene: shipped name or file."
        ),
    ],
    target: Annotated[Path, typer.Argument(help="PNG file to write.")],
    *,
    time: Annotated[
        float | None, typer.Option(help="Instant of a recording in s; default: its last.")
    ] = None,
    size: Annotated[str, typer.Option(help="Width and height in pixels.")] = "1280x960",
    volumes: Annotated[
        bool,
        typer.Option("--volumes", help="Draw the volumes of a robot (of a recording, too) or of objects."),
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Colour the terrain of an environment by confidence.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    reading: SubjectOptions,
) -> None:
    """Take a picture of a recording or a robot. Needs Chromium.

    [dim]$[/] footfall screenshot lola lola.png --size 800x600

    [dim]$[/] footfall screenshot trot.mcap trot.png --time 1.5
    """
    from footfall.environment.model import Environment
    from footfall.recording.reader import Recording
    from footfall.robot.model import Robot
    from footfall.viewer.screenshot import take_screenshot

    pixels = picture_size(size)
    if target.suffix.lower() != ".png":
        raise typer.BadParameter(f"{str(target)!r}; pictures are PNG: name a file that ends in .png")
    new_file(target, force=force)
    subject = reading.load(source)
    if time is not None and not isinstance(subject, Recording):
        raise typer.BadParameter(f"--time is for recordings; {source!r} is none")
    believed = isinstance(subject, Environment)
    robot = subject.robot if isinstance(subject, Recording) else subject
    if volumes and not believed and not (isinstance(robot, Robot) and robot.volumes):
        raise typer.BadParameter(f"--volumes is for robots that have some; {source!r} has none")
    if confidence and not believed:
        raise typer.BadParameter(f"--confidence is for environments; {source!r} is none")
    take_screenshot(
        subject,
        target,
        time=time,
        size=pixels,
        configuration=reading.configuration,
        volumes=volumes,
        confidence=confidence,
    )
    screen().print(f"{subject!r}\nwritten to {target}", highlight=False, markup=False)
