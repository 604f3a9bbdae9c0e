"""Objects: surfaces are checked, volumes hold them, distances are those of a second algorithm."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall import Transform
from footfall.environment import Environment, EnvironmentObject, ObjectSurface, box_volume, object_distances
from footfall.environment.objects import protrusion
from footfall.errors import GeometryError, InvalidEnvironment
from footfall.geometry.mesh import TriangleMesh
from footfall.volumes import SweptVolume, swept_distance, swept_line, swept_point
from tests.poses import random_pose


def box_mesh(size: tuple[float, float, float]) -> TriangleMesh:
    box = trimesh.creation.box(size)
    return TriangleMesh(box.vertices, box.faces, "box")


def box_object(
    id: str, size: tuple[float, float, float], pose: Transform, category: str = "wall"
) -> EnvironmentObject:
    half = np.array(size) / 2
    return EnvironmentObject(id, category, ObjectSurface(box_mesh(size)), box_volume(-half, half), pose)


@settings(max_examples=50, deadline=None)
@given(st.tuples(*[st.floats(0.01, 5.0)] * 3), st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_the_volume_of_a_box_holds_it(size: tuple[float, ...], middle: tuple[float, ...]) -> None:
    lower, upper = np.array(middle) - np.array(size) / 2, np.array(middle) + np.array(size) / 2
    volume = box_volume(lower, upper)
    mesh = box_mesh(size)  # type: ignore[arg-type]
    moved = TriangleMesh(mesh.vertices + middle, mesh.triangles)
    assert protrusion(volume, moved) <= 0.0
    shrunk = SweptVolume(tuple(type(e)(e.corners, e.radius * 0.99) for e in volume.elements))
    assert protrusion(shrunk, moved) > 0.0  # the comparison can fail: one hundredth too small is seen


def test_proportions_choose_the_kind() -> None:
    kinds = {
        (1.0, 1.0, 1.0): ["point"],
        (2.0, 0.1, 0.1): ["line"],
        (0.1, 3.0, 0.12): ["line"],
        (2.0, 0.05, 0.8): ["triangle", "triangle"],
        (0.8, 0.83, 0.04): ["triangle", "triangle"],
    }
    for size, expected in kinds.items():
        volume = box_volume(-np.array(size) / 2, np.array(size) / 2)
        assert [element.kind for element in volume.elements] == expected, size


def test_what_sticks_out_between_corners_is_found() -> None:
    """Both ends of a bar lie in a ball, its middle in none: corners alone would not tell."""
    mesh = box_mesh((2.0, 0.02, 0.02))
    balls = SweptVolume((swept_point((-1.0, 0, 0), 0.2), swept_point((1.0, 0, 0), 0.2)))
    assert protrusion(balls, mesh) > 0.5
    capsule = SweptVolume((swept_line((-1.0, 0, 0), (1.0, 0, 0), 0.02),))
    assert protrusion(capsule, mesh) <= 0.0


def test_surfaces_are_checked() -> None:
    mesh = box_mesh((1.0, 1.0, 1.0))
    surface = ObjectSurface(mesh)
    assert surface.normals is not None
    np.testing.assert_allclose(surface.normals, np.sign(mesh.vertices) / np.sqrt(3), atol=1e-12)
    with pytest.raises(InvalidEnvironment, match="normals have shape"):
        ObjectSurface(mesh, np.zeros((3, 3)))
    with pytest.raises(InvalidEnvironment, match=r"confidence in \[0, 1\]"):
        ObjectSurface(mesh, confidence=np.full(8, 1.5, np.float32))
    with pytest.raises(InvalidEnvironment, match="colors have shape"):
        ObjectSurface(mesh, colors=np.zeros((2, 3), np.uint8))
    with pytest.raises(GeometryError, match="no triangle with an area"):
        TriangleMesh(np.zeros((3, 3)), np.array([[0, 1, 2]]))


@pytest.mark.parametrize(
    ("id", "category"), [("", "wall"), ("a\nb", "wall"), ("a" * 200, "wall"), ("a", "\x00")]
)
def test_names_are_checked(id: str, category: str) -> None:
    with pytest.raises(InvalidEnvironment, match=r"id|category"):
        EnvironmentObject(
            id, category, ObjectSurface(box_mesh((1, 1, 1))), box_volume(-np.ones(3), np.ones(3))
        )


def test_objects_move_without_their_geometry() -> None:
    one = box_object("a", (1, 1, 1), random_pose(np.random.default_rng(0)))
    pose = random_pose(np.random.default_rng(1))
    moved = one.moved(pose)
    assert moved.surface is one.surface
    np.testing.assert_allclose(moved.world_vertices[0], pose.apply(one.surface.mesh.vertices[0]), atol=1e-12)


def test_distances_are_those_of_pairs() -> None:
    rng = np.random.default_rng(3)
    sizes = [(1.0, 1.0, 1.0), (2.0, 0.1, 0.1), (2.0, 0.05, 0.8)]
    objects = [box_object(f"o{k}", size, random_pose(rng)) for k, size in enumerate(sizes)]
    objects.append(box_object("ground", (9.0, 9.0, 0.1), random_pose(rng), "floor"))
    environment = Environment(objects={each.id: each for each in objects})
    points = rng.uniform(-3.0, 3.0, (300, 3))
    found = object_distances(environment, points)
    assert found.ids == ("o0", "o1", "o2")
    for k, point in enumerate(points):
        gaps = [
            swept_distance(each.volume, swept_point(point, 0.0), first_pose=each.placement).bounded_distance
            for each in objects[:3]
        ]
        assert found.distance[k] == pytest.approx(min(gaps), abs=1e-9)
        assert found.nearest[k] == int(np.argmin(gaps))
    assert object_distances(Environment(), points).distance.min() == np.inf
    with pytest.raises(InvalidEnvironment, match="points have shape"):
        object_distances(environment, np.zeros((2, 2)))


def test_objects_are_pickled() -> None:
    one = box_object("a", (1, 2, 3), random_pose(np.random.default_rng(0)))
    back = pickle.loads(pickle.dumps(one))
    assert (back.surface.mesh.vertices == one.surface.mesh.vertices).all()
    assert back.id == "a"


# Topology


def test_topology_of_a_cube() -> None:
    topology = ObjectSurface(box_mesh((1, 1, 1))).topology
    assert len(topology.edges) == 18  # 12 edges and 6 diagonals
    assert topology.euler_characteristic == 2
    assert not topology.border.any()
    assert (topology.uses == 2).all()
    assert topology.is_manifold


def test_topology_of_an_open_plate() -> None:
    x, y = np.meshgrid(np.arange(4.0), np.arange(3.0), indexing="ij")
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(12)])
    cells = np.array([3 * i + j for i in range(3) for j in range(2)])
    triangles = np.concatenate(
        [np.column_stack([cells, cells + 3, cells + 4]), np.column_stack([cells, cells + 4, cells + 1])]
    )
    topology = ObjectSurface(TriangleMesh(vertices, triangles)).topology
    assert topology.euler_characteristic == 1
    assert len(topology.border_edges) == 10
    assert np.flatnonzero(~topology.border).tolist() == [4, 7]
    assert topology.ring(0).tolist() == [1, 3, 4]
    assert set(topology.ring(0, 2)) > set(topology.ring(0))
    for triangle, edges in enumerate(topology.triangle_edges):
        a, b, c = triangles[triangle]
        for k, (u, v) in enumerate(((a, b), (b, c), (c, a))):
            assert topology.edges[edges[k]].tolist() == sorted((u, v))
