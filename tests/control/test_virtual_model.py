"""Virtual model control: the numbers of RSL 2022, (3.116)-(3.121), the static equation of motion, and a quadruped that
stands."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall import Scene
from footfall.control.actuation import selection_matrix
from footfall.control.contact_constraints import Contact, build_constrained_system
from footfall.control.references import resting_pose
from footfall.control.task_space import pose_error
from footfall.control.virtual_model import VirtualModelControl, solve_virtual_model
from footfall.errors import ControlWarning, InvalidInput, UnknownName
from footfall.math.rotations import boxplus
from footfall.math.transform import Transform
from footfall.simulation.simulation import Simulation
from tests.control.stances import CORNERS, feet, quadruped, table
from tests.simulation.worlds import ground


@pytest.mark.parametrize("push, front, rear", [(0.0, 49.05, 49.05), (10.0, 45.716667, 52.383333)])
def test_forces_on_four_feet(push: float, front: float, rear: float) -> None:
    robot = table()
    q = footfall.neutral(robot)
    contacts = [Contact(name) for name in CORNERS]
    virtual = {"base": np.array([push, 0.0, 0.0, 0.0, 0.0, 0.0])}
    result = solve_virtual_model(robot, q, contacts=contacts, virtual=virtual)
    # The source's signs turned round.
    expected = np.array([[push / 4, 0.0, z] for z in (front, front, rear, rear)])
    assert np.abs(result.forces.reshape(4, 3) - expected).max() < 5e-7
    assert result.residual < 1e-10


def test_static_equation_of_motion() -> None:
    """`g - J_c^T f + J_v^T F_v = S^T tau`, exactly, for a quadruped in a generic pose."""
    robot, q = quadruped()
    random = np.random.default_rng(0)
    virtual = {"torso": 10 * random.normal(size=6), "LF_thigh": 3 * random.normal(size=6)}
    result = solve_virtual_model(robot, q, contacts=feet(), virtual=virtual)
    system = build_constrained_system(robot, q, np.zeros(18), contacts=feet())
    left = footfall.gravity_forces(robot, q) - system.jacobian.T @ result.forces
    for frame, wrench in virtual.items():
        left += footfall.frame_jacobian(robot, q, frame).T @ wrench
    assert np.abs(left - selection_matrix(robot).T @ result.torque).max() < 1e-10
    total = virtual["torso"][:3] + virtual["LF_thigh"][:3] + [0.0, 0.0, robot.mass * 9.81]
    assert np.abs(result.forces.reshape(4, 3).sum(axis=0) - total).max() < 1e-10


def test_two_feet_report_what_they_cannot_give() -> None:
    robot, q = quadruped()
    virtual = {"torso": np.array([0.0, 0.0, 0.0, 5.0, 5.0, 0.0])}
    result = solve_virtual_model(robot, q, contacts=feet("LF", "RB"), virtual=virtual)
    assert result.residual > 0.1


def test_stands_and_leans_in_simulation() -> None:
    """The torso goes where the virtual spring draws it, on a floor with friction, and no foot slips."""
    robot = footfall.load("point-foot-quadruped")
    q = robot.configuration("stand")
    start = footfall.frame_pose(robot, q, "torso")
    shift, turn = np.array([0.02, 0.01, -0.02]), np.array([0.0, 0.05, 0.1])
    target = Transform(boxplus(start.rotation, turn), start.translation + shift)
    # Round feet roll: their forces, nearly upright, always pass near the centres of the spheres.
    soles = tuple(Contact(f"{name.frame}_shank", (0.0, 0.0, -0.23)) for name in feet())
    controller = VirtualModelControl(
        robot,
        "torso",
        resting_pose(target),
        soles,
        gains=np.array([800.0, 800.0, 800.0, 80.0, 80.0, 80.0]),
        damping=np.array([300.0, 300.0, 300.0, 25.0, 25.0, 25.0]),
    )
    simulation = Simulation(robot, Scene("floor", (ground(friction=0.8),)), q=q, dt=2e-3)
    run = simulation.run(controller, 3.0)
    error = pose_error(footfall.frame_pose(robot, simulation.state.q, "torso"), target)
    assert np.abs(error).max() < 2e-3
    landed = run.time > 0.1
    pressing, sliding = run.forces[landed, :, 2], np.linalg.norm(run.forces[landed, :, :2], axis=2)
    assert pressing.min() > 10.0
    assert (sliding / pressing).max() < 0.4  # friction holds up to 0.8


def test_bad_requests() -> None:
    robot, q = quadruped()
    with pytest.raises(UnknownName, match="no frame 'head'"):
        solve_virtual_model(robot, q, contacts=feet(), virtual={"head": np.zeros(6)})
    with pytest.raises(InvalidInput, match=r"wrench of torso has shape \(3,\)"):
        solve_virtual_model(robot, q, contacts=feet(), virtual={"torso": np.zeros(3)})


def test_feet_that_would_have_to_pull_are_told() -> None:
    """A table of 20 kg with feet 0.6 m apart tips beyond 196.2 N * 0.3 m; the rear feet would then pull."""
    robot = table()
    contacts = [Contact(name, friction=10.0) for name in CORNERS]
    for moment, holds in ((50.0, True), (70.0, False)):
        virtual = {"base": np.array([0.0, 0.0, 0.0, 0.0, moment, 0.0])}
        found = solve_virtual_model(robot, footfall.neutral(robot), contacts=contacts, virtual=virtual)
        assert found.holds is holds
        pulling = {load.frame for load in found.loads if load.pulls}
        assert pulling == (set() if holds else {"lf", "rf"})
        assert [load.normal for load in found.loads] == pytest.approx(found.forces.reshape(4, 3)[:, 2])


def test_the_controller_warns_of_feet_that_would_have_to_pull() -> None:
    robot, q = quadruped()
    pose = footfall.frame_pose(robot, q, "torso")
    tilted = Transform(boxplus(pose.rotation, np.array([0.0, 1.0, 0.0])), pose.translation)
    strong = np.array([1e3, 1e3, 1e3, 1e3, 1e3, 1e3])
    control = VirtualModelControl(robot, "torso", tilted, feet(), strong, 0.0 * strong)
    with pytest.warns(ControlWarning, match="would have to pull"):
        control.torque(0.0, q, np.zeros(18))
