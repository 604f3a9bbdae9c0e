"""How well a walking robot knows where it is, as Markdown: 30 m with turns, and the S-path of Seiwald (2023), Fig. 4.8.

    python -m benchmarks.localisation --seeds 4 --picture docs/pictures/localisation.png > benchmarks/localisation.md

Feet slip: the ground has a friction of 0.25. Seeds begin at 1000; the model was tuned on others.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import footfall
from footfall.environment import TrackingQuality
from footfall.planning.contacts import Goal
from footfall.walking import WalkingCode, WalkRequest, WalkSession, walking_body
from footfall.walking.arrival import Distance, distance, standing
from footfall.walking.signals import Surface

FRICTION = 0.25
WAY = ((10.0, 0.0, 0.0), (10.0, 0.0, 1.57), (10.0, 10.0, 1.57), (10.0, 10.0, 0.0), (20.0, 10.0, 0.0))
S_SECONDS, S_TURN = 12.0, 0.35
LOSSES = tuple((5.0 * k, 0.3) for k in range(1, 60))


class Ended(NamedTuple):
    """A walk of 30 m. goal: off its last goal; drift: of what the robot believes by its plan alone; both in the true
    world. seconds: simulated."""

    goal: Distance
    drift: Distance
    seconds: float
    plans: int
    fallen: bool


def session_of(code: WalkingCode, seed: int, localisation: str, tracking: TrackingQuality) -> WalkSession:
    request = WalkRequest(
        "flat",
        noise=True,
        seed=seed,
        sight="exact",
        localisation=localisation,  # type: ignore[arg-type]
        tracking=tracking,
        signals=(Surface(friction=FRICTION),),
    )
    return WalkSession(request, code=code, log_every=100)


def walk_with_turns(code: WalkingCode, seed: int, localisation: str, tracking: TrackingQuality) -> Ended:
    session = session_of(code, seed, localisation, tracking)
    for goal in WAY:
        session.walk_to(*goal)
        session.run_to_rest(120.0)
    body = session.code.body
    there, believed = (standing(body, q) for q in (session.walker.arrays[0].q, session.walker.brain.state.q))
    return Ended(
        distance(there, Goal(*WAY[-1])),
        distance(there, believed),
        session.time,
        len(session.pilot.versions),
        session.fallen,
    )


def s_path(code: WalkingCode, seed: int) -> Any:
    """Rows (n, 5): time, s; error of the plan's odometry, m and rad, and of the localised robot, m and rad."""
    session = session_of(code, seed, "camera", TrackingQuality())
    session.drive(0.35, 0.0, S_TURN)
    rows = []
    while session.time < S_SECONDS - 1e-9 and not session.fallen:
        session.run(0.25)
        if abs(session.time - 0.5 * S_SECONDS) < 1e-6:
            session.drive(0.35, 0.0, -S_TURN)
        body = session.code.body
        there, believed = (
            standing(body, q) for q in (session.walker.arrays[0].q, session.walker.brain.state.q)
        )
        worlds = session.localiser.alignment(session.walker).inverse()
        place = worlds.apply(np.array([believed.x, believed.y, 0.0]))
        turn = math.atan2(worlds.rotation[1, 0], worlds.rotation[0, 0])
        located = Goal(float(place[0]), float(place[1]), believed.yaw + turn)
        off, corrected = distance(there, believed), distance(there, located)
        rows.append((session.time, off.away, abs(off.turned), corrected.away, abs(corrected.turned)))
    return np.array(rows)


def statement(ended: list[Ended]) -> str:
    away = 1e3 * np.array([each.goal.away for each in ended])
    turned = np.degrees([abs(each.goal.turned) for each in ended])
    drift = 1e3 * np.array([each.drift.away for each in ended])
    turns = np.degrees([abs(each.drift.turned) for each in ended])
    within = sum(
        each.goal.away < 0.1 and abs(each.goal.turned) < math.radians(2.0) and not each.fallen
        for each in ended
    )
    return (
        f"{np.median(away):.0f}, {away.max():.0f} | {np.median(turned):.2f}, {turned.max():.2f} | "
        f"{np.median(drift):.0f}, {drift.max():.0f} | {np.median(turns):.2f}, {turns.max():.2f} | "
        f"{within} of {len(ended)} | {sum(each.fallen for each in ended)}"
    )


def draw(runs: list[Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.4), constrained_layout=True)
    scales = ((1e3, "position, mm", 60.0), (180.0 / math.pi, "heading, degrees", 3.5))
    for k, (axis, (scale, title, source)) in enumerate(zip(axes, scales, strict=True)):
        for number, rows in enumerate(runs):
            for column, colour, name in (
                (1 + k, "tab:red", "by the plan"),
                (3 + k, "tab:blue", "by the camera"),
            ):
                label = name if number == 0 else None
                axis.plot(rows[:, 0], scale * rows[:, column], color=colour, lw=1.0, alpha=0.7, label=label)
        axis.axhline(source, color="0.4", ls="--", lw=1.0, label="Seiwald 2023, Fig. 4.8: greatest")
        axis.set(xlabel="time, s", ylabel=f"error of {title}", ylim=(0.0, 1.15 * source))
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.seeds)
    begun, code = time.process_time(), WalkingCode(walking_body(footfall.load("lola")))

    def told(text: str) -> None:
        print(f"{time.process_time() - begun:.0f} s: {text}", file=sys.stderr, flush=True)

    runs = []
    for seed in range(given.first, given.first + 2 * given.seeds):
        rows = s_path(code, seed)
        runs.append(rows)
        told(f"S-path {seed}: {1e3 * rows[:, 1].max():.0f} mm, {1e3 * rows[:, 3].max():.0f} mm")
    print("# Where a walking robot is\n")
    print("`python -m benchmarks.localisation` makes this report. LOLA walks on ground with a friction of")
    print(f"{FRICTION}, on which its feet slip; sensors and cameras have errors. Reduced mode.\n")
    print("## The S-path\n")
    print(
        f"{len(runs)} walks of {S_SECONDS:g} s at 0.35 m/s, turning by {S_TURN} rad/s to one side, then to the other"
    )
    print(
        f"(seeds {given.first} to {given.first + len(runs) - 1}). Greatest error within the time: median, largest.\n"
    )
    print("| | position, mm | heading, degrees |\n|---|---|---|")
    for name, column in (("by the plan alone", 1), ("with the tracking camera", 3)):
        most = [(1e3 * rows[:, column].max(), math.degrees(rows[:, column + 1].max())) for rows in runs]
        (one, worst), (two, turned) = ((np.median(each), max(each)) for each in zip(*most, strict=True))
        print(f"| {name} | {one:.0f}, {worst:.0f} | {two:.2f}, {turned:.2f} |")
    print("| Seiwald 2023, Fig. 4.8, the real robot without correction | 60 | 3.5 |\n")
    if given.picture is not None:
        draw(runs, given.picture)
        print(f"![Error over time](../{given.picture})\n")
    print("## 30 m with turns\n")
    print(
        "10 m ahead, a quarter turn, 10 m, a quarter turn back, 10 m: five goals one after the other, seeds"
    )
    print(
        f"{seeds[0]} to {seeds[-1]}. The bar is 10 cm and 2 degrees off the last goal, in the true world. Median,"
    )
    print("largest.\n")
    print(
        "| localisation | off the goal, mm | degrees | drift of the plan, mm | degrees | within the bar | falls |"
    )
    print("|---|---|---|---|---|---|---|")
    normal = TrackingQuality()
    cases: list[tuple[str, str, TrackingQuality]] = [
        ("none", "none", normal),
        ("camera, drift 0.2 %", "camera", normal),
        ("camera, blind for 0.3 s every 5 s", "camera", TrackingQuality(losses=LOSSES)),
        ("exact", "exact", normal),
        ("camera, drift 1 %", "camera", TrackingQuality(drift=0.01)),
    ]
    for name, kind, tracking in cases:
        ended = []
        for seed in seeds:
            ended.append(walk_with_turns(code, seed, kind, tracking))
            told(f"{name}, {seed}: {ended[-1]}")
        print(f"| {name} | {statement(ended)} |", flush=True)


if __name__ == "__main__":
    main()
