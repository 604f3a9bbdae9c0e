"""Measure steps of inverse kinematics and whole-body control, also against Pink and Mink, and compare QP solvers.

python benchmarks/control.py [--blocks 30] [--programs 40] [--skip-programs] [--output report.md]

Pink (pin-pink), Mink (mink) and the QP solvers (daqp, proxsuite, piqp, osqp, clarabel) take part where installed.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody

import argparse
import warnings
from pathlib import Path

from footfall.benchmarks.control import lola_steps, measure_peers, measure_steps
from footfall.benchmarks.control_programs import compare_solvers, dumped_programs
from footfall.benchmarks.control_report import control_markdown
from footfall.benchmarks.surroundings import load_average
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
