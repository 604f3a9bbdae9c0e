"""Measure the motion generator: stages, snapshots, growth, and random walks that are verified.

python benchmarks/motion.py [--runs 200] [--walks 500] [--robot lola] [--output benchmarks/motion.md]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

import footfall
from benchmarks.lab.motion import (
    com_errors,
    measure_generation,
    measure_growth,
    measure_samples,
    measured_plans,
    study_random_walks,
)
from benchmarks.lab.motion_report import markdown
from footfall.bench.surroundings import load_average
from footfall.motion.pipeline import generate_motion


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--walks", type=int, default=500, help="random walks to generate and verify")
    parser.add_argument("--robot", default="lola")
    parser.add_argument("--largest", type=int, default=1000, help="most transitions of the growth")
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    load_before = load_average()
    model = footfall.reduced_model(footfall.load(options.robot))
    plans = measured_plans(model)
    generations = [measure_generation(name, plan, model, runs=options.runs) for name, plan in plans.items()]
    platform = generate_motion(plans["platform"], model)
    samples = measure_samples(platform, runs=10 * options.runs)
    growth = measure_growth(model, [count for count in (10, 30, 100, 300, 1000) if count <= options.largest])
    study = study_random_walks(
        model, options.walks, progress=lambda seed: print(f"\rwalk {seed}", end="", file=sys.stderr)
    )
    print(file=sys.stderr)
    text = markdown(generations, samples, growth, study, com_errors(platform), load_before=load_before)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
