"""What spins on something: gyroscopic forces know the contact."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject, Simulation, Transform, free_body
from footfall.arrays import Array
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_quaternion, rotation_x
from footfall.robot.shapes import Cylinder
from footfall.scene.shapes import triangles_shape

G = 9.81
FLOOR = SceneObject("floor", Plane(), material=Material(friction=1.0))


class Spun(NamedTuple):
    """Tilt of the axis (n,), rad, and energy (n,), J."""

    tilt: Array
    energy: Array


def run(thing: SceneObject, dt: float, seconds: float) -> tuple[Spun, list[str]]:
    """One thing on the floor, and what was told of its energy."""
    simulation = Simulation(None, Scene("spin", (FLOOR, thing)), dt=dt)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trajectory = simulation.run(simulation.zero_command, seconds)
    free = thing.free
    assert free is not None
    turned, spin = np.asarray(matrix_from_quaternion(trajectory.q[:, 3:7])), trajectory.v[:, 3:]
    linear = trajectory.v[:, :3] + np.einsum("nij,nj->ni", turned, np.cross(spin, free.center_of_mass))
    height = trajectory.q[:, 2] + (turned @ free.center_of_mass)[:, 2]
    energy = 0.5 * free.mass * (linear**2).sum(axis=1) + free.mass * G * height
    energy += 0.5 * np.einsum("ni,ij,nj->n", spin, free.inertia, spin)
    told = [str(each.message) for each in caught if "energy" in str(each.message)]
    return Spun(np.arccos(turned[:, 2, 2]), energy), told


def top(tilt: float, spin: float) -> tuple[SceneObject, float]:
    """A cone that spins on its tip, rad and rad/s, and how far it nods: from rest a fast top falls by
    `2 m g l sin(tilt) I1 / (I3 spin)^2`, I1 about the tip, and rises again (cuspidal motion)."""
    mass, length, radius, sides = 0.1, 0.03, 0.03, 24
    turns = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(turns), radius * np.sin(turns), np.full(sides, length)], axis=1)
    corners = np.vstack([[0.0, 0.0, 0.0], ring, [0.0, 0.0, length + 0.005]])
    after = np.roll(np.arange(1, sides + 1), -1)
    cone = [(0, b, a) for a, b in zip(range(1, sides + 1), after, strict=True)]
    cap = [(sides + 1, a, b) for a, b in zip(range(1, sides + 1), after, strict=True)]
    shape = triangles_shape(corners, np.array(cone + cap))
    across, along = mass * (radius**2 / 4 + 0.005**2), mass * radius**2 / 2
    rotation = rotation_x(tilt)
    free = free_body(
        shape,
        mass,
        center_of_mass=(0.0, 0.0, length),
        inertia=np.diag([across, across, along]),
        velocity=(0.0, 0.0, 0.0, *(rotation @ [0.0, 0.0, spin])),
    )
    nods = 2 * mass * G * length * np.sin(tilt) * (across + mass * length**2) / (along * spin) ** 2
    thing = SceneObject("top", shape, Transform(rotation, np.zeros(3)), Material(friction=1.0), free=free)
    return thing, nods


@pytest.mark.filterwarnings("ignore")
def test_a_fast_top_keeps_its_tilt() -> None:
    """48 turns a second at 25 degrees, 5 s at 0.2 ms. The fall of a fast top is right to its own square over
    `sin(tilt)`, about 4 % here; energy is kept to 1e-5, where gyroscopic forces without contact gave it 1e-3."""
    thing, nods = top(np.radians(25.0), 48.0 * 2.0 * np.pi)
    found, told = run(thing, 2e-4, 5.0)
    assert abs(np.degrees(found.tilt) - 25.0).max() < 1.0
    assert np.ptp(found.tilt) == pytest.approx(nods, rel=0.1)
    assert np.ptp(found.energy) < 1e-5 * found.energy[0]
    assert told == []


def test_steps_that_are_too_long_for_a_top_are_told() -> None:
    """At 1 ms it turns by 0.3 rad in a step, and comes upright."""
    thing, _ = top(np.radians(25.0), 48.0 * 2.0 * np.pi)
    _, told = run(thing, 1e-3, 5.0)
    assert len(told) == 1
    assert "'top' gained most" in told[0]


def test_the_energy_of_eulers_disk() -> None:
    """Steady rolling of a thin disk at an angle a: its middle rests, `W^2 sin(a) = 4 g / r`, and it turns about the
    line to its contact by `W sin(a)` (Moffatt 2000). Its energy stays within 2 % for 1 s at 0.2 ms."""
    angle, radius, thick, mass = np.radians(15.0), 0.0375, 0.0064, 0.44
    rotation = rotation_x(angle)
    axis = rotation[:, 2]
    down = axis[2] * axis - [0.0, 0.0, 1.0]
    down /= np.linalg.norm(down)
    lowest = radius * down - 0.5 * thick * axis
    spin = np.sqrt(4.0 * G / (radius * np.sin(angle))) * np.sin(angle) * down
    shape = Cylinder(radius, thick)
    free = free_body(shape, mass, velocity=(*-np.cross(spin, lowest), *spin))
    pose = Transform(rotation, np.array([0.0, 0.0, -lowest[2]]))
    disk = SceneObject("disk", shape, pose, Material(friction=1.0), free=free)
    found, _ = run(disk, 2e-4, 1.0)
    assert np.abs(found.energy / found.energy[0] - 1.0).max() < 0.02
    assert np.degrees(found.tilt).min() > 14.0
