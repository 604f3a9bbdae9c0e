"""LOLA reaches for places close to its body: collisions, tracking and speed with and without avoidance.

python benchmarks/reaching.py [--targets 1000] [--output report.md]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

import footfall
from benchmarks.lab.reaching import (
    CLEARANCE,
    DT,
    LAWS,
    SPEEDS,
    STEPS,
    arm_pairs,
    compare_laws,
    free_targets,
    pose,
    reach,
    steppers,
    telling_targets,
    walk_sideways,
)
from footfall.bench import surroundings
from footfall.control.collision_limits import CollisionLimits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    parser.add_argument(
        "--only", nargs="*", default=None, help="ways to keep parts apart, by name; all by default"
    )
    options = parser.parse_args()
    robot = footfall.load("lola")
    targets = free_targets(robot, options.targets)
    lines = [
        "# Reaching without touching oneself",
        "",
        f"{surroundings.processor()}, {surroundings.cores()} cores, load {surroundings.load_average()}.",
        f"{len(targets)} random places of LOLA's right hand for which a free posture exists, with the forearm within",
        f"4 cm of the body; {STEPS} steps of {1e3 * DT:.0f} ms from the idle pose. Clearance {1e3 * CLEARANCE:.0f} mm.",
        "",
        "## Velocity level",
        "",
        "| what keeps parts apart | targets with a collision | least gap, mm | met to 5 mm | left, median, mm "
        "| joint rate, median, rad/s | largest | time of a step, us |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, step in steppers(robot).items():
        if options.only is not None and name not in options.only:
            continue
        found = reach(robot, name, step, targets)
        lines.append(
            f"| {found.method} | {found.collisions} | {1e3 * found.least:.1f} | {found.met} | {1e3 * found.left:.2g} | "
            f"{found.speed:.2f} | {found.fastest:.1f} | {found.microseconds:.0f} |"
        )
        print(lines[-1], flush=True)
    lines += [
        "",
        "## Position level",
        "",
        "| `solve_ik` | met | poses that overlap | time each, ms |",
        "|---|---|---|---|",
    ]
    collisions = CollisionLimits(pairs=arm_pairs(robot), clearance=CLEARANCE)
    for limits, restarts in ((None, 0), (collisions, 0), (collisions, 5)):
        posed = pose(robot, targets, limits, restarts)
        lines.append(f"| {posed.method} | {posed.met} | {posed.collisions} | {posed.milliseconds:.1f} |")
        print(lines[-1], flush=True)
    telling = telling_targets(robot, targets, 6)
    lines += [
        "",
        "## Three laws of repulsion",
        "",
        f"The hand goes to {len(telling)} targets and back, twice, in steps of 5 ms: the first of those above where it",
        "collides without a cost and does not with the mixed law at rest. Change: the sum of all changes of joint",
        "rates, median of the targets.",
        "",
        "| law | speed of the hand, m/s | least gap, mm | change, rad/s | hand off at most, mm |",
        "|---|---|---|---|---|",
    ]
    for speed in SPEEDS:
        for law in LAWS:
            each = compare_laws(robot, telling, law, speed)
            lines.append(
                f"| {each.law} | {each.speed} | {1e3 * each.gap:.1f} | {each.change:.1f} | {1e3 * each.error:.2f} |"
            )
            print(lines[-1], flush=True)
    sides = walk_sideways(robot)
    lines += [
        "",
        "## Walking sideways",
        "",
        "With arms that are drawn to hang straight down, forearms and thighs come as near as "
        f"{1e3 * sides['without']:.0f} mm without the cost, and {1e3 * sides['with']:.0f} mm with it.",
    ]
    print(lines[-1])
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
