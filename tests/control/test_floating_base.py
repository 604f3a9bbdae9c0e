"""Torques of a stance: the acceleration comes back, internal forces stay internal, two feet cannot do everything."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.control.actuation import selection_matrix
from footfall.control.constrained_dynamics import solve_constrained_dynamics, solve_stance_torques
from footfall.control.contact_constraints import SURFACE, Contact, contact_ranks
from footfall.errors import InvalidInput
from tests.control.stances import consistent_motion, feet, quadruped


@pytest.mark.parametrize("names, internal", [(("RB", "LB", "RF", "LF"), 6), (("RB", "LB", "LF"), 3)])
def test_three_and_four_feet_reach_any_acceleration(names: tuple[str, ...], internal: int) -> None:
    robot, q = quadruped()
    contacts = feet(*names)
    v, wanted = consistent_motion(robot, q, contacts)
    result = solve_stance_torques(robot, q, v, wanted, contacts=contacts)
    assert result.internal.shape == (12, internal)
    assert result.residual < 1e-9
    motion = solve_constrained_dynamics(
        robot, q, v, selection_matrix(robot).T @ result.torque, contacts=contacts
    )
    assert np.abs(motion.acceleration - wanted).max() < 1e-9


def test_internal_torques_change_forces_only() -> None:
    robot, q = quadruped()
    v, wanted = consistent_motion(robot, q, feet())
    least = solve_stance_torques(robot, q, v, wanted, contacts=feet())
    other = solve_stance_torques(robot, q, v, wanted, contacts=feet(), preferred=np.arange(12.0))
    assert np.abs(other.acceleration - least.acceleration).max() < 1e-9
    assert np.abs(other.forces - least.forces).max() > 1.0
    assert np.linalg.norm(other.torque) > np.linalg.norm(least.torque)
    total = [each.forces.reshape(4, 3).sum(axis=0) for each in (least, other)]
    assert np.abs(total[0] - total[1]).max() < 1e-9


def test_preferred_torques_are_met_as_far_as_motion_allows() -> None:
    """No torques for the same motion are closer to those preferred."""
    robot, q = quadruped()
    v, wanted = consistent_motion(robot, q, feet())
    preferred = np.random.default_rng(2).normal(size=12)
    found = solve_stance_torques(robot, q, v, wanted, contacts=feet(), preferred=preferred)
    assert np.abs(found.internal.T @ (found.torque - preferred)).max() < 1e-9


@pytest.mark.parametrize(
    ("contacts", "expected"),
    [
        (feet("LF"), (3, 3, 0)),
        (feet("LF", "RB"), (6, 5, 1)),
        (feet("LF", "RB", "RF"), (9, 6, 3)),
        (feet(), (12, 6, 6)),
        ((*feet(), *feet()), (12, 6, 6)),
        ((Contact("LF", rows=SURFACE),), (6, 6, 0)),
        ((), (0, 0, 0)),
    ],
    ids=["one", "two", "three", "four", "each twice", "a sole", "none"],
)
def test_ranks(contacts: tuple[Contact, ...], expected: tuple[int, int, int]) -> None:
    """The table of RSL 2022, (2.269)-(2.272), and contacts that say the same twice."""
    assert contact_ranks(*quadruped(), contacts=contacts) == expected


def test_two_feet_report_what_they_cannot_do() -> None:
    robot, q = quadruped()
    contacts = feet("RB", "LF")
    v, wanted = consistent_motion(robot, q, contacts)
    result = solve_stance_torques(robot, q, v, wanted, contacts=contacts)
    assert result.internal.shape == (12, 1)
    assert result.residual > 0.1
    # What is reached can be asked for, and then it is met.
    again = solve_stance_torques(robot, q, v, result.acceleration, contacts=contacts)
    assert again.residual < 1e-8


def test_forces_are_those_that_inverse_dynamics_needs() -> None:
    """`M a + h - J^T f` is nothing at the base and the torques at the joints."""
    robot, q = quadruped()
    v, wanted = consistent_motion(robot, q, feet())
    result = solve_stance_torques(robot, q, v, wanted, contacts=feet())
    wrenches = {
        contact.frame: np.concatenate([force, np.zeros(3)])
        for contact, force in zip(feet(), result.forces.reshape(-1, 3), strict=True)
    }
    tau = footfall.inverse_dynamics(robot, q, v, wanted, wrenches=wrenches)
    assert np.abs(tau[:6]).max() < 1e-8
    assert np.abs(tau[6:] - result.torque).max() < 1e-8


def test_wrong_shapes() -> None:
    robot, q = quadruped()
    with pytest.raises(InvalidInput, match=r"preferred has shape \(3,\); it must be \(12,\)"):
        solve_stance_torques(robot, q, np.zeros(18), np.zeros(18), contacts=feet(), preferred=np.zeros(3))
