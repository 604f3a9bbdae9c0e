"""Signals of recordings as pictures, pages and tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import FootfallError, InvalidInput, MissingPackage
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.model_derivation import reduced_model
from footfall.recording.reader import Recording
from footfall.viewer.signal_groups import SignalGroup, chosen_groups, signal_groups
from footfall.whole_file import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUND = "ground"
_COLORS = ("#c44e52", "#4c72b0", "#55a868", "#8172b3", "#ccb974", "#64b5cd", "#dd8452", "#937860", "#da8bc3")
_DASHES = ("-", "--", ":", "-.")
_ROWS = 20_000  # of a line that is drawn


def signal_list(recording: Recording) -> list[str]:
    """Names of signals with units and components."""
    return [
        f"{group.name}{f', {group.unit}' if group.unit else ''}"
        + (f" ({' '.join(group.labels)})" if len(group.labels) > 1 else "")
        for group in signal_groups(recording).values()
    ]


def plot_signals(
    recordings: Sequence[Recording],
    names: Sequence[str],
    path: Path | str,
    *,
    begin: float | None = None,
    end: float | None = None,
) -> None:
    """Write signals by their names, or parts of them: a picture (.png, .svg, .pdf), a page (.html) or a table (.csv).
    "ground" is the ground plane. begin, end: s."""
    path = Path(path)
    groups = [signal_groups(each) for each in recordings]
    plane = GROUND in names and path.suffix not in (".html", ".csv")
    wanted = chosen_groups(groups[0], [name for name in names if name != GROUND], str(recordings[0].path))
    if not wanted and not plane:
        raise InvalidInput("the ground plane is drawn as a picture: write .png, .svg or .pdf")
    if path.suffix == ".html":
        from footfall.viewer.shared_page import write_shared

        write_shared(recordings, path, chosen=wanted, bodies=False, rate=200.0)
        return
    cut = [{name: _between(known[name], begin, end) for name in wanted if name in known} for known in groups]
    labels = _run_names(recordings)
    if path.suffix == ".csv":
        text = _table(cut, labels)
        with written_whole(path) as file:
            file.write(text.encode())
        return
    figure = _figure(recordings, cut, labels, plane=plane)
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix[1:], dpi=130)
    with written_whole(path) as file:
        file.write(content.getvalue())


def _run_names(recordings: Sequence[Recording]) -> list[str]:
    names = [each.path.stem for each in recordings]
    return [name if names.count(name) == 1 else f"{name} {k + 1}" for k, name in enumerate(names)]


def _between(group: SignalGroup, begin: float | None, end: float | None) -> SignalGroup:
    low, high = -np.inf if begin is None else begin, np.inf if end is None else end
    rows = (group.time >= low) & (group.time <= high)
    if not rows.any():
        raise InvalidInput(f"signal {group.name!r} has no value between {low:g} and {high:g} s")
    return group._replace(time=group.time[rows], values=group.values[rows])


def _table(cut: Sequence[dict[str, SignalGroup]], labels: Sequence[str]) -> str:
    """Rows of all recordings one after the other, each with its name; times of the first signal."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = list(cut[0])
    columns = [
        f"{name}.{label}" if len(cut[0][name].labels) > 1 else name
        for name in names
        for label in cut[0][name].labels
    ]
    writer.writerow(["recording", "time", *columns])
    for label, known in zip(labels, cut, strict=True):
        time = known[names[0]].time
        blocks = [
            _at(known[name], time)
            if name in known
            else np.full((len(time), len(cut[0][name].labels)), np.nan)
            for name in names
        ]
        for moment, row in zip(time.tolist(), np.concatenate(blocks, axis=1).tolist(), strict=True):
            writer.writerow([label, repr(moment), *(repr(value) for value in row)])
    return text.getvalue()


def _at(group: SignalGroup, time: Array) -> Array:
    rows = np.searchsorted(group.time, time + 1e-9, side="right") - 1
    return np.where((rows >= 0)[:, None], group.values[rows.clip(min=0)], np.nan)


def _figure(
    recordings: Sequence[Recording],
    cut: Sequence[dict[str, SignalGroup]],
    labels: Sequence[str],
    *,
    plane: bool,
) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from error
    names = list(cut[0])
    heights = ([3.2] if plane else []) + [1.7] * len(names)
    figure = Figure(figsize=(10, 0.6 + sum(heights)), layout="constrained")
    axes = figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    if plane:
        draw_ground_plane(axes[0], recordings[0])
    first = 1 if plane else 0
    for axis, name in zip(axes[first:], names, strict=True):
        if axis is not axes[first]:
            axis.sharex(axes[first])
        for number, (label, known) in enumerate(zip(labels, cut, strict=True)):
            if name in known:
                _lines(axis, known[name], label if len(cut) > 1 else "", number)
        unit = cut[0][name].unit
        axis.set_ylabel(f"{name}\n{unit}" if unit else name, fontsize=8)
        axis.grid(color="#e3e7ed")
        axis.tick_params(labelsize=8)
        axis.legend(fontsize=7, ncols=6, loc="upper right", frameon=False)
    axes[-1].set_xlabel("time, s" if names else "x, m")
    figure.suptitle(" and ".join(labels), fontsize=10)
    return figure


def _lines(axis: Axes, group: SignalGroup, label: str, number: int) -> None:
    every = max(1, len(group.time) // _ROWS)
    for k, part in enumerate(group.labels):
        color = number if len(group.labels) == 1 else k
        axis.plot(
            group.time[::every],
            group.values[::every, k],
            _DASHES[number % len(_DASHES)],
            color=_COLORS[color % len(_COLORS)],
            linewidth=1.1,
            label=f"{label} {part}".strip(),
        )


def draw_ground_plane(axis: Axes, recording: Recording) -> None:
    """Centre of mass, divergent component and zero-moment point from above, with the soles of the plans."""
    from matplotlib.patches import Polygon

    groups = signal_groups(recording)
    for corners, color in _soles(recording):
        axis.add_patch(Polygon(corners, facecolor=color, edgecolor=color, alpha=0.12))
    for name, color, label in (
        ("center", "#2e8b57", "centre of mass"),
        ("dcm", "#8172b3", "divergent component"),
        ("zmp", "#222222", "zero-moment point"),
    ):
        if name in groups:
            values = groups[name].values
            axis.plot(values[:, 0], values[:, 1], color=color, linewidth=1.2, label=label)
    axis.set_aspect("equal", adjustable="datalim")
    axis.set(xlabel="x, m", ylabel="y, m")
    axis.legend(fontsize=7, loc="upper right", frameon=False)
    axis.grid(color="#e3e7ed")


def _sole(foot: Any, rectangle: tuple[float, float, float, float]) -> Array:
    """Corners (4, 2) of a sole on the ground, m, from the frame of its foot."""
    rear, front, right, left = rectangle
    local = np.array([[rear, right, 0.0], [front, right, 0.0], [front, left, 0.0], [rear, left, 0.0]])
    turned = np.array(foot["position"]) + rotate_by_quaternion(np.array(foot["rotation"]), local)
    return turned[:, :2]


def _soles(recording: Recording) -> list[tuple[Array, str]]:
    """Of all plans, with their colours; none if the robot is none that walks."""
    plans = [event for event in recording.events if event.name == "plan"]
    try:
        rectangle = reduced_model(recording.robot).sole if plans else None
    except FootfallError:
        return []
    return [
        (_sole(foot, rectangle), _COLORS[0] if foot.get("foot") == "RF" else _COLORS[1])
        for plan in plans
        for foot in plan.data.get("feet", ())
        if rectangle is not None
    ]
