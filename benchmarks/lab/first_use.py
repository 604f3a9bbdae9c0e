"""What a newcomer waits for: each part of footfall used in a process of its own, with an empty cache and again."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
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


class FirstStep(NamedTuple):
    """CPU and wall time, s, until a robot has made its first step: what was made or loaded before counts to others."""

    robot: str
    cpu: float
    wall: float


def measure_first_steps(robots: Iterable[str]) -> Iterator[FirstStep]:
    """Robots by name or file, one after another in a process with an empty cache; the first with what it imports."""
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _FIRST_STEPS, *robots],
            env={**os.environ, "FOOTFALL_CACHE_DIR": folder},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    for line in told.stdout.splitlines():
        name, cpu, wall = line.split("\t")
        yield FirstStep(name, float(cpu), float(wall))


_FIRST_STEPS = """
import sys, time
from pathlib import Path
cpu, wall = 0.0, time.perf_counter()
import footfall
for name in sys.argv[1:]:
    robot = footfall.load(name, floating_base=True) if name.endswith(".urdf") else footfall.load(name)
    simulation = footfall.Simulation(robot, "flat")
    simulation.run(simulation.zero_command, 0.001)
    print(Path(name).name, time.process_time() - cpu, time.perf_counter() - wall, sep="\t")
    cpu, wall = time.process_time(), time.perf_counter()
"""


def measure_page(*options: str) -> FirstStep:
    """`footfall walk --panel` from its start until the page is there, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "footfall", "walk", "--panel", "--port", str(port), *options],
            env={**os.environ, "FOOTFALL_CACHE_DIR": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1.0).close()
                break
            except OSError:
                time.sleep(0.02)
        wall = time.perf_counter() - begin
        cpu = sum(map(float, Path(f"/proc/{process.pid}/stat").read_text().rsplit(")")[-1].split()[11:13]))
        process.terminate()
        process.wait()
        return FirstStep("footfall walk --panel", cpu / os.sysconf("SC_CLK_TCK"), wall)


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
