"""A thousand robots learn to stand up straight: random search over the gains, each try a rollout in native code."""

import time

import numpy as np

import footfall
from footfall import Command

ROBOTS, STEPS, ROUNDS = 1000, 100, 4
MOST = 50.0  # N, that the motor can give

robot = footfall.load("cart-pendulum")  # a pole on a cart; the motor moves the cart only
# A step of a rollout is a control period, 10 ms.
simulation = footfall.Simulation(robot, dt=0.002, substeps=5)
rng = np.random.default_rng(0)


def rollouts(gains):
    """Cost of each row of gains: angle and way over a second, from the same disturbed start."""
    q = np.tile([0.0, 0.1], (len(gains), 1))  # the pole leans by 0.1 rad
    v = np.zeros_like(q)
    cost = np.zeros(len(gains))
    zero = np.zeros((len(gains), simulation.joints))
    for _ in range(STEPS):
        force = zero.copy()
        feedback = np.einsum("ij,ij->i", gains, np.hstack([q, v]))  # every robot has its own
        force[:, 0] = np.clip(feedback, -MOST, MOST)
        states, rates, _ = simulation.rollout(q, v, Command(zero, zero, force, zero, zero, zero), steps=1)
        q, v = states[:, 0], rates[:, 0]
        cost += np.clip(q[:, 1] ** 2 + 0.1 * q[:, 0] ** 2, 0.0, 1.0)
    return cost / STEPS


mean, spread = np.zeros(4), np.full(4, 30.0)
for number in range(ROUNDS):
    tries = mean + spread * rng.normal(size=(ROBOTS, 4))
    begin = time.perf_counter()
    cost = rollouts(tries)
    elapsed = time.perf_counter() - begin
    best = tries[np.argsort(cost)[:30]]
    mean, spread = best.mean(axis=0), best.std(axis=0)
    print(f"round {number}: mean cost {cost.mean():.4f}, best {cost.min():.6f}", end="; ")
    print(f"{ROBOTS * STEPS * simulation.substeps / elapsed:.2g} robot steps a second")

# Where commands do not depend on the state, all steps are one native call.
start = rng.normal(scale=0.1, size=(ROBOTS, robot.nq))
q, v, _ = simulation.rollout(start, np.zeros(robot.nv), simulation.zero_command, steps=STEPS)
print("one call gives", q.shape, "configurations")
