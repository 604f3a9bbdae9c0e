"""Autonomy in buildings: planning times, reasons, walks. Rows are saved, and a study that was stopped goes on.

python benchmarks/autonomy.py planning [--seeds 1000 1300] [--rows FILE]
python benchmarks/autonomy.py reasons [--seeds 1000 1100] [--rows FILE]
python benchmarks/autonomy.py rooms [--seeds 1000 1050] [--full] [--rows FILE]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings
from functools import partial

import footfall
from benchmarks.lab.building_walks import BuildingRow, buildings_table, walk_buildings
from benchmarks.lab.closed_ways import ClosedRow, judge_reasons, reasons_table
from benchmarks.lab.planning_times import PlanningRow, planning_table, time_plans, warm_up
from benchmarks.lab.saved_rows import studied
from footfall.walking.body import walking_body
from footfall.walking.walker import WalkingCode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study", choices=["planning", "reasons", "rooms"])
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    parser.add_argument(
        "--rows", type=Path, help="file of rows, one JSON object a line; goes on where it ends"
    )
    parser.add_argument("--full", action="store_true", help="rooms on simulated drives")
    options = parser.parse_args()
    if options.study == "rooms":
        warnings.simplefilter("ignore")
        code = WalkingCode(walking_body(footfall.load("lola")))
        walks = partial(walk_buildings, mode="full" if options.full else "reduced")
        seeds = range(*(options.seeds or (1000, 1050)))
        print(buildings_table(studied(BuildingRow, walks, code, seeds, options.rows)))
        return
    model = footfall.reduced_model(footfall.load("lola"))
    if options.study == "planning":
        seeds = range(*(options.seeds or (1000, 1300)))
        warm_up(model)
        print(planning_table(studied(PlanningRow, time_plans, model, seeds, options.rows)))
    else:
        seeds = range(*(options.seeds or (1000, 1100)))
        rows = studied(ClosedRow, judge_reasons, model, seeds, options.rows)
        print(reasons_table(rows))
        for row in rows:
            if not row.opened:
                print(f"- seed {row.seed}, {row.scene}: {row.text or 'a way was found'}")


if __name__ == "__main__":
    main()
