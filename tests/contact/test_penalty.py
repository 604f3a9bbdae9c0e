"""Penalty laws: static sink, stability limit, friction anchors, traced code."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler import build_kernel
from footfall.contact.penalty import (
    PenaltyLaw,
    PenaltyMemory,
    growth_in_a_step,
    largest_stiffness,
    no_memory,
    penalty_force,
    penalty_stability,
    warn_if_unstable,
)
from footfall.errors import InvalidInput, SimulationWarning

G = 9.81


def fall(law: PenaltyLaw, *, mass: float, height: float, dt: float, seconds: float) -> tuple[Array, Array]:
    """Heights and normal forces of a point mass that falls on the ground, by semi-implicit Euler."""
    z, v, memory = height, 0.0, no_memory()
    heights, forces = [], []
    for _ in range(int(seconds / dt)):
        force, memory = penalty_force(
            law,
            memory,
            gap=z,
            frame=np.eye(3),
            position=np.array([0.0, 0.0, z]),
            velocity=np.array([0.0, 0.0, v]),
            friction=0.5,
            dt=dt,
        )
        v += dt * (float(force[2]) / mass - G)
        z += dt * v
        heights.append(z)
        forces.append(float(force[2]))
    return np.array(heights), np.array(forces)


def test_static_sink_is_weight_over_stiffness() -> None:
    law = PenaltyLaw(normal_stiffness=2e4, normal_damping=400.0)
    heights, forces = fall(law, mass=2.0, height=0.01, dt=1e-3, seconds=1.0)
    assert heights[-1] == pytest.approx(-2.0 * G / 2e4, rel=1e-6)
    assert forces[-1] == pytest.approx(2.0 * G, rel=1e-6)


def test_integral_term_takes_the_sink_away() -> None:
    law = PenaltyLaw(normal_stiffness=2e4, normal_damping=400.0, integral=2e5)
    heights, forces = fall(law, mass=2.0, height=0.001, dt=1e-3, seconds=2.0)
    assert abs(heights[-1]) < 1e-5 * 2.0 * G / 2e4 * 100
    assert forces[-1] == pytest.approx(2.0 * G, rel=1e-2)


def test_force_never_pulls() -> None:
    law = PenaltyLaw(normal_stiffness=1e3, normal_damping=1e3)
    result = penalty_force(
        law,
        no_memory(),
        gap=-1e-4,
        frame=np.eye(3),
        position=np.zeros(3),
        velocity=np.array([0.0, 0.0, 5.0]),
        friction=1.0,
        dt=1e-3,
    )
    np.testing.assert_array_equal(result.force, np.zeros(3))


@pytest.mark.parametrize("damping", [0.0, 0.5, 1.0, 1.9])
def test_stability_limit_found_by_bisection(damping: float) -> None:
    # Ayit 2015, chapter 5: k + 2 d = 4. The law itself is simulated around its resting point, not the formula.
    mass, dt = 2.0, 1e-3

    def grows(k: float) -> bool:
        law = PenaltyLaw(normal_stiffness=k * mass / dt**2, normal_damping=damping * mass / dt)
        rest = -mass * G / law.normal_stiffness
        z, v, memory = rest * (1 - 1e-6), 0.0, no_memory()
        for _ in range(3000):
            force, memory = penalty_force(
                law,
                memory,
                gap=z,
                frame=np.eye(3),
                position=np.array([0.0, 0.0, z]),
                velocity=np.array([0.0, 0.0, v]),
                friction=0.0,
                dt=dt,
            )
            v += dt * (float(force[2]) / mass - G)
            z += dt * v
            if abs(z - rest) > 1e-3 * abs(rest):
                return True
        return False

    low, high = 0.01, 5.0
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (low, middle) if grows(middle) else (middle, high)
    assert low == pytest.approx(4 - 2 * damping, abs=0.04)


@pytest.mark.parametrize("damping", [0.0, 0.3, 1.0, 1.99])
def test_growth_is_one_at_the_limit(damping: float) -> None:
    limit = 4 - 2 * damping
    assert growth_in_a_step(0.999 * limit, damping) <= 1.0 + 1e-12
    assert growth_in_a_step(1.001 * limit + 1e-3, damping) > 1.0
    assert growth_in_a_step(0.5, 2.5) > 1.0


def test_limits_of_the_quadruped() -> None:
    # Ayit 2015, chapter 5: W_nn = 0.203 1/kg and 0.85 1/kg along the ground, dt = 0.0005 s
    assert largest_stiffness(0.203, dt=5e-4) == pytest.approx(7.9e7, rel=0.01)
    assert largest_stiffness(0.85, dt=5e-4) == pytest.approx(1.9e7, rel=0.01)
    assert largest_stiffness(0.203, dt=5e-4, damping=1.97e4) == pytest.approx(0.0, abs=1e5)


def test_warns_past_the_limit_only() -> None:
    delassus = np.diag([0.85, 0.3, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warn_if_unstable(PenaltyLaw(), delassus, dt=5e-4).stable
    with pytest.warns(SimulationWarning, match="normal spring-damper grows"):
        warn_if_unstable(PenaltyLaw(normal_stiffness=1e8), delassus, dt=5e-4)


def test_contacts_together_are_less_stable_than_one() -> None:
    # Two contacts that push the same mass: twice the stiffness.
    normal = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    law = PenaltyLaw(
        normal_stiffness=3e6, normal_damping=0.0, tangential_stiffness=0.0, tangential_damping=0.0
    )
    assert penalty_stability(law, np.diag([0.0, 0.0, 1.0]), dt=1e-3).stable
    assert not penalty_stability(law, np.outer(normal, normal), dt=1e-3).stable


def test_anchor_holds_a_block_on_a_slope_and_lets_it_slide() -> None:
    law, mass, dt, mu = PenaltyLaw(), 5.0, 5e-4, 0.4

    def after_a_second(angle: float) -> tuple[float, float]:
        pull = G * np.array([np.sin(angle), 0.0, -np.cos(angle)])
        x, v, memory = np.zeros(3), np.zeros(3), no_memory()
        for _ in range(2000):
            force, memory = penalty_force(
                law, memory, gap=x[2], frame=np.eye(3), position=x, velocity=v, friction=mu, dt=dt
            )
            v = v + dt * (force / mass + pull)
            x = x + dt * v
        return float(x[0] - memory.anchor[0]), float(v[0])

    angle = 0.9 * np.arctan(mu)
    stretched, speed = after_a_second(angle)
    assert stretched == pytest.approx(mass * G * np.sin(angle) / law.tangential_stiffness, rel=1e-3)
    assert abs(speed) < 1e-9
    angle = 1.3 * np.arctan(mu)
    _, speed = after_a_second(angle)
    assert speed == pytest.approx(1.0 * G * (np.sin(angle) - mu * np.cos(angle)), rel=0.02)


def test_viscous_bound() -> None:
    law = PenaltyLaw(tangential_damping=1e6)
    result = penalty_force(
        law,
        no_memory(),
        gap=-1e-3,
        frame=np.eye(3),
        position=np.zeros(3),
        velocity=np.array([3.0, 4.0, 0.0]),
        friction=0.3,
        viscous_friction=0.4,
        dt=1e-3,
    )
    assert np.linalg.norm(result.force[:2]) == pytest.approx(0.3 * 200.0 + 0.4 * 5.0)  # Ayit 2015, (4.22)
    # the anchor is dragged behind the point by what the spring then holds
    np.testing.assert_allclose(result.memory.anchor[:2], result.force[:2] / law.tangential_stiffness)


def test_memory_is_cleared_in_the_air() -> None:
    touching = PenaltyMemory(1.0, np.array([1.0, 2.0, 3.0]), 0.7)
    result = penalty_force(
        PenaltyLaw(),
        touching,
        gap=1e-3,
        frame=np.eye(3),
        position=np.zeros(3),
        velocity=np.zeros(3),
        friction=0.5,
        dt=1e-3,
    )
    np.testing.assert_array_equal(result.force, np.zeros(3))
    assert (result.memory.touched, result.memory.integral) == (0.0, 0.0)


def test_traced_law_is_the_same() -> None:
    law = PenaltyLaw(integral=1e4)

    def traced(gap: Any, position: Any, velocity: Any, memory: Any) -> dict[str, Any]:
        result = penalty_force(
            law,
            PenaltyMemory(memory[0], memory[1:4], memory[4]),
            gap=gap[0],
            frame=np.eye(3),
            position=position,
            velocity=velocity,
            friction=0.4,
            viscous_friction=0.1,
            dt=1e-3,
        )
        after = [result.memory.touched, *result.memory.anchor, result.memory.integral]
        return {"force": result.force, "memory": np.array(after)}

    shapes = {"gap": 1, "position": 3, "velocity": 3, "memory": 5}
    kernel = build_kernel(traced, shapes, name="penalty_force")
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = [rng.normal(size=size) * 1e-2 for size in shapes.values()]
        values[3][0] = float(rng.integers(0, 2))
        force, memory = kernel(*values)
        expected = traced(*values)
        np.testing.assert_allclose(force, expected["force"].astype(float), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(memory, expected["memory"].astype(float), rtol=1e-12, atol=1e-12)


def test_wrong_parameters_are_named() -> None:
    with pytest.raises(InvalidInput, match="normal_damping of the penalty law is -1"):
        PenaltyLaw(normal_damping=-1.0)


def test_stiff_springs_tend_to_hard_contact() -> None:
    """RSL 2022: rest depth m g / k and time of the blow pi sqrt(m / k) go to zero; the bounce comes back with the
    speed it had, as with a restitution of one. The error of semi-implicit steps is of first order in w dt = 1/20.
    """
    mass, height = 2.0, 0.05
    for stiffness in (1e4, 1e6, 1e8):
        frequency = np.sqrt(stiffness / mass)
        dt = 0.05 / frequency
        law = PenaltyLaw(normal_stiffness=stiffness, normal_damping=0.0)
        heights, forces = fall(law, mass=mass, height=height, dt=dt, seconds=1.5 * np.sqrt(2 * height / G))
        touching = np.flatnonzero(forces > 0.0)
        speed = np.sqrt(2 * G * height)
        assert len(touching) * dt == pytest.approx(np.pi / frequency, rel=0.2)
        assert -heights.min() == pytest.approx(speed / frequency, rel=0.2)
        blow = 2 * mass * speed + mass * G * np.pi / frequency  # the weight acts meanwhile
        assert forces.sum() * dt == pytest.approx(blow, rel=0.05)
