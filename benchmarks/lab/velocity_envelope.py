"""A picture of the velocities that steps can do, and of how commands that were held have been walked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.lab.autonomous_walks import CommandRow, Held
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.teleoperation import VelocityCommand, clipped_command
from footfall.scenarios.pyplot import load_pyplot
from footfall.walking.settings import planner_parameters

_TURNS = (0.0, 0.2, 0.4)  # rad/s, of the slices
_NEAR = 0.1  # rad/s: held commands are drawn in a slice that is so near


def draw_envelope(rows: list[CommandRow], model: ReducedModel, path: Path) -> None:
    """Slices of forward and left velocity at some turning rates: grey is what is walked as it is asked for; arrows lead
    from held commands to what was walked, red if that is not within the bar."""
    plot, parameters = load_pyplot(), planner_parameters(model)
    held = [Held(*each) for row in rows for each in row.held]
    figure, axes = plot.subplots(1, len(_TURNS), figsize=(13.0, 4.2), sharey=True, layout="constrained")
    forward, left = np.linspace(-0.35, 0.8, 116), np.linspace(-0.25, 0.25, 51)
    for axis, turn in zip(axes, _TURNS, strict=True):
        done = np.zeros((len(left), len(forward)))
        for i, aside in enumerate(left):
            for j, ahead in enumerate(forward):
                command = VelocityCommand(float(ahead), float(aside), turn)
                done[i, j] = clipped_command(command, parameters) == command
        axis.contourf(forward, left, done, levels=(0.5, 1.5), colors=["0.85"])
        for each in held:
            (vx, vy, wz), (wx, wy, _) = each
            if abs(abs(wz) - turn) <= _NEAR:
                side = 1.0 if wz >= 0.0 else -1.0  # the mirror image turns to the left
                colour = "tab:blue" if each.within else "tab:red"
                axis.plot([vx, wx], [side * vy, side * wy], color=colour, linewidth=1.0)
                axis.plot([wx], [side * wy], ".", color=colour)
        axis.set(title=f"turning at {turn:g} rad/s", xlabel="forward, m/s")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("left, m/s")
    figure.savefig(path, dpi=110)
    plot.close(figure)
