"""Small tables in HTML, for notebooks that show a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

_MOST_ROWS = 40  # a screen


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A title and a table below it; of many rows the first ones."""
    rows = list(rows)
    lines = [_row("td", row) for row in islice(rows, _MOST_ROWS)]
    if len(rows) > _MOST_ROWS:
        lines.append(_row("td", [f"and {len(rows) - _MOST_ROWS} more"]))
    return f"<b>{escape(title)}</b><table>{_row('th', columns)}{''.join(lines)}</table>"


def _row(tag: str, cells: Sequence[object]) -> str:
    inner = "".join(f'<{tag} style="text-align: left">{escape(str(cell))}</{tag}>' for cell in cells)
    return f"<tr>{inner}</tr>"
