"""The material of a contact from those of its two sides."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from footfall.robot.shapes import Geometry
from footfall.scene.model import Material


@dataclass(frozen=True)
class RobotSide:
    """The side of a robot, which has no material; friction: of its geometry, if that has one."""

    friction: float | None = None
    rolling_friction: float = 0.0
    torsional_friction: float = 0.0


def side_of(geometry: Geometry) -> RobotSide:
    """A geometry of a robot as a side of a contact."""
    return RobotSide(geometry.friction, geometry.rolling_friction, geometry.torsional_friction)


def touched_by(material: Material, *sides: RobotSide) -> Material:
    """The material with what geometries of robots have of their own: friction is the geometric mean of all that have
    some, rolling and torsional friction the largest."""
    known = [side.friction for side in sides if side.friction is not None]
    friction = material.friction
    if len(known) == 2:  # a robot against a robot: no object has a say
        friction = math.sqrt(known[0] * known[1])
    elif known:
        friction = math.sqrt(material.friction * known[0])
    return replace(
        material,
        friction=friction,
        rolling_friction=max(material.rolling_friction, *(side.rolling_friction for side in sides)),
        torsional_friction=max(material.torsional_friction, *(side.torsional_friction for side in sides)),
    )


def touching_material(one: Material | RobotSide, other: Material | RobotSide) -> Material:
    """Material of a pair of surfaces, of objects or robots."""
    if isinstance(one, RobotSide) and isinstance(other, RobotSide):
        return touched_by(Material(), one, other)
    if isinstance(one, RobotSide):
        one, other = other, one
    assert isinstance(one, Material)
    return touched_by(one, other) if isinstance(other, RobotSide) else pair_material(one, other)


def pair_material(one: Material, other: Material | None) -> Material:
    """Material of a pair of surfaces.

    Friction is the geometric mean, viscous friction the mean, restitution, damping, rolling and torsional friction
    the larger one; springs act in series. A robot's side has no material (None): then the other's holds.
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
        max(one.rolling_friction, other.rolling_friction),
        max(one.torsional_friction, other.torsional_friction),
    )
