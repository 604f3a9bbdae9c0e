"""Autonomy of walks: boxes that appear ahead, velocity commands, stops, buildings. Tuned on seeds below 1000.

python benchmarks/autonomy_walks.py boxes|commands|stops|buildings [--seeds 1000 1040] [--full]
"""

import argparse
import os
import tempfile
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core for everybody

import numpy as np

import footfall
from footfall.errors import FootfallError
from footfall.math.rotations import yaw_of
from footfall.scene.buildings import building as make_building
from footfall.scene.load import load_scene, save_scene
from footfall.walking import WalkSession
from footfall.walking.body import walking_body
from footfall.walking.request import WalkRequest
from footfall.walking.routes import goal_of_scene
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import WalkingCode

SCENES = (
    "corridor",
    "stairs",
    "platform",
    "right-wall",
    "obstacles",
    "ramps",
    "stairs-partial",
    "right-table",
    "flat",
)


def outcome(session: WalkSession) -> str:
    """What came of a walk."""
    if session.fallen:
        return f"fell: {cause_of_fall(session.walker)}"
    return "arrives" if session.succeeded else f"stands: {session.problem}"


def speed(session: WalkSession) -> float:
    """Of the base at the end, m/s."""
    return float(np.hypot(*session.walker.arrays[0].v[:2]))


def box(code: WalkingCode, seed: int) -> None:
    """A box appears before a robot that walks, its face 0.5 to 1.3 m ahead of the pelvis."""
    rng = np.random.default_rng(seed)
    session = WalkSession(
        scene="flat", noise=True, seed=seed, goal=(5.0, float(rng.uniform(-1.0, 1.0)), 0.0), code=code
    )
    begin, face = rng.uniform(2.0, 6.0), rng.uniform(0.5, 1.3)
    depth, width, height = rng.uniform((0.2, 0.3, 0.2), (0.6, 1.2, 1.2)).tolist()
    aside, turn = rng.uniform((-0.3, -0.6), (0.3, 0.6)).tolist()
    session.run(begin)
    q = session.walker.arrays[0].q
    yaw = float(yaw_of(np.array(q[3:7])))
    ahead, left = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
    nearest = (depth * abs(np.cos(turn)) + width * abs(np.sin(turn))) / 2
    x, y = (q[:2] + ahead * (face + nearest) + left * aside).tolist()
    session.happen(
        "add", name="box", size=(depth, width, height), position=(x, y, height / 2), yaw=yaw + turn
    )
    session.run_to_rest(90.0)
    struck = f", {speed(session):.2f} m/s" if session.fallen else ""
    print(f"{seed}: face {face:.2f} m ahead, {outcome(session)}{struck}", flush=True)


def commands(code: WalkingCode, seed: int, seconds: float) -> None:
    """Velocities as from a joystick, in and out of the envelope, with stops, on the plant with noise."""
    rng = np.random.default_rng(seed)
    session, time = WalkSession(scene="flat", noise=True, seed=seed, code=code), 0.8
    while time < seconds and not session.fallen:
        session.run_until(time)
        wanted = rng.uniform((-0.3, -0.2, -0.5), (0.75, 0.2, 0.5)) * [1.0, rng.integers(2), rng.integers(2)]
        session.drive(*(wanted * (rng.uniform() > 0.2)).tolist())
        time += 0.1 + float(rng.exponential(1.5))
    session.stop()
    rests = session.run_to_rest(20.0)
    plans = [version for version in session.pilot.versions if version.about.startswith("drive")]
    refused = sum(version.problem is not None for version in session.pilot.versions)
    clipped = sum(any("clipped" in each for each in version.warnings) for version in plans)
    print(
        f"{seed}: {session.time:.0f} s, {len(plans)} plans, {refused} refused, {clipped} clipped, "
        f"{'stands' if rests else outcome(session)}",
        flush=True,
    )


def stop(code: WalkingCode, seed: int) -> None:
    """A walk to a goal or by a velocity in a random scene is stopped at a random time, pushed or sent elsewhere."""
    rng = np.random.default_rng(seed)
    scene = str(rng.choice(SCENES))
    goal = goal_of_scene(load_scene(scene))
    there = None if goal is None else (goal.x, goal.y, goal.yaw)
    session = WalkSession(scene=scene, noise=True, seed=seed, goal=there, code=code)
    if there is None:
        session.drive(*rng.uniform((-0.2, -0.1, -0.4), (0.6, 0.1, 0.4)).tolist())
    session.run(float(rng.uniform(1.0, 8.0)))
    kind = str(rng.choice(["stop", "stumble", "replan"]))
    if kind == "stumble":
        angle = rng.uniform(0.0, 2.0 * np.pi)
        session.happen(
            "push", body="torso", force=(80.0 * np.cos(angle), 80.0 * np.sin(angle), 0.0), seconds=0.1
        )
        session.run(float(rng.uniform(0.0, 0.5)))
    if kind == "replan" and there is not None:
        session.walk_to(there[0] - float(rng.uniform(0.0, 1.0)), there[1], there[2])
        session.run(float(rng.uniform(0.0, 1.0)))
    session.stop()
    rests = session.run_to_rest(20.0)
    refused = [
        version.problem for version in session.pilot.versions if version.about == "stop" and version.problem
    ]
    print(
        f"{seed}: {scene}, {kind}, {'stands' if rests else outcome(session)}, {len(refused)} refused",
        flush=True,
    )


def building(code: WalkingCode, seed: int, folder: Path, *, full: bool) -> None:
    """Through a building of the shipped generator to the other end of its corridor."""
    path = folder / f"building-{seed}.toml"
    save_scene(make_building(floors=1, seed=seed), path)
    request = WalkRequest(
        scene=str(path), goal=(15.0, -0.3, 0.0), noise=True, seed=seed, mode="full" if full else "reduced"
    )
    try:
        session = WalkSession(request, code=code)
    except FootfallError as problem:
        print(f"{seed}: no plan: {problem}", flush=True)
        return
    while session.time < 180.0 and not session.fallen and not session.resting:
        session.run_to_rest(5.0)
    touched = float(np.max(session.walker.log.signals["other"]))
    print(
        f"{seed}: {session.time:.1f} s, {outcome(session)}, other bodies touched with {touched:.0f} N",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study", choices=["boxes", "commands", "stops", "buildings"])
    parser.add_argument("--seeds", type=int, nargs=2, default=(1000, 1040), metavar=("FIRST", "END"))
    parser.add_argument("--seconds", type=float, default=600.0, help="of commands")
    parser.add_argument("--full", action="store_true", help="buildings on simulated drives")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    code = WalkingCode(walking_body(footfall.load("lola")))
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(*options.seeds):
            if options.study == "boxes":
                box(code, seed)
            elif options.study == "commands":
                commands(code, seed, options.seconds)
            elif options.study == "stops":
                stop(code, seed)
            else:
                building(code, seed, Path(folder), full=options.full)


if __name__ == "__main__":
    main()
