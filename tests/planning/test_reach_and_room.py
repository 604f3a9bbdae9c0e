"""Where hands get and how much room a robot takes, derived from its description."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from footfall import Scene, frame_pose, load, reduced_model
from footfall.arrays import Array, Flags
from footfall.bench.robots import load_measured
from footfall.environment import PerceptionOptions, perceive
from footfall.gait import idle_pose
from footfall.motion import arm_reach, gait_dimensions
from footfall.motion.model_derivation import derived_model, standing_configuration
from footfall.motion.reduced_model import ReducedModel
from footfall.motion.standing import with_standing_frames
from footfall.planning import Goal, plan_contacts
from footfall.planning.biped import biped_of, common_cells, reach_volume
from footfall.planning.hand_contacts import Standing, arm_reaches, arms_of
from footfall.robot.variants import with_floating_base
from footfall.scene.parts import at, block, floor
from tests.planning.scenes import model

EXACT = PerceptionOptions(voxel=0.0, noise=0.0)


def inside(first: Array, second: Array, radius: float, points: Array) -> Flags:
    way = second - first
    share = np.clip((points - first) @ way / (way @ way), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - first - share[:, None] * way, axis=1) <= radius)


def reached(cells: Flags, points: Array) -> Flags:
    space = model().hand_space
    assert space is not None
    places = np.floor((points - space.corner) / space.size).astype(int)
    known = ((places >= 0) & (places < cells.shape)).all(axis=1)
    return np.asarray(known & cells[tuple(np.where(known[:, None], places, 0).T)])


def random_places(count: int = 20_000) -> Array:
    return np.random.default_rng(0).uniform((-0.6, -0.9, -0.8), (0.6, 0.1, 0.6), (count, 3))


def test_the_published_space_of_hands_is_that_of_the_description() -> None:
    robot, space = load("lola"), model().hand_space
    assert space is not None
    found = arm_reach(robot, model().frames, "RH", standing_configuration(robot, model()))
    np.testing.assert_allclose(space.corner, found.corner - found.shoulder, atol=1e-6)
    np.testing.assert_array_equal(space.cells, found.cells)


def test_volumes_of_reach_are_inside_of_what_hands_reach_during_a_step() -> None:
    """The source's recipe, whose figures were read off a picture: every place of both its capsules is reached from a
    torso that is up to 0.35 m ahead or behind. So are nearly all of those that we inscribe: cells of 5 cm are known as
    a whole."""
    space, published = model().hand_space, model().hand_reach
    assert space is not None
    assert published is not None
    common, points = common_cells(space, 0.35), random_places()
    for row in np.array(published):
        assert reached(common, points[inside(row[:3], row[3:6], row[6], points)]).all()
        beyond = inside(row[:3] - [0.5, 0.0, 0.0], row[3:6] - [0.5, 0.0, 0.0], row[6], points)
        assert not reached(common, points[beyond]).all()  # the comparison can fail
    derived = reach_volume(space, np.zeros(3), shift=0.35, outside=0.077)
    assert derived is not None
    for element in derived.elements:
        within = inside(element.corners[0], element.corners[-1], element.radius, points)
        assert within.sum() > 100
        assert reached(common, points[within]).mean() > 0.99


def test_the_room_of_the_source_is_about_that_of_its_robot() -> None:
    """Radius 0.20 m, from 0.20 m above the ground on, read off a picture, against the robot's own shapes: knees that
    stick out more or less make it 0.19 to 0.24 m, as the robot stands."""
    robot = load("lola")
    ours = derived_model(
        robot,
        model().frames,
        sole=model().sole,
        knee_angle=None,
        limit_margin=math.radians(5.0),
        hand_radius=0.05,
    )
    assert ours.bulk is not None
    printed = biped_of(model()).body.elements
    for capsule, theirs in zip(ours.bulk.body, printed, strict=True):
        assert capsule.radius == pytest.approx(theirs.radius, abs=0.04)
        assert capsule.first[1] == pytest.approx(theirs.corners[0][1], abs=0.01)
        bottom = theirs.corners[0][2] - theirs.radius
        assert capsule.first[2] - capsule.radius == pytest.approx(bottom, abs=0.02)


def humanoid(name: str) -> ReducedModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = with_floating_base(load_measured(name))
        try:
            return reduced_model(robot)
        except Exception:
            return reduced_model(with_standing_frames(robot))


@pytest.mark.parametrize("name", ["g1", "talos"])
def test_other_humanoids_lean_on_walls_within_their_reach(name: str) -> None:
    whose = humanoid(name)
    biped = biped_of(whose)
    assert whose.bulk is not None
    away = max(float(np.abs(element.corners[:, 1]).max()) for element in biped.reach[0].elements)
    wall = block("wall", "wall", (0.8, 1.6), (-away - 0.16, -away - 0.06), (0.0, 2.0))
    scene = Scene("wall", (floor(), wall), start=at(0.0, 0.0), goal=at(2.2, 0.0))
    start = idle_pose(gait_dimensions(whose))
    plan = plan_contacts(perceive(scene, EXACT), whose, Goal(2.2, 0.0), start=start)
    assert plan.found
    assert plan.hand_contacts
    for contact in plan.hand_contacts:
        assert contact.hand == "RH"
        assert contact.position[1] == pytest.approx(-away - 0.06 + whose.hand_radius, abs=1e-6)


def test_the_planner_asks_where_arms_get() -> None:
    """The same cells as the generator's; behind the back and across the body they end before the arm's length does."""
    arms, biped = arms_of(biped_of(model()), model().hand_space), biped_of(model())
    standing = Standing(np.array([1.0, 2.0, 0.3]), 0.7, 0, 0.7)
    turn = np.array([[np.cos(0.7), -np.sin(0.7), 0.0], [np.sin(0.7), np.cos(0.7), 0.0], [0.0, 0.0, 1.0]])
    space = model().hand_space
    assert space is not None
    ways = random_places(300)
    near = np.linalg.norm(ways, axis=1) < arms.reach
    for side, mirror in ((0, 1.0), (1, -1.0)):
        own = ways * [1.0, mirror, 1.0]
        shoulder = np.array(biped.shoulder) * [1.0, mirror, 1.0]
        ours = [arm_reaches(standing, arms, side, standing.place + turn @ (shoulder + way)) for way in own]
        expected = space.contains(own, left=side == 1) & near
        np.testing.assert_array_equal(ours, expected)
        assert not expected[near].all()


def test_arms_that_reach_a_cell_are_within_their_limits() -> None:
    """Forward kinematics of random arms within the limits end in cells that count as reached."""
    robot, space = load("lola"), model().hand_space
    assert space is not None
    q = standing_configuration(robot, model())
    shoulder = arm_reach(robot, model().frames, "RH", q).shoulder
    body = frame_pose(robot, q, model().frames["UB"])
    hand = frame_pose(robot, q, model().frames["RH"])
    place = (hand.translation - body.translation) @ body.rotation - shoulder
    assert space.contains(place[None])[0]
