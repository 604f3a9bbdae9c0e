"""The benchmark of looped robots with the least effort: contestants agree, reports have what they must."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import footfall
from benchmarks.lab.lola_types import SOURCE, pass_kernels
from benchmarks.lab.loop_robots import FOUR_BAR_LEG, closed_states, four_bar_leg
from benchmarks.lab.loops import forward_kernels, measure_loops, needed_iterations, residual, single_rows
from benchmarks.lab.loops_report import markdown
from benchmarks.lab.scaling import measure_scaling, plot_scaling, slope
from benchmarks.lab.stiff_limit import StiffLimit
from footfall.bench.dynamics import Effort, has_pinocchio

LEAST = Effort(blocks=2, block_seconds=1e-5, calls=4, batch=16)
LEG = four_bar_leg()


def test_four_bar_leg_bends_through_its_rod() -> None:
    """Distance between rod end and lever is zero in all states; the crank moves the shank."""
    states = closed_states(LEG, 20)
    for q in states.q:
        ends = [
            footfall.frame_pose.textbook(LEG.spanning, q, name).translation
            for name in ("rod_end", "knee_lever")
        ]
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
    assert (LEG.nv, LEG.spanning.nv) == (2, 4)
    assert np.ptp(states.q[:, 1]) > 0.05


def test_a_leg_is_measured_and_reported() -> None:
    (measurement,) = measure_loops([FOUR_BAR_LEG], effort=LEAST)
    assert measurement.residual < 1e-10
    text = markdown(loops=[measurement], limits=[StiffLimit(0.9, 0.1)], effort=LEAST, load_before="0")
    assert "| four-bar-leg | 2/4 | O(n) with sub-systems |" in text
    assert "| 0.9 | 1.0e-01 |" in text
    if has_pinocchio():
        assert measurement.error is not None
        assert measurement.error < 1e-8
        assert "call against python" in text


def test_wrong_dynamics_are_noticed() -> None:
    pytest.importorskip("pinocchio")
    rows = single_rows(closed_states(LEG, 2), 2)
    heavier = replace(LEG, bodies=tuple(replace(body, mass=1.01 * body.mass) for body in LEG.bodies))
    assert residual(heavier, forward_kernels(LEG), rows[0]) > 1e-4
    assert needed_iterations(LEG, rows)[1] < 1e-8


@pytest.mark.parametrize("name", ["cassie"])
def test_accelerations_of_pinocchio(name: str) -> None:
    pytest.importorskip("pinocchio")
    robot = footfall.load(name)
    iterations, error = needed_iterations(robot, single_rows(closed_states(robot, 3), 3))
    assert error < 1e-8
    assert iterations > 0  # plane loops say something twice


def test_trees_are_measured_and_plotted(tmp_path: Path) -> None:
    """Norms of the accelerations are the golden values of Schwienbacher 2014, chapter 2."""
    pytest.importorskip("matplotlib")
    measurements = measure_scaling([1, 2, 3], effort=LEAST)
    norms = [each.norm for each in measurements]
    np.testing.assert_allclose(norms, [4.069757852, 11.48639396, 24.13354566], rtol=1e-9)
    assert max(each.error for each in measurements) < 1e-10
    assert np.isnan(slope(measurements, "articulated"))  # small trees make no line
    plot_scaling(measurements, tmp_path / "dill.png")
    assert (tmp_path / "dill.png").stat().st_size > 10_000
    assert "| 3 | 8 |" in markdown(scaling=measurements, effort=LEAST, load_before="0")


def test_passes_are_parts() -> None:
    """Each pass needs fewer operations than the whole; checked on a small looped robot."""
    kernels = pass_kernels(LEG)
    whole = forward_kernels(LEG)
    assert kernels["first forward pass"].operations < whole["articulated"].operations
    assert kernels["mass matrix"].operations < whole["dense"].operations
    assert SOURCE[2][5][0] == 53.67


def test_mujoco_approaches_hard_loops() -> None:
    """Soft constraints of impedance d leave the share 1 - d of what they should hold."""
    pytest.importorskip("mujoco")
    from benchmarks.lab.stiff_limit import measure_stiff_limit

    soft, hard = measure_stiff_limit(FOUR_BAR_LEG, (0.99, 0.9999))
    assert soft.difference > 0.01
    assert hard.difference == pytest.approx(0.01 * soft.difference, rel=0.1)
