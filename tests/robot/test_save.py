"""Saved robots are the same robots, in the eyes of others: their meshes, masses and where they come to rest."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.bench.robots import examples_folder
from footfall.errors import RobotError, RobotWarning, UnsupportedFeature
from footfall.geometry.mesh import load_mesh
from footfall.robot.load import load
from footfall.robot.model import Box, Geometry, Mesh, Robot
from footfall.robot.save import save

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")
trimesh = pytest.importorskip("trimesh")

from tests.peers.conversions import Converted, Original, differences, resting_height  # noqa: E402

FOLDER = examples_folder()
if FOLDER is None:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)
PACKAGES = [FOLDER, FOLDER.parent, FOLDER.parent.parent]
GO2 = FOLDER / "go2_description/urdf/go2.urdf"
WAYS = [(".xml",), (".toml", ".xml"), (".urdf", ".xml"), (".xml", ".toml", ".urdf", ".xml")]


def _converted(source: Path, way: tuple[str, ...], folder: Path, *, meshes: str = "copy") -> Path:
    path = source
    for number, suffix in enumerate(way):
        robot = load(path, floating_base=True, package_dirs=PACKAGES, srdf=False)
        path = folder / str(number) / f"robot{suffix}"
        path.parent.mkdir()
        save(robot, path, meshes=meshes)
    return path


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_converted_go2_is_go2(way: tuple[str, ...], tmp_path: Path) -> None:
    converted = Converted(_converted(GO2, way, tmp_path))
    inertia, heights = differences(Original(GO2, PACKAGES), converted, seed=5)
    assert inertia < 1e-12
    assert heights < 1e-6  # m: vertices in single precision


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
@pytest.mark.parametrize(
    "name",
    ["bolt_description/robots/bolt.urdf", "talos_data/robots/talos_reduced.urdf"],  # STL; boxes and STL
)
def test_other_robots_are_the_same(name: str, tmp_path: Path) -> None:
    path = FOLDER / name
    converted = Converted(_converted(path, (".urdf", ".toml", ".xml"), tmp_path))
    inertia, heights = differences(Original(path, PACKAGES), converted, seed=6)
    assert inertia < 1e-12
    assert heights < 1e-6


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_converted_go2_rests_where_the_original_does(tmp_path: Path) -> None:
    # MuJoCo's own reader of URDF takes the original; its root is fixed, so it gets a free joint.
    original = mujoco.MjSpec.from_file(str(GO2))
    for mesh in original.meshes:
        mesh.file = str(GO2.parent.parent / "collisions" / Path(mesh.file).name)
    assert len(original.meshes) >= 8
    original.worldbody.first_body().add_freejoint()
    expected = resting_height(original)
    assert expected > 0.05  # it lies on its body and legs
    for way in (WAYS[0], WAYS[3]):
        folder = tmp_path / str(len(way))
        folder.mkdir()
        ours = resting_height(mujoco.MjSpec.from_file(str(_converted(GO2, way, folder))))
        assert ours == pytest.approx(expected, abs=1e-4)


def test_a_missing_foot_is_seen(tmp_path: Path) -> None:
    robot = load(GO2, floating_base=True, srdf=False)
    footless = replace(
        robot, bodies=tuple(replace(b, collisions=()) if b.name == "FL_foot" else b for b in robot.bodies)
    )
    with pytest.warns(RobotWarning, match="left out: velocity limits"):
        save(footless, tmp_path / "robot.xml")
    assert differences(Original(GO2, PACKAGES), Converted(tmp_path / "robot.xml"), seed=5)[1] == np.inf


def _with_mesh(robot: Robot, path: Path, *, visual: bool = False) -> Robot:
    geometry = Geometry(Mesh(str(path), (1.0, 2.0, 1.0)))
    fields = (
        {"visuals": (geometry,), "collisions": ()} if visual else {"visuals": (), "collisions": (geometry,)}
    )
    bodies = [replace(body, visuals=(), collisions=()) for body in robot.bodies]
    return replace(robot, bodies=(replace(bodies[0], **fields), *bodies[1:]))


@pytest.fixture
def robot() -> Robot:
    return load("point-foot-quadruped")


def _quietly(robot: Robot, path: Path, **options: str) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        save(robot, path, **options)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("suffix", [".toml", ".urdf", ".xml"])
@pytest.mark.parametrize("form", ["stl", "stl_ascii", "obj", "ply", "dae"])
def test_meshes_of_all_kinds_arrive(robot: Robot, form: str, suffix: str, tmp_path: Path) -> None:
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    box.apply_translation((0.5, 0.0, 0.0))
    source = tmp_path / f"box.{form.removesuffix('_ascii')}"
    box.export(source, file_type=form)
    (tmp_path / "other").mkdir()
    target = tmp_path / "other" / f"robot{suffix}"
    _quietly(_with_mesh(robot, source), target)
    source.unlink()  # the copy needs nothing else
    again = load(target, strict=False, srdf=False)
    (geometry,) = again.body(robot.bodies[0].name).collisions
    assert isinstance(geometry.shape, Mesh)
    assert Path(geometry.shape.path).parent.name == "robot_meshes"
    sizes = np.ptp(load_mesh(geometry.shape.path).vertices, axis=0)
    # COLLADA of trimesh has y upwards.
    np.testing.assert_allclose(sizes, (0.1, 0.3, 0.2) if form == "dae" else (0.1, 0.2, 0.3), atol=1e-6)
    assert geometry.shape.scale == pytest.approx((1.0, 2.0, 1.0))


def test_reference_names_the_file_where_it_is(robot: Robot, tmp_path: Path) -> None:
    source = tmp_path / "box.stl"
    trimesh.creation.box((1.0, 1.0, 1.0)).export(source)
    _quietly(_with_mesh(robot, source), tmp_path / "robot.xml", meshes="reference")
    assert str(source) in (tmp_path / "robot.xml").read_text()
    assert not (tmp_path / "robot_meshes").exists()
    _quietly(_with_mesh(robot, source), tmp_path / "robot.toml", meshes="none")
    assert "mesh" not in (tmp_path / "robot.toml").read_text()


def test_what_mujoco_cannot_have_is_said(robot: Robot, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.stl"
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]]).export(sheet)
    said = _quietly(_with_mesh(robot, sheet), tmp_path / "touches.xml")
    assert any("is flat, and in MuJoCo only solids touch" in each for each in said)
    said = _quietly(_with_mesh(robot, sheet, visual=True), tmp_path / "seen.xml")
    assert not any("flat" in each for each in said)
    mujoco.MjModel.from_xml_path(str(tmp_path / "seen.xml"))  # as a shell
    said = _quietly(_with_mesh(robot, tmp_path / "nowhere.stl"), tmp_path / "missing.xml")
    assert any("nowhere.stl' is not there" in each for each in said)


def test_files_that_are_there_are_not_overwritten(robot: Robot, tmp_path: Path) -> None:
    folder = tmp_path / "robot_meshes"
    folder.mkdir()
    (folder / "box.stl").write_bytes(b"mine")
    source = tmp_path / "box.stl"
    trimesh.creation.box((1.0, 1.0, 1.0)).export(source)
    for _ in range(2):
        _quietly(_with_mesh(robot, source), tmp_path / "robot.xml")
    assert (folder / "box.stl").read_bytes() == b"mine"
    assert sorted(each.name for each in folder.iterdir()) == ["box.stl", "box_2.stl"]


def test_urdf_keeps_groups_and_configurations_in_an_srdf(tmp_path: Path) -> None:
    lola = load("lola")
    _quietly(lola, tmp_path / "lola.urdf")
    again = load(tmp_path / "lola.urdf")
    assert {name: tuple(members) for name, members in lola.groups.items()}.items() <= dict(
        again.groups
    ).items()
    for name, q in lola.configurations.items():
        np.testing.assert_allclose(again.configuration(name), q, atol=1e-15)
    plain = load("quadruped")
    assert {frozenset(p) for p in plain.apart} <= {frozenset(p) for p in plain.apart}
    save_apart = replace(plain, apart=((plain.bodies[0].name, plain.bodies[3].name),))
    _quietly(save_apart, tmp_path / "quadruped.urdf")
    assert load(tmp_path / "quadruped.urdf").apart == save_apart.apart


def test_left_out_is_listed(tmp_path: Path) -> None:
    (said,) = _quietly(load("lola"), tmp_path / "lola.urdf")
    for words in ("drives of", "volumes", "limit sets multi_contact", "regions", "notes"):
        assert words in said or not getattr(load("lola"), words.split()[0].rstrip(" of"), ())
    box = Geometry(Box((1.0, 1.0, 1.0)), friction=0.3, group=2)
    arm = load("planar-arm")
    rough = replace(arm, bodies=(replace(arm.bodies[0], collisions=(box,)), *arm.bodies[1:]), notes={})
    (said,) = _quietly(rough, tmp_path / "rough.urdf")
    assert "friction of shapes of" in said
    assert "contact groups of shapes of" in said
    assert _quietly(rough, tmp_path / "rough.toml") == []


def test_wrong_wishes_are_refused(robot: Robot, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFeature, match="must be one of: copy, reference, none"):
        save(robot, tmp_path / "robot.toml", meshes="perhaps")
    with pytest.raises(RobotError, match=r"written to \.toml, \.urdf, \.xml"):
        save(robot, tmp_path / "robot.sdf")
