"""`footfall check`: what a robot needs to walk, and what of it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.frame_options import FrameOption, SoleOption, read_frames, read_sole
from footfall.cli.options import LenientOption
from footfall.cli.screen import errors, screen, table

_SIGNS = {"good": "yes", "weak": "partly", "missing": "NO"}


def check(
    robot: Annotated[str, typer.Argument(help="A robot's name or file (URDF, MJCF, TOML).")],
    frame: FrameOption = None,
    sole: SoleOption = None,
    lenient: LenientOption = False,
) -> None:
    """Say what a robot needs to walk and what of it is missing: frames, soles, limits, reach, and a short walk.

    Exit status 0 if it can walk.
    """
    from footfall import load
    from footfall.motion.walk_check import check_walking
    from footfall.robot import library

    path = Path(robot)
    # A shipped arm is fixed for good; others' files say nothing of their base.
    free = None if library.find(robot) is not None else True
    machine = load(robot, floating_base=free, strict=not lenient)
    findings = check_walking(machine, frames=read_frames(frame) or None, sole=read_sole(sole))
    rows = [(each.what, _SIGNS[each.state], each.told, each.advice) for each in findings]
    screen().print(table(f"Can {path.stem} walk?", ("needs", "there", "found", "what to do"), rows))
    if findings[-1].state == "missing":
        errors().print(f"it cannot walk: {findings[-1].what}", highlight=False, markup=False)
        raise typer.Exit(1)
    screen().print("it can walk", highlight=False)
