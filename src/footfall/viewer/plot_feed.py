"""Plots in a page that share their time with its view: which signals there are, and values of those that are seen."""

from __future__ import annotations

import base64
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from footfall.arrays import Array
from footfall.recording.reader import Recording
from footfall.viewer.page_link import PageLink
from footfall.viewer.signal_groups import SignalGroup, signal_groups

USUAL = ("zmp", "dcm_error", "tilt", "right_foot", "left_foot")
_MOST_ROWS = 1500  # of a plot
_MOST_SERIES = 9


class SignalSource(Protocol):
    """Signals by name, of one run or of several. live: whether more of them come."""

    live: bool

    @property
    def names(self) -> Sequence[tuple[str, str]]:
        """Names and units."""

    @property
    def range(self) -> tuple[float, float]:
        """First and last instant, s."""

    def groups(self, name: str) -> Sequence[tuple[str, SignalGroup]]:
        """Of each run that has this signal, the run's name before it."""


class RecordedSignals:
    """Signals of recordings, several of them in one plot. names: of the runs, where there are several."""

    live = False

    def __init__(self, recordings: Sequence[Recording]) -> None:
        self._runs = [
            (
                each.path.stem,
                {name: group for name, group in signal_groups(each).items() if len(group.time) > 1},
            )
            for each in recordings
        ]
        times = [each.time[np.isfinite(each.time)] for each in recordings]
        self._range = float(min(each[0] for each in times)), float(max(each[-1] for each in times))

    @property
    def names(self) -> Sequence[tuple[str, str]]:
        found = {name: group.unit for _, groups in self._runs for name, group in groups.items()}
        return list(found.items())

    @property
    def range(self) -> tuple[float, float]:
        return self._range

    def groups(self, name: str) -> Sequence[tuple[str, SignalGroup]]:
        return [(run, groups[name]) for run, groups in self._runs if name in groups]


class PlotFeed:
    """Tells pages of a source's signals, and those that they have chosen."""

    def __init__(self, link: PageLink) -> None:
        self._link = link
        self._chosen: dict[int, tuple[str, ...]] = {}  # by page
        self._lock = threading.Lock()
        self.source: SignalSource | None = None

    def offer(self, source: SignalSource) -> None:
        """Let pages choose among the signals of a source from now on."""
        self.source = source
        known = [name for name, _ in source.names]
        first = [name for name in USUAL if name in known][:3] or known[:1]
        self._link.tell("signals", {"names": source.names, "chosen": first, "live": source.live})

    def mark(self, marks: Sequence[Mapping[str, Any]]) -> None:
        """Mark instants on the time line; see `event_marks`."""
        self._link.tell("marks", {"marks": list(marks)})

    def choose(self, page: int, names: Sequence[str]) -> None:
        """A page shows these; names that do not exist are none."""
        with self._lock:
            self._chosen[page] = tuple(names)

    def forget(self, page: int) -> None:
        """A page is gone."""
        with self._lock:
            self._chosen.pop(page, None)

    @property
    def is_seen(self) -> bool:
        """Whether a page shows a plot."""
        with self._lock:
            return any(self._chosen.values())

    def show(self, now: float, *, live: bool) -> None:
        """Let the cursor stand at an instant, s. live: whether that is the present one."""
        if self.source is not None:
            begin, end = self.source.range
            self._link.tell(
                "time", {"now": round(now, 4), "range": (round(begin, 4), round(end, 4)), "live": live}
            )

    def refresh(self) -> None:
        """Tell the values of all that is seen."""
        source = self.source
        if source is None:
            return
        with self._lock:
            wanted = list(dict.fromkeys(name for names in self._chosen.values() for name in names))
        times: list[str] = []
        shown = []
        for name in wanted:
            series: list[dict[str, Any]] = []
            found = source.groups(name)
            for run, (title, group) in enumerate(found):
                every = max(1, len(group.time) // _MOST_ROWS)
                times.append(_packed(group.time[::every]))
                for k, label in enumerate(group.labels[:_MOST_SERIES]):
                    color = run if len(found) > 1 and len(group.labels) == 1 else k
                    series.append(
                        {
                            "label": f"{title} {label}" if len(found) > 1 else label,
                            "dash": run,
                            "run": len(times) - 1,
                            "color": color,
                            "values": _packed(group.values[::every, k]),
                        }
                    )
            shown.append({"name": name, "series": series})
        if shown:
            self._link.tell("plots", {"times": times, "groups": shown})


def _packed(values: Array) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()
