"""Run times of contact detection, against MuJoCo.

python benchmarks/detection.py [--blocks 30] [--output report.md]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.detection import markdown, measure, places
from footfall.bench.surroundings import load_average


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    load = load_average()
    report = markdown([measure(place, blocks=options.blocks) for place in places()], load=load)
    print(report)
    if options.output:
        options.output.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
