"""Where output goes, and tables."""

from __future__ import annotations

import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

# Control characters, and what turns text around.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINES = 5.0  # s between two lines of progress
_PLAIN_WIDTH = 160  # of output that goes into a file or a pipe


class Screen(Console):
    """A console that shows texts as they are: names in files may be markup, or commands to a terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A text of any part of the output; control characters are written as their codes."""
        return super().render_str(_CONTROL.sub(lambda found: repr(found.group())[1:-1], text), **options)


def screen() -> Console:
    """The standard output."""
    console = Screen()
    return console if console.is_terminal else Screen(width=_PLAIN_WIDTH)


def errors() -> Console:
    """The standard error: messages and progress, apart from results."""
    return Screen(stderr=True)


def program() -> str:
    """What a user types to call this program: its path where a shell does not find it, as after `make demo`."""
    called, found = Path(sys.argv[0]), shutil.which("footfall")
    if called.stem != "footfall" or (found is not None and called.exists() and called.samefile(found)):
        return "footfall"
    return str(called)


@contextmanager
def progress(what: str, total: float) -> Iterator[Callable[[float, str], None]]:
    """A bar, gone when all is done, and a function that takes how far it is and what is being done; lines, now and
    then, where output is no terminal."""
    if not errors().is_terminal:
        with _progress_lines(what) as report:
            yield lambda done, doing: report(f"{doing}, {100.0 * done / total:.0f} %")
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors(), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, doing: bar.update(task, completed=done, description=doing)


@contextmanager
def _progress_lines(what: str) -> Iterator[Callable[[str], None]]:
    """A line every few seconds with what is being done, also while nothing is reported."""
    ended, newest, begun = threading.Event(), [what], time.monotonic()

    def write() -> None:
        while not ended.wait(_LINES):
            text = f"{newest[0]} ({time.monotonic() - begun:.0f} s)"
            errors().print(text, highlight=False, soft_wrap=True)

    thread = threading.Thread(target=write, name="progress", daemon=True)
    thread.start()
    try:
        yield lambda doing: newest.__setitem__(0, doing)
    finally:
        ended.set()
        thread.join()


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: str = "") -> Table:
    """A table. numbers: names of the columns that stand to the right, separated by semicolons."""
    result = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    right = {name.strip() for name in numbers.split(";") if name}
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        result.add_row(*row)
    return result
