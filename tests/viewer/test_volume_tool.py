"""The modelling tool: changes that can be undone, files that are read back, exports that hold what they replace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import footfall
from footfall.errors import FootfallError
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume, swept_triangle
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry, Mesh
from footfall.viewer.volume_editor import VolumeEditor
from footfall.viewer.volume_tool import VolumeTool


def boxes() -> Robot:
    shape = (Geometry(Box((0.2, 0.1, 0.1))),)
    bodies = tuple(Body(name, mass=1.0, inertia=np.eye(3), collisions=shape) for name in ("left", "right"))
    joints = tuple(Joint(f"{body.name}_j", JointType.REVOLUTE, "world", body.name) for body in bodies)
    return Robot("boxes", bodies, joints)


def test_changes_can_be_undone() -> None:
    editor = VolumeEditor(boxes())
    assert editor.bodies == ("left", "right")
    assert editor.coverage("left") is None
    number = editor.add("left", "line")
    editor.change("left", number, corners=np.array([[-0.07, 0, 0], [0.07, 0, 0]]), radius=0.03)
    thin = editor.coverage("left")
    assert thin is not None
    # a corner of the box, 0.03 m beyond the end of the line and 0.05 m beside it twice
    assert thin.protrusion == pytest.approx(np.sqrt(0.03**2 + 2 * 0.05**2) - 0.03, abs=1e-3)
    editor.change("left", number, radius=0.08)
    assert editor.coverage("left").protrusion <= 0.0  # type: ignore[union-attr]
    assert editor.undo()
    assert editor.coverage("left").protrusion > 0.0  # type: ignore[union-attr]
    assert editor.redo()
    assert editor.elements("left")[0].radius == 0.08
    editor.move("left", number, np.array([0.0, 0.01, 0.0]), corner=1)
    assert editor.elements("left")[0].corners[1, 1] == pytest.approx(0.01)
    editor.mirror("left", "y", onto="right")
    assert editor.elements("right")[0].corners[1, 1] == pytest.approx(-0.01)
    assert editor.copy("left", 0) == 1
    editor.delete("left", 0)
    editor.delete("left", 0)
    assert editor.elements("left") == ()
    while editor.undo():
        pass
    assert editor.robot.volumes == ()
    with pytest.raises(FootfallError, match="no element 3"):
        editor.delete("left", 3)
    with pytest.raises(FootfallError, match="kind of element"):
        editor.add("left", "cube")


def test_a_fitted_body_is_saved_and_read_back(tmp_path: Path) -> None:
    editor = VolumeEditor(boxes())
    editor.fit("left", most=2)
    editor.mirror("left", "x", onto="right")
    path = tmp_path / "boxes.toml"
    editor.save(path)
    again = footfall.volumes.load_volumes(boxes(), path)
    for one, other in zip(editor.robot.volumes, again.volumes, strict=True):
        np.testing.assert_array_equal(one.shape.packed, other.shape.packed)
    assert all(each.protrusion <= 1e-9 for each in footfall.volumes.volume_coverage(again).values())
    path.write_text(path.read_text().replace('body = "left"', 'body = "nobody"'))
    with pytest.raises(FootfallError, match="nobody"):
        footfall.volumes.load_volumes(boxes(), path)
    with pytest.raises(FootfallError, match=r"\.toml"):
        editor.save(tmp_path / "boxes.yml")


def test_capsules_and_balls_hold_what_they_replace() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        corners, radius = rng.uniform(-0.2, 0.2, (3, 3)), float(rng.uniform(0.01, 0.1))
        volume = SweptVolume((swept_triangle(*corners, radius),))
        shares = rng.dirichlet(np.ones(3), 300)
        ways = rng.normal(size=(300, 3))
        points = shares @ corners + radius * ways / np.linalg.norm(ways, axis=1)[:, None]
        dots = [SweptSphere(point[None], 0.0) for point in points]
        for parts in (footfall.volumes.as_capsules(volume), footfall.volumes.as_balls(volume)):
            gaps = [footfall.volumes.swept_distances(dots, [part] * len(dots)).distance for part in parts]
            assert np.min(gaps, axis=0).max() <= 1e-12
            assert all(part.radius <= 1.4 * radius + 0.02 for part in parts)


def test_exports_are_read_by_others(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = footfall.load("lola")
    footfall.volumes.export_volumes(robot, tmp_path / "lola.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "lola.xml"))
    assert (model.geom_type == mujoco.mjtGeom.mjGEOM_CAPSULE).sum() >= 20
    footfall.volumes.export_volumes(robot, tmp_path / "lola.yml")
    text = (tmp_path / "lola.yml").read_text()
    assert text.startswith("collision_spheres:\n")
    assert text.count("radius:") == sum(len(footfall.volumes.as_balls(each.shape)) for each in robot.volumes)
    with pytest.raises(FootfallError, match="suffix"):
        footfall.volumes.export_volumes(robot, tmp_path / "lola.txt")
    with pytest.raises(FootfallError, match="fit them first"):
        footfall.volumes.export_volumes(replace(robot, volumes=(), volume_pairs=()), tmp_path / "lola.yml")


def test_the_page_does_what_is_asked_and_tells_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.stl"
    bad.write_bytes(b"solid nothing\nendsolid\n")
    good = tmp_path / "good.stl"
    trimesh.creation.box((0.1, 0.1, 0.1)).export(good)
    bodies = tuple(
        Body(path.stem, mass=1.0, inertia=np.eye(3), collisions=(Geometry(Mesh(str(path))),))
        for path in (good, bad)
    )
    joints = tuple(Joint(f"{body.name}_j", JointType.REVOLUTE, "world", body.name) for body in bodies)
    output = tmp_path / "out.toml"
    with VolumeTool(Robot("meshes", bodies, joints), output, port=0) as tool:
        tool._do(lambda: tool._add("triangle"))
        assert len(tool.editor.elements("good")) == 1
        tool._do(lambda: tool.editor.fit("good", most=1))
        tool._do(tool._save)
        assert "written to out.toml" in tool._message.content
        assert output.exists()
        assert "nothing sticks out" in tool._text.content
        tool.body = "bad"
        tool.show(look=True)
        assert "bad.stl" in tool._text.content
        tool._do(lambda: tool.editor.delete("bad", 0))
        assert "no element 0" in tool._message.content
