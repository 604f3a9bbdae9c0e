"""Distances of swept-sphere volumes against an active-set minimiser and coal, on many random pairs.

python benchmarks/distance_checks.py [--pairs 100000] [--coal 170000] [--output report.md]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.distance_checks import KINDS, check_coal, check_degenerate, check_kind


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=100_000, help="of each kind, against the minimiser")
    parser.add_argument("--coal", type=int, default=170_000, help="of each kind, against coal")
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    lines = [
        "# How right distances are",
        "",
        "Random pairs in a room of 0.6 m, each core in a box of 0.3 m. Apart: against a minimiser that tries every",
        "active set. Crossing: against the hull of all differences of corners. coal iterates to 1e-10.",
        "",
        "| kind | pairs | crossing | apart, difference, m | crossing, difference, m | pairs | coal, difference, m |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        ours, peer = check_kind(kind, options.pairs), check_coal(kind, options.coal)
        lines.append(
            f"| {kind} | {ours.pairs} | {ours.crossing} | {ours.apart:.0e} | {ours.across:.0e} | "
            f"{peer.pairs - peer.crossing} | {peer.apart:.0e} |"
        )
        print(lines[-1], flush=True)
    lines += ["", "Pairs made to be difficult, 3,000 of each kind, against the minimiser:", ""]
    lines += [f"- {name}: {worst:.0e} m" for name, worst in check_degenerate().items()]
    print("\n".join(lines[-5:]))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
