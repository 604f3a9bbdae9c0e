"""What a run comes to, in numbers, and whether it went as it must, Ayit 2015, chapter 5.

The page of plots of a scenario: 36 panels, contact models side by side, Ayit 2015, chapter 5.

Files of a scenario: recordings, raw series, summaries and plots.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.gait.gaits import LEGS
from footfall.recording.writer import RecordingWriter
from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.scenarios.quadruped.run import Run
from footfall.whole_file import write_text, written_whole

_GRAVITY = 9.81  # m/s2
_END = 0.5  # s at the end over which forces are averaged


@dataclass(frozen=True)
class Summary:
    """A run in numbers.

    duration: s that it lasted. distance, drift: of the torso along x and y, m. end_height, top_height: of the torso, m.
    tilt: largest roll or pitch, rad. upside_down: at the end. peak_force: largest normal force on a foot, N.
    step_impulse: largest normal impulse on a foot in one step, N s; it does not depend on the step, peaks do.
    total_impulse: of all normal forces, N s. load: mean normal force at the end over the weight. penetration: deepest,
    m. rest_penetration: at the end, m. residual: largest change of impulses in the last sweep over weight times dt.
    unsolved: part of the steps with more than 1e-8 of that. sweeps: mean. energy_growth: largest rise of the energy
    less the actuators' work, J. contact_work: of the contacts, J, never positive. contact_growth: its largest rise, J.
    """

    duration: float
    distance: float
    drift: float
    yaw: float
    end_height: float
    top_height: float
    tilt: float
    upside_down: bool
    peak_force: float
    step_impulse: float
    total_impulse: float
    load: float
    penetration: float
    rest_penetration: float
    residual: float
    unsolved: float
    sweeps: float
    energy_growth: float
    contact_work: float
    contact_growth: float
    real_time_factor: float
    diverged: str | None


def summarise(run: Run) -> Summary:
    """The numbers of a run."""
    path, dt = run.trajectory, run.scenario.step.dt
    weight = run.robot.mass * _GRAVITY
    normal = path.forces[:, :, 2]
    energies = run.energies()
    late = path.time > path.time[-1] - _END
    depth = np.maximum(-path.positions[:, :, 2], 0.0)
    residual = path.residual / (weight * dt)
    q = path.q
    return Summary(
        duration=float(path.time[-1]),
        distance=float(q[-1, 0] - run.start[0]),
        drift=float(q[-1, 1] - run.start[1]),
        yaw=float(run.angles[-1, 2]),
        end_height=float(q[-1, 2]),
        top_height=float(q[:, 2].max()),
        tilt=float(np.abs(run.angles[:, :2]).max()),
        upside_down=bool(_upright(q[-1:, 3:7])[0] < 0.0),
        peak_force=float(normal.max()),
        step_impulse=float(normal.max() * dt),
        total_impulse=float(normal.sum() * dt),
        load=float(normal[late].sum(axis=1).mean() / weight),
        penetration=float(depth.max()),
        rest_penetration=float(depth[-1].max()),
        residual=float(residual.max()),
        unsolved=float(np.mean(residual > 1e-8)),
        sweeps=float(path.solver_steps.mean()),
        energy_growth=_growth(energies.energy - energies.actuator_work),
        contact_work=float(energies.contact_work[-1]),
        contact_growth=_growth(energies.contact_work),
        real_time_factor=run.real_time_factor,
        diverged=run.diverged,
    )


def fall_failures(run: Run, *, energy_tolerance: float = 0.02) -> list[str]:
    """What of the success criterion of a fall, Ayit 2015, chapter 5 (i)-(v), a run does not meet; empty if it succeeds.

    energy_tolerance: growth, as part of the energy of the fall, that is left to the integrator: it shrinks with the
    step.
    """
    summary, fall = summarise(run), run.scenario.fall
    assert fall is not None
    failures = []
    if run.diverged is not None or not np.isfinite(run.trajectory.q).all():
        failures.append(f"(i) {run.diverged}")
    if summary.top_height > run.start[2] + 1e-9:
        failures.append(f"(ii) the body rises to {summary.top_height:.4g} m, {run.start[2]:.4g} m at release")
    energy = run.robot.mass * _GRAVITY * fall.height
    if summary.energy_growth > energy_tolerance * energy:
        failures.append(f"(iii) energy less actuator work grows by {summary.energy_growth:.3g} J")
    speed = float(np.sqrt(2 * _GRAVITY * fall.height))
    if summary.penetration > speed * run.scenario.step.dt:
        failures.append(f"(iv) penetration {summary.penetration:.3g} m, more than a step at {speed:.3g} m/s")
    if not abs(summary.load - 1.0) < 0.01:
        failures.append(f"(v) at the end the ground carries {summary.load:.4g} of the weight")
    return failures


def _upright(quaternions: Array) -> Array:
    """Upward component (n,) of the torso's z axis."""
    _, x, y, _ = quaternions.T
    return np.asarray(1 - 2 * (x * x + y * y))


def _growth(course: Array) -> float:
    """Largest rise of a course above its lowest value before."""
    return float((course - np.minimum.accumulate(course)).max())


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
