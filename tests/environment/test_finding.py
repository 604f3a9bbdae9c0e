"""Objects found in depth frames: against the scenes that the frames were drawn of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import Box, Plane, Scene, SceneObject, Transform
from footfall.environment import (
    DepthCamera,
    Environment,
    EnvironmentUpdate,
    FindingOptions,
    FusedSurface,
    FusionOptions,
    ObjectFinder,
    SeenScene,
    map_frame,
    object_distances,
    render_depth,
    reset_area,
    updated,
)
from footfall.environment.depth_camera import DepthFrame
from footfall.environment.depth_mapper import tight_volume
from footfall.environment.objects import _depths, protrusion
from footfall.errors import InvalidEnvironment
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.mesh_distance import signed_distances
from footfall.math.rotations import rotation_y, rotation_z
from footfall.robot.shapes import Sphere
from footfall.scene import make_scene
from footfall.scene.shape_meshes import shape_mesh

QUIET = DepthCamera(noise=0.0)


def head(x: float, y: float = 0.0, yaw: float = 0.0, tilt: float = 0.5, z: float = 1.7) -> Transform:
    return Transform(rotation_z(yaw) @ rotation_y(tilt), np.array([x, y, z]))


def walked(scene: Scene, camera: DepthCamera, *, frames: int = 16) -> Environment:
    """What is believed after a head has walked to the goal, looking around."""
    assert scene.goal is not None
    seen, rng, environment, finder = SeenScene(scene), np.random.default_rng(0), Environment(), ObjectFinder()
    environment = updated(environment, reset_area(environment.terrain, (0.0, 0.0), 0.0))
    for k in range(frames):
        x = k / frames * float(scene.goal.translation[0])
        pose = head(x, yaw=0.9 * np.sin(0.9 * k), tilt=0.5 + 0.2 * np.cos(0.7 * k))
        frame = render_depth(seen, camera, pose, rng=rng if camera.noise else None)
        environment = updated(environment, map_frame(environment.terrain, frame))
        finder.add(frame)
    return updated(environment, finder.update(environment, stands=(0.0, 0.0)))


def bounds_of(scene: Scene, name: str) -> np.ndarray:
    each = scene.object(name)
    assert isinstance(each.shape, Box)
    half = np.array(each.shape.size) / 2
    return np.array([each.placement.translation - half, each.placement.translation + half])


# Surfaces


@pytest.mark.parametrize("shape", [Box((0.6, 0.5, 0.7)), Sphere(0.4)])
def test_surfaces_lie_where_they_are(shape: Box | Sphere) -> None:
    """Seen from all around without noise: distances along rays are linear near a surface, so it is met within a
    fraction of a voxel but for edges, which the grid rounds."""
    middle = np.array([0.0, 0.0, 1.2])
    scene = Scene("s", (SceneObject("thing", shape, Transform(rotation_z(0.3), middle)),))
    seen, fused = SeenScene(scene), FusedSurface()
    for yaw in np.arange(8) * np.pi / 4:
        eye = middle - 1.5 * np.array([np.cos(yaw), np.sin(yaw), -0.3])
        fused.add(render_depth(seen, QUIET, Transform(rotation_z(yaw) @ rotation_y(0.3), eye)))
    surface = fused.surface()
    assert surface is not None
    local = (surface.mesh.vertices - middle) @ rotation_z(0.3)
    away = np.abs(signed_distances(shape_mesh(shape), local)[:, 0])
    assert np.median(away) < 0.006
    assert np.percentile(away, 95) < 0.03
    assert surface.confidence is not None
    assert surface.confidence.max() == 1.0
    # Outwards: along the normals one gets away from the middle.
    assert ((surface.normals * local @ np.eye(3)).sum(axis=1) > -0.2).mean() > 0.9


def test_what_was_never_seen_has_no_surface() -> None:
    """Of a box before the camera its front, no back."""
    box = SceneObject("box", Box((0.5, 0.5, 0.5)), Transform(np.eye(3), np.array([1.5, 0.0, 1.0])))
    fused = FusedSurface()
    fused.add(render_depth(Scene("s", (box,)), QUIET, head(0.0, tilt=0.0, z=1.0)))
    surface = fused.surface()
    assert surface is not None
    assert surface.mesh.vertices[:, 0] == pytest.approx(1.25, abs=0.02)
    assert FusedSurface().surface() is None


def test_means_of_noisy_frames_are_better() -> None:
    wall = SceneObject("wall", Box((0.1, 4.0, 4.0)), Transform(np.eye(3), np.array([2.05, 0.0, 1.0])))
    seen, rng, fused = SeenScene(Scene("s", (wall,))), np.random.default_rng(1), FusedSurface()
    errors = []
    for _ in range(6):
        fused.add(render_depth(seen, DepthCamera(), head(0.0, tilt=0.0, z=1.0), rng=rng))
        surface = fused.surface()
        assert surface is not None
        errors.append(float(np.std(surface.mesh.vertices[:, 0])))
    assert errors[0] > 0.015
    assert errors[-1] < 0.7 * errors[0]


def test_memory_is_that_of_the_surroundings() -> None:
    """Thirty metres of floor take no more than six."""
    seen, fused = SeenScene(Scene("s", (SceneObject("floor", Plane()),))), FusedSurface()
    sizes = []
    for x in np.arange(0.0, 30.0, 2.0):
        fused.add(render_depth(seen, QUIET, head(float(x))))
        sizes.append(fused.size)
    assert max(sizes[6:]) <= 1.3 * max(sizes[:6])
    assert fused.bounds[0, 0] > 20.0


@pytest.mark.parametrize(
    ("options", "words"),
    [({"voxel": 0.0}, "voxel"), ({"band": 1.0}, "band"), ({"reach": 1e6}, "reach"), ({"sure": 0.0}, "sure")],
)
def test_wrong_fusion_is_refused(options: dict[str, float], words: str) -> None:
    with pytest.raises(InvalidEnvironment, match=words):
        FusionOptions(**options)


# Objects


def test_walls_and_tables_are_told_apart() -> None:
    for name, thing, category in (("right-wall", "right-wall", "wall"), ("right-table", "table", "table")):
        scene = make_scene(name)
        found = walked(scene, DepthCamera()).objects
        assert [each.category for each in found.values()] == [category]
        (seen,) = found.values()
        assert seen.id == "seen-1"
        real = bounds_of(scene, thing)
        vertices = seen.world_vertices
        # Nothing is seen that is not there, but for noise (4 cm at 2 m) and what hides behind the rim: the band.
        assert (vertices.min(axis=0) > real[0] - 0.2).all()
        assert (vertices.max(axis=0) < real[1] + 0.2).all()
        # The side that is turned to the robot is met, and most of the length.
        assert vertices[:, 1].max() == pytest.approx(real[1, 1], abs=0.05)
        assert np.ptp(vertices[:, 0]) > 0.9 * np.ptp(real[:, 0])
        assert seen.protrusion <= 1e-9


def test_boxes_are_obstacles_and_what_one_steps_over_is_floor() -> None:
    scene = make_scene("obstacles")
    found = walked(scene, DepthCamera()).objects
    assert [each.category for each in found.values()] == ["obstacle"] * 2
    for name, each in zip(("left-box", "right-box"), found.values(), strict=True):
        middle = each.world_vertices.mean(axis=0)
        assert middle[:2] == pytest.approx(bounds_of(scene, name).mean(axis=0)[:2], abs=0.15)


@pytest.mark.parametrize("name", ["stairs", "stairs-partial", "ramps"])
def test_what_one_walks_on_is_no_object(name: str) -> None:
    assert not walked(make_scene(name), DepthCamera()).objects


def test_a_yard_between_three_walls_stays_free() -> None:
    """One box around all three would fill it."""
    environment = walked(make_scene("trap"), DepthCamera())
    places = np.array([[2.5, 0.0, 0.3], [2.5, 1.03, 0.3]])
    away = object_distances(environment, places).distance
    nearest = np.asarray(away).reshape(len(places), -1).min(axis=1)
    assert nearest[0] > 0.3
    assert nearest[1] <= 0.0


def test_objects_keep_their_ids_and_go_when_they_are_gone() -> None:
    floor = SceneObject("floor", Plane())
    box = SceneObject("box", Box((0.4, 0.4, 0.6)), Transform(np.eye(3), np.array([1.6, 0.1, 0.3])))
    finder, environment = ObjectFinder(FindingOptions(prefix="thing")), Environment()

    def look(scene: Scene, times: int) -> Environment:
        nonlocal environment
        for _ in range(times):
            frame = render_depth(scene, QUIET, head(0.0))
            environment = updated(environment, map_frame(environment.terrain, frame))
            finder.add(frame)
        environment = updated(environment, finder.update(environment))
        return environment

    both, empty = Scene("s", (floor, box)), Scene("s", (floor,))
    assert list(look(both, 2).objects) == ["thing-1"]
    assert list(look(both, 2).objects) == ["thing-1"]
    assert not look(empty, 12).objects
    assert list(look(both, 12).objects) == ["thing-2"]


def test_others_objects_are_left_alone() -> None:
    scene = make_scene("right-wall")
    before = walked(scene, QUIET, frames=8)
    (own,) = before.objects.values()
    given = own.moved(Transform(np.eye(3), np.array([2.0, 1.0, 0.5])))
    environment = updated(before, EnvironmentUpdate(objects=(replace(given, id="door"),)))
    finder = ObjectFinder()
    finder.add(render_depth(scene, QUIET, head(0.0)))
    assert "door" not in finder.update(environment).remove


def test_without_floor_it_says_what_to_do() -> None:
    finder = ObjectFinder()
    assert not finder.update(Environment()).objects
    wall = SceneObject("wall", Box((0.1, 9.0, 9.0)), Transform(np.eye(3), np.array([2.05, 0.0, 0.0])))
    finder.add(render_depth(Scene("s", (wall,)), QUIET, head(0.0, tilt=0.0)))
    with pytest.raises(InvalidEnvironment, match="look at the ground"):
        finder.update(Environment())


@pytest.mark.parametrize("options", [{"step": 0.0}, {"area": -1.0}, {"clearance": 20.0}, {"confidence": 2.0}])
def test_wrong_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InvalidEnvironment, match=next(iter(options))):
        FindingOptions(**options)  # type: ignore[arg-type]


def test_frames_of_another_size_are_refused() -> None:
    frame = DepthFrame(np.ones((3, 3), np.float32), QUIET, head(0.0))
    with pytest.raises(InvalidEnvironment, match="240, 320"):
        FusedSurface().add(frame)


# Volumes


def corner_of_walls() -> TriangleMesh:
    """Two walls 2 m long and 2 m high that meet at a right angle, cut into small triangles."""

    def wall(start: np.ndarray, end: np.ndarray) -> np.ndarray:
        u, v = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 2, 21), indexing="ij")
        points = start + u[..., None] * (end - start) + v[..., None] * np.array([0.0, 0.0, 1.0])
        a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
        return np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])

    turn = rotation_z(0.4)
    corners = np.concatenate(
        [wall(np.zeros(3), np.array([2.0, 0, 0])), wall(np.zeros(3), np.array([0, 2.0, 0]))]
    )
    corners = corners @ turn.T
    return TriangleMesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def test_volumes_hold_everything_and_little_air() -> None:
    mesh = corner_of_walls()
    volume = tight_volume(mesh.corners)
    assert protrusion(volume, mesh) <= 1e-9
    # Between the walls there is air: the bisector, 0.7 m away from both.
    inside = rotation_z(0.4) @ np.array([0.7, 0.7, 1.0])
    assert _depths(volume, inside[None]).min() > 0.4
    box = shape_mesh(Box((0.4, 0.6, 0.5)))
    assert len(tight_volume(box.corners)) <= 2
    assert protrusion(tight_volume(box.corners), box) <= 1e-9
