"""Measure steps of inverse kinematics and whole-body control, also against Pink and Mink, and compare QP solvers.

python benchmarks/control.py [--blocks 30] [--programs 40] [--skip-programs] [--output report.md]

Pink (pin-pink), Mink (mink) and the QP solvers (daqp, proxsuite, piqp, osqp, clarabel) take part where installed.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

from benchmarks.lab.control import lola_steps, measure_peers, measure_steps
from benchmarks.lab.control_programs import compare_solvers, dumped_programs
from benchmarks.lab.control_report import control_markdown
from footfall.bench.surroundings import load_average
from footfall.whole_file import write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--skip-programs", action="store_true")
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    load_before = load_average()
    steps = lola_steps()
    race = measure_steps(steps, blocks=options.blocks)
    peers = measure_peers(blocks=options.blocks)
    dumped = {} if options.skip_programs else dumped_programs(options.programs)
    programs = {source: compare_solvers(each) for source, each in dumped.items()}
    text = control_markdown(steps, race, peers, programs, blocks=options.blocks, load_before=load_before)
    print(text)
    if options.output:
        write_text(options.output, text)


if __name__ == "__main__":
    main()
