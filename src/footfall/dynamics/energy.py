"""Kinetic and potential energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.center_of_mass import center_shares, moving_mass
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.kinematics import link_velocities
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import lumped_moments
from footfall.math.spatial import cross
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[Any]]


@algorithm(q="nq", v="nv")
def kinetic_energy(robot: Robot, q: Array, v: Array) -> Any:
    """Kinetic energy, J, with that of the armature: `v^T M v / 2`, 002 (3.29); q (nq,), v (nv,)."""
    tree = robot.tree
    energy: Any = 0.0
    v = Coupling(robot, q).velocity(v)
    velocities = link_velocities(tree, joint_transforms(tree, q), v)
    for link, moments, velocity in zip(tree.links, lumped_moments(tree), velocities, strict=True):
        linear, w = velocity[:3], velocity[3:]
        energy = energy + moments.mass * (linear @ linear) / 2
        energy = energy + linear @ cross(w, moments.first)
        energy = energy + w @ moments.rotational_inertia() @ w / 2
        energy = energy + link.armature * (v[link.v] @ v[link.v]) / 2
    return energy


@algorithm(q="nq")
def potential_energy(robot: Robot, q: Array) -> Any:
    """Potential energy, J, in the gravity of the robot; zero for mass at the origin of the world; q (nq,)."""
    mass = moving_mass(robot)
    if mass == 0.0:
        return 0.0
    return -mass * (robot.tree.gravity @ center_shares(robot, q).world.position)
