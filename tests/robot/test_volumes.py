"""A robot's volumes: files, references, copies, and fitting around shapes and meshes."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import footfall
from footfall.errors import FootfallError, GeometryError, RobotError
from footfall.geometry.solid import Solid
from footfall.geometry.swept_coverage import coverage, drafts_of, uncovered
from footfall.geometry.swept_fitting import fit_swept_volume, fit_swept_volumes
from footfall.geometry.swept_sphere import SweptVolume, swept_line, swept_triangle
from footfall.math.transform import Transform
from footfall.robot.combine import Placed, combine
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from footfall.robot.volumes import BodyVolume

LOLA = footfall.load("lola")
ARM = """
name = "arm"
[[body]]
name = "upper"
[body.joint]
type = "revolute"
[[body]]
name = "lower"
[body.joint]
type = "revolute"
parent = "upper"
position = [0.0, 0.0, 0.3]

[[volume]]
name = "upper arm"
body = "upper"
elements = [{ radius = 0.05, corners = [[0, 0, 0], [0, 0, 0.3]] }]

[[volume]]
name = "hand"
body = "lower"
elements = [
    { radius = 0.02, corners = [[0, 0, 0.3]] },
    { radius = 0.01, corners = [[0, 0, 0], [0, 0.1, 0.2], [0, -0.1, 0.2]] },
]

[volume_pairs]
"upper arm" = ["hand"]
"""


def arm(old: str = "", new: str = "") -> Robot:
    assert old in ARM
    return parse_toml(ARM.replace(old, new, 1) if old else ARM, strict=False)


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_files_keep_volumes() -> None:
    robot = arm()
    assert [volume.name for volume in robot.volumes] == ["upper arm", "hand"]
    assert robot.volume_pairs == (("upper arm", "hand"),)
    for each in (robot, LOLA):
        again = parse_toml(toml_text(each), strict=False)
        assert again.volume_pairs == each.volume_pairs
        assert again.fingerprint == each.fingerprint
        for one, other in zip(again.volumes, each.volumes, strict=True):
            assert (one.name, one.body) == (other.name, other.body)
            np.testing.assert_array_equal(one.shape.packed, other.shape.packed)


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
@pytest.mark.parametrize(
    ("old", "new", "kind", "message"),
    [
        ('body = "lower"', 'body = "lowr"', RobotError, "volume 'hand': body 'lowr' does not exist"),
        ('name = "hand"', 'name = "upper arm"', RobotError, "two volumes"),
        ('["hand"]', '["hnad"]', RobotError, "volume 'hnad' does not exist; there are: hand"),
        ('["hand"]', '["upper arm"]', FootfallError, "with itself"),
        ('["hand"]', '["hand", "hand"]', RobotError, "stands twice"),
        ("radius = 0.05", "radius = -0.05", GeometryError, ":14: volume 'upper arm': radius is -0.05"),
        ("[[0, 0, 0.3]]", "[[0, 0, 0.3], [1, 0, 0], [2, 0, 0], [3, 0, 0]]", GeometryError, r"shape \(4, 3\)"),
        ("[{ radius = 0.05, corners = [[0, 0, 0], [0, 0, 0.3]] }]", "[]", GeometryError, "no element"),
        ("radius = 0.05", "radios = 0.05", RobotError, "radios"),
    ],
)  # fmt: skip
def test_wrong_files_are_named(old: str, new: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        arm(old, new)


@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_copies_and_combinations_keep_volumes() -> None:
    copy = pickle.loads(pickle.dumps(LOLA))
    assert copy.fingerprint == LOLA.fingerprint
    assert replace(LOLA, volumes=(), volume_pairs=()).fingerprint != LOLA.fingerprint
    both = combine([Placed(arm(), name="a"), Placed(arm(), name="b")])
    assert [volume.name for volume in both.volumes] == ["a/upper arm", "a/hand", "b/upper arm", "b/hand"]
    assert both.volumes[1].body == "a/lower"
    assert both.volume_pairs[1] == ("b/upper arm", "b/hand")
    mirrored = BodyVolume("r", "upper", SweptVolume((swept_line((0, 1, 0), (0, 2, 0), 0.1),))).mirrored(
        "y", name="l", body="lower"
    )
    assert mirrored.shape.elements[0].corners[1, 1] == -2.0
    with pytest.raises(FootfallError, match="must be a SweptVolume"):
        BodyVolume("x", "upper", 1)  # type: ignore[arg-type]


def body_with(*shapes: Any, placement: Transform | None = None) -> Robot:
    pose = placement or Transform(np.eye(3), np.array([0.1, -0.2, 0.3]))
    geometries = tuple(Geometry(shape, pose) for shape in shapes)
    return Robot(
        "thing", (Body("thing", collisions=geometries),), (Joint("j", JointType.FIXED, "world", "thing"),)
    )


@pytest.mark.parametrize(
    ("shape", "elements", "excess"),
    [
        (Sphere(0.1), 1, 1e-9),
        (Capsule(0.1, 0.4), 1, 1e-9),
        (Cylinder(0.05, 0.4), 1, 0.25),
        (Box((0.4, 0.3, 0.02)), 2, 0.35),  # flat: a plate of two triangles
        (Box((0.05, 0.05, 0.4)), 1, 0.757),  # long: the capsule through its edges
    ],
)
def test_shapes_get_volumes(shape: Any, elements: int, excess: float) -> None:
    """Few elements that hold all of it: exact for what is a sphere or capsule already."""
    robot = footfall.volumes.fit_volumes(body_with(shape), most=elements)
    found = footfall.volumes.volume_coverage(robot)["thing"]
    (volume,) = robot.volumes
    assert len(volume.shape) == elements
    assert found.protrusion <= 1e-12
    exact = sum(each.volume for each in volume.shape.elements) if elements == 1 else found.volume
    true = {Sphere: 4 / 3 * np.pi * 0.1**3, Capsule: 4 / 3 * np.pi * 0.1**3 + np.pi * 0.1**2 * 0.4}
    template = true.get(type(shape), found.hull)
    assert exact / template - 1.0 <= excess


def test_more_elements_leave_less_air(tmp_path: Path) -> None:
    """A bent mesh: one line leaves much air, several follow it; no vertex sticks out, whoever looks."""
    tube = trimesh.util.concatenate(
        [
            trimesh.creation.box((0.1, 0.1, 0.5)),
            trimesh.creation.box((0.5, 0.1, 0.1), trimesh.transformations.translation_matrix((0.2, 0, 0.3))),
        ]
    )
    path = tmp_path / "bent.stl"
    tube.export(path)
    robot = body_with(Mesh(str(path)))
    one, several = (footfall.volumes.fit_volumes(robot, most=most) for most in (1, 2))
    coverages = [footfall.volumes.volume_coverage(each)["thing"] for each in (one, several)]
    assert all(each.protrusion <= 1e-12 for each in coverages)
    assert coverages[1].volume < 0.65 * coverages[0].volume
    assert coverages[1].excess < 0.0 < coverages[0].excess
    vertices = tube.vertices + np.array([0.1, -0.2, 0.3])
    elements = several.volumes[0].shape.elements
    depth = [
        min(
            footfall.volumes.swept_distance(footfall.volumes.swept_point(v, 0.0), each).distance
            for each in elements
        )
        for v in vertices
    ]
    assert max(depth) <= 1e-9


def test_no_piece_of_a_mesh_sticks_out() -> None:
    """Points all over the surface, found without the pieces that the fit has looked at."""
    mesh = trimesh.creation.annulus(0.05, 0.1, 0.15)
    for fit in fit_swept_volumes(Solid(mesh.triangles), most=4):
        points, _ = trimesh.sample.sample_surface(mesh, 3000, seed=5)
        gaps = [
            footfall.volumes.swept_distances(
                [footfall.volumes.swept_point(point, 0.0) for point in points], [each] * len(points)
            ).distance
            for each in fit.volume.elements
        ]
        assert np.min(gaps, axis=0).max() <= 1e-9
    smaller = SweptVolume(tuple(type(each)(each.corners, 0.9 * each.radius) for each in fit.volume.elements))
    assert len(uncovered(drafts_of(smaller), np.asarray(mesh.triangles), 1e-3))


def test_coverage_tells_what_sticks_out() -> None:
    thin = SweptVolume((swept_triangle((0, 0, 0), (1, 0, 0), (0, 1, 0), 0.1),))
    needle = Solid(np.array([[[0.2, 0.2, 0.15], [0.2, 0.2, -0.05], [0.2, 0.2, 0.0]]]))
    found = coverage(thin, needle)
    assert found.protrusion == pytest.approx(0.05)
    assert found.volume == pytest.approx(thin.elements[0].volume, rel=0.03)
    assert found.hull == 0.0
    assert found.excess == np.inf


def test_mirrored_bodies_share_a_volume_and_all_is_found_again(tmp_path: Path) -> None:
    """The left limb is the mirror image of the right one; the second call reads what the first has kept."""
    bent = trimesh.util.concatenate(
        [
            trimesh.creation.box((0.1, 0.1, 0.3)),
            trimesh.creation.box((0.1, 0.2, 0.1), trimesh.transformations.translation_matrix((0, 0.1, 0.2))),
        ]
    )
    bent.export(tmp_path / "right.stl")
    bent.apply_transform(np.diag([1.0, -1.0, 1.0, 1.0]))
    bent.export(tmp_path / "left.stl")
    limbs = []
    for name in ("right", "left"):
        shape = Geometry(Mesh(str(tmp_path / f"{name}.stl")))
        limbs.append(Body(name, mass=1.0, inertia=np.eye(3), collisions=(shape,)))
    joints = [
        Joint(
            f"{limb.name}_j",
            JointType.REVOLUTE,
            "world",
            limb.name,
            Transform(np.eye(3), np.array([0, y, 0.0])),
        )
        for limb, y in zip(limbs, (-0.4, 0.4), strict=True)
    ]
    robot = Robot("limbs", tuple(limbs), tuple(joints))
    fitted, again = (footfall.volumes.fit_volumes(robot, most=2) for _ in range(2))
    right, left = (volume.shape.packed for volume in fitted.volumes)
    np.testing.assert_allclose(right[:, 7::3], -left[:, 7::3], atol=1e-3)
    assert all(each.protrusion <= 1e-12 for each in footfall.volumes.volume_coverage(fitted).values())
    for one, other in zip(fitted.volumes, again.volumes, strict=True):
        np.testing.assert_array_equal(one.shape.packed, other.shape.packed)


def test_bad_requests_are_named() -> None:
    with pytest.raises(GeometryError, match="must be"):
        Solid(np.zeros((0, 3, 3)))
    with pytest.raises(GeometryError, match="not finite"):
        Solid(np.full((1, 3, 3), np.nan))
    with pytest.raises(GeometryError, match="most is 0"):
        fit_swept_volume(Solid(np.eye(3)[None]), most=0)
    with pytest.raises(FootfallError, match="no shape to fit"):
        footfall.volumes.fit_volumes(body_with(), bodies=["thing"])
    assert footfall.volumes.fit_volumes(body_with()).volumes == ()
