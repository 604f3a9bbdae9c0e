"""Corners that others of their body span: a plane does not look at them, and nothing moves otherwise."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import footfall
from footfall import Box, JointType, Material, Plane, Robot, Scene, SceneObject, Simulation, Transform
from footfall.contact.candidates import Candidate, point_candidates, scene_candidates, surface_of
from footfall.contact.detection.spare_corners import ALL
from footfall.contact.detection.world import ContactWorld, build_contact_world
from footfall.contact.features import contact_points
from footfall.robot.model import Body, Geometry, Joint
from footfall.scene.given_motion import GivenMotion
from footfall.simulation.plants import FeetSimulation

PAD = Box((0.1, 0.04, 0.02))


def at(x: float, y: float, z: float) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def sole(*shapes: Geometry) -> Robot:
    """A plate of 5 kg with its centre of mass above and beside the middle of its sole."""
    inertia = np.diag([0.02, 0.03, 0.025])
    body = Body("sole", 5.0, np.array([0.01, 0.005, 0.1]), inertia, (), tuple(shapes))
    return Robot("sole", (body,), (Joint("root", JointType.FLOATING, "world", "sole"),))


def pads(*, friction: float | None = None, lower: float = 0.0) -> Robot:
    """Two pads with a gap between them; the second one perhaps of other friction, or lower."""
    first, second = at(0.0, -0.05, 0.01), at(0.0, 0.05, 0.01 - lower)
    return sole(Geometry(PAD, first), Geometry(PAD, second, friction=friction))


def plate() -> Robot:
    """The same sole in one piece."""
    return sole(Geometry(Box((0.1, 0.14, 0.02)), at(0.0, 0.0, 0.01)))


def floor(**material: float) -> Scene:
    return Scene("floor", (SceneObject("floor", Plane(), material=Material(**material)),))


def contact_table(robot: Robot, scene: Scene) -> Any:
    return build_contact_world(robot, scene).table.shapes


def run(robot: Robot, scene: Scene, *, seconds: float = 0.5) -> footfall.Trajectory:
    """Put down tilted, sliding and turning."""
    simulation = Simulation(robot, scene, dt=1e-3)
    half = 0.5 * np.array([0.02, -0.03, 0.0])
    q = np.array([0.0, 0.0, 0.004, 1.0, *half])
    q[3:] /= np.linalg.norm(q[3:])
    simulation.reset(q, np.array([0.3, 0.1, 0.0, 0.0, 0.0, 2.0]))
    return simulation.run(simulation.zero_command, seconds)


def test_corners_within_the_outline_are_spare() -> None:
    """Of two pads side by side those that face each other, whose y has the sign of the other pad."""
    table = contact_table(pads(), floor())
    facing = [sum(1 << k for k in range(8) if bool(k & 2) == up) for up in (True, False)]
    assert table["spare"][:2].tolist() == facing
    assert table["spare"][table["kind"] == 1].tolist() == [ALL]


def test_a_corner_that_sticks_out_is_kept() -> None:
    """A pad that is 2 mm lower has no corner within the hull of both; the upper one's upper face none either way."""
    lower = contact_table(pads(lower=2e-3), floor())["spare"]
    assert lower[1] & 0b1111 == 0  # its sole: bit 4 of a corner's number is its z
    assert contact_table(plate(), floor())["spare"][0] == 0


def test_shapes_that_touch_in_other_ways_do_not_stand_for_each_other() -> None:
    assert contact_table(pads(friction=0.3), floor())["spare"][:2].tolist() == [0, 0]
    for material in ({"stiffness": 1e5, "damping": 10.0}, {"viscous_friction": 1.0}):
        table = contact_table(pads(), floor(**material))
        assert table["spare"][table["kind"] == 1].tolist() == [0]


def test_pads_move_as_the_plate_of_their_outline() -> None:
    """The same hull, the same motion, to what the solver leaves."""
    one, two = run(plate(), floor(friction=0.4)), run(pads(), floor(friction=0.4))
    np.testing.assert_allclose(two.q, one.q, atol=1e-9)
    assert two.contacts.counts.max() == 4


def test_all_corners_carry_on_soft_ground() -> None:
    """Springs of 1e5 N/m at eight corners give way by m g / (8 k) in the mean, whatever the outline is."""
    soft = {"stiffness": 1e5, "damping": 300.0, "friction": 0.4}
    path = run(pads(), floor(**soft), seconds=3.0)
    assert path.contacts.counts[-1] == 8
    gaps = path.contacts.gaps[-8:]
    assert gaps.mean() == pytest.approx(-5.0 * 9.81 / (8 * 1e5), rel=1e-3)
    four = run(plate(), floor(**soft), seconds=3.0)
    assert four.contacts.gaps[-4:].mean() == pytest.approx(2 * gaps.mean(), rel=1e-3)  # half as many springs


def test_they_are_found_again_when_the_floor_changes() -> None:
    world = build_contact_world(pads(), floor())
    world.replace(SceneObject("floor", Plane(), material=Material(stiffness=1e4, damping=1.0)))
    assert _plane(world) == 0
    world.replace(SceneObject("floor", Plane()))
    assert _plane(world) == ALL


def _plane(world: ContactWorld) -> int:
    shapes: Any = world.table.shapes
    return int(shapes["spare"][np.isinf(shapes["bound"])][0])


def test_a_sole_that_is_turned_on_its_link_keeps_its_corners() -> None:
    """Whatever way the boxes are turned: four corners below, as many as the hull has there."""
    c, s = math.cos(0.7), math.sin(0.7)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    placed = [Transform(turn, turn @ np.array([0.0, y, 0.01])) for y in (-0.05, 0.05)]
    spare = contact_table(sole(*(Geometry(PAD, place) for place in placed)), floor())["spare"][:2]
    assert [bin(int(bits)).count("1") for bits in spare] == [4, 4]


# Lists of contacts


def corners(candidates: list[Candidate]) -> set[tuple[float, ...]]:
    return {tuple(np.round(each.point, 9)) for each in candidates}


def test_lists_of_contacts_leave_them_out() -> None:
    """Of two pads those corners stay that the plate of their outline has too."""
    ground = surface_of(floor().objects[0])
    listed = point_candidates(pads(), ["sole"], [ground])
    assert len(listed) == 8
    assert corners(listed) == corners(point_candidates(plate(), ["sole"], [ground]))
    assert corners(scene_candidates(pads(), floor())) == corners(listed)


def test_lists_keep_all_where_they_count() -> None:
    """On soft ground, with other friction, on ground that moves, and on a box, whose rim may lie between them."""
    moving = GivenMotion(np.array([0.0, 1.0]), np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]))
    for robot, thing in (
        (pads(), floor(stiffness=1e5, damping=10.0).objects[0]),
        (pads(friction=0.3), floor().objects[0]),
        (pads(), SceneObject("belt", Plane(), motion=moving)),
        (pads(), SceneObject("block", Box((1.0, 1.0, 1.0)), at(0.0, 0.0, -0.5))),
    ):
        assert len(point_candidates(robot, ["sole"], [surface_of(thing)])) == 16


def test_a_listed_sole_moves_as_with_all_of_its_corners() -> None:
    """Put down tilted it rocks and comes to rest, and does not slide: then what carries has no say in how it moves."""
    listed = point_candidates(pads(), ["sole"], [surface_of(floor(friction=2.0).objects[0])])
    points = [contact_points(geometry) for geometry in pads().body("sole").collisions]
    whole = [
        replace(listed[0], point=tuple(position), radius=radius)
        for each in points
        for position, radius in zip(each.positions.tolist(), each.radii.tolist(), strict=True)
    ]
    assert len(whole) == 16
    some, all_of_them = run_listed(pads(), listed), run_listed(pads(), whole)
    np.testing.assert_allclose(some.q, all_of_them.q, atol=1e-8)
    # A comparison that can fail: without the corners at one end it tips over.
    short = run_listed(pads(), [each for each in listed if each.point[0] < 0.0])
    assert np.abs(short.q - some.q).max() > 1e-3


def run_listed(robot: Robot, candidates: list[Candidate]) -> footfall.Trajectory:
    simulation = FeetSimulation(robot, candidates=candidates, dt=1e-3)
    q = np.array([0.0, 0.0, 0.004, 1.0, 0.01, -0.015, 0.0])
    q[3:] /= np.linalg.norm(q[3:])
    simulation.reset(q)
    return simulation.run(simulation.zero_command, 0.3)
