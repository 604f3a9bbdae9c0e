"""Measure steps of inverse kinematics and whole-body control, also against Pink and Mink, and compare QP solvers.

python benchmarks/control.py [--blocks 30] [--programs 40] [--skip-programs]

Pink (pin-pink), Mink (mink) and the QP solvers (daqp, proxsuite, piqp, osqp, clarabel) take part where installed.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody

import argparse
import warnings

from footfall.benchmarks import surroundings
from footfall.benchmarks.control import PEER_BAR, lola_steps, measure_peers, measure_steps
from footfall.benchmarks.control_programs import compare_solvers, dumped_programs


def steps_table(blocks):
    steps = lola_steps()
    result = measure_steps(steps, blocks=blocks)
    print("| LOLA | us (quartiles) | bar, us | error |\n|---|---|---|---|")
    for step in steps:
        time = result.time(step.name)
        bar = "" if step.bar is None else f"{1e6 * step.bar:.0f} {'+' if time.upper <= step.bar else '-'}"
        print(
            f"| {step.name} | {1e6 * time.median:.1f} ({1e6 * time.lower:.1f} to {1e6 * time.upper:.1f}) | "
            f"{bar} | {step.error:.1e} |"
        )


def peers_table(blocks):
    result = measure_peers(blocks=blocks)
    print(
        "\n| TALOS, three poses and a posture within limits | us | ours is faster by (quartiles) |\n|---|---|---|"
    )
    for name in result.seconds:
        time, ratio = result.time(name), result.ratio(name, "ours")
        mark = "" if name == "ours" else f" {'+' if ratio.lower >= PEER_BAR else '-'}"
        print(
            f"| {name} | {1e6 * time.median:.1f} | {ratio.median:.1f} ({ratio.lower:.1f} to {ratio.upper:.1f}){mark} |"
        )


def programs_table(count):
    print(
        "\n| programs of | solver | solved | median us | worst us | missed limits, worst | slope, worst |\n"
        "|---|---|---|---|---|---|---|"
    )
    for source, programs in dumped_programs(count).items():
        for row in compare_solvers(programs):
            print(
                f"| {source} | {row.solver} | {row.solved} of {row.programs} | {1e6 * row.median:.0f} | "
                f"{1e6 * row.worst:.0f} | {row.infeasibility:.0e} | {row.slope:.0e} |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--skip-programs", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{surroundings.processor()}; load {surroundings.load_average()}; {surroundings.versions()}\n")
    steps_table(options.blocks)
    peers_table(options.blocks)
    if not options.skip_programs:
        programs_table(options.programs)
    print(f"\nload after: {surroundings.load_average()}")


if __name__ == "__main__":
    main()
