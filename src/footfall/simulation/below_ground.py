"""A warning of bodies that sank into the ground because they have no shapes that could touch it."""

from __future__ import annotations

import warnings
from collections.abc import Collection

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import link_poses
from footfall.errors import BelowGroundWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.model import Robot
from footfall.scene.model import Scene, SceneObject

_DEEP = 0.01  # m
_SHOWN = 5


def bodies_below_ground(robot: Robot, scene: Scene, q: Array, touching: Collection[str]) -> dict[str, float]:
    """Depths (m) of the centres of mass of bodies that are below planes or terrain at q (nq,).

    touching: bodies whose shapes may touch; what is fixed to them is left out.
    """
    grounds = [
        each for each in scene.fixed_objects if each.contact and isinstance(each.shape, Plane | HeightMap)
    ]
    attachments = robot.tree.attachments
    held = {attachments[name].link for name in touching}
    loose = [body for body in robot.bodies if body.mass > 0.0 and attachments[body.name].link not in held]
    if not grounds or not loose:
        return {}
    poses = link_poses(robot.tree, np.asarray(q, dtype=np.float64))
    found = {}
    for body in loose:
        attachment = attachments[body.name]
        if attachment.link >= 0:
            centre = (poses[attachment.link] @ attachment.placement).apply(body.center_of_mass)
            depth = max(_depth(ground, centre) for ground in grounds)
            if depth > _DEEP:
                found[body.name] = depth
    return found


def warn_of_bodies_below_ground(robot: Robot, scene: Scene, q: Array, touching: Collection[str]) -> bool:
    """Once there are such bodies; gives whether there are."""
    found = bodies_below_ground(robot, scene, q, touching)
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


def _depth(ground: SceneObject, point: Array) -> float:
    x, y, z = ground.placement.inverse().apply(point)
    if isinstance(ground.shape, Plane):
        return -float(z)
    assert isinstance(ground.shape, HeightMap)
    return float(ground.shape.height(x, y)) - float(z)
