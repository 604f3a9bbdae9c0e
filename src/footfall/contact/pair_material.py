"""The material of a contact from those of its two sides."""

from __future__ import annotations

import math
from dataclasses import replace

from footfall.robot.shapes import Geometry
from footfall.scene.model import Material


def touched_by(material: Material, *geometries: Geometry) -> Material:
    """The material with the friction of robots' geometries that have one: the geometric mean of all."""
    known = [geometry.friction for geometry in geometries if geometry.friction is not None]
    if not known:
        return material
    if len(known) == 2:  # a robot against a robot: no object has a say
        return replace(material, friction=math.sqrt(known[0] * known[1]))
    return replace(material, friction=math.sqrt(material.friction * known[0]))


def pair_material(one: Material, other: Material | None) -> Material:
    """Material of a pair of surfaces.

    Friction is the geometric mean, viscous friction the mean, restitution and damping the larger one; springs act in
    series. A robot's side has no material (None): then the other's holds.
    """
    if other is None:
        return one
    compliance = 1 / one.stiffness + 1 / other.stiffness
    return Material(
        math.sqrt(one.friction * other.friction),
        (one.viscous_friction + other.viscous_friction) / 2,
        max(one.restitution, other.restitution),
        1 / compliance if compliance > 0.0 else math.inf,
        max(one.damping, other.damping),
    )
