"""The world of an MJCF file as a scene: where MuJoCo has it, touched as closed forms say, and what it lacks is told."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import Scene
from footfall.arrays import Array
from footfall.errors import MissingFile, RobotError, SceneWarning
from footfall.geometry.plane import Plane
from footfall.scene.mjcf import world_of
from footfall.scene.shapes import MeshShape, Triangles

mujoco = pytest.importorskip("mujoco")

WORLD = """
<mujoco model="yard">
  <option gravity="0 0 -3.7"/>
  <asset>
    <hfield name="bumps" nrow="4" ncol="6" size="1.5 0.8 0.3 0.1"
      elevation="0 1 2 0 3 1  4 0 2 1 0 2  1 3 0 4 2 0  2 0 1 3 0 1"/>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  1 1 0  0 0 0.5  0 1 0.5"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.6 0.005 0.0001"/>
    <geom name="wall" type="plane" size="5 5 0.1" pos="9 0 0" euler="0 -90 0" condim="1"/>
    <geom name="step" type="box" size="0.3 0.5 0.05" pos="1 0 0.05" rgba="0.6 0.3 0.2 1"/>
    <geom name="sign" type="box" size="0.1 0.1 0.1" pos="0 3 2" contype="0" conaffinity="0"/>
    <geom name="field" type="hfield" hfield="bumps" pos="-3 1 0.2" euler="0 0 30"/>
    <geom name="wedge" type="mesh" mesh="wedge" pos="-2 -3 0.1" euler="0 0 70"/>
    <geom name="ball" type="capsule" size="0.1 0.2" pos="3 3 0.2"/>
    <body name="ball" pos="1 0 0.5"><freejoint/><geom size="0.06"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "yard.xml"
    path.write_text(WORLD)
    return path


@pytest.fixture
def scene(path: Path) -> Scene:
    return footfall.load_scene(path)


def across(a: Array, b: Array) -> Array:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def height_above(thing: footfall.SceneObject, place: Array) -> float:
    """Of the highest triangle of an object at a place (x, y); -inf beside it."""
    assert isinstance(thing.shape, MeshShape)
    vertices, triangles = thing.shape.triangles_of()
    corners = (vertices @ thing.placement.rotation.T + thing.placement.translation)[triangles]
    edges = corners[:, 1:] - corners[:, :1]
    area = across(edges[:, 0], edges[:, 1])
    away, upright = place - corners[:, 0, :2], np.abs(area) > 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        first = across(away, edges[:, 1]) / area
        second = across(edges[:, 0], away) / area
        heights = corners[:, 0, 2] + first * edges[:, 0, 2] + second * edges[:, 1, 2]
    inside = upright & (first >= 0.0) & (second >= 0.0) & (first + second <= 1.0)
    return float(np.max(heights[inside], initial=-np.inf))


def test_everything_is_where_the_file_has_it(scene: Scene) -> None:
    assert scene.name == "yard"
    assert scene.gravity == (0.0, 0.0, -3.7)
    floor, wall, step, sign = (scene.object(name) for name in ("floor", "wall", "step", "sign"))
    assert (floor.category, floor.material.friction) == ("floor", 0.6)
    assert (wall.category, wall.material.friction) == ("", 0.0)  # condim 1
    np.testing.assert_allclose(wall.placement.rotation[:, 2], [-1.0, 0.0, 0.0], atol=1e-12)
    assert step.shape == footfall.Box((0.6, 1.0, 0.1))
    assert step.material.friction == 1.0  # MuJoCo's default
    assert step.color == (0.6, 0.3, 0.2, 1.0)
    assert (sign.contact, step.contact) == (False, True)
    assert isinstance(floor.shape, Plane)
    # Names of bodies are theirs.
    assert [each.name for each in scene.objects][-1] == "ball_2"


@pytest.mark.parametrize("name", ["field", "wedge"])
def test_surfaces_are_those_that_rays_of_mujoco_meet(scene: Scene, name: str) -> None:
    """Heights of a field are in single precision: 6e-8 of 0.5 m, and a ray's arithmetic."""
    model = mujoco.MjModel.from_xml_string(WORLD)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    thing, number = scene.object(name), model.geom(name).id
    met, rng = 0, np.random.default_rng(0)
    for place in thing.placement.translation[:2] + rng.uniform(-1.5, 1.5, (500, 2)):
        found = np.zeros(1, np.int32)
        length = mujoco.mj_ray(
            model, data, np.array([*place, 2.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, found
        )
        height = height_above(thing, place)
        if found[0] == number:
            met += 1
            assert height == pytest.approx(2.0 - length, abs=1e-6)
        else:
            assert height < 0.0 or not np.isfinite(height)
    assert met > 20


def test_a_ball_comes_to_rest_on_the_step(path: Path, scene: Scene) -> None:
    """At the height of the step and its radius, 0.1 + 0.06 m, and it weighs what the file's gravity says."""
    with pytest.warns(SceneWarning, match="step, field, wedge, ball; load_scene has them"):
        robot = footfall.load(path)
    simulation = footfall.Simulation(robot, scene)
    run = simulation.run(simulation.zero_command, 1.5)
    np.testing.assert_allclose(run.q[-1, :3], [1.0, 0.0, 0.16], atol=1e-6)
    assert run.force_on("step")[-1, 2] == pytest.approx(-3.7 * robot.mass, rel=1e-6)


def test_what_a_scene_cannot_have_is_told(tmp_path: Path) -> None:
    path = tmp_path / "odd.xml"
    path.write_text(
        '<mujoco><worldbody><geom name="egg" type="ellipsoid" size="1 1 2"/><geom name="ground" type="plane" '
        'size="1 1 1" contype="2" conaffinity="2"/><body><freejoint/><geom size="0.1" contype="2" conaffinity="2"/>'
        "</body></worldbody></mujoco>"
    )
    with pytest.warns(SceneWarning) as told:
        scene = footfall.load_scene(path)
    assert [each.name for each in scene.objects] == ["ground"]
    assert len(told) == 1
    assert "odd.xml: left out: egg (ellipsoids" in str(told[0].message)
    assert "groups of the world" in str(told[0].message)


def test_groups_that_make_no_difference_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "usual.xml"
    path.write_text(
        '<mujoco><worldbody><geom type="plane" size="1 1 1" conaffinity="7"/><body><freejoint/>'
        '<geom size="0.1" contype="1" conaffinity="0"/></body></worldbody></mujoco>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [each.name for each in footfall.load_scene(path).objects] == ["geom 0"]


def test_large_fields_are_told(tmp_path: Path) -> None:
    path = tmp_path / "large.xml"
    path.write_text(
        '<mujoco><asset><hfield name="f" nrow="400" ncol="400" size="1 1 1 1"/></asset><worldbody>'
        '<geom name="land" type="hfield" hfield="f"/></worldbody></mujoco>'
    )
    with pytest.warns(SceneWarning, match="land .*more than 200000 triangles"):
        assert footfall.load_scene(path).objects == ()


def test_files_without_a_world_have_none(tmp_path: Path, path: Path) -> None:
    bare = tmp_path / "bare.xml"
    bare.write_text('<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>')
    urdf = tmp_path / "robot.xml"
    urdf.write_text('<robot name="r"><link name="a"/></robot>')
    assert [world_of(each) is None for each in (bare, urdf, path)] == [True, True, False]
    with pytest.raises(RobotError, match=r"robot\.xml:1: root element is <robot>; an MJCF has <mujoco>"):
        footfall.load_scene(urdf)
    with pytest.raises(MissingFile, match=r"none\.xml"):
        footfall.load_scene(tmp_path / "none.xml")


def test_a_world_is_written_as_a_scene_file(scene: Scene, tmp_path: Path) -> None:
    footfall.save_scene(scene, tmp_path / "yard.toml")
    again = footfall.load_scene(tmp_path / "yard.toml")
    assert [each.name for each in again.objects] == [each.name for each in scene.objects]
    field, kept = (one.object("field").shape for one in (again, scene))
    assert isinstance(field, Triangles)
    assert field == kept
