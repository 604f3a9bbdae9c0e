"""Robots that start on the ground: moved up or down until they touch it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from footfall.arrays import Array
from footfall.contact.detection.world import ContactWorld, bodies_at, build_contact_world, contacts_of
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.model import WORLD, JointType, Robot
from footfall.scene.assembly import combined_robot, initial_state
from footfall.scene.load import load_scene
from footfall.scene.model import Scene

_REACH = 0.25  # m, how far is looked at a time
_DEEPEST = 100.0  # m, how far down the ground is looked for
_GAP_TOLERANCE = 1e-9  # m
_MOST_STEPS = 1000


class Clearance:
    """How far bodies of a robot are from all that is around it in a scene, with it first among all that moves there."""

    def __init__(self, robot: Robot, scene: Scene, bodies: Iterable[str] | None = None) -> None:
        """bodies: that count, all by default."""
        own = {body.name for body in robot.bodies}
        self.robot = combined_robot(scene, robot)
        self._start = initial_state(scene, self.robot)[0]
        self._world: ContactWorld = build_contact_world(self.robot, scene, self_contact=False)
        self._memory = self._world.memory()
        counting = own if bodies is None else set(bodies)
        owners = self._world.owners
        self._own = np.array([name in own for name in owners])
        self._counts = np.array([name in counting for name in owners])

    def gap(self, q: Array, reach: float) -> float:
        """Least distance of the robot at q (nq,), m, negative inside of something; infinite beyond the reach (m)."""
        whole = self._start.copy()
        whole[: len(q)] = q
        bodies = bodies_at(self.robot, whole, self._world.bodies)
        contacts, self._memory = contacts_of(self._world, self._memory, bodies, reach=reach)
        owner = self._world.table.shapes["owner"]
        first, second = owner[contacts["first"]], owner[contacts["second"]]
        counts = (self._counts[first] & ~self._own[second]) | (self._counts[second] & ~self._own[first])
        return float(np.min(contacts["gap"][counts], initial=np.inf))


def place_on_ground(
    robot: Robot,
    q: Array,
    feet: Iterable[str] | None = None,
    *,
    scene: Scene | str | Path = "flat",
    clearance: float = 0.0,
) -> Array:
    """q (nq,) with the floating base moved up or down until the robot touches what is below it.

    feet: names of the bodies that shall touch, all by default. scene: a value, a shipped name or a file. clearance: how
    far above it is left, m.
    """
    q = np.array(q, dtype=np.float64)
    if q.shape != (robot.nq,) or not np.isfinite(q).all():
        raise InvalidInput(f"q has the shape {q.shape}; it must be {robot.nq} finite numbers")
    if not stands_freely(robot):
        raise InvalidInput(
            f"robot {robot.name!r} is fixed to the world; load it with floating_base=True to place it"
        )
    named = None if feet is None else [feet] if isinstance(feet, str) else list(feet)
    shaped = [body.name for body in robot.bodies if body.collisions]
    for name in named or ():
        if name not in shaped:
            raise UnknownName("body with collision shapes", name, shaped, f"robot {robot.name!r}, for feet")
    place = scene if isinstance(scene, Scene) else load_scene(scene)
    return lowered(q, Clearance(robot, place, named), clearance)


def lowered(q: Array, surroundings: Clearance, clearance: float) -> Array:
    """q (nq,) with its third coordinate moved until the least distance is as asked, m; as it is above nothing."""
    q, height = np.array(q), float(q[2])
    for _ in range(_MOST_STEPS):
        gap = surroundings.gap(q, _REACH + clearance)
        if not np.isfinite(gap) and height - q[2] > _DEEPEST:
            return np.array([*q[:2], height, *q[3:]])  # there is nothing below
        # No distance shrinks by more than the way: nothing is missed on the way down.
        change = clearance - gap if np.isfinite(gap) else -_REACH
        q[2] += change
        if abs(change) < _GAP_TOLERANCE:
            break
    return q


def stands_freely(robot: Robot) -> bool:
    """Whether its first joint lets it go anywhere."""
    return robot.joints[0].type is JointType.FLOATING and robot.joints[0].parent == WORLD
