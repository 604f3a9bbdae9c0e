"""Say what should be where, and get joint motion: reach, miss, keep priorities and limits, close a loop."""

from dataclasses import replace

import numpy as np

import footfall
from footfall.errors import TargetOutOfReach
from footfall.ik import (
    ComfortCost,
    Limits,
    ResolvedRate,
    build_ik,
    chain_between,
    solve_chain,
    solve_ik,
    solve_velocity,
    within_limits,
)
from footfall.tasks import (
    AimTask,
    PoseTask,
    center_of_mass_position,
    frame_position,
    lola_task_space,
    posture,
)

robot = footfall.load("lola")
idle = robot.configuration("idle")

# Tasks are values. LOLA keeps her feet where they are and her weight above them, reaches out, and looks at it.
feet = [PoseTask(foot, footfall.frame_pose(robot, idle, foot)) for foot in ("RF", "LF")]
weight = center_of_mass_position(footfall.center_of_mass(robot, idle) + np.array([0.03, 0.0, -0.05]))
place = footfall.frame_pose(robot, idle, "RH").translation + np.array([0.15, 0.05, 0.1])
reach, look = frame_position("RH", place), AimTask("VTCP", place)
solution = solve_ik(robot, idle, [*feet, weight, reach, look], restarts=2)
q = solution.require()  # raises TargetOutOfReach otherwise
print(f"reached in {solution.iterations} iterations, hand off by {solution.residuals[reach.label]:.1e} m")

# What is out of reach gives the closest pose, and says how far it is. Weights say who has to give way.
far = frame_position("RH", place + np.array([2.0, 0.0, 0.0]))
try:
    solve_ik(robot, idle, [*(replace(task, weight=1e6) for task in [*feet, weight]), far]).require()
except TargetOutOfReach as problem:
    print(f"too far: closest pose is {problem.residuals[far.label]:.2f} m away")

# Velocity level: priorities, and limits by a quadratic program. The posture yields to everything before it.
push = frame_position("RH", place, gains=2.0, rate=np.array([0.0, 0.0, 0.3]), priority=1)
problem = build_ik(
    robot, q, [*feet, weight, push, posture(robot, idle, priority=2)], dt=0.01, limits=Limits(velocity=0.5)
)
v = solve_velocity(problem, method="qp")
print(f"hand rises with {footfall.frame_velocity(robot, q, v, 'RH')[2]:.3f} m/s")
print(f"feet move with {np.abs(footfall.frame_velocity(robot, q, v, 'RF')).max():.1e} m/s")
print(f"condition number of all tasks {problem.singularity.condition:.0f}")

# For hot loops the whole step is one native call: LOLA's 22 task coordinates, with a cost for what they leave free.
step = ResolvedRate(robot, lola_task_space(robot, idle, gains=10.0), cost=ComfortCost(tuple(idle)))
for _ in range(200):
    q = footfall.integrate(robot, q, 0.01 * step(q))
error, _ = step.stack.kernel(q, step.stack.parameters)
print(f"back in the task space of the idle pose to {np.abs(error).max():.1e}")

# Closed forms where they exist: a leg is six hinges once the toe is held.
leg = chain_between(robot, "ba", "RF", fixed={"zfr": 0.0})
pose = footfall.frame_pose(robot, idle, "ba").inverse() @ footfall.frame_pose(robot, idle, "RF")
branches = solve_chain(leg, pose)
allowed = within_limits(robot, leg, branches)
print(f"{len(branches)} ways to put the foot there, {len(allowed)} within the limits:", allowed[0].round(3))
