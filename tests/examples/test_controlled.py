"""Controllers in simulation: an arm, a pushed quadruped, LOLA, and robots that nobody tuned for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import footfall
from examples.controlled.arm import PRESSING, press_on_table, trace_circle, yield_to_push
from examples.controlled.motions import (
    DIRECTIONS,
    StandRun,
    growing_wave,
    pushed,
    shift_and_turn,
    squat_and_wave,
)
from examples.controlled.outputs import plot_arms, plot_stands, record
from examples.controlled.stances import TRUSTED, lola_standing, standing
from examples.controlled.validation import ContactWatch
from footfall.bench.robots import load_measured
from footfall.errors import UnknownName
from footfall.recording.reader import read_recording
from footfall.robot.model import Robot


@pytest.fixture(scope="module")
def anymal() -> Robot:
    pytest.importorskip("pinocchio", reason="ANYmal comes with example-robot-data")
    return load_measured("anymal")


def assert_contact_is_valid(run: StandRun, *, points: int) -> None:
    """By the validator: impulses solve the contact problem, friction is inside its cones, what is pressed sticks."""
    assert len(run.watch.checks) >= 10
    assert run.contact_residual < 1e-8
    assert run.cone_excess < 1e-12
    assert run.slip < 1e-8
    assert {check.pressed for check in run.watch.checks} == {points}


def test_validator_sees_a_slide() -> None:
    """A robot whose feet move along the ground: contact is solved, but it slides."""
    stance = lola_standing(footfall.load("lola"))
    watch, simulation = ContactWatch(stance), stance.simulation()
    sliding = np.zeros(stance.robot.nv)
    sliding[0] = 0.5
    watch.look(replace(simulation.state, v=sliding), simulation.zero_command, None)
    check = watch.checks[0]
    assert check.residuals.natural_map < 1e-6 * watch.weight
    assert check.slip > 0.1


def test_circle(tmp_path: Path) -> None:
    run = trace_circle(1.2)
    assert run.error < 2e-4
    assert np.linalg.norm(np.ptp(run.reached, axis=0)) > 0.1
    path = record(run, tmp_path)
    assert len(read_recording(path).time) == len(run.trajectory.time)


def test_presses_while_it_moves(tmp_path: Path) -> None:
    """Friction of 2 N disturbs: it is unknown to the controller and turns with the motion."""
    pytest.importorskip("matplotlib")
    run = press_on_table(2.6)
    late = run.trajectory.time > 0.5
    assert run.force[late].mean() == pytest.approx(PRESSING, abs=1.5)
    assert np.abs(run.force[late] - PRESSING).max() < 6.0
    assert run.error < 2e-3
    assert plot_arms([run], tmp_path / "arm.png").stat().st_size > 10_000


def test_without_friction_the_force_is_exact() -> None:
    run = press_on_table(2.0, friction=0.0)
    late = run.trajectory.time > 0.5
    assert np.abs(run.force[late] - PRESSING).max() < 0.2


def test_yields_as_its_springs_say() -> None:
    found = yield_to_push()
    assert np.linalg.norm(found.moved) > 0.02
    assert found.imbalance < 0.02
    assert found.left < 1e-3


@pytest.mark.parametrize("time", [0.3, 0.9, 1.7])
def test_waves_grow_smoothly(time: float) -> None:
    """Velocity and acceleration are derivatives; it starts from rest, and nothing jumps when it is grown."""
    phases, h = np.array([0.0, 1.0]), 1e-5
    before, now, after = (growing_wave(time + step, 4.0, phases) for step in (-h, 0.0, h))
    assert np.abs((after.value - before.value) / (2 * h) - now.velocity).max() < 1e-7
    assert np.abs((after.velocity - before.velocity) / (2 * h) - now.acceleration).max() < 1e-7
    assert not np.any(growing_wave(0.0, 4.0, phases)[:2])
    jump = growing_wave(1.0 + 1e-9, 4.0, phases).velocity - growing_wave(1.0 - 1e-9, 4.0, phases).velocity
    assert np.abs(jump).max() < 1e-6


@pytest.mark.parametrize("k", [0, 1, 2])
def test_pushed(anymal: Robot, k: int, tmp_path: Path) -> None:
    """100 N for 0.2 s, a third of the weight; the eight directions are symmetric to these three."""
    pytest.importorskip("matplotlib")
    run = pushed(standing(anymal, "anymal"), 2.0 * np.pi * k / DIRECTIONS)
    assert np.abs(run.error[:, :3]).max() > 0.01
    assert np.linalg.norm(run.error[-1, :3]) < 0.02
    assert not run.slips
    assert_contact_is_valid(run, points=4)
    assert run.least_force > 1.0
    assert run.planned_friction <= TRUSTED + 1e-6
    assert run.exceeded == 0
    if k == 0:
        assert plot_stands([run], tmp_path / "push.png").stat().st_size > 10_000
        assert record(run, tmp_path).stat().st_size > 10_000


def test_shifts_and_turns(anymal: Robot) -> None:
    run = shift_and_turn(standing(anymal, "anymal"), seconds=1.5)
    assert np.abs(run.error[:, :3]).max() < 1e-3
    assert np.abs(run.error[:, 3:]).max() < 4e-3
    assert not run.slips


def test_a_robot_that_nobody_tuned_for() -> None:
    pytest.importorskip("pinocchio", reason="Go2 comes with example-robot-data")
    robot = load_measured("go2")
    run = pushed(standing(robot, "go2"), 0.0, force=100.0 * robot.mass / 30.5)
    assert np.linalg.norm(run.error[-1, :3]) < 0.02
    assert not run.slips
    assert run.exceeded == 0


def test_lola_squats_and_waves() -> None:
    robot = footfall.load("lola")
    stance = lola_standing(robot)
    assert len(stance.contacts) == 8
    run = squat_and_wave(stance, "efl", seconds=0.8)
    lowered = (
        footfall.center_of_mass(robot, run.trajectory.q[-1])[2] - footfall.center_of_mass(robot, stance.q)[2]
    )
    assert lowered < -0.03
    assert np.abs(run.error[:, :3]).max() < 2e-3  # velocity and acceleration are fed forward: no lag
    assert np.abs(run.error[:, 3:]).max() < 5e-3
    assert run.travel < 1e-3
    assert not run.slips
    assert_contact_is_valid(run, points=8)
    assert run.planned_friction <= TRUSTED + 1e-6
    assert np.ptp(run.trajectory.q[:, robot.q_slice("efl").start]) > 0.1


def test_unknown_kind() -> None:
    with pytest.raises(UnknownName, match="no kind of robot 'horse'"):
        standing(footfall.load("lola"), "horse")
