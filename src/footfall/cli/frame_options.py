"""Options that say which frames of a robot are its feet, hands and head, and what its soles are."""

from __future__ import annotations

from typing import Annotated

import typer

FRAME_HELP = "Which frame is RF, LF, RH, LH, UB or VTCP; may be repeated."
SOLE_HELP = "The sole in the frame of a foot, m, where its shapes do not show it."
FRAME_METAVAR, SOLE_METAVAR = "NAME=FRAME", "REAR,FRONT,RIGHT,LEFT"

FrameOption = Annotated[list[str] | None, typer.Option(metavar=FRAME_METAVAR, help=FRAME_HELP)]
SoleOption = Annotated[str | None, typer.Option(metavar=SOLE_METAVAR, help=SOLE_HELP)]


def read_frames(entries: list[str] | None) -> dict[str, str]:
    """Frames by landmark, of entries such as RF=right_sole."""
    frames = {}
    for entry in entries or []:
        name, sign, frame = entry.partition("=")
        if not sign or not name or not frame:
            raise typer.BadParameter(f"--frame {entry!r}; it must be like RF=right_sole")
        frames[name] = frame
    return frames


def read_sole(text: str | None) -> tuple[float, float, float, float] | None:
    """Four numbers, m."""
    if text is None:
        return None
    try:
        rear, front, right, left = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"--sole {text!r}; it must be four numbers: {SOLE_METAVAR}") from None
    return rear, front, right, left
