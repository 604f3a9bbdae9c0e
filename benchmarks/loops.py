"""Measure looped robots: against Pinocchio, LOLA's model types beside the source's, Dill(n), MuJoCo's stiff limit.

python benchmarks/loops.py [loops types scaling stiff] [--blocks 30] [--levels 10] [--output loops.md] [--plot dill.png]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.lola_types import measure_types
from benchmarks.lab.loops import measure_loops
from benchmarks.lab.loops_report import markdown
from benchmarks.lab.scaling import measure_scaling, plot_scaling
from benchmarks.lab.stiff_limit import measure_stiff_limit
from footfall.bench.dynamics import Effort
from footfall.bench.surroundings import load_average

PARTS = ("loops", "types", "scaling", "stiff")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all if none")
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument(
        "--levels", type=int, default=10, help="of Dill(n), 1 to 10; the largest compiles for half a minute"
    )
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument("--plot", type=Path, help="PNG of run times over degrees of freedom")
    options = parser.parse_args()
    parts = options.parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}")
    effort = Effort(blocks=options.blocks, batch=options.batch)

    def progress(text: str) -> None:
        print(text, file=sys.stderr)

    load_before = load_average()
    scaling = (
        measure_scaling(range(1, options.levels + 1), effort=effort, progress=progress)
        if "scaling" in parts
        else []
    )
    text = markdown(
        loops=measure_loops(effort=effort, progress=progress) if "loops" in parts else [],
        types=measure_types(effort=effort, progress=progress) if "types" in parts else [],
        scaling=scaling,
        limits=measure_stiff_limit() if "stiff" in parts else [],
        effort=effort,
        load_before=load_before,
    )
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    if options.plot and scaling:
        plot_scaling(scaling, options.plot)


if __name__ == "__main__":
    main()
