"""A simulation goes on in another engine, with the same contacts and their memory."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest

import footfall
from footfall import Scene, SceneObject, free_body
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.robot.shapes import Sphere
from footfall.simulation import hand_over
from footfall.simulation.plants import FeetSimulation, SpringSimulation
from footfall.simulation.simulation import Simulation
from tests.simulation.worlds import ground


@pytest.fixture(scope="module")
def both() -> tuple[Simulation, Simulation]:
    """The point-foot quadruped with contacts that are found, and with its feet in a list."""
    robot = footfall.load("point-foot-quadruped")
    # "auto" takes velocity terms in the middle of the step for robots that touch what is found, not for lists
    options = footfall.StepOptions(dt=2e-3, velocity_terms="start")
    return (
        Simulation(robot, "flat", options=options),
        FeetSimulation(robot, "flat", options=options),
    )


def test_a_step_is_the_same_in_both_engines(both: tuple[Simulation, Simulation]) -> None:
    """After a push, over and over: handed over from the same state, one step leads to the same velocity. Both solve to
    1e-9 m g dt, which moves the lightest parts by 1e-8 m/s or so."""
    found, lanes = (copy(each) for each in both)
    command = found.hold()
    found.run(command, 0.5)  # out of the ground: impulses act on its surface here, on the foot there
    found.push(found.robot.bodies[0].name, np.array([60.0, 30.0, 0.0, 0.0, 0.0, 5.0]), 0.05)
    found.run(command, 0.051)
    for _ in range(20):
        found.run(command, 0.01)
        hand_over(found, lanes)
        hand_over(lanes, found)  # found without what it knows of curves, which lists of places do not
        one, other = copy(found), copy(lanes)
        one.step(command)
        other.step(command)
        # an impulse that acts so much deeper, of what turns so fast
        depth = np.abs(one.state.contacts["gap"]).max()
        assert depth < 1e-5
        assert np.abs(one.v - other.v).max() < 1e-8 + 2.0 * depth * (1.0 + np.abs(found.v).max())


def test_feet_go_on_in_the_other_engine_and_come_back(both: tuple[Simulation, Simulation]) -> None:
    """Found contacts all the time, and with a part of the way in lanes. Found ones make up for what points miss on
    curves, r w^2 dt^2 / 2 in a step: a leg of 0.5 m at 0.5 rad/s misses 2.5e-7 m."""
    found, lanes = (copy(each) for each in both)
    command = found.hold()
    found.push(found.robot.bodies[0].name, np.array([120.0, 50.0, 0.0, 0.0, 0.0, 5.0]), 0.05)
    found.run(command, 0.1)
    straight = copy(found)
    straight.run(command, 0.12)
    hand_over(found, lanes)
    assert lanes.time == found.time
    lanes.run(command, 0.06)
    hand_over(lanes, found)
    found.run(command, 0.06)
    assert found.time == pytest.approx(straight.time)
    assert np.abs(found.q - straight.q).max() < 5e-7


def test_memory_is_a_warm_start(both: tuple[Simulation, Simulation]) -> None:
    """A robot that stands takes no more solver steps after it has changed its engine than before; from nothing it
    does."""
    found, lanes = (copy(each) for each in both)
    command = found.hold()
    found.run(command, 0.5)
    steps = {}
    hand_over(found, lanes)
    carried = lanes.state.impulses.copy()
    steps["warm"] = lanes.step(command).solver_steps[-1]
    lanes.reset(found.q, found.v)
    steps["cold"] = lanes.step(command).solver_steps[-1]
    assert steps["warm"] <= steps["cold"]
    # upwards, as much as it weighs
    upwards = carried[2 : 3 * len(lanes.candidates) : 3].sum()
    assert upwards == pytest.approx(found.robot.mass * 9.81 * 2e-3, rel=1e-3)
    # and back: the same impulses on the same feet
    hand_over(found, lanes)
    hand_over(lanes, found)
    count = len(found.state.contacts)
    back = found.state.impulses[: 3 * count].reshape(-1, 3)
    assert back[:, 2].sum() == pytest.approx(upwards, rel=1e-9)


def test_rolling_friction_goes_along() -> None:
    """The moment of a ball that stands on a slope by its rolling friction."""
    slope = 0.05
    floor = ground(slope, friction=0.8, rolling_friction=4e-3)
    up = np.array([np.sin(slope), 0.0, np.cos(slope)])
    ball = SceneObject(
        "ball", Sphere(0.05), Transform(np.eye(3), 0.05 * up), free=free_body(Sphere(0.05), 1.0)
    )
    scene = Scene("slope", (floor, ball))
    found, lanes = (plant(None, scene, dt=1e-3) for plant in (Simulation, FeetSimulation))
    found.run(found.zero_command, 0.05)
    hand_over(found, lanes)
    moment = lanes.state.impulses[3:6]
    # m g sin R, counted at the arm of 4 mm
    assert np.abs(moment).max() == pytest.approx(9.81 * np.sin(slope) * 0.05 * 1e-3 / 4e-3, rel=1e-6)
    lanes.run(lanes.zero_command, 0.05)
    hand_over(lanes, found)
    found.run(found.zero_command, 0.05)
    assert np.abs(found.v).max() < 1e-9


def test_what_cannot_go_on_is_told(both: tuple[Simulation, Simulation]) -> None:
    other = Simulation(footfall.load("double-pendulum"), "flat")
    with pytest.raises(InvalidInput, match="other joints"):
        hand_over(both[0], other)
    springs = SpringSimulation(footfall.load("point-foot-quadruped"), "flat")
    with pytest.raises(TypeError, match="not SpringSimulation"):
        hand_over(both[0], springs)  # type: ignore[arg-type]
