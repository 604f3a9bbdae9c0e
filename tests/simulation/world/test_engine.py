"""The engine around the native step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.errors import InvalidInput, SceneError, UnknownName
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.world.engine import compile_early
from footfall.simulation.world.run import run_world
from tests.looped_robots import four_bar
from tests.simulation.worlds import PLANTS

GROUND = footfall.SceneObject("ground", footfall.Plane())


def placed(x: float, z: float) -> footfall.Transform:
    return footfall.Transform(np.eye(3), np.array([x, 0.0, z]))


def falling_ball(z: float = 1.0) -> footfall.Simulation:
    shape = footfall.Sphere(0.1)
    ball = footfall.SceneObject("ball", shape, placed(0.0, z), free=footfall.free_body(shape, 2.0))
    return footfall.Simulation(None, footfall.Scene("drop", (GROUND, ball)), dt=1e-3)


def test_what_is_compiled_early_is_what_runs() -> None:
    compile_early()
    count = len(run_world._codes)  # type: ignore[attr-defined]
    falling_ball().step()
    assert len(run_world._codes) == count  # type: ignore[attr-defined]


def test_the_scene_changes_while_it_runs() -> None:
    """A table comes under a resting ball's place, grows, and goes: it lies on what is there."""
    simulation = falling_ball(0.7)
    table = footfall.Box((1.0, 1.0, 0.2))
    simulation.add(footfall.SceneObject("table", table, placed(0.0, 0.4)))
    simulation.run(simulation.zero_command, 0.6)
    assert simulation.q[2] == pytest.approx(0.6, abs=1e-9)
    assert [each.name for each in simulation.scene.objects] == ["ground", "ball", "table"]
    simulation.replace(footfall.SceneObject("table", table, placed(0.0, 0.1)))
    simulation.run(simulation.zero_command, 0.6)
    assert simulation.q[2] == pytest.approx(0.3, abs=1e-9)
    simulation.remove("table")
    trajectory = simulation.run(simulation.zero_command, 0.6)
    assert simulation.q[2] == pytest.approx(0.1, abs=1e-9)
    assert trajectory.force_on("ground")[-1, 2] == pytest.approx(-2.0 * 9.81, rel=1e-9)
    with pytest.raises(SceneError, match="is free"):
        simulation.add(simulation.scene.objects[1])
    assert not hasattr(FeetSimulation, "add")  # its native code is made for its scene


def test_something_comes_into_an_empty_world() -> None:
    """Nothing can touch, so that steps run in lanes; then a floor is there, and it stays."""
    shape = footfall.Sphere(0.1)
    ball = footfall.SceneObject("ball", shape, placed(0.0, 0.5), free=footfall.free_body(shape, 2.0))
    simulation = footfall.Simulation(None, footfall.Scene("space", (ball,)))
    simulation.run(simulation.zero_command, 0.1)
    before = simulation.state
    simulation.add(GROUND)
    assert simulation.time == before.time
    np.testing.assert_array_equal(simulation.q, before.q)
    simulation.run(simulation.zero_command, 1.0)
    assert simulation.q[2] == pytest.approx(0.1, abs=1e-9)
    simulation.remove(GROUND.name)
    simulation.run(simulation.zero_command, 0.1)
    assert simulation.q[2] < 0.1


def test_forces_wrenches_and_pressure_by_name() -> None:
    """At rest m g acts below the middle of a block; a push F at a height h shifts it by F h / (m g)."""
    shape = footfall.Box((0.4, 0.4, 0.2))
    block = footfall.SceneObject("block", shape, placed(0.3, 0.1), free=footfall.free_body(shape, 3.0))
    simulation = footfall.Simulation(None, footfall.Scene("rest", (GROUND, block)), dt=1e-3)
    push = 5.0
    simulation.push("block", np.array([push, 0.0, 0.0, 0.0, 0.0, 0.0]), 1.0)  # at its middle, 0.1 m up
    trajectory = simulation.run(simulation.zero_command, 0.5)
    weight = 3.0 * 9.81
    assert trajectory.force_on("block")[-1] == pytest.approx([-push, 0.0, weight], abs=1e-6)
    assert trajectory.force_on("ground")[-1] == pytest.approx([push, 0.0, -weight], abs=1e-6)
    at = trajectory.centre_of_pressure("block")[-1]
    assert at == pytest.approx([0.3 + push * 0.1 / weight, 0.0, 0.0], abs=1e-6)
    moment = trajectory.wrench_on("block", at=at)[-1, 3:]
    assert moment == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert np.isnan(falling_ball().step().centre_of_pressure("ball")).all()


def test_rollouts_are_what_single_runs_are() -> None:
    simulation = falling_ball()
    starts = np.tile(simulation.q, (5, 1))
    starts[:, 2] = np.linspace(0.2, 1.0, 5)
    q, v, _ = simulation.rollout(starts, np.zeros(6), simulation.zero_command, steps=400)
    for k in (0, 4):
        simulation.reset(starts[k])
        alone = simulation.run(simulation.zero_command, 0.4)
        np.testing.assert_array_equal(alone.q, q[k])
        np.testing.assert_array_equal(alone.v, v[k])


def test_bodies_without_shapes_touch_with_their_volumes() -> None:
    """LOLA has shapes on its feet alone, and volumes on all of its bodies: limp, it ends on them above the ground."""
    robot = footfall.load("lola")
    simulation = footfall.Simulation(robot, "flat", dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 2.5)
    log = trajectory.contacts
    assert {"torso", "kfr"} <= set(log.names)
    heights = [footfall.frame_pose(robot, simulation.q, body.name).translation[2] for body in robot.bodies]
    assert min(heights) > 0.0
    assert footfall.center_of_mass(robot, simulation.q)[2] < 0.4  # it stood 0.9 m high
    fixed = footfall.Simulation(robot, "flat", self_contact=False)
    assert fixed.engine.contacts.owners == simulation.engine.contacts.owners  # type: ignore[union-attr]


def test_dry_friction_of_a_looped_robot_acts_on_its_joint() -> None:
    """A four-bar led by its rocker, the last joint of the tree: it turns where the effort exceeds the friction."""
    robot = four_bar(dependent=("crank", "coupler"))
    joints = tuple(
        replace(joint, friction=2.0) if joint.name == "rocker" else joint for joint in robot.joints
    )
    rubbing = replace(robot, joints=joints, gravity=(0.0, 0.0, 0.0))
    ends = {}
    for contacts in ("found", "listed"):
        for effort in (1.9, 2.5):
            simulation = PLANTS[contacts](rubbing)
            start = simulation.q
            run = simulation.run(np.array([effort]), 0.1)
            ends[contacts, effort] = np.abs(run.q[-1] - start).max()
    assert ends["found", 1.9] < 1e-9
    assert ends["found", 2.5] > 1e-3
    assert ends["found", 2.5] == pytest.approx(ends["listed", 2.5], rel=1e-6)


def test_only_what_is_at_rest_changes_while_it_runs() -> None:
    """A robot's body of that name must not become a thing of the world."""
    simulation = footfall.Simulation(footfall.load("quadruped"), "flat")
    before = simulation.engine.contacts.shape_count  # type: ignore[union-attr]
    for change in (
        lambda: simulation.replace(footfall.SceneObject("RB_foot", footfall.Box((1.0, 1.0, 1.0)))),
        lambda: simulation.remove("RB_foot"),
        lambda: simulation.remove("nothing"),
    ):
        with pytest.raises(UnknownName, match=r"object at rest or on a given path.*floor"):
            change()
    with pytest.raises(TypeError, match="SceneObject, not 'box'"):
        simulation.add("box")  # type: ignore[arg-type]
    assert simulation.engine.contacts.shape_count == before  # type: ignore[union-attr]


def test_rollouts_refuse_arrays_that_do_not_fit() -> None:
    simulation = falling_ball()
    q, v, still = np.tile(simulation.q, (3, 1)), simulation.v, simulation.zero_command
    with pytest.raises(InvalidInput, match=r"q has shape \(3, 5\); it must be \(batch, 7\)"):
        simulation.rollout(np.zeros((3, 5)), v, still, steps=2)
    with pytest.raises(InvalidInput, match=r"of \[3, 4\] robots"):
        simulation.rollout(q, np.zeros((4, 6)), still, steps=2)
    right = [np.zeros((3, 2, 7)), np.zeros((3, 2, 6)), np.zeros((3, 2))]
    for k, wrong in ((0, np.zeros((3, 2, 2))), (1, np.zeros((3, 2, 6), np.float32)), (2, np.zeros((2, 3)).T)):
        out = [wrong if k == n else each for n, each in enumerate(right)]
        with pytest.raises(InvalidInput, match="must be a contiguous array of float64 of shape"):
            simulation.rollout(q, v, still, steps=2, out=out)
    found = simulation.rollout(q, v, still, steps=2, out=right)
    assert found[0] is right[0]
    with pytest.raises(InvalidInput, match=r"at has shape \(2,\)"):
        simulation.step().wrench_on("ball", at=(1.0, 2.0))
    with pytest.raises(InvalidInput, match="no trajectories to join"):
        footfall.simulation.join_trajectories([])
