"""Scene files: every shipped one reads, all that can be written reads back the same, bad input is named."""

from __future__ import annotations

import base64
import contextlib
import zlib
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall
from footfall import Material, Scene, SceneObject, free_body, load_scene, save_scene
from footfall.errors import FootfallError, MissingFile, SceneError, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.scene import GivenMotion, SceneRobot, library, random_terrain
from footfall.scene.toml import parse_scene
from footfall.scene.toml_writer import scene_text
from tests.poses import random_pose


@pytest.mark.parametrize("name", library.names())
def test_shipped_scenes_read_and_write(name: str) -> None:
    scene = load_scene(name)
    assert scene.name == name
    assert scene.objects
    text = scene_text(scene)
    assert scene_text(parse_scene(text)) == text


def full_scene() -> Scene:
    rng = np.random.default_rng(0)
    box = Box((0.1, 0.2, 0.3))
    quaternions = rng.normal(size=(3, 4))
    motion = GivenMotion(np.array([0.0, 1.0, 2.5]), rng.normal(size=(3, 3)), quaternions)
    loop = GivenMotion(
        np.array([0.0, 1.0, 2.0]), np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0]]), periodic=True
    )
    soft = Material(0.3, 1.5, 0.25, 1e4, 20.0)
    free = free_body(box, 2.0, velocity=(1.0, 0.0, 0.0, 0.0, 0.0, 2.0))
    objects = (
        SceneObject("floor", Plane(), category="floor"),
        SceneObject("terrain", random_terrain(size=(1.0, 2.0)), random_pose(rng), visible=False),
        SceneObject("crate", box, random_pose(rng), soft, color=(1.0, 0.5, 0.0, 1.0), free=free),
        SceneObject("lift", Cylinder(0.2, 0.1), motion=motion, contact=False),
        SceneObject("belt", Capsule(0.2, 0.1), motion=loop),
        SceneObject('a "quoted" name\\', Sphere(0.5), random_pose(rng)),
        SceneObject("rock", Mesh("rock.stl", (1.0, 2.0, 3.0))),
    )
    robots = (
        SceneRobot("left", "lola", random_pose(rng), "idle"),
        SceneRobot("right", "arm-6r", configuration=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5), floating_base=False),
    )
    return Scene("everything", objects, robots, (0.0, 0.1, -1.62), {"source": "made up"})


def test_everything_is_written_and_read_back(tmp_path: Path) -> None:
    scene = full_scene()
    save_scene(scene, tmp_path / "scene.toml")
    back = load_scene(tmp_path / "scene.toml")
    assert scene_text(back) == scene_text(scene)
    assert back.gravity == scene.gravity
    assert dict(back.notes) == dict(scene.notes)
    for one, other in zip(scene.objects, back.objects, strict=True):
        assert (one.name, one.category, one.contact, one.visible, one.color) == (
            other.name,
            other.category,
            other.contact,
            other.visible,
            other.color,
        )
        assert one.material == other.material
        assert (one.placement.rotation == other.placement.rotation).all()
        if isinstance(one.shape, HeightMap):
            assert isinstance(other.shape, HeightMap)
            assert (one.shape.heights == other.shape.heights).all()
            assert (one.shape.spacing, one.shape.origin) == (other.shape.spacing, other.shape.origin)
        else:
            assert one.shape == other.shape
        if one.motion is not None:
            assert other.motion is not None
            assert np.abs(one.motion.velocity(0.7) - other.motion.velocity(0.7)).max() < 1e-12
        if one.free is not None:
            assert other.free is not None
            assert (one.free.inertia == other.free.inertia).all()
            assert one.free.velocity == other.free.velocity
    assert back.robots[1].configuration == scene.robots[1].configuration
    assert back.robots[0].robot.name == "lola"


def test_robots_in_memory_are_not_written() -> None:
    scene = Scene("hall", (), (SceneRobot("arm", footfall.load("arm-6r")),))
    with pytest.raises(SceneError, match="is a robot in memory"):
        scene_text(scene)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box(extents=(1, 1, 1)).export(tmp_path / "meshes" / "box.stl")
    footfall.save(footfall.load("arm-6r"), tmp_path / "arm.toml")
    text = """
    name = "s"
    [[object]]
    name = "rock"
    shape = "mesh"
    path = "meshes/box.stl"
    mass = 2.0
    [[robot]]
    name = "arm"
    source = "arm.toml"
    """
    (tmp_path / "s.toml").write_text(text)
    scene = load_scene(str(tmp_path / "s.toml"))
    rock = scene.object("rock")
    assert isinstance(rock.shape, Mesh)
    assert Path(rock.shape.path).is_file()
    assert rock.free is not None
    assert np.abs(rock.free.inertia - np.eye(3) / 3).max() < 1e-9
    assert scene.robot("arm").robot.nq == 6


def test_heights_may_stand_in_rows() -> None:
    heights = 'shape = "height_map"\nspacing = [1, 2]\nheights = [[0, 1], [2, 3], [4, 5]]\n'
    shape = parse_scene(HEAD + heights).object("a").shape
    assert isinstance(shape, HeightMap)
    assert shape.heights.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert shape.size == (2.0, 2.0)


HEAD = 'name = "s"\n[[object]]\nname = "a"\n'
BOMB = base64.b64encode(zlib.compress(bytes(10**7))).decode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", "s.toml:.* no valid TOML"),
        ("", "missing required field `name`"),
        ('name = "s"\nsky = 1', "unknown field `sky`"),
        (HEAD, "s.toml:2: .*missing required field `shape`"),
        (HEAD + 'shape = "donut"', "s.toml:4: .*Invalid enum value 'donut'"),
        (HEAD + 'shape = "box"', "s.toml:2: object 'a': shape: box lacks size"),
        (HEAD + 'shape = "box"\nsize = [1, 2, 3]\nradius = 1', "box has radius; it takes size"),
        (HEAD + 'shape = "box"\nsize = [1, 2, -3]', "an edge is -3"),
        (HEAD + 'shape = "plane"\nsize = [1, 2, 3]', "plane has size; it takes no sizes"),
        (HEAD + 'shape = "sphere"\nradius = 1\nheights = [[1]]', "sphere has heights"),
        (HEAD + 'shape = "sphere"\nradius = nan', "radius is nan"),
        (HEAD + 'shape = "plane"\nfriction = -1', "friction is -1; it must be at least 0"),
        (HEAD + 'shape = "plane"\nrestitution = 2', "restitution is 2"),
        (HEAD + 'shape = "plane"\nrpy = [0, 0, inf]', "rpy is"),
        (HEAD + 'shape = "plane"\nrpy = [0, 0, 0]\nquaternion = [1, 0, 0, 0]', "at most one"),
        (HEAD + 'shape = "plane"\nmass = 1', "a Plane has no mass"),
        (HEAD + 'shape = "sphere"\nradius = 1\nmass = -1', "mass is -1"),
        (HEAD + 'shape = "sphere"\nradius = 1\ninertia = [1, 1, 1, 0, 0, 0]', "has inertia but no mass"),
        (HEAD + 'shape = "sphere"\nradius = 1\nmass = 1\ninertia = [1, 1, 9, 0, 0, 0]', "no moment greater"),
        (HEAD + 'shape = "height_map"', "needs heights or terrain"),
        (HEAD + 'shape = "height_map"\nheights = [[0, 0], [0, 0]]', "lacks spacing"),
        (HEAD + 'shape = "height_map"\nspacing = [1, 1]\nheights = [[0, 0], [0]]', r"lengths \[1, 2\]"),
        (
            HEAD + 'shape = "height_map"\nspacing = [1, 1]\nheights = [[0, nan], [0, 0]]',
            r"height \[0, 1\] is nan",
        ),
        (
            HEAD + 'shape = "height_map"\nspacing = [1, 1]\nheights = {shape = [2, 2], data = "!"}',
            "no zlib-compressed",
        ),
        (
            HEAD + f'shape = "height_map"\nspacing = [1, 1]\nheights = {{shape = [2, 2], data = "{BOMB}"}}',
            "more than 32",
        ),
        (
            HEAD + 'shape = "height_map"\nspacing = [1, 1]\nheights = {shape = [90000, 90000], data = ""}',
            "heights or triangles; at most",
        ),
        (HEAD + 'shape = "height_map"\nterrain = {kind = "sea"}', "no terrain 'sea'"),
        (HEAD + 'shape = "height_map"\nterrain = {spacing = 0}', "spacing is 0"),
        (HEAD + 'shape = "mesh"\npath = "none.stl"\nmass = 1', "no mesh file 'none.stl'"),
        (HEAD + 'shape = "plane"\n[object.motion]\ntimes = [0]\npositions = [[0, 0, 0]]', "from 2 to"),
        (
            HEAD + 'shape = "plane"\n[object.motion]\ntimes = [0, 1]\npositions = [[0, 0, 0]]',
            "2 times, 1 positions",
        ),
        (HEAD + 'shape = "plane"\n[[object]]\nname = "a"\nshape = "plane"', "an object of this name"),
        ('name = "s"\n[[robot]]\nname = "r"', "missing required field `source`"),
        ('name = "s"\ngravity = [0, 0]', "gravity: Expected `array` of length 3"),
        ('name = "s"\ngravity = [0, 0, inf]', "gravity has the entry inf"),
    ],
)
def test_bad_files_are_refused_with_a_reason(text: str, words: str) -> None:
    with pytest.raises(FootfallError, match=words):
        parse_scene(text, source="s.toml")


def test_bad_sources_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no shipped scene 'stair' .*there are: stairs"):
        load_scene("stair")
    with pytest.raises(MissingFile, match="no file"):
        load_scene(tmp_path / "none.toml")
    with pytest.raises(SceneError, match="is unknown; scenes are in"):
        load_scene(tmp_path / "scene.json")
    with pytest.raises(SceneError, match="is unknown; scenes are in"):
        save_scene(Scene(), tmp_path / "scene.json")
    (tmp_path / "latin.toml").write_bytes(b'name = "s"\n# \xff')
    with pytest.raises(SceneError, match=r"latin\.toml:2: is not UTF-8"):
        load_scene(tmp_path / "latin.toml")
    scene = parse_scene('name = "s"\n[[robot]]\nname = "r"\nsource = "lolla"')
    with pytest.raises(UnknownName, match="no robot 'lolla'"):
        _ = scene.robot("r").robot


@settings(max_examples=150)
@given(data=st.data())
def test_mutated_files_give_scenes_or_named_errors(data: st.DataObject) -> None:
    text = scene_text(load_scene("blocks"))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(len(text), start + data.draw(st.integers(0, 12)))
        added = data.draw(
            st.one_of(st.text(max_size=4), st.sampled_from(["[[object]]", "nan", "-1", '"', "=", "1e999"]))
        )
        text = text[:start] + added + text[stop:]
    with contextlib.suppress(FootfallError):  # anything else is a bug
        parse_scene(text)
