"""Boxes that touch with their edges: beams that lie and fall across each other, rest heights and how forces split."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Scene, SceneObject, free_body
from footfall.arrays import Array
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule
from footfall.scene.assembly import combined_robot
from footfall.simulation.run_values import Trajectory
from footfall.simulation.simulation import Simulation
from tests.simulation.worlds import GRAVITY as G
from tests.simulation.worlds import energies, ground, simulate, turned

LENGTH, WIDTH = 1.0, 0.1
MASS = 2.0
ACROSS = turned(np.pi / 2)


def about_x(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def beam(name: str, position: tuple[float, ...], rotation: Array, *, free: bool = True) -> SceneObject:
    """A square beam along x before it is turned."""
    shape = Box((LENGTH, WIDTH, WIDTH))
    mass = free_body(shape, MASS) if free else None
    return SceneObject(name, shape, Transform(rotation, np.array(position)), free=mass)


def edge_points(size: tuple[float, ...]) -> Array:
    """Points (n, 3) on the edges of a box."""
    x, y, z = np.meshgrid(*[np.linspace(-0.5, 0.5, 41)] * 3)
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    return points[(np.abs(points) == 0.5).sum(axis=1) >= 2] * np.array(size)


def carried(simulation: Simulation, trajectory: Trajectory, body: str, other: str) -> tuple[Array, Array]:
    """Positions (n, 3) and forces (n, 3) on a body from another one in the last step, or their opposite."""
    log, fixed = trajectory.contacts, {each.name for each in simulation.scene.fixed_objects}
    positions, forces = [], []
    for k in range(len(trajectory.time) and log.starts[-2], log.starts[-1]):
        pair = [log.names[side[k]] for side in (log.first, log.second)]
        pair = ["world" if name in fixed else name for name in pair]
        if set(pair) == {body, other} and np.abs(log.forces[k]).max() > 0.0:
            positions.append(log.positions[k])
            forces.append(log.forces[k] if pair[0] == body else -log.forces[k])
    return np.array(positions), np.array(forces)


@pytest.mark.parametrize("shift", [0.0, 0.02, -0.04])
@pytest.mark.parametrize("angle", [90.0, 60.0])
def test_a_beam_rests_across_a_beam(shift: float, angle: float) -> None:
    """It stands on four crossings of edges and nothing else, and they carry what the lever law says.

    With its middle at `shift` along itself from that of the crossing: sum F = m g, sum F x = m g shift about it; at
    90 degrees the edges of the lower beam at -w/2 and w/2 carry m g (1/2 -+ shift / w) each.
    """
    lower = beam("lower", (0.0, 0.0, WIDTH / 2), turned(np.radians(angle)), free=False)
    upper = beam("upper", (shift, 0.0, 1.5 * WIDTH + 0.002), np.eye(3))
    simulation = simulate(lower, upper)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    assert simulation.state.q[2] == pytest.approx(1.5 * WIDTH, abs=1e-9)
    assert np.abs(simulation.state.v).max() < 1e-8
    positions, forces = carried(simulation, trajectory, "upper", "world")
    assert len(forces) == 4
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, MASS * G], abs=1e-6)
    assert forces[:, 2] @ positions[:, :2] / (MASS * G) == pytest.approx([shift, 0.0], abs=1e-6)
    if angle == 90.0:
        left = forces[positions[:, 0] < 0.0, 2].sum()
        assert left == pytest.approx(MASS * G * (0.5 - shift / WIDTH), abs=1e-6)
        assert np.abs(positions[:, 0]) == pytest.approx(WIDTH / 2, abs=1e-6)


def test_a_beam_whose_middle_is_beyond_the_other_tips_over() -> None:
    lower = beam("lower", (0.0, 0.0, WIDTH / 2), ACROSS, free=False)
    simulation = simulate(lower, beam("upper", (0.1, 0.0, 1.5 * WIDTH), np.eye(3)))
    simulation.run(simulation.zero_command, 0.4)
    assert simulation.state.q[2] < 1.4 * WIDTH
    assert simulation.state.v[4] > 1.0


def test_two_free_beams_on_the_ground() -> None:
    """The lower one carries both; the upper one lies at 3/2 of the width."""
    simulation = simulate(
        ground(),
        beam("lower", (0.0, 0.0, WIDTH / 2), ACROSS),
        beam("upper", (0.0, 0.1, 1.5 * WIDTH), np.eye(3)),
    )
    trajectory = simulation.run(simulation.zero_command, 0.2)
    heights = {
        name: float(simulation.state.q[simulation.robot.q_slice(name)][2]) for name in ("lower", "upper")
    }
    assert heights["lower"] == pytest.approx(WIDTH / 2, abs=1e-8)
    assert heights["upper"] == pytest.approx(1.5 * WIDTH, abs=1e-8)
    _, between = carried(simulation, trajectory, "upper", "lower")
    _, below = carried(simulation, trajectory, "lower", "world")
    assert between.sum(axis=0) == pytest.approx([0.0, 0.0, MASS * G], abs=1e-5)
    assert below.sum(axis=0) == pytest.approx([0.0, 0.0, 2 * MASS * G], abs=1e-5)


def test_beams_on_their_edges_touch_in_one_point() -> None:
    """Both turned by 45 degrees about themselves: edge on edge, the upper one at w sqrt(2)."""
    lower = beam("lower", (0.0, 0.0, WIDTH / np.sqrt(2)), ACROSS @ about_x(np.pi / 4), free=False)
    upper = beam("upper", (0.0, 0.0, 3 * WIDTH / np.sqrt(2) + 1e-3), about_x(np.pi / 4))
    simulation = simulate(lower, upper)
    trajectory = simulation.run(simulation.zero_command, 0.05)
    assert simulation.state.q[2] == pytest.approx(3 * WIDTH / np.sqrt(2), abs=1e-9)
    positions, forces = carried(simulation, trajectory, "upper", "world")
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, MASS * G], abs=1e-6)
    assert positions == pytest.approx(np.array([[0.0, 0.0, np.sqrt(2) * WIDTH]]), abs=1e-6)


def test_a_crate_that_falls_onto_a_beam_never_gets_into_it() -> None:
    """Tumbling, with no point of an edge of one inside of the other, and without a gain of energy."""
    lower = beam("lower", (0.0, 0.0, 0.3), ACROSS @ about_x(0.6), free=False)
    shape = Box((0.3, 0.2, 0.15))
    place = Transform(turned(0.3) @ about_x(0.4), np.array([0.06, 0.05, 0.6]))
    crate = SceneObject("crate", shape, place, free=free_body(shape, 1.0, velocity=(0, 0, 0, 3.0, -4.0, 1.0)))
    simulation = simulate(lower, crate)
    trajectory = simulation.run(simulation.zero_command, 0.6)
    energy = energies(simulation.robot, trajectory.q, trajectory.v)
    assert np.maximum(np.diff(energy), 0.0).sum() < 1e-5 * energy[0]
    deepest = 0.0
    for q in trajectory.q[100::5]:
        pose = Transform(matrix_from_quaternion(q[3:7]), q[:3])
        for one, other, between in (
            (shape.size, lower.shape.size, lower.placement.inverse() @ pose),
            (lower.shape.size, shape.size, pose.inverse() @ lower.placement),
        ):
            inside = np.array(other) / 2 - np.abs(edge_points(one) @ between.rotation.T + between.translation)
            deepest = max(deepest, inside.min(axis=1).max())
    assert deepest < 1e-3  # m: what a turn of 5 rad/s bends in a step, and the rounding of corners
    assert np.abs(trajectory.forces).max() > 0.0


STAND = Box((0.2, 0.6, 0.2))


@pytest.mark.parametrize("free", [True, False], ids=["free", "robot"])
@pytest.mark.parametrize("shape", [Capsule(0.05, 1.0), Box((0.1, 0.1, 1.0))], ids=["capsule", "box"])
def test_shapes_of_robots_and_capsules_lie_across_a_box(shape: Capsule | Box, free: bool) -> None:
    """Ends and corners hang beside the box; a line of m g / 2 at each of its edges carries them, x = -+ 0.1 m.

    Whether the shape is a free object or part of a robot is the same.
    """
    lying = Transform(
        matrix_from_quaternion(np.array([1.0, 0.0, 1.0, 0.0]) / np.sqrt(2)), np.array([0, 0, 0.26])
    )
    stand = SceneObject("stand", STAND, Transform(np.eye(3), np.array([0.0, 0.0, 0.1])))
    bar = SceneObject("bar", shape, lying, free=free_body(shape, MASS))
    if free:
        simulation = Simulation(None, Scene("across", (ground(), stand, bar)), dt=2e-3)
    else:
        robot = combined_robot(Scene("bar", (bar,)))
        scene = Scene("across", (ground(), stand))
        simulation = Simulation(robot, scene, dt=2e-3, q=robot.configuration("initial"))
    trajectory = simulation.run(simulation.zero_command, 0.3)
    assert trajectory.q[-1, 2] == pytest.approx(0.25, abs=1e-5)
    positions, forces = carried(simulation, trajectory, "bar", "world")
    assert np.abs(positions[:, 0]) == pytest.approx(np.full(len(positions), 0.1), abs=1e-6)
    assert forces[:, 2].sum() == pytest.approx(MASS * G, rel=1e-6)
    assert forces[positions[:, 0] > 0.0, 2].sum() == pytest.approx(MASS * G / 2, rel=1e-3)
