"""A four-bar linkage, cut open and closed by an acceleration constraint, against its closed form.

Freudenstein's equation gives the angles; its derivatives the rates and accelerations; energy the torque.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_actuation import constraint_jacobian
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Frame, Joint, JointType, Robot

Array = NDArray[np.float64]

CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.9  # m
LOOP = (Constraint("coupler_end", ("x", "z"), against="rocker_end", name="pin"),)


def four_bar(*, gravity: float = 9.81) -> Robot:
    """Crank and coupler on one side, the rocker on the other, about -y so that angles grow from x to z."""
    axis = (0.0, -1.0, 0.0)

    def rod(name: str, length: float) -> Body:
        inertia = np.diag([1e-4, length**2 / 12, length**2 / 12])
        return Body(name, 1.0, np.array([length / 2, 0.0, 0.0]), inertia)

    def place(x: float) -> Transform:
        return Transform(np.eye(3), np.array([x, 0.0, 0.0]))

    return Robot(
        "four-bar",
        (rod("crank", CRANK), rod("coupler", COUPLER), rod("rocker", ROCKER)),
        (
            Joint("crank", JointType.REVOLUTE, WORLD, "crank", axis=axis),
            Joint("coupler", JointType.REVOLUTE, "crank", "coupler", place(CRANK), axis),
            Joint("rocker", JointType.REVOLUTE, WORLD, "rocker", place(GROUND), axis),
        ),
        (Frame("coupler_end", "coupler", place(COUPLER)), Frame("rocker_end", "rocker", place(ROCKER))),
        gravity=(0.0, 0.0, -gravity),
    )


def closed_angles(crank: float) -> Array:
    """Joint angles (3,) of the closed linkage, by Freudenstein: K1 cos r - K2 cos c + K3 = cos(c - r)."""
    first, second = GROUND / CRANK, GROUND / ROCKER
    third = (CRANK**2 - COUPLER**2 + ROCKER**2 + GROUND**2) / (2 * CRANK * ROCKER)

    across, along = first - np.cos(crank), -np.sin(crank)
    right = second * np.cos(crank) - third
    rocker = np.arctan2(along, across) + np.arccos(right / np.hypot(across, along))
    end = GROUND + ROCKER * np.exp(1j * rocker) - CRANK * np.exp(1j * crank)
    return np.array([crank, np.angle(end) - crank, rocker])


def closed_rates(crank: float, rate: float) -> tuple[Array, Array]:
    """Rates and accelerations (3,) at a constant rate of the crank, by fine differences of the closed form."""
    step = 1e-4
    ahead, here, behind = (closed_angles(crank + k * step) for k in (1, 0, -1))
    return (ahead - behind) / (2 * step) * rate, (ahead - 2 * here + behind) / step**2 * rate**2


@pytest.mark.parametrize("crank", [0.4, 1.5, 3.0, 5.0])
def test_accelerations_of_the_closed_loop(crank: float) -> None:
    robot = four_bar()
    q = closed_angles(crank)
    v, expected = closed_rates(crank, 2.0)
    jacobian = constraint_jacobian.textbook(robot, q, constraints=LOOP)
    np.testing.assert_allclose(jacobian @ v, 0.0, atol=1e-6)
    motion = hybrid_dynamics.textbook(
        robot, q, v, np.zeros(3), constraints=LOOP, prescribed=("crank",), a=np.zeros(3)
    )
    np.testing.assert_allclose(motion.accelerations, expected, atol=1e-5 * (1 + np.abs(expected).max()))
    loose = hybrid_dynamics.textbook(robot, q, v, np.zeros(3), prescribed=("crank",), a=np.zeros(3))
    assert np.abs(loose.accelerations - expected).max() > 1e-2


@pytest.mark.parametrize("crank", [0.4, 3.0])
def test_inertia_seen_at_the_crank(crank: float) -> None:
    """One degree of freedom: tau = I(q) a at rest without gravity, I = sum of m |v|^2 + J w^2 at unit rate."""
    robot = four_bar(gravity=0.0)
    q = closed_angles(crank)
    rates, _ = closed_rates(crank, 1.0)
    turns = np.array([rates[0], rates[0] + rates[1], rates[2]])
    heading = np.array([q[0], q[0] + q[1], q[2]])
    middles: list[Any] = [
        CRANK / 2 * turns[0] * 1j * np.exp(1j * heading[0]),
        CRANK * turns[0] * 1j * np.exp(1j * heading[0])
        + COUPLER / 2 * turns[1] * 1j * np.exp(1j * heading[1]),
        ROCKER / 2 * turns[2] * 1j * np.exp(1j * heading[2]),
    ]
    lengths = np.array([CRANK, COUPLER, ROCKER])
    inertia = float((np.abs(middles) ** 2).sum() + (lengths**2 / 12 * turns**2).sum())
    motion = hybrid_dynamics.textbook(robot, q, np.zeros(3), np.array([0.7, 0.0, 0.0]), constraints=LOOP)
    assert motion.accelerations[0] == pytest.approx(0.7 / inertia, rel=1e-6)
