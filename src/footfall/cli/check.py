"""`footfall check`: what a robot needs to walk, and what of it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.frame_options import FrameOption, SoleOption, read_frames, read_sole
from footfall.cli.options import LenientOption
from footfall.cli.screen import errors, progress, screen, table

_SIGNS = {"good": "yes", "weak": "partly", "missing": "NO"}


def check(
    robot: Annotated[str, typer.Argument(help="A robot's name or file (URDF, xacro, SDF, MJCF, TOML).")],
    frame: FrameOption = None,
    sole: SoleOption = None,
    lenient: LenientOption = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave the walk in closed loop out, which needs native code.")
    ] = False,
) -> None:
    """Say what a robot needs to walk and what of it is missing: frames, soles, limits, reach, a planned walk, and a
    metre in closed loop, judged as `footfall walk` does.

    Exit status 0 if it can walk.
    """
    from footfall import load
    from footfall.motion.walk_check import check_walking
    from footfall.robot import library
    from footfall.walking.request import WalkRequest
    from footfall.walking.trial import try_walk

    path = Path(robot)
    # A shipped arm is fixed for good; others' files say nothing of their base.
    free = None if library.find(robot) is not None else True
    machine = load(robot, floating_base=free, strict=not lenient)
    frames, area = read_frames(frame), read_sole(sole)
    request = WalkRequest(robot=robot, lenient=lenient, frames=frames, sole=area)
    findings = check_walking(machine, frames=frames or None, sole=area)
    if not quick and findings[-1].state != "missing":
        with progress("making native code for its walk, which takes a minute the first time", 1.0) as report:
            walked = try_walk(
                request, progress=lambda now, end: report(now / end, f"walking, {now:.1f} of {end:.1f} s")
            )
        findings.append(walked)
    rows = [(each.what, _SIGNS[each.state], each.outcome, each.advice) for each in findings]
    screen().print(table(f"Can {path.stem} walk?", ("needs", "there", "found", "what to do"), rows))
    if findings[-1].state == "missing":
        errors().print(f"it cannot walk: {findings[-1].what}", highlight=False, markup=False)
        raise typer.Exit(1)
    screen().print("it can walk", highlight=False)
