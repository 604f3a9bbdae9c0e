"""Shapes of scenes that are meshes: areas, volumes, inertia and distances against closed forms; files; errors."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject, Simulation, free_body
from footfall.contact.classic.broad_phase import bounding_box
from footfall.contact.convex import convex_of
from footfall.contact.detection.pools import Carried, PoolBuilder, shapes_of
from footfall.contact.detection.shapes import Kind
from footfall.contact.distance_functions import local_distance
from footfall.errors import FootfallError, SceneError
from footfall.math.transform import Transform, identity_transform
from footfall.recording.foxglove import scene_shapes
from footfall.scene import Circle, Cone, Icosphere, Rectangle, Triangles, triangles_shape
from footfall.scene.model import solid_inertia
from footfall.scene.shapes import SECTIONS, MeshShape
from footfall.scene.toml import parse_scene
from footfall.scene.toml_writer import scene_text
from footfall.viewer.surfaces import object_surface

TETRAHEDRON = Triangles(
    ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)
SHAPES: list[MeshShape] = [
    Rectangle((2.0, 3.0)),
    Circle(0.5),
    Cone(0.3, 0.8),
    Icosphere(0.4),
    TETRAHEDRON,
]
# A polygon of n sides in a circle has the share n sin(2 pi / n) / (2 pi) of its area.
POLYGON = SECTIONS * np.sin(2 * np.pi / SECTIONS) / (2 * np.pi)


def area(shape: MeshShape) -> float:
    a, b, c = shape.mesh.corners.swapaxes(0, 1)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def volume(shape: MeshShape) -> float:
    return float(np.linalg.det(shape.mesh.corners).sum() / 6)


def test_areas_and_volumes() -> None:
    assert area(Rectangle((2.0, 3.0))) == pytest.approx(6.0, rel=1e-12)
    assert area(Circle(0.5)) == pytest.approx(np.pi / 4 * POLYGON, rel=1e-12)
    assert volume(Cone(0.3, 0.8)) == pytest.approx(np.pi * 0.09 * 0.8 / 3 * POLYGON, rel=1e-12)
    assert volume(TETRAHEDRON) == pytest.approx(1 / 6, rel=1e-12)
    ball = 4 / 3 * np.pi * 0.4**3
    errors = [1 - volume(Icosphere(0.4, level)) / ball for level in range(5)]
    assert all(error > 0.0 for error in errors)  # all corners lie on the sphere
    for one, two in pairwise(errors[1:]):
        assert two / one == pytest.approx(0.25, abs=0.03)  # of second order in the edges, which halve


@pytest.mark.parametrize("shape", SHAPES[:2])
def test_flat_shapes_face_upwards(shape: MeshShape) -> None:
    np.testing.assert_allclose(
        shape.mesh.face_normals, np.tile([0.0, 0.0, 1.0], (len(shape.mesh.triangles), 1))
    )


@pytest.mark.parametrize("shape", SHAPES[2:])
def test_solid_shapes_are_closed(shape: MeshShape) -> None:
    assert shape.mesh.watertight
    assert volume(shape) > 0.0  # outwards


def test_inertia_of_a_cone_is_that_of_its_mesh() -> None:
    center, inertia = solid_inertia(Cone(0.3, 0.8), 2.0)
    from footfall.geometry.mesh import mesh_inertia

    other, second = mesh_inertia(Cone(0.3, 0.8).mesh, 2.0)
    np.testing.assert_allclose(center, other, atol=1e-12)
    assert inertia[2, 2] == pytest.approx(0.3 * 2.0 * 0.09)  # 3/10 m r^2
    # The polygon of 48 sides has 1 - 2 pi^2 / (3 n^2) of the second moment, about 0.3 %.
    np.testing.assert_allclose(inertia, second, rtol=4e-3, atol=1e-12)
    assert not np.allclose(center, np.zeros(3))
    with pytest.raises(SceneError, match="Rectangle has no mass"):
        solid_inertia(Rectangle((1.0, 1.0)), 1.0)


def test_distances() -> None:
    distance, normal = local_distance(Rectangle((2.0, 2.0)), np.array([0.3, 0.2, 0.7]))
    assert distance == pytest.approx(0.7)
    assert normal == pytest.approx([0.0, 0.0, 1.0])
    assert local_distance(Rectangle((2.0, 2.0)), np.array([0.3, 0.2, -0.1]))[0] == pytest.approx(-0.1)
    assert local_distance(Rectangle((2.0, 2.0)), np.array([4.0, 5.0, 0.0]))[0] == pytest.approx(5.0)
    # A cone's side is at the distance of the point to its slant line.
    cone, point = Cone(0.3, 0.8), np.array([0.5, 0.0, 0.0])
    # Normal of the line from the rim to the tip, in x and z.
    slant = np.array([0.8, 0.3]) / np.hypot(0.8, 0.3)
    assert local_distance(cone, point)[0] == pytest.approx(slant @ (0.5, -0.4), abs=1e-9)
    inner, outer = 0.4 * 0.95, 0.4  # an icosphere of two subdivisions lies between two spheres
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        point = 2.0 * direction / np.linalg.norm(direction)
        assert 2.0 - outer <= local_distance(Icosphere(0.4), point)[0] <= 2.0 - inner


@pytest.mark.parametrize("shape", SHAPES)
def test_everybody_knows_the_shapes(shape: MeshShape) -> None:
    """Drawing, bounds, hulls, detection and recordings."""
    lower, upper = bounding_box(shape, identity_transform())
    np.testing.assert_allclose([lower, upper], shape.mesh.bounds)
    assert len(object_surface(shape, None).triangles) >= 2
    assert len(convex_of(shape).vertices) >= 3
    for solid, kind in ((True, Kind.HULL), (False, Kind.MESH)):
        if solid and isinstance(shape, Rectangle | Circle):
            continue
        (record,) = shapes_of(shape, identity_transform(), Carried(-1, 0, solid=solid), PoolBuilder())
        assert record.kind == kind
    scene_shapes(0.0, Scene("s", (SceneObject("a", shape),)))
    assert pickle.loads(pickle.dumps(shape)) == shape


@pytest.mark.parametrize("shape", SHAPES)
def test_files_keep_shapes(shape: MeshShape) -> None:
    scene = Scene("s", (SceneObject("a", shape),))
    back = parse_scene(scene_text(scene))
    assert back.objects[0].shape == shape


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('shape = "rectangle"', "lacks size"),
        ('shape = "rectangle"\nsize = [1.0, 2.0, 3.0]', "shape"),
        ('shape = "rectangle"\nsize = [1.0, 0.0]', "positive"),
        ('shape = "circle"\nradius = 1.0\nlength = 2.0', "has length; it takes radius"),
        ('shape = "cone"\nradius = 1.0', "lacks length"),
        ('shape = "cone"\nradius = nan\nlength = 1.0', "finite"),
        ('shape = "icosphere"\nradius = 1.0\nsubdivisions = 9', "from 0 to 6"),
        (
            'shape = "triangles"\nvertices = [[0.0, 0.0, 0.0]]\ntriangles = [[0, 0, 0]]',
            "no triangle with an area",
        ),
        ('shape = "triangles"\nvertices = [[0.0, 0.0, 0.0]]\ntriangles = [[0, 1, 2]]', "refer to vertices"),
        ('shape = "box"\nsize = [1.0, 2.0]', "size"),
        ('shape = "box"\nsize = [1.0, 2.0, 3.0]\nsubdivisions = 1', "has subdivisions"),
        ('shape = "plane"\nperception = { voxel = 0.0 }', "voxel"),
        ('shape = "plane"\nperception = { noise = -1.0 }', "noise"),
        ('shape = "plane"\nperception = { volume = [] }', "no element"),
    ],
)
def test_wrong_fields_are_named(lines: str, message: str) -> None:
    with pytest.raises(SceneError, match=message):
        parse_scene(f'name = "s"\n[[object]]\nname = "a"\n{lines}\n')


def test_perception_start_and_goal_are_kept() -> None:
    text = """
    name = "s"
    [start]
    position = [0.0, 1.0, 0.0]
    rpy = [0.0, 0.0, 0.5]
    [goal]
    position = [3.0, 0.0, 0.2]
    [[object]]
    name = "a"
    shape = "box"
    size = [1.0, 1.0, 1.0]
    [object.perception]
    voxel = 0.02
    noise = 0.001
    volume = [{ corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]], radius = 0.9 }]
    """
    scene = parse_scene(text)
    assert scene.start is not None
    assert scene.goal is not None
    assert scene.goal.translation.tolist() == [3.0, 0.0, 0.2]
    assert scene.start.rotation[1, 0] == pytest.approx(np.sin(0.5))
    again = parse_scene(scene_text(scene))
    assert scene_text(again) == scene_text(scene)
    perception = again.objects[0].perception
    assert (perception.voxel, perception.noise) == (0.02, 0.001)
    assert perception.volume is not None
    assert perception.volume.elements[0].kind == "line"


def test_a_ball_rests_on_a_rectangle_and_a_cone_on_its_base() -> None:
    """At rest a contact carries the weight: gaps are below what the step lets sink in."""
    from footfall.robot.shapes import Sphere

    floor = SceneObject("floor", Rectangle((4.0, 4.0)), material=Material(friction=0.8))
    ball, cone = Sphere(0.1), Cone(0.2, 0.4)
    objects = (
        floor,
        SceneObject(
            "ball", ball, Transform(np.eye(3), np.array([0.0, 0.0, 0.101])), free=free_body(ball, 1.0)
        ),
        SceneObject(
            "cone", cone, Transform(np.eye(3), np.array([1.0, 0.0, 0.201])), free=free_body(cone, 1.0)
        ),
    )
    simulation = Simulation(None, Scene("s", objects), dt=2e-3)
    trajectory = simulation.run(simulation.hold(), 0.3)
    heights = trajectory.q[-1][[2, 9]]
    assert heights == pytest.approx([0.1, 0.2], abs=2e-3)


def test_arrays_make_triangles() -> None:
    shape = triangles_shape(np.array(TETRAHEDRON.vertices), np.array(TETRAHEDRON.triangles))
    assert shape == TETRAHEDRON
    with pytest.raises(FootfallError):
        triangles_shape(np.full((3, 3), np.inf), np.array([[0, 1, 2]]))
