"""LOLA reaches for places close to its body: collisions, tracking and speed with and without avoidance.

python benchmarks/reaching.py [--targets 1000] [--parts laws sideways] [--output report.md] [--picture picture.png]
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
from footfall.arrays import Array
from footfall.bench import surroundings
from footfall.control.collision_limits import CollisionLimits
from footfall.robot.model import Robot
from footfall.whole_file import write_text

PARTS = ("velocity", "position", "laws", "sideways")


def velocity_level(robot: Robot, targets: list[Array], only: list[str] | None) -> list[str]:
    """Ways to keep parts apart while the hand moves."""
    lines = [
        "## Velocity level",
        "",
        "| what keeps parts apart | targets | with a collision | least gap, mm | met to 5 mm | left, median, mm "
        "| joint rate, median, rad/s | largest | time of a step, us |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, step in steppers(robot).items():
        if only is not None and name not in only:
            continue
        found = reach(robot, name, step, targets)
        lines.append(
            f"| {found.method} | {len(targets)} | {found.collisions} | {1e3 * found.least:.1f} | {found.met} | "
            f"{1e3 * found.left:.2g} | {found.speed:.2f} | {found.fastest:.1f} | {found.microseconds:.0f} |"
        )
        print(lines[-1], flush=True)
    return lines


def position_level(robot: Robot, targets: list[Array]) -> list[str]:
    """The same targets by `solve_ik`."""
    lines = [
        "## Position level",
        "",
        "| `solve_ik` | targets | met | poses that overlap | time each, ms |",
        "|---|---|---|---|---|",
    ]
    collisions = CollisionLimits(pairs=arm_pairs(robot), clearance=CLEARANCE)
    for limits, restarts in ((None, 0), (collisions, 0), (collisions, 5)):
        posed = pose(robot, targets, limits, restarts)
        lines.append(
            f"| {posed.method} | {len(targets)} | {posed.met} | {posed.collisions} | {posed.milliseconds:.1f} |"
        )
        print(lines[-1], flush=True)
    return lines


def three_laws(robot: Robot, targets: list[Array]) -> list[str]:
    """Repulsive laws over a grid of speeds."""
    telling = telling_targets(robot, targets, 6)
    lines = [
        "## Three laws of repulsion",
        "",
        f"The hand goes to {len(telling)} targets and back, twice, in steps of 5 ms: the first of those above where it",
        "collides without a cost and does not with the mixed law. Change: the sum of all changes of joint rates;",
        "ringing: of those that turn back at the next step, as no smooth motion does. Both are medians of the targets.",
        "",
        "| law | speed of the hand, m/s | least gap, mm | change, rad/s | ringing, rad/s | hand off at most, mm |",
        "|---|---|---|---|---|---|",
    ]
    for speed in SPEEDS:
        for law in LAWS:
            each = compare_laws(robot, telling, law, speed)
            lines.append(
                f"| {each.law} | {each.speed} | {1e3 * each.gap:.1f} | {each.change:.1f} | {each.ringing:.2f} | "
                f"{1e3 * each.error:.2f} |"
            )
            print(lines[-1], flush=True)
    return lines


def sideways(robot: Robot, picture: Path | None) -> list[str]:
    """A walk to the side with arms that hang close."""
    walked = walk_sideways(robot)
    least = {name: 1e3 * float(gaps.min()) for name, (_, gaps) in walked.items()}
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, axis = plt.subplots(figsize=(6.4, 3.2))
        for name, (times, gaps) in walked.items():
            axis.plot(times, 1e3 * gaps, label=f"{name} the cost")
        axis.set(xlabel="time, s", ylabel="forearms to thighs, hips, torso, mm", ylim=(0.0, None))
        axis.legend()
        axis.grid(alpha=0.3)
        figure.tight_layout()
        figure.savefig(picture, dpi=110)
    return [
        "## Walking sideways",
        "",
        "With arms that are drawn to hang straight down, forearms and thighs, hips and torso come as near as "
        f"{least['without']:.0f} mm without the cost, and {least['with']:.0f} mm with it.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--picture", type=Path, help="distances in the walk to the side")
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
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
        "Random places of LOLA's right hand for which a free posture exists, with the forearm within 4 cm of the body;",
        f"{STEPS} steps of {1e3 * DT:.0f} ms from the idle pose. Clearance {1e3 * CLEARANCE:.0f} mm.",
    ]
    sections = {
        "velocity": lambda: velocity_level(robot, targets, options.only),
        "position": lambda: position_level(robot, targets),
        "laws": lambda: three_laws(robot, targets),
        "sideways": lambda: sideways(robot, options.picture),
    }
    for part in options.parts:
        lines += ["", *sections[part]()]
        print(lines[-1], flush=True)
    if options.output:
        write_text(options.output, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
