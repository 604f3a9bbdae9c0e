"""Meshes: reading, checking, closedness, and the mass of what they bound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import footfall
from footfall.bench.robots import examples_folder
from footfall.errors import GeometryError, MissingFile
from footfall.geometry.mesh import TriangleMesh, load_mesh, mesh_inertia
from footfall.robot.model import Mesh


def box_mesh(size: tuple[float, float, float] = (1.0, 0.6, 0.4)) -> TriangleMesh:
    made = trimesh.creation.box(extents=size)
    return TriangleMesh(made.vertices, made.faces, "box")


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj"])
def test_files_of_every_format_are_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"box{suffix}"
    trimesh.creation.box(extents=(1.0, 0.6, 0.4)).export(path)
    mesh = load_mesh(path)
    assert len(mesh.vertices) == 8  # those of STL are merged
    assert len(mesh.triangles) == 12
    assert mesh.watertight
    assert np.abs(mesh.bounds - [[-0.5, -0.3, -0.2], [0.5, 0.3, 0.2]]).max() < 1e-6
    assert load_mesh(path) is mesh


def test_scale_stretches_and_mirroring_keeps_the_outside(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=(1.0, 1.0, 1.0)).export(path)
    mesh = load_mesh(path, scale=(2.0, 1.0, -3.0))
    assert np.abs(mesh.bounds[1] - [1.0, 0.5, 1.5]).max() < 1e-12
    outward = np.einsum("ij,ij->i", mesh.corners.mean(axis=1), mesh.face_normals)
    assert (outward > 0.0).all()


def test_a_hole_is_noticed() -> None:
    mesh = box_mesh()
    assert mesh.watertight
    assert not TriangleMesh(mesh.vertices, mesh.triangles[1:]).watertight
    turned = mesh.triangles.copy()
    turned[0] = turned[0, ::-1]
    assert not TriangleMesh(mesh.vertices, turned).watertight


def test_pseudonormals_of_a_box() -> None:
    mesh = box_mesh((2.0, 2.0, 2.0))
    assert np.abs(mesh.vertex_pseudonormals - mesh.vertices / np.sqrt(3)).max() < 1e-12
    middles = (mesh.corners + np.roll(mesh.corners, -1, axis=1)) / 2
    expected = middles / np.linalg.norm(middles, axis=2, keepdims=True)
    diagonal = np.abs(middles).min(axis=2) < 1e-12
    at_rim = diagonal & (np.abs(middles).max(axis=2) > 0.9) & (np.sort(np.abs(middles), axis=2)[..., 1] > 0.9)
    assert at_rim.sum() == 24
    assert np.abs(mesh.edge_pseudonormals - expected)[at_rim].max() < 1e-12


@pytest.mark.parametrize(
    ("vertices", "triangles", "words"),
    [
        (np.zeros((3, 2)), [[0, 1, 2]], r"must be \(n, 3\)"),
        ([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], [[0, 1, 2]], "vertex 2 is"),
        ([[0, 0, 0], [1, 0, 0], [0, 1e200, 0]], [[0, 1, 2]], "vertex 2 is"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]], "there are 3"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, -1]], "there are 3"),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], "no triangle with an area"),
        (np.zeros((0, 3)), np.zeros((0, 3), dtype=int), "no triangle with an area"),
    ],
)
def test_bad_meshes_are_refused(vertices: object, triangles: object, words: str) -> None:
    with pytest.raises(GeometryError, match=words):
        TriangleMesh(np.array(vertices), np.array(triangles))


def test_bad_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no mesh file"):
        load_mesh(tmp_path / "none.stl")
    (tmp_path / "mesh.txt").write_text("x")
    with pytest.raises(GeometryError, match=r"suffix '\.txt' is unknown"):
        load_mesh(tmp_path / "mesh.txt")
    for name, content in (
        ("a.stl", b"solid nothing"),
        ("b.ply", b"ply\nformat ascii 1.0\nend_header\n"),
        ("c.obj", b"\xff"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(GeometryError) as caught:
            load_mesh(tmp_path / name)
        assert name in str(caught.value)


def test_a_file_with_a_wrong_index_is_refused(tmp_path: Path) -> None:
    text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    text += (
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"
    )
    (tmp_path / "wrong.ply").write_text(text)
    with pytest.raises(GeometryError, match=r"wrong\.ply.*vertices 0 to 7; there are 3"):
        load_mesh(tmp_path / "wrong.ply")


def test_mass_of_a_box_and_of_a_moved_ball() -> None:
    center, inertia = mesh_inertia(box_mesh(), 3.0)
    # RSL 2022, (3.14)-(3.25): m (b^2 + c^2) / 12
    assert np.abs(center).max() < 1e-12
    assert np.abs(inertia - 3.0 / 12 * np.diag([0.52, 1.16, 1.36])).max() < 1e-12
    ball = trimesh.creation.icosphere(subdivisions=4, radius=0.5)
    mesh = TriangleMesh(ball.vertices + np.array([1.0, 2.0, 3.0]), ball.faces)
    center, inertia = mesh_inertia(mesh, 2.0)
    assert np.abs(center - [1.0, 2.0, 3.0]).max() < 1e-9
    assert np.abs(inertia - 0.4 * 2.0 * 0.25 * np.eye(3)).max() < 0.01 * 0.2
    with pytest.raises(GeometryError, match="not closed"):
        mesh_inertia(TriangleMesh(mesh.vertices, mesh.triangles[1:]), 1.0)
    with pytest.raises(GeometryError, match="inside out"):
        mesh_inertia(TriangleMesh(mesh.vertices, mesh.triangles[:, ::-1]), 1.0)


def collada(path: Path, asset: str) -> Path:
    """A box of 1 x 0.6 x 0.4 in a COLLADA file whose head says this."""
    trimesh.creation.box(extents=(1.0, 0.6, 0.4)).export(path)
    text = path.read_text()
    begin, end = text.index("<asset>"), text.index("</asset>")
    path.write_text(text[:begin] + "<asset>" + asset + text[end:])
    return path


@pytest.mark.parametrize(
    ("asset", "size"),
    [
        ("<up_axis>Z_UP</up_axis>", (1.0, 0.6, 0.4)),
        ("<up_axis>Y_UP</up_axis>", (1.0, 0.4, 0.6)),
        ("<up_axis>X_UP</up_axis>", (0.6, 0.4, 1.0)),
        ('<unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis>', (0.01, 0.006, 0.004)),
        ("", (1.0, 0.6, 0.4)),
        (
            "<contributor><authoring_tool>VCGLib | MeshLab</authoring_tool></contributor><up_axis>Y_UP</up_axis>",
            (1.0, 0.6, 0.4),
        ),
    ],
)
def test_collada_files_come_into_metres_with_z_upwards(
    tmp_path: Path, asset: str, size: tuple[float, float, float]
) -> None:
    """MeshLab writes Y_UP whatever it holds."""
    mesh = load_mesh(collada(tmp_path / "box.dae", asset))
    np.testing.assert_allclose(mesh.bounds[1] - mesh.bounds[0], size, rtol=1e-5)
    outward = np.einsum("ij,ij->i", mesh.corners.mean(axis=1), mesh.face_normals)
    assert (outward > 0.0).all()  # turned, not mirrored


def test_units_without_meaning_are_refused(tmp_path: Path) -> None:
    for unit in ("0", "-1", "nan", "one"):
        with pytest.raises(GeometryError, match=f"its unit is '{unit}' m"):
            load_mesh(collada(tmp_path / f"{unit}.dae", f'<unit name="u" meter="{unit}"/>'))


def test_the_meshes_of_icub_lie_where_its_bodies_are() -> None:
    """All are Y_UP. Boxes around them have their middle near the centres of mass; untouched they are 8 cm off."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("needs example-robot-data")
    robot = footfall.load(folder / "icub_description" / "robots" / "icub_reduced.urdf", strict=False)
    apart = []
    for body in robot.bodies:
        for geometry in body.visuals:
            assert isinstance(geometry.shape, Mesh)
            mesh = load_mesh(geometry.shape.path, scale=geometry.shape.scale)
            middle = mesh.bounds.mean(axis=0)
            place = geometry.placement.rotation @ middle + geometry.placement.translation
            apart.append(float(np.linalg.norm(place - body.center_of_mass)))
    assert np.mean(apart) < 0.04
    assert max(apart) < 0.12
