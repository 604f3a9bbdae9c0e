"""Random legged robots dropped on random terrain: nothing may blow up, gain energy or get lost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.contact.candidates import point_candidates, surface_of
from footfall.dynamics.configuration import neutral
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.math.rotations import quaternion_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry, Sphere
from footfall.scene.model import Material, Scene, SceneObject, free_body
from footfall.scene.terrain import TERRAINS, random_terrain
from footfall.simulation.recording import read_recording
from footfall.simulation.recording_writer import RecordingWriter
from footfall.simulation.simulation import Simulation, SimulationDiverged
from footfall.simulation.step_values import StepOptions

Array = np.ndarray[Any, np.dtype[np.float64]]

_SIZE = 8.0  # m, edge of the terrain


@dataclass(frozen=True)
class Drop:
    """What became of a robot.

    finite: no NaN, no divergence. gained: greatest rise of its energy less the work of its drives above an earlier
    value, as a fraction of what it fell from (m g h). unsolved: share of steps whose impulses still changed by more
    than 1e-6 m g dt in the last sweep. recorded: whether all of its states could be read back.
    """

    seed: int
    joints: int
    contacts: int
    finite: bool
    gained: float
    unsolved: float
    recorded: bool


def random_walker(seed: int) -> Robot:
    """A box with two to five legs of one to three revolute joints each, with feet, limits, damping and friction."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.15, 0.5, 3)
    trunk = _body("trunk", Box(_three(size)), float(rng.uniform(3.0, 20.0)))
    bodies, joints = [trunk], [Joint("trunk", JointType.FLOATING, WORLD, "trunk")]
    for leg in range(int(rng.integers(2, 6))):
        parent, at = "trunk", rng.uniform(-0.5, 0.5, 3) * size
        count = int(rng.integers(1, 4))
        for part in range(count):
            name, length = f"leg{leg}_{part}", float(rng.uniform(0.1, 0.35))
            shape = Box((0.04, 0.04, length))
            foot = (Geometry(Sphere(0.03), Transform(np.eye(3), np.array([0.0, 0.0, -length]))),)
            solid = free_body(shape, float(rng.uniform(0.3, 2.0)))
            center = np.array([0.0, 0.0, -length / 2])
            last = part == count - 1
            bodies.append(Body(name, solid.mass, center, solid.inertia, (), foot if last else ()))
            axis = rng.normal(size=3)
            axis[2] *= 0.2
            joints.append(
                Joint(
                    name,
                    JointType.REVOLUTE,
                    parent,
                    name,
                    Transform(np.eye(3), at),
                    axis=_three(axis / np.linalg.norm(axis)),
                    lower=(-1.5,),
                    upper=(1.5,),
                    damping=float(rng.uniform(0.0, 0.5)),
                    friction=float(rng.choice([0.0, 0.3])),
                    armature=0.01,
                )
            )
            parent, at = name, np.array([0.0, 0.0, -length])
    return Robot(f"walker-{seed}", tuple(bodies), tuple(joints))


def random_ground(seed: int) -> Scene:
    """Terrain of one of the kinds, its middle at the origin."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(sorted(TERRAINS)))
    terrain = random_terrain(kind, size=(_SIZE, _SIZE), amplitude=float(rng.uniform(0.02, 0.2)), seed=seed)
    material = Material(friction=float(rng.uniform(0.2, 1.0)))
    return Scene(f"ground-{seed}", (SceneObject("ground", terrain, material=material),))


def drop(seed: int, *, seconds: float = 10.0, path: Path, dt: float = 2e-3) -> Drop:
    """Drop the robot of a seed and record it at `path`."""
    rng = np.random.default_rng([seed, 1])
    robot, scene = random_walker(seed), random_ground(seed)
    bodies = [body.name for body in robot.bodies if body.collisions]
    candidates = point_candidates(robot, bodies, [surface_of(each) for each in scene.objects])
    q = neutral(robot)
    axis = rng.normal(size=3)
    q[:3] = *rng.uniform(-1.0, 1.0, 2), 1.5
    q[3:7] = quaternion_from_rotation_vector(axis * (rng.random() / np.linalg.norm(axis)))
    q[7:] = rng.uniform(-0.8, 0.8, robot.nq - 7)
    simulation = Simulation(robot, scene, candidates=candidates, options=StepOptions(dt=dt), q=q)
    held = simulation.pd(simulation.joint_positions(), kp=float(rng.choice([0.0, 100.0])), kd=1.0)
    start, finite = simulation.state, True
    rows = []
    with RecordingWriter(path, simulation.robot, scene=scene, dt=dt, seed=seed) as writer:
        writer.state(0.0, start.q, start.v)
        for _ in range(max(1, round(seconds / 0.5))):
            try:
                rows.append(simulation.run(held, min(seconds, 0.5), recorder=writer))
            except SimulationDiverged:
                finite = False
                break
    if not rows:
        return Drop(seed, robot.nv - 6, len(candidates), False, np.inf, 1.0, False)
    q_all = np.concatenate([start.q[None], *(part.q for part in rows)])
    v_all = np.concatenate([start.v[None], *(part.v for part in rows)])
    work = np.concatenate([np.sum(part.effort * part.v, axis=1) for part in rows]) * dt
    energy = kinetic_energy(simulation.robot, q_all, v_all) + potential_energy(simulation.robot, q_all)
    energy = energy - np.concatenate([[0.0], np.cumsum(work)])
    gained = float((energy - np.minimum.accumulate(energy)).max())
    weight = robot.mass * 9.81
    change = np.concatenate([part.residual for part in rows])
    recording = read_recording(path)
    return Drop(
        seed,
        robot.nv - 6,
        len(candidates),
        finite and bool(np.isfinite(q_all).all() and np.isfinite(v_all).all()),
        gained / (weight * 1.5),
        float((change > 1e-6 * weight * dt).mean()),
        recording.complete and np.array_equal(recording.q, q_all),
    )


def _body(name: str, shape: Box, mass: float) -> Body:
    free = free_body(shape, mass)
    return Body(name, free.mass, free.center_of_mass, free.inertia, (), (Geometry(shape),))


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
