"""Compare all contact solvers: time against residual, share of solved problems, crossover with Lemke.

python benchmarks/contact_solvers.py [--problems 1200] [--out FOLDER] [--stepped | --recorded problems.npz]

--stepped: problems that robots and boxes meet in simulation, solved by the native step too; with --out they are kept
there for --recorded. Without: random problems with 1 to 64 contacts.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for every solver
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

from benchmarks.lab.contact_solver_report import markdown, of_seed, of_simulations, plot, plot_residuals
from benchmarks.lab.contact_solvers import (
    CONTACTS,
    SOLVERS,
    Case,
    by_size,
    given,
    measure_solvers,
    measured_problems,
    met,
    step_solvers,
    time_against_residual,
)
from benchmarks.lab.recorded_sources import SOURCES, recorded_steps
from footfall.bench.surroundings import load_average
from footfall.contact.problem import load_problems, save_problems

CURVES = "LOLA dropped, 8 points"  # what residuals are followed on as solvers are given more time


def random_cases(count: int, seed: int) -> dict[int, list[Case]]:
    """Random problems by their number of contacts, fewer of the large ones, which take long."""
    weights = {size: min(1.0, 16 / size) for size in CONTACTS}
    each = {size: round(count * weight / sum(weights.values())) + 1 for size, weight in weights.items()}
    return {size: [given(one) for one in measured_problems(each[size], size, seed=seed)] for size in CONTACTS}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=1200, help="over all numbers of contacts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recorded", type=Path, help="problems written by footfall.contact.problem")
    parser.add_argument("--stepped", action="store_true", help="problems of simulations")
    parser.add_argument("--scenes", nargs="*", help=f"of --stepped: {', '.join(SOURCES)}")
    parser.add_argument("--no-curves", action="store_true", help="leave time against residual out")
    parser.add_argument("--out", type=Path, help="folder for the report and the plots")
    options = parser.parse_args()
    load_before = load_average()
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    solvers = SOLVERS
    if options.stepped:
        # Of robots that are read, and of steps that are not solved: counted below.
        warnings.simplefilter("ignore")
        cases = [met(step) for step in recorded_steps(options.problems, names=options.scenes)]
        groups, solvers = by_size(cases), step_solvers()
        followed = [case for case in cases if case.step and case.step.scene == CURVES] or cases[:1]
        origin = of_simulations(cases)
        if options.out:
            save_problems(options.out / "contact-problems.npz", [case.problem for case in cases])
    else:
        recorded = [given(problem) for problem in load_problems(options.recorded)] if options.recorded else []
        groups = by_size(recorded) if recorded else random_cases(options.problems, options.seed)
        followed = min(groups.items(), key=lambda group: abs(group[0] - 8))[1]
        origin = of_seed(sum(map(len, groups.values())), options.seed)
    runs = []
    for size, group in groups.items():
        print(f"{size} contacts: {len(group)} problems", file=sys.stderr, flush=True)
        runs += measure_solvers(group, contacts=size, solvers=solvers)
    curves = {} if options.no_curves else time_against_residual(followed[:40])
    text = markdown(runs, curves, origin=origin, load_before=load_before)
    print(text)
    if options.out:
        (options.out / "contact-solvers.md").write_text(text)
        plot(runs, curves, options.out / "contact-solvers.png")
        plot_residuals(runs, options.out / "contact-solver-residuals.png")


if __name__ == "__main__":
    main()
