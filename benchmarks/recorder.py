"""What recording a run costs: LOLA on the ground, with and without a recorder, in turn.

    python -m benchmarks.recorder

CPU time of the calling thread, us a control period: median and quartiles of the differences between neighbouring runs.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np

import footfall
from footfall import Command, RecordingWriter, Simulation
from footfall.arrays import Array

PERIODS = 400  # in a run
ROUNDS = 20


def spent(simulation: Simulation, command: object, recorder: RecordingWriter | None) -> float:
    """CPU time of a run, us a period."""
    begin = time.thread_time()
    simulation.run(command, PERIODS * simulation.control_period, recorder=recorder)  # type: ignore[arg-type]
    return 1e6 * (time.thread_time() - begin) / PERIODS


def main() -> None:
    simulation = Simulation(footfall.load("lola"), "flat", dt=1e-3)
    hold = simulation.hold()
    settled = simulation.run(hold, 0.5)
    print(f"{settled.contacts.counts[-1]} contacts, load {os.getloadavg()[0]:.1f}")

    def controller(time: float, q: Array, v: Array) -> Command:
        return hold

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        with RecordingWriter(path, simulation.robot, scene=simulation.scene, dt=1e-3) as writer:
            for name, command in (("a controller in Python", controller), ("a held command", hold)):
                spent(simulation, command, writer)
                differences, plain = [], []
                for _ in range(ROUNDS):
                    before = spent(simulation, command, None)
                    recorded = spent(simulation, command, writer)
                    after = spent(simulation, command, None)
                    plain += [before, after]
                    differences.append(recorded - 0.5 * (before + after))
                low, middle, high = np.percentile(differences, [25, 50, 75])
                print(
                    f"{name}: {np.median(plain):.1f} us, recorded {middle:.1f} more ({low:.1f} to {high:.1f})"
                )


if __name__ == "__main__":
    main()
