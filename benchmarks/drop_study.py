"""Drop many random robots on random terrain, record each, and look for NaN, created energy and lost recordings.

python benchmarks/drop_study.py [--kinds 40] [--each 25] [--seconds 10] [--dt 0.002] [--first 0] [--folder recordings]

A kind is a robot and a terrain; each of its robots has its own place, posture, gains and friction. --unbounded shows
steps that do not bound their energy.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for every worker
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace

import numpy as np

from benchmarks.lab.drops import OPTIONS, Drop, drop_batch
from footfall.simulation.step_values import StepOptions

MOST_GAINED = 1e-6  # of m g h


def dropped(
    kind: int, *, each: int, seconds: float, options: StepOptions, bounded: bool, keep: Path | None
) -> list[Drop]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        return drop_batch(kind, count=each, seconds=seconds, folder=keep, options=options, bounded=bounded)
    with tempfile.TemporaryDirectory() as temporary:
        return drop_batch(
            kind, count=each, seconds=seconds, folder=Path(temporary), options=options, bounded=bounded
        )


def summary(results: list[Drop], took: float) -> str:
    gained = np.array([result.gained for result in results])
    wrong = [each for each in results if not each.finite or not each.recorded or each.gained > MOST_GAINED]
    lines = [
        f"{len(results)} robots of {len({r.kind for r in results})} kinds, with {min(r.joints for r in results)} to "
        f"{max(r.joints for r in results)} joints and {min(r.contacts for r in results)} to "
        f"{max(r.contacts for r in results)} candidate contacts, in {took:.0f} s.",
        f"Not finite: {sum(not r.finite for r in results)}. Not recorded: {sum(not r.recorded for r in results)}.",
        "Energy gained, of m g h: median {:.1e}, 90 % {:.1e}, 99 % {:.1e}, most {:.1e}; above {:g}: {}.".format(
            *np.quantile(gained, [0.5, 0.9, 0.99]),
            gained.max(),
            MOST_GAINED,
            int((gained > MOST_GAINED).sum()),
        ),
        f"Steps not solved to 1e-6 m g dt: {100 * np.mean([r.unsolved for r in results]):.3f} %.",
        *(f"WRONG: {each}" for each in wrong),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", type=int, default=40)
    parser.add_argument("--each", type=int, default=25, help="robots of a kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first kind")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--dt", type=float, default=2e-3, help="step, s")
    parser.add_argument("--unbounded", action="store_true", help="steps that do not bound their energy")
    parser.add_argument("--folder", type=Path, help="keep the recordings here")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    step = replace(OPTIONS, dt=options.dt)
    start, results = time.monotonic(), []
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = [
            pool.submit(
                dropped,
                kind,
                each=options.each,
                seconds=options.seconds,
                options=step,
                bounded=not options.unbounded,
                keep=options.folder,
            )
            for kind in range(options.first, options.first + options.kinds)
        ]
        for job in as_completed(jobs):
            results += job.result()
            print(f"{len(results)} of {options.kinds * options.each}", file=sys.stderr, flush=True)
    text = summary(sorted(results, key=lambda each: (each.kind, each.number)), time.monotonic() - start)
    print(text)
    sys.exit("WRONG" in text)


if __name__ == "__main__":
    main()
