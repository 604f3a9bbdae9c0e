"""Every robot of example-robot-data, from its URDF to drops on flat and rough ground, as `footfall simulate` does it.

python benchmarks/any_robot.py [words in paths ...] [--rows rows.json] [--output benchmarks/any_robot.md] [--cold]

Each robot runs in a process of its own. `--cold` gives it an empty cache of native code. With `--rows` it goes on where
it ended: robots that stand in that file are not run again. The time to the first step is given by the clock, which
means something on a quiet machine only, and as seconds of CPU in all threads, which do not depend on what else it does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # where `benchmarks.lab` lies

import numpy as np

from footfall.bench import surroundings
from footfall.bench.robots import examples_folder
from footfall.whole_file import write_text

SCENES = ("flat", "rough")
SECONDS = 3.0  # as the command; as long again while it moves
LONGEST = 14.0  # s, then it is said to move
HEIGHT = 0.02  # m
NEAR = 0.5  # m: what is farther away has no shapes, or flew off
DEEP = 1e-3  # m: what is deeper in the ground at the end is told
RESTING = 0.05  # rad/s or m/s
SOON = 8.0  # s from `Simulation(...)` to the first step that nobody should wait longer than
PATIENCE = 900.0  # s
REASONS = """Those that do not rest are arms and fingers without a base that lie on round shapes: \
double_pendulum_simple and finger_edu roll, which nothing brakes, the three ur3 rock on the round rim of their base \
and a wrist. Four robots have no collision shapes and fall for ever, which is warned of (alexander, TwoDofs, human, \
simple_humanoid_classical); ur3.urdf is a xacro file, which is said. Where joints are said to be restless one gives \
its greatest effort all the time, because its load is too great for it: a gripper of alex_sake_hands, an arm that a \
drone lies on, a shoulder of pr2, waist and wrist of simple_humanoid."""


def studied(path: Path) -> dict[str, Any]:
    """What happens with one robot."""
    from footfall.cli.simulate import Start, prepared
    from footfall.robot.load import load
    from footfall.robot.start import start_of
    from footfall.scene.load import load_scene

    row: dict[str, Any] = {}
    begun = time.process_time()
    robot = load(path, floating_base=True, strict=False)
    row["load"] = time.process_time() - begun
    start = start_of(robot)
    row["joints"] = robot.nv - 6
    row["start"] = start.name or "neutral"
    row["moved"] = len(start.moved)
    lower, upper = robot.limits()
    row["inside"] = bool(((start.q >= lower - 1e-6) & (start.q <= upper + 1e-6)).all())
    for scene in SCENES:
        place = load_scene(scene)
        begun, clock = time.process_time(), time.perf_counter()
        simulation = prepared(robot, place, Start(height=HEIGHT), dt=1e-3)
        command = simulation.hold()
        simulation.step(command)
        row[f"{scene} first"] = time.process_time() - begun
        row[f"{scene} clock"] = time.perf_counter() - clock
        begun = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trajectory = simulation.run(command, SECONDS)
            row[f"{scene} step"] = (time.process_time() - begun) / (SECONDS / 1e-3)
            while (
                np.abs(trajectory.v[-1]).max() >= RESTING and simulation.time < LONGEST
            ):  # still falling over
                trajectory = simulation.run(command, SECONDS)
        row[f"{scene} time"] = simulation.time
        row[f"{scene} gap"] = least_gap(robot, place, trajectory.q[-1][: robot.nq])
        row[f"{scene} base"] = float(trajectory.q[-1][2])
        row[f"{scene} speed"] = float(np.abs(trajectory.v[-1]).max())
        row[f"{scene} warned"] = sorted({each.category.__name__ for each in caught})
    return row


def least_gap(robot: Any, scene: Any, q: Any) -> float:
    """Least distance of all shapes of the robot from the scene, m, by detection that knows nothing of the step."""
    from footfall.contact.ground import Clearance
    from footfall.simulation.start import without_missing_meshes

    return Clearance(without_missing_meshes(robot), scene).gap(np.asarray(q), NEAR)


def in_a_process(path: Path, *, cold: bool) -> dict[str, Any]:
    """The row of one robot, or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **({"FOOTFALL_CACHE_DIR": folder} if cold else {})}
        command = [sys.executable, "-W", "ignore", __file__, "--one", str(path)]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return {"error": f"more than {PATIENCE:g} s"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["?"])[-1][:120]}
    row: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return row


def cells(name: str, row: dict[str, Any]) -> list[str]:
    if "error" in row:
        return [name, row["error"], *[""] * 11]
    moved = f", {row['moved']} moved" if row["moved"] else ""
    shown = [name, str(row["joints"]), f"{row['load']:.1f}", row["start"] + moved]
    shown.append("yes" if row["inside"] else "no")
    for scene in SCENES:
        gap, speed = row[f"{scene} gap"], row[f"{scene} speed"]
        above = "nowhere near it" if gap >= NEAR else "yes" if gap > -DEEP else f"{-1e3 * gap:.1f} mm deep"
        late = f", after {row[f'{scene} time']:.0f} s" if row[f"{scene} time"] > 1.5 * SECONDS else ""
        rests = late if speed < RESTING else f", {speed:.2g} rad/s"
        told = f" ({', '.join(row[f'{scene} warned'])})" if row[f"{scene} warned"] else ""
        shown += [f"{row[f'{scene} {kind}']:.1f}" for kind in ("clock", "first")]
        shown += [f"{1e6 * row[f'{scene} step']:.0f}", above + rests + told]
    return shown


def report(rows: dict[str, dict[str, Any]], before: str, *, cold: bool) -> str:
    head = ["robot", "joints", "load, s", "start", "inside limits"]
    for scene in SCENES:
        head += [f"{scene}: to the first step, s", "s of CPU", "us a step", "above the ground"]
    lines = [cells(name, row) for name, row in rows.items()]
    table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *lines))
    good = [row for row in rows.values() if "error" not in row]
    counts = [
        f"{len(good)} of {len(rows)} robots load and run; {sum(row['inside'] for row in good)} start inside limits."
    ]
    for scene in SCENES:
        resting = [row for row in good if -DEEP < row[f"{scene} gap"] < NEAR]
        above = len(resting)
        still = sum(row[f"{scene} speed"] < RESTING for row in resting)
        slowest = max((row[f"{scene} clock"] for row in good), default=0.0)
        late = sum(row[f"{scene} clock"] > SOON for row in good)
        counts.append(
            f"On {scene} ground {above} end above it (no shape deeper than {1e3 * DEEP:g} mm), {still} of them at rest "
            f"(below {RESTING:g} rad/s) within {LONGEST + 1:g} s; the slowest takes {slowest:.1f} s to its first step, "
            f"{late} take more than {SOON:g} s."
        )
    text = "\n".join(counts)
    cache = (
        "an empty cache each" if cold else "code of the step, which is the same for all robots, in the cache"
    )
    return (
        "# Any robot\n\n"
        "Every URDF of example-robot-data is loaded with a floating base and dropped from 2 cm, its joints held, as "
        "`footfall simulate FILE --floating-base --lenient` does it without other options.\n\n"
        f"{surroundings.processor()}, {surroundings.cores()} cores; load {before} before and "
        f"{surroundings.load_average()} after; {cache}.\n\n{text}\n\n{REASONS}\n\n{table}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only robots whose path has one of them")
    parser.add_argument("--output", type=Path, help="file for the report")
    parser.add_argument("--cold", action="store_true", help="with an empty cache of native code")
    parser.add_argument("--rows", type=Path, help="file for what is known so far")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(studied(options.one)))
        return
    folder = examples_folder()
    if folder is None:
        parser.error("example-robot-data is not installed: pip install 'footfall[bench]'")
    paths = sorted(folder.glob("*/*/*.urdf"))
    before = surroundings.load_average()
    known = options.rows is not None and options.rows.exists()
    rows: dict[str, dict[str, Any]] = json.loads(options.rows.read_text()) if known else {}
    for path in paths:
        name = f"{path.parent.parent.name}/{path.stem}"
        if name not in rows and (not options.words or any(word in name for word in options.words)):
            rows[name] = in_a_process(path, cold=options.cold)
            print(" | ".join(cells(name, rows[name])), flush=True)
            if options.rows is not None:
                write_text(options.rows, json.dumps(rows, indent=1))
    rows = dict(sorted(rows.items()))
    text = report(rows, before, cold=options.cold)
    if options.output:
        write_text(options.output, text)
    print(text)


if __name__ == "__main__":
    main()
