"""LOLA squats on two feet by whole-body control: eight contact points, friction and torque limits, in simulation."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.contact.candidates import Candidate, surface_of
from footfall.control.contact_constraints import Contact, contact_ranks
from footfall.control.gains import gains_from
from footfall.control.references import resting_pose, resting_reference
from footfall.control.task_space import pose_error
from footfall.control.tasks.forces import LeastForce
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import center_of_mass_position
from footfall.control.tasks.postures import PostureTask
from footfall.control.whole_body import WholeBodyControl, WholeBodyLimits
from footfall.robot.model import Robot
from footfall.robot.shapes import Box
from footfall.simulation.plants import FeetSimulation
from tests.simulation.worlds import ground


def pads(robot: Robot, q: Array) -> tuple[Contact, ...]:
    """The middles of the undersides of the four pads of each foot; toes are bodies of their own."""
    contacts = []
    for body in ("sfr", "zfr", "sfl", "zfl"):
        pose = footfall.frame_pose(robot, q, body)
        for geometry in robot.body(body).collisions:
            assert isinstance(geometry.shape, Box)
            middle, half = geometry.placement.translation, geometry.shape.size[1] / 2
            sides = [middle + np.array([0.0, side, 0.0]) for side in (-half, half)]
            lowest = min(sides, key=lambda point: float(pose.apply(point)[2]))
            contacts.append(Contact(body, tuple(lowest.tolist()), friction=0.5))
    return tuple(contacts)


def test_squat() -> None:
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    contacts = pads(robot, q)
    assert len(contacts) == 8
    assert contact_ranks(robot, q, contacts=contacts).base == 6
    start, center = footfall.frame_pose(robot, q, "UB"), footfall.center_of_mass(robot, q)
    lower = center + np.array([0.01, 0.01, -0.04])
    tasks = (
        center_of_mass_position(lower, gains=gains_from(1.5)),
        PoseTask("UB", resting_pose(start), gains=gains_from(2.0), rows=("rx", "ry", "rz")),
        PostureTask(resting_reference(robot, q), gains=gains_from(1.5), priority=1),
        LeastForce(priority=2),
    )
    controller = WholeBodyControl(robot, contacts, tasks, WholeBodyLimits(least_force=5.0))
    floor = surface_of(ground(friction=0.8))
    touching = [Candidate(each.frame, each.point, 0.0, floor) for each in contacts]
    simulation = FeetSimulation(robot, candidates=touching, q=q, dt=1e-3, substeps=5)
    run = simulation.run(controller, 0.9)
    reached = footfall.center_of_mass(robot, simulation.state.q)
    assert np.abs(reached - lower).max() < 2e-3
    assert np.abs(pose_error(footfall.frame_pose(robot, simulation.state.q, "UB"), start)[3:]).max() < 2e-3
    for foot in ("RF", "LF"):
        moved = pose_error(
            footfall.frame_pose(robot, simulation.state.q, foot), footfall.frame_pose(robot, q, foot)
        )
        assert np.abs(moved).max() < 1e-3
    # What each pad carries sideways is not determined; what a foot carries is.
    on_feet = run.forces[20:].reshape(-1, 2, 4, 3).sum(axis=2)
    assert on_feet[:, :, 2].min() > 100.0
    assert (np.linalg.norm(on_feet[:, :, :2], axis=2) / on_feet[:, :, 2]).max() < 0.5
    planned = controller.solve(0.0, simulation.state.q, simulation.state.v).forces.reshape(8, 3)
    assert (np.linalg.norm(planned[:, :2], axis=1) <= 0.5 * planned[:, 2] + 1e-4).all()
    assert planned[:, 2].sum() == pytest.approx(robot.mass * 9.81, rel=0.02)
