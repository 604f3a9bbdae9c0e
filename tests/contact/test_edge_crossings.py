"""Corners and crossings of edges together know how far boxes are apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.contact.candidates import scene_candidates
from footfall.contact.detection import detect_contacts
from footfall.contact.edge_crossings import PLACES, crossings
from footfall.contact.features import ROUNDING
from footfall.contact.gjk import convex_distance
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule
from footfall.scene import Scene, SceneObject, free_body
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
    places = crossings((1.0,) * 3, (1.0,) * 3, Transform(rotation, np.array([0.0, 0.0, 1.01])))
    assert places.shape == (PLACES, 7)
    assert places[:, 2] == pytest.approx(np.full(8, 0.51))
    assert places[:, 3:6] == pytest.approx(np.tile([0.0, 0.0, 1.0], (8, 1)))
    assert places[:, 6] == pytest.approx(np.full(8, 0.01))
    # x + y = sqrt(1/2) at y = 1/2, and its images
    near = np.sort(np.abs(places[:, :2]), axis=1)
    assert near == pytest.approx(np.tile([c - 0.5, 0.5], (8, 1)))
    assert len({tuple(place) for place in places[:, :2].round(9)}) == 8


def test_flush_boxes_have_no_crossings() -> None:
    places = crossings((0.998,) * 3, (1.0,) * 3, Transform(np.eye(3), np.array([0.0, 0.0, 1.0])))
    assert (places[:, 6] > 1.0).all()


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
