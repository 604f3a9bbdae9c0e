"""What a walking robot believes of its surroundings from one look to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene.load import load_scene
from footfall.scene.model import SceneObject
from footfall.walking.sight import WholeSight


@pytest.mark.parametrize("noisy", [False, True])
def test_things_that_stay_are_believed_to_be_the_same(noisy: bool) -> None:
    """Objects that have not changed are shared, so that what planners know of them is kept; others are seen anew."""
    sight, scene = WholeSight(noisy=noisy, seed=1), load_scene("platform")
    first = sight.see(scene, None)
    assert first is not None
    assert sight.see(scene, None) is None
    box = SceneObject("box", Box((0.2, 0.2, 0.2)), Transform(np.eye(3), np.array([1.0, 0.5, 0.1])))
    second = sight.see(replace(scene, objects=(*scene.objects, box)), None)
    assert second is not None
    assert set(second.objects) == {*first.objects, "box"}
    assert all(second.objects[id] is each for id, each in first.objects.items())
    moved = replace(box, placement=Transform(np.eye(3), np.array([1.2, 0.5, 0.1])))
    third = sight.see(replace(scene, objects=(*scene.objects, moved)), None)
    assert third is not None
    assert third.objects["box"] is not second.objects["box"]
    middle = third.objects["box"].placement.apply(third.objects["box"].surface.mesh.vertices.mean(axis=0))
    np.testing.assert_allclose(middle[:2], [1.2, 0.5], atol=0.05)
