"""The trot with exact and penalty contact: Ayit 2015, chapter 5, results R1 to R5 and R14 of section 24."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.control.balance import zmp, zmp_from_motion
from footfall.gait.gaits import LEGS
from footfall.scenarios.quadruped import Run, summarise
from footfall.scenarios.quadruped.legs import standing_configuration, trot_course

Runs = Callable[..., Run]


def swings(run: Run) -> Any:
    """Whether each foot is in the middle of its swing, (n, 4)."""
    trot = run.scenario.trot
    assert trot is not None
    start = standing_configuration(run.robot, run.scenario.robot.hip_height)
    times = run.trajectory.time - run.scenario.step.dt
    return trot_course(run.robot, trot, start, times).feet[:, :, 2] > 0.6 * trot.clearance


def test_exact_trot(run_of: Runs) -> None:
    run = run_of("trot")
    result = summarise(run)
    assert run.diverged is None
    assert result.distance == pytest.approx(0.9, rel=0.2)  # R1
    assert abs(result.drift) < 0.1  # R3
    assert result.tilt < 0.06
    assert np.abs(run.trajectory.q[:, 2] - 0.6064).max() < 0.01
    assert result.penetration < 1e-6  # R14
    assert result.total_impulse == pytest.approx(run.robot.mass * 9.81 * 10.6, rel=2e-3)
    assert result.unsolved < 0.01


def test_no_force_in_swing(run_of: Runs) -> None:
    """R5: exactly nothing in the air; on the ground the feet carry."""
    for contact in ("exact", "penalty"):
        run = run_of("trot", contact)
        swing = swings(run)
        assert swing.mean() > 0.1
        assert (run.trajectory.forces[swing] == 0.0).all()
        late = run.trajectory.time > 1.0
        standing = run.trajectory.forces[late][~swing[late]][:, 2]
        assert standing.min() >= 0.0
        assert standing.mean() > 200.0


def test_contact_never_adds_energy(run_of: Runs) -> None:
    """R5: the work of the contacts falls and falls; what rises is the rounding of one step."""
    result = summarise(run_of("trot"))
    assert result.contact_work < -1.0
    assert result.contact_growth < 0.05
    assert result.energy_growth < 0.05


def test_friction_keeps_its_cone(run_of: Runs) -> None:
    run = run_of("trot")
    tangential = np.linalg.norm(run.trajectory.forces[:, :, :2], axis=2)
    before = np.concatenate([run.start[None], run.trajectory.q[:-1]])
    rates = np.concatenate([np.zeros((1, run.robot.nv)), run.trajectory.v[:-1]])
    # The natural map is zero to `tolerance` of the weight, along and, times mu, across the normal.
    slack = (1 + 0.3) * run.scenario.step.tolerance * run.robot.mass * 9.81
    for k, leg in enumerate(LEGS):
        sliding = np.linalg.norm(footfall.frame_velocity(run.robot, before, rates, leg)[:, :2], axis=1)
        bound = 0.3 * run.trajectory.forces[:, k, 2] + 0.4 * sliding  # Ayit 2015, (4.22)
        assert (tangential[:, k] <= bound * (1 + 1e-9) + slack).all()


def test_penalty_trots_less_far(run_of: Runs) -> None:
    """R2 to R4: the same reference, springs in place of constraints."""
    exact, penalty = (summarise(run_of("trot", contact)) for contact in ("exact", "penalty"))
    assert penalty.distance == pytest.approx(0.7, rel=0.2)
    assert penalty.distance < exact.distance
    assert abs(penalty.drift) < 0.18
    assert penalty.end_height == pytest.approx(exact.end_height, abs=5e-3)
    assert penalty.tilt < 0.06
    assert 1e-4 < penalty.penetration < 1e-2


def test_zmp_of_forces_is_that_of_the_motion(run_of: Runs) -> None:
    """Newton and Euler for the whole robot: contact forces against the change of momentum, step by step."""
    run = run_of("trot")
    robot, path, dt = run.robot, run.trajectory, run.scenario.step.dt
    for k in range(1500, 12_000, 911):
        q, before, after = path.q[k - 1], path.v[k - 1], path.v[k]
        change = footfall.dynamics.centroidal_momentum_matrix(robot, q) @ (after - before) / dt
        rate = change + footfall.dynamics.centroidal_momentum_bias(robot, q, before)
        if path.forces[k, :, 2].sum() <= 1.0:
            continue
        of_forces = zmp(path.positions[k], path.forces[k])
        center = footfall.center_of_mass(robot, q)
        motion = (center, rate[:3] / robot.mass, rate[3:])
        assert zmp_from_motion(*motion, mass=robot.mass) == pytest.approx(of_forces, abs=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_body_beside_its_feet_drifts(run_of: Runs, side: float) -> None:
    """R3: 7 mm to one side for good make the source's 0.1 m along y; without they do not come about."""
    exact = summarise(run_of("trot", trot__lateral_offset=0.007 * side))
    assert side * exact.drift == pytest.approx(0.1, abs=0.04)
    assert exact.distance == pytest.approx(0.9, rel=0.25)
    assert abs(exact.yaw) < 0.1  # it goes sideways, it does not turn


@pytest.mark.parametrize("dt", [0.002, 0.005])
def test_larger_steps(run_of: Runs, dt: float) -> None:
    """R1 at four and ten times the source's step."""
    result = summarise(run_of("trot", step__dt=dt))
    assert result.distance == pytest.approx(0.9, rel=0.25)
    assert result.tilt < 0.06
    assert result.penetration < 1e-6


def test_tall_feet(run_of: Runs) -> None:
    """The printed foot height of 0.5 m: five times the inertia, still a trot."""
    result = summarise(run_of("trot", robot__foot_height=0.5, duration=5.0))
    assert result.distance > 0.2
    assert result.tilt < 0.1
