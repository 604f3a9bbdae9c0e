"""Branches whose constraints are eliminated early give the same motion, and where they cannot it is noticed."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.dynamics.hybrid import _solve, branch_plan, hybrid_dynamics
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.hybrid_sweeps import Inputs, InwardSweep, inward_sweep
from footfall.robot.load import load
from footfall.robot.model import Robot
from tests.random_robots import State, random_robot, random_state

FEET = tuple(Constraint(name, ("x", "y", "z"), "frame") for name in ("RB", "LB", "RF", "LF"))


def inputs_of(robot: Robot, state: State, constraints: tuple[Constraint, ...], **options: object) -> Inputs:
    rows = sum(each.rows for each in constraints)
    goal = np.random.default_rng(0).normal(size=rows)
    plain = Inputs(state.q, state.v, state.tau, constraints, None, None, (), None, None, goal, None)
    return plain._replace(**options)  # type: ignore[arg-type]


def planned_sweep(robot: Robot, inputs: Inputs) -> InwardSweep:
    return inward_sweep(robot, inputs, plan=branch_plan(robot, inputs.constraints, inputs.prescribed))


@pytest.mark.parametrize("seed", range(5))
def test_legs_of_a_quadruped(seed: int) -> None:
    robot = load("quadruped")
    inputs = inputs_of(robot, random_state(robot, seed), FEET)
    early, margin = _solve(robot, inputs, ("LF",), eliminate=True)
    late, _ = _solve(robot, inputs, ("LF",), eliminate=False)
    if margin >= 0.0:
        for one, other in zip(early, late, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)
    sweep = planned_sweep(robot, inputs)
    assert sweep.rows == []
    assert sorted(len(branch.rows) for branch in sweep.eliminated.values()) == [3, 3, 3, 3]


def test_what_cannot_be_eliminated_stays() -> None:
    """More components than joints, rows across branches, a single branch, prescribed joints."""
    robot = load("quadruped")
    state = random_state(robot, 0)
    whole = (Constraint("RB"), Constraint("LB", ("z",)))
    assert planned_sweep(robot, inputs_of(robot, state, whole)).rows == list(range(6))
    across = (Constraint("RB", ("x", "y"), against="LB"), Constraint("RF", ("z",)))
    assert planned_sweep(robot, inputs_of(robot, state, across)).rows == [0, 1]
    single = FEET[:1]
    assert planned_sweep(robot, inputs_of(robot, state, single)).rows == [0, 1, 2]
    two = tuple(joint.name for joint in robot.joints[-2:])
    held = inputs_of(robot, state, FEET, prescribed=two, a=state.a)
    assert len(planned_sweep(robot, held).rows) == 3


def test_joints_that_do_not_move_a_point_do_not_count() -> None:
    """A ball joint leaves the point where it is, but turns the body."""
    robot = random_robot(0, types=["floating", "spherical", "revolute"], ups=[0, 0, 1], floating_base=True)
    point = (Constraint("body1", ("x", "y", "z")), Constraint("body2", ("rx",)))
    assert [0, 1, 2] not in branch_plan(robot, point, ()).values()
    turn = (Constraint("body1", ("rx", "ry", "rz")), Constraint("body2", ("rx",)))
    assert [0, 1, 2] in branch_plan(robot, turn, ()).values()
    lola = load("lola")
    feet = tuple(Constraint(name) for name in ("RF", "LF"))
    assert sorted(map(len, branch_plan(lola, feet, ()).values())) == [6, 6]


def test_a_stretched_leg_is_solved_at_the_root() -> None:
    """In native code too: eight robots, one of them with a straight leg."""
    robot = load("quadruped")
    states = [random_state(robot, seed) for seed in range(8)]
    q, v, _, tau = (np.array(column) for column in zip(*states, strict=True))
    q[3, 7:] = 0.0
    setpoints = np.zeros((8, 12))
    native = hybrid_dynamics(robot, q, v, tau, constraints=FEET, setpoints=setpoints)
    margins = []
    for k in range(8):
        inputs = inputs_of(robot, State(q[k], v[k], v[k], tau[k]), FEET, goal=np.zeros(12))
        margins.append(_solve(robot, inputs, (), eliminate=True)[1])
        late, _ = _solve(robot, inputs, (), eliminate=False)
        scale = np.abs(late.accelerations).max()
        np.testing.assert_allclose(native.accelerations[k], late.accelerations, atol=1e-8 * scale)
        np.testing.assert_array_equal(native.kept[k], late.kept)
    assert margins[3] < 0.0
    assert max(margins) >= 0.0


def test_switched_off_and_soft_components() -> None:
    robot = load("quadruped")
    state = random_state(robot, 2)
    active = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    compliance = np.linspace(0.0, 0.2, 12)
    inputs = inputs_of(robot, state, FEET, active=active, compliance=compliance)
    early, margin = _solve(robot, inputs, (), eliminate=True)
    late, _ = _solve(robot, inputs, (), eliminate=False)
    assert margin >= 0.0
    np.testing.assert_allclose(early.accelerations, late.accelerations, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(early.residuals, late.residuals, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(early.forces[active == 0.0], 0.0)
    np.testing.assert_allclose((early.residuals - compliance * early.forces), 0.0, atol=1e-12)
