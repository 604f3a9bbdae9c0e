"""Friction against closed forms: slopes, stopping distances, viscous drag, the exact cone, rolling."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix, rotation_y
from footfall.math.transform import Transform
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.simulation import Simulation
from tests.simulation.worlds import (
    EDGE,
    GRAVITY,
    along_slope,
    ball,
    block,
    block_on_slope,
    ground,
    simulate,
    tilted,
    turned,
)

pytestmark = pytest.mark.usefixtures("each_way")

G = GRAVITY


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("part", [0.5, 0.9, 0.99])
def test_slope_below_the_friction_angle_sticks(friction: float, part: float) -> None:
    # tan(angle) < mu: |F_t| = m g sin < mu m g cos, so the block rests.
    angle = part * np.arctan(friction)
    simulation = block_on_slope(angle, friction)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    # From a cold start at 0.99 of the angle the first steps end at the cap of sweeps, with up to 1e-5 m g dt left:
    # a nanometre until it rests. Below, and from then on, it does not move.
    assert abs(along_slope(simulation, angle)[0]) < (3e-9 if part > 0.95 else 1e-12)
    assert abs(along_slope(simulation, angle)[1]) < 1e-13
    # The forces carry the weight, whatever their distribution over the redundant corners.
    assert trajectory.forces[-1].sum(axis=0) == pytest.approx([0.0, 0.0, G], abs=1e-9)


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("part", [1.01, 1.1, 1.3])
def test_slope_above_the_friction_angle_slides(friction: float, part: float) -> None:
    # a = g (sin - mu cos). Velocity stepping under a constant force is exact in v: v(t) = a t; the position
    # x(t) = a t^2 / 2 gets the method's error a t dt / 2. The first step may leave a residual: 1e-4 m g dt.
    angle, seconds, dt = part * np.arctan(friction), 0.25, 1e-3
    simulation = block_on_slope(angle, friction, dt=dt)
    simulation.run(simulation.zero_command, seconds)
    position, velocity = along_slope(simulation, angle)
    acceleration = G * (np.sin(angle) - friction * np.cos(angle))
    residual = 1e-4 * G * dt
    assert velocity == pytest.approx(acceleration * seconds, abs=residual)
    assert position == pytest.approx(acceleration * seconds * (seconds + dt) / 2, abs=residual * seconds)


@pytest.mark.parametrize("friction", [0.2, 0.6])
def test_stopping_distance(friction: float) -> None:
    # s = v0^2 / (2 mu g); semi-implicit Euler stops short by at most v0 dt / 2 (+ the step in which it stops).
    dt, speed = 1e-3, 1.5
    simulation = block_on_slope(0.0, friction, dt=dt, velocity=speed)
    seconds = speed / (friction * G)
    simulation.run(simulation.zero_command, seconds * 1.2)
    position, velocity = along_slope(simulation, 0.0)
    assert abs(velocity) < 1e-12
    assert position == pytest.approx(speed**2 / (2 * friction * G), abs=speed * dt)
    halved = block_on_slope(0.0, friction, dt=dt / 2, velocity=speed)
    halved.run(halved.zero_command, seconds * 1.2)
    errors = [abs(along_slope(each, 0.0)[0] - speed**2 / (2 * friction * G)) for each in (simulation, halved)]
    assert errors[1] < 0.6 * errors[0]  # first order


@pytest.mark.parametrize("viscous", [0.5, 2.0])
def test_viscous_friction(viscous: float) -> None:
    # m dv/dt = -(mu m g + c v), c = 4 corners times mu_v, Ayit 2015, (4.22):
    # v(t) = (v0 + mu m g / c) exp(-c t / m) - mu m g / c
    friction, speed, dt, seconds = 0.1, 1.0, 5e-4, 0.3
    simulation = block_on_slope(0.0, friction, dt=dt, velocity=speed, viscous_friction=viscous)
    simulation.run(simulation.zero_command, seconds)
    drag, coulomb = 4 * viscous, friction * G
    expected = (speed + coulomb / drag) * np.exp(-drag * seconds) - coulomb / drag
    expected = max(expected, 0.0)
    # the drag is taken at the start of each step: an error of (c/m)^2 dt t v0 / 2
    assert along_slope(simulation, 0.0)[1] == pytest.approx(
        expected, abs=drag**2 * dt * seconds * speed / 2 + 1e-12
    )


@pytest.mark.parametrize("degrees", [0.0, 22.5, 45.0, 71.0])
def test_friction_opposes_sliding_in_any_direction(degrees: float) -> None:
    # A pyramid's facets would turn the force by up to 45 degrees and lengthen it by sqrt(2); the cone does not:
    # the block slows down along its own line, by mu g.
    friction, speed, dt = 0.4, 2.0, 1e-3
    direction = turned(np.deg2rad(degrees))[:, 0]
    simulation = simulate(
        ground(friction=friction),
        block(velocity=(*(speed * direction), 0.0, 0.0, 0.0), friction=friction),
        dt=dt,
    )
    simulation.run(simulation.zero_command, 0.2)
    across = np.array([-direction[1], direction[0], 0.0])
    assert simulation.state.v[:3] @ direction == pytest.approx(speed - friction * G * 0.2, rel=1e-6)
    assert abs(simulation.state.v[:3] @ across) < 1e-6
    assert abs(simulation.state.q[:3] @ across) < 1e-6


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_pushed_diagonally_it_yields_at_the_cone(factor: float) -> None:
    # A push of mu m g along the diagonal is the bound; a pyramid with edges along x and y would hold only 1/sqrt(2)
    # of it (or sqrt(2) of it, if it lies outside the cone).
    friction = 0.5
    simulation = simulate(ground(friction=friction), block(friction=friction))
    push = factor * friction * G * np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    # The push acts at the middle of the block, half an edge above the ground; a moment takes its lever away.
    moment = np.cross([0.0, 0.0, -EDGE / 2], push)
    simulation.push("block", np.concatenate([push, moment]), 0.2)
    simulation.run(simulation.zero_command, 0.2)
    expected = max(factor - 1.0, 0.0) * friction * G * 0.2
    assert np.linalg.norm(simulation.state.v[:2]) == pytest.approx(expected, abs=1e-4 * G * 1e-3)


def test_a_sliding_ball_begins_to_roll() -> None:
    # Friction turns sliding into rolling: v = 5/7 v0 from t = 2 v0 / (7 mu g) on (solid ball, I = 2/5 m r^2).
    speed, friction, radius = 2.0, 0.3, 0.1
    simulation = simulate(
        ground(friction=friction),
        ball((0.0, 0.0, radius), velocity=(speed, 0.0, 0.0, 0.0, 0.0, 0.0), friction=friction),
    )
    begin = 2 * speed / (7 * friction * G)
    trajectory = simulation.run(simulation.zero_command, 2 * begin)
    v, spin = simulation.state.v[0], simulation.state.v[3:]
    assert v == pytest.approx(5 / 7 * speed, rel=1e-9)
    assert v == pytest.approx(radius * np.linalg.norm(spin), rel=1e-9)
    # until then it loses mu g t
    half = np.searchsorted(trajectory.time, begin / 2)
    assert trajectory.v[half, 0] == pytest.approx(speed - friction * G * trajectory.time[half], rel=1e-9)
    rolling = trajectory.time > begin + 0.002
    assert np.ptp(trajectory.v[rolling, 0]) < 1e-9


@pytest.mark.parametrize("friction", [0.3, 1.0])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_nothing_creeps_on_a_slope(friction: float, dt: float) -> None:
    """Mean slip velocity over 10 s after 1 s below 1e-9 m/s, with the default settings."""
    angle = 0.9 * np.arctan(friction)
    simulation = block_on_slope(angle, friction, dt=dt)
    simulation.run(simulation.zero_command, 1.0)
    before, turn = simulation.state.q[:3].copy(), simulation.state.q[3:].copy()
    simulation.run(simulation.zero_command, 10.0)
    assert np.linalg.norm(simulation.state.q[:3] - before) / 10.0 < 1e-9
    assert np.abs(simulation.state.q[3:] - turn).max() < 1e-9


def test_a_loaded_slope_stays_put_under_a_pulsing_push() -> None:
    """Creep under a push that comes and goes below the friction bound."""
    friction = 0.5
    angle = 0.5 * np.arctan(friction)
    simulation = block_on_slope(angle, friction)
    simulation.run(simulation.zero_command, 0.1)
    before = simulation.state.q.copy()
    for _ in range(10):
        simulation.push("block", np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]), 0.05)
        simulation.run(simulation.zero_command, 0.1)
    assert np.abs(simulation.state.q - before).max() < 1e-9


@pytest.mark.parametrize(
    "pair", [(0.9, 0.1), (0.1, 0.9), (1.0, 0.0)], ids=["rubber on ice", "ice on rubber", "oil"]
)
def test_friction_is_that_of_the_pair(pair: tuple[float, float]) -> None:
    """A block that slides until it stops, s = v0^2 / (2 mu g), has mu = sqrt(mu_1 mu_2), whichever side is which."""
    below, above = pair
    mu, speed, dt = np.sqrt(below * above), 1.0, 1e-3
    simulation = simulate(
        ground(friction=below), block(velocity=(speed, 0, 0, 0, 0, 0), friction=above), dt=dt
    )
    seconds = 0.5
    simulation.run(simulation.zero_command, seconds)
    way = speed**2 / (2 * mu * G) if mu else speed * seconds
    # v(t) is exact at the ends of steps and the way a sum of them: right to v0 dt / 2
    assert simulation.state.q[0] == pytest.approx(way, abs=speed * dt)
    assert simulation.state.v[0] == pytest.approx(0.0 if mu else speed, abs=1e-9)


def test_one_slope_lets_ice_slide_and_holds_rubber() -> None:
    """tan(angle) = 0.4 lies between sqrt(0.5 * 0.1) and sqrt(0.5 * 0.9)."""
    rotation = tilted(np.arctan(0.4))
    blocks = [
        block(name, rotation @ np.array([0.0, y, EDGE / 2]), rotation=rotation, friction=friction)
        for name, y, friction in (("ice", -0.5, 0.1), ("rubber", 0.5, 0.9))
    ]
    simulation = simulate(ground(np.arctan(0.4), friction=0.5), *blocks)
    simulation.run(simulation.zero_command, 0.3)
    down = rotation[:, 0]
    # a = g (sin - mu cos) for the one that slides
    expected = G * (0.4 - np.sqrt(0.05)) / np.sqrt(1.16) * 0.3
    assert simulation.state.v[:3] @ down == pytest.approx(expected, rel=1e-6)
    assert np.abs(simulation.state.v[6:]).max() < 1e-9


def sole_on_a_slope(angle: float, friction: float | None) -> Simulation:
    """A free robot of one box with a friction of its own, on a plane of friction 0.8 that leans by an angle, rad."""
    body = Body(
        "sole", 1.0, inertia=0.01 * np.eye(3), collisions=(Geometry(Box((0.4, 0.4, 0.1)), friction=friction),)
    )
    turn = rotation_y(angle)
    robot = Robot("sole", (body,), (Joint("root", JointType.FLOATING, "world", "sole"),))
    plane = SceneObject("slope", Plane(), Transform(turn, np.zeros(3)), Material(friction=0.8))
    q = np.concatenate([turn @ [0.0, 0.0, 0.05], quaternion_from_matrix(turn)])
    return Simulation(robot, Scene("slope", objects=(plane,)), q=q, dt=1e-3)


@pytest.mark.parametrize(("friction", "mu"), [(None, 0.8), (0.2, 0.4), (0.0, 0.0), (0.45, 0.6)])
def test_friction_of_a_robots_sole(friction: float | None, mu: float) -> None:
    """With the ground's it makes the geometric mean: it slides with g (sin - mu cos), or stays where tan < mu."""
    angle = 0.5
    simulation = sole_on_a_slope(angle, friction)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    speed = float(np.linalg.norm(trajectory.v[-1, :3]))
    expected = max(9.81 * (np.sin(angle) - mu * np.cos(angle)), 0.0) * 0.5
    assert speed == pytest.approx(expected, abs=2e-3)
