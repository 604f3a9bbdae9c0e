"""Worlds whose behaviour is known, with default options: what stands stays, what falls does so in order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import footfall
from benchmarks.lab import known_worlds
from footfall import Scene, SceneObject, Simulation, Transform, free_body
from footfall.errors import SimulationWarning
from footfall.geometry.plane import Plane
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from footfall.scene.shapes import triangles_shape
from footfall.scene.terrain import random_terrain
from footfall.simulation import build_step_problem, step_impulses, step_residuals
from footfall.simulation.plants import ImpactSimulation

G = 9.81


def simulate(scene: Scene, **options: float) -> Simulation:
    return Simulation(None, scene, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.9999, 1.0 - 1e-12, 1.0 + 1e-6, 1.0005])
def test_a_block_slides_beyond_the_angle_of_friction_only(share: float) -> None:
    """v = g (sin a - mu cos a) t, which is 0.26 m/s a second per radian beyond it."""
    friction = 0.5
    scene, slope = known_worlds.block_on_slope(share, friction)
    simulation = simulate(scene)
    simulation.run(simulation.zero_command, 1.0)
    speed = float(np.linalg.norm(simulation.v[:3]))
    expected = max(G * (np.sin(slope) - friction * np.cos(slope)), 0.0)
    assert speed == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("scene", [known_worlds.stack(), known_worlds.card_house()], ids=["stack", "cards"])
def test_what_stands_does_not_creep(scene: Scene) -> None:
    simulation = simulate(scene)
    simulation.run(simulation.zero_command, 0.5)
    before = simulation.q.copy()
    simulation.run(simulation.zero_command, 1.0)
    assert np.abs(simulation.q - before).max() < 1e-9  # m in a second
    assert simulation.q[2::7].min() > 0.02  # nothing has fallen


def test_dominoes_fall_one_by_one() -> None:
    simulation = simulate(known_worlds.dominoes(8))
    trajectory = simulation.run(simulation.zero_command, 1.0)
    x, y = trajectory.q[:, 4::7], trajectory.q[:, 5::7]
    leaning = 1.0 - 2.0 * (x**2 + y**2) < np.cos(0.2)  # of the upright axis
    assert leaning[-1].all()
    assert (np.diff(leaning.argmax(axis=0)) > 0).all()


def test_a_cradle_hands_its_speed_on() -> None:
    """Equal balls, elastic: the last goes away with the speed of the first (gaps of two steps of its way)."""
    simulation = simulate(known_worlds.cradle(2e-3))
    simulation.run(simulation.zero_command, 0.2)
    np.testing.assert_allclose(simulation.v[::6], [0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-8)


@pytest.mark.parametrize(("count", "restitution"), [(5, 1.0), (5, 0.5), (3, 1.0)])
def test_balls_that_touch_move_on_together(count: int, restitution: float) -> None:
    """Newton's law for all contacts at once: v2 - v1 = e v, balls in contact do not part, momentum stays. So the others
    leave with (1 + e) v / n, and the first with that less e v; elastic balls keep their energy."""
    simulation = simulate(known_worlds.cradle(0.0, count, restitution=restitution))
    simulation.run(simulation.zero_command, 0.2)
    others = (1.0 + restitution) / count
    expected = [others - restitution, *[others] * (count - 1)]
    np.testing.assert_allclose(simulation.v[::6], expected, atol=1e-8)
    if restitution == 1.0:
        assert np.square(expected).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("moving", [1, 2])
def test_impacts_one_after_the_other_pass_through_balls_that_touch(moving: int) -> None:
    """Equal elastic balls swap their velocities: as many leave as have come."""
    scene = known_worlds.cradle(0.0, moving=moving)
    simulation = ImpactSimulation(None, scene)
    simulation.run(simulation.zero_command, 0.2)
    np.testing.assert_allclose(simulation.v[::6], [0.0] * (5 - moving) + [1.0] * moving, atol=1e-8)


@pytest.mark.parametrize("floor", ["boxes", "mesh"])
def test_a_ball_rolls_over_seams_without_a_bump(floor: str) -> None:
    simulation = simulate(known_worlds.rolling_ball(floor))
    trajectory = simulation.run(simulation.zero_command, 0.9)
    assert trajectory.q[-1, 0] > 0.3  # beyond seams at 0, and at 0.25 of the mesh
    energy = footfall.kinetic_energy(simulation.robot, trajectory.q, trajectory.v)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-6
    assert np.ptp(trajectory.q[:, 2]) < 1e-9


def test_rings_hang_in_each_other() -> None:
    count = 4
    simulation = simulate(known_worlds.chain_of_rings(count))
    trajectory = simulation.run(simulation.zero_command, 0.5)
    assert np.ptp(trajectory.q[:, 2::7], axis=0).max() < 1e-4  # m
    weight = count * known_worlds.LINK * G
    np.testing.assert_allclose(trajectory.force_on("bar")[-1], [0.0, 0.0, -weight], atol=1e-3 * weight)


def test_a_fast_ball_does_not_pass_a_thin_plate() -> None:
    """A ball of 2 cm at 50 m/s moves 5 cm a step; the plate has 1 cm."""
    simulation = simulate(known_worlds.shot())
    trajectory = simulation.run(simulation.zero_command, 0.05)
    assert trajectory.q[:, 0].max() < -0.015 + 1e-9
    beside = simulate(known_worlds.shot(beside=0.03))
    beside.run(beside.zero_command, 0.05)
    np.testing.assert_array_equal(beside.v, [50.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def test_a_pressed_cube_holds() -> None:
    simulation = simulate(known_worlds.pressed_cube(), dt=0.01)
    simulation.push("cube", np.array([20.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 10.0)
    trajectory = simulation.run(simulation.zero_command, 3.0)
    assert np.ptp(trajectory.q[:, 2]) < 1e-12


def test_a_cylinder_rolls_with_its_energy() -> None:
    simulation = simulate(known_worlds.rolling_cylinder())
    trajectory = simulation.run(simulation.zero_command, 1.0)
    energy = footfall.kinetic_energy(simulation.robot, trajectory.q, trajectory.v)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-6
    assert trajectory.q[-1, 0] == pytest.approx(1.0, abs=1e-6)


# Another way to the problem of a step


def test_impulses_of_a_pile_solve_the_problem_of_the_whole_world() -> None:
    simulation = simulate(known_worlds.pile(6))
    simulation.run(simulation.zero_command, 0.25)  # some touch
    residuals, trajectory = step_residuals(simulation, simulation.zero_command, 20)
    assert trajectory.contacts.counts.max() > 8
    assert residuals.max() < 1e-8 * simulation.robot.mass * G * simulation.options.dt


def test_impulses_of_a_robot_with_limits_on_stairs_solve_its_problem() -> None:
    robot = footfall.load("point-foot-quadruped")
    simulation = Simulation(robot, "stairs")
    command = simulation.zero_command
    simulation.run(command, 0.1)
    for _ in range(10):
        before = simulation.state
        simulation.step(command)
        built = build_step_problem(simulation, before, command, after=simulation.state)
        impulses = step_impulses(simulation, simulation.state)
        np.testing.assert_allclose(built.velocity_after(impulses), simulation.v, atol=1e-8)
        # A wrong impulse is noticed.
        assert np.abs(built.velocity_after(1.01 * impulses) - simulation.v).max() > 1e-5


# Bad input


@pytest.mark.parametrize("triangles", [[[0, 1, 2]], [[0, 2, 1], [0, 1, 3], [0, 3, 2]]], ids=["flat", "open"])
def test_flat_and_open_meshes_fall_and_carry(triangles: list[list[int]]) -> None:
    corners = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]])
    used = np.unique(triangles)
    shape = triangles_shape(corners[: len(used)], np.array(triangles))
    body = free_body(Box((0.1, 0.1, 0.1)), 1.0)
    thing = SceneObject("thing", shape, known_worlds.at((0.0, 0.0, 0.1)), free=body)
    fixed = SceneObject("fixed", shape, known_worlds.at((1.0, 0.0, 0.2)))
    ball = known_worlds.loose("ball", Sphere(0.02), known_worlds.at((1.05, 0.05, 0.3)))
    simulation = simulate(Scene("meshes", (known_worlds.ground(), fixed, thing, ball)))
    simulation.run(simulation.zero_command, 1.0)
    assert abs(simulation.q[2]) < 1e-9  # it lies on the ground with its flat side
    assert simulation.q[9] == pytest.approx(0.22, abs=1e-6)


@pytest.mark.parametrize(
    "shape", [Sphere(0.0), Box((0.1, 0.1, 0.0)), Box((0.0, 0.0, 0.0)), Capsule(0.0, 0.1), Cylinder(0.1, 0.0)]
)
def test_shapes_of_no_size_lie_on_the_ground(shape: Sphere | Box | Capsule | Cylinder) -> None:
    body = free_body(Box((0.1, 0.1, 0.1)), 1.0)
    thing = SceneObject("thing", shape, known_worlds.at((0.0, 0.0, 0.2)), free=body)
    simulation = simulate(Scene("nothing", (known_worlds.ground(), thing)))
    simulation.run(simulation.zero_command, 0.5)
    lowest = 0.05 if isinstance(shape, Capsule) else 0.0  # it stands on its end
    assert simulation.q[2] == pytest.approx(lowest, abs=1e-6)


def test_objects_inside_each_other_come_apart_slowly() -> None:
    boxes = [
        known_worlds.loose(f"box{k}", Box((0.2, 0.2, 0.2)), known_worlds.at((0.0, 0.0, 0.1)))
        for k in range(2)
    ]
    simulation = simulate(Scene("inside", (known_worlds.ground(), *boxes)))
    with pytest.warns(SimulationWarning, match="0.2 m deep"):
        trajectory = simulation.run(simulation.zero_command, 1.0)
    assert np.abs(trajectory.v).max() < 0.05 + 1e-9
    assert np.linalg.norm(simulation.q[:3] - simulation.q[7:10]) > 0.04


def dish(radius: float, half: float, rings: int = 6, corners: int = 12) -> SceneObject:
    """A hull with a bottom of many corners on a sphere, as the soles of many robots' meshes are."""
    points = [np.zeros(3)]
    for r in np.linspace(half / rings, half, rings):
        for angle in 2 * np.pi * np.arange(corners) / corners + 7.0 * r:
            points.append(
                np.array([r * np.cos(angle), r * np.sin(angle), radius - np.sqrt(radius**2 - r**2)])
            )
    cloud = np.array([*points, *(point + np.array([0.0, 0.0, 0.05]) for point in points[-corners:])])
    found = ConvexHull(cloud)
    turned = [
        each if np.cross(*(cloud[each[1:]] - cloud[each[0]])) @ outward[:3] > 0.0 else each[::-1]
        for each, outward in zip(found.simplices, found.equations, strict=True)
    ]
    shape = triangles_shape(cloud, np.array(turned))
    return SceneObject(
        "dish", shape, Transform(np.eye(3), np.array([0.0, 0.0, 1e-9])), free=free_body(shape, 1.0)
    )


@pytest.mark.parametrize("speed", [0.2, 1.0])
def test_a_bent_sole_rocks_over_its_corners_to_rest(speed: float) -> None:
    """It falls from corner to corner, so it only loses energy; a corner that was left out of the contacts would sink in
    and be lifted: 3e-5 J and 4e-6 m for eight that span it and the deepest, and it would never rest."""
    simulation = simulate(Scene("rocking", (SceneObject("floor", Plane()), dish(0.5, 0.1))))
    v = simulation.v
    v[4] = speed
    simulation.reset(v=v)
    run = simulation.run(simulation.zero_command, 5.0)  # it rocks for 1 to 3.5 s
    assert run.contacts.gaps.min() > -1e-9
    robot = simulation.robot
    energy = np.asarray(
        footfall.kinetic_energy(robot, run.q, run.v) + footfall.potential_energy(robot, run.q)
    )
    assert np.diff(energy).max() < 1e-12
    assert np.abs(run.v[-1]).max() < 1e-9


@pytest.mark.parametrize("kind", ["noise", "steps", "waves"])
def test_things_on_terrain_do_not_gain_energy(kind: str) -> None:
    """What lies across cells touches all of them, also those that it is a little above: 4e-6 m g h on noise, where the
    end of a cylinder sank in because its middle was nearest at a seam."""
    shapes = (Cylinder(0.07, 0.2), Capsule(0.04, 0.25), Box((0.15, 0.25, 0.1)), Sphere(0.08))
    things = [
        SceneObject(
            f"thing-{k}",
            shape,
            Transform(np.eye(3), np.array([k - 1.3, 0.3 * k, 0.6])),
            free=free_body(shape, 1.0),
        )
        for k, shape in enumerate(shapes)
    ]
    terrain = random_terrain(kind, size=(6.0, 6.0), amplitude=0.1, seed=3)
    simulation = simulate(Scene("terrain", (SceneObject("ground", terrain), *things)), dt=2e-3)
    simulation.reset(v=np.random.default_rng(1).normal(size=simulation.robot.nv))
    run = simulation.run(simulation.zero_command, 4.0)
    robot = simulation.robot
    energy = np.asarray(
        footfall.kinetic_energy(robot, run.q, run.v) + footfall.potential_energy(robot, run.q)
    )
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-6 * robot.mass * G * 0.6
    assert run.contacts.gaps.min() > -5e-4
