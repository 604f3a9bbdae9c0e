"""LOLA folds her arms, with and without a cost that keeps her parts apart.

python benchmarks/self_collision.py [picture.png]
"""

import sys

import numpy as np

import footfall
from footfall.ik import ComfortCost, CostSum, RepulsiveCost, ResolvedRate
from footfall.tasks import lola_task_space

robot = footfall.load("lola")
idle = robot.configuration("idle")
arms = [pair for pair in robot.volume_pairs if "arm" in pair[0]]

# A comfortable pose that nobody can take: the forearms would lie inside of each other and of the torso.
folded = idle.copy()
for joint, angle in {"arr": 1.4, "arl": -1.4, "aar": 0.0, "aal": 0.0, "efr": -1.9, "efl": 1.9}.items():
    folded[robot.q_slice(joint)] = angle
comfort = ComfortCost(tuple(folded), comfort_gain=2.0)
apart = RepulsiveCost(reach=0.06, strength=6.0)

courses = {}
for name, cost in {"without": comfort, "with": CostSum((comfort, apart))}.items():
    step = ResolvedRate(robot, lola_task_space(robot, idle, gains=10.0), cost=cost)
    q, least = idle.copy(), []
    for _ in range(300):
        least.append(footfall.volumes.volume_distances(robot, q, pairs=arms).distance.min())
        q = footfall.integrate(robot, q, 0.01 * step(q))
    courses[name] = np.array(least)
    error, _ = step.stack.kernel(q, step.stack.parameters)
    print(f"{name}: least distance {min(least) * 1e3:+.0f} mm, tasks off by {np.abs(error).max():.0e}")

if len(sys.argv) > 1:  # a picture
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.2))
    for name, least in courses.items():
        axes.plot(0.01 * np.arange(len(least)), 1e3 * least, label=f"{name} repulsion")
    axes.axhspan(min(1e3 * course.min() for course in courses.values()), 0.0, color="tab:red", alpha=0.1)
    axes.set(xlabel="time, s", ylabel="least distance of the arms, mm")
    axes.legend()
    figure.tight_layout()
    figure.savefig(sys.argv[1], dpi=130)
