"""Perception made of scenes: exact without grid and noise, of the right noise with them, volumes that hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import Box, Plane, Scene, SceneObject, Transform
from footfall.environment import PerceptionOptions, Terrain, perceive, sample_terrain, truth
from footfall.environment.perception import EXACT, Observer, remesh, seen_area
from footfall.environment.rasterise import drawn_triangles, rasterise
from footfall.errors import FootfallError, GeometryError, InvalidEnvironment
from footfall.geometry.mesh_distance import signed_distances
from footfall.math.rotations import rotation_x, rotation_y, rotation_z
from footfall.robot.shapes import Cylinder, Sphere
from footfall.scene import Perception, Rectangle, make_scene
from footfall.scene.catalogue import SCENES
from footfall.scene.shape_meshes import shape_mesh
from footfall.volumes import SweptVolume, swept_point

NINE = list(SCENES)[:9]


def heights(terrain: Terrain, *places: tuple[float, float]) -> list[float]:
    return [round(float(height), 6) for height in sample_terrain(terrain, np.array(places)).height]


# Drawing triangles


def test_a_plane_is_met_in_every_cell() -> None:
    """The mean of samples of a plane is its value in the middle, so only millimetres are rounded."""
    corners = np.array(
        [[[-1.0, -1, 0.1], [1, -1, 0.5], [1, 1, 0.7]], [[-1, -1, 0.1], [1, 1, 0.7], [-1, 1, 0.3]]]
    )
    terrain = rasterise(drawn_triangles(corners))
    i, j = np.meshgrid(np.arange(-99, 99), np.arange(-99, 99), indexing="ij")
    places = np.column_stack([(i.ravel() + 0.5) * 0.01, (j.ravel() + 0.5) * 0.01])
    samples = sample_terrain(terrain, places)
    assert samples.seen.all()
    assert (samples.confidence == 1.0).all()
    expected = 0.4 + 0.2 * places[:, 0] + 0.1 * places[:, 1]
    assert np.abs(samples.height - expected).max() <= 0.5e-3 + 1e-6


def test_the_highest_surface_wins_and_edges_are_means() -> None:
    """A plate ends in the middle of a cell: half of its samples hit the plate, half the floor."""
    floor = [[[-1.0, -1, 0], [1, -1, 0], [1, 1, 0]], [[-1, -1, 0], [1, 1, 0], [-1, 1, 0]]]
    plate = [
        [[-1.0, -1, 0.2], [0.005, -1, 0.2], [0.005, 1, 0.2]],
        [[-1, -1, 0.2], [0.005, 1, 0.2], [-1, 1, 0.2]],
    ]
    both = np.array(floor + plate)
    for order in (both, both[::-1]):
        terrain = rasterise(drawn_triangles(order))
        assert heights(terrain, (-0.005, 0.005), (0.005, 0.005), (0.015, 0.005)) == [0.2, 0.1, 0.0]
    coarse = rasterise(drawn_triangles(both), samples=1)
    assert heights(coarse, (0.005, 0.005)) != [0.1]  # one sample cannot tell


def test_confidence_is_what_was_hit_of_a_cell() -> None:
    plate = np.array([[[0.0, 0, 0], [0.005, 0, 0], [0.005, 1, 0]], [[0, 0, 0], [0.005, 1, 0], [0, 1, 0]]])
    samples = sample_terrain(
        rasterise(drawn_triangles(plate, np.full((2, 3), 0.8))), np.array([[0.005, 0.5]])
    )
    assert samples.confidence[0] == pytest.approx(0.4, abs=0.5 / 255)


def test_random_triangles_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(0)
    corners = rng.uniform(-0.5, 0.5, (40, 3, 3))
    terrain = rasterise(drawn_triangles(corners), samples=1)
    places = (rng.integers(-50, 50, (400, 2)) + 0.5) * 0.01
    samples = sample_terrain(terrain, places)
    for k, (x, y) in enumerate(places):
        best = -np.inf
        for a, b, c in corners:  # barycentric coordinates
            matrix = np.array([[b[0] - a[0], c[0] - a[0]], [b[1] - a[1], c[1] - a[1]]])
            s, t = np.linalg.solve(matrix, (x - a[0], y - a[1]))
            if s >= 0 and t >= 0 and s + t <= 1:
                best = max(best, a[2] + s * (b[2] - a[2]) + t * (c[2] - a[2]))
        assert samples.seen[k] == np.isfinite(best)
        if np.isfinite(best):
            patch = terrain.patches[int(np.floor(x / 0.64)), int(np.floor(y / 0.64))]
            cell = patch.heights[int(np.floor(x / 0.01)) % 64, int(np.floor(y / 0.01)) % 64]
            assert cell == pytest.approx(1000 * best, abs=0.51)


def test_upright_and_far_triangles() -> None:
    upright = np.array([[[0.0, 0, 0], [1, 0, 0], [1, 0, 1]]])
    assert not rasterise(drawn_triangles(upright)).patches
    assert not rasterise(drawn_triangles(np.empty((0, 3, 3)))).patches
    with pytest.raises(InvalidEnvironment, match="patches"):
        rasterise(drawn_triangles(1e6 * np.array([[[0.0, 0, 0], [1, 0, 0], [1, 1, 1]]])))
    with pytest.raises(InvalidEnvironment, match="not finite"):
        rasterise(drawn_triangles(np.full((1, 3, 3), np.nan)))
    with pytest.raises(InvalidEnvironment, match="samples"):
        rasterise(drawn_triangles(upright), samples=0)


# Surfaces


@pytest.mark.parametrize(
    "shape", [Box((0.6, 0.5, 0.4)), Sphere(0.3), Cylinder(0.2, 0.5), Box((0.8, 0.05, 1.0))]
)
def test_remeshed_surfaces_stay_close(shape: object) -> None:
    mesh = shape_mesh(shape)
    exact = remesh(mesh, voxel=0.05, noise=0.0)
    assert exact.mesh.watertight
    # A corner of a cube is cut by at most its diagonal less half an edge; elsewhere it is far less.
    assert np.abs(signed_distances(mesh, exact.mesh.vertices)[:, 0]).max() < 0.05
    assert np.abs(signed_distances(exact.mesh, mesh.vertices)[:, 0]).max() < 0.05 * np.sqrt(3)
    assert exact.normals is not None
    away = np.einsum(
        "ij,ij->i", exact.normals, signed_distances(mesh, exact.mesh.vertices + 0.03 * exact.normals)[:, 1:4]
    )
    assert np.median(away) > 0.99  # outwards


def test_the_noise_is_that_asked_for() -> None:
    """Heights of a level floor: each vertex lies between two values with noise, on average at half of each."""
    floor = Rectangle((6.0, 6.0)).mesh
    surface = remesh(floor, voxel=0.05, noise=0.004, rng=np.random.default_rng(0))
    z = surface.mesh.vertices[:, 2]
    # t = v0 / (v0 - v1) with |v0|, |v1| = voxel / 2: z has the mean of both errors, sigma / sqrt(2).
    assert z.std() == pytest.approx(0.004 / np.sqrt(2), rel=0.03)
    assert abs(z.mean()) < 5 * z.std() / np.sqrt(len(z))
    same = remesh(floor, voxel=0.05, noise=0.004, rng=np.random.default_rng(0))
    assert (same.mesh.vertices == surface.mesh.vertices).all()


def test_open_surfaces_end_where_they_end() -> None:
    surface = remesh(Rectangle((1.0, 0.6)).mesh, voxel=0.05, noise=0.0)
    low, high = surface.mesh.bounds
    half = np.array([0.5, 0.3])
    assert (np.abs(high[:2] - half) <= 0.05).all()
    assert (np.abs(low[:2] + half) <= 0.05).all()
    assert not surface.mesh.watertight


def test_thin_things_do_not_vanish() -> None:
    surface = remesh(shape_mesh(Box((0.8, 0.01, 0.5))), voxel=0.05, noise=0.0)
    assert surface.mesh.watertight
    with pytest.raises(GeometryError, match="noise"):
        remesh(shape_mesh(Sphere(0.2)), noise=0.03)
    with pytest.raises(GeometryError, match="needs rng"):
        remesh(shape_mesh(Sphere(0.2)))


# Scenes


@pytest.mark.parametrize("name", NINE)
def test_scenes_are_perceived(name: str) -> None:
    scene = make_scene(name)
    exact, noisy = perceive(scene, EXACT), perceive(scene)
    expected = {each.name for each in scene.objects} - {"floor"}
    assert set(exact.objects) == set(noisy.objects) == expected
    for each in (*exact.objects.values(), *noisy.objects.values()):
        assert each.protrusion <= 1e-9, each.id
        assert each.category == scene.object(each.id).category
    assert scene.start is not None
    assert scene.goal is not None
    for environment, tolerance in ((exact, 1e-6), (noisy, 0.02)):
        ends = sample_terrain(
            environment.terrain, np.array([scene.start.translation, scene.goal.translation])
        )
        assert np.abs(ends.height).max() < tolerance
        assert (ends.confidence == 1.0).all()


def test_stairs_have_their_heights() -> None:
    places = [(1.0 + 0.4 * k, 0.1) for k in range(7)]
    expected = [0.0, 0.1, 0.2, 0.3, 0.2, 0.1, 0.0]
    assert heights(perceive(make_scene("stairs"), EXACT).terrain, *places) == expected
    assert heights(truth(make_scene("stairs")), *places) == expected
    noisy = sample_terrain(perceive(make_scene("stairs")).terrain, np.array(places)).height
    assert np.abs(noisy - expected).max() < 0.02  # four standard deviations of 4 mm, and slopes within a cell


def test_ramps_have_their_slope() -> None:
    samples = sample_terrain(
        perceive(make_scene("ramps", slope=0.1), EXACT).terrain, np.array([[1.8, 0.0], [3.6, 0.0]])
    )
    assert samples.slope[:, 0] == pytest.approx([0.1, -0.1], abs=0.02)  # of millimetres over 7 cm
    assert samples.height == pytest.approx([0.06, 0.06], abs=1e-3)


def test_a_table_is_no_terrain_and_a_box_is() -> None:
    place = (1.5, -0.9)
    assert heights(perceive(make_scene("right-table"), EXACT).terrain, place) == [0.0]
    low = perceive(make_scene("right-table"), replace(EXACT, headroom=2.0)).terrain
    assert heights(low, place) == [0.95]
    assert heights(perceive(make_scene("obstacles"), EXACT).terrain, (2.4, 0.5)) == [0.3]


def test_the_floor_above_is_not_seen() -> None:
    scene = make_scene("building", floors=2, rooms=3, room=3.0, tread=0.25)
    terrain = perceive(scene, EXACT).terrain
    assert heights(terrain, (0.5, 0.5)) == [0.0]
    everything = perceive(scene, replace(EXACT, ceiling=np.inf)).terrain
    assert heights(everything, (0.5, 0.5)) == [3.0]


def test_what_is_not_visible_is_not_seen() -> None:
    scene = make_scene("unseen-stripe", width=0.3, distance=1.5)
    samples = sample_terrain(perceive(scene, EXACT).terrain, np.array([[1.4, 0.0], [1.65, 0.0], [1.9, 0.0]]))
    assert samples.seen.tolist() == [True, False, True]


def test_moved_things_are_where_they_are() -> None:
    scene = make_scene("moved-box", time=2.0, speed=0.8)
    assert heights(perceive(scene, EXACT).terrain, (2.0, 0.0)) == [0.0]
    assert heights(perceive(scene, EXACT, time=10.0).terrain, (2.0, 0.0)) == [0.4]


def test_volumes_and_grids_of_the_scene_count() -> None:
    volume = SweptVolume((swept_point((0, 0, 0), 0.9),))
    box = SceneObject("box", Box((1.0, 1.0, 1.0)), perception=Perception(volume, voxel=0.2, noise=0.0))
    found = perceive(Scene("s", (box,))).object("box")
    assert found.volume is volume
    assert len(found.surface.mesh.triangles) < 1000


def test_tilted_planes_are_seen_over_the_area() -> None:
    tilt = Transform(rotation_z(0.3) @ rotation_y(-0.2), np.array([0.3, -0.2, 0.1]))
    scene = Scene("s", (SceneObject("floor", Plane(), tilt),))
    terrain = perceive(scene, replace(EXACT, area=((-1.0, -1.5), (1.0, 1.5)))).terrain
    places = np.random.default_rng(0).uniform((-0.95, -1.45), (0.95, 1.45), (100, 2))
    samples = sample_terrain(terrain, places)
    assert samples.seen.all()
    up = tilt.rotation[:, 2]
    expected = tilt.translation[2] - (places - tilt.translation[:2]) @ up[:2] / up[2]
    assert np.abs(samples.height - expected).max() < 1.1e-3
    wall = SceneObject("wall", Plane(), Transform(rotation_x(np.pi / 2), np.zeros(3)))
    with pytest.raises(InvalidEnvironment, match="steep as a wall"):
        perceive(Scene("s", (wall,)))


def test_the_area_holds_everything() -> None:
    (x0, y0), (x1, y1) = seen_area(make_scene("stairs"))
    assert (x0, x1) == pytest.approx((-1.0, 4.5))
    assert (y0, y1) == pytest.approx((-1.6, 1.6))
    assert seen_area(Scene("empty")) == ((-1.0, -1.0), (1.0, 1.0))


def test_seeds_repeat() -> None:
    one, two = (perceive(make_scene("right-wall"), PerceptionOptions(seed=s)).terrain for s in (1, 1))
    other = perceive(make_scene("right-wall"), PerceptionOptions(seed=2)).terrain
    assert all((one.patches[k].heights == two.patches[k].heights).all() for k in one.patches)
    assert any(
        (one.patches[k].heights != other.patches[k].heights).any() for k in one.patches if k in other.patches
    )
    with pytest.raises(FootfallError, match="voxel"):
        PerceptionOptions(voxel=-1.0)


# One look after the other


@pytest.mark.parametrize("seed", range(4))
def test_what_is_seen_bit_by_bit_is_what_is_seen_at_once(seed: int) -> None:
    """Boxes come, move and go; terrain that is drawn only where they do is that of a fresh look."""
    rng, observer = np.random.default_rng(seed), Observer(EXACT)
    scene = make_scene("building", floors=1, rooms=2, seed=seed)
    boxes: dict[str, SceneObject] = {}
    for k in range(8):
        if boxes and rng.random() < 0.3:
            del boxes[str(rng.choice(list(boxes)))]
        name = f"box-{rng.integers(3)}"
        size, place = rng.uniform(0.05, 0.6, 3), rng.uniform((0.0, -5.0), (8.0, 5.0))
        pose = Transform(rotation_z(float(rng.uniform(0, 3))), np.array([*place, size[2] / 2]))
        boxes[name] = SceneObject(name, Box(tuple(size.tolist())), pose)
        now = replace(scene, objects=(*scene.objects, *boxes.values()))
        seen, whole = observer.see(now), perceive(now, EXACT)
        assert set(seen.objects) == set(whole.objects)
        assert set(seen.terrain.patches) == set(whole.terrain.patches)
        for index, patch in whole.terrain.patches.items():
            np.testing.assert_array_equal(seen.terrain.patches[index].heights, patch.heights, str((k, index)))


def test_the_ground_below_a_thing_that_went_is_as_it_was() -> None:
    """Errors of sight stay with what they were made on: a box that comes and goes leaves no trace."""
    scene, observer = make_scene("right-wall"), Observer(PerceptionOptions(seed=3))
    box = SceneObject("box", Box((0.4, 0.4, 0.4)), Transform(np.eye(3), np.array([1.0, -0.3, 0.2])))
    before = observer.see(scene)
    between = observer.see(replace(scene, objects=(*scene.objects, box)))
    after = observer.see(scene)
    assert heights(between.terrain, (1.0, -0.3))[0] > 0.3
    assert all(after.objects[id] is each for id, each in before.objects.items())
    assert set(after.terrain.patches) == set(before.terrain.patches)
    changed = [k for k, patch in before.terrain.patches.items() if after.terrain.patches[k] is not patch]
    assert 0 < len(changed) <= 4
    for k in changed:
        np.testing.assert_array_equal(after.terrain.patches[k].heights, before.terrain.patches[k].heights)
