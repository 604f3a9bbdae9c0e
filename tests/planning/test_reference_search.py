"""The reference of the search, against the source's figures and against searches that look at everything."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from matplotlib.path import Path as Outline

from footfall.planning.parameters import GridParameters
from tests.planning.reference.a_star import a_star, costs_to_goal
from tests.planning.reference.footprints import HeightLayer, Sole, cells_below, cells_passed
from tests.planning.reference.grid import LEFT, RIGHT, Grid, Pose, State, key, state_of
from tests.planning.reference.guide import GuideMap, guide_along, rasterised
from tests.planning.reference.second_level import arc_lengths
from tests.planning.small_maps import (
    BOTH,
    HALF,
    PARAMETERS,
    SHORT,
    SOLE,
    TOES,
    all_states,
    first_level,
    ground,
    second_level,
)

GOAL = Pose(0.6, 0.0, 0.0)
LEVEL = ground(0.8, 1.0)


def test_branching_is_that_of_the_source() -> None:
    # Seiwald 2023, section 5.5.4: 340,160 / 8,653 = 39.31 and 2,235,124 / 9,319 = 239.85 successors in the mean.
    guide = first_level(LEVEL, GOAL, parameters=PARAMETERS)
    counts = [len(guide.arcs(yaw)) for yaw in range(48)]
    assert 38 <= min(counts) <= max(counts) <= 40
    assert np.mean(counts) == pytest.approx(39.1, abs=0.15)
    # Rounding makes some arcs longer than the longest: with 0.64 m the lower bound would not be one.
    assert guide.longest == pytest.approx(0.6835, abs=1e-4)
    steps = second_level(LEVEL, GOAL, parameters=PARAMETERS)
    counts = [len(steps.steps(foot, yaw)) for foot in (RIGHT, LEFT) for yaw in range(12)]
    assert (min(counts), max(counts)) == (234, 248)
    assert np.mean(counts) == pytest.approx(240.1, abs=0.05)


def test_steps_turn_with_the_robot_and_keep_their_limits() -> None:
    level = second_level(LEVEL, GOAL, parameters=PARAMETERS)
    for foot in (RIGHT, LEFT):
        here = {(step.x, step.y, step.turn) for step in level.steps(foot, 5)}
        assert {(-y, x, turn) for x, y, turn in here} == {
            (step.x, step.y, step.turn) for step in level.steps(foot, 17)
        }
    # Right and left are mirrored.
    right = {(step.x, -step.y, -step.turn) for step in level.steps(RIGHT, 0)}
    assert right == {(step.x, step.y, step.turn) for step in level.steps(LEFT, 0)}
    for step in level.steps(RIGHT, 7):
        assert 0.0 <= step.forward <= 0.64 + 1e-9
        assert 0.0 <= step.left <= 0.24 + 1e-9
        assert step.forward / 0.64 + step.left / 0.24 <= 1.0 + 1e-9
    # Feet 27.5 cm apart on cells of 4 cm: the nearest step aside is 28 cm.
    assert min(step.y for step in level.steps(RIGHT, 0) if step.turn == 0) == 7
    assert max(step.forward for step in level.steps(RIGHT, 0) if step.turn == 0) == pytest.approx(0.60)


def test_a_state_is_one_number_and_back() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        state = State(
            *(int(rng.integers(*ends)) for ends in ((0, 2), (-32768, 32768), (-32768, 32768), (0, 96)))
        )
        assert state_of(key(state)) == state
        assert key(state) < 2**41


@pytest.mark.parametrize(
    ("sole", "cell", "count"),
    [(BOTH, 0.08, 21), (SOLE, 0.04, 35), (TOES, 0.04, 15), (SOLE, 0.01, 644), (TOES, 0.01, 207)],
)
def test_cells_below_a_sole_are_those_that_it_covers(sole: Sole, cell: float, count: int) -> None:
    assert len(cells_below(sole, Pose(cell / 2, cell / 2, 0.0), cell)) == pytest.approx(count, abs=count / 10)
    rng = np.random.default_rng(1)
    for _ in range(10):
        pose = Pose(*rng.uniform(-1.0, 1.0, 2), rng.uniform(-3.0, 3.0))
        outline = Outline(sole.corners(pose))
        i, j = np.meshgrid(np.arange(-200, 200), np.arange(-200, 200), indexing="ij")
        near = (np.abs(i * cell - pose.x) < 0.5) & (np.abs(j * cell - pose.y) < 0.5)
        cells = np.column_stack([i[near], j[near]])
        inside = outline.contains_points((cells + 0.5) * cell)
        assert set(map(tuple, cells[inside])) == set(map(tuple, cells_below(sole, pose, cell)))


def test_cells_on_the_way_hold_those_of_both_ends() -> None:
    begin, end = Pose(0.02, 0.02, 0.1), Pose(0.4, 0.1, 0.3)
    passed = set(map(tuple, cells_passed(SOLE, begin, end, 0.04)))
    for pose in (begin, end):
        assert set(map(tuple, cells_below(SOLE, pose, 0.04))) <= passed
    shifted = cells_passed(SOLE, Pose(0.02 + 0.4, 0.02 - 0.2, 0.1), Pose(0.8, -0.1, 0.3), 0.04)
    assert {(x - 10, y + 5) for x, y in shifted} == passed


def test_arcs_are_those_of_the_source() -> None:
    # Values of Seiwald 2023, appendix D: lengths, turn, stance before, and where the next foot is.
    for forward, left, turn, half, x, y in (
        (0.19, 0.0, 0.2, HALF, 0.161419, 0.291196),
        (0.19, 0.0, 0.2, -HALF, 0.216053, -0.253322),
        (0.4, 0.0, 0.0, HALF, 0.4, 0.275),
        (0.3, 0.1, math.radians(15.0), HALF, 0.235115, 0.405954),
    ):
        found = arc_lengths(Pose(0.0, 0.0, 0.0), Pose(x, y, turn), half)
        assert found == pytest.approx((forward, left), abs=2e-6)


@pytest.mark.parametrize("seed", [None, 5])
def test_the_search_finds_what_looking_at_everything_finds(seed: int | None) -> None:
    level = first_level(ground(0.8, 0.9, seed=seed), GOAL)
    found = a_star(level)
    exact = costs_to_goal(level, all_states(level, range(-3, 4)))
    # Nothing is gained by turning away further.
    assert found.cost == pytest.approx(exact[level.start], abs=1e-9)
    assert a_star(level, blind=True).cost == pytest.approx(found.cost, abs=1e-9)
    assert a_star(level).path == found.path
    # Seiwald 2023, section 5.5.3: what is closed was taken out or is invalid.
    counts = found.counts
    reached = not math.isinf(found.cost)
    assert counts.closed_insert == counts.extract - reached + counts.invalid_states
    # The lower bound is one, and falls by no more than a step costs.
    for state, cost in exact.items():
        assert level.heuristic(state) <= cost + 1e-9
        for after in level.successors(state):
            if after in exact and not math.isinf(step := level.transition_cost(state, after)):
                assert level.heuristic(state) <= step + level.heuristic(after) + 1e-9


@pytest.mark.parametrize("seed", [None, 4])
def test_footsteps_found_are_the_best_of_all(seed: int | None) -> None:
    level = second_level(ground(0.5, 0.64, seed=seed, blocks=1), Pose(0.3, 0.0, 0.0))
    found = a_star(level)
    states = all_states(level, range(-1, 2))
    exact = costs_to_goal(level, states)
    assert math.isfinite(found.cost)
    assert found.cost <= exact[level.start] + 1e-9  # it may also turn further
    assert a_star(level, blind=True, reopen=True).cost == pytest.approx(found.cost, abs=1e-9)
    for state, cost in exact.items():
        assert level.heuristic(state) <= cost + 1e-9


def test_a_bound_that_is_none_is_seen() -> None:
    level = first_level(LEVEL, GOAL, parameters=PARAMETERS)
    broken = 0
    for yaw in range(48):
        for x, y, _ in level.arcs(yaw):
            way = 0.08 * math.hypot(x, y)
            broken += way > 0.64 + 1e-9
            assert way <= level.longest + 1e-9
    assert broken > 0


def test_it_fails_where_there_is_no_way() -> None:
    terrain = ground(0.8, 1.0)
    walled = HeightLayer(terrain, 4)
    walled.window.highest[20:22] = 1.0
    straight = msgspec.structs.replace(SHORT, grid=GridParameters(yaws=8))  # no step turns by 45 degrees
    level = second_level(terrain, GOAL, parameters=straight)
    level.layer = walled
    found = a_star(level)
    assert found.counts.extract > 1
    assert found.path == []
    assert math.isinf(found.cost)


def test_the_guide_map_is_right_on_lines_and_circles() -> None:
    line = guide_along(np.column_stack([np.linspace(0.0, 2.0, 6), np.zeros(6)]))
    distance, direction, way, turn = line.nearest(0.7, 0.3)
    assert (distance, direction, way, turn) == pytest.approx((0.3, 0.0, 1.3, 0.0), abs=1e-9)
    angle = np.linspace(0.0, 2.0, 30)
    circle = guide_along(np.column_stack([np.sin(angle), 1.0 - np.cos(angle)]), spline=False)
    _, _, way, turn = circle.nearest(0.0, 0.0)
    assert way == pytest.approx(2.0, rel=1e-3)
    assert turn == pytest.approx(2.0, rel=0.05)  # arc over radius
    # Directions near half a turn do not average to zero.
    back = rasterised(guide_along(np.array([[0.4, 0.0], [0.2, 0.002], [0.0, 0.0]])), 0.04)
    assert abs(abs(back.at(Pose(0.2, 0.02, 0.0))[1]) - math.pi) < 0.1
    assert isinstance(back, GuideMap)
    assert back.allows(Pose(0.2, 0.0, math.pi))
    assert not back.allows(Pose(0.2, 0.0, 0.0))
    assert not back.allows(Pose(0.2, 0.3, math.pi))


def test_the_conjugate_of_a_state_is_the_other_foot() -> None:
    grid = Grid(0.04, 48, HALF)
    state = State(RIGHT, 3, -2, 7)
    here, there, middle = grid.pose(state), grid.beside(state), grid.middle(state)
    assert math.hypot(there.x - here.x, there.y - here.y) == pytest.approx(2 * HALF)
    assert there.seen_from(here) == pytest.approx((0.0, 2 * HALF))
    assert ((here.x + there.x) / 2, (here.y + there.y) / 2) == pytest.approx(middle[:2])
