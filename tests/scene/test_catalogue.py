"""Scenes of the catalogue: what we ship is what it makes, measures do what they say, buildings can be walked."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall import Scene, load_scene
from footfall.errors import SceneError, UnknownName
from footfall.robot.shapes import Box, Cylinder
from footfall.scene import library, make_scene
from footfall.scene.catalogue import SCENES
from footfall.scene.load import is_scene
from footfall.scene.toml import parse_scene
from footfall.scene.toml_writer import scene_text

NINE = (
    "platform",
    "right-wall",
    "right-table",
    "corridor",
    "obstacles",
    "ramps",
    "stairs",
    "stairs-partial",
    "trap",
)
GOALS = (4.0, 3.0, 3.0, 3.0, 4.5, 4.5, 3.5, 3.5, 4.5)  # Seiwald 2023, table 5.4


@pytest.mark.parametrize(("name", "goal"), [*zip(NINE, GOALS, strict=True)])
def test_shipped_scenes_are_those_of_the_catalogue(name: str, goal: float) -> None:
    shipped = load_scene(name)
    assert scene_text(shipped) == scene_text(make_scene(name))
    assert shipped.goal is not None
    assert shipped.goal.translation.tolist() == [goal, 0.0, 0.0]


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_written_and_read(name: str) -> None:
    scene = make_scene(name)
    assert scene.name == name
    assert scene.start is not None
    assert scene.goal is not None
    text = scene_text(scene)
    assert scene_text(parse_scene(text)) == text
    assert scene_text(make_scene(name)) == text  # nothing is random without a seed
    assert is_scene(name)
    assert load_scene(name).name == name


def top(scene: Scene, x: float, y: float) -> float:
    """Height of the highest level box at a place."""
    heights = [0.0]
    for each in scene.objects:
        if isinstance(each.shape, Box) and np.array_equal(each.placement.rotation, np.eye(3)):
            low, high = box_of(each)
            if low[0] <= x <= high[0] and low[1] <= y <= high[1]:
                heights.append(float(high[2]))
    return max(heights)


def box_of(each) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    half = np.array(each.shape.size) / 2
    return each.placement.translation - half, each.placement.translation + half


@settings(max_examples=25, deadline=None)
@given(st.floats(0.05, 0.3), st.floats(0.1, 0.8), st.integers(1, 8))
def test_stairs_have_the_risers_asked_for(riser: float, tread: float, count: int) -> None:
    scene = make_scene("stairs", riser=riser, tread=tread, count=count, distance=1.0)
    for k in range(2 * count + 1):
        expected = riser * max(0, min(k, 2 * count - k))
        assert top(scene, 1.0 + (k - 0.5) * tread, 0.0) == pytest.approx(expected, abs=1e-9)


def test_ramps_have_the_slope_asked_for() -> None:
    scene = make_scene("ramps", slope=0.2, length=1.5, top=0.4, distance=1.0)
    up = scene.object("ramp-up")
    assert isinstance(up.shape, Box)
    corner = np.array([0.5, 0.0, 0.5]) * up.shape.size
    low = up.placement.apply(corner * (-1, 1, 1))
    high = up.placement.apply(corner)
    assert low == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    assert high == pytest.approx([2.5, 0.0, 0.3], abs=1e-9)
    down = scene.object("ramp-down").placement.apply(corner)
    assert down == pytest.approx([4.4, 0.0, 0.0], abs=1e-9)


def test_measures_move_what_they_name() -> None:
    wall = box_of(make_scene("right-wall", wall_distance=0.6).object("right-wall"))
    assert wall[1][1] == pytest.approx(-0.6)
    left, right = (box_of(make_scene("gap", gap=0.5).object(name)) for name in ("left-box", "right-box"))
    assert left[0][1] - right[1][1] == pytest.approx(0.5)
    rail = make_scene("handrail", radius=0.2, height=1.0).object("rail")
    assert rail.shape == Cylinder(0.2, 2.0)
    assert rail.placement.translation[2] == 1.0
    table = box_of(make_scene("right-table", height=0.8).object("table"))
    assert table[1][2] == pytest.approx(0.8)


def test_the_saddle_and_the_trough_have_their_curvature() -> None:
    vertices = np.array(make_scene("saddle", bend=5.0).object("saddle").shape.mesh.vertices)  # type: ignore[union-attr]
    np.testing.assert_allclose(vertices[:, 2], 2.5 * (vertices[:, 0] ** 2 - vertices[:, 1] ** 2), atol=1e-12)
    mesh = make_scene("trough", radius=0.1).object("trough").shape.mesh  # type: ignore[union-attr]
    axis = np.hypot(mesh.vertices[:, 1], mesh.vertices[:, 2] - 0.1)
    np.testing.assert_allclose(axis, 0.1, atol=1e-12)
    middles = mesh.corners.mean(axis=1)
    towards_axis = -np.column_stack([np.zeros(len(middles)), middles[:, 1], middles[:, 2] - 0.1])
    # Its inner side is the outside.
    assert (np.einsum("ij,ij->i", mesh.face_normals, towards_axis) > 0.0).all()


def test_the_stripe_is_there_and_not_seen() -> None:
    scene = make_scene("unseen-stripe", width=0.4, distance=1.0)
    stripe = scene.object("stripe")
    assert (stripe.visible, stripe.contact) == (False, True)
    low, high = stripe.shape.mesh.bounds + stripe.placement.translation  # type: ignore[union-attr]
    assert (low[0], high[0]) == pytest.approx((1.0, 1.4))


def test_the_box_moves_into_the_way() -> None:
    motion = make_scene("moved-box", time=2.0, speed=0.8).object("box").motion
    assert motion is not None
    assert motion.pose(1.9).translation[1] == pytest.approx(1.6)
    assert motion.pose(4.1).translation[1] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("name", "measures", "message"),
    [
        ("stairs", {"riser": 0.0}, r"riser is 0; it must be positive"),
        ("stairs", {"count": 1000}, "count is 1000; it must be from 1 to 100"),
        ("stairs", {"goal": float("nan")}, "goal is nan"),
        ("ramps", {"slope": 3.0}, "slope is 3; it must be from 0.001 to 1"),
        ("building", {"rooms": 1}, "do not fit"),
        ("building", {"door": 5.0}, "door"),
        ("building", {"seed": -1}, "seed"),
        ("random-obstacles", {"count": 500, "length": 2.0}, "no place for obstacle"),
    ],
)
def test_wrong_measures_are_named(name: str, measures: dict[str, float], message: str) -> None:
    with pytest.raises(SceneError, match=message):
        make_scene(name, **measures)


def test_wrong_names_are_named() -> None:
    with pytest.raises(UnknownName, match="stairs"):
        make_scene("stair")
    with pytest.raises(UnknownName, match="riser"):
        make_scene("stairs", rise=0.1)
    with pytest.raises(UnknownName, match="gap"):
        load_scene("gapp")


@pytest.mark.parametrize("seed", range(3))
def test_random_obstacles_leave_start_and_goal_free(seed: int) -> None:
    scene = make_scene("random-obstacles", seed=seed, count=25)
    assert scene.goal is not None
    for each in scene.objects[1:]:
        shape = each.shape
        reach = np.hypot(*shape.size[:2]) / 2 if isinstance(shape, Box) else shape.radius  # type: ignore[union-attr]
        for end in (np.zeros(2), scene.goal.translation[:2]):
            assert np.hypot(*(each.placement.translation[:2] - end)) > reach + 0.3
    assert scene_text(scene) != scene_text(make_scene("random-obstacles", seed=seed + 1, count=25))


def walkable(scene: Scene, cell: float = 0.1, step: float = 0.2, head: float = 1.7) -> bool:
    """Whether a point can go from start to goal on tops of boxes with room above, in steps of a given height."""
    boxes = np.array([np.concatenate(box_of(each)) for each in scene.objects])
    low, high = boxes[:, :3], boxes[:, 3:]
    assert scene.start is not None
    assert scene.goal is not None
    begin, end = (tuple(np.round(pose.translation, 6)) for pose in (scene.start, scene.goal))

    def places(i: int, j: int) -> list[float]:
        x, y = (i + 0.5) * cell, (j + 0.5) * cell
        here = (low[:, 0] <= x) & (x <= high[:, 0]) & (low[:, 1] <= y) & (y <= high[:, 1])
        tops = high[here, 2]
        return [
            float(z)
            for z in tops
            if not ((low[here, 2] < z + head - 1e-9) & (high[here, 2] > z + 1e-9)).any()
        ]

    def key(pose: tuple[float, ...]) -> tuple[int, int, float]:
        i, j = int(np.floor(pose[0] / cell)), int(np.floor(pose[1] / cell))
        return i, j, min(places(i, j), key=lambda z: abs(z - pose[2]))

    start, goal = key(begin), key(end)
    seen, waiting = {start}, [start]
    while waiting:
        i, j, z = waiting.pop()
        if (i, j, z) == goal:
            return True
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            for other in places(a, b):
                if abs(other - z) <= step and (a, b, other) not in seen:
                    seen.add((a, b, other))
                    waiting.append((a, b, other))
    return False


@pytest.mark.parametrize("floors", [1, 3])
def test_buildings_can_be_walked(floors: int) -> None:
    scene = make_scene("building", floors=floors, rooms=3, room=3.0, seed=floors, storey=2.6, tread=0.25)
    assert scene.goal is not None
    assert scene.goal.translation[2] == pytest.approx((floors - 1) * 2.6)
    assert walkable(scene)
    if floors > 1:  # the check can fail: without one flight nobody comes up
        fewer = Scene("b", tuple(each for each in scene.objects if not each.name.startswith("stairs-1-")),
                      start=scene.start, goal=scene.goal)  # fmt: skip
        assert not walkable(fewer)


def test_doors_are_open() -> None:
    scene = make_scene("building", floors=1, rooms=2, seed=5)
    boxes = [box_of(each) for each in scene.objects]
    lintels = [box_of(each) for each in scene.objects if each.name.startswith("lintel")]
    assert len(lintels) == 4
    for low, high in lintels:
        middle = (low + high) / 2
        for z in (0.3, 1.0, 1.8):
            point = np.array([middle[0], middle[1], z])
            assert not any(((a < point) & (point < b)).all() for a, b in boxes)


def test_library_and_catalogue_agree_on_names() -> None:
    assert set(NINE) <= set(library.names())


def test_floors_of_a_split_level_building_are_as_high_as_its_risers_say() -> None:
    scene = make_scene("split-level", rooms=7, risers=4, riser=0.1, tread=0.25, room=4.0)
    floors = [box_of(each)[1][2] for each in scene.objects if each.name.startswith("floor-")]
    assert floors == pytest.approx([0.0, 0.0, 0.4, 0.4, 0.0, 0.0, 0.4])
    steps = [each for each in scene.objects if re.fullmatch(r"stairs-2-\d", each.name)]
    assert [box_of(each)[1][2] for each in steps] == pytest.approx([0.1, 0.2, 0.3])
    assert [box_of(each)[0][0] for each in steps] == pytest.approx([7.0, 7.25, 7.5])
    assert scene.goal is not None
    assert scene.goal.translation.tolist() == pytest.approx([7 * 4.0 + 3 * 0.75 - 2.0, 0.0, 0.4])


@pytest.mark.parametrize(
    "wrong", [{"rooms": 1}, {"door": 0.3}, {"stairs": 4.8}, {"width": 2.0}, {"riser": -0.1}]
)
def test_wrong_measures_of_a_split_level_building_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(SceneError, match=next(iter(wrong))):
        make_scene("split-level", **wrong)
