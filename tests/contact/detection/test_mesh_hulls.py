"""Meshes of robots as convex hulls: with few corners, with large faces, in parts, shared."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from footfall.contact.detection.hulls import MOST_CORNERS, convex_hull, simpler_hull
from footfall.contact.detection.world import ContactWorld
from footfall.errors import MissingPackage
from footfall.geometry.mesh import TriangleMesh
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box
from tests.contact.detection.pairs import TwoShapes, ball_points
from tests.contact.detection.test_facets import ball_mesh

HERE = identity_transform()


def test_round_hulls_lose_little() -> None:
    """A cap between n corners on a ball of radius r is about 2 pi r / n high."""
    for size in ([1.0, 1.0, 1.0], [1.0, 0.2, 0.05]):
        points = ball_points(5000, 0.1) * size
        simpler = simpler_hull(points)
        assert len(simpler.hull.points) <= MOST_CORNERS
        assert 0.0 < simpler.lost < 4 * np.pi * 0.1 / MOST_CORNERS
        along = ball_points(200, 1.0)
        missing = (points @ along.T).max(axis=0) - (simpler.hull.points @ along.T).max(axis=0)
        assert missing.max() <= simpler.lost + 1e-12
        np.testing.assert_allclose(simpler.hull.points.max(axis=0), points.max(axis=0))
        np.testing.assert_allclose(simpler.hull.points.min(axis=0), points.min(axis=0))


def test_few_corners_stay() -> None:
    points = ball_points(MOST_CORNERS)
    assert simpler_hull(points).lost == 0.0
    assert len(simpler_hull(points).hull.points) == len(convex_hull(points).points)


@pytest.mark.parametrize("ground", [Plane(), Box((1.0, 1.0, 1.0))])
def test_faces_with_hundreds_of_corners(ground: object) -> None:
    """A fine cylinder as a mesh stands on its cap: the points span it."""
    angles = 2 * np.pi * np.arange(200) / 200
    rim = np.column_stack([0.1 * np.cos(angles), 0.2 * np.sin(angles)])
    hull = convex_hull(np.array([[x, y, z] for x, y in rim for z in (-0.1, 0.1)]))
    height = 0.1 + (0.0 if isinstance(ground, Plane) else 0.5)
    found = TwoShapes(hull, ground, fixed=True).contacts(Transform(np.eye(3), np.array([0, 0, height])), HERE)
    np.testing.assert_allclose(found["gap"], 0.0, atol=1e-12)
    np.testing.assert_allclose(found["position"].max(axis=0)[:2], [0.1, 0.2], rtol=5e-3)
    np.testing.assert_allclose(found["position"].min(axis=0)[:2], [-0.1, -0.2], rtol=5e-3)


def test_bodies_share_the_hull_of_a_mesh_and_the_world_says_what_it_lost() -> None:
    world = ContactWorld(3)
    mesh = ball_mesh(4)
    for k in range(3):
        world.add_body(str(k), k, [(mesh, identity_transform(), 1, 1)], None)
    assert len(world.table.pools.hulls) == 1
    assert len(world.report) == 1
    assert "mm inside" in world.report[0]


def hollow() -> TriangleMesh:
    """An L of two boxes."""
    import trimesh

    parts = [
        trimesh.creation.box([1.0, 0.2, 0.2]),
        trimesh.creation.box([0.2, 0.2, 1.0]).apply_translation([0.4, 0.0, 0.6]),
    ]
    whole = trimesh.util.concatenate(parts)
    return TriangleMesh(whole.vertices, whole.faces, "elbow")


def test_hollow_meshes_come_in_parts_where_a_library_divides_them() -> None:
    pytest.importorskip("coacd")
    one, parts = ContactWorld(1), ContactWorld(1, divided=True)
    for world in (one, parts):
        world.add_body("elbow", 0, [(hollow(), identity_transform(), 1, 1)], None)
    assert len(one.shapes("elbow")) == 1
    assert len(parts.shapes("elbow")) >= 2


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(MissingPackage, match="pip install coacd"):
        ContactWorld(1, divided=True).add_body("elbow", 0, [(hollow(), identity_transform(), 1, 1)], None)
