"""Measure time steps with contact against MuJoCo.

python benchmarks/contact.py [NAME ...] [--blocks 30] [--batch 64] [--plates 1 2 4 ... 64] [--output FILE]
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: the checks shall not disturb the race
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse
import warnings

from benchmarks.lab.contact import ContactEffort, measure_all, measure_contacts
from benchmarks.lab.contact_report import markdown
from benchmarks.lab.contact_scenes import SCENES
from footfall.bench.surroundings import load_average
from footfall.errors import RobotWarning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="text in the name of a scene; all without it")
    parser.add_argument("--blocks", type=int, default=30, help="interleaved blocks of ours and theirs")
    parser.add_argument("--batch", type=int, default=64, help="robots in a batch")
    parser.add_argument("--checked", type=int, default=1000, help="steps whose residual is computed")
    parser.add_argument("--stand", type=float, default=60.0, help="seconds to stand, to see the feet drift")
    parser.add_argument("--plates", type=int, nargs="*", default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--output", type=Path, help="also write the report to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore", RobotWarning)  # of the example robots' own files
    load_before = load_average()
    effort = ContactEffort(
        blocks=options.blocks, batch=options.batch, checked=options.checked, drift_seconds=options.stand
    )
    names = [name for name in SCENES if not options.names or any(text in name for text in options.names)]

    def progress(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    scenes = measure_all(names, effort=effort, progress=progress)
    plates = measure_contacts(options.plates, effort=effort, progress=progress) if options.plates else []
    text = markdown(scenes, plates, effort=effort, load_before=load_before)
    print(text)
    if options.output is not None:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
