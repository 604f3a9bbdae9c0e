"""Distances to height maps: against the surface itself, continuous across cells, and no energy from bends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree

from footfall import Material, Scene, SceneObject, free_body
from footfall.arrays import Array
from footfall.contact.candidates import point_candidates, surface_of
from footfall.contact.distance_functions import facets, local_distance
from footfall.geometry.height_map import HeightMap
from footfall.math.transform import Transform
from footfall.robot.shapes import Sphere
from footfall.scene.assembly import combined_robot
from footfall.scene.terrain import TERRAINS, random_terrain
from footfall.simulation.simulation import Simulation
from tests.simulation.worlds import GRAVITY, energies

SPACING = 0.1


def nearest(terrain: HeightMap, point: Array, radius: float = 0.03) -> float:
    """The least of all distances that the centre of a ball has candidates for, m."""
    return float(min(local_distance(shape, point)[0] for shape in facets(terrain, radius)))  # type: ignore[arg-type]


def valley(slope: float) -> HeightMap:
    """Level for x < 0, rising beyond, with grid lines at multiples of 0.1 m."""
    x = np.linspace(-1.0, 1.0, 21)
    return HeightMap(np.tile(slope * np.maximum(x, 0.0)[:, None], (1, 21)), (SPACING, SPACING))


@pytest.mark.parametrize("radius", [0.005, 0.02, 0.03])
@pytest.mark.parametrize("kind", sorted(TERRAINS))
def test_the_nearest_of_all_facets_is_the_distance(kind: str, radius: float) -> None:
    """Against the nearest of points 2 mm apart on the surface, for the centres of balls that come down onto it.

    The points lie at most 1.5 mm (along slopes 2.5 mm) from where the ball touches, so they are farther from its centre
    by at most 2.5^2 / 2 r: too long by 0.6 mm, 0.16 mm and 0.1 mm; twisted cells (waves) are not planes either.
    """
    terrain = random_terrain(kind, size=(3.0, 3.0), amplitude=0.15, seed=3)
    x, y = np.meshgrid(*[np.arange(-0.6, 0.6, 0.002)] * 2, indexing="ij")
    surface = KDTree(np.column_stack([x.ravel(), y.ravel(), terrain.height(x, y).ravel()]))
    rng = np.random.default_rng(0)
    errors = []
    for place in rng.uniform(-0.5, 0.5, size=(100, 2)):
        buried = float(terrain.height(*place))
        above = buried + 2.5 * radius + 0.05
        for _ in range(20):
            middle = (buried + above) / 2
            touches = float(surface.query([*place, middle])[0]) < radius
            buried, above = (middle, above) if touches else (buried, middle)
        center = np.array([*place, above])
        errors.append(nearest(terrain, center, radius) - float(surface.query(center)[0]))
    assert np.max(errors) < 1e-4
    assert np.min(errors) > -0.5 * 0.0025**2 / radius


def test_a_large_ball_feels_the_cell_beyond_a_corner() -> None:
    """Only beyond the corner at the origin is there a slope, z = (x + y) / 2, which the ball touches first."""
    x, y = np.meshgrid(*[np.linspace(-0.2, 0.2, 5)] * 2, indexing="ij")
    terrain = HeightMap(np.where((x >= 0.0) & (y >= 0.0), (x + y) / 2, 0.0), (SPACING, SPACING))
    center = np.array([-0.005, -0.005, 0.04])
    normal = np.array([-0.5, -0.5, 1.0]) / np.sqrt(1.5)
    *others, beyond = [local_distance(shape, center) for shape in facets(terrain, 0.04)]
    assert beyond[0] == pytest.approx(center @ normal, abs=1e-12)
    assert beyond[1] == pytest.approx(normal, abs=1e-12)
    assert min(distance for distance, _ in others) > beyond[0] + 1e-3
    assert len(facets(terrain, 0.001)) == len(others)


@pytest.mark.parametrize("slope", [0.3, 1.0, 3.0])
def test_a_ball_in_a_bend_touches_both_sides(slope: float) -> None:
    """Centre over the floor at r tan(phi / 2) before the bend by phi: at distance r from both planes."""
    terrain, radius = valley(slope), 0.04
    before = radius * np.tan(np.arctan(slope) / 2)
    center = np.array([-before, 0.02, radius])
    floor, wall, _ = (local_distance(shape, center) for shape in facets(terrain, 0.001))
    assert floor[0] == pytest.approx(radius, abs=1e-12)
    assert wall[0] == pytest.approx(radius, abs=1e-12)
    assert wall[1] == pytest.approx(np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0), abs=1e-12)


@pytest.mark.parametrize("slope", [-0.3, -1.0, -3.0])
def test_the_distance_to_a_ridge_is_that_to_its_edge(slope: float) -> None:
    """From above the level part over the edge to beside the slope: z, then the distance to the edge, then the slope."""
    terrain = valley(slope)
    angle = np.arctan(-slope)
    for turn in np.linspace(0.05, 0.95, 7) * angle:  # around the edge at 4 cm
        center = 0.04 * np.array([np.sin(turn), 0.0, np.cos(turn)])
        distance, normal = local_distance(terrain, center + np.array([0.0, 0.02, 0.0]))
        assert distance == pytest.approx(0.04, abs=1e-12)
        assert normal == pytest.approx(center / 0.04, abs=1e-9)
        # No wall in the air.
        assert min(local_distance(shape, center)[0] for shape in facets(terrain, 0.04)[1:]) > 1.0
    along = np.array([np.cos(angle), 0.0, -np.sin(angle)]) * 0.03
    center = along + 0.04 * np.array([np.sin(angle), 0.0, np.cos(angle)])
    assert local_distance(terrain, center)[0] == pytest.approx(0.04, abs=1e-12)


@pytest.mark.parametrize("kind", sorted(TERRAINS))
def test_what_is_high_above_touches_nothing(kind: str) -> None:
    """However steep and twisted the ground: a point at z is at least z - h_max, times the least n_z, away."""
    terrain = random_terrain(kind, size=(3.0, 3.0), amplitude=0.2, seed=5)
    rng = np.random.default_rng(1)
    for place in rng.uniform(-1.4, 1.4, size=(200, 2)):
        for height in (0.4, 1.0, 3.0):
            assert nearest(terrain, np.array([*place, height])) > 0.02 * height


def test_beyond_the_rim_it_is_level() -> None:
    terrain = valley(1.0)
    distance, normal = local_distance(terrain, np.array([1.5, 0.3, 1.25]))
    assert (distance, tuple(normal)) == (pytest.approx(0.25), (0.0, 0.0, 1.0))
    assert nearest(terrain, np.array([-1.5, 2.0, 0.25])) == pytest.approx(0.25)


@pytest.mark.parametrize("slope", [1.0, 3.0])
def test_a_ball_that_runs_into_a_wall_gains_nothing(slope: float) -> None:
    """Frictionless, plastic: of v it keeps v cos(phi) along the slope, reaches (v cos(phi))^2 / 2g, and comes back."""
    radius, speed, dt = 0.05, 1.5, 2e-3
    shape = Sphere(radius)
    thing = SceneObject(
        "ball",
        shape,
        Transform(np.eye(3), np.array([-0.3, 0.02, radius])),
        Material(friction=0.0),
        free=free_body(shape, 1.0, velocity=(speed, 0, 0, 0, 0, 0)),
    )
    ground = SceneObject("ground", valley(slope), material=Material(friction=0.0))
    simulation = Simulation(None, Scene("wall", (ground, thing)), dt=dt)
    start = simulation.state
    trajectory = simulation.run(simulation.zero_command, 1.0)
    energy = energies(simulation.robot, trajectory.q, trajectory.v)
    assert np.maximum(np.diff(energy), 0.0).sum() < 1e-6 * float(energies(simulation.robot, start.q, start.v))
    kept = speed * np.cos(np.arctan(slope))
    # semi-implicit steps turn up to v dt too early
    top = trajectory.q[:, 2].max() - radius
    assert top == pytest.approx(kept**2 / (2 * GRAVITY), abs=2 * kept * dt)


def test_points_have_a_candidate_for_each_facet() -> None:
    shape = Sphere(0.05)
    thing = SceneObject("ball", shape, free=free_body(shape, 1.0))
    scene = Scene("hills", (SceneObject("ground", valley(1.0)), thing))
    robot = combined_robot(scene)
    candidates = point_candidates(robot, ["ball"], [surface_of(scene.objects[0])])
    assert len(candidates) == 4
    assert len({type(each.surface.shape) for each in candidates}) == 2


def test_a_ball_wider_than_the_valley_of_a_twisted_cell_touches_both_flanks() -> None:
    """h = c x y: along x = y a parabola c u^2 / 2, whose points nearest to (0, 0, z), z > 1 / c, are at
    u^2 = 2 (z - 1 / c) / c, at a distance of sqrt(u^2 + 1 / c^2)."""
    twist, height = 30.0, 0.05
    corner = twist * (SPACING / 2) ** 2
    terrain = HeightMap(np.array([[corner, -corner], [-corner, corner]]), (SPACING, SPACING))
    assert len(facets(terrain, 0.03)) == len(facets(terrain, 0.04)) - 2
    *_, left, right = (local_distance(shape, np.array([0.0, 0.0, height])) for shape in facets(terrain, 0.04))
    along = np.sqrt(2 * (height - 1 / twist) / twist)
    for (distance, normal), side in ((left, -1.0), (right, 1.0)):
        foot = np.array([side * along / np.sqrt(2), side * along / np.sqrt(2), twist * along**2 / 2])
        arm = np.array([0.0, 0.0, height]) - foot
        assert distance == pytest.approx(np.sqrt(along**2 + 1 / twist**2), abs=1e-6)
        assert normal == pytest.approx(arm / np.linalg.norm(arm), abs=1e-3)


def test_a_ball_wedged_between_four_plateaus_gains_nothing() -> None:
    """Where they meet is a twisted cell. It comes to rest, no deeper in the ground than it may be seen too late."""
    low, high = np.array([[0.044, -0.056], [-0.08, 0.07]]), 0.3
    terrain = HeightMap(np.repeat(np.repeat(low, 4, axis=0), 4, axis=1), (SPACING, SPACING))
    shape = Sphere(0.05)
    ball = SceneObject(
        "ball",
        shape,
        Transform(np.eye(3), np.array([0.02, -0.02, high])),
        Material(friction=0.0),
        free=free_body(shape, 1.0, velocity=(0.3, -0.2, 0.0, 0.0, 0.0, 0.0)),
    )
    ground = SceneObject("ground", terrain, material=Material(friction=0.0))
    simulation = Simulation(None, Scene("plateaus", (ground, ball)), dt=1e-3)
    trajectory = simulation.run(simulation.zero_command, 2.0)
    energy = energies(simulation.robot, trajectory.q, trajectory.v)
    gained = (energy - np.minimum.accumulate(energy)).max()
    assert gained < 1e-6 * GRAVITY * high


def test_far_above_four_plateaus_nothing_is_near() -> None:
    """No part of the ground is above the highest of them; planes that touch the cell between them are."""
    low = np.array([[0.044, -0.056], [-0.08, 0.07]])
    terrain = HeightMap(np.repeat(np.repeat(low, 2, axis=0), 2, axis=1), (SPACING, SPACING))
    rng = np.random.default_rng(0)
    for x, y, z in rng.uniform((-0.1, -0.1, 0.1), (0.1, 0.1, 1.0), size=(300, 3)):
        assert nearest(terrain, np.array([x, y, z]), 0.05) > z - 0.07 - 1e-9
