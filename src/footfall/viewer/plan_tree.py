"""Plans as a tree on the page: what was asked for, the versions planned for it, and their poses. A click chooses a
version, or hides a pose of it and shows it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from footfall.viewer.page_link import Branch

_MOST_VERSIONS, _MOST_POSES = 60, 100  # that are listed
_LONGEST_PURPOSE = 60  # characters of what a plan is for


class PlanRow(NamedTuple):
    """A version of the plan. number: by which it is chosen. about: what it is for. planned: when and how fast it was
    planned. poses: where each of them has its stance foot, and its hands."""

    number: int
    about: str
    planned: str
    poses: tuple[str, ...]


class PlanTree:
    """The tree, and what is chosen in it. newest: what the version is called that is shown if none is chosen.
    changed: called when a page has chosen something else."""

    def __init__(self, gui: Any, newest: str, changed: Callable[[], None]) -> None:
        self._html: Any = gui.add_html("")
        self._newest, self._changed = newest, changed
        self._rows: tuple[PlanRow, ...] = ()
        self.version: int | None = None  # that is shown; None: the newest
        self.hidden: frozenset[int] = frozenset()  # poses of it

    def offer(self, rows: Sequence[PlanRow]) -> None:
        """Let these be chosen from."""
        self._rows = tuple(rows[-_MOST_VERSIONS:])
        self._write()

    def forget(self) -> None:
        """Show the newest one, whole."""
        self.version, self.hidden = None, frozenset()
        self._write()

    def take(self, message: Branch) -> None:
        """What a page has clicked on."""
        if message.pose is not None and message.version == self.version:
            self.hidden ^= {min(message.pose, _MOST_POSES)}  # pages may say anything
        else:
            self.version, self.hidden = message.version, frozenset()
        self._write()
        self._changed()

    def _write(self) -> None:
        lines = [_entry(self._newest, self.version is None, version=None)]
        for about, group in groupby(reversed(self._rows), key=lambda row: row.about):
            rows = list(group)
            chosen = any(row.number == self.version for row in rows)
            title = f"{escape(about[:_LONGEST_PURPOSE])} ({len(rows)})"
            inside = "".join(self._version(row) for row in rows)
            shown = chosen or (self.version is None and len(lines) == 1)
            lines.append(f"<details {'open' if shown else ''}><summary>{title}</summary>{inside}</details>")
        style = "padding:0 .75em;font-size:.78em;line-height:1.6;overflow-wrap:anywhere"
        self._html.content = f'<div class="ff-tree" style="{style}">{"".join(lines)}</div>'

    def _version(self, row: PlanRow) -> str:
        chosen = row.number == self.version
        entry = _entry(f"{row.number}: {row.planned}, {len(row.poses)} poses", chosen, version=row.number)
        poses = "".join(
            _entry(
                f"{'☐' if k in self.hidden else '☑'} {k}: {text}",
                False,
                version=row.number,
                pose=k,
            )
            for k, text in enumerate(row.poses[:_MOST_POSES])
        )
        inside = f'<div style="padding-left:1.2em">{poses}</div>' if chosen else ""
        return f'<div style="padding-left:1em">{entry}{inside}</div>'


def _entry(text: str, chosen: bool, *, version: int | None, pose: int | None = None) -> str:
    """A line that tells the program that it was clicked on; see `page/link.js`."""
    branch = escape(msgspec.json.encode(Branch(version=version, pose=pose)).decode(), quote=True)
    weight = "font-weight:700;color:#1c7ed6" if chosen else ""
    return f'<div role="button" style="cursor:pointer;{weight}" data-tell="{branch}">{escape(text)}</div>'


def kept_poses(poses: Sequence[Any], hidden: frozenset[int]) -> list[Any]:
    """Those that are not hidden."""
    return [pose for k, pose in enumerate(poses) if k not in hidden]
