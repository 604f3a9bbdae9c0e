"""Measure what a newcomer waits for: each part of footfall used once with an empty cache, and once more.

python benchmarks/first_use.py [--only NAME ...] [--output benchmarks/first_use.md]
python benchmarks/first_use.py --robots FILE ... [--page]   # first steps in one process, one robot after another
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import argparse

from benchmarks.lab.first_use import USES, measure_first_steps, measure_first_use, measure_page
from footfall.bench.surroundings import cores, load_average, processor, versions
from footfall.whole_file import write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(USES), default=list(USES))
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument("--robots", nargs="+", help="names or files: time until the first step of each")
    parser.add_argument(
        "--page", action="store_true", help="time until `footfall walk --panel` shows its page"
    )
    options = parser.parse_args()
    if options.robots or options.page:
        print(f"load {load_average()} before\n\n| | CPU, s | wall, s |\n|---|---:|---:|")
        for step in (*measure_first_steps(options.robots or ()), *([measure_page()] if options.page else ())):
            print(f"| {step.robot} | {step.cpu:.1f} | {step.wall:.1f} |")
        return
    lines = [
        "# First use",
        "",
        f"{processor()}, {cores()} cores; load {load_average()} before; {versions()}. Seconds of a process that"
        " imports footfall and uses one part of it: without compiled code, and when all is found on disk.",
        "",
        "| use | CPU, s | wall, s | again, CPU, s | again, wall, s |",
        "| --- | --- | --- | --- | --- |",
    ]
    print("\n".join(lines), flush=True)
    for use in measure_first_use(options.only):
        lines.append(f"| {use.name} | " + " | ".join(f"{seconds:.1f}" for seconds in use[1:]) + " |")
        print(lines[-1], flush=True)
    if options.output:
        write_text(options.output, "\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
