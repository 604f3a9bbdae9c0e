"""Worlds of many shapes: which pairs are looked at, from step to step, and what users may change meanwhile."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.compiler.routines import new_records
from footfall.contact.contacts import Contact
from footfall.contact.detection.broad import list_all_pairs
from footfall.contact.detection.find import NONE_SLEEP, find_contacts
from footfall.contact.detection.shapes import Bodies, Count
from footfall.contact.detection.world import ContactWorld, bodies_at, build_contact_world, contacts_of
from footfall.errors import SceneError, UnknownName
from footfall.geometry.plane import Plane
from footfall.math.rotations import matrix_from_rotation_vector
from footfall.math.transform import Transform, identity_transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Sphere
from footfall.scene.assembly import combined_robot, initial_state
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Scene, SceneObject, free_body
from footfall.scene.shapes import Triangles
from tests.contact.detection.pairs import SHAPES
from tests.poses import random_pose


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def random_world(rng: np.random.Generator, moving: int, fixed: int) -> tuple[ContactWorld, Bodies]:
    world = ContactWorld(moving)
    kinds = list(SHAPES.values())
    for k in range(moving):
        world.add_body(f"body {k}", k, [(kinds[k % len(kinds)], identity_transform(), 1, 1)], None)
    for k in range(fixed):
        world.add(SceneObject(f"thing {k}", Box((0.3, 0.4, 0.5)), random_pose(rng, 1.5)))
    world.add(SceneObject("ground", Plane(), at(0.0, 0.0, -1.5)))
    poses = [random_pose(rng, 1.0) for _ in range(moving)]
    return world, Bodies(
        np.array([pose.rotation for pose in poses]),
        np.array([pose.translation for pose in poses]),
        rng.normal(size=(moving, 3)) * 3.0,
        rng.normal(size=(moving, 3)) * 5.0,
    )


def advanced(bodies: Bodies, dt: float) -> Bodies:
    turned = [
        matrix_from_rotation_vector(dt * omega) @ rotation
        for omega, rotation in zip(bodies.angular, bodies.rotation, strict=True)
    ]
    return bodies._replace(rotation=np.array(turned), position=bodies.position + dt * bodies.linear)


def test_what_is_known_from_step_to_step_changes_nothing() -> None:
    """Pairs that are kept, trees that change and axes that are known: the same touches as from nothing."""
    rng = np.random.default_rng(1)
    world, bodies = random_world(rng, 40, 40)
    memory, dt = world.memory(), 2e-3
    seen = 0
    for step in range(150):
        found, memory = contacts_of(world, memory, bodies, dt=dt, reach=1e-3)
        if step % 10 == 0:
            fresh, _ = contacts_of(world, world.memory(), bodies, dt=dt, reach=1e-3)
            pairs = [sorted({(int(t["first"]), int(t["second"])) for t in each}) for each in (found, fresh)]
            assert pairs[0] == pairs[1]
            seen += len(pairs[0])
        bodies = advanced(bodies, dt)
    assert seen > 100


def test_pairs_come_in_order_and_with_the_same_bits() -> None:
    world, bodies = random_world(np.random.default_rng(2), 30, 30)
    found, _ = contacts_of(world, world.memory(), bodies, reach=0.01)
    again, _ = contacts_of(world, world.memory(), bodies, reach=0.01)
    assert found.tobytes() == again.tobytes()
    keys = [(int(t["first"]), int(t["second"])) for t in found]
    assert keys == sorted(keys)
    shapes = world.table.shapes
    assert (shapes["body"][found["first"]] >= 0).all()
    both = shapes["body"][found["second"]] >= 0
    assert (found["first"][both] < found["second"][both]).all()


def test_a_list_of_all_pairs_finds_the_same() -> None:
    """To the bit, where nothing else is known; also without room at first."""
    world, bodies = random_world(np.random.default_rng(2), 30, 30)
    whole, _ = contacts_of(world, world.memory(), bodies, reach=0.01)
    needed = list_all_pairs(world.table, world.memory(pairs=2))
    memory = world.memory(pairs=needed)
    assert list_all_pairs(world.table, memory) == needed > 300
    found, memory = contacts_of(world, memory, bodies, reach=0.01)
    assert memory.counts[Count.PAIRS] == needed
    assert found.tobytes() == whole.tobytes()


def test_touches_without_room_are_counted() -> None:
    world, bodies = random_world(np.random.default_rng(2), 30, 30)
    whole, _ = contacts_of(world, world.memory(), bodies, reach=0.01)
    memory = world.memory(pairs=2)
    room = new_records(Contact, 3)
    need = find_contacts(world.table, memory, bodies, 0.0, 0.01, room, NONE_SLEEP)
    assert need.contacts == 0
    assert need.pairs > 2
    memory = world.fitting(memory, need.pairs)
    need = find_contacts(world.table, memory, bodies, 0.0, 0.01, room, NONE_SLEEP)
    assert need.contacts == len(whole)
    assert room.tobytes() == whole[:3].tobytes()


def loose(name: str, shape: Any, pose: Transform) -> SceneObject:
    return SceneObject(name, shape, pose, free=free_body(shape, 1.0))


def touching_names(world: ContactWorld, found: Any) -> set[frozenset[str]]:
    return {frozenset((world.owner_of(int(t["first"])), world.owner_of(int(t["second"])))) for t in found}


def test_objects_come_move_and_go_while_numbers_stay() -> None:
    things = [loose("box", Box((0.2, 0.2, 0.2)), at(0, 0, 0.1)), loose("ball", Sphere(0.1), at(1, 0, 0.1))]
    scene = Scene("room", (SceneObject("floor", Plane()), *things))
    robot = combined_robot(scene)
    world = build_contact_world(robot, scene)
    bodies = bodies_at(robot, initial_state(scene, robot)[0])
    memory = world.memory()
    found, memory = contacts_of(world, memory, bodies)
    assert touching_names(world, found) == {frozenset(("box", "floor")), frozenset(("ball", "floor"))}
    numbers = {name: world.shapes(name) for name in ("box", "ball", "floor")}
    wall = SceneObject("wall", Box((0.2, 1.0, 1.0)), at(0.2, 0.0, 0.5))
    world.add(wall)
    found, memory = contacts_of(world, memory, bodies)
    assert frozenset(("box", "wall")) in touching_names(world, found)
    assert {name: world.shapes(name) for name in numbers} == numbers
    place = world.shapes("wall")
    world.replace(SceneObject("wall", Box((0.2, 1.0, 1.0)), at(1.2, 0.0, 0.5)))  # moved
    found, memory = contacts_of(world, memory, bodies)
    assert touching_names(world, found) & {frozenset(("box", "wall"))} == set()
    assert frozenset(("ball", "wall")) in touching_names(world, found)
    world.replace(SceneObject("wall", Box((0.1, 1.0, 1.0)), at(1.2, 0.0, 0.5)))  # thinner
    found, memory = contacts_of(world, memory, bodies)
    assert frozenset(("ball", "wall")) not in touching_names(world, found)
    assert world.shapes("wall") == place
    world.remove("wall")
    with pytest.raises(UnknownName, match="wall"):
        world.shapes("wall")
    for k in range(40):  # more than there was room for
        world.add(SceneObject(f"peg {k}", Sphere(0.05), at(0.15 if k == 7 else 5.0, 0.0, 0.1 + k)))
    world.replace(SceneObject("peg 7", Sphere(0.05), at(0.15, 0.0, 0.1)))
    found, memory = contacts_of(world, memory, bodies)
    assert frozenset(("box", "peg 7")) in touching_names(world, found)
    assert {name: world.shapes(name) for name in numbers} == numbers
    with pytest.raises(SceneError, match="is there already"):
        world.add(SceneObject("peg 7", Sphere(0.05)))
    with pytest.raises(SceneError, match="is free"):
        world.add(loose("late", Sphere(0.1), at(0, 0, 0)))


def test_robots_touch_themselves_but_not_their_neighbours() -> None:
    robot = footfall.load("lola")
    scene = Scene("floor", (SceneObject("floor", Plane(), at(0.0, 0.0, -5.0)),))
    combined = combined_robot(scene, robot, q=robot.configuration("idle"))
    world = build_contact_world(combined, scene)
    shapes = world.table.shapes
    links = {name: combined.tree.attachments[name].link for name in (body.name for body in combined.bodies)}
    for joint in combined.joints:
        if joint.parent in links and joint.parent in world.owners and joint.child in world.owners:
            assert tuple(sorted((joint.parent, joint.child))) in world.excluded or (
                links[joint.parent] == links[joint.child]
            )
    assert (shapes["body"] < world.links).all()
    rng = np.random.default_rng(0)
    seen: set[frozenset[str]] = set()
    for _ in range(30):
        q = combined.configuration("initial")
        q[7:] += rng.uniform(-1.0, 1.0, size=len(q) - 7)
        found, _ = contacts_of(world, world.memory(), bodies_at(combined, q))
        seen |= touching_names(world, found)
    assert not {tuple(sorted(pair)) for pair in seen} & world.excluded


def test_excluded_pairs_never_touch() -> None:
    things = [loose(f"ball {k}", Sphere(0.1), at(0.15 * k, 0, 0.1)) for k in range(4)]
    scene = Scene("balls", tuple(things))
    robot = combined_robot(scene)
    world = build_contact_world(robot, scene, exclude={("ball 1", "ball 0")})
    bodies = bodies_at(robot, initial_state(scene, robot)[0])
    found, memory = contacts_of(world, world.memory(), bodies)
    assert touching_names(world, found) == {frozenset((f"ball {k}", f"ball {k + 1}")) for k in (1, 2)}
    world.exclude({("ball 2", "ball 3")})
    found, _ = contacts_of(world, memory, bodies)
    assert touching_names(world, found) == {frozenset(("ball 1", "ball 2"))}


def test_groups_and_masks_work_as_in_mujoco() -> None:
    """Two touch if the group of one has a bit of the other's mask (MuJoCo: contype and conaffinity)."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 4, size=(8, 2))
    world = ContactWorld(8)
    for k, (group, mask) in enumerate(bits):
        world.add_body(str(k), k, [(Sphere(1.0), identity_transform(), int(group), int(mask))], None)
    bodies = Bodies(np.tile(np.eye(3), (8, 1, 1)), rng.normal(size=(8, 3)) * 0.1, *np.zeros((2, 8, 3)))
    found, _ = contacts_of(world, world.memory(), bodies)
    expected = {
        frozenset((str(a), str(b)))
        for a, b in combinations(range(8), 2)
        if bits[a, 0] & bits[b, 1] or bits[b, 0] & bits[a, 1]
    }
    assert touching_names(world, found) == expected
    assert 0 < len(expected) < 28


def test_robots_bring_their_groups_masks_and_pairs_apart() -> None:
    robot = footfall.load("lola")
    turned = replace(robot.bodies[3], collisions=(Geometry(Sphere(0.1), group=4, mask=0),))
    bodies = tuple(turned if body is robot.bodies[3] else body for body in robot.bodies)
    scene = Scene("floor", (SceneObject("floor", Plane()),))
    apart = (robot.bodies[0].name, turned.name)
    combined = combined_robot(scene, replace(robot, bodies=bodies, apart=(apart,)))
    world = build_contact_world(combined, scene)
    assert tuple(sorted(apart)) in world.excluded
    shapes = world.table.shapes[list(world.shapes(turned.name))]
    assert set(shapes["group"].tolist()) == {4}
    assert set(shapes["mask"].tolist()) == {0}


def test_fixed_things_do_not_touch_each_other_and_cost_no_pairs() -> None:
    rng = np.random.default_rng(4)
    world = ContactWorld(1)
    world.add_body("ball", 0, [(Sphere(0.1), identity_transform(), 1, 1)], None)
    for k in range(2000):
        world.add(
            SceneObject(f"block {k}", Box((0.5, 0.5, 0.5)), Transform(np.eye(3), rng.uniform(-20, 20, 3)))
        )
    memory = world.memory()
    bodies = Bodies(np.eye(3)[None], np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((1, 3)))
    for _ in range(20):
        bodies.position[0] = rng.uniform(-20, 20, 3)
        found, memory = contacts_of(world, memory, bodies)
        centres = world.table.shapes["position"][1:2001]
        apart = np.maximum(np.abs(centres - bodies.position[0]) - 0.25, 0.0)
        expected = {k + 1 for k in np.flatnonzero(np.linalg.norm(apart, axis=1) <= 0.1)}
        assert set(found["second"].tolist()) == expected
        assert memory.counts[Count.PAIRS] < 10


@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.1, 0.2), Cylinder(0.1, 0.2), Box((0.1, 0.2, 0.3))])
def test_speculative_points_are_those_that_come_near(shape: Any) -> None:
    """Over a plane: what falls is reported as soon as it would arrive within the step, what rises is not."""
    world = ContactWorld(1)
    world.add_body("body", 0, [(shape, identity_transform(), 1, 1)], None)
    world.add(SceneObject("ground", Plane()))
    bodies = Bodies(np.eye(3)[None], np.array([[0.0, 0.0, 0.3]]), np.zeros((1, 3)), np.zeros((1, 3)))
    memory = world.memory()
    for speed, expected in ((0.0, False), (-100.0, True), (-300.0, True), (300.0, False), (-1.0, False)):
        bodies.linear[0, 2] = speed
        found, memory = contacts_of(world, memory, bodies, dt=2e-3, reach=1e-3)
        assert bool(len(found)) is expected


@pytest.mark.parametrize("shape", [Box((1.0, 1.0, 0.2)), "mesh"])
def test_things_on_given_paths_carry_what_lies_on_them(shape: Any) -> None:
    """Their rows stand behind those of the links; what they touch moves by itself and comes first."""
    lift = shape if isinstance(shape, Box) else box_mesh((1.0, 1.0, 0.2))
    path = GivenMotion(np.array([0.0, 1.0]), np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    world = ContactWorld(1)
    world.add(SceneObject("lift", lift, motion=path))
    world.add_body("ball", 0, [(Sphere(0.1), identity_transform(), 1, 1)], None)
    assert world.bodies == 2
    assert world.path_row("lift") == 1
    bodies = Bodies(
        np.tile(np.eye(3), (2, 1, 1)), np.array([[0.2, 0.1, 0.7], [0, 0, 0.5]]), *np.zeros((2, 2, 3))
    )
    found, memory = contacts_of(world, world.memory(), bodies)
    assert found["first"].tolist() == list(world.shapes("ball"))
    assert found["gap"][0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(found["position"][0], [0.2, 0.1, 0.6], atol=1e-12)  # on the ball
    bodies.position[1, 2] = 0.49
    bodies.linear[1, 2] = 20.0  # it comes up by 2 cm within the step
    found, memory = contacts_of(world, memory, bodies, dt=1e-3)
    assert found["gap"][0] == pytest.approx(0.01, abs=1e-12)
    bodies.linear[1, 2] = 5.0
    assert len(contacts_of(world, memory, bodies, dt=1e-3)[0]) == 0
    world.remove("lift")
    world.add(SceneObject("lift", Box((1.0, 1.0, 0.22)), motion=path))
    assert world.bodies == 2
    found, _ = contacts_of(world, memory, bodies)
    assert found["gap"][0] == pytest.approx(0.0, abs=1e-12)


def box_mesh(size: tuple[float, float, float]) -> Triangles:
    import trimesh

    box = trimesh.creation.box(size)
    return Triangles(box.vertices, box.faces)
