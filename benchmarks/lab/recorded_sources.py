"""Scenes to record contact problems from: standing, dropped, trotting, on hills, sliding plates, towers and heaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.lab.contact import batch_starts
from benchmarks.lab.contact_motions import sway, trot
from benchmarks.lab.contact_scenes import DT, ContactScene, contact_scene, plate_scene
from benchmarks.lab.recorded_steps import RecordedStep, Source, record
from footfall.arrays import Array
from footfall.contact.candidates import point_candidates, surface_of
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.library import quadruped
from footfall.robot.shapes import Box
from footfall.scenarios.quadruped.legs import reference
from footfall.scenarios.quadruped.parameters import load_scenario
from footfall.scenarios.quadruped.run import build_simulation, commands
from footfall.scene.assembly import combined_robot
from footfall.scene.model import Scene, SceneObject, free_body
from footfall.scene.terrain import random_terrain
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import StepOptions

PLATES = (1, 2, 4, 8, 16, 32, 64)  # points that plates touch with
_STARTS = 5
_EDGE = 0.2  # m, of cubes


def recorded_steps(count: int, *, names: Sequence[str] | None = None) -> Iterator[RecordedStep]:
    """So many steps, about as many of each of `SOURCES`, or of those named."""
    names = tuple(SOURCES) if names is None else names
    for k, name in enumerate(names):
        share = count // len(names) + (k < count % len(names))
        if share:
            yield from record(SOURCES[name](), share)


def _put_down(name: str) -> Source:
    """A robot of the contact benchmark, its joints turned by a thousandth of a radian; it stands or is dropped."""
    scene = contact_scene(name)
    simulation = scene.simulation()
    rest, command = np.zeros(simulation.robot.nv), scene.command(simulation)
    starts = [(q, rest) for q in batch_starts(scene, scene.start(), _STARTS)]
    return Source(name, simulation, starts, lambda _: command, every=2)


def _moving(name: str, scene_name: str, motion: Callable[[ContactScene, float], Array]) -> Source:
    scene = contact_scene(scene_name)
    simulation = scene.simulation()
    command = scene.command(simulation)
    starts = [(scene.q, np.zeros(simulation.robot.nv))]
    return Source(
        name, simulation, starts, lambda time: command._replace(position=motion(scene, time)), every=11
    )


def _hills() -> Source:
    """ANYmal dropped on random hills: three candidates a foot."""
    scene = contact_scene("ANYmal dropped")
    hills = SceneObject("ground", random_terrain("noise", size=(8.0, 8.0), amplitude=0.1, seed=3))
    bodies = [body.name for body in scene.robot.bodies if body.collisions]
    candidates = point_candidates(scene.robot, bodies, [surface_of(hills)])
    simulation = FeetSimulation(
        scene.robot, Scene("hills", (hills,)), candidates=candidates, options=StepOptions(dt=DT)
    )
    rng, starts = np.random.default_rng(3), []
    for _ in range(_STARTS):
        q = scene.q.copy()
        q[:3] = *rng.uniform(-3.0, 3.0, 2), scene.q[2] + 0.2
        q[3:7] = quaternion_from_rotation_vector(rng.uniform(-0.2, 0.2, 3))
        starts.append((q, np.zeros(simulation.robot.nv)))
    command = scene.command(simulation)
    return Source("ANYmal dropped on hills", simulation, starts, lambda _: command, every=3)


def _plate(points: int) -> Source:
    """A plate that comes down askew and slides."""
    scene = plate_scene(points)
    simulation = scene.simulation()
    rng, starts = np.random.default_rng(points), []
    for _ in range(_STARTS):
        q = scene.q.copy()
        q[2] += 2e-3
        q[3:7] = quaternion_from_rotation_vector(2e-3 * rng.normal(size=3))
        starts.append((q, rng.normal(size=6) * [0.5, 0.5, 0.1, 0.1, 0.1, 0.5]))
    return Source(f"plate, {points} points", simulation, starts, lambda _: simulation.zero_command)


def _quadruped(kind: str, **changes: Any) -> Source:
    """The quadruped of Ayit 2015 in one of its scenarios."""
    scenario = load_scenario(kind).changed(**changes)
    simulation = build_simulation(scenario)
    assert isinstance(simulation, FeetSimulation)
    course = reference(quadruped(foot_height=scenario.robot.foot_height), scenario)
    path = commands(scenario, course)
    starts = [(course.start, np.zeros(simulation.robot.nv))]
    name = "quadruped in its trot" if kind == "trot" else "quadruped, tumbling"
    dt = scenario.step.dt
    return Source(name, simulation, starts, lambda time: path[min(round(time / dt), len(path) - 1)], every=60)


def _cube(name: str, position: Sequence[float], velocity: Array) -> SceneObject:
    shape = Box((_EDGE, _EDGE, _EDGE))
    placement = Transform(np.eye(3), np.array(position, dtype=np.float64))
    free = free_body(shape, 1.0, velocity=tuple(velocity.tolist()))
    return SceneObject(name, shape, placement, free=free)


def _tower(count: int) -> Source:
    """Flush cubes, each on the next with four corners; pushed so that the tower leans, slides and topples."""
    cubes = [_cube(f"cube{k}", (0.0, 0.0, _EDGE * (k + 0.5)), np.zeros(6)) for k in range(count)]
    scene = Scene("tower", (SceneObject("ground", Plane()), *cubes))
    robot = combined_robot(scene)
    candidates = [
        each
        for k, below in enumerate(scene.objects[:-1])
        for each in point_candidates(robot, [f"cube{k}"], [surface_of(below)])
        if each.point[2] < 0.0
    ]
    simulation = FeetSimulation(None, scene, candidates=candidates, options=StepOptions(dt=DT))
    starts = []
    for speed in (0.0, 0.1, 0.3, 0.6, 1.0):
        v = np.zeros((count, 6))
        v[:, 0] = speed * np.arange(count) / count
        starts.append((simulation.state.q, v.ravel()))
    return Source(f"tower of {count}", simulation, starts, lambda _: simulation.zero_command, every=2)


def _heap() -> Source:
    """Two cubes fall on one another, whatever may touch is a candidate: corners, faces and edges."""
    cubes = [_cube(f"cube{k}", (0.0, 0.0, _EDGE * (1.2 * k + 0.6)), np.zeros(6)) for k in range(2)]
    scene = Scene("heap", (SceneObject("ground", Plane()), *cubes))
    simulation = FeetSimulation(None, scene, options=StepOptions(dt=DT))
    rng, starts = np.random.default_rng(7), []
    for _ in range(_STARTS):
        q = simulation.state.q.reshape(2, 7).copy()
        for row in q:
            row[:2] += rng.uniform(-0.05, 0.05, 2)
            row[3:] = quaternion_from_rotation_vector(rng.uniform(-0.3, 0.3, 3))
        starts.append((q.ravel(), np.zeros(12)))
    return Source("heap of 2 cubes", simulation, starts, lambda _: simulation.zero_command, every=3)


SOURCES: Mapping[str, Callable[[], Source]] = {
    **{
        name: partial(_put_down, name)
        for name in (
            "ANYmal standing",
            "ANYmal dropped",
            "LOLA standing, 8 points",
            "LOLA dropped, 8 points",
            "LOLA standing, 8 points, joint limits and friction",
            "LOLA standing, 32 points",
        )
    },
    "ANYmal in a trot": partial(_moving, "ANYmal in a trot", "ANYmal standing", trot),
    "LOLA in a sway, 8 points": partial(_moving, "LOLA in a sway, 8 points", "LOLA standing, 8 points", sway),
    "ANYmal dropped on hills": _hills,
    "quadruped in its trot": partial(_quadruped, "trot"),
    "quadruped, tumbling": partial(_quadruped, "fall", fall__height=0.5, fall__roll=0.02),
    "tower of 10": partial(_tower, 10),
    "heap of 2 cubes": _heap,
    **{f"plate, {points} points": partial(_plate, points) for points in PLATES},
}
