"""Steps between states: how many there are, and that each keeps the limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.gait.step_parameters import step_lengths
from footfall.motion.reduced_model import Bulk, CapsuleShape
from footfall.planning.biped import biped_of
from footfall.planning.footprints import sole_stamps
from footfall.planning.parameters import PlannerParameters, StepLimits
from footfall.planning.step_set import CELL, guide_steps, step_set
from footfall.planning.tables import tables_for
from tests.planning.scenes import model

PARAMETERS = PlannerParameters()


def test_as_many_successors_as_the_source_has() -> None:
    """240.1 footsteps a state (source: 239.85, counted while searching)."""
    steps = tables_for(model(), PARAMETERS).steps
    counts = np.diff(steps.first, axis=1)
    assert counts.mean() == pytest.approx(240.08, abs=0.01)
    assert (counts.min(), counts.max()) == (234, 248)
    assert steps.longest == pytest.approx(0.620, abs=1e-3)  # below 0.64: the estimate is consistent


def test_steps_of_a_guide_may_pass_no_cell() -> None:
    """Steps of 9 cm end in the next cell: there is none between."""
    short = PlannerParameters(step=StepLimits(forward_m=0.09))
    assert len(guide_steps(PARAMETERS).between) > 0
    found = guide_steps(short)
    assert len(found.steps) > 0
    assert len(found.between) == found.between_first[-1] < len(guide_steps(PARAMETERS).between)


def test_each_step_keeps_the_limits() -> None:
    steps, limits = tables_for(model(), PARAMETERS).steps, PARAMETERS.step
    half = model().foot_distance / 2
    for foot, k in ((0, 0), (0, 7), (1, 19), (1, 40)):
        chosen = steps.steps[steps.first[foot, k] : steps.first[foot, k + 1]]
        yaw = 2 * np.pi * k / 48
        x, y = CELL * chosen["dx"], CELL * chosen["dy"]
        way = np.stack(
            [np.cos(yaw) * x + np.sin(yaw) * y, np.cos(yaw) * y - np.sin(yaw) * x, np.zeros(len(x))], axis=1
        )
        side = 1.0 if foot == 0 else -1.0
        lengths = step_lengths(way, np.deg2rad(7.5) * chosen["turn"], side * half)
        outward = side * lengths[:, 1]
        assert lengths[:, 0].min() > -1e-6
        assert outward.min() > -1e-6
        assert (lengths[:, 0] / limits.forward_m + outward / limits.outward_m).max() <= 1.0 + 1e-6
        np.testing.assert_allclose(lengths[:, 0], chosen["forward"], atol=1e-12)


def test_a_quarter_of_a_turn_permutes_the_steps() -> None:
    """Computed from scratch for a heading beyond the first quarter, not copied from there."""
    from footfall.planning.step_set import _steps_from

    steps = tables_for(model(), PARAMETERS).steps
    again = _steps_from(biped_of(model()), PARAMETERS, 0, 2 * np.pi * 17 / 48).rows
    kept = steps.steps[steps.first[0, 17] : steps.first[0, 18]]
    table = np.stack([kept[name] for name in ("dx", "dy", "turn", "cost")], axis=1)
    np.testing.assert_allclose(
        table[np.lexsort(table[:, :3].T)], again[np.lexsort(again[:, :3].T)][:, :4], atol=1e-9
    )


def test_cells_below_a_sole() -> None:
    """Counts at heading 0 from the rectangle and the centre rule; all headings against points in a polygon."""
    from matplotlib.path import Path

    sole, toe = model().sole, model().toe_sole
    coarse = sole_stamps(sole, toe, 48, 0.04)
    fine = sole_stamps(sole, toe, 96, 0.01)
    assert (len(coarse.of(0)), coarse.toes[0]) == (35, 15)
    assert (len(fine.of(0)), fine.toes[0]) == (644, 207)
    rear, front, right, left = sole
    corners = np.array([[rear, right], [front, right], [front, left], [rear, left]])
    line = np.arange(-9, 10)
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    for k in range(1, 48, 5):  # headings whose edges do not pass through centres of cells
        yaw = 2 * np.pi * k / 48
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        inside = grid[Path(corners @ turn.T).contains_points(0.04 * grid)]
        assert {tuple(cell) for cell in coarse.of(k)} == {tuple(cell) for cell in inside}


def test_steps_of_a_smaller_robot_are_smaller() -> None:
    from dataclasses import replace

    from footfall.planning.parameters import parameters_for

    small = model()
    leg = replace(small.leg, lower_leg=0.3, upper_leg=0.3)
    small = replace(
        small, leg=leg, foot_distance=0.24, sole=(-0.1, 0.08, -0.05, 0.05), toe_sole=(-0.1, 0.08, -0.05, 0.05)
    )
    steps = step_set(biped_of(small), parameters_for(small))
    assert steps.longest < 0.46
    assert len(steps.steps) > 0


def test_tables_are_those_of_the_robot_that_is_asked_for() -> None:
    """A robot that differs in its room alone, or in where its hands touch things, has other volumes."""
    plain = model()
    capsule = CapsuleShape((0.0, 0.0, 0.5), (0.0, 0.0, 1.5), 0.6)
    wide = replace(plain, bulk=Bulk((capsule,), (capsule,)))
    first = tables_for(plain, PARAMETERS)
    radii = np.array(tables_for(wide, PARAMETERS).volumes.body["radius"])
    np.testing.assert_allclose(radii, 0.6)
    assert tables_for(plain, PARAMETERS) is first
    near = replace(plain, hand_reach=((0.0, -0.3, 0.0, 0.1, -0.3, 0.0, 0.05),))
    np.testing.assert_allclose(np.array(tables_for(near, PARAMETERS).volumes.reach["radius"]), 0.05)
