"""How many entries of a mass matrix branching leaves."""

from __future__ import annotations

from footfall.robot.model import Robot


def nonzeros_of_mass_matrix(robot: Robot) -> int:
    """Entries of the lower triangle: for each velocity the number of velocities on its path to the root."""
    parents = robot.tree.parent_velocity
    count = 0
    for velocity in range(robot.nv):
        while velocity >= 0:
            count += 1
            velocity = parents[velocity]
    return count
