"""Footholds on cells of 1 cm: the best of all around, and the plane that a foot stands on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.environment import Terrain, terrain_from_cells
from footfall.gait import FootContact
from footfall.math import matrix_from_quaternion
from footfall.planning import PlannerParameters
from footfall.planning.conversion import contact_of, foot_rotation
from footfall.planning.refinement import NONE, POORLY, WELL, RefinedFoot, footing, refine_foot
from footfall.planning.tables import tables_for
from tests.motion.lola import MODEL
from tests.planning.reference.footprints import HeightLayer, Sole, cells_below, rectangle_distance
from tests.planning.reference.grid import Pose
from tests.planning.small_maps import SOLE, TOES

PARAMETERS = PlannerParameters()
FAR = np.array([[9.0, 9.0], [9.1, 9.0], [9.1, 9.1], [9.0, 9.1]])  # another sole, not in the way


def ground(height: Array) -> Terrain:
    """Cells of 1 cm from (-1, -1) m on."""
    return terrain_from_cells(height, np.ones(height.shape), first=(-100, -100))


def places() -> tuple[Array, Array]:
    line = (np.arange(200) - 100 + 0.5) * 0.01
    x, y = np.meshgrid(line, line, indexing="ij")
    return x, y


def refined(terrain: Terrain, place: tuple[float, float], yaw: int, before: Array = FAR) -> RefinedFoot:
    how = tables_for(MODEL, PARAMETERS).refinement._replace(bump=np.inf)
    return refine_foot(terrain.packed, how, np.array(place), yaw, before)


@pytest.mark.parametrize("slope", [(0.08, 0.0), (0.0, 0.08), (-0.05, 0.05)])
def test_a_foot_stands_on_the_plane_of_a_ramp(slope: tuple[float, float]) -> None:
    x, y = places()
    terrain = ground(slope[0] * x + slope[1] * y)
    foot = refined(terrain, (0.02, -0.05), 7)
    normal = np.array([-slope[0], -slope[1], 1.0]) / math.hypot(*slope, 1.0)
    assert foot.valid
    assert not foot.partial
    # Heights are whole millimetres.
    assert math.degrees(math.acos(min(1.0, float(foot.normal @ normal)))) < 0.1
    assert foot.place[2] == pytest.approx(slope[0] * foot.place[0] + slope[1] * foot.place[1], abs=5e-4)
    turn = matrix_from_quaternion(np.array(foot_rotation(foot.yaw, np.array(foot.normal))))
    np.testing.assert_allclose(turn[:, 2], foot.normal, atol=1e-12)
    assert math.atan2(turn[1, 0], turn[0, 0]) == pytest.approx(foot.yaw)  # the heading stays on cross slopes


def grown(sole: Sole) -> Sole:
    margin = 0.01 / math.sqrt(2.0)
    return Sole(sole.rear - margin, sole.front + margin, sole.right - margin, sole.left + margin)


def cost_of(layer: HeightLayer, pose: Pose) -> float:
    """Seiwald 2023, section 5.5.5, with the cells of the reference."""
    limits, cost = PARAMETERS.foothold, PARAMETERS.cost
    whole = layer.below(cells_below(grown(SOLE), pose, 0.01))
    toes = layer.below(cells_below(grown(TOES), pose, 0.01))
    for ground_below, penalty in ((whole, 0.0), (toes, cost.partial)):
        good = ground_below.uneven <= limits.uneven_m and ground_below.sure >= limits.least_confidence
        if good and (penalty == 0.0 or toes.highest >= whole.highest):
            doubt = (1.0 - ground_below.sure) / (1.0 - limits.least_confidence)
            return penalty + cost.uneven * ground_below.uneven / limits.uneven_m + cost.uncertain * doubt
    return math.inf


@pytest.mark.parametrize("seed", range(3))
def test_the_foothold_is_the_best_of_all_around(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heights = 0.01 * rng.integers(0, 2, (200, 200))
    for _ in range(12):
        i, j = rng.integers(70, 130, 2)
        heights[i : i + rng.integers(2, 12), j : j + rng.integers(2, 12)] = rng.choice([0.03, 0.06])
    terrain = ground(heights)
    layer = HeightLayer(terrain, 6)
    yaw, other = int(rng.integers(0, 96)), Pose(0.0, 0.27, 0.0)
    before = np.array(SOLE.corners(other))
    found = refined(terrain, (0.02, 0.02), yaw, before)
    best = math.inf
    for dx in range(-2, 3):
        for dy in range(-2, 3):
            for turn in (-1, 0, 1):
                pose = Pose(0.025 + 0.01 * dx, 0.025 + 0.01 * dy, 2 * math.pi * (yaw + turn) / 96)
                if rectangle_distance(SOLE, other, pose) < PARAMETERS.step.refined_feet_apart_m:
                    continue
                shift = PARAMETERS.cost.shift_per_cm * (abs(dx) + abs(dy))
                best = min(best, cost_of(layer, pose) + shift + PARAMETERS.cost.turn_per_step * abs(turn))
    assert found.valid == math.isfinite(best)
    if found.valid:
        here = Pose(float(found.place[0]), float(found.place[1]), found.yaw)
        steps = round(abs(here.x - 0.025) / 0.01) + round(abs(here.y - 0.025) / 0.01)
        assert steps <= 4
        turned = round((found.yaw * 96 / (2 * math.pi) - yaw + 48) % 96 - 48)
        price = PARAMETERS.cost.shift_per_cm * steps + PARAMETERS.cost.turn_per_step * abs(turned)
        assert cost_of(layer, here) + price == pytest.approx(best, abs=1e-6)


def test_only_toes_stand_at_an_edge_and_no_heel_is_in_a_step() -> None:
    x, _ = places()
    up = ground(np.where(x > 0.0, 0.1, 0.0))
    before_edge = refined(up, (0.06, 0.0), 0)  # toes on the step, the heel behind it over lower ground
    assert before_edge.valid
    assert before_edge.partial
    assert before_edge.place[2] == pytest.approx(0.1, abs=1e-3)
    down = ground(np.where(x < 0.0, 0.1, 0.0))
    assert not refined(down, (0.06, 0.0), 0).valid  # toes below the step, the heel would be in it


def test_tiptoe_is_for_steps_down_of_more_than_ten_centimetres() -> None:
    for drop, partial, contact in (
        (0.101, False, FootContact.TIPTOE),
        (0.101, True, FootContact.TIPTOE),
        (0.099, False, FootContact.FULL),
        (0.099, True, FootContact.PARTIAL),
        (-0.2, False, FootContact.FULL),
    ):
        assert contact_of(partial, drop, PARAMETERS, True) is contact
    assert contact_of(False, 0.2, PARAMETERS, False) is FootContact.FULL  # a foot without toes


def looked_at(terrain: Terrain, place: tuple[float, float]) -> int:
    return footing(terrain.packed, tables_for(MODEL, PARAMETERS).refinement, np.array(place), 0)


def test_a_sole_lies_poorly_on_an_edge_that_it_cannot_leave() -> None:
    x, _ = places()
    # Seen from the side, the plane closest to a step of 3 cm in the middle of a sole is 1.5 cm below its edge.
    edge = ground(np.where(x < -0.09, 0.03, 0.0))
    assert looked_at(edge, (0.0, 0.0)) == POORLY
    assert looked_at(edge, (0.3, 0.0)) == WELL
    assert looked_at(ground(0.1 * x), (0.0, 0.0)) == WELL  # a ramp is a plane
    assert looked_at(ground(np.where(x < -0.09, 0.1, 0.0)), (0.0, 0.0)) == NONE
    low = ground(np.where(x < -0.09, 0.012, 0.0))  # sticks out by 6 mm
    assert looked_at(low, (0.0, 0.0)) == WELL


def test_a_sole_is_not_put_over_a_gap() -> None:
    x, _ = places()
    flat = np.zeros(x.shape)
    # A quarter of the sole would be over nothing: less than the third that confidence lets pass.
    gap = terrain_from_cells(flat, np.where(x < -0.165, 0.0, 1.0), first=(-100, -100))
    found = refine_foot(gap.packed, tables_for(MODEL, PARAMETERS).refinement, np.array([0.0, 0.0]), 0, FAR)
    assert found.valid
    rear = MODEL.sole[0] if not found.partial else MODEL.toe_sole[0]
    assert found.place[0] + rear >= -0.165
    thin = terrain_from_cells(flat, np.where(np.abs(x) < 0.03, 0.0, 1.0), first=(-100, -100))
    assert looked_at(thin, (0.0, 0.0)) == POORLY  # wherever the sole is moved, it is over the gap
