"""Times of a live walk, beside those of the source: `python -m benchmarks.live --output benchmarks/live.md`.

Each situation lasts some seconds: the robot stands, walks, and walks while the planner searches ways among obstacles
all the time. The loop of the source runs on a machine of its own; here the planner works on the same cores.
"""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

import msgspec

from footfall.walking import LiveSession, PlannerProcess, WalkRequest, run_live
from footfall.walking.clock import Timing
from footfall.walking.live.runner import Deadlines, empty_loop

# Seiwald 2023, table 4.6: mean, standard deviation and largest, us.
_SOURCE = {
    "idle": ("112.4 / 11.5 / 296.6", "378.3 / 17.3 / 474.3", "249.2 / 14.2 / 296.6"),
    "motion": ("121.0 / 15.5 / 514.5", "396.5 / 19.5 / 593.4", "249.2 / 14.0 / 327.3"),
    "planning": ("102.3 / 14.3 / 251.8", "364.4 / 15.5 / 447.5", "249.3 / 17.5 / 303.5"),
}
_LEVELS = ("pattern", "stabilisation", "tick", "plant", "period", "lateness")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each situation")
    parser.add_argument("--mode", default="full", choices=("reduced", "full"))
    asked = parser.parse_args()
    text = "\n".join(report(asked.seconds, asked.mode)) + "\n"
    if asked.output is not None:
        asked.output.write_text(text)
    print(text)


def report(seconds: float, mode: str) -> list[str]:
    empty = {priority: _empty(seconds, priority) for priority in (False, True)}
    lines = [
        "# Live walks: what periods take",
        "",
        f"`python -m benchmarks.live`, {seconds:g} s each, LOLA in {mode} mode with noise, on "
        f"{platform.machine()} with {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}. Mean / standard deviation / "
        "99.99 % / largest, us of wall clock. The source has a computer for its loop alone and prints mean / standard "
        "deviation / largest of ten seconds (Seiwald 2023, table 4.6); here all shares two cores.",
        "",
        "| situation | priority | plan sampling | stabilisation | tick to tick | plant and sensors | period "
        "| begins late | periods beyond 1 ms | late plans |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for situation in ("idle", "motion", "planning"):
        for priority in (False, True):
            met = _measured(situation, seconds, mode, priority)
            cells = " | ".join(_cell(met.levels[level]) for level in _LEVELS)
            share = f"{met.missed} of {met.periods}"
            lines.append(
                f"| {situation} | {'yes' if priority else 'no'} | {cells} | {share} | {met.late_plans} |"
            )
        lines.append(f"| {situation}, source | yes | {' | '.join(_SOURCE[situation])} | | | | | |")
    lines += [
        "",
        "How late the periods of an empty loop begin, measured before: "
        + "; ".join(f"{'with' if key else 'without'} priority {_cell(value)}" for key, value in empty.items())
        + ".",
    ]
    return lines


def _cell(found: Timing) -> str:
    if found.number == 0:
        return "-"
    return f"{found.mean:.1f} / {found.sigma:.1f} / {found.most:.0f} / {found.largest:.0f}"


def _empty(seconds: float, priority: bool) -> Timing:
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    if priority:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(60))
    try:
        return empty_loop(round(1e3 * min(seconds, 20.0)))
    finally:
        os.sched_setscheduler(0, *before)


def _measured(situation: str, seconds: float, mode: str, priority: bool) -> Deadlines:
    scene = "obstacles" if situation == "planning" else "flat"
    request = msgspec.convert(
        {"scene": scene, "noise": True, "seed": 1000, "mode": mode, "live": True}, WalkRequest
    )
    planner = PlannerProcess(request)
    session = LiveSession(request, planner=planner)
    planner.wait()
    goals = iter([(2.5, 0.2), (0.2, -0.2)] * 1000)
    next_goal = 1.5

    def tell(now: float) -> None:
        nonlocal next_goal
        if situation == "motion" and now > 1.5 and next_goal == 1.5:
            session.drive(0.25, 0.0, 0.2)
            next_goal = float("inf")
        elif situation == "planning" and now >= next_goal:
            x, y = next(goals)
            session.walk_to(x, y)
            next_goal = now + 1.0  # a new goal every second: it plans all the time

    try:
        return run_live(session, seconds=seconds, priority=priority, progress=tell)
    finally:
        session.close()


if __name__ == "__main__":
    main()
