"""In how many files of footfall one has to read to follow a call from its beginning to its end.

python -m benchmarks.files_touched                # this checkout
python -m benchmarks.files_touched ../other       # another one

Counted are files of which a function runs in Python, and beside them those of which only functions run that were
compiled (routines; traced functions count where they were traced). Imports do not count.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def acceleration() -> Callable[[], Any]:
    """From a URDF to an acceleration."""
    import numpy as np

    import footfall

    folder = tempfile.mkdtemp()
    path = Path(folder) / "robot.urdf"
    footfall.save(footfall.load("arm-7r"), path)

    def call() -> None:
        robot = footfall.load(path)
        zero = np.zeros(robot.nv)
        footfall.forward_dynamics(robot, footfall.neutral(robot), zero, zero)

    return call


def step() -> Callable[[], Any]:
    """From a scene to a step."""
    import footfall

    def call() -> None:
        simulation = footfall.Simulation(footfall.load("quadruped"), "flat")
        simulation.run(simulation.hold(), 0.01)

    return call


def sample() -> Callable[[], Any]:
    """From a plan to a sample."""
    import footfall
    from footfall.walking import walking_body

    model = walking_body(footfall.load("lola")).model

    def call() -> None:
        footfall.generate_motion(footfall.load_plan("straight", model), model).sample(1.0)

    return call


def velocity() -> Callable[[], Any]:
    """From a task to a joint velocity."""
    import footfall
    from footfall.ik import build_ik, solve_velocity
    from footfall.tasks import PoseTask

    robot = footfall.load("arm-7r")
    frame = robot.bodies[-1].name

    def call() -> None:
        q = footfall.neutral(robot)
        solve_velocity(build_ik(robot, q, [PoseTask(frame, footfall.frame_pose(robot, q + 0.1, frame))]))

    return call


def walk() -> Callable[[], Any]:
    """From a goal to a walk."""
    from footfall.walking import WalkRequest, walk

    def call() -> None:
        walk(WalkRequest(scene="flat", goal=(0.6, 0.0, 0.0), seconds=1.0))

    return call


WALKS = (acceleration, step, sample, velocity, walk)


def count(prepare: Callable[[], Callable[[], Any]]) -> tuple[int, int]:
    """Files of which functions run in Python, and others of which only compiled ones run."""
    from footfall.compiler.routines import dependencies

    native: set[str] = set()
    texts = dependencies._function_texts

    def noticed(function: Any) -> list[str]:
        native.add(function.__code__.co_filename)
        return texts(function)

    dependencies._function_texts = noticed
    python: set[str] = set()

    def look(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            python.add(frame.f_code.co_filename)

    call = prepare()
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    own = f"{os.sep}footfall{os.sep}"
    python = {name for name in python if own in name}
    return len(python), len({name for name in native if own in name} - python)


def main() -> None:
    warnings.simplefilter("ignore")
    if len(sys.argv) == 3 and sys.argv[1] == "--only":
        print(*count(WALKS[int(sys.argv[2])]))
        return
    checkout = (Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT).resolve()
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    for k, prepare in enumerate(WALKS):
        command = [sys.executable, "-P", str(Path(__file__).resolve()), "--only", str(k)]
        found = subprocess.run(command, env=environment, cwd=checkout, capture_output=True, text=True)
        if found.returncode:
            print(f"{prepare.__doc__} failed: {found.stderr.strip().splitlines()[-1]}")
            continue
        python, native = map(int, found.stdout.split()[-2:])
        print(
            f"{prepare.__doc__:38} {python:4} in Python, {native:4} more in native code alone, {python + native}"
        )


if __name__ == "__main__":
    main()
