"""What all tabs have in common, and how they write text and tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from footfall.errors import InvalidInput
from footfall.walking.session import WalkSession

if TYPE_CHECKING:
    from footfall.viewer.walk_panel import WalkPanel

CELL = 'style="padding:1px 6px;text-align:right;font-variant-numeric:tabular-nums"'


class Dock:
    """One tab. Controls are made in `__init__`, inside of the tab; pages may say anything, so that values are checked
    when they are used."""

    title = ""

    def __init__(self, gui: Any, panel: WalkPanel) -> None:
        self._gui, self._panel = gui, panel

    def take(self, session: WalkSession) -> None:
        """Another session begins, maybe of another robot."""

    def refresh(self, session: WalkSession) -> None:
        """Show what is now, twice a second."""


def as_text(*lines: str) -> str:
    """Lines as they are, as HTML."""
    shown = "<br>".join(escape(line) for line in lines)
    return f'<div style="padding:0 .75em;font-size:.78em;overflow-wrap:anywhere">{shown}</div>'


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[bool] | None = None) -> str:
    """A table as HTML; rows that are marked are red."""
    top = "".join(f"<th {CELL}>{escape(each)}</th>" for each in head)
    marks = marked or [False] * len(rows)
    body = "".join(
        ('<tr style="color:#d6281f">' if mark else "<tr>")
        + "".join(f"<td {CELL}>{escape(each)}</td>" for each in row)
        + "</tr>"
        for row, mark in zip(rows, marks, strict=True)
    )
    return f'<table style="font-size:.72em;width:calc(100% - 22px)"><tr>{top}</tr>{body}</table>'


def read_json(text: str) -> Any:
    """A value that somebody has typed."""
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is no JSON; numbers, texts in quotes, lists and objects are") from None
