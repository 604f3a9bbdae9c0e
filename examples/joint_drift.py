"""A double pendulum as two free rods whose joints are constraints: how joints drift apart, and what helps (Ayit 2015).

python examples/joint_drift.py [picture.png]
"""

import sys

import numpy as np
from maximal_coordinates import RodChain
from scipy.integrate import solve_ivp

import footfall
from footfall import StepOptions
from footfall.control import torque_command
from footfall.simulation import FeetSimulation

DT, SECONDS = 2e-3, 10.0
ANGLES, RATES = np.array([0.9, -0.4]), np.array([1.2, -2.0])  # from the downward vertical, rad and rad/s
COLORS = ("tab:red", "tab:orange", "tab:green", "tab:blue")

chain = RodChain(2)
start = chain.from_angles(ANGLES, RATES)
free = chain.simulate(*start, dt=DT, seconds=SECONDS)
stabilised = chain.simulate(*start, dt=DT, seconds=SECONDS, alpha=0.2 / DT)
projected = chain.simulate(*start, dt=DT, seconds=SECONDS, project=True)

# The same in reduced coordinates: joint angles count from the rod before, and there is nothing that could open.
robot = footfall.load("double-pendulum")
sign = np.sign(footfall.center_of_mass(robot, np.array([0.1, 0.0]))[0])
q, v = (sign * np.diff(values, prepend=0.0) for values in (ANGLES, RATES))
plain = StepOptions(dt=DT)
run = FeetSimulation(robot, q=q, v=v, options=plain, candidates=()).run(torque_command(np.zeros(2)), SECONDS)

# And as exactly as one likes, for comparison.
times = DT * np.arange(1, len(free.drift) + 1)
exact = solve_ivp(
    lambda _, y: np.concatenate([y[2:], footfall.forward_dynamics(robot, y[:2], y[2:], np.zeros(2))]),
    (0.0, SECONDS),
    np.concatenate([q, v]),
    method="DOP853",
    t_eval=times,
    rtol=1e-12,
    atol=1e-12,
)
truth = sign * np.cumsum(exact.y[:2].T, axis=1)
reduced = sign * np.cumsum(run.q[-len(times) :], axis=1)
curves = {
    "nothing": (free.drift, free.states[:, 2::3]),
    "Baumgarte, alpha = 0.2 / dt": (stabilised.drift, stabilised.states[:, 2::3]),
    "projection": (projected.drift, projected.states[:, 2::3]),
    "reduced coordinates": (np.zeros(len(times)), reduced),
}

print(
    "what keeps the joints closed: widest gap after 1, 3 and 10 s, m; angles off the exact motion after 1 and 3 s, rad"
)
for name, (drift, angles) in curves.items():
    off = np.abs(angles - truth).max(axis=1)
    seconds = [round(second / DT) - 1 for second in (1.0, 3.0, SECONDS)]
    gaps, errors = (
        " ".join(f"{value:.1e}" for value in values) for values in (drift[seconds], off[seconds[:2]])
    )
    print(f"{name:28} {gaps}   {errors}")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for (name, (drift, angles)), color in zip(curves.items(), COLORS, strict=True):
        left.semilogy(times, np.maximum(drift, 1e-17), color=color, label=name, linewidth=1)
        right.semilogy(times, np.abs(angles - truth).max(axis=1), color=color, linewidth=1)
    left.set(
        xlabel="time, s", ylabel="widest gap in a joint, m", title="How joints drift apart (zero is at 1e-17)"
    )
    right.set(xlabel="time, s", ylabel="angles off, rad", title="Distance from the exact motion")
    left.legend(loc="center right")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(sys.argv[1], dpi=130)
