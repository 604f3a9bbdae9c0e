"""Worlds whose behaviour is known, with default options: is it right, how exactly is it solved, does it rest?

python benchmarks/world_cases.py [NAME ...] [--poses 20] [--output FILE]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

from benchmarks.lab import world_checks
from footfall.bench.surroundings import load_average
from footfall.errors import ConvergenceWarning, RobotWarning, SimulationWarning

SECTIONS = {
    "things": world_checks.loose_things,
    "cube": world_checks.pressed_cube,
    "residuals": world_checks.residuals,
    "robots": world_checks.limp_robots,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(SECTIONS)}; all without it")
    parser.add_argument("--poses", type=int, default=20, help="of each robot that falls")
    parser.add_argument("--output", type=Path, help="also write the report to this file")
    options = parser.parse_args()
    for kind in (ConvergenceWarning, RobotWarning, SimulationWarning):
        warnings.simplefilter("ignore", kind)  # counted in the tables, or of the example robots' own files
    parts = ["# Worlds of known behaviour", "", world_checks.INTRODUCTION, ""]
    for name in options.names or SECTIONS:
        print(f"{name}, load {load_average()}", file=sys.stderr, flush=True)
        parts += [*SECTIONS[name](options.poses), ""]
    text = "\n".join(parts)
    print(text)
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
