"""Walk random walks that may be too long, too fast, too high or too steep, and count what becomes of them.

python benchmarks/random_walks.py [--walks 500] [--first 0] [--robot lola]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

import footfall
from benchmarks.lab.broad_walks import study_broad_walks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--walks", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--robot", default="lola")
    options = parser.parse_args()
    model = footfall.reduced_model(footfall.load(options.robot))
    study = study_broad_walks(
        model,
        options.walks,
        first=options.first,
        progress=lambda seed: print(f"\rwalk {seed}", end="", file=sys.stderr),
    )
    print(file=sys.stderr)
    print(f"{options.walks} broad walks: " + ", ".join(f"{n} {kind}" for kind, n in study.outcomes.items()))
    for title, reasons in (("refused", study.refusals), ("warned", study.warnings)):
        for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
            print(f"  {title} {count:4d}: {reason}")
    if study.broken:
        print(f"seeds that break a promise silently: {study.broken}")
        sys.exit(1)


if __name__ == "__main__":
    main()
