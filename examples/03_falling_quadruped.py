"""Let a quadruped tumble through the air: a whole simulation in one native call.

A free robot in a vacuum keeps its energy and its angular momentum about the centre of mass. The midpoint rule keeps
them up to an error that shrinks with the square of the step, as the script shows.
"""

import numpy as np

import footfall
from footfall.compiler import build_kernel, repeat

robot = footfall.load("point-foot-quadruped")
DURATION = 0.5  # s


def midpoint_step(q, v, h):
    """One step of h seconds of the limp robot: velocity and acceleration are taken from half way."""
    limp = np.zeros(robot.nv)
    half_q = footfall.integrate(robot, q, 0.5 * h * v)
    half_v = v + 0.5 * h * footfall.forward_dynamics(robot, q, v, limp)
    a = footfall.forward_dynamics(robot, half_q, half_v, limp)
    return footfall.integrate(robot, q, h * half_v), v + h * a


def simulation(steps):
    """A kernel that makes all steps and gives the state at the end."""

    def run(q, v):
        q, v = repeat(lambda q, v: midpoint_step(q, v, DURATION / steps), (q, v), count=steps)
        return {"q": q, "v": v}

    return build_kernel(run, {"q": robot.nq, "v": robot.nv})


def energy(q, v):
    return footfall.kinetic_energy(robot, q, v) + footfall.potential_energy(robot, q)


rng = np.random.default_rng(0)
q0 = footfall.neutral(robot)
q0[2] = 2.0  # m above the ground
v0 = rng.normal(size=robot.nv)
momentum = footfall.centroidal_momentum(robot, q0, v0)[3:]

print("steps   energy drift   momentum drift")
for steps in (250, 500, 1000):
    q, v = simulation(steps)(q0, v0)
    drift = abs(energy(q, v) / energy(q0, v0) - 1.0)
    turned = np.linalg.norm(footfall.centroidal_momentum(robot, q, v)[3:] - momentum) / np.linalg.norm(
        momentum
    )
    print(f"{steps:5d}   {drift:12.2e}   {turned:14.2e}")

# The centre of mass must follow the parabola of a thrown stone, whatever the legs do.
stone = footfall.center_of_mass(robot, q0) + DURATION * footfall.dynamics.center_of_mass_velocity(
    robot, q0, v0
)
stone += 0.5 * DURATION**2 * np.array(robot.gravity)
print(f"centre of mass off the parabola by {np.abs(footfall.center_of_mass(robot, q) - stone).max():.1e} m")

# The same kernel takes a batch: a thousand robots that tumble differently.
crowd = rng.normal(size=(1000, robot.nv))
_, speeds = simulation(100)(q0, crowd)
print("final velocities of a crowd", speeds.shape)
