"""Plots of a motion: from above, from the side, and over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.arrays import Array
from footfall.errors import MissingPackage
from footfall.gait.pose_records import pose_array
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.motion import Motion
from footfall.motion.support import sole_corners, soles_of
from footfall.motion.verification import recomputed_zmp
from footfall.whole_file import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


RIGHT, LEFT, ZMP, COM, INK = "#c44e52", "#4c72b0", "#111111", "#2e8b57", "#888888"
HANDS = ("#e377c2", "#17a2b8")
_SAMPLE_TIME = 0.005  # s


def plot_motion(motion: Motion, path: Path | str) -> None:
    """Write a picture of a motion (PNG)."""
    figure = motion_figure(motion)
    with written_whole(Path(path)) as file:
        figure.savefig(file, format="png", dpi=130)


def motion_figure(motion: Motion) -> Figure:
    """The figure: footprints, support areas, zero-moment point, centre of mass, feet and hands from above and from the
    side; zero-moment point, height of the torso with the bounds of the legs, toes and load over time."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from error
    count = max(int(np.ceil(motion.duration / _SAMPLE_TIME)), 2)
    times = np.linspace(motion.begin_time, motion.end_time, count)
    figure = Figure(figsize=(15, 13), layout="constrained")
    grid = figure.add_gridspec(4, 2, height_ratios=(1.5, 1.2, 1.0, 1.0))
    above, side = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, :])
    rest = [figure.add_subplot(grid[row, column]) for row in (2, 3) for column in (0, 1)]
    _draw_above(above, motion, times)
    _draw_side(side, motion, times)
    _draw_zmp(rest[0], motion, times, 0)
    _draw_zmp(rest[1], motion, times, 1)
    _draw_height(rest[2], motion, times)
    _draw_load(rest[3], motion, times)
    steps = len(motion.plan.transitions)
    figure.suptitle(f"{motion.model.name}: {steps} transitions, {motion.duration:.2f} s")
    return figure


def _draw_above(axes: Axes, motion: Motion, times: Array) -> None:
    from matplotlib.patches import Polygon

    poses = pose_array(pose.record for pose in motion.plan.poses)
    soles = sole_corners(poses, soles_of(motion.model))
    for foot, colour in ((0, RIGHT), (1, LEFT)):
        for corners in soles[:, foot]:
            axes.add_patch(Polygon(corners, fill=False, edgecolor=colour, linewidth=0.9))
    for phase in range(len(motion.phases.motion)):
        if motion.phases.motion[phase]:
            corners = motion.phases.areas.polygon(phase)
            axes.add_patch(Polygon(corners, facecolor="#dddddd", edgecolor="none", alpha=0.5, zorder=0))
    samples = motion.sample(times)
    reference, recomputed = samples.zmp[:, 0], recomputed_zmp(motion, times)
    axes.plot(reference[:, 0], reference[:, 1], color=ZMP, linewidth=1.4, label="zero-moment point, wanted")
    axes.plot(recomputed[:, 0], recomputed[:, 1], ":", color="#dd8452", linewidth=1.4, label="recomputed")
    center = samples.center_of_mass[:, 0]
    axes.plot(center[:, 0], center[:, 1], color=COM, linewidth=1.6, label="centre of mass")
    _draw_limbs(axes, motion, times, (0, 1))
    axes.set(xlabel="x, m", ylabel="y, m", title="from above")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)


def _draw_side(axes: Axes, motion: Motion, times: Array) -> None:
    samples = motion.sample(times)
    # Seen across the way: a robot that walks sideways is seen from its front.
    along = int(np.ptp(samples.center_of_mass[:, 0, :2], axis=0).argmax())
    sole = np.array(motion.model.sole)
    corners = np.array([[x, y, 0.0] for x in sole[:2] for y in sole[2:]])
    for pose in motion.plan.poses:
        for foot, colour in ((pose.right_foot, RIGHT), (pose.left_foot, LEFT)):
            here = np.array(foot.position) + rotate_by_quaternion(np.array(foot.rotation), corners)
            ends = here[[here[:, along].argmin(), here[:, along].argmax()]]
            axes.plot(ends[:, along], ends[:, 2], color=colour, linewidth=2.5)
    for values, colour, label in (
        (samples.zmp, ZMP, "zero-moment point"),
        (samples.center_of_mass, COM, "centre of mass"),
        (samples.torso, "#8172b3", "torso's mass"),
    ):
        axes.plot(values[:, 0, along], values[:, 0, 2], color=colour, linewidth=1.3, label=label)
    _draw_limbs(axes, motion, times, (along, 2))
    axes.set(xlabel=f"{'xy'[along]}, m", ylabel="z, m", title="from the side")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)


def _draw_limbs(axes: Axes, motion: Motion, times: Array, plane: tuple[int, int]) -> None:
    """Courses of feet and, where they are in task space, of hands, in the plane of two axes of the world."""
    samples = motion.sample(times)
    for index, colour, side in ((0, RIGHT, "right"), (1, LEFT, "left")):
        foot = samples.feet[:, 0, index][:, plane]
        axes.plot(*foot.T, color=colour, linewidth=0.8, alpha=0.8, label=f"{side} foot")
        used = samples.selection[:, 0, index] > 0.0
        if used.any():
            hand = np.where(used[:, None], samples.hands[:, 0, index][:, plane], np.nan)
            axes.plot(*hand.T, "--", color=HANDS[index], linewidth=1.4, label=f"{side} hand")


def _draw_zmp(axes: Axes, motion: Motion, times: Array, axis: int) -> None:
    samples = motion.sample(times)
    lowest, highest = _support_range(motion, times, axis)
    axes.fill_between(times, lowest, highest, color="#e4e4e4", label="support area, whole soles")
    axes.plot(
        times,
        recomputed_zmp(motion, times)[:, axis],
        ":",
        color="#dd8452",
        label="recomputed from the motion",
    )
    axes.plot(times, samples.zmp[:, 0, axis], color=ZMP, linewidth=1.0, label="zero-moment point")
    axes.plot(times, samples.center_of_mass[:, 0, axis], color=COM, label="centre of mass")
    axes.set(xlabel="t, s", ylabel=f"{'xy'[axis]}, m")
    axes.legend(fontsize=7, loc="upper right")


def _draw_height(axes: Axes, motion: Motion, times: Array) -> None:
    for number, plan in enumerate(motion.torso):
        label = None if number else "bounds of the legs"
        finite = np.isfinite(plan.lowest) & np.isfinite(plan.highest)
        axes.fill_between(
            plan.times[finite], plan.lowest[finite], plan.highest[finite], color="#e8e4f0", label=label
        )
        label = None if number else "first cycle"
        axes.plot(
            plan.first_height.times,
            plan.first_height(plan.first_height.times),
            "--",
            color=INK,
            linewidth=0.9,
            label=label,
        )
    samples = motion.sample(times)
    axes.plot(times, samples.torso[:, 0, 2], color="#8172b3", label="torso's mass")
    if len(motion.overlaps):
        axes.plot(
            motion.overlaps,
            motion.curves.torso(motion.overlaps)[:, 2],
            "x",
            color="#d62728",
            label="bounds overlap",
        )
    axes.set(xlabel="t, s", ylabel="height, m")
    axes.legend(fontsize=7, loc="upper right")


def _draw_load(axes: Axes, motion: Motion, times: Array) -> None:
    samples = motion.sample(times)
    for index, colour, side in ((0, RIGHT, "right"), (1, LEFT, "left")):
        axes.plot(times, samples.load[:, 0, index], color=colour, label=f"load {side} foot")
        if samples.load[:, 0, 2 + index].any():
            hand = samples.load[:, 0, 2 + index]
            axes.plot(times, hand, "--", color=HANDS[index], zorder=3, label=f"load {side} hand")
        if samples.toes[:, 0, index].any():
            axes.plot(times, samples.toes[:, 0, index], ":", color=colour, label=f"{side} toe, rad")
    axes.set(xlabel="t, s", ylabel="load factor; toe angle, rad")
    axes.legend(fontsize=7, loc="upper right")


def _support_range(motion: Motion, times: Array, axis: int) -> tuple[Array, Array]:
    """Smallest and largest coordinate of the support area of whole soles at times (k,)."""
    soles = motion.phases.soles
    corners = soles.corners[:, :, axis]
    unused = np.arange(corners.shape[1]) >= soles.sizes[:, None]
    phase = motion.phases.at(times)
    return np.where(unused, np.inf, corners).min(axis=1)[phase], np.where(unused, -np.inf, corners).max(
        axis=1
    )[phase]
