"""Scenes as values: masses of solids, names, what cannot be, and their bodies as one robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

import footfall
from footfall import Material, Scene, SceneObject, free_body
from footfall.errors import SceneError, UnknownName
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from footfall.scene import GivenMotion, Mass, SceneRobot
from footfall.scene.assembly import combined_robot, initial_state
from footfall.scene.model import solid_inertia
from tests.poses import random_pose

STILL = GivenMotion(np.array([0.0, 1.0]), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("shape", "made"),
    [
        (Box((1.0, 0.6, 0.4)), lambda: trimesh.creation.box(extents=(1.0, 0.6, 0.4))),
        (Sphere(0.3), lambda: trimesh.creation.icosphere(subdivisions=5, radius=0.3)),
        (Cylinder(0.2, 0.9), lambda: trimesh.creation.cylinder(radius=0.2, height=0.9, sections=256)),
        (Capsule(0.2, 0.9), lambda: trimesh.creation.capsule(radius=0.2, height=0.9, count=[64, 64])),
    ],
)
def test_inertia_of_solids_is_that_of_their_meshes(shape: object, made: object, tmp_path: Path) -> None:
    center, inertia = solid_inertia(shape, 2.0)
    made().export(tmp_path / "solid.stl")  # type: ignore[operator]
    mesh_center, mesh_inertia = solid_inertia(Mesh(str(tmp_path / "solid.stl")), 2.0)
    assert np.abs(center - mesh_center).max() < 1e-6
    assert np.abs(inertia - mesh_inertia).max() < 3e-3 * np.abs(inertia).max()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Material(friction=-0.1), "friction is -0.1"),
        (lambda: Material(restitution=1.5), r"restitution is 1.5; it must be in \[0, 1\]"),
        (lambda: Material(stiffness=0.0), "stiffness is 0; it must be positive"),
        (lambda: Material(friction=float("nan")), "friction is nan"),
        (lambda: SceneObject("", Plane()), "printable, not empty"),
        (lambda: SceneObject("world", Plane()), "not 'world'"),
        (lambda: SceneObject("x", "ball"), "shape is a str"),
        (lambda: SceneObject("x", Plane(), color=(2, 0, 0, 1)), r"in \[0, 1\]"),
        (lambda: SceneObject("x", Plane(), Transform(2 * np.eye(3), np.zeros(3))), "must be orthonormal"),
        (
            lambda: SceneObject("x", Box((1, 1, 1)), motion=STILL, free=free_body(Box((1, 1, 1)), 1.0)),
            "one of them",
        ),
        (lambda: SceneObject("x", Plane(), free=Mass(1.0, np.zeros(3), np.eye(3))), "ground without end"),
        (lambda: free_body(Plane(), 1.0), "a Plane has no mass"),
        (lambda: free_body(HeightMap(np.zeros((2, 2)), (1, 1)), 1.0), "a HeightMap has no mass"),
        (lambda: free_body(Sphere(0.0), 1.0), "all must be positive"),
        (lambda: free_body(Capsule(0.0, 0.0), 1.0), "without volume"),
        (lambda: free_body(Sphere(1.0), -1.0), "mass is -1"),
        (lambda: Mass(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0])), "no moment greater"),
        (lambda: Mass(1.0, np.zeros(3), np.eye(3), (1.0, 2.0)), "velocity has shape"),
        (lambda: Scene(objects=(SceneObject("a", Plane()),) * 2), "an object of this name"),
        (lambda: Scene(robots=(SceneRobot("a", "lola"),) * 2), "a robot of this name"),
        (lambda: Scene(gravity=(0.0, 0.0)), "gravity has shape"),  # type: ignore[arg-type]
        (lambda: combined_robot(Scene(objects=(SceneObject("a", Plane()),))), "nothing in it moves"),
        (lambda: SceneRobot("a", "arm-6r", configuration=(0.0,)).q, "has 6 coordinates"),
    ],
)
def test_what_cannot_be_is_refused(make: object, words: str) -> None:
    with pytest.raises(SceneError, match=words):
        make()  # type: ignore[operator]


def test_names_are_found_and_missed_ones_listed() -> None:
    scene = Scene("yard", (SceneObject("floor", Plane()),), (SceneRobot("dog", "quadruped"),))
    assert scene.object("floor").name == "floor"
    assert scene.robot("dog").robot.name == "quadruped"
    with pytest.raises(UnknownName, match="no object 'flor' in scene 'yard'; there are: floor"):
        scene.object("flor")
    with pytest.raises(UnknownName, match="no robot 'cat'"):
        scene.robot("cat")
    assert repr(scene) == "Scene 'yard': 1 object, robots dog"


def test_free_bodies_start_with_their_pose_and_velocity() -> None:
    pose = random_pose(np.random.default_rng(0))
    velocity = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
    crate = SceneObject("crate", Box((1, 2, 3)), pose, free=free_body(Box((1, 2, 3)), 4.0, velocity=velocity))
    scene = Scene("yard", (crate, SceneObject("floor", Plane())), gravity=(0.0, 0.0, -3.7))
    robot = combined_robot(scene, footfall.load("arm-6r"), q=np.full(6, 0.1))
    q, v = initial_state(scene, robot)
    assert (q[:6] == 0.1).all()
    assert robot.gravity[2] == -3.7
    placed = footfall.frame_pose(robot, q, "crate")
    assert np.abs(placed.translation - pose.translation).max() < 1e-12
    assert np.abs(placed.rotation - pose.rotation).max() < 1e-12
    # Public velocities are in world axes, those of the state are angular in the body.
    assert np.abs(footfall.frame_velocity(robot, q, v, "crate") - velocity).max() < 1e-12
    assert robot.body("crate").collisions[0].shape == Box((1, 2, 3))
    energy = footfall.kinetic_energy(robot, q, v)
    inertia = pose.rotation @ np.diag([13.0, 10.0, 5.0]) / 12 * 4.0 @ pose.rotation.T
    spin = np.array(velocity[3:])
    assert energy == pytest.approx(0.5 * 4.0 * 14.0 + 0.5 * spin @ inertia @ spin)


def test_configurations_of_robots_in_scenes() -> None:
    pose = Transform(np.eye(3), np.array([0.0, 1.0, 0.0]))
    lola = footfall.load("lola")
    scene = Scene("hall", (), (SceneRobot("lola", "lola", pose, "idle"),))
    robot = combined_robot(scene)
    q, _ = initial_state(scene, robot)
    idle = lola.configuration("idle").copy()
    idle[1] += 1.0
    assert np.abs(q - idle).max() < 1e-12
