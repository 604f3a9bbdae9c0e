"""COLLADA files that draw much more than they hold are refused; what robots come with is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

from footfall.errors import GeometryError
from footfall.geometry.mesh import load_mesh


def _nested(times: int, tmp_path: Path) -> Path:
    """A box, drawn 1 + 2^times times by nodes that use each other twice."""
    text = trimesh.exchange.dae.export_collada(trimesh.creation.box()).decode()
    drawn = "<instance_geometry" + text.split("<instance_geometry", 1)[1].split("</node>", 1)[0]
    nodes = [f'<node id="n0">{drawn}</node>']
    for k in range(1, times + 1):
        use = f'<instance_node url="#n{k - 1}"/>'
        nodes.append(f'<node id="n{k}">{use}{use}</node>')
    text = text.replace(drawn, f'{drawn}<instance_node url="#n{times}"/>', 1)
    library = f"<library_nodes>{''.join(nodes)}</library_nodes>"
    path = tmp_path / "part.dae"
    path.write_text(text.replace("<library_visual_scenes", library + "<library_visual_scenes", 1))
    return path


def test_nodes_that_use_each_other_are_drawn(tmp_path: Path) -> None:
    # Boxes at the same place: 12 triangles for each use, on the 8 vertices of one.
    mesh = load_mesh(_nested(3, tmp_path))
    assert (len(mesh.triangles), len(mesh.vertices)) == (12 * (1 + 2**3), 8)


def test_more_uses_than_a_mesh_can_have_are_counted_before_they_are_drawn(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match="draws 1099511627777 lists of triangles"):
        load_mesh(_nested(40, tmp_path))


def test_a_node_that_uses_itself_is_refused(tmp_path: Path) -> None:
    path = _nested(1, tmp_path)
    path.write_text(path.read_text().replace('url="#n0"', 'url="#n1"'))
    with pytest.raises(GeometryError, match="more than 60 nodes"):
        load_mesh(path)


def test_what_is_no_xml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "part.dae"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(GeometryError, match="no well-formed XML"):
        load_mesh(path)
