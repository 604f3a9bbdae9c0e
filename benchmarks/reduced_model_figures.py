"""Pictures of reduced models for docs/reduced-models.md: answers side by side, gaps, speeds and pushes by rows that
`benchmarks/reduced_models.py` has saved.

python -m benchmarks.reduced_model_figures reduced_models.jsonl [--folder docs/pictures]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import footfall
from benchmarks.reduced_models import ANGLES, NAMES, Rows
from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion import balance_problem, plan_center, running_angle, running_step, spring_leg

ROBOTS = ("lola", "g1", "talos")
SHOWN = ("lipm", "preview", "dcm", "mpc", "biped", "three_masses", "five_masses", "centroidal")


def draw_answers(path: Path) -> None:
    """Sideways motion of the centre of mass and its zero-moment point, by each model, and a runner."""
    robot = footfall.load("lola")
    model = footfall.reduced_model(robot)
    plan = footfall.walking_plan(model, [WalkingTransition(forward=0.3)] * 5)
    body = footfall.motion.WholeBody(robot, model)
    problem = balance_problem(plan, model, body=body)
    at = np.linspace(problem.begin, problem.end, 1500)
    figure, axes = plt.subplots(3, 3, figsize=(11, 7.5), sharex=False)
    for axis, name in zip(axes.flat, SHOWN, strict=False):
        motion = plan_center(problem, name)
        axis.plot(at, 1e3 * problem.wanted(at)[:, 1], color="0.75", lw=3, label="wanted")
        axis.plot(at, 1e3 * motion.zmp(at)[:, 1], color="C3", lw=1, label="zero-moment point")
        axis.plot(at, 1e3 * motion.center(at)[:, 1], color="C0", lw=1.6, label="centre of mass")
        axis.set_title(name, fontsize=10)
        axis.set_ylim(-120, 120)
        axis.set_ylabel("y, mm")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), fontsize=8, loc="lower right", ncols=3)
    leg = spring_leg(model)
    last, begin = axes[2, 2], 0.0
    angle = running_angle(leg, leg.length, 3.0)
    step = running_step(leg, leg.length, 3.0, angle)
    assert step is not None
    for _ in range(3):
        x = begin + step.center[0, :, 0]
        last.plot(x, step.center[0, :, 1], color="C0", lw=1.6)
        ground = step.grounded
        for k in np.flatnonzero(ground)[:: max(int(ground.sum() / 6), 1)]:
            last.plot([begin + step.foot, x[k]], [0.0, step.center[0, k, 1]], color="0.7", lw=0.7)
        begin += step.center[0, -1, 0]
    last.set_title("a leg on a spring runs, 3 m/s", fontsize=10)
    last.set_aspect("equal")
    last.set_xlabel("x, m")
    for axis in axes.flat[:8]:
        axis.set_xlabel("time, s")
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def draw_gaps(rows: Rows, path: Path) -> None:
    """How far the zero-moment point of all bodies is from what each model thinks, and how fast robots walk by it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8))
    places = np.arange(len(NAMES))
    for number, robot in enumerate(ROBOTS):
        gaps = [rows.of("gaps", robot, name) for name in NAMES]
        heights = [each[0].get("whole", np.nan) if each else np.nan for each in gaps]
        left.bar(places + 0.27 * (number - 1), heights, 0.25, label=robot.upper())
    left.set_ylabel("mm, root mean square")
    left.set_title("zero-moment point of all bodies, from the model's own", fontsize=10)
    left.legend(fontsize=8)
    for number, (key, label) in enumerate(
        (
            ("own", "planned on the model itself"),
            ("five", "plan holds on five masses"),
            ("walked", "robot walks it"),
        )
    ):
        speeds = [rows.of("speeds", "lola", name) for name in NAMES]
        heights = [each[0].get(key, np.nan) if each else np.nan for each in speeds]
        right.bar(places + 0.27 * (number - 1), heights, 0.25, label=label)
    right.set_ylabel("m/s")
    right.set_title("LOLA: the fastest walk of steps of 0.7 s", fontsize=10)
    right.legend(fontsize=8, loc="upper right")
    for axis in (left, right):
        axis.set_xticks(places, NAMES, rotation=35, ha="right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def draw_pushes(rows: Rows, path: Path) -> None:
    """Largest pushes by direction; left and right are the same."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 4.4), subplot_kw={"projection": "polar"})
    for axis, robot in zip(axes, ROBOTS, strict=True):
        for name in ("whole_body", "three_masses", "lipm", "dcm", "mpc", "biped"):
            known = [rows.known.get(("pushes", robot, name, angle), {}) for angle in ANGLES]
            found = [row.get("impulse", np.nan) for row in known]
            way = np.deg2rad([*ANGLES, *(-each for each in ANGLES[-2::-1])])
            axis.plot(way, [*found, *found[-2::-1]], marker="o", ms=3, lw=1.2, label=name)
        axis.set_theta_zero_location("N")
        axis.set_ylim(0)
        axis.set_title(robot.upper(), fontsize=10)
    figure.suptitle("largest push that is borne in a walk, N s (up: ahead)", fontsize=10)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=8, loc="lower center", ncols=6)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, dpi=90)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--folder", type=Path, default=Path("docs/pictures"))
    given = parser.parse_args(arguments)
    plt.switch_backend("Agg")
    rows = Rows(given.rows)
    draw_answers(given.folder / "reduced-models.png")
    draw_gaps(rows, given.folder / "reduced-model-gaps.png")
    draw_pushes(rows, given.folder / "reduced-model-pushes.png")


if __name__ == "__main__":
    main()
