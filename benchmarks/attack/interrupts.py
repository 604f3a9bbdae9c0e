"""Interrupt long native work: Ctrl-C must be answered soon, and nothing may be written afterwards.

    python -m benchmarks.attack.interrupts [NAME ...]

Every scenario runs in a process of its own, which is interrupted once it is at work. A scenario gives its work, and the
arrays that it writes to; after the interrupt they are filled anew and watched.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

AFTER = 0.5  # s from the start of the work to the interrupt
WATCHED = 0.3  # s during which nobody may write
BAR = 0.2  # s to answer in

Arrays = Sequence[np.ndarray[Any, Any]]
Scenario = Callable[[], tuple[Callable[[], object], Arrays]]


def threaded_rollout() -> tuple[Callable[[], object], Arrays]:
    return _rollout(batch=512, steps=500_000, threads=None)


def single_rollout() -> tuple[Callable[[], object], Arrays]:
    return _rollout(batch=64, steps=5_000_000, threads=1)


def one_robot() -> tuple[Callable[[], object], Arrays]:
    return _rollout(batch=1, steps=100_000_000, threads=1)


def _rollout(*, batch: int, steps: int, threads: int | None) -> tuple[Callable[[], object], Arrays]:
    """A pendulum with many operations a step; only its last state is kept."""
    kernel = _pendulum()
    x = np.linspace(0.0, 1.0, 16 * batch).reshape(batch, 16)
    out = (np.zeros((batch, 16)),)
    kernel.rollout(x, steps=8, last_only=("x",), out=out)
    return lambda: kernel.rollout(x, steps=steps, last_only=("x",), out=out, threads=threads), out


def threaded_batch() -> tuple[Callable[[], object], Arrays]:
    kernel = _pendulum(repetitions=200_000)
    x = np.linspace(0.0, 1.0, 16 * 100_000).reshape(-1, 16)
    out = (np.zeros_like(x),)
    kernel.batch(x[:64], out=(out[0][:64],))
    return lambda: kernel.batch(x, out=out), out


def _pendulum(repetitions: int = 8) -> Any:
    from footfall.compiler import build_kernel, repeat

    def step(x: Any) -> dict[str, Any]:
        return {"x": repeat(lambda x: x - 1e-3 * np.sin(x + 0.1 * x[0]), x, count=repetitions)}

    return build_kernel(step, {"x": 16}, name="pendulum")


def volumes() -> tuple[Callable[[], object], Arrays]:
    """Distances of a robot's volumes in many configurations; the arrays are not ours to watch."""
    import footfall

    robot = footfall.load("lola")
    q = footfall.random_configuration(robot, seed=0, count=100_000)
    footfall.volumes.volume_distances(robot, q[:4])
    return lambda: footfall.volumes.volume_distances(robot, q), ()


def world_rollout() -> tuple[Callable[[], object], Arrays]:
    """Robots whose contacts are found while they run."""
    import footfall

    robot = footfall.load("point-foot-quadruped")
    simulation = footfall.Simulation(robot, "flat")
    batch, steps = 32, 40_000
    q = np.repeat(simulation.q[None], batch, axis=0)
    command = simulation.hold()
    out = (
        np.zeros((batch, steps, robot.nq)),
        np.zeros((batch, steps, robot.nv)),
        np.zeros((batch, steps)),
    )
    simulation.rollout(q[:1], simulation.v, command, steps=4)
    return lambda: simulation.rollout(q, simulation.v, command, steps=steps, out=out), out


def compiling() -> tuple[Callable[[], object], Arrays]:
    """LLVM at work on the largest part of a large kernel."""
    from footfall.compiler import build_kernel, machine

    def polynomial(x: Any) -> Any:
        for _ in range(400):
            x = x - 1e-3 * (x * x[::-1] + x[0])
        return x

    texts: list[str] = []
    with (
        patch.object(machine, "compile_objects", lambda found, level: texts.extend(found)),
        suppress(Exception),
    ):
        build_kernel(polynomial, {"x": 60})
    several = [f"{text}\n; {k}\n" for k in range(200) for text in texts]  # equal ones are compiled once
    return lambda: machine.compile_objects(several, 2), ()


def many_targets() -> tuple[Callable[[], object], Arrays]:
    """Inverse kinematics out of reach, which begins again and again."""
    import footfall

    robot = footfall.load("arm-7r")
    task = footfall.tasks.PositionTask("flange", [9.0, 0.0, 0.0])
    q = footfall.neutral(robot)
    footfall.ik.solve_ik(robot, q, [task])
    return lambda: [footfall.ik.solve_ik(robot, q, [task], restarts=100) for _ in range(1000)], ()


def fitting() -> tuple[Callable[[], object], Arrays]:
    """Volumes around the bodies of a robot, again and again."""
    import footfall

    robot = footfall.load("quadruped")
    # Once before: an interrupt inside of an import leaves CPython to end with the status of the signal.
    footfall.volumes.fit_volumes(robot, most=2, seed=1000)
    return lambda: [footfall.volumes.fit_volumes(robot, most=16, seed=k) for k in range(1000)], ()


SCENARIOS: dict[str, Scenario] = {
    each.__name__: each
    for each in (
        threaded_rollout,
        threaded_batch,
        single_rollout,
        one_robot,
        world_rollout,
        volumes,
        many_targets,
        fitting,
        compiling,
    )
}


@dataclass(frozen=True)
class Outcome:
    """What became of an interrupted scenario. answered: s to the exception, NaN if there was none. written: whether
    threads went on to write. exit: s from the exception to the end of the process. status: its exit status."""

    answered: float
    written: bool
    exit: float
    status: int

    @property
    def sound(self) -> bool:
        """All but the time: it was interrupted, nobody wrote, and the process ended by itself."""
        return bool(np.isfinite(self.answered)) and not self.written and self.status == 0


def run(name: str, *, after: float = AFTER) -> Outcome:
    """Run a scenario in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.attack.interrupts", "--inside", name, str(after)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=900)
    ended = time.time()
    try:
        told = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return Outcome(np.nan, False, np.nan, done.returncode)
    return Outcome(told["answered"], told["written"], ended - told["time"], done.returncode)


def _inside(name: str, after: float) -> None:
    """Be interrupted, and tell."""
    work, arrays = SCENARIOS[name]()
    struck = [np.nan]

    def interrupt(*_: object) -> None:
        struck[0] = time.perf_counter()
        raise KeyboardInterrupt

    # The timer's signal goes the way of Ctrl-C; its time is known on this side.
    signal.signal(signal.SIGALRM, interrupt)
    begin = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        work()
        answered = np.nan
    except KeyboardInterrupt:
        answered = time.perf_counter() - begin - after
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    for array in arrays:
        array.fill(1234.5)
    time.sleep(WATCHED)
    written = any((array != 1234.5).any() for array in arrays)
    print(json.dumps({"answered": answered, "written": written, "time": time.time()}), flush=True)


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        _inside(sys.argv[2], float(sys.argv[3]))
        return 0
    failed = 0
    print(f"{'scenario':20}{'answered':>10}{'exit':>8}  written after  status")
    for name in sys.argv[1:] or SCENARIOS:
        outcome = run(name)
        failed += not (outcome.sound and outcome.answered < BAR)
        print(
            f"{name:20}{outcome.answered:8.3f} s{outcome.exit:6.2f} s  {outcome.written!s:13}  {outcome.status}"
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
