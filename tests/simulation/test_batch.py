"""Batches that live: the steps of a simulation for any number of rows and threads; rows have their own values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall import Command
from footfall.contact import Candidate, Surface
from footfall.errors import FootfallError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.simulation import FeetSimulation, RobotBatch


@pytest.fixture(scope="module")
def robot():
    return footfall.load("go2")


@pytest.fixture(scope="module")
def batch(robot):
    made = RobotBatch(robot, 20, frames=("base", "FL_foot"), points=[[0.1, 0.0], [-0.2, 0.3]])
    made.settings.kp[:], made.settings.kd[:] = 30.0, 0.8
    return made


def goals(batch, periods, seed=0):
    rng = np.random.default_rng(seed)
    return batch.start[7:] + 0.2 * rng.normal(size=(batch.count, periods, batch.joints))


def lowered(batch, robot):
    q = batch.start.copy()
    q[2] = 0.34  # 3 mm above the ground
    return q


def test_a_row_is_the_listed_simulation(robot):
    """Of feet alone, whose contacts act where the ground is in a batch: the simulation is told to do so too."""
    batch = RobotBatch(robot, 4, exact=False)
    batch.settings.kp[:], batch.settings.kd[:] = 30.0, 0.8
    batch.reset(q=lowered(batch, robot))
    goal = goals(batch, 5)
    surface = Surface(Plane())
    candidates = [
        Candidate(foot.body, point.point, point.radius, surface)
        for foot in batch.feet
        for point in foot.points
    ]
    simulation = FeetSimulation(robot, candidates=candidates, dt=0.005, substeps=4, q=lowered(batch, robot))
    simulation.engine.place = simulation.engine.place._replace(on_surfaces=True)
    simulation.friction[:] = 0.8
    for k in range(5):
        report = batch.step(goal[:, k])
        row = simulation.step(Command(position=goal[3, k], kp=30.0, kd=0.8))
        # Sums in another order: rounding, grown over 20 steps with contacts that come and go.
        np.testing.assert_allclose(batch.state.q[3], row.q[-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(batch.state.v[3], row.v[-1], rtol=0, atol=1e-6)
    assert report.touching.any()
    assert report.residual.max() < 1e-8 * robot.mass


def test_same_bits_for_any_number_of_rows_and_threads(batch, robot):
    goal = goals(batch, 3)
    runs = []
    for rows, threads in ((20, 1), (20, 2), (3, 1), (1, 1)):
        other = batch if rows == 20 else RobotBatch(robot, rows)
        other.threads = threads
        other.settings.kp[:], other.settings.kd[:] = 30.0, 0.8
        other.reset(q=lowered(batch, robot))
        for k in range(3):
            report = other.step(goal[:rows, k])
        runs.append((other.state.q[0].copy(), other.state.v[0].copy(), report.forces[0].copy()))
    batch.threads = None
    for run in runs[1:]:
        for one, other in zip(runs[0], run, strict=True):
            np.testing.assert_array_equal(one, other)


def test_many_periods_in_one_call_are_the_same(batch, robot):
    goal = goals(batch, 4)
    batch.reset(q=lowered(batch, robot))
    for k in range(4):
        batch.step(goal[:, k])
    q, v = batch.state.q.copy(), batch.state.v.copy()
    batch.reset(q=lowered(batch, robot))
    courses = batch.rollout(goal)
    np.testing.assert_array_equal(courses[0][:, -1], q)
    np.testing.assert_array_equal(batch.state.v, v)


def test_frames_heights_and_forces(batch, robot):
    batch.reset(q=lowered(batch, robot))
    for _ in range(300):
        report = batch.step(batch.start[7:])
    # At rest the feet carry the weight: sum of forces = m g.
    np.testing.assert_allclose(report.forces.sum(axis=1)[:, 2], robot.mass * 9.81, rtol=1e-3)
    np.testing.assert_array_equal(report.touching, 1.0)
    np.testing.assert_allclose(report.frames[:, 0], batch.state.q[:, :3], atol=1e-12)
    expected = footfall.frame_velocity(robot, batch.state.q, batch.state.v, "FL_foot")
    np.testing.assert_allclose(report.velocities[:, 1], expected, atol=1e-12)
    np.testing.assert_array_equal(report.heights, 0.0)


def test_mass_and_shift_of_a_row_are_those_of_another_robot(batch, robot):
    """A row with 2 kg more on its base, shifted, falls and lands as the robot whose base is made so."""
    added, shift = 2.0, np.array([0.02, -0.01, 0.03])
    batch.reset(q=lowered(batch, robot))
    batch.settings.base_mass[1], batch.settings.base_shift[1] = added, shift
    attachment = robot.tree.attachments["base"]
    link = robot.tree.links[attachment.link]  # the base with all that is fixed to it
    bodies = []
    for body in robot.bodies:
        other = robot.tree.attachments[body.name]
        if other.link == attachment.link:
            share = (link.mass + added) / link.mass  # all of it grows and moves as one
            turn = other.placement.rotation.T
            body = replace(
                body,
                mass=share * body.mass,
                center_of_mass=tuple(
                    np.asarray(body.center_of_mass) + turn @ shift if body.mass else body.center_of_mass
                ),
                inertia=share * np.asarray(body.inertia),
            )
        bodies.append(body)
    heavy = replace(robot, bodies=tuple(bodies))
    other = RobotBatch(heavy, 1, q=batch.start, feet=batch.feet)
    other.settings.kp[:], other.settings.kd[:] = 30.0, 0.8
    other.reset(q=lowered(batch, robot))
    goal = goals(batch, 5)
    for k in range(5):
        batch.step(goal[:, k])
        other.step(goal[1:2, k])
    np.testing.assert_allclose(batch.state.q[1], other.state.q[0], rtol=0, atol=1e-8)
    assert (
        np.abs(batch.state.q[0] - other.state.q[0]).max() > 1e-3
    )  # negative: without the mass it is elsewhere
    batch.settings.base_mass[:], batch.settings.base_shift[:] = 0.0, 0.0


def test_pushes_friction_and_delays_of_rows(batch, robot):
    # In the air a force F for t changes the momentum by F t.
    q = batch.start.copy()
    q[2] = 2.0
    batch.reset(q=q)
    batch.settings.push[2] = [30.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    batch.step(batch.start[7:])
    moved = batch.state.v[2] - batch.state.v[0]
    momentum = footfall.mass_matrix(robot, batch.state.q[2]) @ moved
    assert momentum[0] == pytest.approx(30.0 * 0.02, rel=1e-3)
    batch.settings.push[:] = 0.0
    # With a delay of a whole period the goal of the last one holds.
    batch.reset(q=q)
    batch.settings.delay[:] = 0.0
    batch.settings.delay[4] = 4.0
    goal = np.tile(batch.start[7:], (20, 1))
    goal[4] += 0.3
    batch.step(goal)
    np.testing.assert_array_equal(batch.state.q[4], batch.state.q[5])
    batch.step(goal)
    assert np.abs(batch.state.q[4] - batch.state.q[5]).max() > 1e-3
    batch.settings.delay[:] = 0.0


def test_reset_by_mask_leaves_others_alone(batch, robot):
    batch.reset(q=lowered(batch, robot))
    batch.step(goals(batch, 1)[:, 0])
    before = batch.state.q.copy()
    mask = np.zeros(20, dtype=bool)
    mask[[2, 7]] = True
    batch.reset(mask)
    np.testing.assert_array_equal(batch.state.q[~mask], before[~mask])
    np.testing.assert_array_equal(batch.state.q[mask], np.tile(batch.start, (2, 1)))


def test_heights_under_feet(robot):
    # A step of 10 cm in the middle: the base is set onto it, and the scan sees both levels.
    heights = np.zeros((21, 3))
    heights[11:] = 0.1
    ground = HeightMap(heights, (0.1, 5.0))
    made = RobotBatch(robot, 2, ground=ground, points=[[0.5, 0.0], [-0.5, 0.0]])
    q = made.start.copy()
    q[2] = 0.55
    made.reset(q=q)
    report = made.step(made.start[7:])
    np.testing.assert_allclose(report.heights, [[0.1, 0.0]] * 2, atol=1e-9)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda batch: batch.step(np.zeros(3)), r"goal has shape \(3,\)"),
        (lambda batch: batch.step(np.full((20, 12), np.nan)), "row 0, joint 0 is not finite"),
        (lambda batch: batch.reset(np.zeros(4, dtype=bool)), r"mask of rows has shape \(4,\)"),
        (lambda batch: batch.reset([21]), "row"),
        (lambda batch: batch.reset(q=np.zeros(19)), "quaternion"),
        (lambda batch: batch.reset(q=np.zeros(3)), r"q has shape \(3,\)"),
        (lambda batch: batch.rollout(np.zeros((2, 2))), r"goals has shape \(2, 2\)"),
        (lambda batch: RobotBatch(batch.robot, 0), "count is 0"),
        (lambda batch: RobotBatch(batch.robot, 2, points=np.zeros(3)), r"points has shape \(3,\)"),
        (lambda batch: RobotBatch(footfall.load("cart-pendulum"), 2), "floating|collision"),
    ],
)
def test_wrong_input_is_told(batch, call, message):
    with pytest.raises(FootfallError, match=message):
        call(batch)
