"""The depth camera against rays that are followed one by one; the map that its frames make against the truth."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall import Box, Plane, Scene, SceneObject, Transform
from footfall.environment import (
    DepthCamera,
    Environment,
    MappingOptions,
    SeenScene,
    Terrain,
    map_frame,
    render_depth,
    sample_terrain,
    truth,
    updated,
)
from footfall.environment.depth_camera import DepthFrame
from footfall.errors import InvalidEnvironment
from footfall.math.rotations import rotation_y, rotation_z
from footfall.robot.shapes import Sphere
from footfall.scene import Cone, Rectangle, make_scene
from tests.poses import random_pose

QUIET = DepthCamera(noise=0.0)


def head(x: float, y: float = 0.0, yaw: float = 0.0, tilt: float = 0.6, z: float = 1.6) -> Transform:
    return Transform(rotation_z(yaw) @ rotation_y(tilt), np.array([x, y, z]))


def ray_depth(triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """Depth along a ray to the nearest of triangles (m, 3, 3), by Moeller and Trumbore 1997."""
    a, b, c = triangles.swapaxes(0, 1)
    u, v = b - a, c - a
    p = np.cross(direction, v)
    det = np.einsum("ij,ij->i", u, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = origin - a
        s = np.einsum("ij,ij->i", t, p) / det
        q = np.cross(t, u)
        w = q @ direction / det
        depth = np.einsum("ij,ij->i", v, q) / det
        hit = (np.abs(det) > 1e-15) & (s >= 0) & (w >= 0) & (s + w <= 1) & (depth > 0.05)
    return float(depth[hit].min()) if hit.any() else np.inf


def random_scene(seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    shapes = [Box((0.5, 0.4, 0.6)), Sphere(0.3), Cone(0.3, 0.7), Rectangle((0.8, 0.5)), Box((0.1, 2.0, 0.3))]
    objects = [SceneObject("floor", Plane())]
    for k, shape in enumerate(shapes):
        pose = random_pose(rng)
        place = np.array([rng.uniform(1.0, 3.0), rng.uniform(-1.0, 1.0), rng.uniform(0.0, 1.0)])
        objects.append(SceneObject(f"o{k}", shape, Transform(pose.rotation, place)))
    return Scene("random", tuple(objects))


@pytest.mark.parametrize("seed", range(4))
def test_depths_are_those_of_single_rays(seed: int) -> None:
    seen = SeenScene(random_scene(seed))
    rng = np.random.default_rng(seed)
    pose = head(0.0, yaw=float(rng.uniform(-0.3, 0.3)), tilt=float(rng.uniform(0.2, 0.8)))
    frame = render_depth(seen, QUIET, pose)
    rays = QUIET.rays() @ pose.rotation.T
    triangles = np.asarray(seen.triangles.corners).reshape(-1, 3, 3)
    pixels = np.column_stack([rng.integers(0, 240, 300), rng.integers(0, 320, 300)])
    differ = 0
    for row, column in pixels:
        expected = ray_depth(triangles, pose.translation, rays[row, column])
        found = float(frame.depth[row, column])
        if not QUIET.nearest <= expected <= QUIET.farthest:
            expected = np.inf
        if np.isinf(expected) or np.isinf(found):
            differ += np.isinf(expected) != np.isinf(found)
        else:
            differ += abs(found - expected) > 1e-5 * expected  # single precision
    assert differ <= 1  # a ray may pass an edge to the other side by rounding


def test_a_floor_has_the_depth_of_its_plane() -> None:
    """n (p + d r) = 0 gives d = height / -r_z."""
    pose = head(0.3, 0.2, 0.4, 0.7)
    frame = render_depth(Scene("s", (SceneObject("floor", Plane()),)), QUIET, pose)
    rays = QUIET.rays() @ pose.rotation.T
    with np.errstate(divide="ignore"):
        expected = np.where(rays[..., 2] < 0, 1.6 / -rays[..., 2], np.inf)
    inside = (expected > 0.2) & (expected < 5.0)
    np.testing.assert_allclose(frame.depth[inside], expected[inside], rtol=2e-6)
    assert np.isinf(frame.depth[expected > 5.001]).all()
    assert np.abs(frame.points()[:, 2]).max() < 1e-5


def test_things_hide_others() -> None:
    wall = SceneObject("wall", Box((0.1, 2.0, 2.0)), Transform(np.eye(3), np.array([2.0, 0.0, 1.0])))
    behind = SceneObject("behind", Box((0.5, 0.5, 0.5)), Transform(np.eye(3), np.array([3.0, 0.0, 1.0])))
    seen = SeenScene(Scene("s", (wall, behind)))
    frame = render_depth(seen, QUIET, head(0.0, tilt=0.0, z=1.0))
    assert frame.owner is not None
    names = {seen.names[k] for k in np.unique(frame.owner) if k >= 0}
    assert names == {"wall"}
    assert frame.depth[120, 160] == pytest.approx(1.95, abs=1e-5)
    around = render_depth(seen, QUIET, head(0.0, 3.0, -0.7, 0.0, 1.0))
    assert around.owner is not None
    assert {seen.names[k] for k in np.unique(around.owner) if k >= 0} == {"wall", "behind"}


def test_the_camera_may_stand_inside_of_clipping() -> None:
    """A floor that reaches behind the camera is cut, not lost."""
    floor = SceneObject("floor", Rectangle((6.0, 6.0)))
    frame = render_depth(Scene("s", (floor,)), QUIET, head(0.0, tilt=1.2))
    assert np.isfinite(frame.depth).all()


def test_noise_grows_with_the_square_of_depth() -> None:
    wall = SceneObject("wall", Box((0.1, 20.0, 20.0)), Transform(np.eye(3), np.array([2.05, 0.0, 0.0])))
    for distance in (1.0, 2.0, 4.0):
        pose = Transform(np.eye(3), np.array([2.0 - distance, 0.0, 0.0]))
        depth = render_depth(Scene("s", (wall,)), DepthCamera(), pose, rng=np.random.default_rng(0)).depth
        kept = depth[np.isfinite(depth)]
        # 76,800 samples: the standard deviation is known to 1 / sqrt(2 n), three times 0.26 %
        if distance < 4.0:
            assert kept.std() == pytest.approx(0.01 * distance**2, rel=0.01)
            assert kept.mean() == pytest.approx(distance, abs=5 * 0.01 * distance**2 / np.sqrt(len(kept)))
    wavy = DepthCamera(noise=0.0, ripple=0.02)
    depth = render_depth(
        Scene("s", (wall,)), wavy, Transform(np.eye(3), np.zeros(3)), rng=np.random.default_rng(0)
    ).depth
    errors = depth - 2.0
    assert 0.01 < errors.std() < 0.12
    assert np.abs(np.diff(errors, axis=1)).max() < 0.2 * np.abs(errors).max()  # smooth


def test_frames_repeat_with_their_seed() -> None:
    seen = SeenScene(make_scene("stairs"))
    one, two = (render_depth(seen, DepthCamera(), head(0.0), rng=np.random.default_rng(3)) for _ in range(2))
    assert (one.depth == two.depth).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 1}, "pixels"),
        ({"width": 10**6, "height": 10**6}, "pixels"),
        ({"view": 4.0}, "view is 4"),
        ({"nearest": 6.0}, "measures from 6 to 5"),
        ({"noise": -1.0}, "noise is -1"),
    ],
)
def test_wrong_cameras_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidEnvironment, match=message):
        DepthCamera(**change)  # type: ignore[arg-type]


def test_wrong_poses_and_frames_are_refused() -> None:
    with pytest.raises(InvalidEnvironment, match="finite"):
        render_depth(make_scene("stairs"), QUIET, Transform(np.eye(3), np.full(3, np.nan)))
    with pytest.raises(InvalidEnvironment, match="depth has shape"):
        map_frame(Terrain(), DepthFrame(np.zeros((2, 2), np.float32), QUIET, head(0.0)))
    with pytest.raises(InvalidEnvironment, match="jump"):
        MappingOptions(jump=0.0)


# Maps


def scanned(name: str, camera: DepthCamera, frames: int = 24) -> Environment:
    """A map filled while a head walks ahead and looks around."""
    scene = make_scene(name)
    assert scene.goal is not None
    seen, rng, environment = SeenScene(scene), np.random.default_rng(0), Environment()
    for k in range(frames):
        x = k / frames * float(scene.goal.translation[0])
        pose = head(x, yaw=0.6 * np.sin(0.9 * k), tilt=0.7 + 0.15 * np.cos(0.7 * k), z=1.7)
        frame = render_depth(seen, camera, pose, rng=rng if camera.noise else None)
        environment = updated(environment, map_frame(environment.terrain, frame))
    return environment


def errors_of(environment: Environment, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Differences to the truth, mm, and confidences, of all cells that were seen."""
    real = truth(make_scene(name)).patches
    errors, trust = [], []
    for index, patch in environment.terrain.patches.items():
        if index in real:
            both = (patch.confidence > 0) & (real[index].confidence > 0)
            errors.append((patch.heights.astype(int) - real[index].heights)[both])
            trust.append(patch.confidence[both])
    return np.concatenate(errors), np.concatenate(trust)


@pytest.mark.parametrize("name", ["stairs", "obstacles"])
def test_a_map_without_noise_is_the_truth(name: str) -> None:
    errors, _ = errors_of(scanned(name, QUIET), name)
    assert len(errors) > 50_000
    assert np.median(np.abs(errors)) <= 1
    # Cells at edges hold one side of the step or the other; elsewhere pixels lie on planes.
    assert (np.abs(errors) > 10).mean() < 0.04


@pytest.mark.parametrize("name", ["stairs", "obstacles"])
def test_a_map_with_noise_is_better_than_one_frame(name: str) -> None:
    errors, trust = errors_of(scanned(name, DepthCamera()), name)
    sure = np.abs(errors[trust > 127])
    # One depth at 2 m is off by 4 cm; seen from 45 degrees that is 2.8 cm in height. Means of some frames are better.
    assert np.median(sure) < 15
    assert np.median(sure) < np.median(np.abs(errors[trust < 64]))  # confidence means something


def test_what_is_hidden_stays_unseen() -> None:
    """Behind a high box nothing is known, until the camera has gone around it."""
    box = SceneObject("box", Box((0.4, 1.0, 1.0)), Transform(np.eye(3), np.array([1.5, 0.0, 0.5])))
    scene = Scene("s", (SceneObject("floor", Plane()), box))
    seen = SeenScene(scene)
    front = updated(Environment(), map_frame(Terrain(), render_depth(seen, QUIET, head(0.0, tilt=0.5))))
    shadow = np.array([[1.9, 0.0], [2.2, 0.1]])
    assert not sample_terrain(front.terrain, shadow).seen.any()
    back = render_depth(seen, QUIET, head(3.5, yaw=np.pi, tilt=0.6))
    both = updated(front, map_frame(front.terrain, back))
    assert sample_terrain(both.terrain, shadow).height == pytest.approx([0.0, 0.0], abs=1e-3)


def test_confidence_grows_and_contradiction_lowers_it() -> None:
    seen = SeenScene(make_scene("empty-floor"))
    frame = render_depth(seen, QUIET, head(0.0))
    environment, place, trust = Environment(), np.array([[1.5, 0.0]]), []
    for _ in range(4):
        environment = updated(environment, map_frame(environment.terrain, frame))
        trust.append(float(sample_terrain(environment.terrain, place).confidence[0]))
    assert trust == sorted(trust)
    assert trust[0] < trust[-1] < 1.0
    # A box appears: at first the map doubts, then it believes.
    box = SceneObject("box", Box((0.6, 0.6, 0.3)), Transform(np.eye(3), np.array([1.5, 0.0, 0.15])))
    changed = render_depth(Scene("s", (SceneObject("floor", Plane()), box)), QUIET, head(0.0))
    once = updated(environment, map_frame(environment.terrain, changed))
    sample = sample_terrain(once.terrain, place)
    assert sample.height[0] == pytest.approx(0.0, abs=1e-3)
    assert sample.confidence[0] < trust[-1]
    for _ in range(8):
        once = updated(once, map_frame(once.terrain, changed))
    assert sample_terrain(once.terrain, place).height[0] == pytest.approx(0.3, abs=2e-3)


def test_only_seen_patches_are_updated() -> None:
    update = map_frame(Terrain(), render_depth(make_scene("empty-floor"), QUIET, head(0.0)))
    assert 5 < len(update.patches) < 120
    nothing = render_depth(Scene("s", ()), QUIET, head(0.0))
    assert not map_frame(Terrain(), nothing).patches


def test_the_camera_of_lola_sees_the_floor_before_it() -> None:
    """Its head frame has x ahead and z up."""
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    pose = footfall.frame_pose(robot, q, "VTCP")
    frame = render_depth(make_scene("empty-floor"), QUIET, pose)
    points = frame.points()
    assert len(points) > 10_000
    assert np.abs(points[:, 2]).max() < 1e-5
    assert points[:, 0].min() > 0.0
    assert points[:, 1].min() < -0.5 < 0.5 < points[:, 1].max()
