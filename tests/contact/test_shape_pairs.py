"""Points that two shapes have against each other together know how far the shapes are apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from footfall import Scene, SceneObject, free_body
from footfall.arrays import Array
from footfall.contact.box_places import PLACES, box_places
from footfall.contact.candidates import scene_candidates
from footfall.contact.convex import convex_distance
from footfall.contact.detection import detect_contacts
from footfall.contact.features import ROUNDING
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from footfall.scene.assembly import combined_robot, initial_state


@given(
    angles=st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1),
    direction=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda d: np.linalg.norm(d) > 0.1),
)
def test_corners_and_crossings_know_the_distance_of_boxes(
    angles: tuple[float, ...], direction: tuple[float, ...]
) -> None:
    """The least of all gaps is the distance that GJK finds, but for the rounding of corners and edges."""
    one, other = Box((0.4, 0.3, 0.2)), Box((0.5, 0.2, 0.3))
    rotation = matrix_from_quaternion(np.array(angles) / np.linalg.norm(angles))
    position = np.array(direction) / np.linalg.norm(direction) * 0.62  # m: half diagonals are 0.27 and 0.31
    scene = Scene(
        "pair",
        (
            SceneObject("one", one, Transform(rotation, position), free=free_body(one, 1.0)),
            SceneObject("other", other, free=free_body(other, 1.0)),
        ),
    )
    robot = combined_robot(scene)
    q, _ = initial_state(scene, robot)
    contacts = detect_contacts(robot, q, scene_candidates(robot, scene), margin=np.inf)
    expected = convex_distance(one, Transform(rotation, position), other, scene.objects[1].placement).distance
    assert expected > 0.0
    rounding = ROUNDING * 0.2 * (np.sqrt(3) - 1)
    assert contacts.gaps.min() == pytest.approx(expected + rounding / 2, abs=rounding / 2 + 1e-9)


def test_turned_squares_overlap_in_an_octagon() -> None:
    """A cube on another one, turned by 45 degrees: the edges of both faces cross in eight points, at distance 0.01."""
    c = np.sqrt(0.5)
    rotation = np.array([[c, -c, 0.0], [c, c, 0.0], [0.0, 0.0, 1.0]])
    pose = Transform(rotation, np.array([0.0, 0.0, 1.01]))
    places = box_places((1.0,) * 3, (1.0,) * 3, pose, rounding=(0.0, 0.0))
    assert places.shape == (PLACES, 7)
    assert places[:, 2] == pytest.approx(np.full(8, 0.51))
    assert places[:, 3:6] == pytest.approx(np.tile([0.0, 0.0, 1.0], (8, 1)))
    assert places[:, 6] == pytest.approx(np.full(8, 0.01))
    # x + y = sqrt(1/2) at y = 1/2, and its images
    near = np.sort(np.abs(places[:, :2]), axis=1)
    assert near == pytest.approx(np.tile([c - 0.5, 0.5], (8, 1)))
    assert len({tuple(place) for place in places[:, :2].round(9)}) == 8


def test_flush_boxes_touch_with_the_corners_of_both() -> None:
    places = box_places(
        (1.0,) * 3, (1.0,) * 3, Transform(np.eye(3), np.array([0.0, 0.0, 1.0])), rounding=(1e-3,) * 2
    )
    assert places[:, 6] == pytest.approx(np.zeros(8), abs=1e-12)
    assert places[:, 3:6] == pytest.approx(np.tile([0.0, 0.0, 1.0], (8, 1)))
    assert np.abs(places[:, :2]) == pytest.approx(np.full((8, 2), 0.499))


def test_places_keep_their_rows_while_boxes_slide() -> None:
    """A box slides and turns over a larger one: its four corners touch, each in the row that it had."""
    first: Array | None = None
    for x in np.linspace(0.0, 0.7, 36):
        c, s = np.cos(0.3 * x), np.sin(0.3 * x)
        rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        pose = Transform(rotation, np.array([x, 0.02, 0.2]))
        places = box_places((0.4, 0.3, 0.2), (2.0, 1.0, 0.2), pose, rounding=(1e-4, 1e-4))
        touching = np.abs(places[:, 6]) < 1e-9
        assert touching.sum() == 4
        own = np.where(touching[:, None], (places[:, :3] - pose.translation) @ rotation, 0.0)
        first = own if first is None else first
        assert np.abs(own - first).max() < 1e-12


SHAPES = {
    "box": Box((0.4, 0.3, 0.2)),
    "sphere": Sphere(0.15),
    "capsule": Capsule(0.05, 0.5),
    "cylinder": Cylinder(0.1, 0.5),
}


@pytest.mark.parametrize("fixed", [False, True], ids=["free", "fixed"])
@pytest.mark.parametrize("names", list(combinations_with_replacement(SHAPES, 2)), ids="-".join)
def test_every_pair_of_shapes_knows_its_distance(names: tuple[str, str], fixed: bool) -> None:
    """Turned at random and 3 mm apart: the least gap is what GJK finds, whichever of them is fixed.

    Boxes and rims are rounded. A rim may miss an edge, where its nearest point is far from where it is sought first;
    nothing is nearer than it is.
    """
    rng = np.random.default_rng(1)
    one, other = SHAPES[names[0]], SHAPES[names[1]]
    errors = []
    for _ in range(12):
        turns = [matrix_from_quaternion(q / np.linalg.norm(q)) for q in rng.normal(size=(2, 4))]
        direction = rng.normal(size=3)
        still = Transform(turns[1], np.zeros(3))
        away = brentq(
            lambda far, turn=turns[0], along=direction, still=still: (
                convex_distance(one, Transform(turn, far * along), other, still).distance - 3e-3
            ),
            0.0,
            1.5 / np.linalg.norm(direction),
        )
        pose = Transform(turns[0], away * direction)
        pair = [SceneObject("one", one, pose, free=free_body(one, 1.0)), SceneObject("other", other, still)]
        if not fixed:
            pair[1] = replace(pair[1], free=free_body(other, 1.0))
        scene = Scene("pair", tuple(pair[:: rng.choice([1, -1])]))
        robot = combined_robot(scene)
        q, _ = initial_state(scene, robot)
        contacts = detect_contacts(robot, q, scene_candidates(robot, scene), margin=np.inf)
        nearest = int(contacts.gaps.argmin())
        errors.append(contacts.gaps[nearest] - 3e-3)
        ours = contacts.rotations[nearest, :, 2] * (1 if contacts.bodies[nearest] == "one" else -1)
        if abs(errors[-1]) < 1e-9:
            found = convex_distance(one, pose, other, still)
            assert ours @ np.asarray(found.normal) == pytest.approx(1.0, abs=1e-6)
    rounding = 2 * ROUNDING * 0.2 if names == ("box", "box") or "cylinder" in names else 0.0
    assert min(errors) > -1e-9
    assert np.median(errors) < 1e-9 + rounding
    assert max(errors) < (2e-2 if "cylinder" in names else 1e-9 + rounding)


@given(
    angles=st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1),
    direction=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda d: np.linalg.norm(d) > 0.1),
)
def test_ends_and_axes_know_the_distance_of_capsules_to_boxes(
    angles: tuple[float, ...], direction: tuple[float, ...]
) -> None:
    """The least of all gaps is the distance that GJK finds."""
    capsule, box = Capsule(0.05, 0.6), Box((0.5, 0.2, 0.3))
    rotation = matrix_from_quaternion(np.array(angles) / np.linalg.norm(angles))
    pose = Transform(rotation, np.array(direction) / np.linalg.norm(direction) * 0.7)
    scene = Scene(
        "pair", (SceneObject("capsule", capsule, pose, free=free_body(capsule, 1.0)), SceneObject("box", box))
    )
    robot = combined_robot(scene)
    q, _ = initial_state(scene, robot)
    contacts = detect_contacts(robot, q, scene_candidates(robot, scene), margin=np.inf)
    expected = convex_distance(capsule, pose, box, scene.objects[1].placement).distance
    assert contacts.gaps.min() == pytest.approx(expected, abs=1e-9)
