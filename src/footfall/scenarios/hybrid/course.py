"""What a use case of hybrid dynamics comes to: the simulated course, its criteria, and curves to look at.

Files of a use case: its recording, its curves as NPZ, a page of plots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.rotations import yaw_of
from footfall.recording.writer import RecordingWriter
from footfall.robot.model import Robot
from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.scene.model import Scene
from footfall.simulation.run_values import Trajectory
from footfall.whole_file import written_whole


class Criterion(NamedTuple):
    """A number that must lie between two bounds; `what` has its unit."""

    what: str
    value: float
    low: float = -np.inf
    high: float = np.inf

    @property
    def passed(self) -> bool:
        return bool(self.low <= self.value <= self.high)

    @property
    def demand(self) -> str:
        """The bounds as text."""
        if np.isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if np.isinf(self.high) else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, eq=False)
class HybridRun:
    """A use case that has run.

    robot: all that moves, as simulated. trajectory: one row a step of dt (s). criteria: of Devaramani 2019, chapter 1.
    panels: by title, curves (n,) by label. paths: curves (n, 2) in the plane by label, m. outlines: polygons (k, 2), m.
    """

    name: str
    title: str
    robot: Robot
    scene: Scene
    dt: float
    trajectory: Trajectory
    criteria: tuple[Criterion, ...]
    panels: Mapping[str, Mapping[str, Array]]
    paths: Mapping[str, Array] = field(default_factory=dict)
    outlines: Mapping[str, Array] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether all criteria hold."""
        return all(criterion.passed for criterion in self.criteria)


def yaw_angles(quaternions: Array) -> Array:
    """Angles (n,) about z of quaternions (n, 4) of bodies that stand upright, rad, unwrapped."""
    return np.unwrap(yaw_of(quaternions))


_RATE = 100.0  # Hz of a recording


def write_course(course: HybridRun, folder: Path, *, plots: bool = True) -> list[Path]:
    """Write all of a use case into a folder; gives the files, the recording first."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [write_recording(course, folder / f"{course.name}.mcap"), folder / f"{course.name}.npz"]
    curves = {
        f"{title}/{label}": curve for title, panel in course.panels.items() for label, curve in panel.items()
    }
    with written_whole(written[1]) as file:
        np.savez_compressed(file, time=course.trajectory.time, **curves)  # type: ignore[arg-type]
    if plots:
        written.append(plot_course(course, folder / f"{course.name}.png"))
    return written


def write_recording(course: HybridRun, path: Path) -> Path:
    """Write the simulated course, thinned out; forces are means over the steps that each row stands for."""
    every = max(1, round(1 / (_RATE * course.dt)))
    run = course.trajectory
    with RecordingWriter(
        path,
        course.robot,
        scene=Scene(course.scene.name, course.scene.fixed_objects),  # all that moves is in the robot
        dt=course.dt,
        metadata={"use case": course.name},
        overwrite=True,
    ) as writer:
        rows = slice(every - 1, None, every)
        writer.states(run.time[rows], run.q[rows], run.v[rows], run.effort[rows])
        for index in range(len(run.time))[rows]:
            forces = run.forces[index + 1 - every : index + 1].mean(axis=0)
            writer.contacts(run.time[index], run.positions[index], forces)
    return path


def plot_course(course: HybridRun, path: Path) -> Path:
    """Draw the curves, and the way in the plane, into a PNG file."""
    plt = load_pyplot()
    count = len(course.panels) + bool(course.paths)
    rows = (count + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(12, 3.2 * rows), squeeze=False)
    places = iter(axes.flat)
    for title, panel in course.panels.items():
        axis = next(places)
        for label, curve in panel.items():
            axis.plot(course.trajectory.time, curve, label=label, linewidth=1.0)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("time, s", fontsize=8)
        axis.grid(alpha=0.3)
        if any(panel):
            axis.legend(fontsize=8, loc="upper right")
    if course.paths:
        axis = next(places)
        for label, line in course.paths.items():
            axis.plot(*line.T, label=label, linewidth=1.2)
        for label, outline in course.outlines.items():
            axis.plot(*np.vstack([outline, outline[:1]]).T, "--", color="black", linewidth=0.8, label=label)
        axis.set_aspect("equal", adjustable="datalim")
        axis.set_title("from above, m", fontsize=10)
        axis.legend(fontsize=8, loc="upper right")
        axis.grid(alpha=0.3)
    for axis in places:
        axis.set_visible(False)
    failed = [criterion.what for criterion in course.criteria if not criterion.passed]
    verdict = "all criteria met" if not failed else "missed: " + "; ".join(failed)
    figure.suptitle(f"{course.title}\n{verdict}", fontsize=11)
    figure.tight_layout()
    save_figure(figure, path, dpi=100)
    plt.close(figure)
    return path
