"""Errors and run times of splines, collocation and quaternion curves.

python benchmarks/splines.py [--blocks 30] [--output report.md] [--plot convergence.png]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.splines import METHODS, markdown, quaternion_race, spline_errors, spline_races
from footfall.bench.surroundings import load_average


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument("--plot", type=Path, help="picture of the residuals over the number of sites")
    options = parser.parse_args()
    load = load_average()
    sites = [3, 4, 5, 6, 7, 9, 11, 15, 20, 30, 40, 60, 100, 150, 200]
    errors = spline_errors(sites)
    report = markdown(
        errors, spline_races(blocks=options.blocks), quaternion_race(blocks=options.blocks), load=load
    )
    print(report)
    if options.output:
        options.output.write_text(report, encoding="utf-8")
    if options.plot:
        draw(errors, options.plot)


def draw(errors, path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
    for axis, consistent in zip(axes, (True, False), strict=True):
        for method in METHODS:
            rows = [
                e
                for e in errors
                if (e.system, e.consistent, e.method) == ("under-damped", consistent, method)
            ]
            axis.loglog(
                [e.sites for e in rows],
                [e.residual for e in rows],
                "o-",
                ms=3,
                label=method.replace("_", " "),
            )
        axis.set_title("ends that fit" if consistent else "an end that does not fit")
        axis.set_xlabel("sites")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("residual (root mean square)")
    axes[1].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
