"""A plot of any signal beside a recording that is played, with its values at the instant that is shown."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from footfall.recording.reader import Recording
from footfall.viewer.signal_groups import SignalGroup, signal_groups
from footfall.viewer.timeline import latest_row

_COLORS = ("#c44e52", "#4c72b0", "#55a868", "#8172b3", "#ccb974", "#64b5cd")
_USUAL = ("zmp", "center", "tilt")
_MOST_ROWS, _MOST_LINES = 1500, 6


class SignalDock:
    """A list of signals by name, the one that is chosen as a plot, and its values."""

    def __init__(self, gui: Any, recording: Recording) -> None:
        self._groups = {
            name: group for name, group in signal_groups(recording).items() if len(group.time) > 1
        }
        self.name: Any = None
        if not self._groups:
            return
        first = next((name for name in _USUAL if name in self._groups), next(iter(self._groups)))
        with gui.add_folder("Plot"):
            self.name = gui.add_dropdown("signal", tuple(self._groups), initial_value=first)
            data, series = _lines(self._groups[first])
            options: dict[str, Any] = {"scales": {"x": {"time": False}}, "height": 190}
            self._plot: Any = gui.add_uplot(data, series, **options)
            self._values: Any = gui.add_html("")
        self.name.on_update(lambda _: self._choose())

    def _choose(self) -> None:
        group = self._groups.get(str(self.name.value))
        if group is not None:
            self._plot.data, self._plot.series = _lines(group)

    def show(self, now: float) -> None:
        """Tell the values at an instant, s."""
        if self.name is None:
            return
        group = self._groups.get(str(self.name.value))
        if group is None:  # pages may say anything
            return
        row = max(latest_row(group.time, now + 1e-9), 0)
        values = zip(group.labels[:_MOST_LINES], group.values[row].tolist(), strict=False)
        text = ", ".join(f"{label} {value:.4g}" for label, value in values)
        unit = f" {group.unit}" if group.unit else ""
        self._values.content = (
            f'<div style="padding:0 .75em;font-size:.8em">{now:.2f} s: {escape(text + unit)}</div>'
        )


def _lines(group: SignalGroup) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Data and series of a plot, thinned out."""
    every = max(1, len(group.time) // _MOST_ROWS)
    shown = min(len(group.labels), _MOST_LINES)
    data = tuple(np.ascontiguousarray(group.values[::every, k], np.float64) for k in range(shown))
    series = tuple(
        {"label": group.labels[k], "stroke": _COLORS[k % len(_COLORS)], "width": 1.4} for k in range(shown)
    )
    return (np.ascontiguousarray(group.time[::every]), *data), ({"label": "s"}, *series)
