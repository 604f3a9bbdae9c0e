"""Chains and Dill trees against closed forms and the golden values of Schwienbacher 2014, chapter 2."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.kinematics import frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import RobotError
from footfall.robot.library import chain, dill
from footfall.robot.load import load
from tests.robot.library.sparsity import nonzeros_of_mass_matrix

# n: total mass, kinetic energy, M[0, 0], qddot[0] and norm without gravity, the same with gravity
GOLDEN = {
    1: (0.2, 0.002158861877, 0.002528837617, 1.40102723, 4.069757852, 32.81656275, 117.8317871),
    2: (1.1, 0.02267106424, 0.02923354528, 0.4696530682, 11.48639396, 12.60508686, 125.7254636),
    3: (4.1, 0.2094660991, 0.2944702198, 0.4492118797, 24.13354566, 8.467698948, 168.160373),
    4: (11.9, 1.311412229, 2.042920041, 0.3110562627, 38.34090776, 4.923305348, 179.3603803),
    5: (29.9, 5.455305993, 10.98503685, 0.1383130299, 53.83717851, 1.932194189, 199.811962),
}
# n: total mass, kinetic energy, M[0, 0]: the larger trees would only repeat the rest
GOLDEN_LARGE = {6: (68.9, 17.40747874, 50.42720633), 7: (150.5, 53.02955343, 203.9994301)}


@pytest.mark.parametrize("levels", GOLDEN)
def test_dill_golden_values(levels: int) -> None:
    robot = dill(levels)
    q, v = np.full(robot.nq, np.pi / 6), np.ones(robot.nv)
    mass = np.asarray(mass_matrix.textbook(robot, q))
    found = [robot.mass, v @ mass @ v / 2, mass[0, 0]]
    for gravity in ((0.0, 0.0, 0.0), (0.0, 0.0, -9.81)):
        bias = np.asarray(bias_forces.textbook(replace(robot, gravity=gravity), q, v))
        acceleration = np.linalg.solve(mass, -bias)
        found += [acceleration[0], np.linalg.norm(acceleration)]
    np.testing.assert_allclose(found, GOLDEN[levels], rtol=2e-9)


@pytest.mark.parametrize("method", ["articulated", "factorised", "dense"])
@pytest.mark.parametrize("levels", GOLDEN)
def test_dill_golden_accelerations_by_every_method(levels: int, method: str) -> None:
    robot = dill(levels)
    state = np.full(robot.nq, np.pi / 6), np.ones(robot.nv), np.zeros(robot.nv)
    found = []
    for gravity in ((0.0, 0.0, 0.0), (0.0, 0.0, -9.81)):
        a = np.asarray(forward_dynamics.textbook(replace(robot, gravity=gravity), *state, method=method))
        found += [a[0], np.linalg.norm(a)]
    np.testing.assert_allclose(found, GOLDEN[levels][3:], rtol=2e-9)


@pytest.mark.parametrize("levels", GOLDEN_LARGE)
def test_dill_golden_masses(levels: int) -> None:
    robot = dill(levels)
    mass = np.asarray(mass_matrix.textbook(robot, np.full(robot.nq, np.pi / 6)))
    np.testing.assert_allclose([robot.mass, mass.sum() / 2, mass[0, 0]], GOLDEN_LARGE[levels], rtol=2e-9)


@pytest.mark.parametrize("levels", range(11))
def test_dill_counts(levels: int) -> None:
    robot = dill(levels)
    assert robot.nv == 2**levels
    assert nonzeros_of_mass_matrix(robot) == int(2 ** (levels - 1) * (levels + 2))  # Table 2.1


def test_dill_zero_is_the_cylinder_of_the_source() -> None:
    (link,) = dill(0).bodies
    radius, length = 0.01, 0.1
    across = 0.1 * (3 * radius**2 + length**2) / 12
    np.testing.assert_allclose(link.inertia, np.diag([0.1 * radius**2 / 2, across, across]), rtol=1e-12)


@pytest.mark.parametrize("links", [1, 2, 7])
def test_chain_hangs_straight_down(links: int) -> None:
    robot = chain(links, link_length=0.3, link_mass=2.0)
    assert (robot.nv, robot.mass) == (links, 2.0 * links)
    tip = frame_pose.textbook(robot, np.zeros(links), "tip").translation
    np.testing.assert_allclose(tip, [0.0, 0.0, -0.3 * links], atol=1e-12)


def test_one_link_is_a_physical_pendulum() -> None:
    robot = chain(1, link_length=0.3, link_mass=2.0, link_radius=0.02)
    inertia = 2.0 * (3 * 0.02**2 + 0.3**2) / 12 + 2.0 * 0.15**2
    assert mass_matrix.textbook(robot, np.array([0.4]))[0, 0] == pytest.approx(inertia, rel=1e-12)
    moment = bias_forces.textbook(robot, np.array([0.4]), np.zeros(1))[0]
    assert moment == pytest.approx(2.0 * 9.81 * 0.15 * np.sin(0.4), rel=1e-12)


def test_neighbouring_axes_of_a_chain_are_perpendicular() -> None:
    axes = [np.array(joint.axis) for joint in load("chain-6").joints]
    assert all(abs(a @ b) == 0.0 for a, b in pairwise(axes))


@pytest.mark.parametrize("option", ["link_length", "link_mass", "link_radius"])
def test_chain_refuses_links_without_size(option: str) -> None:
    with pytest.raises(RobotError, match=option):
        chain(3, **{option: 0.0})
