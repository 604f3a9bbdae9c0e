"""All robots of example-robot-data through all formats, judged in MuJoCo: `python -m benchmarks.conversions`.

Each URDF goes to MJCF by four ways; Pinocchio and coal say what the original is.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import footfall
from footfall.bench.robots import examples_folder
from footfall.errors import FootfallError
from tests.peers.conversions import Converted, Original, differences

WAYS = ((), (".toml",), (".urdf",), (".xml", ".toml", ".urdf"))


def convert(
    source: Path, way: tuple[str, ...], folder: Path, packages: list[Path], *, floating: bool
) -> Path:
    """Through the formats of a way, each in a folder of its own, and then to MJCF."""
    path = source
    for number, suffix in enumerate((*way, ".xml")):
        robot = footfall.load(path, floating_base=floating, strict=False, package_dirs=packages, srdf=False)
        path = folder / str(number) / f"robot{suffix}"
        path.parent.mkdir()
        footfall.save(robot, path)
    return path


def main() -> None:
    """A line for each robot and way."""
    folder = examples_folder()
    assert folder is not None
    packages = [folder, folder.parent, folder.parent.parent]
    wanted = sys.argv[1:]
    warnings.simplefilter("ignore")
    worst = {way: [0.0, 0.0] for way in WAYS}
    for path in sorted(folder.rglob("*.urdf")):
        name = str(path.relative_to(folder))
        if wanted and not any(word in name for word in wanted):
            continue
        try:
            floating = '<link name="world"' not in path.read_text()
            original = Original(path, packages, floating=floating)
        except Exception as problem:
            print(f"{name}: Pinocchio: {str(problem).splitlines()[0]}", flush=True)
            continue
        for way in WAYS:
            words = " ".join((*way, ".xml"))
            with tempfile.TemporaryDirectory() as temporary:
                try:
                    result = Converted(convert(path, way, Path(temporary), packages, floating=floating))
                    inertia, heights = differences(original, result, seed=0)
                except (FootfallError, ValueError, KeyError) as problem:
                    print(f"{name} {words}: {type(problem).__name__}: {str(problem)[:160]}", flush=True)
                    continue
            worst[way] = [max(worst[way][0], inertia), max(worst[way][1], heights)]
            if not (inertia < 1e-6 and heights < 1e-6):
                print(f"{name} {words}: mass matrix {inertia:.1e}, lowest points {heights:.1e} m", flush=True)
    for way, (inertia, heights) in worst.items():
        print(f"{' '.join((*way, '.xml'))}: mass matrix {inertia:.1e}, lowest points {heights:.1e} m at most")


if __name__ == "__main__":
    main()
