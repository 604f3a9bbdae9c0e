"""Autonomy in buildings: planning times, reasons, walks. Rows are saved, and a study that was stopped goes on.

python benchmarks/autonomy.py planning [--seeds 1000 1300] [--rows FILE]
python benchmarks/autonomy.py reasons [--seeds 1000 1100] [--rows FILE]
python benchmarks/autonomy.py rooms [--seeds 1000 1050] [--full] [--rows FILE]
python benchmarks/autonomy.py boxes [--seeds 1000 1200] [--rows FILE]
python benchmarks/autonomy.py stops [--seeds 1000 2000] [--rows FILE]
python benchmarks/autonomy.py commands [--seeds 1000 1010] [--minutes 10] [--rows FILE] [--picture FILE]
python benchmarks/autonomy.py trials [--kinds beam plate ...] [--seeds 1000 1010] [--rows FOLDER]
python benchmarks/autonomy.py life [--seeds 1000 1020] [--minutes 10] [--full] [--rows FILE] [--record FOLDER]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings
from functools import partial
from typing import Literal

import footfall
from benchmarks.lab import autonomous_walks as lab
from benchmarks.lab.building_walks import BuildingRow, buildings_table, walk_buildings
from benchmarks.lab.closed_ways import ClosedRow, judge_reasons, reasons_table
from benchmarks.lab.planning_times import PlanningRow, planning_table, time_plans, warm_up
from benchmarks.lab.saved_rows import studied
from benchmarks.lab.scene_trials import TRIALS, TrialRow, trials_table, walk_trials
from benchmarks.lab.velocity_envelope import draw_envelope
from footfall.walking.body import walking_body
from footfall.walking.walker import WalkingCode

SEEDS = {
    "planning": (1000, 1300),
    "reasons": (1000, 1100),
    "rooms": (1000, 1050),
    "boxes": (1000, 1200),
    "stops": (1000, 2000),
    "commands": (1000, 1010),
    "life": (1000, 1020),
    "trials": (1000, 1010),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study", choices=list(SEEDS))
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "END"))
    parser.add_argument(
        "--rows",
        type=Path,
        help="file of rows, one JSON object a line, of trials a folder of such files; goes on where it ends",
    )
    parser.add_argument("--full", action="store_true", help="rooms and life on simulated drives")
    parser.add_argument("--minutes", type=float, default=10.0, help="of commands and life, simulated")
    parser.add_argument(
        "--kinds", choices=list(TRIALS), nargs="*", default=list(TRIALS), help="of trials; all by default"
    )
    parser.add_argument("--record", type=Path, help="folder for a recording of each life")
    parser.add_argument("--picture", type=Path, help="of the velocities that can be walked, PNG")
    options = parser.parse_args()
    seeds, rows = range(*(options.seeds or SEEDS[options.study])), options.rows
    if options.study in ("planning", "reasons"):
        plan(options.study, seeds, rows)
        return
    warnings.simplefilter("ignore")
    code = WalkingCode(walking_body(footfall.load("lola")))
    mode: Literal["reduced", "full"] = "full" if options.full else "reduced"
    match options.study:
        case "rooms":
            print(
                buildings_table(studied(BuildingRow, partial(walk_buildings, mode=mode), code, seeds, rows))
            )
        case "boxes":
            print(lab.boxes_table(studied(lab.BoxRow, lab.walk_at_boxes, code, seeds, rows)))
        case "stops":
            print(lab.stops_table(studied(lab.StopRow, lab.stop_walks, code, seeds, rows)))
        case "commands":
            walks = partial(lab.walk_by_commands, seconds=60.0 * options.minutes)
            found = studied(lab.CommandRow, walks, code, seeds, rows)
            print(lab.commands_table(found))
            if options.picture is not None:
                draw_envelope(found, code.body.model, options.picture)
        case "trials":
            if rows is not None:
                rows.mkdir(parents=True, exist_ok=True)
            tried: list[TrialRow] = []
            for kind in options.kinds:
                saved = None if rows is None else rows / f"{kind}.jsonl"
                tried += studied(TrialRow, partial(walk_trials, trial=kind), code, seeds, saved)
            print(trials_table(tried))
        case "life":
            lives = partial(
                lab.live_in_buildings, mode=mode, minutes=options.minutes, recordings=options.record
            )
            print(lab.lives_table(studied(lab.LifeRow, lives, code, seeds, rows)))


def plan(study: str, seeds: range, path: Path | None) -> None:
    """Studies of the planner alone."""
    model = footfall.reduced_model(footfall.load("lola"))
    if study == "planning":
        warm_up(model)
        print(planning_table(studied(PlanningRow, time_plans, model, seeds, path)))
        return
    rows = studied(ClosedRow, judge_reasons, model, seeds, path)
    print(reasons_table(rows))
    for row in rows:
        if not row.opened:
            print(f"- seed {row.seed}, {row.scene}: {row.text or 'a way was found'}")


if __name__ == "__main__":
    main()
