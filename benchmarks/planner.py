"""How good and how fast contact plans are: the nine scenes beside the source's table, random scenes, noise, replanning.

python benchmarks/planner.py [--runs 40] [--random 300] [--only nine,strangers,random,compare,noise,replan,long]

Every plan is judged by code that is not the planner's (benchmarks/lab/plan_checker.py). Times are CPU times of one
thread, warm; as in footnote 72 of the source's table the fastest and slowest tenth of the runs are left out.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))

import argparse

from benchmarks.lab import planner as lab
from benchmarks.lab import planner_report as report
from benchmarks.lab.saved_rows import studied
from footfall.whole_file import write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument(
        "--guided-only", action="store_true", help="do not search for the best plans of the nine"
    )
    parser.add_argument("--noisy", type=int, default=20)
    parser.add_argument("--only", default="nine,strangers,random,compare,noise,replan,long")
    parser.add_argument("--rows", type=Path, help="file of rows of random scenes, to go on from after a stop")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".md"))
    options = parser.parse_args()
    wanted, robot = options.only.split(","), lab.walker()
    parts = [report.heading()]
    if "nine" in wanted:
        for exact in (False, True):
            best = not (options.guided_only or exact)
            rows = [
                lab.measure_scene(name, robot, runs=options.runs, exact=exact, best=best) for name in lab.NINE
            ]
            parts.append(report.nine_scenes(rows, exact=exact))
    if "strangers" in wanted:
        rows = [lab.measure_stranger(path, robot, runs=min(options.runs, 10)) for path in lab.STRANGERS]
        parts.append(report.strangers(rows))
    seeds = range(options.random)
    if "random" in wanted:
        parts.append(
            report.random_scenes(studied(lab.RandomRow, lab.study_random, robot, seeds, options.rows))
        )
    if "compare" in wanted:
        parts.append(
            report.compared(studied(lab.ComparedRow, lab.compare_random, robot, seeds, options.rows))
        )
    if "noise" in wanted:
        seeds = range(options.noisy)
        rates = {
            name: [lab.success_rate(name, robot, kind, seeds) for kind in ("ripple", "displaced")]
            for name in lab.NINE
        }
        parts.append(report.noise(rates, options.noisy))
    if "replan" in wanted:
        times = {
            name: lab.measure_replanning(name, robot, runs=max(10, options.runs // 2)) for name in lab.NINE
        }
        parts.append(report.replanning(times, lab.measure_commands(robot), lab.memory_of_planning(robot)))
    if "long" in wanted:
        parts.append(report.long_ways(lab.measure_long_ways(robot)))
    text = "\n\n".join(parts) + "\n"
    write_text(options.output, text)
    print(text)


if __name__ == "__main__":
    main()
