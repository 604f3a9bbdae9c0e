"""Falls and the jump: Ayit 2015, chapter 5, results R6 to R11 of section 24, as far as they are physical."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from footfall.scenarios.quadruped import Run, fall_failures, load_scenario, summarise
from footfall.scenarios.quadruped.run import fall_tilted

Runs = Callable[..., Run]


@pytest.mark.parametrize("contact", ["exact", "penalty", "impacts"])
def test_low_fall_settles(run_of: Runs, contact: str) -> None:
    """R6."""
    run = run_of("fall", contact, fall__height=0.1, duration=3.0)
    failures = fall_failures(run)
    if contact == "penalty":  # springs sink by more than the exact model's one step
        assert [failure[:4] for failure in failures] == ["(iv)"]
    else:
        assert failures == []
    assert summarise(run).end_height == pytest.approx(0.606, abs=2e-3)


def test_free_fall_and_impact(run_of: Runs) -> None:
    """Fall time and momentum of Ayit 2015, chapter 5: sqrt(2 h / g), m sqrt(2 g h)."""
    run = run_of("fall", fall__height=0.1, duration=3.0)
    path = run.trajectory
    first = int(np.argmax(path.forces[:, :, 2].sum(axis=1) > 0.0))
    assert path.time[first] == pytest.approx(0.143, abs=1e-3)
    assert path.v[first - 1, 2] == pytest.approx(-1.401, abs=0.01)
    # From release to rest the ground gives back what gravity gave: m g t.
    assert summarise(run).total_impulse == pytest.approx(run.robot.mass * 9.81 * 3.0, rel=1e-3)
    assert summarise(run).penetration < 1e-6  # R14


def test_impulses_do_not_depend_on_the_step_but_peaks_do(run_of: Runs) -> None:
    one = summarise(run_of("fall", fall__height=0.1, duration=0.4))
    other = summarise(run_of("fall", fall__height=0.1, duration=0.4, step__dt=0.00025))
    assert other.step_impulse == pytest.approx(one.step_impulse, rel=0.25)
    assert other.peak_force > 1.5 * one.peak_force


def test_tilted_fall_ends_upside_down(run_of: Runs) -> None:
    """R7: it bounces, turns over, and rests with the torso at -0.6 m, since only its feet touch."""
    run = run_of("fall", fall__height=0.5, fall__roll=0.02, duration=6.0)
    result = summarise(run)
    assert fall_failures(run) == []
    assert result.upside_down
    assert result.end_height == pytest.approx(-0.6, abs=0.02)
    late = run.trajectory.time > 5.5
    assert np.ptp(run.trajectory.q[late, :2], axis=0).max() < 1e-4  # x and y come to rest


def test_high_fall_settles(run_of: Runs) -> None:
    """R9, level: several impacts take the energy."""
    run = run_of("fall", fall__height=1.5, duration=6.0)
    assert fall_failures(run) == []
    assert abs(summarise(run).load - 1.0) < 1e-3


def test_source_mode_sinks_by_a_step(run_of: Runs) -> None:
    """Ayit 2015: 16.5 kN and 0.7 mm with contact from gap <= 0 on."""
    result = summarise(run_of("fall", fall__height=0.1, duration=1.5, step__gap_term="source"))
    assert result.penetration == pytest.approx(7e-4, rel=0.2)
    assert result.peak_force == pytest.approx(16.5e3, rel=0.1)


def test_penalty_of_the_specification(run_of: Runs) -> None:
    """Ayit 2015: 3.1 kN and 9.5 mm from 0.1 m, 6.7 kN and 20 mm from 0.5 m; both settle (not R8)."""
    for height, force, depth in ((0.1, 3.1e3, 9.5e-3), (0.5, 6.7e3, 20e-3)):
        result = summarise(run_of("fall", "penalty", fall__height=height, duration=3.0))
        assert result.peak_force == pytest.approx(force, rel=0.1)
        assert result.penetration == pytest.approx(depth, rel=0.1)
        assert result.load == pytest.approx(1.0, abs=0.01)


def test_penalty_beyond_its_limit_fails(run_of: Runs) -> None:
    """R8, where it is physical: past k + 2 d = 4 the robot is thrown up, from 0.1 m too."""
    run = run_of("fall", "penalty", fall__height=0.1, duration=2.0, penalty__normal_stiffness=1e8)
    result = summarise(run)
    assert run.diverged is not None or result.top_height > 1.5
    assert result.peak_force > 1e5
    assert fall_failures(run) != []


def test_jump(run_of: Runs) -> None:
    """R10: the body reaches 2.2 m; with springs inside their limit it does as well (not R11)."""
    for contact in ("exact", "penalty"):
        result = summarise(run_of("jump", contact, duration=2.0))
        assert result.top_height == pytest.approx(2.2, abs=0.15)
    exact = run_of("jump", duration=2.0)
    assert summarise(exact).penetration < 1e-6
    flying = (exact.trajectory.time > 1.5) & (exact.trajectory.time < 1.8)
    assert (exact.trajectory.forces[flying] == 0.0).all()


def test_falls_over_tilts() -> None:
    """An ensemble in one native call: mirror images fall as mirror images, some end upside down."""
    scenario = load_scenario("fall").changed(fall__height=0.5, duration=4.0)
    tilts = np.array([(roll, pitch) for roll in (-0.025, 0.0, 0.025) for pitch in (-0.025, 0.0, 0.025)])
    result = fall_tilted(scenario, tilts)
    assert result.finite.all()
    assert np.abs(np.abs(result.end_height) - 0.606).max() < 0.02
    assert (np.abs(result.upright) > 0.99).all()
    assert 0 < (result.upright < 0.0).sum() < len(tilts)
    assert (result.upright[:3] * result.upright[6:] > 0.0).all()
