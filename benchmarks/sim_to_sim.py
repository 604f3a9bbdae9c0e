"""A policy that was trained here, in MuJoCo: python -m benchmarks.sim_to_sim [POLICY] [--output FILE].

Success over 20 commands, without and with pushes, beside ours: feet in lanes and all contacts found.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy

import argparse
from collections.abc import Callable
from pathlib import Path

import mujoco

from benchmarks.lab.learning_mujoco import FLAGS, MujocoRows
from benchmarks.lab.sim_to_sim import FoundRows, LaneRows, Rows, commands, follow
from footfall.bench.surroundings import processor
from footfall.learning import Policy
from footfall.learning.vector_environment import as_task

_SEED = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", nargs="?", default="go2", help="a shipped policy, or an ONNX file")
    parser.add_argument("--task", default="Go2-Velocity", help="a task that we ship, or a TOML file")
    parser.add_argument("--commands", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--push", type=float, default=1.0, help="m/s, every 2 s in any direction")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    policy, task, count = Policy(asked.policy), as_task(asked.task), asked.commands
    assert policy.note is not None, "the policy's file does not say what it was trained for"
    wanted = commands(count, policy.note.speeds, _SEED)
    engines: dict[str, Callable[[], Rows]] = {
        "footfall, feet in lanes, 5 ms": lambda: LaneRows(task, count),
        "footfall, found contacts, 5 ms": lambda: FoundRows(policy, task, count),
        "footfall, found contacts, 1 ms": lambda: FoundRows(policy, task, count, 0.001),
        "MuJoCo, the same feet, 5 ms": lambda: MujocoRows(task, count, dt=0.005),
        "MuJoCo, the same feet, 2 ms": lambda: MujocoRows(task, count, dt=0.002),
        "MuJoCo, all shapes, 5 ms": lambda: MujocoRows(task, count, shapes="all", dt=0.005),
        "MuJoCo, all shapes, 2 ms": lambda: MujocoRows(task, count, shapes="all", dt=0.002),
    }
    lines = [
        "# A policy in other simulators",
        "",
        f"`python -m benchmarks.sim_to_sim {asked.policy}`: {count} commands at random up to {policy.note.speeds} m/s,",
        f"m/s, rad/s (seed {_SEED}), {asked.seconds:g} s each, friction 0.8; the error is that of the mean velocity",
        f"after 2 s, of rows that stay up. Pushes change the base's velocity by {asked.push:g} m/s every 2 s.",
        f"Observations come from the same terms everywhere. MuJoCo {mujoco.__version__}: {FLAGS}; robots do not touch",
        f"themselves. {processor()}.",
        "",
        "| simulator | m/s off | rad/s off | stay up | pushed: m/s off | rad/s off | stay up |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, make in engines.items():
        cells = []
        for push in (0.0, asked.push):
            found = follow(make(), policy, task, wanted, seconds=asked.seconds, push=push)
            cells.append(f"{found.velocity_error:.3f} | {found.rate_error:.3f} | {found.up} of {found.rows}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    print(text)
    if asked.output is not None:
        asked.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
