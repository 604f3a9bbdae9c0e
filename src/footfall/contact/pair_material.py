"""The material of a contact from those of its two sides."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from footfall.scene.model import Material


def touched_by(material: Material, *frictions: float | None) -> Material:
    """The material with the friction of robots' geometries that have one: the geometric mean of all."""
    known = [friction for friction in frictions if friction is not None]
    if not known:
        return material
    if len(known) == 2:  # a robot against a robot: no object has a say
        return replace(material, friction=math.sqrt(known[0] * known[1]))
    return replace(material, friction=math.sqrt(material.friction * known[0]))


@dataclass(frozen=True)
class RobotSide:
    """The side of a robot, which has no material; friction: of its geometry, if that has one."""

    friction: float | None = None


def touching_material(one: Material | RobotSide, other: Material | RobotSide) -> Material:
    """Material of a pair of surfaces, of objects or robots."""
    if isinstance(one, RobotSide) and isinstance(other, RobotSide):
        return touched_by(Material(), one.friction, other.friction)
    if isinstance(one, RobotSide):
        one, other = other, one
    assert isinstance(one, Material)
    return touched_by(one, other.friction) if isinstance(other, RobotSide) else pair_material(one, other)


def pair_material(one: Material, other: Material | None) -> Material:
    """Material of a pair of surfaces.

    Friction is the geometric mean, viscous friction the mean, restitution and damping the larger one; springs act in
    series. A robot's side has no material (None): then the other's holds.
    """
    if other is None:
        return one
    compliance = 1 / one.stiffness + 1 / other.stiffness
    shear = 1 / one.shear_stiffness + 1 / other.shear_stiffness
    return Material(
        math.sqrt(one.friction * other.friction),
        (one.viscous_friction + other.viscous_friction) / 2,
        max(one.restitution, other.restitution),
        1 / compliance if compliance > 0.0 else math.inf,
        max(one.damping, other.damping),
        1 / shear if shear > 0.0 else math.inf,
    )
