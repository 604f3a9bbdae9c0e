"""Compare methods of position-level inverse kinematics: iterations, evaluations, time.

python benchmarks/search_methods.py [--targets 30] [--output benchmarks/search_methods.md]

Takes some minutes, most of them for steepest descent.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.search_methods import PROBLEMS, STEPS, compare, searches_markdown
from footfall.bench.surroundings import load_average
from footfall.whole_file import write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=30)
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    load_before = load_average()
    rows = []
    for make in PROBLEMS:
        problem = make()
        rows += [
            (problem.name, distance, compare(problem, distance, targets=options.targets))
            for distance in STEPS
        ]
    text = searches_markdown(rows, load_before=load_before)
    print(text)
    if options.output:
        write_text(options.output, text)


if __name__ == "__main__":
    main()
