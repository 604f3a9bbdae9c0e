"""Drop random passive robots with the default step: whatever diverges or gains energy must say so.

    python -m benchmarks.default_steps [--robots 500] [--seconds 10] [--first 0] [--dt 0.002 0.001] [--workers 1]

A robot without drives on rough ground only loses energy. One that ends without numbers, or rises by more than 1 % of
what it fell from, without an error or a warning, is a failure. Balls that pass beside a plate, fast and with long
steps, must keep their speed: a contact that is not there would take it.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from benchmarks.lab.drops import random_ground, random_walker
from footfall import Simulation
from footfall.dynamics.configuration import neutral
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.errors import FootfallError, FootfallWarning
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Sphere
from footfall.scene.model import Scene, SceneObject, free_body

MOST_GAINED = 0.01  # of what a robot fell from
_HEIGHT = 1.5  # m


class Outcome(NamedTuple):
    """What became of a robot. finite: whether it ended with numbers. gained: greatest rise of its energy above an
    earlier value, of m g h. told: the error or warnings, empty if nothing was said."""

    seed: int
    dt: float
    finite: bool
    gained: float
    told: str

    @property
    def sound(self) -> bool:
        return bool(self.told) or (self.finite and self.gained <= MOST_GAINED)


def drop(seed: int, dt: float, seconds: float) -> Outcome:
    """Let a random robot fall, limp."""
    rng = np.random.default_rng([seed, 2])
    robot, scene = random_walker(seed), random_ground(seed)
    simulation = Simulation(robot, scene, dt=dt)
    q, v = neutral(simulation.robot), rng.normal(size=simulation.robot.nv)
    q[2] = _HEIGHT
    q[7:] = rng.uniform(-0.8, 0.8, len(q) - 7)
    simulation.reset(q, v)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run = simulation.run(simulation.zero_command, seconds)
        except FootfallError as error:
            return Outcome(seed, dt, False, np.inf, f"{type(error).__name__}: {error}")
    said = [str(each.message) for each in told if issubclass(each.category, FootfallWarning)]
    if not (np.isfinite(run.q).all() and np.isfinite(run.v).all()):
        return Outcome(seed, dt, False, np.inf, "; ".join(said))
    kinetic = np.asarray(kinetic_energy(simulation.robot, run.q, run.v))
    energy = kinetic + np.asarray(potential_energy(simulation.robot, run.q))
    fall = 9.81 * _HEIGHT * sum(body.mass for body in simulation.robot.bodies)
    gained = float((energy - np.minimum.accumulate(energy)).max() / fall)
    return Outcome(seed, dt, True, gained, "; ".join(said))


def passing(gap: float, speed: float, dt: float) -> float:
    """The share of its speed that a ball keeps which passes beside a plate, at that gap, m."""
    plate = SceneObject("plate", Box((1.0, 1.0, 0.02)), Transform(np.eye(3), np.zeros(3)))
    scene = Scene("passing", (plate,), gravity=(0.0, 0.0, 0.0))
    radius = 0.05
    ball = SceneObject(
        "ball", Sphere(radius), Transform(np.eye(3), np.zeros(3)), free=free_body(Sphere(radius), 1.0)
    )
    simulation = Simulation(None, Scene("passing", (*scene.objects, ball), gravity=scene.gravity), dt=dt)
    q, v = neutral(simulation.robot), np.zeros(simulation.robot.nv)
    # Downwards beside the edge of the plate
    q[:3], v[2] = (0.5 + radius + gap, 0.0, 1.0), -speed
    simulation.reset(q, v)
    run = simulation.run(simulation.zero_command, 2.0 / speed)
    return float(np.linalg.norm(run.v[-1, :3]) / speed)


def outcomes(seeds: range, steps: list[float], seconds: float, workers: int) -> Iterator[Outcome]:
    cases = [(seed, dt, seconds) for seed in seeds for dt in steps]
    if workers == 1:
        yield from (drop(*case) for case in cases)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(drop, *zip(*cases, strict=True))


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--robots", type=int, default=500)
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--seconds", type=float, default=10.0)
    arguments.add_argument("--dt", type=float, nargs="+", default=[2e-3, 1e-3])
    arguments.add_argument("--workers", type=int, default=1)
    given = arguments.parse_args()
    started, found = time.monotonic(), []
    for each in outcomes(
        range(given.first, given.first + given.robots), given.dt, given.seconds, given.workers
    ):
        found.append(each)
        if not each.sound or each.told:
            print(f"{'told' if each.told else 'NOT TOLD'}: {each}"[:400], flush=True)
    gained = np.array([each.gained for each in found if each.finite])
    print(f"{len(found)} runs of {given.seconds:g} s in {time.monotonic() - started:.0f} s")
    print(
        f"diverged: {sum(not each.finite for each in found)}, told: {sum(bool(each.told) for each in found)}"
    )
    if len(gained):
        quantiles = ", ".join(f"{value:.1e}" for value in np.quantile(gained, [0.5, 0.9, 0.99, 1.0]))
        print(f"energy gained, of m g h: median, 90 %, 99 %, most: {quantiles}")
        print(f"above {MOST_GAINED:g}: {int((gained > MOST_GAINED).sum())}")
    for gap, speed, dt in ((0.03, 50.0, 5e-3), (0.01, 20.0, 5e-3), (0.001, 100.0, 1e-2)):
        kept = passing(gap, speed, dt)
        print(
            f"a ball at {speed:g} m/s, {1e3 * gap:g} mm beside a plate, dt {dt:g} s keeps {kept:.3f} of its speed"
        )
    wrong = [each for each in found if not each.sound]
    print(f"{len(wrong)} diverged or gained energy without a word")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
