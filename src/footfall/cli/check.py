"""`footfall check`: what a robot needs to walk, and what of it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.cli.options import LenientOption
from footfall.cli.screen import errors, screen, table

_SIGNS = {"good": "yes", "weak": "partly", "missing": "NO"}


def check(
    robot: Annotated[str, typer.Argument(help="A robot's name or file (URDF, MJCF, TOML).")],
    frame: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FRAME", help="Which frame is RF, LF, RH, LH, UB or VTCP; may be repeated."
        ),
    ] = None,
    sole: Annotated[
        str | None,
        typer.Option(metavar="REAR,FRONT,RIGHT,LEFT", help="The sole in the frame of a foot, m."),
    ] = None,
    lenient: LenientOption = False,
) -> None:
    """Say what a robot needs to walk and what of it is missing: frames, soles, limits, reach, and a short walk.

    Exit status 0 if it can walk.
    """
    from footfall import load
    from footfall.motion.walk_check import check_walking

    frames = dict(_named(entry) for entry in frame or [])
    path = Path(robot)
    machine = load(robot, floating_base=True if path.suffix == ".urdf" else None, strict=not lenient)
    findings = check_walking(machine, frames=frames or None, sole=_rectangle(sole))
    rows = [(each.what, _SIGNS[each.state], each.told, each.advice) for each in findings]
    screen().print(table(f"Can {path.stem} walk?", ("needs", "there", "found", "what to do"), rows))
    if findings[-1].state == "missing":
        errors().print(f"it cannot walk: {findings[-1].what}", highlight=False, markup=False)
        raise typer.Exit(1)
    screen().print("it can walk", highlight=False)


def _named(entry: str) -> tuple[str, str]:
    name, sign, frame = entry.partition("=")
    if not sign or not name or not frame:
        raise typer.BadParameter(f"--frame {entry!r}; it must be like RF=right_sole")
    return name, frame


def _rectangle(text: str | None) -> tuple[float, float, float, float] | None:
    if text is None:
        return None
    try:
        rear, front, right, left = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"--sole {text!r}; it must be four numbers: REAR,FRONT,RIGHT,LEFT") from None
    return rear, front, right, left
