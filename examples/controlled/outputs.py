"""Recordings and plots of the control scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall import RecordingWriter, Robot, Scene
from footfall.simulation import Trajectory

from .arm import PRESSING, ArmRun
from .motions import PUSH_TIME, StandRun
from .stances import FLOOR, TRUE, TRUSTED

_BLUE, _ORANGE, _GREY = "#0066bd", "#d95f02", "#888888"


def record(run: ArmRun | StandRun, folder: Path) -> Path:
    """Write a run as a recording that `footfall view` shows."""
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(run, ArmRun):
        return _written(folder / f"arm-{run.name}.mcap", run.robot, run.scene, run.trajectory)
    robot = run.stance.robot
    path = folder / f"{robot.name}-{run.name}.mcap"
    return _written(path, robot, Scene("floor", (FLOOR,)), run.trajectory)


def _written(path: Path, robot: Robot, scene: Scene, trajectory: Trajectory) -> Path:
    with RecordingWriter(path, robot, scene=scene, overwrite=True) as writer:
        writer.states(trajectory.time, trajectory.q, trajectory.v, trajectory.effort)
        for time, positions, forces in zip(
            trajectory.time, trajectory.positions, trajectory.forces, strict=True
        ):
            if len(positions):
                writer.contacts(time, positions, forces)
    return path


def plot_arms(runs: Sequence[ArmRun], path: Path) -> Path:
    """Draw how far tips are from their paths, and the force of the table."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(runs), 2, figsize=(11, 2.8 * len(runs)), squeeze=False)
    for run, (left, right) in zip(runs, axes, strict=True):
        time = run.trajectory.time
        for k, axis in enumerate("xyz"):
            left.plot(time, 1e3 * (run.reached - run.wanted)[:, k], label=axis, linewidth=0.9)
        _finish(left, f"{run.name}: tip beside its path", "mm")
        left.legend(loc="upper right")
        if run.force.any():
            right.plot(time, run.force, color=_BLUE, linewidth=0.9)
            right.axhline(PRESSING, color=_GREY, linewidth=0.8)
            _finish(right, f"{run.name}: force of the table", "N")
        else:
            right.plot(run.reached[:, 1], run.reached[:, 2], color=_BLUE, linewidth=0.9)
            right.plot(run.wanted[:, 1], run.wanted[:, 2], "--", color=_GREY, linewidth=0.8)
            right.set_aspect("equal", adjustable="datalim")
            right.set_title(f"{run.name}: y, z in m", fontsize=9)
    return _saved(plt, figure, path)


def plot_stands(runs: Sequence[StandRun], path: Path) -> Path:
    """Draw errors of bases, friction needed and least forces of several runs."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 1, figsize=(9, 8), sharex=True)
    for k, run in enumerate(runs):
        time, color = run.trajectory.time, plt.get_cmap("viridis")(k / max(1, len(runs) - 1))
        forces = run.forces_by_body
        ratio = np.linalg.norm(forces[:, :, :2], axis=2) / np.maximum(forces[:, :, 2], 1e-9)
        axes[0].plot(
            time,
            1e3 * np.linalg.norm(run.error[:, :3], axis=1),
            color=color,
            label=run.name,
            linewidth=0.9,
        )
        axes[1].plot(time, ratio.max(axis=1), color=color, linewidth=0.9)
        axes[2].plot(time, forces[:, :, 2].min(axis=1), color=color, linewidth=0.9)
    led = "centre of mass" if runs[0].name == "squat" else "base"
    _finish(axes[0], f"{runs[0].stance.robot.name}: {led} beside its path", "mm")
    axes[0].legend(loc="upper right", fontsize=7, ncol=2)
    axes[1].axhline(TRUSTED, color=_ORANGE, linewidth=0.8)
    axes[1].axhline(TRUE, color=_GREY, linewidth=0.8)
    axes[1].set_ylim(0.0, 1.0)
    _finish(axes[1], "friction that feet need (lines: what control counts on, what there is)", "")
    _finish(axes[2], "least force under a foot", "N")
    if any(run.name.startswith("push") for run in runs):
        for axis in axes:
            axis.axvspan(0.0, PUSH_TIME, color=_GREY, alpha=0.2)
    return _saved(plt, figure, path)


def _finish(axis: Any, title: str, unit: str) -> None:
    axis.set_title(title, fontsize=9)
    axis.set_ylabel(unit)
    axis.set_xlabel("s")
    axis.grid(alpha=0.3)


def _saved(plt: Any, figure: Any, path: Path) -> Path:
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
