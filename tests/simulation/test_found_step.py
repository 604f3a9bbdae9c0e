"""Rows of a batch whose robots touch with more than their feet: steps with found contacts, and the bound that asks."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import footfall
from footfall.contact.detection.world import bodies_at, contacts_of
from footfall.dynamics.kinematics import frame_motion, link_poses, world_velocities
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_rotation_vector
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation import RobotBatch, find_feet
from footfall.simulation.lanes import batch_step
from footfall.simulation.lanes.batch import standing_configuration
from footfall.simulation.lanes.batch_step import BatchStep
from footfall.simulation.lanes.clearance import Block, Corners, block_around
from footfall.simulation.lanes.found_step import joined_closely
from footfall.simulation.step_values import StepOptions


class Never:
    """A bound that never holds: all steps are taken with found contacts."""

    def holds(self, q, v):
        return q[2] < -1e3


@pytest.fixture(scope="module")
def robot():
    return footfall.load("go2")


def driven(batch):
    batch.settings.kp[:], batch.settings.kd[:] = 30.0, 0.8
    return batch


@pytest.fixture(scope="module")
def batch(robot):
    return driven(RobotBatch(robot, 9, substeps=1))


@pytest.fixture(scope="module")
def always_found(robot, batch):
    """The same whose steps all have found contacts."""
    made = replace(batch.step_made)
    made.__dict__["_clearance"] = Never()
    other = RobotBatch.__new__(RobotBatch)
    other.__dict__.update(batch.__dict__)
    other.step_made = made
    other._build_kernel()
    other._rows = [{name: value.copy() for name, value in rows.items()} for rows in batch._rows]
    other._settings = type(batch.settings)(*(value.copy() for value in batch.settings))
    return other


def copy_rows(source, target):
    for name in ("q", "v", "impulses", "held", "air_time", "lies"):
        getattr(target.state, name)[:] = getattr(source.state, name)


def goals(batch, rng, scale=0.2):
    return batch.start[7:] + scale * rng.normal(size=(batch.count, batch.joints))


def test_feet_in_lanes_step_as_found_feet_do(batch, always_found):
    """From the same state, with masses, pushes and friction of their own: the same velocity to the tolerance."""
    rng = np.random.default_rng(0)
    for each in (batch, always_found):
        each.reset()
        each.settings.base_mass[1], each.settings.base_shift[1] = 2.0, [0.02, -0.01, 0.03]
        each.settings.push[2], each.settings.friction[3, 0] = [20.0, 5.0, 0.0, 0.0, 0.0, 1.0], 0.3
    weight, clear = batch.robot.mass * 9.81, 0
    goal = goals(batch, rng, 0.1)
    for k in range(60):
        goal = goals(batch, rng, 0.1) if k % 4 == 0 else goal
        ours, theirs = batch.step(goal), always_found.step(goal)
        lanes = ours.found == 0.0
        clear += int(lanes.sum())
        np.testing.assert_allclose(batch.state.q[lanes], always_found.state.q[lanes], rtol=0, atol=1e-9)
        np.testing.assert_allclose(batch.state.v[lanes], always_found.state.v[lanes], rtol=0, atol=1e-6)
        np.testing.assert_allclose(ours.forces[lanes], theirs.forces[lanes], rtol=0, atol=1e-5 * weight)
        np.testing.assert_allclose(ours.effort[lanes], theirs.effort[lanes], rtol=0, atol=1e-5)
        assert (theirs.found == 1.0).all()
        copy_rows(batch, always_found)
    assert clear > 60  # the comparison was made
    for each in (batch, always_found):
        each.settings.base_mass[:], each.settings.base_shift[:], each.settings.push[:] = 0.0, 0.0, 0.0
        each.settings.friction[:] = 0.8


def test_steps_that_lanes_do_not_solve_have_found_contacts(robot, batch, always_found, monkeypatch):
    """Where no residual is small enough all steps are those of a batch that always looks."""
    monkeypatch.setattr(batch_step, "_UNSOLVED", -1.0)
    doubting = driven(RobotBatch(robot, 9, substeps=1))
    goal = goals(batch, np.random.default_rng(3), 0.1)
    for each in (doubting, always_found):
        each.reset()
        for _ in range(3):
            report = each.step(goal)
            assert (report.found == 1.0).all()
    assert np.array_equal(doubting.state.v, always_found.state.v)
    assert not doubting.state.lies.any()  # it goes on in lanes


def fallen(batch, rng):
    """Rows of which six fall onto all sides, and others onto their feet."""
    q = np.tile(batch.start, (batch.count, 1))
    q[:, 2] += 0.1
    for row in q[:6]:
        axis = rng.normal(size=3)
        row[3:7] = quaternion_from_rotation_vector(rng.uniform(0.5, 3.0) * axis / np.linalg.norm(axis))
        row[2] = 0.5
    return q


def test_falls_and_get_ups_are_those_of_found_contacts(batch, always_found):
    rng = np.random.default_rng(1)
    q = fallen(batch, rng)
    for each in (batch, always_found):
        each.reset(q=q)
    both = np.zeros(2)
    goal = goals(batch, rng, 0.5)
    for k in range(120):
        goal = goals(batch, rng, 0.5) if k % 20 == 0 else goal
        report = batch.step(goal)
        always_found.step(goal)
        both += [(report.found == 0.0).sum(), (report.found == 1.0).sum()]
        np.testing.assert_allclose(batch.state.q, always_found.state.q, rtol=0, atol=1e-8)
        np.testing.assert_allclose(batch.state.v, always_found.state.v, rtol=0, atol=2e-6)
        copy_rows(batch, always_found)
    assert (both > 50).all()  # they changed between the engines
    lowest = min(contact_depth(batch, row) for row in batch.state.q)
    assert lowest > -5e-3  # nothing sinks into the ground; in lanes alone trunks do


def test_found_steps_are_those_of_a_simulation(batch):
    """From states of robots that fall and lie: one robot in a simulation of its own, which knows of no step before."""
    made, rng, compared, lay = batch.step_made.found, np.random.default_rng(7), 0, 0
    scene = Scene("ground", (SceneObject("ground", Plane(), material=Material(friction=0.8)),))
    options = footfall.StepOptions(dt=0.005, velocity_terms="start")
    alone = footfall.Simulation(made.standing, scene, options=options)
    batch.reset(q=fallen(batch, rng))
    goal = batch.start[7:]
    for k in range(60):
        goal = goals(batch, rng, 0.5) if k % 20 == 0 else goal
        before = type(batch.state)(*(each.copy() for each in batch.state))
        found = batch.step(goal).found > 0.5
        lying = before.lies > 0.5
        assert found[lying].all()  # without a step in lanes
        for row in np.flatnonzero(found)[:3] if k % 5 == 4 else ():
            alone.reset(before.q[row], before.v[row])
            alone.step(footfall.Command(position=goal[row], kp=30.0, kd=0.8))
            np.testing.assert_allclose(batch.state.q[row], alone.q, rtol=0, atol=1e-8)
            np.testing.assert_allclose(batch.state.v[row], alone.v, rtol=0, atol=2e-6)
            compared, lay = compared + 1, lay + lying[row]
    assert compared > 20
    assert lay > 10
    batch.reset()
    assert not batch.state.lies.any()


def test_a_row_that_is_put_elsewhere_forgets(batch, robot):
    """What it knows of a step that it does not go on from changes no bit."""
    rng = np.random.default_rng(9)
    q, goal = fallen(batch, rng), goals(batch, rng, 0.5)
    fresh = driven(RobotBatch(robot, batch.count, substeps=1))
    batch.reset(q=np.roll(q, 1, axis=0))
    for _ in range(60):
        batch.step(goal)
    assert batch.state.lies.any()
    for each in (batch, fresh):
        each.reset(q=q)
        for _ in range(50):
            each.step(goal)
    np.testing.assert_array_equal(batch.state.q, fresh.state.q)
    np.testing.assert_array_equal(batch.state.v, fresh.state.v)


def contact_depth(batch, q):
    world = batch.step_made.found.contacts
    contacts, memory = contacts_of(world, world.memory(), bodies_at(batch.robot, q, world.bodies))
    world.drop(memory)
    return min([0.0, *contacts["gap"]])


def test_a_row_falls_the_same_in_any_batch(batch, robot):
    rng = np.random.default_rng(2)
    q, goal = fallen(batch, rng), goals(batch, rng, 0.8)
    runs = []
    for rows, threads in ((9, 1), (9, 2), (2, 1), (1, 1)):
        other = batch if rows == 9 else driven(RobotBatch(robot, rows, substeps=1))
        other.threads = threads
        other.reset(q=q[:rows])
        found = sum(other.step(goal[:rows]).found[0] for _ in range(60))
        runs.append((other.state.q[0].copy(), other.state.v[0].copy(), found))
    batch.threads = None
    assert runs[0][2] > 5
    for run in runs[1:]:
        np.testing.assert_array_equal(run[0], runs[0][0])
        np.testing.assert_array_equal(run[1], runs[0][1])
        assert run[2] == runs[0][2]


def velocity_at(robot, q, v, name, place):
    """Velocity (3,) of a body, or of the ground, at a place in the world."""
    if name == "ground":
        return np.zeros(3)
    motion = frame_motion(robot, q, v, np.zeros(robot.nv), name).velocity
    origin = footfall.forward_kinematics(robot, q, frames=[name]).position[0]
    return motion[:3] + np.cross(motion[3:], place - origin)


@pytest.fixture(scope="module")
def steps():
    """Steps of up to 12 cm, 30 cm wide; the robot stands beside its rim."""
    heights = np.random.default_rng(4).uniform(0.0, 0.12, (6, 6))
    return HeightMap(np.kron(heights, np.ones((6, 6))), (0.05, 0.05), (-0.3, -0.9))


@pytest.mark.parametrize("name, rough", [("go2", False), ("g1", False), ("go2", True)])
def test_where_the_bound_holds_nothing_but_feet_is_near(name, rough, steps):
    """Against the narrow phase at random configurations and velocities: gaps that could close in a step."""
    robot = footfall.load(name)
    ground = steps if rough else Plane()
    start = standing_configuration(robot, ground)
    step = BatchStep(robot, find_feet(robot), ground, StepOptions(dt=0.005), 1, True, start)
    world, feet, rng = step.found.contacts, {foot.body for foot in step.feet}, np.random.default_rng(3)
    held, near, moving = 0, 0, 0
    for turn in range(150):
        q, v = start.copy(), np.zeros(robot.nv)
        if turn % 3:
            v = rng.normal(size=robot.nv) * rng.uniform(0.0, 4.0)
        q[2] += rng.uniform(-0.1, 0.1)
        q[3:7] = quaternion_from_rotation_vector(np.array([rng.uniform(-0.5, 0.5), 0.0, 0.0]))
        joints = q[7:] + rng.uniform(-0.3, 0.3, len(q) - 7) * rng.uniform()
        q[7:] = np.clip(joints, robot.lower_limits[7:], robot.upper_limits[7:])
        holds = bool(step._clearance.holds(q, v))
        contacts, memory = contacts_of(world, world.memory(), bodies_at(robot, q, world.bodies))
        world.drop(memory)
        others = []
        for each in contacts:
            names = [world.owner_of(each[side]) for side in ("first", "second")]
            if not (names[0] in feet and names[1] == "ground"):
                speeds = [velocity_at(robot, q, v, name, each["position"]) for name in names]
                others.append(each["gap"] + 0.005 * each["normal"] @ (speeds[0] - speeds[1]))
        held, near = held + holds, near + bool(others)
        moving += holds and bool(v.any())
        assert not (holds and min(others, default=1.0) < 0.0)
    assert held > 5
    assert near > 5
    assert moving > 5


def test_ground_under_a_block_is_no_higher_than_is_said(robot, steps):
    """At places (n, n) under each box and where it moves in a step, also beyond the rim of the map."""
    start = standing_configuration(robot, steps)
    made = BatchStep(robot, find_feet(robot), steps, StepOptions(dt=0.005), 1, True, start)
    clearance, rng, close = made._clearance, np.random.default_rng(5), 0
    assert any(isinstance(block, Corners) for block in clearance.blocks)
    for _ in range(20):
        q, v = start.copy(), rng.normal(size=robot.nv) * rng.uniform(0.0, 6.0)
        q[:2] += rng.uniform(-1.5, 1.5, 2)
        q[3:7] = quaternion_from_rotation_vector(rng.uniform(-1.5, 1.5, 3))
        poses = link_poses(robot.tree, q)
        motions = world_velocities(robot.tree, poses, v)
        for block in clearance.blocks:
            pose, motion = poses[block.link], motions[block.link]
            box = block if isinstance(block, Block) else block_around(block.link, block.points, block.radius)
            signs = np.array(list(product((-1.0, 1.0), repeat=3)))
            here = (box.middle + (signs * box.half) @ box.axes.T) @ pose.rotation.T + pose.translation
            there = here + 0.005 * (motion[:3] + np.cross(motion[3:], here - pose.translation))
            places = np.concatenate([here, there])[:, :2]
            x, y = np.linspace(places.min(axis=0), places.max(axis=0), 12).T
            highest = steps.height(*np.meshgrid(x, y)).max()
            said = clearance._level(block, pose, motion)
            assert said >= highest
            close += said < highest + 1e-3
    assert close > 20  # steps are level: often the highest is what is said


def test_a_robot_that_crouches_stays_in_lanes(robot, batch):
    """Where boxes around its legs reach the ground their corners may not: these are looked at."""
    clearance, rng, boxes = batch.step_made._clearance, np.random.default_rng(8), 0
    tree, limbs = robot.tree, clearance._limbs
    for k in range(200):
        q, v = batch.start.copy(), np.zeros(robot.nv)
        q[7:] += rng.uniform(-0.4, 0.4, 12)
        poses = link_poses(tree, q)
        heights = [
            (corners @ poses[link].rotation[2]).min() + poses[link].translation[2] - layer
            for link, corners, layer in limbs
        ]
        lowest = int(np.argmin(heights))
        above = 1e-4 if k % 2 else -1e-4
        q[2] += above - heights[lowest]
        poses = link_poses(tree, q)
        holds = bool(clearance._above_ground(poses, world_velocities(tree, poses, v)))
        if lowest in clearance._hulls_near_ground:
            block = clearance.blocks[lowest]
            place = poses[block.link]
            boxes += holds and place.translation[2] + block.lowest(place.rotation[2], 1.0) < 0.0
            others = [height - heights[lowest] for height in heights if height != heights[lowest]]
            assert holds == (above > 0.0) or (above > 0.0 and min(others) < 0.02)
        assert not (holds and above < 0.0)
    assert boxes > 20


def test_bodies_of_one_shoulder_are_neighbours():
    robot = footfall.load("g1")
    pairs = joined_closely(robot, footfall.neutral(robot))
    assert ("left_shoulder_yaw_link", "torso_link") in pairs
    assert ("left_elbow_link", "torso_link") not in pairs  # beyond the elbow
    assert ("left_knee_link", "pelvis_contour_link") not in pairs
