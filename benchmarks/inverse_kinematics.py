"""Measure inverse kinematics on random targets: reachable, out of reach, and by Pink and Mink.

python benchmarks/inverse_kinematics.py [--targets 1000] [--far 200] [--peer-targets 100]

Needs the test extra; Pink (pin-pink) and Mink (mink) take part where they are installed. Single velocity steps are
timed by benchmarks/control.py.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody

import argparse
import warnings

import numpy as np

from footfall.benchmarks.control_reach import (
    FRESH,
    lola_study,
    panda_study,
    peer_searches,
    search,
    search_far,
)
from footfall.benchmarks.surroundings import load_average


def row(name, outcome):
    print(
        f"| {name} | {outcome.solver} | {outcome.targets} | {100 * outcome.met / outcome.targets:.2f} % | "
        f"{np.median(outcome.iterations):.0f} | {np.percentile(outcome.iterations, 99):.0f} | {outcome.restarts} | "
        f"{1e3 * outcome.seconds:.1f} ms |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--far", type=int, default=200)
    parser.add_argument("--peer-targets", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"load before: {load_average()}\n")
    print("| targets | solver | number | met | iterations, median | 99 % | most restarts | CPU time each |")
    print("|---|---|---|---|---|---|---|---|")
    panda = panda_study()
    if options.targets:
        row(panda.name, search(panda, options.targets))
        lola = lola_study()
        row(lola.name, search(lola, options.targets))
    if options.peer_targets:
        count = options.peer_targets
        for outcome in (search(panda, count, first=FRESH), *peer_searches(panda, count, first=FRESH)):
            row("Panda, fresh poses", outcome)
    if options.far:
        far = search_far(panda, options.far)
        print(
            f"\n{options.far} poses out of reach of a Panda: {100 * far.within:.1f} % within 1 % of the best of four "
            f"runs of SciPy's bounded least squares; worst {100 * far.worst:.3f} % above"
        )


if __name__ == "__main__":
    main()
