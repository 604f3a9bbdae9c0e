"""A picture of the cells of a study: a curve over one varied number, maps over two, a rose where one is a direction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.studies.tables import Cell, StudyResult

_MOST_PANELS = 12
_ANGLE = "_deg"  # names that end so are directions if they go around


def draw_cells(result: StudyResult, path: Path) -> Path | None:
    """Draw limits or shares with their intervals; None if nothing that is a number was varied."""
    cells = result.cells
    axes = [
        name
        for name in result.study.varied
        if all(isinstance(cell.values[name], int | float) for cell in cells)
        and len({cell.values[name] for cell in cells}) > 1
    ]
    if not axes:
        return None
    pyplot = load_pyplot()
    angles = [name for name in axes if name.endswith(_ANGLE) and _goes_around(cells, name)]
    main = (angles or axes)[:1]
    second = [name for name in axes if name not in main][:1]
    others = [name for name in result.study.varied if name not in (*main, *second)]
    panels = _grouped(cells, others)[:_MOST_PANELS]
    columns = min(len(panels), 4)
    rows = math.ceil(len(panels) / columns)
    figure, places = pyplot.subplots(
        rows,
        columns,
        figsize=(1.0 + 3.6 * columns, 0.8 + 3.2 * rows),
        squeeze=False,
        subplot_kw={"projection": "polar"} if angles else {},
    )
    for place in places.ravel()[len(panels) :]:
        place.set_visible(False)
    for place, (title, group) in zip(places.ravel(), panels, strict=False):
        _draw_panel(place, group, main[0], second[0] if second else None, polar=bool(angles))
        place.set_title(title, fontsize=9)
    study = result.study
    what = "share of successes" if study.limit is None else f"limit of {study.limit.parameter}"
    figure.suptitle(f"{study.name}: {what}, 90 % interval", fontsize=11)
    figure.tight_layout()
    save_figure(figure, path, dpi=110)
    pyplot.close(figure)
    return path


def _goes_around(cells: Sequence[Cell], name: str) -> bool:
    values = sorted({float(cell.values[name]) for cell in cells})  # type: ignore[arg-type]
    return len(values) > 3 and values[-1] - values[0] > 180.0


def _grouped(cells: Sequence[Cell], names: Sequence[str]) -> list[tuple[str, list[Cell]]]:
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        words = [f"{name} {_text(cell.values[name])}" for name in names]
        groups.setdefault(", ".join(words), []).append(cell)
    return list(groups.items())


def _draw_panel(place: Any, cells: Sequence[Cell], main: str, second: str | None, *, polar: bool) -> None:
    """Curves over the main parameter, one for each value of the second."""
    for title, group in _grouped(cells, [second] if second else []):
        ordered = sorted(group, key=lambda cell: float(cell.values[main]))  # type: ignore[arg-type]
        if polar:
            ordered.append(ordered[0])
        x = np.array([float(cell.values[main]) for cell in ordered])  # type: ignore[arg-type]
        low, high = (np.array([getattr(cell.shown, end) for cell in ordered]) for end in ("low", "high"))
        value = np.array([cell.shown.value for cell in ordered])
        x = np.deg2rad(x) if polar else x
        (line,) = place.plot(x, value, marker=".", label=title or None)
        bounded = np.isfinite(low) & np.isfinite(high)
        place.fill_between(x, np.where(bounded, low, value), np.where(bounded, high, value), alpha=0.2, lw=0)
        line.set_zorder(3)
    if not polar:
        place.set_xlabel(main)
        place.grid(alpha=0.3)
    if second:
        place.legend(fontsize=7, loc="upper right")


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
