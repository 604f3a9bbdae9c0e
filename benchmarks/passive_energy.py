"""Random passive robots of every restitution: none may gain energy unwarned.

    python -m benchmarks.passive_energy [--robots 500] [--first 1000] [--seconds 2]

Each is thrown, spinning, onto a floor that rebounds, with steps of 1, 2, 5 and 10 ms; joints are limp, limbs touch each
other. Energies are taken half a step before each row, where semi-implicit steps know both halves of them to second
order. A gain is the greatest rise above any earlier value, of the most kinetic energy that it had.
"""

from __future__ import annotations

import argparse
import warnings
from typing import NamedTuple

import numpy as np

import footfall
from benchmarks.random_worlds import shaped_walker
from footfall import Material, Plane, Scene, SceneObject, Simulation
from footfall.bench.surroundings import load_average
from footfall.errors import FootfallError, SimulationWarning

_STEPS = (0.001, 0.002, 0.005, 0.01)
_TOLD = 0.01


class Gain(NamedTuple):
    """Of one throw: gained, of the most kinetic energy; told: whether the watch over energy warned; lost: whether it
    ended with a typed error."""

    seed: int
    dt: float
    restitution: float
    gained: float
    told: bool
    lost: bool


def thrown(seed: int, seconds: float) -> list[Gain]:
    """One robot with each length of a step."""
    rng = np.random.default_rng([seed, 33])
    robot = shaped_walker(seed)
    restitution, friction = float(rng.uniform(0.0, 1.0)), float(rng.uniform(0.0, 1.2))
    material = Material(friction=friction, restitution=restitution)
    scene = Scene("room", (SceneObject("floor", Plane(), material=material),))
    gains = []
    speeds = np.concatenate([rng.normal(0.0, 1.0, 3), rng.normal(0.0, 5.0, robot.nv - 3)])
    for dt in _STEPS:
        simulation = Simulation(robot, scene, dt=dt)
        q = simulation.q
        q[2] += 0.5
        simulation.reset(q, speeds)
        told = lost = False
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                trajectory = simulation.run(simulation.zero_command, seconds)
            except FootfallError:
                gains.append(Gain(seed, dt, restitution, np.inf, True, True))
                continue
            told = any(
                issubclass(each.category, SimulationWarning) and "energy grew" in str(each.message)
                for each in caught
            )
        half = -0.5 * dt * trajectory.v
        before = footfall.integrate(simulation.robot, trajectory.q, half)
        kinetic = np.asarray(footfall.kinetic_energy(simulation.robot, before, trajectory.v))
        energy = kinetic + np.asarray(footfall.potential_energy(simulation.robot, before))
        rise = float((energy - np.minimum.accumulate(energy)).max())
        gains.append(Gain(seed, dt, restitution, rise / float(kinetic.max()), told, lost))
    return gains


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", type=int, default=500)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    gains = [
        gain
        for seed in range(options.first, options.first + options.robots)
        for gain in thrown(seed, options.seconds)
    ]
    print(f"Seeds {options.first} to {options.first + options.robots - 1}, {options.seconds:g} s each.\n")
    print(
        "| dt | median gain | 99 % | most | above 1 % | of these unwarned | warned below 1 % | ended by an error |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for dt in _STEPS:
        own = [gain for gain in gains if gain.dt == dt]
        known = np.array([gain.gained for gain in own if not gain.lost])
        above = [gain for gain in own if gain.gained > _TOLD and not gain.lost]
        print(
            f"| {1e3 * dt:g} ms | {np.median(known):.1e} | {np.quantile(known, 0.99):.1e} | {known.max():.1e} | "
            f"{len(above)} | {sum(not gain.told for gain in above)} | "
            f"{sum(gain.told and not gain.lost and gain.gained <= _TOLD for gain in own)} | "
            f"{sum(gain.lost for gain in own)} |"
        )
        for gain in above:
            if not gain.told or dt == _STEPS[0]:
                print(f"<!-- {gain} -->")
    print(f"\nLoad {load_average()}.")


if __name__ == "__main__":
    main()
