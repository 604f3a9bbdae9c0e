"""What Schwienbacher (2014) shows of angular momentum in figures 7.1, 7.3 and 7.4, drawn and counted for our walks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.lab.angular_momentum import DT, Outcome
from footfall.arrays import Array

_FROM = 3.0  # s: after the first steps
REST, SWING, UNIT, MINIMISED = (
    "arms at rest",
    "reference swing",
    "compensation, unit (7.9)",
    "minimisation, delta 0.5",
)


class Shown(NamedTuple):
    """A curve that the source shows: of which figure, on which walk, with which arms against which others, and the
    share by which it says that peaks fall (None: it gives no number)."""

    figure: str
    walk: str
    step: float  # s
    curve: str
    before: str
    after: str
    source: float | None


FIGURES = (
    Shown("7.1", "straight, 0.4 m in 0.8 s", 0.8, "momentum", SWING, UNIT, -0.2),
    Shown("7.1", "straight, 0.4 m in 0.8 s", 0.8, "rate of momentum", SWING, UNIT, -0.2),
    Shown("7.3", "straight, 0.4 m in 1.0 s", 1.0, "torque of the right sole", SWING, UNIT, None),
    Shown("7.3", "straight, 0.4 m in 1.0 s", 1.0, "torque of the left sole", SWING, UNIT, None),
    Shown("7.4", "straight, 0.4 m in 0.8 s", 0.8, "momentum", REST, MINIMISED, -0.4),
    Shown("7.4", "straight, 0.4 m in 0.8 s", 0.8, "torque of the right sole", REST, MINIMISED, -0.15),
)
_UNITS = {"momentum": "kg m2/s"}


def gait_cycle(shown: Shown, outcome: Outcome) -> tuple[Array, Array]:
    """Time (n,), s, and a curve (n,) over two steps."""
    times, momentum, right, left = outcome.course.T
    curve = {
        "momentum": momentum,
        "rate of momentum": np.gradient(momentum, DT),
        "torque of the right sole": right,
        "torque of the left sole": left,
    }[shown.curve]
    part = (times >= _FROM) & (times < _FROM + 2 * shown.step)
    return times[part] - _FROM, curve[part]


def change(shown: Shown, walks: dict[str, list[Outcome]]) -> float:
    """By which share the peak of a curve is lower over two steps."""
    found = {each.method: each for each in walks[shown.walk]}
    before, after = (
        float(np.abs(gait_cycle(shown, found[method])[1]).max()) for method in (shown.before, shown.after)
    )
    return after / before - 1.0


def beside_the_source(robots: dict[str, dict[str, list[Outcome]]]) -> list[str]:
    """A table: what the source says, and what our robots do; walks by robot."""
    lines = [
        "| figure | walk | curve | arms | against | source | " + " | ".join(robots) + " |",
        "|---|---|---|---|---|---|" + "---|" * len(robots),
    ]
    for shown in FIGURES:
        told = "improved" if shown.source is None else f"about {shown.source:.0%}"
        ours = " | ".join(f"{change(shown, walks):+.0%}" for walks in robots.values())
        lines.append(
            f"| {shown.figure} | {shown.walk} | {shown.curve} | {shown.after} | {shown.before} | {told} | {ours} |"
        )
    return lines


def draw_figures(walks: dict[str, list[Outcome]], path: Path, *, robot: str) -> None:
    """The source's three figures, two curves each, of one robot."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13.5, 6.0), squeeze=False)
    for place, shown in enumerate(FIGURES):
        _draw(axes[place % 2][place // 2], shown, walks)
    figure.suptitle(
        f"{robot}: the curves of figures 7.1, 7.3 and 7.4 of Schwienbacher (2014), one gait cycle"
    )
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def _draw(axis: Any, shown: Shown, walks: dict[str, list[Outcome]]) -> None:
    found = {each.method: each for each in walks[shown.walk]}
    for method, style in ((shown.before, "--"), (shown.after, "-")):
        axis.plot(*gait_cycle(shown, found[method]), style, label=method)
    told = "no number" if shown.source is None else f"about {shown.source:.0%}"
    axis.set_title(
        f"as figure {shown.figure}: {shown.walk}\npeaks {change(shown, walks):+.0%} (source: {told})",
        fontsize=9,
    )
    axis.set(xlabel="time, s", ylabel=f"{shown.curve}, {_UNITS.get(shown.curve, 'N m')}")
    axis.legend(fontsize=7)
    axis.grid(alpha=0.3)
