"""What a newcomer waits for: each part of footfall used in a process of its own, with an empty cache and again."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_WALK = (
    "model = footfall.reduced_model(footfall.load('lola')); "
    "plan = footfall.walking_plan(model, [footfall.WalkingTransition(forward=0.3)] * 4); "
    "footfall.generate_motion(plan, model)"
)
_REACH = (
    "from footfall.control.inverse_kinematics import frame_position, solve_ik; "
    "robot = footfall.load('lola'); q = robot.configuration('idle'); "
    "place = footfall.frame_pose(robot, q, 'RH').translation; place[0] += 0.1; "
    "solve_ik(robot, q, [frame_position('RH', place)]).require()"
)
_STAND = "from benchmarks.lab.control import lola_steps; lola_steps()"
USES = {
    "import": "pass",
    "command line, --help": "from footfall.cli import main; sys.argv = ['footfall', '--help']; main()",
    "forward dynamics, LOLA": (
        "robot = footfall.load('lola'); v = numpy.zeros(robot.nv); "
        "footfall.forward_dynamics(robot, footfall.neutral(robot), v, v)"
    ),
    "simulation, quadruped": (
        "robot = footfall.load('point-foot-quadruped'); "
        "simulation = footfall.Simulation(robot, footfall.load_scene('flat'), q=footfall.neutral(robot)); "
        "simulation.run(simulation.zero_command, 0.01)"
    ),
    "inverse kinematics, LOLA": _REACH,
    "whole-body control and its kinematics, LOLA": _STAND,
    "motion generator, LOLA": _WALK,
}


class FirstUse(NamedTuple):
    """CPU and wall time, s, of a process that uses something: for the first time, and again."""

    name: str
    cpu: float
    wall: float
    cpu_again: float
    wall_again: float


def measure_first_use(names: Iterable[str] = tuple(USES)) -> Iterator[FirstUse]:
    """Use parts of footfall, named as in USES, one after the other; each starts without any compiled code."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            yield FirstUse(name, *_run(USES[name], folder), *_run(USES[name], folder))


def _run(code: str, folder: str) -> tuple[float, float]:
    root = str(Path(__file__).parents[2])  # where `benchmarks` lies
    paths = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"import sys, numpy, footfall; {code}"],
        env={**os.environ, "FOOTFALL_CACHE_DIR": folder, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begin
