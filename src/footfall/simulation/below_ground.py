"""A warning of bodies that sank into the ground because they have no shapes that could touch it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import BelowGroundWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.model import Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene, SceneObject

_DEEP = 0.01  # m
_SHOWN = 5


class Shapeless(NamedTuple):
    """Bodies with mass on links on which no body touches anything. links (n,), centres (n, 3): their centres of mass in
    the frames of their links, m."""

    names: tuple[str, ...]
    links: Integers
    centres: Array


def shapeless_bodies(
    robot: Robot, attachments: Mapping[str, Attachment], touching: Collection[str]
) -> Shapeless:
    """attachments: which link carries each body, and where. touching: bodies whose shapes may touch; what is fixed to
    them is left out."""
    held = {-1, *(attachments[name].link for name in touching)}
    loose = [body for body in robot.bodies if body.mass > 0.0 and attachments[body.name].link not in held]
    centres = [attachments[body.name].placement.apply(body.center_of_mass) for body in loose]
    return Shapeless(
        tuple(body.name for body in loose),
        np.array([attachments[body.name].link for body in loose], dtype=np.int64),
        np.array(centres, dtype=np.float64).reshape(-1, 3),
    )


def bodies_below_ground(
    bodies: Shapeless, scene: Scene, rotations: Array, positions: Array
) -> dict[str, float]:
    """Depths (m) of the centres of mass of bodies that are below planes or terrain, where their links have these
    rotations (links, 3, 3) and positions (links, 3)."""
    grounds = [
        each for each in scene.fixed_objects if each.contact and isinstance(each.shape, Plane | HeightMap)
    ]
    if not grounds or not bodies.names:
        return {}
    turned = np.einsum("nij,nj->ni", rotations[bodies.links], bodies.centres)
    depths = np.max([_depths(ground, turned + positions[bodies.links]) for ground in grounds], axis=0)
    return {bodies.names[k]: float(depths[k]) for k in np.flatnonzero(depths > _DEEP)}


def warn_of_bodies_below_ground(bodies: Shapeless, scene: Scene, rotations: Array, positions: Array) -> bool:
    """Once there are such bodies; gives whether there are."""
    found = bodies_below_ground(bodies, scene, rotations, positions)
    if found:
        shown = ", ".join(f"{name} ({depth:.2g} m)" for name, depth in list(found.items())[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        warnings.warn(
            f"below the ground, which they do not touch: {shown}{more}. Give them collision shapes"
            ", or name them in touching= if they have some",
            BelowGroundWarning,
            stacklevel=3,
        )
    return bool(found)


def _depths(ground: SceneObject, points: Array) -> Array:
    """Of points (n, 3) in the world below a plane or terrain, m."""
    pose = ground.placement
    x, y, z = ((points - pose.translation) @ np.asarray(pose.rotation)).T
    if isinstance(ground.shape, Plane):
        return np.asarray(-z)
    assert isinstance(ground.shape, HeightMap)
    heights = [ground.shape.height(*point) for point in zip(x, y, strict=True)]
    return np.asarray(np.array(heights) - z)
