"""Drop many random robots on random terrain, record each, and look for NaN, created energy and lost recordings.

python benchmarks/drop_study.py [--robots 1000] [--seconds 10] [--first 0] [--folder recordings] [--workers 2]
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for every worker

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from footfall.benchmarks.drops import Drop, drop

MOST_GAINED = 0.02  # of m g h: terrain pushes out what a step has cut into it


def dropped(seed: int, *, seconds: float, folder: Path, keep: bool) -> Drop:
    path = folder / f"drop-{seed}.mcap"
    path.unlink(missing_ok=True)
    result = drop(seed, seconds=seconds, path=path)
    if not keep:
        path.unlink()
    return result


def summary(results: list[Drop]) -> str:
    gained = np.array([result.gained for result in results])
    wrong = [each for each in results if not each.finite or not each.recorded or each.gained > MOST_GAINED]
    lines = [
        f"{len(results)} robots with {min(r.joints for r in results)} to {max(r.joints for r in results)} joints and "
        f"{min(r.contacts for r in results)} to {max(r.contacts for r in results)} contact points.",
        f"Not finite: {sum(not r.finite for r in results)}. Not recorded: {sum(not r.recorded for r in results)}.",
        "Energy gained, of m g h: median {:.1e}, 90 % {:.1e}, most {:.1e}.".format(
            *np.quantile(gained, [0.5, 0.9]), gained.max()
        ),
        f"Steps not solved to 1e-6 m g dt: {100 * np.mean([r.unsolved for r in results]):.3f} %.",
        *(f"WRONG: {each}" for each in wrong),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--folder", type=Path, help="keep the recordings here")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        work = partial(dropped, seconds=options.seconds, folder=folder, keep=options.folder is not None)
        seeds = range(options.first, options.first + options.robots)
        results = []
        with ProcessPoolExecutor(options.workers) as pool:
            for result in pool.map(work, seeds):
                results.append(result)
                if len(results) % 20 == 0:
                    print(f"{len(results)} of {options.robots}", file=sys.stderr, flush=True)
    text = summary(results)
    print(text)
    sys.exit("WRONG" in text)


if __name__ == "__main__":
    main()
