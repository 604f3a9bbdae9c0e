"""Impacts that stop or throw back: numbers of RSL 2022, (3.71)-(3.72), momentum and energy."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.constrained_dynamics import solve_impact
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.errors import InvalidInput
from tests.control.stances import TIP, feet, planar_arm, quadruped


def test_falling_rod() -> None:
    """1 kg, 1 m, falling at 1 m/s; one end hits: impulse 1/4, centre at -3/4 m/s, spin 3/2 rad/s, -1/8 J."""
    robot = footfall.load("falling-rod")
    q = robot.configuration("horizontal")
    v = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    impact = solve_impact(robot, q, v, contacts=[Contact("front", rows=(2,))])
    assert impact.impulses == pytest.approx([0.25], abs=1e-12)
    assert impact.velocity[2] == pytest.approx(-0.75, abs=1e-12)
    assert np.linalg.norm(impact.velocity[3:]) == pytest.approx(1.5, abs=1e-12)
    assert footfall.kinetic_energy(robot, q, impact.velocity) == pytest.approx(0.375, abs=1e-12)
    assert impact.energy_change == pytest.approx(-0.125, abs=1e-12)


def test_arm_whose_tip_stops() -> None:
    """Case A; the source's impulse acts on the environment."""
    robot, q, v = planar_arm()
    impact = solve_impact(robot, q, v, contacts=[TIP])
    assert np.abs(-impact.impulses - [-0.02405626, -0.02129630]).max() < 5e-9
    assert np.abs(impact.velocity - [0.08888889, -0.17777778, 0.17777778]).max() < 5e-9
    assert footfall.kinetic_energy(robot, q, impact.velocity) == pytest.approx(0.00592593, abs=5e-9)
    assert impact.energy_change == pytest.approx(-0.00157407, abs=5e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_momentum_and_energy(restitution: float) -> None:
    robot, q = quadruped()
    v = np.random.default_rng(0).normal(size=robot.nv)
    contacts = feet("LF", "RB")
    impact = solve_impact(robot, q, v, contacts=contacts, restitution=restitution)
    jacobian = build_constrained_system(robot, q, v, contacts=contacts).jacobian
    assert np.abs(jacobian @ impact.velocity + restitution * jacobian @ v).max() < 1e-10
    momenta = [footfall.centroidal_momentum(robot, q, each)[:3] for each in (v, impact.velocity)]
    assert np.abs(momenta[1] - momenta[0] - impact.impulses.reshape(-1, 3).sum(axis=0)).max() < 1e-9
    energies = [float(footfall.kinetic_energy(robot, q, each)) for each in (v, impact.velocity)]
    assert impact.energy_change == pytest.approx(energies[1] - energies[0], abs=1e-9 * energies[0])
    # RSL 2022, (3.72): -1/2 of the contact's inertia times its velocity squared, less what is given back
    lost = (1 - restitution**2) * impact.impulses @ (jacobian @ v) / (2 * (1 + restitution))
    assert impact.energy_change == pytest.approx(lost, abs=1e-9 * energies[0])
    assert impact.energy_change <= 1e-9


def test_restitution_must_be_a_fraction() -> None:
    robot, q, v = planar_arm()
    with pytest.raises(InvalidInput, match=r"restitution is 1\.5"):
        solve_impact(robot, q, v, contacts=[TIP], restitution=1.5)
