"""With `bounded_energy` no step creates energy: frictionless bounces and slides on all kinds of ground."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from benchmarks.lab.drops import random_walker
from footfall import Material, Scene, SceneObject, free_body
from footfall.arrays import Array
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Mesh, Shape, Sphere
from footfall.scene import GivenMotion
from footfall.scene.terrain import random_terrain
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import JointOptions, StepOptions
from tests.simulation.test_energy import growth
from tests.simulation.worlds import EDGE, GRAVITY, ball, block, energies, ground, simulate

pytestmark = pytest.mark.usefixtures("listed")

COUNT, HEIGHT = 16, 0.6
SHAPES: dict[str, Shape] = {
    "ball": Sphere(0.05),
    "box": Box((0.2, 0.3, 0.15)),
    "capsule": Capsule(0.05, 0.3),
}


def floor(kind: str, material: Material, folder: Path) -> list[SceneObject]:
    """Ground of a kind under the origin."""
    if kind == "plane":
        return [SceneObject("ground", Plane(), material=material)]
    if kind == "boxes":
        places = [(-0.5, 0.0, -0.55), (0.5, 0.0, -0.45)]
        return [
            SceneObject(f"slab{k}", Box((1.0, 4.0, 1.0)), Transform(np.eye(3), np.array(place)), material)
            for k, place in enumerate(places)
        ]
    if kind == "mesh":
        import trimesh

        path = folder / "hill.stl"
        trimesh.creation.icosphere(subdivisions=2, radius=2.0).export(path)
        below = Transform(np.eye(3), np.array([0.0, 0.0, -2.0]))
        return [SceneObject("ground", Mesh(path), below, material)]
    return [
        SceneObject("ground", random_terrain(kind, size=(8.0, 8.0), amplitude=0.1, seed=3), material=material)
    ]


def thrown(
    kind: str, shape: Shape, restitution: float, folder: Path, *, seconds: float, **options: Any
) -> Array:
    """Greatest growth of the energy of each of some frictionless bodies (COUNT,), over what it had.

    Midway between configurations if they bounce, see `test_energy.midway`, else at their ends.
    """
    material = Material(friction=0.0, restitution=restitution)
    thing = SceneObject("thing", shape, material=material, free=free_body(shape, 1.0))
    simulation = FeetSimulation(
        None,
        Scene("world", (*floor(kind, material, folder), thing)),
        dt=1e-3,
        **options,
    )
    rng = np.random.default_rng(0)
    turns = rng.normal(size=(COUNT, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    places = np.column_stack([rng.uniform(-0.4, 0.4, (COUNT, 2)), np.full(COUNT, HEIGHT)])
    q, v = np.hstack([places, turns]), np.hstack([rng.normal(size=(COUNT, 3)), rng.normal(0, 3, (COUNT, 3))])
    states = np.zeros((COUNT, 0)), np.zeros((COUNT, simulation.rows)), *[np.zeros((COUNT, 0))] * 6
    friction = np.zeros((COUNT, len(simulation.candidates)))
    kernel = simulation.step_kernel
    names = [name for name, _ in kernel.signature.outputs]
    results = kernel.rollout(q, v, *states, friction, steps=round(seconds / 1e-3), threads=1)
    found = dict(zip(names, results, strict=True))
    gains = []
    for k in range(COUNT):
        kinetic = np.asarray(footfall.kinetic_energy(simulation.robot, found["q"][k], found["v"][k]))
        height = np.concatenate([q[k, 2:3], found["q"][k, :, 2]])
        height = (height[1:] + height[:-1]) / 2 if restitution else height[1:]
        gains.append(growth(kinetic + GRAVITY * height) / (kinetic[0] + GRAVITY * HEIGHT))
    return np.array(gains)


@pytest.mark.parametrize(
    "kind, shape, restitution",
    [
        ("plane", "box", 1.0),
        ("waves", "ball", 0.5),
        ("slopes", "capsule", 1.0),
        ("boxes", "ball", 1.0),
        ("mesh", "capsule", 0.5),
    ],
)
def test_frictionless_bounces_create_no_energy(
    kind: str, shape: str, restitution: float, tmp_path: Path
) -> None:
    if kind == "mesh":
        pytest.importorskip("trimesh")
    gains = thrown(kind, SHAPES[shape], restitution, tmp_path, seconds=1.0, bounded_energy=True)
    assert gains.max() < 1e-6


@pytest.mark.parametrize("kind, shape", [("steps", "capsule"), ("noise", "ball")])
def test_frictionless_slides_create_no_energy(kind: str, shape: str, tmp_path: Path) -> None:
    gains = thrown(kind, SHAPES[shape], 0.0, tmp_path, seconds=1.0, bounded_energy=True)
    assert gains.max() < 1e-6


def test_a_bouncing_box_is_what_shows_it(tmp_path: Path) -> None:
    """Without the bound: gyroscopic forces of a step in which velocities jump are those of neither side."""
    gains = thrown("plane", SHAPES["box"], 1.0, tmp_path, seconds=1.0, bounded_energy=False)
    assert gains.max() > 1e-4


def test_an_elastic_ball_keeps_its_height() -> None:
    """It comes back to h: nothing is taken where nothing is created."""
    simulation = simulate(
        ground(restitution=1.0, friction=0.0), block(position=(0.0, 0.0, 0.5), restitution=1.0, friction=0.0),
        bounded_energy=True,
    )  # fmt: skip
    trajectory = simulation.run(simulation.zero_command, 1.5)
    half = round(0.9 * len(trajectory.q) / 2)
    assert trajectory.q[half:, 2].max() == pytest.approx(0.5, abs=2 * GRAVITY * 0.3 * 1e-3)


def test_pushes_and_moving_ground_do_their_work() -> None:
    """With the bound a pushed block and one on a lift move as without it: work done on them is not created energy."""
    times = np.linspace(0.0, 1.0, 201)
    path = np.column_stack([np.zeros((201, 2)), 0.1 * (1 - np.cos(np.pi * times))])
    lift = SceneObject("lift", Plane(), material=Material(friction=0.5), motion=GivenMotion(times, path))
    ends = []
    for bounded in (False, True):
        simulation = simulate(lift, block(friction=0.5), bounded_energy=bounded)
        simulation.push("block", np.array([8.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.2)
        simulation.run(simulation.zero_command, 0.6)
        ends.append(np.concatenate([simulation.state.q, simulation.state.v]))
    assert abs(ends[0][7]) + abs(ends[0][9]) > 0.1
    assert ends[1] == pytest.approx(ends[0], abs=2e-4)


def test_what_lies_in_the_ground_is_still_lifted_out() -> None:
    simulation = simulate(ground(), block(position=(0.0, 0.0, EDGE / 2 - 0.01)), bounded_energy=True)
    simulation.run(simulation.zero_command, 1.0)
    assert simulation.state.q[2] == pytest.approx(EDGE / 2, abs=1e-4)
    assert (
        float(energies(simulation.robot, simulation.state.q, simulation.state.v)) < GRAVITY * EDGE / 2 + 1e-3
    )


def test_none_pays_for_another() -> None:
    """A block that is lifted out of the ground takes nothing from a ball that flies by."""
    ends = []
    for bounded in (False, True):
        simulation = simulate(
            ground(),
            block(position=(0.0, 0.0, EDGE / 2 - 0.01), mass=100.0),
            ball((0.0, 2.0, 1.0), velocity=(1.0, 0.0, 2.0, 0.0, 0.0, 0.0)),
            bounded_energy=bounded,
        )
        simulation.run(simulation.zero_command, 0.2)
        flying = simulation.robot.q_slice("ball"), simulation.robot.v_slice("ball")
        ends.append(np.concatenate([simulation.state.q[flying[0]], simulation.state.v[flying[1]]]))
    np.testing.assert_array_equal(ends[1], ends[0])


def test_soft_ground_gives_back_what_it_took() -> None:
    """A ball falls onto a spring without damping and comes back as high as without the bound, which knows it."""
    heights = []
    for bounded in (False, True):
        soft = ground(friction=0.0, stiffness=2e3, damping=0.0)
        simulation = simulate(soft, ball((0.0, 0.0, 0.4), radius=0.1, friction=0.0), bounded_energy=bounded)
        trajectory = simulation.run(simulation.zero_command, 0.8)
        lowest = int(trajectory.q[:, 2].argmin())
        heights.append(trajectory.q[lowest:, 2].max())
    assert heights[1] == pytest.approx(heights[0], abs=1e-9)
    assert heights[1] > 0.3


def test_what_is_pushed_by_another_has_its_energy_from_it() -> None:
    """A fast ball rolls into a slow one: both go on as without the bound, and together they gain nothing."""
    ends = []
    for bounded in (False, True):
        simulation = simulate(
            ground(friction=0.5),
            ball((0.0, 0.0, 0.1), velocity=(2.0, 0.0, 0.0, 0.0, 20.0, 0.0), mass=3.0, friction=0.5),
            ball((0.35, 0.01, 0.1), name="other", friction=0.5),
            bounded_energy=bounded,
        )
        start = float(energies(simulation.robot, simulation.state.q, simulation.state.v))
        trajectory = simulation.run(simulation.zero_command, 0.4)
        ends.append(np.concatenate([simulation.state.q, simulation.state.v]))
        energy = energies(simulation.robot, trajectory.q, trajectory.v)
        assert growth(np.concatenate([[start], energy])) < 1e-6 * start
    other = simulation.robot.v_slice("other").start
    assert simulation.state.v[other] > 1.0
    assert ends[1] == pytest.approx(ends[0], abs=1e-5)


@pytest.mark.parametrize(("rate", "gains"), [(0.8, False), (15.0, True)])
def test_what_falls_and_hardly_turns_need_not_be_looked_at(rate: float, gains: bool) -> None:
    """A step of free fall loses m (g dt)^2 / 2: more than velocity terms create at 0.8 rad/s, less than at 15."""
    robot, dt, count = random_walker(3), 2e-3, 200
    options = StepOptions(dt=dt, joints=JointOptions(limits=False, friction=False))
    simulation = FeetSimulation(robot, candidates=(), options=options)
    rng = np.random.default_rng(4)
    q = np.array(
        [
            footfall.integrate(robot, footfall.neutral(robot), step)
            for step in rng.normal(size=(count, robot.nv))
        ]
    )
    v = rng.normal(size=(count, robot.nv))
    v[:, 3:] *= rate / np.linalg.norm(v[:, 3:], axis=1)[:, None]
    after = simulation.rollout(q, v, simulation.zero_command, steps=1, threads=1)
    created = energies(robot, after[0][:, 0], after[1][:, 0]) - energies(robot, q, v)
    assert bool(created.max() > 0.0) is gains
    assert gains or created.max() < -0.5 * robot.mass * (GRAVITY * dt) ** 2 / 2


def test_what_swings_keeps_its_energy_unless_bounded() -> None:
    """Semi-implicit steps are symplectic: energy goes up and down by O(dt) and comes back; a bound only takes."""
    robot, ends = footfall.load("double-pendulum"), {}
    hanging = float(energies(robot, np.zeros(2), np.zeros(2)))
    for bounded in (False, True):
        options = StepOptions(dt=1e-3, velocity_terms="middle")
        simulation = FeetSimulation(robot, options=options, bounded_energy=bounded, q=np.array([1.0, 0.5]))
        start = float(energies(robot, simulation.state.q, simulation.state.v)) - hanging
        trajectory = simulation.run(simulation.zero_command, 20.0)
        ends[bounded] = (energies(robot, trajectory.q[-2000:], trajectory.v[-2000:]).mean() - hanging) / start
    assert ends[False] == pytest.approx(1.0, abs=1e-3)
    assert 0.5 < ends[True] < 0.97
