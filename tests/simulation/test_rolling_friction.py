"""Rolling and torsional friction: closed forms, the validator, and what files say of it."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject, free_body
from footfall.contact.law import follower_law, follower_map, linear_follower, linear_law, made_law
from footfall.contact.pair_material import RobotSide, pair_material, touching_material
from footfall.contact.problem import ContactProblem
from footfall.contact.validation import check_solution
from footfall.errors import InvalidInput, SceneError
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Cylinder, Sphere
from footfall.scene import GivenMotion
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_problem import build_step_problem, step_impulses, step_residuals
from tests.simulation.worlds import GRAVITY, PLANTS, ContactList, ground, tilted

RADIUS, DT = 0.05, 1e-3
BOTH = pytest.mark.parametrize("contacts", ["found", "listed"])


def rolling_ball(
    floor: SceneObject,
    contacts: ContactList,
    *,
    velocity: tuple[float, ...] = (0.0,) * 6,
    at: tuple[float, float, float] = (0.0, 0.0, RADIUS),
    friction: float = 0.8,
) -> Simulation:
    ball = SceneObject(
        "ball",
        Sphere(RADIUS),
        Transform(np.eye(3), np.array(at)),
        Material(friction=friction),
        free=free_body(Sphere(RADIUS), 1.3, velocity=velocity),
    )
    return PLANTS[contacts](None, Scene("ball", (floor, ball)), dt=DT)


@BOTH
def test_a_ball_slows_down_as_it_rolls(contacts: ContactList) -> None:
    """mu_r m g = (I + m R^2) alpha with I = 2/5 m R^2: it slows by 5 mu_r g / (7 R), and stops for good."""
    rolling, speed = 2e-3, 0.2
    floor = ground(friction=0.8, rolling_friction=rolling)
    simulation = rolling_ball(floor, contacts, velocity=(speed, 0.0, 0.0, 0.0, speed / RADIUS, 0.0))
    trajectory = simulation.run(simulation.zero_command, 1.0)
    slowing = 5.0 * rolling * GRAVITY / (7.0 * RADIUS)
    moving = trajectory.time < speed / slowing - DT
    expected = speed - slowing * trajectory.time
    # steps are solved to 1e-9 m g dt, 1e-11 m/s each
    assert np.abs(trajectory.v[moving, 0] - expected[moving]).max() < 1e-9
    assert np.abs(trajectory.v[trajectory.time > speed / slowing + DT]).max() < 1e-10
    assert trajectory.residual.max() < 1e-8


@BOTH
def test_a_spinning_ball_stops(contacts: ContactList) -> None:
    """mu_t m g = I alpha: about the vertical it stops after 2 R^2 w / (5 mu_t g), on the spot."""
    torsional, spin = 3e-3, 10.0
    floor = ground(friction=0.8, torsional_friction=torsional)
    simulation = rolling_ball(floor, contacts, velocity=(0.0, 0.0, 0.0, 0.0, 0.0, spin))
    trajectory = simulation.run(simulation.zero_command, 0.5)
    stop = 2.0 * RADIUS**2 * spin / (5.0 * torsional * GRAVITY)
    moving = trajectory.time < stop - DT
    expected = spin * (1.0 - trajectory.time / stop)
    assert np.abs(trajectory.v[moving, 5] - expected[moving]).max() < 1e-10
    assert np.abs(trajectory.v[trajectory.time > stop + DT]).max() < 1e-10
    assert np.abs(trajectory.q[:, :2]).max() < 1e-12


@BOTH
@pytest.mark.parametrize("share", [0.98, 1.02])
def test_a_ball_stands_on_a_slope_up_to_its_rolling_friction(contacts: ContactList, share: float) -> None:
    """It stands up to tan(slope) = mu_r / R, and rolls by 5/7 (g sin - mu_r g cos / R) beyond."""
    rolling = 4e-3
    slope = float(np.arctan(share * rolling / RADIUS))
    floor = ground(slope, friction=0.8, rolling_friction=rolling)
    at = tuple((RADIUS * tilted(slope)[:, 2]).tolist())
    simulation = rolling_ball(floor, contacts, at=at)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    speed = np.linalg.norm(trajectory.v[-1, :3])
    if share < 1.0:
        assert speed < 1e-10
    else:
        faster = 5.0 / 7.0 * GRAVITY * (np.sin(slope) - rolling * np.cos(slope) / RADIUS)
        assert speed == pytest.approx(0.5 * faster, rel=1e-6)


def test_a_wheel_stands_on_a_slope_up_to_its_rolling_friction() -> None:
    """A cylinder on its side touches in several points, whose moments add up to mu_r times all of its weight."""
    rolling, radius, speeds = 4e-3, 0.1, []
    for share in (0.97, 1.03):
        slope = float(np.arctan(share * rolling / radius))
        lying = tilted(slope) @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        wheel = SceneObject(
            "wheel",
            Cylinder(radius, 0.06),
            Transform(lying, radius * tilted(slope)[:, 2]),
            Material(friction=0.8),
            free=free_body(Cylinder(radius, 0.06), 2.0),
        )
        floor = ground(slope, friction=0.8, rolling_friction=rolling)
        simulation = Simulation(None, Scene("wheel", (floor, wheel)), dt=DT)
        trajectory = simulation.run(simulation.zero_command, 0.5)
        assert trajectory.residual.max() < 1e-8
        speeds.append(np.linalg.norm(trajectory.v[-1, :3]))
    # I = m R^2 / 2: beyond its limit it rolls by 2/3 (g sin - mu_r g cos / R)
    faster = 2.0 / 3.0 * GRAVITY * (np.sin(slope) - rolling * np.cos(slope) / radius)
    assert speeds[0] < 1e-9
    assert speeds[1] == pytest.approx(0.5 * faster, rel=1e-3)


@BOTH
def test_a_turntable_takes_a_ball_along(contacts: ContactList) -> None:
    """Torsional friction acts against the rotation of the surface: in its middle a ball turns with it in the end."""
    times = np.linspace(0.0, 4.0, 401)
    rate = 1.5
    angles = 0.5 * rate * times
    turns = np.stack([np.cos(angles), 0.0 * times, 0.0 * times, np.sin(angles)], axis=1)
    motion = GivenMotion(times, np.zeros((len(times), 3)), turns)
    material = Material(friction=0.8, torsional_friction=2e-3)
    table = SceneObject("table", Plane(), identity_transform(), material, motion=motion)
    simulation = rolling_ball(table, contacts)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    expected = np.minimum(5.0 * 2e-3 * GRAVITY / (2.0 * RADIUS**2) * trajectory.time, rate)
    assert np.abs(trajectory.v[:, 5] - expected).max() < 0.05 * rate  # within a step of where it catches up
    assert trajectory.v[-1, 5] == pytest.approx(rate, rel=1e-3)


@BOTH
def test_steps_solve_the_dense_problem(contacts: ContactList) -> None:
    """Balls that slide, roll and spin at once, and the validator, which knows nothing of the engine."""
    rng = np.random.default_rng(2)
    material = Material(friction=0.3, rolling_friction=3e-3, torsional_friction=5e-3)
    balls = [
        SceneObject(
            f"ball{k}",
            Sphere(RADIUS),
            Transform(np.eye(3), np.array([0.3 * k, 0.0, RADIUS])),
            material,
            free=free_body(
                Sphere(RADIUS), 1.0, velocity=(*rng.normal(size=2), 0.0, *(8.0 * rng.normal(size=3)))
            ),
        )
        for k in range(3)
    ]
    simulation = PLANTS[contacts](None, Scene("balls", (ground(friction=0.5), *balls)), dt=DT)
    residuals, trajectory = step_residuals(simulation, simulation.zero_command, 60)
    weight = 3.0 * GRAVITY * DT
    assert residuals.max() < 1e-8 * weight
    assert np.abs(trajectory.v[-1] - trajectory.v[0]).max() > 0.1
    # a moment that is a hundredth too large is seen
    before = simulation.state
    simulation.step(simulation.zero_command)
    problem = build_step_problem(simulation, before, simulation.zero_command, after=simulation.state).problem
    impulses = step_impulses(simulation, simulation.state)
    assert len(problem.leaders) >= 3  # in a list also those of balls with balls
    impulses[problem.first_follower :] *= 1.01
    assert check_solution(problem, impulses).cone > 1e-4 * weight


def test_a_pile_of_balls_is_solved() -> None:
    """Balls that roll on each other, with friction of all kinds: what several contacts share, and what opens."""
    rng = np.random.default_rng(4)
    material = Material(friction=0.5, rolling_friction=2e-3, torsional_friction=2e-3)
    balls = [
        SceneObject(
            f"ball{k}",
            Sphere(RADIUS),
            Transform(np.eye(3), np.array([*(0.03 * rng.normal(size=2)), 0.06 + 0.11 * k])),
            material,
            free=free_body(Sphere(RADIUS), 1.0),
        )
        for k in range(6)
    ]
    simulation = Simulation(None, Scene("pile", (ground(friction=0.5), *balls)), dt=DT)
    trajectory = simulation.run(simulation.zero_command, 1.5)
    assert np.percentile(trajectory.residual, 99) < 1e-7
    energy = 0.5 * np.sum(trajectory.v**2)
    assert np.isfinite(energy)
    assert (
        np.abs(trajectory.v[-1]).max() < 1e-6 or np.abs(trajectory.v[-1]).max() < np.abs(trajectory.v).max()
    )


def test_a_linear_follower_is_the_slope_of_its_map() -> None:
    """`F + F_p dp + F_w (dw + E dp) + F_n dn = 0` for any change dw of its velocity and dv of the normal velocity of
    its leader, which changes the load by dn, E: the softness."""
    rng, softness, h = np.random.default_rng(0), 1e-3, 1e-6
    leader, law = made_law(0.7, 0.4, 0.6, 0.0), follower_law(0.5, 0.3, 1.0, 0.6)
    states = set()
    for _ in range(300):
        p, w, load = rng.normal(size=3), rng.normal(size=3), 1.0 + rng.random()
        lead = linear_law(leader, np.array([0.0, 0.0, load]), np.zeros(3), softness, 1.0, 1.0)
        linear = linear_follower(law, p, w, softness, load, lead, 1.0, 1.0)
        z = p - w / [0.5, 0.5, 0.3]
        if abs(np.hypot(*z[:2]) - load) < 1e-3 or abs(abs(z[2]) - 0.6 * load) < 1e-3:
            continue  # a kink lies near

        def value(p: np.ndarray, w: np.ndarray, load: float) -> np.ndarray:
            return np.array(follower_map(law, p, w, load))

        by_p = np.array(
            [(value(p + h * e, w, load) - value(p - h * e, w, load)) / (2 * h) for e in np.eye(3)]
        ).T
        by_w = np.array(
            [(value(p, w + h * e, load) - value(p, w - h * e, load)) / (2 * h) for e in np.eye(3)]
        ).T
        by_load = (value(p, w, load + h) - value(p, w, load - h)) / (2 * h)
        dw, dv = 1e-2 * rng.normal(size=3), 1e-6 * rng.normal()
        dp = linear.impulse - linear.stiffness @ (w + dw) - dv * linear.following - p
        soft = softness * np.array([0.5, 0.5, 0.3])
        left = value(p, w, load) + by_p @ dp + by_w @ (dw + soft * dp) - by_load * lead.normal * dv
        assert np.abs(left).max() < 1e-6
        states.add((bool(linear.rolls != 0.0), bool(linear.turns != 0.0)))
    assert len(states) == 4


def test_coefficients_of_pairs() -> None:
    """The larger one, of objects as of robots."""
    one, other = Material(rolling_friction=1e-3), Material(rolling_friction=4e-4, torsional_friction=2e-3)
    pair = pair_material(one, other)
    assert (pair.rolling_friction, pair.torsional_friction) == (1e-3, 2e-3)
    side = RobotSide(None, 5e-3, 0.0)
    assert touching_material(side, one).rolling_friction == 5e-3
    assert touching_material(side, RobotSide()).rolling_friction == 5e-3
    assert touching_material(RobotSide(0.5), RobotSide(0.5)).torsional_friction == 0.0
    with pytest.raises(SceneError, match="rolling_friction"):
        Material(rolling_friction=-1.0)


def test_solvers_without_it_say_so() -> None:
    problem = ContactProblem(np.eye(6), np.zeros(6), np.array([0.5]), leaders=[0], rolling=np.ones(1))
    with pytest.raises(InvalidInput, match="rolling"):
        problem.rows()
    with pytest.raises(InvalidInput, match="leaders"):
        ContactProblem(np.eye(6), np.zeros(6), np.array([0.5]), leaders=[1])
