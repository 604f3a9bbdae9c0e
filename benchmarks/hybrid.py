"""Measure hybrid dynamics against dense equations and Pinocchio's constrained dynamics.

python benchmarks/hybrid.py [chain-7 anymal talos ...] [--blocks 30] [--output report.md]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.hybrid import hybrid_cases, measure_hybrid
from benchmarks.lab.hybrid_report import markdown
from footfall.bench.dynamics import Effort
from footfall.bench.surroundings import load_average


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", help="chain-N, anymal, talos or any robot; all if none")
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    effort = Effort(blocks=options.blocks, batch=options.batch)
    load_before = load_average()
    cases = hybrid_cases(options.robots or None)
    measurements = measure_hybrid(cases, effort=effort, progress=lambda text: print(text, file=sys.stderr))
    text = markdown(measurements, effort=effort, load_before=load_before)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
