"""Times of live walks, beside the source: `python -m benchmarks.live --minutes 10 --output benchmarks/live.md`.

One walk without and one with real-time priority, each of so many minutes (`--minutes 9 10`: the first of 9, the second
of 10). What stands in the file below the mark is written by hand, and kept. The robot stands for a tenth of the time,
then it walks, and for the rest it walks among obstacles while the planner searches a new way every second. An empty
loop of the same rate and priority runs in another process meanwhile: periods that it begins so late that what ours
computes would not have been done in time, and the stretches in which they come, are what the machine itself costs. The
loop of the source runs on a machine of its own; here the planner works on the same cores.

`--stops N` measures besides how long it takes from a `stop` to the first set point that has changed, while the robot
walks and while a way is planned, over N random goals.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from footfall.walking import LiveSession, PlannerProcess, WalkRequest, run_live
from footfall.walking.clock import Clock, Counted, Level, Timing, clear_clock, timing
from footfall.walking.live.control import LOOP_PRIORITY, schedule
from footfall.walking.live.runner import EmptyLoop, empty_loop
from footfall.walking.signals import Served

# Seiwald 2023, table 4.6: mean, standard deviation and largest, us.
_SOURCE = {
    "idle": ((112.4, 11.5, 296.6), (378.3, 17.3, 474.3), (249.2, 14.2, 296.6)),
    "motion": ((121.0, 15.5, 514.5), (396.5, 19.5, 593.4), (249.2, 14.0, 327.3)),
    "planning": ((102.3, 14.3, 251.8), (364.4, 15.5, 447.5), (249.3, 17.5, 303.5)),
}
_LEVELS = ("pattern", "stabilisation", "tick", "plant", "period", "lateness")
_BEGIN = {"idle": 0.0, "motion": 0.1, "planning": 0.5}  # of the time
WORK = {
    "reduced": 5e-5,
    "full": 7.8e-4,
}  # s from the begin of a period to its end, about: its last tick is at 3/4
_REST = "<!-- below: written by hand -->\n"
_FIRST = 1.0  # s, that do not count: memory is touched for the first time


class Phase(NamedTuple):
    """What was measured in a situation. memory: MB, of the loop's process and of the planner's."""

    levels: dict[str, Timing]
    periods: int
    missed: int
    stalls: int
    memory: tuple[float, float]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument(
        "--minutes", type=float, nargs="+", default=[1.0], help="of each walk, or of all; 0: stops only"
    )
    parser.add_argument("--mode", default="full", choices=("reduced", "full"))
    parser.add_argument("--priority", default="both", choices=("no", "yes", "both"))
    parser.add_argument("--stops", type=int, default=0, help="how many stops to measure")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--empty", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=float, default=0.0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.empty is not None:
        print(json.dumps(_empty(asked.empty, asked.work, asked.priority == "yes")))
        return
    chosen = {"no": (False,), "yes": (True,), "both": (False, True)}[asked.priority]
    minutes = asked.minutes * len(chosen) if len(asked.minutes) == 1 else asked.minutes
    if len(minutes) != len(chosen):
        parser.error(
            f"--minutes has {len(minutes)} numbers for {len(chosen)} walks; give one, or one for each"
        )
    lines = (
        report(dict(zip(chosen, minutes, strict=True)), asked.mode, asked.seed) if minutes[0] > 0.0 else []
    )
    if asked.stops:
        lines += ["", *stops(asked.stops, asked.mode, asked.seed, priority=chosen[-1])]
    text = "\n".join(lines) + "\n"
    if asked.output is not None:
        old = asked.output.read_text() if asked.output.is_file() else ""
        asked.output.write_text(f"{text}\n{_REST}{old.partition(_REST)[2]}")
    print(text)


def report(minutes: dict[bool, float], mode: str, seed: int) -> list[str]:
    """Lines of Markdown about a walk without and one with priority, of so many minutes."""
    lengths = " and ".join(f"{each:g}" for each in minutes.values())
    lines = [
        "# Live walks: what periods take",
        "",
        f"`python -m benchmarks.live`: walks of {lengths} minutes, LOLA in {mode} mode with noise, seed {seed}, "
        f"on {platform.machine()} with {os.cpu_count()} cores, Linux {platform.release()}, load "
        f"{os.getloadavg()[0]:.1f} at the start. Mean / standard deviation / 99.99 % / largest, "
        "us of wall clock. The source has a computer for its loop alone and prints mean / standard deviation / "
        "largest of ten seconds (Seiwald 2023, table 4.6); "
        "here all shares two cores.",
        "",
        "| situation | priority | plan sampling | stabilisation | tick to tick | plant and sensors | period "
        "| begins late | periods that end late | memory, MB: loop, planner |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    rest: list[str] = []
    for priority, length in minutes.items():
        seconds, word = 60.0 * length, "yes" if priority else "no"
        beside = start_empty(seconds, WORK[mode], priority=priority)
        phases, late = _walked(seconds, mode, priority, seed)
        for situation, found in phases.items():
            cells = " | ".join(_cell(found.levels[level]) for level in _LEVELS)
            share = (
                f"{found.missed} of {found.periods} ({100 * found.missed / max(found.periods, 1):.4f} %), in "
            )
            share += f"{found.stalls} stretches"
            memory = ", ".join(f"{each:.0f}" for each in found.memory)
            lines.append(f"| {situation} | {word} | {cells} | {share} | {memory} |")
        missed, periods, stalls = (
            sum(getattr(each, name) for each in phases.values()) for name in ("missed", "periods", "stalls")
        )
        beyond = sum(each.levels["period"].most > 1000.0 for each in phases.values())
        rest.append(
            f"- Priority {word}: {missed} of {periods} periods ended late ({100 * missed / max(periods, 1):.4f} %), in "
            f"{stalls} stretches; {late} plans came too late. {empty_report(beside, seconds)} Load "
            f"{os.getloadavg()[0]:.1f} at the end. The bar: 99.99 % of the periods take less than 1 ms, which holds in "
            f"{len(phases) - beyond} of {len(phases)} situations, and fewer than 0.01 % end late. Of the means and "
            "standard deviations of plan sampling and stabilisation {} of {} are below the source's.".format(
                *_below_the_source(phases)
            )
        )
    for situation, levels in _SOURCE.items():
        cells = " | ".join(" / ".join(f"{each:.1f}" for each in level) for level in levels)
        lines.append(f"| {situation}, source | yes | {cells} | | | | | |")
    return [*lines, "", *rest]


def _below_the_source(phases: dict[str, Phase]) -> tuple[int, int]:
    """How many means and standard deviations are below the source's, and of how many."""
    pairs = [
        (ours, theirs)
        for situation, found in phases.items()
        for level, (mean, sigma, _) in zip(("pattern", "stabilisation"), _SOURCE[situation], strict=False)
        for ours, theirs in ((found.levels[level].mean, mean), (found.levels[level].sigma, sigma))
    ]
    return sum(ours < theirs for ours, theirs in pairs), len(pairs)


def _cell(found: Timing) -> str:
    if found.number == 0:
        return "-"
    return f"{found.mean:.1f} / {found.sigma:.1f} / {found.most:.0f} / {found.largest:.0f}"


def start_empty(seconds: float, work: float, *, priority: bool) -> subprocess.Popen[str]:
    """An empty loop beside one whose periods take `work` s."""
    numbers = "--empty", str(seconds), "--work", str(work), "--priority", "yes" if priority else "no"
    command = [sys.executable, "-m", "benchmarks.live", *numbers]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def empty_report(beside: subprocess.Popen[str], seconds: float) -> str:
    """What the empty loop has found, in a sentence."""
    told, _ = beside.communicate()
    if beside.returncode != 0:
        return "The empty loop failed."
    lateness, late = json.loads(told)
    found = EmptyLoop(Timing(*lateness), late)
    return (
        f"An empty loop meanwhile began late by {_cell(found.lateness)} us; {late} of its {1e3 * seconds:.0f} periods "
        f"({0.1 * late / seconds:.4f} %) began so late that ours would have ended late."
    )


def _empty(seconds: float, work: float, priority: bool) -> EmptyLoop:
    if priority:
        schedule(LOOP_PRIORITY)
    return empty_loop(round(1e3 * seconds), work=work)


def _request(scene: str, mode: str, seed: int) -> WalkRequest:
    return msgspec.convert(
        {"scene": scene, "noise": True, "seed": seed, "mode": mode, "live": True}, WalkRequest
    )


def _walked(seconds: float, mode: str, priority: bool, seed: int) -> tuple[dict[str, Phase], int]:
    request = _request("obstacles", mode, seed)
    planner = PlannerProcess(request, preferred=priority)
    session = LiveSession(request, planner=planner, log_memory=64e6)
    planner.wait()
    clock = session.walker.brain.clock
    phases: dict[str, Phase] = {}
    situation, next_goal = "", 0.0
    goals = iter([(2.5, 0.2), (0.2, -0.2)] * 10_000)

    def tell(now: float) -> None:
        nonlocal situation, next_goal
        wanted = [each for each, begin in _BEGIN.items() if now >= begin * seconds + _FIRST]
        if wanted and wanted[-1] != situation:
            if situation:
                phases[situation] = _phase(clock, planner.pid)
            situation, next_goal = wanted[-1], now
            if situation == "motion":
                session.drive(0.0, 0.0, 0.3)  # on the spot: ten minutes ahead would be a long way
            clear_clock(clock)
        elif situation == "planning" and now >= next_goal:
            session.walk_to(*next(goals))
            next_goal = now + 1.0  # a new goal every second: it plans all the time

    try:
        run_live(session, seconds=seconds, priority=priority, progress=tell)
        phases[situation] = _phase(clock, planner.pid)
        if session.fallen:
            print(f"the robot has fallen after {session.time:.1f} s", file=sys.stderr)
        return phases, session.late
    finally:
        session.close()


def _phase(clock: Clock, planner: int) -> Phase:
    levels = {level.name.lower(): timing(clock, level) for level in Level}
    memory = (_memory(os.getpid()), _memory(planner))
    counts = (int(clock.counts[each]) for each in (Counted.PERIODS, Counted.MISSED, Counted.STALLS))
    return Phase(levels, *counts, memory)


def _memory(process: int) -> float:
    """Resident, MB."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except FileNotFoundError:  # a planner that died, and was replaced
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def stops(count: int, mode: str, seed: int, *, priority: bool) -> list[str]:
    """From a stop to the first set point that differs from those of the walk without it, simulated s, while ways to
    random goals are planned. The set points without it are those of the motion that the robot had."""
    request = _request("obstacles", mode, seed)
    planner = PlannerProcess(request, preferred=priority)
    session = LiveSession(request, planner=planner, log_memory=64e6)
    planner.wait()
    random = np.random.default_rng(seed)
    sent: list[float] = []
    phase, until = "walk", 1.0

    def tell(now: float) -> None:
        nonlocal phase, until
        if now < until:
            return
        if phase == "walk":
            session.drive(0.0, 0.0, 0.3)
            phase, until = "goal", now + 1.2
        elif phase == "goal":
            session.walk_to(float(random.uniform(0.3, 3.0)), float(random.uniform(-1.0, 1.0)))
            phase, until = "stop", now + float(random.uniform(0.01, 0.4))
        elif phase == "stop":
            session.stop()
            sent.append(now)
            phase, until = "rest", now + 1.0
        elif session.pilot.rests(now):
            phase = "walk"

    try:
        run_live(
            session,
            ended=lambda: len(sent) >= count and phase == "walk",
            commands=None,
            priority=priority,
            seconds=6.0 * count,
            progress=tell,
        )
    finally:
        session.close()
    changed = [
        data["begins"] for _, name, data in session.happened if name == "plan" and data["about"] == "stop"
    ]
    delays = [min((each - when for each in changed if each > when), default=np.inf) for when in sent]
    found = np.array([each for each in delays if each < 1.0])
    searches = [(each.asked, each.time) for each in session.sent if isinstance(each, Served)]
    searched = [when - asked for when in sent for asked, answered in searches if asked <= when < answered]
    return [
        f"Stops: {len(sent)} after goals at random (seed {seed}), {len(found)} of them while it walked. In "
        f"{len(searched)} of them the planner was searching, for up to {max(searched, default=0.0):.2f} s then. From "
        f"signal to the first set point that it changes: median {np.median(found):.3f} s, 99 % "
        f"{np.percentile(found, 99):.3f} s, largest {found.max():.3f} s. Load {os.getloadavg()[0]:.1f} at the end."
    ]


if __name__ == "__main__":
    main()
