"""VRML97 files as CAD programs write them, against trimesh's volumes and against hand-made poses."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import FootfallError, GeometryError
from footfall.geometry.mesh import load_mesh
from footfall.geometry.vrml import read_vrml

CUBE = """#VRML V2.0 utf8
# a cube of 2 m, as six faces of four corners, used twice
WorldInfo { title "a { ] cube" }
DEF part Transform {
  translation 1 2 3  rotation 0 0 1 1.5707963267948966  scale 2 1 0.5
  children [
    DEF body Shape {
      appearance Appearance { material Material { diffuseColor 0.8 0.1 0.1 } }
      geometry IndexedFaceSet {
        coord Coordinate { point [ -1 -1 -1, 1 -1 -1, 1 1 -1, -1 1 -1, -1 -1 1, 1 -1 1, 1 1 1, -1 1 1 ] }
        coordIndex [ 0 3 2 1 -1, 4 5 6 7 -1, 0 1 5 4 -1, 1 2 6 5 -1, 2 3 7 6 -1, 3 0 4 7 -1 ]
        solid TRUE
      }
    }
  ]
}
Group { children [ Transform { scale -1 1 1 translation 10 0 0 children USE body } ] }
"""


def test_poses_and_faces() -> None:
    vertices, triangles = read_vrml(CUBE.encode(), "cube.wrl")
    assert len(vertices) == 16
    assert len(triangles) == 24
    # x of the cube, stretched by 2 and turned by 90 degrees, is y of the world; then moved to (1, 2, 3)
    np.testing.assert_allclose(vertices[:8].min(axis=0), [0.0, 0.0, 2.5], atol=1e-12)
    np.testing.assert_allclose(vertices[:8].max(axis=0), [2.0, 4.0, 3.5], atol=1e-12)
    mesh = trimesh.Trimesh(vertices, triangles, process=False)
    assert mesh.volume == pytest.approx(2 * 4 * 1 + 8)  # mirroring keeps the outside outside


def test_it_is_a_mesh_as_any_other(tmp_path: Path) -> None:
    path = tmp_path / "cube.wrl"
    path.write_text(CUBE)
    assert load_mesh(path, scale=(2.0, 1.0, 1.0)).bounds[1, 0] == pytest.approx(22.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#VRML V2.0", "#VRML V1.0", "VRML97"),
        ("5 4 -1", "5 99 -1", "coordIndex"),
        ("children USE body", "children USE other", "USE other"),
        ("rotation 0 0 1 1.5707963267948966", "rotation 0 0 1", "rotation must be 4 numbers"),
        ("1 1 1, -1 1 1 ]", "1 1 1, -1 1 ]", "three numbers"),
        ("Group { children [", "Group { children", "ends in the middle"),
        ("children USE body } ] }", "children USE body", "ends in the middle"),
    ],
)  # fmt: skip
def test_wrong_files_are_named(old: str, new: str, message: str) -> None:
    assert old in CUBE
    with pytest.raises(GeometryError, match=message):
        read_vrml(CUBE.replace(old, new).encode(), "cube.wrl")


def test_deep_and_endless_files_end() -> None:
    deep = "#VRML V2.0 utf8\n" + "Group { children " * 5000
    with pytest.raises(GeometryError, match="nested"):
        read_vrml(deep.encode(), "deep.wrl")


@given(st.integers(0, len(CUBE)), st.text(alphabet="{}[] \n0123456789.-eUSEDF", max_size=8))
def test_mutations_raise_our_errors_only(place: int, insert: str) -> None:
    changed = CUBE[:place] + insert + CUBE[place + len(insert) :]
    with suppress(FootfallError):
        vertices, triangles = read_vrml(changed.encode(), "cube.wrl")
        assert triangles.max() < len(vertices)


def test_faces_without_corners_are_no_mesh() -> None:
    """Once an empty mesh came back: all of its faces ended before they had three corners."""
    text = re.sub(r"coordIndex\s*\[[^\]]*\]", "coordIndex [ -1, 0, -1, 0, 1, -1 ]", CUBE)
    assert text != CUBE
    with pytest.raises(FootfallError, match="no faces"):
        read_vrml(text.encode(), "cube.wrl")


def test_shapes_that_multiply_are_counted() -> None:
    """Each group uses the one before it twice: 2^40 cubes in two kilobytes."""
    levels = [f"DEF g{k} Group {{ children [ USE g{k - 1} USE g{k - 1} ] }}" for k in range(1, 41)]
    header, body = CUBE.split("\n", 1)
    text = "\n".join([header, f"DEF g0 Group {{ children [ {body} ] }}", *levels])
    with pytest.raises(FootfallError, match="simplify"):
        read_vrml(text.encode(), "cubes.wrl")
