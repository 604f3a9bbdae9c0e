"""Files of a scenario: recordings, raw series, summaries and plots."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import msgspec
import numpy as np

from footfall.gait.gaits import LEGS
from footfall.recording.writer import RecordingWriter
from footfall.scenarios.quadruped.plots import plot_page, plot_poses, series
from footfall.scenarios.quadruped.run import Run
from footfall.scenarios.quadruped.summary import summarise
from footfall.whole_file import write_text, written_whole

_RATE = 250.0  # Hz of a recording


def write_outputs(runs: Sequence[Run], folder: Path, *, plots: bool = True) -> list[Path]:
    """Write all of runs of one scenario into a folder; gives the files, recordings first."""
    folder.mkdir(parents=True, exist_ok=True)
    label = runs[0].scenario.label
    names = [f"{label}-{run.contact}" for run in runs]
    written = [write_recording(run, folder / f"{name}.mcap") for run, name in zip(runs, names, strict=True)]
    for run, name in zip(runs, names, strict=True):
        written += write_series(run, folder / f"{name}.npz", folder / f"{name}.csv")
    numbers = {name: asdict(summarise(run)) for run, name in zip(runs, names, strict=True)}
    content = {"scenario": msgspec.to_builtins(runs[0].scenario), "summary": numbers}
    path = folder / f"{label}.json"
    write_text(path, json.dumps(content, indent=2) + "\n")
    written.append(path)
    if plots:
        written.append(plot_page(runs, folder / f"{label}.png", title=f"Quadruped: {label}"))
        written += [
            plot_poses(run, folder / f"{name}-poses.png") for run, name in zip(runs, names, strict=True)
        ]
    return written


def write_recording(run: Run, path: Path) -> Path:
    """Write a run as a recording, thinned out; forces are means over the steps that each row stands for."""
    every = max(1, round(1 / (_RATE * run.scenario.step.dt)))
    course = run.trajectory
    names = [body.name for body in run.robot.bodies]
    feet = [names.index(f"{leg}_foot") for leg in LEGS]
    normals = np.tile([0.0, 0.0, 1.0], (4, 1))
    settings = {"scenario": run.scenario.kind, "contact": run.contact}
    with RecordingWriter(
        path, run.robot, scene=run.scene, dt=run.scenario.step.dt, metadata=settings, overwrite=True
    ) as writer:
        rows = slice(every - 1, None, every)
        writer.states(course.time[rows], course.q[rows], course.v[rows], course.effort[rows])
        for index in range(len(course.time))[rows]:
            writer.contacts(
                course.time[index],
                course.positions[index],
                course.forces[index + 1 - every : index + 1].mean(axis=0),
                normals=normals,
                bodies=feet,
            )
        if run.diverged is not None:
            writer.event(float(course.time[-1]), "diverged", {"quantity": run.diverged})
    return path


def write_series(run: Run, arrays: Path, table: Path) -> list[Path]:
    """Write the curves of the plots and the diagnostics of every step as NPZ and CSV."""
    energies = run.energies()
    columns = {"time": run.trajectory.time, **series(run)}
    columns |= {
        "lowest_tip": run.trajectory.positions[:, :, 2].min(axis=1),
        "energy": energies.energy,
        "actuator_work": energies.actuator_work,
        "contact_work": energies.contact_work,
        "residual": run.trajectory.residual,
        "solver_steps": run.trajectory.solver_steps.astype(np.float64),
    }
    with written_whole(arrays) as file:
        np.savez_compressed(file, **columns)  # type: ignore[arg-type]
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(columns)
    writer.writerows([f"{value:.9g}" for value in row] for row in zip(*columns.values(), strict=True))
    write_text(table, stream.getvalue())
    return [arrays, table]
