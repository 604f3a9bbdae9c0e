"""Contacts of whole scenes: who touches whom, where, which way, and with which material."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject, free_body, load_scene
from footfall.contact.candidates import Candidate, Surface, detect_contacts, scene_candidates
from footfall.contact.pair_material import pair_material
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.load import load
from footfall.robot.shapes import Box, Sphere
from footfall.scene import GivenMotion, SceneRobot
from footfall.scene.assembly import combined_robot, initial_state

FLOOR = SceneObject("floor", Plane(), material=Material(friction=0.5, restitution=0.2))


def ball(name: str, z: float, **options: object) -> SceneObject:
    place = Transform(np.eye(3), np.array([0.0, 0.0, z]))
    return SceneObject(name, Sphere(0.1), place, free=free_body(Sphere(0.1), 1.0), **options)  # type: ignore[arg-type]


def test_a_tower_touches_from_floor_to_top() -> None:
    scene = load_scene("blocks")
    robot = combined_robot(scene)
    q, v = initial_state(scene, robot)
    assert not v.any()
    contacts = detect_contacts(robot, q, scene_candidates(robot, scene), margin=1e-9)
    touching = [(body, other) for body, other in zip(contacts.bodies, contacts.others, strict=True)]
    assert touching.count(("crate", "world")) == 4
    assert touching.count(("upper-crate", "crate")) == 4
    assert touching.count(("ball", "world")) == 1
    assert len(touching) == 9
    assert np.abs(contacts.gaps).max() < 1e-12
    assert np.abs(contacts.rotations - np.eye(3)).max() < 1e-12


def test_places_and_normals() -> None:
    """A ball over a slope of 10 degrees: gap (h - r / cos) cos, the normal that of the slope."""
    scene = load_scene("slope")
    scene = Scene("slope", (*scene.objects, ball("ball", 0.3)))
    robot = combined_robot(scene)
    q, _ = initial_state(scene, robot)
    candidates = scene_candidates(robot, scene)
    assert len(detect_contacts(robot, q, candidates)) == 0
    contacts = detect_contacts(robot, q, candidates, margin=1.0)
    angle = math.radians(10.0)
    assert contacts.gaps[0] == pytest.approx(0.3 * math.cos(angle) - 0.1, abs=1e-7)
    normal = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    assert np.abs(contacts.rotations[0, :, 2] - normal).max() < 1e-6
    assert contacts.rotations[0, 0, 0] == pytest.approx(math.cos(angle), abs=1e-6)  # t1 is x, projected
    assert np.abs(contacts.points[0] + 0.1 * contacts.rotations[0, :, 2]).max() < 1e-12
    same_place = np.array([0.0, 0.0, 0.3]) + contacts.points[0]
    assert np.abs(contacts.other_points[0] - same_place).max() < 1e-12


def test_points_turn_with_their_body() -> None:
    robot = load("falling-rod")
    q = np.zeros(7)
    q[:7] = [1.0, 2.0, 3.0, math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]  # turned by 90 degrees about x
    body = robot.bodies[0].name
    candidate = Candidate(body, (0.0, 0.0, 0.5), 0.0, Surface(Plane()))
    contacts = detect_contacts(robot, q, [candidate], margin=10.0)
    assert contacts.gaps[0] == pytest.approx(3.0)
    assert np.abs(contacts.points[0] - [0.0, 0.0, 0.5]).max() < 1e-12
    assert np.abs(contacts.other_points[0] - [1.0, 1.5, 3.0]).max() < 1e-12


def test_materials_of_pairs() -> None:
    rubber = Material(friction=0.9, restitution=0.5, stiffness=2e4, damping=10.0)
    ice = Material(friction=0.1, viscous_friction=2.0, stiffness=2e4)
    pair = pair_material(rubber, ice)
    assert pair.friction == pytest.approx(0.3)
    assert (pair.viscous_friction, pair.restitution, pair.damping) == (1.0, 0.5, 10.0)
    assert pair.stiffness == pytest.approx(1e4)
    assert pair_material(ice, None) is ice
    assert math.isinf(pair_material(Material(), Material()).stiffness)
    scene = Scene("pair", (FLOOR, ball("ball", 0.1, material=Material(friction=0.02))))
    robot = combined_robot(scene)
    q, _ = initial_state(scene, robot)
    contacts = detect_contacts(robot, q, scene_candidates(robot, scene), margin=1e-9)
    assert contacts.friction[0] == pytest.approx(0.1)
    assert contacts.restitution[0] == 0.2


def test_a_moved_object_carries_its_velocity_into_the_contact() -> None:
    """A slab that moves along x at 0.5 m/s and turns about z: v = v0 + w x r at the contact."""
    times = np.array([0.0, 1.0, 2.0, 3.0])
    positions = np.column_stack([0.5 * times, 0 * times, 0 * times - 0.05])
    quaternions = np.column_stack([np.cos(0.1 * times), 0 * times, 0 * times, np.sin(0.1 * times)])
    motion = GivenMotion(times, positions, quaternions)
    slab = SceneObject("slab", Box((2.0, 2.0, 0.1)), motion=motion)
    scene = Scene("belt", (slab, ball("ball", 0.1)))
    robot = combined_robot(scene)
    q, _ = initial_state(scene, robot)
    candidates = scene_candidates(robot, scene)
    q[0] = 0.9
    contacts = detect_contacts(robot, q, candidates, margin=1e-9, time=1.5)
    assert len(contacts) == 1
    twist = motion.velocity(1.5)
    assert twist[0] == pytest.approx(0.5, abs=0.01)
    assert twist[5] == pytest.approx(0.2, abs=0.001)
    arm = np.array([0.9, 0.0, 0.0]) - motion.pose(1.5).translation
    expected = twist[:3] + np.cross(twist[3:], arm)
    assert np.abs(contacts.surface_velocity[0] - expected).max() < 1e-12
    q[0] = 5.0
    assert len(detect_contacts(robot, q, candidates, time=1.5)) == 0


def test_two_robots_and_a_box_are_one_problem() -> None:
    quadruped = "point-foot-quadruped"
    side = Transform(np.eye(3), np.array([0.0, 2.0, 0.0]))
    scene = Scene(
        "pair",
        (FLOOR, ball("ball", 0.1)),
        (SceneRobot("left", quadruped, side), SceneRobot("right", quadruped)),
    )
    robot = combined_robot(scene)
    single = load(quadruped)
    assert robot.nv == 2 * single.nv + 6
    q, _ = initial_state(scene, robot)
    contacts = detect_contacts(robot, q, scene_candidates(robot, scene), margin=10.0)
    owners = {body.split("/")[0] for body in contacts.bodies}
    assert owners == {"left", "right", "ball"}
    left = sorted(
        gap for body, gap in zip(contacts.bodies, contacts.gaps, strict=True) if body.startswith("left/")
    )
    right = sorted(
        gap for body, gap in zip(contacts.bodies, contacts.gaps, strict=True) if body.startswith("right/")
    )
    assert np.abs(np.array(left[:4]) - right[:4]).max() < 1e-12


def test_no_contacts_are_no_error() -> None:
    robot = load("falling-rod")
    contacts = detect_contacts(robot, np.array([0, 0, 9.0, 1, 0, 0, 0]), [])
    assert len(contacts) == 0
    assert contacts.rotations.shape == (0, 3, 3)
