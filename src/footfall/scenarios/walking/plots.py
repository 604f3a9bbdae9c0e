"""The page of plots of a walk: where it went, how it balanced, what it pushed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.walking.walk import Walk

_RIGHT, _LEFT, _THIRD = "#0066bd", "#d95f02", "#1b9e77"


def plot_walk(done: Walk, path: Path, *, title: str = "") -> Path:
    """Draw a walk into a PNG file."""
    plt = load_pyplot()
    figure, axes = plt.subplots(4, 2, figsize=(13, 13))
    signals, every = done.signals, 4
    rows = signals[::every]
    time = rows["time"]
    _plan_view(axes[0, 0], rows)
    _curves(axes[0, 1], time, "tilt of the upper body, degrees", {
        "roll": np.rad2deg(rows["tilt"][:, 0]), "pitch": np.rad2deg(rows["tilt"][:, 1])})  # fmt: skip
    _curves(axes[1, 0], time, "force on feet, N", {
        "right": rows["right_foot"][:, 2], "left": rows["left_foot"][:, 2]})  # fmt: skip
    _curves(axes[1, 1], time, "error of the divergent component, mm", {
        "ahead": 1e3 * rows["dcm_error"][:, 0], "aside": 1e3 * rows["dcm_error"][:, 1]})  # fmt: skip
    _curves(axes[2, 0], time, "force on hands, N", {
        "right": np.linalg.norm(rows["right_hand"][:, :3], axis=1),
        "left": np.linalg.norm(rows["left_hand"][:, :3], axis=1)})  # fmt: skip
    off = 1e3 * (rows["zmp"] - rows["planned_zmp"])
    _curves(
        axes[2, 1], time, "zero-moment point against its plan, mm", {"ahead": off[:, 0], "aside": off[:, 1]}
    )
    _curves(axes[3, 0], time, "centre of mass, height, m", {
        "true": rows["center"][:, 2], "planned": rows["planned_center"][:, 2],
        "estimated": rows["estimated_center"][:, 2]})  # fmt: skip
    _curves(axes[3, 1], time, "feet against their plan, height, mm", {
        "right": 1e3 * rows["right_hold"][:, 2], "left": 1e3 * rows["left_hold"][:, 2]})  # fmt: skip
    ending = done.summary.cause or ("goal reached" if done.summary.reached else "goal missed")
    figure.suptitle(f"{title}: {ending}", fontsize=12)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.98))
    save_figure(figure, path, dpi=100)
    plt.close(figure)
    return path


def _plan_view(panel: Any, rows: Any) -> None:
    """From above."""
    for name, color in (
        ("planned_zmp", "0.7"),
        ("zmp", _THIRD),
        ("planned_center", "0.4"),
        ("center", _RIGHT),
    ):
        panel.plot(
            rows[name][:, 0], rows[name][:, 1], color=color, linewidth=0.8, label=name.replace("_", " ")
        )
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_title("from above, m", fontsize=9)
    panel.legend(fontsize=7)
    panel.grid(alpha=0.3, linewidth=0.5)


def _curves(panel: Any, time: Any, title: str, curves: dict[str, Any]) -> None:
    for (name, values), color in zip(curves.items(), (_RIGHT, _LEFT, _THIRD), strict=False):
        panel.plot(time, values, color=color, linewidth=0.7, label=name)
    panel.set_title(title, fontsize=9)
    panel.set_xlabel("time, s", fontsize=8)
    panel.legend(fontsize=7)
    panel.grid(alpha=0.3, linewidth=0.5)
