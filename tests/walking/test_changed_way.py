"""Things that come, move and go beside the feet of a plan, and farther away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall import Box
from footfall.environment.model import Environment
from footfall.environment.perception import EXACT, perceive
from footfall.gait.walking_transitions import idle_pose
from footfall.math.transform import Transform
from footfall.motion.pipeline import gait_dimensions
from footfall.scene.load import load_scene
from footfall.scene.model import SceneObject
from footfall.walking.changed_way import way_changed
from tests.motion.lola import MODEL

SIDE = 0.2  # m, of the box


def seen(y: float | None) -> Environment:
    """A level floor, with a box to the left of the robot if it has a place."""
    scene = load_scene("flat")
    if y is not None:
        place = Transform(np.eye(3), np.array([0.0, y, SIDE / 2]))
        scene = replace(scene, objects=(*scene.objects, SceneObject("box", Box((SIDE, SIDE, SIDE)), place)))
    return perceive(scene, EXACT)


@pytest.mark.parametrize(("beyond", "near"), [(-0.02, True), (0.02, False)])
def test_half_a_metre_beside_the_feet_counts(beyond: float, near: bool) -> None:
    """The left foot stands at y; a box whose nearer side is half a metre beside it is just not in the way."""
    pose = idle_pose(gait_dimensions(MODEL))
    y = pose.left_foot.position[1] + 0.5 + SIDE / 2 + beyond
    empty, boxed, far = seen(None), seen(y), seen(y + 2.0)
    assert way_changed(empty, boxed, (pose,)) is near
    assert way_changed(boxed, empty, (pose,)) is near
    assert way_changed(boxed, far, (pose,)) is near  # it went away
    assert not way_changed(empty, far, (pose,))
    assert not way_changed(boxed, boxed, (pose,))
