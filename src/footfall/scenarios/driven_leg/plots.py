"""Pictures of the step and of the modes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import MissingPackage
from footfall.scenarios.driven_leg.leg import LEG_JOINTS
from footfall.scenarios.driven_leg.modes import Mode
from footfall.scenarios.driven_leg.run import StepResult
from footfall.scenarios.pyplot import save_figure


def plot_step(results: Sequence[StepResult], path: Path | str) -> None:
    """Angles, their errors, currents and the foot's error of one or more runs of the same step, as PNG."""
    figure = _figure((11.0, 9.0))
    axes = figure.subplots(4, len(results), sharex=True, squeeze=False)
    for column, result in zip(axes.T, results, strict=True):
        time = result.path.time
        for k, joint in enumerate(LEG_JOINTS):
            color = f"C{k}"
            column[0].plot(time, np.degrees(result.path.q[:, k]), color=color, label=joint)
            column[0].plot(
                time, np.degrees(result.reference[:, k]), color=color, linestyle=":", linewidth=2.0
            )
            column[1].plot(time, np.degrees(result.path.q[:, k] - result.reference[:, k]), color=color)
            column[2].plot(time, result.path.currents[:, k], color=color)
        column[3].plot(time, 1e3 * result.foot_error, color="black")
        column[0].set_title(f"{result.gears} gears")
        column[-1].set_xlabel("time, s")
        for axis in column:
            axis.grid(alpha=0.3)
    for axis, label in zip(
        axes[:, 0], ("angle, deg", "error, deg", "motor current, A", "foot's error, mm"), strict=True
    ):
        axis.set_ylabel(label)
    axes[0, 0].legend(ncols=4, fontsize="small")
    save_figure(figure, path, dpi=110)


def plot_modes(modes: Sequence[Mode], path: Path | str) -> None:
    """Shapes of the modes, and peaks of the simulation over eigenvalues, as PNG."""
    figure = _figure((11.0, 2.2 * len(modes)))
    axes = figure.subplots(len(modes), 1, squeeze=False)[:, 0]
    motors = [f"motor {k + 1}" for k in range(len(modes[0].shape) - len(LEG_JOINTS))]
    for axis, mode in zip(axes, modes, strict=True):
        axis.bar([*LEG_JOINTS, *motors], mode.shape / np.abs(mode.shape).max())
        axis.axhline(0.0, color="black", linewidth=0.5)
        axis.set_title(
            f"eigenvalue {mode.frequency:.2f} Hz, damping ratio {mode.damping:.3f}; "
            f"peak {mode.peak:.2f} Hz ({100 * mode.error:+.2f} %)",
            fontsize="medium",
        )
    save_figure(figure, path, dpi=110)


def _figure(width_and_height: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from None
    return Figure(figsize=width_and_height, layout="constrained")
