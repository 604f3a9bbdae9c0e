"""Body and arms on ways between refined stances, past a wall at known distances."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Box, Scene
from footfall.compiler.routines import new_records
from footfall.environment import PerceptionOptions, perceive
from footfall.geometry.swept_sphere import SweptVolume
from footfall.math.transform import Transform
from footfall.planning import PlannerParameters
from footfall.planning.postprocess import ALLOWED, Blocked, Midway, first_blocked
from footfall.planning.surroundings import surroundings
from footfall.planning.tables import tables_for
from footfall.scene.model import SceneObject
from tests.planning.scenes import model

TABLES = tables_for(model(), PlannerParameters())


def widest(volume: SweptVolume) -> float:
    """How far a volume gets to the left, m."""
    return max(float(each.corners[:, 1].max()) + each.radius for each in volume.elements)


def along_wall(face: float) -> Blocked:
    """Past a wall on the left whose face is at a distance from the middle between the feet, m."""
    wall = SceneObject(
        "wall", Box((3.0, 0.2, 2.0)), Transform(np.eye(3), np.array([0.5, face + 0.1, 1.0])), category="wall"
    )
    environment = perceive(Scene("way", (wall,)), PerceptionOptions(voxel=0.0, noise=0.0))
    around = surroundings(environment, TABLES, (-1.0, -1.0), (2.0, 1.0))
    middles = new_records(Midway, 3)
    middles["place"] = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.8, 0.0, 0.0]]
    return first_blocked(around.solids, TABLES.volumes, middles)


@pytest.mark.parametrize("spare, free", [(0.001, True), (-0.5 * ALLOWED, True), (-2.0 * ALLOWED, False)])
def test_hanging_arms_keep_off_a_wall(spare: float, free: bool) -> None:
    arm = widest(TABLES.biped.arms[1])
    found = along_wall(arm + spare)
    assert (found.step == 2) is free
    if not free:
        assert found.arm
        assert found.step == 0


def test_the_body_is_named_before_arms() -> None:
    found = along_wall(widest(TABLES.biped.body) - 2.0 * ALLOWED)
    assert found.step == 0
    assert not found.arm
