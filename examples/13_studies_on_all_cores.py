"""How hard may one push a robot? A study on all cores: simulations are pickled to worker processes.

The same works with joblib or Dask: robots, scenes, simulations, controllers and motions can all be pickled. A worker
finds their native code in the cache, or compiles it once.
"""

from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from multiprocessing import get_context

import numpy as np

import footfall


def tilt_after(simulation, force):
    """Largest tilt (rad) of the trunk in the second after a push of 0.1 s to the left, N."""
    run = deepcopy(simulation)  # goes its own way from the same state
    run.push("torso", np.array([0.0, force, 0.0, 0.0, 0.0, 0.0]), 0.1)
    q = run.run(run.pd(run.joint_positions(), kp=2000.0, kd=100.0), 1.0).q
    upright = 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)  # how much of the trunk's z axis points up
    return float(np.arccos(np.clip(upright, -1.0, 1.0)).max())


def main():
    simulation = footfall.Simulation(footfall.load("quadruped"), "flat", dt=0.002)
    simulation.run(simulation.pd(simulation.joint_positions(), kp=2000.0, kd=100.0), 1.0)  # it comes to rest
    forces = [0.0, 400.0, 800.0, 1600.0]
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        tilts = list(pool.map(tilt_after, [simulation] * len(forces), forces))
    for force, tilt in zip(forces, tilts, strict=True):
        print(f"pushed with {force:4.0f} N it tilts by {tilt:.4f} rad")


if __name__ == "__main__":  # workers import this file
    main()
