"""Triangles that are drawn have the size, the place and the volume of the shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import footfall
from footfall.errors import ViewerWarning
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.viewer.shells import RUBBER
from footfall.viewer.surfaces import BODY_COLOR, OBJECT_COLOR, Surface, body_surfaces, object_surface


def volume(surface: Surface) -> float:
    """By the divergence theorem, m3; positive if triangles are counter-clockwise seen from outside."""
    a, b, c = (surface.vertices[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (footfall.Box((1.0, 2.0, 3.0)), 6.0),
        (footfall.Sphere(0.5), 4.0 / 3.0 * np.pi * 0.125),
        (footfall.Cylinder(0.5, 2.0), np.pi * 0.25 * 2.0),
        (footfall.Capsule(0.5, 2.0), np.pi * 0.25 * 2.0 + 4.0 / 3.0 * np.pi * 0.125),
    ],
)
def test_volume_of_shapes(shape: footfall.Box, expected: float) -> None:
    surface = object_surface(shape, None)
    assert surface.color == OBJECT_COLOR
    assert volume(surface) == pytest.approx(expected, rel=0.02)


def test_body_in_its_frame_with_one_surface_for_each_color() -> None:
    red = (1.0, 0.0, 0.0, 1.0)
    turned = footfall.Transform(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), np.array([5.0, 0.0, 0.0]))
    body = footfall.Body(
        "b",
        visuals=(
            footfall.robot.Geometry(footfall.Box((2.0, 1.0, 1.0)), turned),
            footfall.robot.Geometry(footfall.Sphere(0.1), color=red),
            footfall.robot.Geometry(footfall.Sphere(0.2), color=red),
        ),
    )
    surfaces = body_surfaces(body)
    by_color = {surface.color: surface for surface in surfaces}
    assert len(by_color) == len(surfaces)
    box, spheres = by_color[BODY_COLOR], by_color[red]
    np.testing.assert_allclose(box.vertices.min(axis=0), [4.5, -0.5, -1.0])
    np.testing.assert_allclose(box.vertices.max(axis=0), [5.5, 0.5, 1.0])
    assert volume(spheres) == pytest.approx(4.0 / 3.0 * np.pi * (0.1**3 + 0.2**3), rel=0.03)


@pytest.mark.parametrize(
    "shape",
    [
        footfall.Box((0.2, 0.3, 0.4)),
        footfall.Capsule(0.05, 0.3),
        footfall.Capsule(0.05, 0.05),
        footfall.Sphere(0.1),
    ],
)
def test_shells_stay_within_the_boxes_of_their_shapes(shape: Any) -> None:
    """But for seams, which are 1.2 % or 1.5 mm larger; and their outside is outside."""
    plain = object_surface(shape, None)
    body = footfall.Body("b", visuals=(footfall.robot.Geometry(shape),))
    for surface in body_surfaces(body):
        most = 1.013 * np.abs(plain.vertices).max(axis=0) + 0.0016
        assert (np.abs(surface.vertices).max(axis=0) <= most).all()
        assert volume(surface) > 0.0
    shell = max(body_surfaces(body), key=volume)
    assert 0.4 * volume(plain) < volume(shell) < 1.1 * volume(plain)


def test_pads_below_feet_are_drawn() -> None:
    bodies = footfall.load("lola").bodies
    feet = [body for body in bodies if any(each.name.endswith("pad") for each in body.collisions)]
    assert len(feet) == 4
    for foot in feet:
        assert RUBBER in [surface.color for surface in body_surfaces(foot)]


def test_box_keeps_sharp_edges() -> None:
    assert len(object_surface(footfall.Box((1.0, 1.0, 1.0)), None).vertices) == 24


def test_missing_mesh_falls_back_to_contact_shapes() -> None:
    body = footfall.Body(
        "foot",
        visuals=(footfall.robot.Geometry(footfall.Mesh("nowhere/foot.stl")),),
        collisions=(footfall.robot.Geometry(footfall.Sphere(0.1)),),
    )
    with pytest.warns(ViewerWarning, match=r"'foot'.*foot\.stl"):
        (surface,) = body_surfaces(body)
    np.testing.assert_allclose(np.abs(surface.vertices).max(), 0.1)


def test_mesh_from_a_file_with_its_scale(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    trimesh.creation.box((1.0, 1.0, 1.0)).export(path)
    body = footfall.Body("b", visuals=(footfall.robot.Geometry(footfall.Mesh(str(path), (1.0, 2.0, 3.0))),))
    (surface,) = body_surfaces(body)
    assert volume(surface) == pytest.approx(6.0)
    assert len(surface.vertices) == 24


def test_height_map_passes_through_its_heights() -> None:
    rng = np.random.default_rng(0)
    terrain = HeightMap(rng.normal(size=(6, 9)), (0.5, 0.25))
    vertices, triangles, _ = object_surface(terrain, None)
    assert len(triangles) == 2 * 5 * 8
    for x, y, z in vertices:
        assert z == pytest.approx(terrain.height(x, y))
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert (normals[:, 2] > 0.0).all()
    assert normals[:, 2].sum() / 2.0 == pytest.approx(2.5 * 2.0)  # area seen from above


def test_large_height_map_is_thinned_out_to_its_rim() -> None:
    terrain = HeightMap(np.zeros((1001, 2)), (0.01, 1.0))
    vertices, triangles, _ = object_surface(terrain, None)
    assert len(vertices) < 1000
    np.testing.assert_allclose(vertices.max(axis=0)[:2], [5.0, 0.5])
    assert triangles.max() == len(vertices) - 1


def test_plane_lies_in_its_plane() -> None:
    vertices, triangles, _ = object_surface(Plane(), (0.0, 1.0, 0.0, 1.0))
    assert (vertices[:, 2] == 0.0).all()
    assert len(triangles) == 2


def test_white_bodies_stand_out_from_the_ground() -> None:
    def color(*given: float) -> tuple[float, ...]:
        geometry = footfall.robot.Geometry(footfall.Sphere(0.1), color=given)  # type: ignore[arg-type]
        return body_surfaces(footfall.Body("ball", visuals=(geometry,)))[0].color

    assert max(color(1.0, 1.0, 1.0, 1.0)[:3]) < 0.8
    assert color(1.0, 1.0, 1.0, 0.5)[3] == 0.5
    assert color(1.0, 0.9, 0.0, 1.0) == (1.0, 0.9, 0.0, 1.0)
