"""Compare all contact solvers: time against residual, share of solved problems, crossover with Lemke.

python benchmarks/contact_solvers.py [--problems 1200] [--out FOLDER] [--recorded problems.npz | --stepped]

--stepped: problems that robots meet in simulation; with --out they are kept there for --recorded.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for every solver

import argparse
from itertools import groupby
from pathlib import Path

from footfall.benchmarks.contact_solver_report import markdown, plot
from footfall.benchmarks.contact_solvers import (
    CONTACTS,
    measure_solvers,
    measured_problems,
    stepped_problems,
    time_against_residual,
)
from footfall.benchmarks.surroundings import load_average
from footfall.contact.problem_files import load_problems, save_problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=1200, help="over all numbers of contacts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recorded", type=Path, help="problems written by footfall.contact.problem_files")
    parser.add_argument("--stepped", action="store_true", help="problems of robots in simulation")
    parser.add_argument("--out", type=Path, help="folder for the report and the plot")
    options = parser.parse_args()
    load_before = load_average()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    if options.recorded or options.stepped:
        given = load_problems(options.recorded) if options.recorded else stepped_problems(options.problems)
        if options.stepped and options.out:
            save_problems(options.out / "contact-problems.npz", given)
        recorded = sorted(given, key=lambda problem: problem.contacts)
        groups = [list(members) for _, members in groupby(recorded, key=lambda problem: problem.contacts)]
    else:
        weights = {size: min(1.0, 16 / size) for size in CONTACTS}  # large ones take long
        each = {size: round(options.problems * w / sum(weights.values())) + 1 for size, w in weights.items()}
        groups = [list(measured_problems(each[size], size, seed=options.seed)) for size in CONTACTS]
    runs = [run for group in groups for run in measure_solvers(group)]
    middle = min(groups, key=lambda group: abs(group[0].contacts - 8))
    curves = time_against_residual(middle[:100])
    text = markdown(runs, curves, seed=options.seed, load_before=load_before)
    print(text)
    if options.out:
        (options.out / "contact-solvers.md").write_text(text)
        plot(runs, curves, options.out / "contact-solvers.png")


if __name__ == "__main__":
    main()
