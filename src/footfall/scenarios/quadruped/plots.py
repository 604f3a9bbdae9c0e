"""The page of plots of a scenario: 36 panels, contact models side by side, Ayit 2015, chapter 5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.gait.gaits import LEGS
from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.scenarios.quadruped.run import Run

_NAMES = {"RB": "right back", "LB": "left back", "RF": "right front", "LF": "left front"}
_COLORS = {"exact": "#0066bd", "penalty": "#d95f02", "impacts": "#1b9e77"}
_STEEP = np.radians(80)
_LEAST_SPAN = (0.01, 0.1, 10.0, 10.0, 10.0, 10.0)  # m, degrees, N: rounding shall not fill a panel


def series(run: Run) -> dict[str, Array]:
    """The 18 curves of a run by name, each (n,): position of the torso, m, its angles, rad, forces on the feet, N."""
    curves = {axis: run.trajectory.q[:, k] for k, axis in enumerate("xyz")}
    curves |= {name: run.angles[:, k] for k, name in enumerate(("roll", "pitch", "yaw"))}
    for k, leg in enumerate(LEGS):
        curves |= {f"{leg}_F{axis}": run.trajectory.forces[:, k, i] for i, axis in enumerate("xyz")}
    return curves


def plot_page(runs: Sequence[Run], path: Path, *, title: str = "") -> Path:
    """Draw the curves of runs of one scenario into a PNG file: six rows of three pairs of panels."""
    plt = load_pyplot()
    curves = [series(run) for run in runs]
    names = list(curves[0])
    columns = 3 * len(runs)
    figure, axes = plt.subplots(6, columns, figsize=(3.1 * columns, 13), sharex=True, squeeze=False)
    for k, name in enumerate(names):
        row, place = divmod(k, 3)
        scale, label = _label(name)
        panels = axes[row, place * len(runs) : (place + 1) * len(runs)]
        for run, values, panel in zip(runs, curves, panels, strict=True):
            panel.plot(run.trajectory.time, scale * values[name], color=_COLORS[run.contact], linewidth=0.7)
            panel.set_title(f"{label}, {run.contact}", fontsize=8)
            panel.tick_params(labelsize=7)
            panel.grid(alpha=0.3, linewidth=0.5)
        if row < 2:
            _share_height(panels)
        for panel in panels:
            _keep_span(panel, _LEAST_SPAN[row])
    for panel in axes[-1]:
        panel.set_xlabel("time, s", fontsize=8)
    if any(np.abs(run.angles[:, 1]).max() > _STEEP for run in runs):
        title += "   (pitch comes near 90 degrees: roll and yaw are not unique there)"
    figure.suptitle(title, fontsize=12)
    figure.subplots_adjust(left=0.03, right=0.995, bottom=0.035, top=0.945, wspace=0.28, hspace=0.3)
    save_figure(figure, path, dpi=110)
    plt.close(figure)
    return path


def plot_poses(run: Run, path: Path, *, count: int = 7) -> Path:
    """Draw the robot as sticks from the side at some instants, with the forces on its feet, into a PNG file."""
    from footfall.dynamics.kinematics import forward_kinematics

    plt = load_pyplot()
    figure, axis = plt.subplots(figsize=(12, 4.5))
    picked = _eventful(run, count)
    above = float(run.trajectory.q[picked, 2].max()) + 0.25
    shift = 1.7  # m between poses that would stand in one another
    for n, index in enumerate(picked):
        q, color = run.trajectory.q[index], plt.get_cmap("viridis")(0.85 * n / count)
        aside = np.array([shift * n - q[0], 0.0, 0.0])
        for k, leg in enumerate(LEGS):
            frames = [f"{leg}_hip", f"{leg}_shank", f"{leg}_foot", leg]
            chain = forward_kinematics(run.robot, q, frames=frames).position + aside
            style = {"linestyle": "-" if leg.startswith("R") else ":", "color": color}
            axis.plot(chain[:, 0], chain[:, 2], linewidth=2, **style)
            force = run.trajectory.forces[index, k] / 2500.0
            axis.plot(*np.array([chain[-1], chain[-1] + force])[:, [0, 2]].T, color="#d62728", linewidth=1)
        hips = forward_kinematics(run.robot, q, frames=["LB_hip", "LF_hip"]).position + aside
        axis.plot(hips[:, 0], hips[:, 2], color=color, linewidth=5)
        text = f"t = {run.trajectory.time[index]:.2f} s\nx = {round(q[0], 2) + 0.0:.2f} m"
        axis.text(shift * n, above, text, ha="center", fontsize=8)
    axis.axhline(0.0, color="black", linewidth=0.8)
    axis.set_aspect("equal")
    axis.set_ylabel("z, m")
    axis.set_xticks([])
    axis.set_ylim(None, above + 0.35)
    save_figure(figure, path, dpi=110, bbox_inches="tight")
    plt.close(figure)
    return path


def _eventful(run: Run, count: int) -> Any:
    """Rows of a run with the same way, of place and turning, between them."""
    course = np.concatenate([run.trajectory.q[:, :3], 0.5 * run.angles], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(course, axis=0), axis=1))])
    return np.searchsorted(way, np.linspace(0.0, way[-1] * (1 - 1e-9), count))


def _label(name: str) -> tuple[float, str]:
    """Factor to the unit drawn, and the title of a panel."""
    if name in "xyz":
        return 1.0, f"body {name}, m"
    if name in ("roll", "pitch", "yaw"):
        return 180 / np.pi, f"{name}, deg"
    leg, force = name.split("_")
    return 1.0, f"{_NAMES[leg]} {force}, N"


def _keep_span(panel: Any, least: float) -> None:
    low, high = panel.get_ylim()
    if high - low < least:
        panel.set_ylim((low + high - least) / 2, (low + high + least) / 2)


def _share_height(panels: Any) -> None:
    limits = np.array([panel.get_ylim() for panel in panels])
    for panel in panels:
        panel.set_ylim(limits[:, 0].min(), limits[:, 1].max())
