"""What rests may sleep: it stays where it is, costs next to nothing, and wakes when anything happens to it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.lab import known_worlds
from footfall import Scene, SceneObject, Simulation, Transform, free_body
from footfall.geometry.plane import Plane
from footfall.robot.shapes import Box, Sphere
from footfall.scene.model import GivenMotion

G = 9.81
FLOOR = SceneObject("floor", Plane())


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def tower(count: int = 3) -> list[SceneObject]:
    shape = Box((0.2, 0.2, 0.1))
    return [
        SceneObject(f"box-{k}", shape, at(0.0, 0.0, 0.05 + 0.1 * k), free=free_body(shape, 1.0))
        for k in range(count)
    ]


def ball(x: float) -> SceneObject:
    return SceneObject("ball", Sphere(0.05), at(x, 0.0, 0.05), free=free_body(Sphere(0.05), 1.0))


def test_a_stack_sleeps_where_it_stands() -> None:
    both = [Simulation(None, known_worlds.stack(), sleep=sleep) for sleep in (True, False)]
    runs = [each.run(each.zero_command, 1.0) for each in both]
    assert len(both[0].asleep) == 10
    assert both[1].asleep == ()
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)
    assert (both[0].v == 0.0).all()
    floor = runs[0].contacts.names[-1]
    np.testing.assert_allclose(runs[0].force_on(floor), runs[1].force_on(floor), atol=1e-6)
    assert runs[0].solver_steps[-1] == 0  # nothing is solved
    before = both[0].q
    both[0].run(both[0].zero_command, 1.0)
    np.testing.assert_array_equal(both[0].q, before)


def test_a_ball_that_comes_wakes_what_it_hits() -> None:
    """As if nothing had slept: it rolls for 0.4 s, the tower sleeps after 0.2 s."""
    ends = []
    for sleep in (True, False):
        simulation = Simulation(None, Scene("hit", (FLOOR, *tower(), ball(-0.95))), sleep=sleep)
        v = simulation.v
        v[18], v[22] = 2.0, 2.0 / 0.05
        simulation.reset(v=v)
        simulation.run(simulation.zero_command, 0.38)
        assert simulation.asleep == (("box-0", "box-1", "box-2") if sleep else ())
        simulation.run(simulation.zero_command, 0.08)
        assert simulation.asleep == ()
        ends.append(simulation.q)
    np.testing.assert_allclose(*ends, atol=1e-9)
    assert abs(ends[0][0]) > 1e-3  # the lowest box has been moved


def test_a_push_wakes_and_what_touches_a_sleeper_with_it() -> None:
    simulation = Simulation(None, Scene("pushed", (FLOOR, *tower())), sleep=True)
    simulation.run(simulation.zero_command, 0.5)
    assert len(simulation.asleep) == 3
    simulation.push("box-2", np.array([20.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.05)
    simulation.run(simulation.zero_command, 0.05)
    assert simulation.asleep == ()
    assert simulation.v[12] == pytest.approx((20.0 - 0.8 * G) * 0.05, rel=1e-6)  # (F - mu m g) t / m


def test_changes_of_the_scene_wake_all() -> None:
    table = SceneObject("table", Box((1.0, 1.0, 0.1)), at(0.0, 0.0, -0.05))
    simulation = Simulation(None, Scene("table", (table, *tower())), sleep=True)
    simulation.run(simulation.zero_command, 0.5)
    assert len(simulation.asleep) == 3
    simulation.remove("table")
    simulation.run(simulation.zero_command, 0.1)
    np.testing.assert_allclose(simulation.v[2::6], -G * 0.1, rtol=1e-9)


def test_a_lift_wakes_what_it_carries() -> None:
    path = GivenMotion(np.array([0.5, 1.0]), np.array([[0.0, 0.0, -0.05], [0.0, 0.0, 0.15]]))
    lift = SceneObject("lift", Box((1.0, 1.0, 0.1)), motion=path)
    simulation = Simulation(None, Scene("lift", (lift, *tower())), sleep=True)
    simulation.run(simulation.zero_command, 0.4)
    assert len(simulation.asleep) == 3
    simulation.run(simulation.zero_command, 0.7)
    assert simulation.q[2] == pytest.approx(0.25, abs=2e-3)


def test_what_falls_does_not_sleep_however_long_steps_are() -> None:
    """v = -g t; steps of 0.15 s are nearly as long as the rest that is waited for."""
    high = SceneObject("ball", Sphere(0.05), at(0.0, 0.0, 100.0), free=free_body(Sphere(0.05), 1.0))
    simulation = Simulation(None, Scene("fall", (FLOOR, high)), sleep=True, dt=0.15)
    simulation.run(simulation.zero_command, 1.5)
    assert simulation.asleep == ()
    assert simulation.v[2] == pytest.approx(-G * 1.5, rel=1e-9)


def test_the_same_bits_follow_every_time() -> None:
    ends = []
    for _ in range(2):
        simulation = Simulation(None, Scene("hit", (FLOOR, *tower(), ball(-0.95))), sleep=True)
        v = simulation.v
        v[18], v[22] = 2.0, 2.0 / 0.05
        simulation.reset(v=v)
        simulation.run(simulation.zero_command, 0.8)
        ends.append(simulation.q)
    np.testing.assert_array_equal(*ends)
