"""How hard may one push a robot? A study on all cores: bisection finds the limit for every seed.

The same as a file, from the command line: `footfall study FILE.toml --function 13_studies.py:stands`. What was run is
kept: call this twice and the second time nothing is left to do.
"""

import tempfile

import numpy as np

import footfall
from footfall.studies import Limit, Study, run_study


def stands(force, direction_deg, seed):
    """Whether a quadruped that holds its posture is upright a second after a push of 0.1 s, N."""
    simulation = footfall.Simulation(footfall.load("quadruped"), "flat", dt=0.002)
    posture = simulation.joint_positions() + np.random.default_rng(seed).normal(0.0, 0.02, simulation.joints)
    hold = simulation.pd(posture, kp=2000.0, kd=100.0)
    simulation.run(hold, 0.5)  # it comes to rest
    angle = np.deg2rad(direction_deg)
    simulation.push("torso", force * np.array([np.cos(angle), np.sin(angle), 0.0, 0.0, 0.0, 0.0]), 0.1)
    q = simulation.run(hold, 1.0).q[-1]
    return bool(q[4] ** 2 + q[5] ** 2 < 0.1)


def main():
    study = Study(
        name="pushed quadruped",
        seeds=3,
        vary={"direction_deg": [0.0, 90.0]},
        limit=Limit(parameter="force", first=0.0, last=8000.0, within=1000.0, confidence=0.5),
    )
    with tempfile.TemporaryDirectory() as folder:
        result = run_study(study, folder, function=stands, workers=2)
        for cell in result.cells:
            print(f"{cell.values}: it stands pushes up to {cell.limit.value:.0f} N in {cell.runs} runs")


if __name__ == "__main__":  # workers import this file
    main()
