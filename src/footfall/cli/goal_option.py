"""`--goal X,Y[,YAW[,Z]]` of the commands that go somewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from footfall.planning.contacts import Goal

METAVAR = "X,Y[,YAW[,Z]]"


def read_goal(text: str) -> Goal:
    """A goal as it is typed, X,Y or X,Y,YAW or X,Y,YAW,Z in m and degrees; refused if it is none, or turns more than
    once."""
    from footfall.planning.contacts import Goal

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3, 4) or not all(math.isfinite(number) for number in numbers):
        raise typer.BadParameter(
            f"--goal is {text!r}; it must be X,Y or X,Y,YAW in m and degrees, 3,0 or 3,0,90 say; a fourth "
            "number is the height of its storey, m"
        )
    x, y, yaw = (*numbers, 0.0)[:3]
    if abs(yaw) > 360.0:
        within = math.degrees(math.atan2(math.sin(math.radians(yaw)), math.cos(math.radians(yaw))))
        raise typer.BadParameter(
            f"YAW of --goal is {yaw:g} degrees, more than a turn; write {within:.4g} if you mean that heading"
        )
    return Goal(x, y, math.radians(yaw), numbers[3] if len(numbers) == 4 else None)
