"""What one waits for: importing footfall, compiling a first kernel, loading one from the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

# Run in a process of its own; prints seconds. The robot is loaded before the clock runs.
_SCRIPT = """
import json, sys, time
begin = time.perf_counter()
import footfall
import numpy as np
imported = time.perf_counter() - begin
from footfall.bench.robots import load_measured
robot = load_measured(sys.argv[1])
begin = time.perf_counter()
kernel = footfall.forward_dynamics.kernel(robot)
single = time.perf_counter() - begin
begin = time.perf_counter()
kernel.batch(np.tile(footfall.neutral(robot), (64, 1)), robot.armature, robot.armature, threads=1)
batch = time.perf_counter() - begin
begin = time.perf_counter()
footfall.forward_dynamics_derivatives.kernel(robot)
print(json.dumps([imported, single, batch, time.perf_counter() - begin]))
"""


@dataclass(frozen=True)
class Startup:
    """Seconds, medians of several processes: to import footfall, to compile forward dynamics for a single robot and
    (besides) for a batch, and its derivatives for a single one, and to load each from the cache."""

    robot: str
    importing: float
    compiling: float
    compiling_batch: float
    compiling_derivatives: float
    loading: float
    loading_batch: float
    loading_derivatives: float


def measure_startup(robot: str, *, rounds: int = 3) -> Startup:
    """Time fresh processes, first with an empty cache, then with a filled one."""
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(_run(robot, cache))
            warm.append(_run(robot, cache))
    _, *compiling = np.median(cold, axis=0).tolist()
    importing, *loading = np.median(warm, axis=0).tolist()
    return Startup(robot, importing, *compiling, *loading)


def _run(robot: str, cache: str) -> list[float]:
    environment = {**os.environ, "FOOTFALL_CACHE_DIR": cache}
    command = [sys.executable, "-W", "ignore", "-c", _SCRIPT, robot]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds: list[float] = json.loads(run.stdout)
    return seconds
