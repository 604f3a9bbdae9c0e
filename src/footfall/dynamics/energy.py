"""Kinetic and potential energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.center_of_mass import center_shares, mass_shares, moving_mass
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.kinematics import link_velocities, seen_across_joint
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_moments import lumped_moments
from footfall.math.spatial import cross
from footfall.robot.model import Robot


@algorithm(q="nq", v="nv")
def kinetic_energy(robot: Robot, q: Array, v: Array) -> Any:
    """Kinetic energy, J, with that of the armature: `v^T M v / 2`, RSL 2022, (3.29); q (nq,), v (nv,)."""
    return sum(link_kinetic_energies(robot, q, v), start=0.0)


@algorithm(q="nq")
def potential_energy(robot: Robot, q: Array) -> Any:
    """Potential energy, J, in the gravity of the robot; zero for mass at the origin of the world; q (nq,)."""
    mass = moving_mass(robot)
    if mass == 0.0:
        return 0.0
    return -mass * (robot.tree.gravity @ center_shares(robot, q).world.position)


def link_kinetic_energies(robot: Robot, q: Array, v: Array) -> list[Any]:
    """Of each link, J, with that of its joint's armature; q (nq,), v (nv,)."""
    tree, energies = robot.tree, []
    v = Coupling(robot, q).velocity(v)
    velocities = link_velocities(tree, joint_transforms(tree, q), v)
    for link, moments, velocity in zip(tree.links, lumped_moments(tree), velocities, strict=True):
        linear, w = velocity[:3], velocity[3:]
        energy = moments.mass * (linear @ linear) / 2
        energy = energy + linear @ cross(w, moments.first)
        energy = energy + w @ moments.rotational_inertia() @ w / 2
        energies.append(energy + link.armature * (v[link.v] @ v[link.v]) / 2)
    return energies


def root_potential_energies(robot: Robot, q: Array) -> dict[int, Any]:
    """Of each root link with all beyond it, by its index, J, up to a constant; q (nq,)."""
    tree, mass = robot.tree, moving_mass(robot)
    roots = [index for index, link in enumerate(tree.links) if link.parent < 0]
    if mass == 0.0:
        return dict.fromkeys(roots, 0.0)
    rest, shares, masses = np.zeros(tree.nv), center_shares(robot, q).links, mass_shares(robot)
    return {
        index: -mass
        * (
            tree.gravity
            @ seen_across_joint(tree.links[index], q, rest, rest, shares[index], mass=masses[index]).position
        )
        for index in roots
    }
