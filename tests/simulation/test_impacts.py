"""Impacts against closed forms: rebound heights, colliding balls, a rod that hits with one end, momentum."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall import Material
from footfall.contact.candidates import Candidate, Surface
from footfall.geometry.plane import Plane
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import JointOptions, StepOptions
from tests.simulation.worlds import GRAVITY, ball, block, energies, ground, simulate

pytestmark = pytest.mark.usefixtures("each_way")

G = GRAVITY


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9, 1.0])
def test_rebound_height(restitution: float) -> None:
    # h' = e^2 h, Ayit 2015, (4.13). The impact comes up to a step early: speed and height are off by g dt and v dt.
    height, radius, dt = 0.5, 0.1, 2e-4
    simulation = simulate(
        ground(restitution=restitution), ball((0.0, 0.0, radius + height), restitution=restitution), dt=dt
    )
    speed = np.sqrt(2 * G * height)
    seconds = speed / G * (1 + restitution) + 10 * dt  # down, and up to the top
    z = simulation.run(simulation.zero_command, seconds).q[:, 2] - radius
    first = int(np.argmin(z))
    assert z[first:].max() == pytest.approx(restitution**2 * height, abs=3 * speed * dt)
    assert z.min() > -speed * dt


def test_rebound_heights_in_a_row() -> None:
    # h_k = e^(2k) h
    height, radius, dt, restitution = 0.4, 0.05, 2e-4, 0.7
    simulation = simulate(
        ground(restitution=restitution), ball((0.0, 0.0, radius + height), radius=radius), dt=dt
    )
    z = simulation.run(simulation.zero_command, 1.4).q[:, 2] - radius
    tops = [z[k] for k in range(1, len(z) - 1) if z[k - 1] < z[k] >= z[k + 1]]
    expected = [restitution ** (2 * k) * height for k in range(1, len(tops) + 1)]
    assert len(tops) >= 3
    assert tops == pytest.approx(expected, abs=5 * np.sqrt(2 * G * height) * dt)


def test_without_restitution_nothing_rebounds() -> None:
    simulation = simulate(ground(), ball((0.0, 0.0, 0.3)))
    trajectory = simulation.run(simulation.zero_command, 0.5)
    landed = trajectory.time > np.sqrt(2 * 0.2 / G) + 0.002
    assert np.abs(trajectory.v[landed]).max() < 1e-9
    assert trajectory.q[landed, 2] == pytest.approx(0.1, abs=1e-12)


def test_elastic_balls_swap_their_velocities() -> None:
    # Two equal masses, e = 1, head on: v1' = v2, v2' = v1, Ayit 2015, (4.3)-(4.14).
    simulation = simulate(
        ball((0.0, 0.0, 0.0), velocity=(1.0, 0, 0, 0, 0, 0), name="one", restitution=1.0, friction=0.0),
        ball((0.5, 0.0, 0.0), name="two", restitution=1.0, friction=0.0),
        gravity=0.0,
    )
    simulation.run(simulation.zero_command, 0.5)
    one, two = (simulation.state.v[simulation.robot.v_slice(name)] for name in ("one", "two"))
    assert one[:3] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert two[:3] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_collision_of_unequal_balls(restitution: float) -> None:
    # m1 v1 + m2 v2 conserved; v2' - v1' = -e (v2 - v1)
    simulation = simulate(
        ball((0.0, 0.0, 0.0), velocity=(1.0, 0, 0, 0, 0, 0), name="one", restitution=restitution, mass=3.0),
        ball((0.5, 0.0, 0.0), name="two", velocity=(-0.5, 0, 0, 0, 0, 0), restitution=restitution, mass=1.0),
        gravity=0.0,
    )
    simulation.run(simulation.zero_command, 0.5)
    one, two = (float(simulation.state.v[simulation.robot.v_slice(name)][0]) for name in ("one", "two"))
    assert 3.0 * one + two == pytest.approx(2.5, abs=1e-12)
    assert two - one == pytest.approx(restitution * 1.5, abs=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_rod_hits_with_one_end(restitution: float) -> None:
    # RSL 2022, (3.66)-(3.72): a level rod (1 kg, 1 m) falls at v = 1 m/s onto one end, J_c u+ = -e J_c u-.
    # Impulse (1 + e) v / (1/m + (l/2)^2 / I) = (1 + e) m v / 4 with I = m l^2 / 12;
    # after it the centre moves at -v + P/m and turns at (l/2) P / I.
    rod, dt, speed = footfall.load("falling-rod"), 1e-5, 1.0
    surface = Surface(Plane(), material=Material(friction=0.0, restitution=restitution))
    # "rear" sits below the ground for all but the first instant: only the front end may touch
    tip = Candidate("front", (0.0, 0.0, 0.0), 0.0, surface)
    v = np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0])
    q = np.array([0.0, 0.0, 0.5 * speed * dt, 1.0, 0.0, 0.0, 0.0])
    simulation = FeetSimulation(rod, candidates=[tip], options=StepOptions(dt=dt), q=q, v=v)
    trajectory = simulation.step()
    impulse = trajectory.forces[0, 0, 2] * dt
    # With the gap term an inelastic tip is let down to the ground at gap / dt = v / 2 in the first step.
    target = restitution * speed if restitution > 0.0 else -0.5 * speed
    expected = (target + speed) / 4.0
    assert impulse == pytest.approx(expected, abs=2 * G * dt)
    if restitution == 0.0:
        impulse += simulation.step().forces[0, 0, 2] * dt
        expected = speed / 4.0
        assert impulse == pytest.approx(expected, abs=2 * G * dt)
    assert simulation.state.v[2] == pytest.approx(-speed + expected, abs=2 * G * dt)
    assert simulation.state.v[4] == pytest.approx(-0.5 * expected * 12.0, abs=6 * G * dt)


def test_free_flight_conserves_momentum_and_follows_the_parabola() -> None:
    """The quadruped without ground: no force but gravity, joints free."""
    robot = footfall.load("quadruped")
    rng = np.random.default_rng(3)
    v = 0.5 * rng.normal(size=robot.nv)
    drifts = []
    for dt in (1e-3, 5e-4):
        options = StepOptions(dt=dt, joints=JointOptions(limits=False, friction=False))
        simulation = FeetSimulation(
            robot, candidates=[], options=options, q=robot.configuration("stand"), v=v
        )
        start = footfall.centroidal_momentum(simulation.robot, simulation.state.q, v)
        simulation.run(simulation.zero_command, 0.2)
        end = footfall.centroidal_momentum(simulation.robot, simulation.state.q, simulation.state.v)
        # linear: p(t) = p(0) + m g t; angular about the centre of mass: constant, up to the order of the method
        expected = start[:3] + robot.mass * np.array([0.0, 0.0, -G]) * 0.2
        drifts.append([np.abs(end[:3] - expected).max(), np.abs(end[3:] - start[3:]).max()])
        assert drifts[-1][0] < 0.1 * dt / 1e-3 * robot.mass
    assert drifts[1][1] < 0.6 * drifts[0][1] + 1e-9  # first order in dt


def test_impulses_are_the_change_of_momentum() -> None:
    """m dv = sum of contact impulses + m g t, over a fall with bounces on corners."""
    simulation = simulate(
        ground(restitution=0.4, friction=0.5),
        block(position=(0.0, 0.0, 0.4), velocity=(0.7, -0.2, 0.0, 3.0, -2.0, 1.0)),
    )
    start = simulation.state.v[:3].copy()
    trajectory = simulation.run(simulation.zero_command, 0.8)
    impulse = trajectory.forces.sum(axis=(0, 1)) * simulation.options.dt
    gained = simulation.state.v[:3] - start - np.array([0.0, 0.0, -G]) * 0.8
    assert impulse == pytest.approx(gained, abs=1e-9)


def test_energy_of_a_frictionless_elastic_ball_never_grows() -> None:
    simulation = simulate(ground(restitution=1.0, friction=0.0), ball((0.0, 0.0, 0.5), friction=0.0), dt=1e-3)
    trajectory = simulation.run(simulation.zero_command, 5.0)
    energy = energies(simulation.robot, trajectory.q, trajectory.v)
    # A fall adds or loses m g dt v / 2 a step, and the same energy returns going up: compare at the tops.
    height = trajectory.q[:, 2]
    tops = [k for k in range(1, len(height) - 1) if height[k - 1] < height[k] >= height[k + 1]]
    assert len(tops) > 5
    assert max(energy[tops]) <= G * 0.5 * (1 + 1e-6) + G * 1e-3 * np.sqrt(2 * G * 0.4)


@pytest.mark.parametrize(("floor", "thing"), [(0.8, 0.2), (0.2, 0.8)])
def test_the_livelier_side_decides_the_rebound(floor: float, thing: float) -> None:
    """v+ = -max(e_1, e_2) v-, whichever side is which."""
    speed = -2.0
    simulation = simulate(
        ground(restitution=floor),
        ball((0.0, 0.0, 0.1 + 1e-4), velocity=(0, 0, speed, 0, 0, 0), restitution=thing),
        gravity=0.0,
    )
    simulation.run(simulation.zero_command, 0.01)
    assert simulation.state.v[2] == pytest.approx(-0.8 * speed, rel=1e-9)
