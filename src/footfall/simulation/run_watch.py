"""What a simulation says of its runs, once of each kind: what goes wrong without an error.

A body that starts deep inside of something, bodies without shapes that sank into the ground, joints that saturate or
ring under gains that do not fit the robot.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.contact.detection.world import standing_in
from footfall.errors import SimulationWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.model import WORLD, Robot
from footfall.robot.tree import Attachment
from footfall.scene.model import Scene, SceneObject
from footfall.simulation.engine import Deepest, Engine
from footfall.simulation.feet import FeetEngine
from footfall.simulation.run_values import SimulationState, Trajectory
from footfall.simulation.world.engine import WorldEngine

_LOOKED_AT = 20  # control periods, from which a run is looked at when it ends
_DEEP = 0.01  # m
_SHOWN = 5
_LAST_PERIODS = 200  # last periods of a run
_FULL = 0.999  # of the greatest effort
_OFTEN = 0.5  # of the periods at full effort
_TURNING = 0.3  # of the periods in which the velocity turns round
_FAST = 0.5  # rad/s or m/s, below which swinging is no harm


class RunWatch:
    """Warns of bodies that start inside of others, end below the ground, and of joints that tremble."""

    def __init__(self, robot: Robot, engine: Engine, *, recovery_speed: float) -> None:
        self._robot, self._engine, self._speed = robot, engine, recovery_speed
        self._told: set[str] = set()

    def of(self, engine: Engine) -> RunWatch:
        """The same for a copy of the engine: what has been told is not told again."""
        twin = RunWatch(self._robot, engine, recovery_speed=self._speed)
        twin._told = set(self._told)
        return twin

    def look_at_start(self, state: SimulationState) -> None:
        """Before the first step: what is inside of something is seldom meant to be."""
        if "inside" not in self._told:
            self._told.add("inside")
            warn_if_inside(self._engine.deepest(state), speed=self._speed)

    def look_at_end(self, trajectory: Trajectory) -> None:
        if len(trajectory.time) < _LOOKED_AT:  # a loop of single steps
            return
        if "below" not in self._told:
            places = self._engine.link_places(trajectory.q[-1])
            if warn_of_bodies_below_ground(self._shapeless, self._engine.scene, *places):
                self._told.add("below")
        driven = bool(trajectory.effort.any())
        if (
            driven
            and "restless" not in self._told
            and warn_of_restless_joints(self._robot, trajectory.v, trajectory.effort)
        ):
            self._told.add("restless")

    @cached_property
    def _shapeless(self) -> Shapeless:
        bodies = {body.name for body in self._robot.bodies if body.collisions}
        if isinstance(self._engine, WorldEngine):
            bodies |= {volume.body for volume in standing_in(self._robot)}
        elif isinstance(self._engine, FeetEngine):
            bodies &= {name for each in self._engine.candidates for name in (each.body, each.surface.body)}
        return shapeless_bodies(self._robot, self._engine.attachments, bodies)


def warn_if_inside(deepest: Deepest | None, *, speed: float) -> None:
    """speed: at which what is inside comes out, m/s."""
    if deepest is None or deepest.depth < _DEEP:
        return
    depth, body, other = deepest
    named = "something fixed" if other == WORLD else repr(other)
    warnings.warn(
        f"{body!r} starts {depth:.3g} m deep in {named}; it comes out at {speed:g} m/s. Move one of them, or let "
        "the robot start from another configuration",
        SimulationWarning,
        stacklevel=4,
    )


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
            ", or name them among the feet if they have some",
            SimulationWarning,
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


def warn_of_restless_joints(robot: Robot, v: Array, effort: Array) -> bool:
    """Of a run with velocities v and efforts (n, nv): joints at full effort half of the time at its end, and such that
    turn round in every third control period. Gives whether there was something to say."""
    v, effort = v[-_LAST_PERIODS:], effort[-_LAST_PERIODS:]
    limits = robot.effort_limits
    driven = np.isfinite(limits) & (limits > 0.0)
    saturated = driven & ((np.abs(effort) >= _FULL * limits).mean(axis=0) > _OFTEN)
    # Limp ones are struck by others.
    swing = (np.sqrt((v**2).mean(axis=0)) > _FAST) & (effort != 0.0).any(axis=0)
    ringing = swing & ((v[1:] * v[:-1] < 0.0).mean(axis=0) > _TURNING)
    parts = [
        f"joints that {what}: {names}"
        for names, what in (
            (_joints(robot, saturated & ~ringing), "give their greatest effort most of the time"),
            (_joints(robot, ringing), "swing to and fro from step to step"),
        )
        if names
    ]
    if parts:
        warnings.warn(
            f"{'; '.join(parts)}. Lower gains or a smaller dt may help, or the load is too great for them",
            SimulationWarning,
            stacklevel=3,
        )
    return bool(parts)


def _joints(robot: Robot, which: Array) -> str:
    """Names of the joints of these velocities, without those of free roots."""
    if not which.any():
        return ""
    names = [
        joint.name
        for joint in robot.joints
        if not joint.type.has_quaternion and which[robot.v_slice(joint.name)].any()
    ]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
