"""Native code for a wheel or a clone, made for common CPUs, so that nobody waits for it: what is the same for all
robots, and what LOLA and the quadruped need to be simulated and to walk.

python release/native_code.py                  # for all levels of x86-64 that this machine has
python release/native_code.py --level x86-64-v3
python release/native_code.py --here                # for the best level of this machine, in a clone

Two processes a level simulate, plan and walk a little with FOOTFALL_LEVEL set and an empty cache; what they compile
goes into an archive in `src/footfall/compiler/shipped`, which `hatch_build.py` puts into the wheel. Code is found by a
hash of its source and of the Python that runs it: an archive of another version is never used, and does no harm.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from footfall.compiler import cache, machine
from footfall.whole_file import written_whole

LEVELS = ("x86-64-v3", "x86-64-v4")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the same content makes the same archive
_BEGIN = """
import warnings
from pathlib import Path

import footfall
from footfall.compiler import cache

warnings.simplefilter("ignore")
cache.SHIPPED = Path("nowhere")  # what an archive of before has is made anew: it shall be in this one too
"""
_USES = (
    """
for name, scene in (("lola", "flat"), ("quadruped", "blocks"), ("quadruped", "rough")):
    simulation = footfall.Simulation(footfall.load(name), scene)
    simulation.run(simulation.zero_command, 0.01)
sleepy = footfall.Simulation(None, "blocks", sleep=True)
sleepy.run(sleepy.zero_command, 0.01)
""",
    """
import sys
import tempfile

from footfall.cli import main

for mode in ("reduced", "full"):
    footfall.walking.walk(footfall.walking.WalkRequest(scene="obstacles", mode=mode, noise=True, seed=1))
with tempfile.TemporaryDirectory() as folder:
    sys.argv = ["footfall", "walk", "--output", folder]
    main()
""",
)


def make_archive(level: str, folder: Path) -> Path:
    """The archive of a level, in a folder; written when it is whole."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    path = folder / f"{sys.platform}-{level}-{python}.zip"
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "FOOTFALL_LEVEL": level, "FOOTFALL_CACHE_DIR": empty}
        with (Path(empty) / "told").open("w+") as told:  # by both; of interest if they fail
            options: dict[str, Any] = {"env": environment, "stdout": told, "stderr": told}
            uses = [subprocess.Popen([sys.executable, "-c", _BEGIN + use], **options) for use in _USES]
            ends = [process.wait() for process in uses]
            told.seek(0)
            if any(ends):
                raise SystemExit(f"native code for {level} was not made:\n{told.read()}")
        folder.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file, zipfile.ZipFile(file, "w") as archive:
            for entry in sorted(Path(empty).glob("*.kernel")):
                content = entry.read_bytes()
                known = cache.parsed(content, entry.stem)
                if known is not None:
                    archive.writestr(zipfile.ZipInfo(entry.name, _FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--level", choices=LEVELS, action="append", help="default: all that this CPU has")
    parser.add_argument("--here", action="store_true", help="only the best level that this CPU has")
    parser.add_argument("--output", type=Path, default=cache.SHIPPED, help="folder of the archives")
    options = parser.parse_args()
    best = machine.best_level()
    here = LEVELS[: LEVELS.index(best) + 1] if best in LEVELS else ()
    for level in options.level or (here[-1:] if options.here else here):
        if level not in here:
            parser.error(f"this CPU cannot run code for {level}, so that it cannot be tried here")
        path = make_archive(level, options.output)
        with zipfile.ZipFile(path) as archive:
            print(
                f"{path.name}: {len(archive.namelist())} pieces of code, {path.stat().st_size / 1e6:.1f} MB"
            )


if __name__ == "__main__":
    main()
