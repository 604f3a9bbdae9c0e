"""Fork a process that has worked with threads: the child must work as its parent did, and touch nothing of it.

    python -m benchmarks.attack.forks [NAME ...]

Every scenario runs in a process of its own, which forks. A child that hangs is killed after a while.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

PATIENCE = 240.0  # s for a child, on a busy machine


def threaded_batch() -> str:
    """A batch on several threads, before and after the fork."""
    from footfall.compiler import build_kernel

    kernel = build_kernel(lambda x: np.sin(x) * x[0], {"x": 8}, name="waves")
    x = np.linspace(0.0, 1.0, 8 * 100_000).reshape(-1, 8)
    expected = kernel.batch(x)
    return _in_child(lambda: bool((kernel.batch(x) == expected).all()))


def volumes() -> str:
    import footfall

    robot = footfall.load("lola")
    q = footfall.random_configuration(robot, seed=0, count=300)
    expected = footfall.volumes.volume_distances(robot, q).distance
    return _in_child(lambda: bool((footfall.volumes.volume_distances(robot, q).distance == expected).all()))


def compiling() -> str:
    """Forked while another thread holds the lock of a kernel and compiles."""
    from footfall.compiler import build_kernel

    kernel = build_kernel(lambda x: np.cos(x) + x[1], {"x": 3}, name="cosines")
    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        with kernel._lock:
            held.set()
            free.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    x = np.arange(300.0).reshape(-1, 3)
    answer = _in_child(lambda: bool(np.allclose(kernel.batch(x), np.cos(x) + x[:, 1:2])))
    free.set()
    thread.join()
    return answer


def recording() -> str:
    """A child that ends, by each of the ways there are, does not end the recording of its parent."""
    import footfall

    robot = footfall.load("arm-7r")
    path = Path(tempfile.mkdtemp(prefix="footfall-attack-")) / "run.mcap"
    q, v = footfall.neutral(robot), np.zeros(robot.nv)
    with footfall.RecordingWriter(path, robot) as writer:
        for k in range(3000):
            writer.state(1e-3 * k, q, v + k)
            if k in (1000, 2000):
                answer = _in_child(lambda: _refused(writer, q, v), leave=k == 1000)
                if answer != "as before":
                    return answer
    found = footfall.read_recording(path)
    if not found.complete or found.v[:, 0].tolist() != list(range(3000)):
        return f"{len(found.time)} of 3000 states, {found.damage}"
    return "as before"


def _refused(writer: Any, q: Any, v: Any) -> bool:
    from footfall.errors import TooLate

    try:
        writer.state(10.0, q, v)
    except TooLate:
        writer.close()
        return True
    return False


SCENARIOS: dict[str, Callable[[], str]] = {
    each.__name__: each for each in (threaded_batch, volumes, compiling, recording)
}


def _in_child(work: Callable[[], bool], *, leave: bool = False) -> str:
    """What becomes of work in a forked process. leave: end it without cleaning up, as multiprocessing does."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            if leave:
                os._exit(code)
            sys.stdout = None
            sys.exit(code)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return {0: "as before", 1: "failed", 2: "another result"}.get(
                os.waitstatus_to_exitcode(status), f"died with {status}"
            )
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def run(name: str) -> str:
    """What becomes of a scenario, "as before" if all is well."""
    command = [sys.executable, "-m", "benchmarks.attack.forks", "--inside", name]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=900)
    return done.stdout.strip() if done.returncode == 0 else f"{done.returncode}: {done.stderr[-500:]}"


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        print(SCENARIOS[sys.argv[2]](), flush=True)
        return 0
    failed = 0
    for name in sys.argv[1:] or SCENARIOS:
        answer = run(name)
        failed += answer != "as before"
        print(f"{name:20}{answer}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
