"""Small worlds with a closed form: blocks, balls and rods on planes; and measures of what happens in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

import footfall
from footfall import Material, Scene, SceneObject, free_body
from footfall.arrays import Array
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.shapes import Box, Sphere
from footfall.simulation.plants import ExactSimulation, FeetSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import StepOptions
from footfall.simulation.world.engine import Setting, WorldEngine

GRAVITY = 9.81
EDGE = 0.2  # m, of blocks
ContactList = Literal["auto", "found", "listed"]
CONTACTS: ContactList = "auto"  # how simulations here know their contacts, see `conftest.each_way`


class Found(Simulation):
    """Contacts are found even where nothing can touch, and steps would run in lanes otherwise."""

    def _made_engine(self, setting: Setting) -> WorldEngine:
        return WorldEngine(replace(setting, self_contact=self.self_contact, sleep=self.sleep))


PLANTS: dict[str, type[Any]] = {"auto": Simulation, "found": Found, "listed": FeetSimulation}


def tilted(angle: float) -> Array:
    """Rotation about y: a plane that falls towards +x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def turned(angle: float) -> Array:
    """Rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def ground(angle: float = 0.0, **material: float) -> SceneObject:
    """A plane through the origin."""
    return SceneObject("ground", Plane(), Transform(tilted(angle), np.zeros(3)), Material(**material))


def block(
    name: str = "block",
    position: Sequence[float] = (0.0, 0.0, EDGE / 2),
    *,
    rotation: Array | None = None,
    velocity: Sequence[float] = (0.0,) * 6,
    mass: float = 1.0,
    **material: float,
) -> SceneObject:
    """A free cube."""
    shape = Box((EDGE, EDGE, EDGE))
    placement = Transform(np.eye(3) if rotation is None else rotation, np.array(position, dtype=float))
    free = free_body(shape, mass, velocity=velocity)
    return SceneObject(name, shape, placement, Material(**material), free=free)


def ball(
    position: Sequence[float],
    *,
    velocity: Sequence[float] = (0.0,) * 6,
    mass: float = 1.0,
    radius: float = 0.1,
    name: str = "ball",
    **material: float,
) -> SceneObject:
    """A free solid sphere."""
    shape = Sphere(radius)
    placement = Transform(np.eye(3), np.array(position, dtype=float))
    return SceneObject(
        name, shape, placement, Material(**material), free=free_body(shape, mass, velocity=velocity)
    )


def simulate(
    *objects: SceneObject,
    dt: float = 1e-3,
    gravity: float = GRAVITY,
    bounded_energy: bool | None = None,
    **options: Any,
) -> ExactSimulation:
    """A simulation of objects only."""
    own = {} if bounded_energy is None else {"bounded_energy": bounded_energy}
    scene = Scene("world", objects, gravity=(0.0, 0.0, -gravity))
    return PLANTS[CONTACTS](None, scene, options=StepOptions(dt=dt, **options), **own)


def block_on_slope(
    angle: float, friction: float, *, dt: float = 1e-3, velocity: float = 0.0, **material: float
) -> Simulation:
    """A cube that lies on a slope with four corners, sliding down it with some velocity, m/s."""
    rotation = tilted(angle)
    moving = (*(velocity * rotation[:, 0]), 0.0, 0.0, 0.0)
    # Both sides have the same friction, so the pair has it too.
    rubs = {"friction": friction, "viscous_friction": material.get("viscous_friction", 0.0)}
    return simulate(
        ground(angle, friction=friction, **material),
        block(position=rotation[:, 2] * EDGE / 2, rotation=rotation, velocity=moving, **rubs),
        dt=dt,
    )


def along_slope(simulation: Simulation, angle: float) -> tuple[float, float]:
    """Position (m) and velocity (m/s) of the one free body down the slope."""
    direction = tilted(angle)[:, 0]
    return float(simulation.state.q[:3] @ direction), float(simulation.state.v[:3] @ direction)


def energies(robot: Robot, q: Array, v: Array) -> Array:
    """Kinetic and potential energy (n,), J, of states (n, nq) and (n, nv)."""
    total = footfall.kinetic_energy(robot, q, v) + footfall.potential_energy(robot, q)
    return np.asarray(total, dtype=np.float64)


def fall_time(height: float, dt: float) -> float:
    """Seconds of a fall from rest."""
    return float(np.ceil(np.sqrt(2 * height / GRAVITY) / dt) * dt)
