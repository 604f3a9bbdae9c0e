"""The centre of mass of all that moves, and how it moves.

Every link tells its parent the share of the centre that it carries (mass times position over the whole
mass), and the share's rates, as seen from there. Bodies that are fixed to the world do not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.jacobians import stacked
from footfall.dynamics.kinematics import PointMotion, link_poses, seen_across_joint
from footfall.dynamics.loops import Coupling
from footfall.errors import UnsuitableRobot
from footfall.math.spatial import cross
from footfall.robot.model import Robot
from footfall.robot.tree import Tree


@algorithm(q="nq")
def center_of_mass(robot: Robot, q: Array) -> Array:
    """Position (3,) of the centre of mass in the world, m; q (nq,)."""
    return center_shares(robot, q).world.position


@algorithm(q="nq", v="nv")
def center_of_mass_velocity(robot: Robot, q: Array, v: Array) -> Array:
    """Velocity (3,) of the centre of mass, m/s, world axes; q (nq,), v (nv,)."""
    return center_shares(robot, q, v).world.velocity


@algorithm(q="nq", v="nv")
def center_of_mass_bias(robot: Robot, q: Array, v: Array) -> Array:
    """`dJ/dt v` (3,), m/s2: acceleration of the centre of mass in constant v; q (nq,), v (nv,)."""
    return center_shares(robot, q, v).world.acceleration


@algorithm(q="nq")
def center_of_mass_jacobian(robot: Robot, q: Array) -> Array:
    """Jacobian J (3, nv) of the centre of mass: its velocity is `J v`, m/s, world axes; q (nq,)."""
    tree = robot.tree
    masses = mass_shares(robot)
    centers = center_shares(robot, q).links
    columns: list[Array] = []
    for index, (link, pose) in enumerate(zip(tree.links, link_poses(tree, q), strict=True)):
        for motion in link.subspace.T:
            local = masses[index] * motion[:3] + cross(motion[3:], centers[index].position)
            columns.append(pose.rotation @ local)
    return Coupling(robot, q).columns(stacked(columns, 3))


def moving_mass(robot: Robot) -> float:
    """Mass of all bodies that are not fixed to the world, kg."""
    masses = _carried_masses(robot.tree)
    return sum(mass for mass, link in zip(masses, robot.tree.links, strict=True) if link.parent < 0)


def _carried_masses(tree: Tree) -> list[float]:
    """Mass of each link and all links beyond it, kg."""
    masses = [link.mass for link in tree.links]
    for index, link in reversed(list(enumerate(tree.links))):
        if link.parent >= 0:
            masses[link.parent] += masses[index]
    return masses


def mass_shares(robot: Robot) -> list[float]:
    """Mass of each link and all beyond it over the moving mass; exactly one for a single root."""
    whole = moving_mass(robot)
    if whole <= 0.0:
        raise UnsuitableRobot(
            f"robot {robot.name!r} has no centre of mass: none of its moving bodies has mass; give one an inertia"
        )
    return [mass / whole for mass in _carried_masses(robot.tree)]


class CenterShares(NamedTuple):
    """Mass over the whole mass, times position, of what each link carries, itself included; and its rates.

    In m, m/s and m/s2; links: seen from each link, in its axes; world: of all, in world axes: the centre of
    mass.
    """

    links: list[PointMotion]
    world: PointMotion


def center_shares(robot: Robot, q: Array, v: Array | None = None) -> CenterShares:
    """Shares of the centre, from the tips to the root, and their rates in constant v; q (nq,), v (nv,) or at rest."""
    tree, masses = robot.tree, mass_shares(robot)
    velocity = bias = np.zeros(tree.nv)
    if v is not None:
        coupling = Coupling(robot, q)
        velocity, bias = coupling.velocity(v), coupling.bias(v)
    own = [link.mass / moving_mass(robot) * link.center_of_mass for link in tree.links]
    fixed = [*own, np.zeros(3)]  # the last: the world's
    for link, mass in zip(tree.links, masses, strict=True):
        fixed[link.parent] = fixed[link.parent] + mass * link.placement.translation
    shares = [PointMotion(share, np.zeros(3), np.zeros(3)) for share in fixed]
    for index, link in reversed(list(enumerate(tree.links))):
        beyond = seen_across_joint(link, q, velocity, bias, shares[index], mass=masses[index])
        pairs = zip(shares[link.parent], beyond, strict=True)
        shares[link.parent] = PointMotion(*(before + more for before, more in pairs))
    return CenterShares(shares[:-1], shares[-1])
