"""How tightly and how quickly volumes are fitted around the meshes of robots of example-robot-data.

python benchmarks/volume_fitting.py [--robots panda.urdf talos_reduced.urdf ...] [--output benchmarks/volume_fitting.md]

Every link that has a shape is fitted with at most 1, 2, 4 and 8 elements. Times are seconds of CPU.
"""

import argparse
import os
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: threads that wait count as work
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import numpy as np

from footfall.bench.robots import examples_folder
from footfall.bench.surroundings import processor
from footfall.errors import FootfallError
from footfall.geometry.swept_coverage import coverage
from footfall.geometry.swept_fitting import best_fit
from footfall.robot.load import load
from footfall.robot.volume_fitting import Held, body_fits, body_solid, shared_volume
from footfall.whole_file import write_text

ROBOTS = (
    "panda.urdf", "ur5_robot.urdf", "go2.urdf", "solo12.urdf", "anymal.urdf", "g1_29dof_rev_1_0.urdf",
    "talos_reduced.urdf", "romeo.urdf", "kinova.urdf", "laikago.urdf",
)  # fmt: skip
MOST = 8


class Link(NamedTuple):
    """A fitted link. excess, over_mesh: with MOST elements. curve: excess by number of elements; empty for a link that
    shares the volume of another."""

    robot: str
    name: str
    triangles: int
    elements: int
    excess: float
    over_mesh: float
    protrusion: float
    hollow: float
    seconds: float
    curve: dict[int, float]


def fitted_links(path: Path) -> list[Link]:
    """All links of a robot, as `fit_volumes` treats them; those whose meshes are missing or flat are left out."""
    links: list[Link] = []
    held: list[Held] = []
    robot = load(path, strict=False)
    for body in robot.bodies:
        try:
            solid = body_solid(body)
        except FootfallError:
            continue
        if solid is None or solid.hull_volume == 0.0:
            continue
        begun = time.process_time()
        volume = shared_volume(solid, held)
        fits = [] if volume is not None else body_fits(body, most=MOST)
        volume = best_fit(fits).volume if volume is None else volume
        seconds = time.process_time() - begun
        curve = {len(fit.volume): coverage(fit.volume, solid).excess for fit in fits}
        held.append(Held(solid, volume))
        found = coverage(volume, solid)
        links.append(
            Link(
                path.stem, body.name, len(solid.triangles), len(volume), found.excess,
                found.volume / found.mesh - 1.0 if found.mesh > 0.0 else np.inf, found.protrusion, found.hollow,
                seconds, curve,
            )
        )  # fmt: skip
        print(*links[-1][:-1], flush=True)
    return links


def report(links: list[Link]) -> str:
    """As Markdown."""
    rows = [
        "# Fitting of volumes",
        "",
        "Swept-sphere volumes of at most 8 elements around the collision shapes of every link (what is seen where "
        "there are none), as `footfall volumes ROBOT --fit` makes them; links of one shape and mirrored ones share "
        "theirs. Excess: volume of the elements, and of what they hold, over that of the convex hull of the shape; "
        "negative where they follow a shape that is not convex. Protrusion: how far anything sticks out at the most. "
        f"Hollow: most of the room inside of a shape that no element fills. Seconds of CPU, one core; {processor()}.",
        "",
        "| robot | links | fitted | excess, median | 90 % below | over the mesh | protrusion, mm | hollow | s a link, "
        "median | slowest | whole robot, s |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in (*dict.fromkeys(link.robot for link in links), "all"):
        own = [link for link in links if name in (link.robot, "all")]
        new = [link for link in own if link.curve]
        excess, mesh = (np.array([getattr(link, key) for link in own]) for key in ("excess", "over_mesh"))
        seconds = np.array([link.seconds for link in new])
        out = max(0.0, max(link.protrusion for link in own)) * 1e3
        rows.append(
            f"| {name} | {len(own)} | {len(new)} | {np.median(excess):.0%} | {np.quantile(excess, 0.9):.0%} | "
            f"{np.median(mesh):.0%} | {out:.4f} | {max(link.hollow for link in own):.1%} | {np.median(seconds):.1f} | "
            f"{seconds.max():.1f} | {sum(link.seconds for link in own):.0f} |"
        )
    rows += [
        "",
        "Excess by number of elements, of the links that were fitted:",
        "",
        "| elements at most | median | 90 % below |",
        "|---:|---:|---:|",
    ]
    for most in (1, 2, 4, 8):
        curves = [link.curve for link in links if link.curve]
        reached = [
            min(value for count, value in curve.items() if count <= max(most, min(curve))) for curve in curves
        ]
        rows.append(f"| {most} | {np.median(reached):.0%} | {np.quantile(reached, 0.9):.0%} |")
    rows += ["", "Aimed at: 15 % in the median, 90 % below 40 %, 3 s a link, 60 s for a humanoid."]
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", nargs="+", default=ROBOTS, help="names of files in example-robot-data")
    parser.add_argument("--output", type=Path, help="file for the report")
    options = parser.parse_args()
    folder = examples_folder()
    links: list[Link] = []
    for name in options.robots:
        path = next(iter(sorted(folder.rglob(name))), None)
        if path is None:
            print(f"no {name} in {folder}", file=sys.stderr)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            links += fitted_links(path)
        if options.output:
            write_text(options.output, report(links))
    print(report(links))


if __name__ == "__main__":
    main()
