"""Motion here, force there: the selection identities of RSL 2022, (3.97)-(3.99), an ideal wall, and a table in
simulation."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall import Material
from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.control.constrained_dynamics import solve_constrained_dynamics
from footfall.control.contact_constraints import Contact
from footfall.control.gains import gains_from
from footfall.control.operational_space import OperationalSpaceControl, Selection, select
from footfall.control.references import PoseReference, resting_pose
from footfall.control.task_space import build_task_dynamics, cancelling_task_torque, commanded_acceleration
from footfall.errors import InvalidInput
from footfall.geometry.plane import Plane
from footfall.math.rotations import boxplus
from footfall.math.transform import Transform
from footfall.simulation.plants import FeetSimulation
from tests.control.stances import planar_arm

ROWS = (0, 2)
CASES = [((True, True, False), (True, True, True)), ((False, False, True), (False, False, True))]


@pytest.mark.parametrize("motion, turning", CASES, ids=["window", "pin in a hole"])
def test_selections_are_complementary_projectors(motion: tuple[bool, ...], turning: tuple[bool, ...]) -> None:
    rotation = boxplus(np.eye(3), np.array([0.4, -1.1, 0.7]))
    free, pressed = select(rotation=rotation, motion=motion, turning=turning)
    assert np.abs(free + pressed - np.eye(6)).max() < 1e-15
    assert np.abs(free @ pressed).max() < 1e-15
    for each in (free, pressed):
        assert np.abs(each - each.T).max() < 1e-15
        assert np.abs(each @ each - each).max() < 1e-15
    assert round(np.trace(free)) == sum(motion) + sum(turning)
    normal = rotation[:, 2]  # contact z in world axes: the direction of the rotation matters
    expected = np.outer(normal, normal) if motion[2] is False else np.eye(3) - np.outer(normal, normal)
    assert np.abs(pressed[:3, :3] - expected).max() < 1e-15


def controller_at(q: Array, *, force: float, motion: tuple[bool, ...]) -> OperationalSpaceControl:
    robot, *_ = planar_arm()
    here = footfall.frame_pose(robot, q, "tip")
    path = PoseReference(here, np.zeros(6), np.array([0.7, 0.0, 0.3, 0.0, 0.0, 0.0]))
    wrench = np.array([0.0, 0.0, -force, 0.0, 0.0, 0.0])
    return OperationalSpaceControl(
        robot, "tip", path, wrench, select(motion=motion), gains_from(2.0), rows=ROWS
    )


def test_without_force_directions_it_is_motion_control() -> None:
    robot, q, v = planar_arm("b")
    controller = controller_at(q, force=20.0, motion=(True, True, True))
    dynamics = build_task_dynamics(robot, q, v, "tip", rows=ROWS)
    assert isinstance(controller.path, PoseReference)
    asked = commanded_acceleration(dynamics, controller.path, controller.gains)[list(ROWS)]
    a = footfall.forward_dynamics(robot, q, v, controller.torque(0.0, q, v))
    same = footfall.forward_dynamics(robot, q, v, cancelling_task_torque(dynamics, asked))
    tip = [footfall.frame_acceleration(robot, q, v, each, "tip")[list(ROWS)] for each in (a, same)]
    assert np.abs(tip[0] - asked).max() < 1e-11
    assert np.abs(tip[1] - asked).max() < 1e-11


def test_ideal_surface() -> None:
    """A rigid, smooth surface below the tip: exactly the force asked for, and the acceleration along it."""
    robot, q, _ = planar_arm("b")
    v = np.zeros(3)
    torque = controller_at(q, force=20.0, motion=(True, True, False)).torque(0.0, q, v)
    motion = solve_constrained_dynamics(robot, q, v, torque, contacts=[Contact("tip", rows=(2,))])
    assert motion.forces == pytest.approx([20.0], abs=1e-10)
    along = footfall.frame_acceleration(robot, q, v, motion.acceleration, "tip")[0]
    assert along == pytest.approx(0.7, abs=1e-11)


def test_presses_on_a_table_while_moving_along_it() -> None:
    """20 N on a smooth table, the tip runs 0.3 m along it; in the contact simulation."""
    robot, *_ = planar_arm()
    q = np.array([0.2, 1.3, 0.9])
    start = footfall.frame_pose(robot, q, "tip")
    speed, seconds = 0.2, 1.5

    def path(time: float) -> PoseReference:
        move = np.array([speed * time, 0.0, 0.0])
        velocity = np.array([speed, 0.0, 0.0, 0.0, 0.0, 0.0])
        return PoseReference(Transform(start.rotation, start.translation + move), velocity, np.zeros(6))

    table = Surface(
        Plane(),
        Transform(np.eye(3), np.array([0.0, 0.0, start.translation[2]])),
        material=Material(friction=0.0, restitution=0.0),
    )
    controller = OperationalSpaceControl(
        robot,
        "tip",
        path,
        np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0]),
        select(motion=(True, True, False)),
        gains_from(3.0),
        rows=ROWS,
    )
    simulation = FeetSimulation(
        robot, candidates=[Candidate("tip", (0.0, 0.0, 0.0), 0.0, table)], q=q, dt=1e-3
    )
    run = simulation.run(controller, seconds)
    settled = run.time > 0.8
    assert np.abs(run.forces[settled, 0, 2] - 20.0).max() < 0.2
    tip = footfall.frame_pose(robot, run.q[-1], "tip").translation
    assert tip[0] - start.translation[0] == pytest.approx(speed * seconds, abs=2e-3)
    assert abs(tip[2] - start.translation[2]) < 1e-5


def test_bad_selections() -> None:
    with pytest.raises(InvalidInput, match="no rotation matrix"):
        select(rotation=2 * np.eye(3))
    with pytest.raises(InvalidInput, match="3 flags"):
        select(motion=(True, False))
    robot, q, v = planar_arm()
    pose = resting_pose(footfall.frame_pose(robot, q, "tip"))
    wrench = np.zeros(6)

    def control(wrench: object, selection: object) -> OperationalSpaceControl:
        return OperationalSpaceControl(robot, "tip", pose, wrench, selection, gains_from(1.0), rows=ROWS)  # type: ignore[arg-type]

    with pytest.raises(InvalidInput, match=r"wrench has shape \(2,\)"):
        control(np.zeros(2), select())
    with pytest.raises(InvalidInput, match=r"wrench has shape \(2,\)"):
        control(lambda time: np.zeros(2), select()).torque(0.0, q, v)
    with pytest.raises(InvalidInput, match="must be a Selection"):
        control(wrench, np.eye(6))
    with pytest.raises(InvalidInput, match="motion of the selection is no symmetric projector"):
        control(wrench, Selection(2.0 * np.eye(6), np.zeros((6, 6))))
    with pytest.raises(InvalidInput, match="do not add up to the identity"):
        control(wrench, Selection(np.eye(6), np.eye(6)))
    with pytest.raises(InvalidInput, match=r"force of the selection has shape \(3, 3\)"):
        control(wrench, Selection(np.eye(6), np.zeros((3, 3))))
