"""Measure inverse kinematics on random targets: reachable, out of reach, and by Pink and Mink.

python benchmarks/inverse_kinematics.py [--targets 1000] [--far 100] [--peer-targets 100] [--output report.md]

Needs the test extra; Pink (pin-pink) and Mink (mink) take part where they are installed. Single velocity steps are
timed by benchmarks/control.py. Numbers count for each of the two robots. --robots panda, or lola, leaves the other out.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

from benchmarks.lab.control_reach import FRESH, lola_study, panda_study, search, search_far
from benchmarks.lab.control_reach_peers import peer_searches
from benchmarks.lab.control_report import reach_markdown
from footfall.bench.surroundings import load_average
from footfall.whole_file import write_text

STUDIES = {"panda": panda_study, "lola": lola_study}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", nargs="*", choices=STUDIES, default=list(STUDIES))
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--far", type=int, default=100)
    parser.add_argument("--first-far", type=int, default=0, help="seed of the first target out of reach")
    parser.add_argument("--peer-targets", type=int, default=100)
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    load_before = load_average()
    studies = [STUDIES[name]() for name in options.robots]
    outcomes, far = [], []
    for study in studies:
        if options.targets:
            outcomes.append((study.name, search(study, options.targets)))
        if options.peer_targets:
            count = options.peer_targets
            fresh = [search(study, count, first=FRESH), *peer_searches(study, count, first=FRESH)]
            outcomes += [(f"{study.name}, fresh ones", outcome) for outcome in fresh]
        if options.far:
            far.append((study.name, search_far(study, options.far, first=options.first_far)))
    text = reach_markdown(outcomes, far, load_before=load_before)
    print(text)
    if options.output:
        write_text(options.output, text)


if __name__ == "__main__":
    main()
