"""Hands on surfaces: the best point of all, against dense samples; which hand may, and how long it stays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from footfall.compiler.routines import new_records
from footfall.environment import Environment, PerceptionOptions, perceive
from footfall.planning import PlannerParameters
from footfall.planning.hand_contacts import (
    Standing,
    Touch,
    Touchables,
    TouchTriangle,
    around_edge,
    best_touch,
    hand_rules,
    narrows,
    too_near,
    touchables,
    within_cone,
)
from footfall.planning.surroundings import prepared_surface
from footfall.planning.tables import tables_for
from footfall.scene import make_scene
from tests.motion.lola import MODEL
from tests.planning.scenes import planned

HAND = PlannerParameters().hand
RULES = hand_rules(HAND, MODEL.hand_radius, MODEL.upper_arm + MODEL.lower_arm)
TABLES = tables_for(MODEL, PlannerParameters())


def touched(environment: Environment, place: np.ndarray, side: int) -> Touch:
    ids = tuple(environment.objects)
    surfaces = {id: prepared_surface(environment.object(id), MODEL.hand_radius, HAND) for id in ids}
    count = TABLES.volumes.reach_count
    capsules = TABLES.volumes.reach[side * count : (side + 1) * count]
    return best_touch(touchables(environment, surfaces.get, ids), capsules, RULES, place, 0.0, side)


def sampled(environment: Environment, place: np.ndarray, side: int) -> float:
    """Least cost (5.11) of points all over the surfaces."""
    best = np.inf
    share = np.array(
        [(a, b) for a in np.linspace(0, 1, 13) for b in np.linspace(0, 1, 13) if a + b <= 1.0 + 1e-9]
    )
    weights = np.column_stack([1.0 - share.sum(axis=1), share])
    for each in environment.objects.values():
        surface = prepared_surface(each, MODEL.hand_radius, HAND)
        world = surface.vertices @ each.placement.rotation.T + each.placement.translation
        for corners in surface.triangles:
            a, b, c = world[corners]
            normal = np.cross(b - a, c - a)
            normal /= np.linalg.norm(normal)
            if not within_cone(normal, 0.0, side, RULES):
                continue
            points, confidence = weights @ world[corners], weights @ surface.confidence[corners]
            for element in TABLES.biped.reach[side].elements:
                start, end = element.corners[0] + place, element.corners[-1] + place
                along = end - start
                t = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
                away = np.linalg.norm(points - start - t[:, None] * along, axis=1)
                distance = away - element.radius - MODEL.hand_radius
                good = (confidence >= HAND.least_confidence) & (distance <= 0.0)
                if good.any():
                    cost = HAND.confidence_weight * (1.0 - confidence) + HAND.distance_per_m * distance
                    best = min(best, float(cost[good].min()))
    return best


# On the saddle much of the surface is not good enough, and the way up the slope of confidence misses the best point.
@pytest.mark.parametrize(
    ("scene", "side", "worse"),
    [("right-wall", 0, 0.01), ("right-table", 0, 0.01), ("platform", 1, 0.01), ("saddle", 0, 0.05)],
)
def test_no_point_of_a_surface_is_better(scene: str, side: int, worse: float) -> None:
    environment = perceive(make_scene(scene))
    objects = {id: each for id, each in environment.objects.items() if each.category in HAND.classes}
    environment = Environment(environment.terrain, objects)
    found = 0
    for x in (1.3, 1.5, 1.7):
        place = np.array([x, 0.0, 0.0])
        ours, theirs = touched(environment, place, side), sampled(environment, place, side)
        if np.isfinite(ours.cost):
            found += 1
            assert ours.cost <= theirs + worse
        else:
            assert theirs == np.inf or theirs > -0.2
    assert found or scene == "saddle"


def test_a_hand_is_held_for_a_step_and_the_opposite_one_takes_part() -> None:
    for name in ("right-wall", "right-table", "platform"):
        stances = planned(name).stances
        for before, after in pairwise(stances):
            for contact in before.hands:
                if not contact.held:
                    kept = after.hand(contact.hand)
                    assert kept is not None
                    assert kept.held
                    assert kept.position == contact.position
        for stance in stances:
            opposite = "LH" if stance.placement.foot == "RF" else "RH"
            new = [contact for contact in stance.hands if not contact.held]
            assert not new or stance.hand(opposite) is not None  # type: ignore[arg-type]


def test_forces_are_along_the_normals_of_surfaces() -> None:
    wall, table = planned("right-wall").hand_contacts[0], planned("right-table").hand_contacts[0]
    assert wall.normal[1] > 0.9  # a wall to the right pushes to the left
    assert table.normal[2] > 0.9  # a table pushes up
    step = next(step for step in planned("right-wall").steps if step.right_hand is not None)
    assert step.right_hand is not None
    assert np.linalg.norm(step.right_hand.force) == pytest.approx(HAND.force_N)


@pytest.mark.parametrize(
    ("normal", "right"),
    [((0, 1, 0), True), ((0, -1, 0), False), ((0, 0, 1), True), ((0, 0, -1), False), ((0.9, 0.43, 0), False)],
)
def test_a_hand_leans_on_what_faces_it(normal: tuple[float, float, float], right: bool) -> None:
    direction = np.array(normal, dtype=float)
    mirrored = direction * [1.0, -1.0, 1.0]
    assert within_cone(direction, 0.0, 0, RULES) is right
    assert within_cone(mirrored, 0.0, 1, RULES) is right
    c, s = np.cos(0.7), np.sin(0.7)
    turned = np.array(
        [c * direction[0] - s * direction[1], s * direction[0] + c * direction[1], direction[2]]
    )
    assert within_cone(turned, 0.7, 0, RULES) is right


def test_a_hand_does_not_touch_what_faces_away() -> None:
    environment = perceive(make_scene("right-wall"), PerceptionOptions(voxel=0.0, noise=0.0))
    place = np.array([1.5, 0.0, 0.0])
    assert np.isfinite(touched(environment, place, 0).cost)
    # The left hand has no wall: that of the right one faces away from it.
    assert touched(environment, place, 1).cost == np.inf


@pytest.mark.parametrize(
    "away, normal, near",
    [
        ((0.55, 0.55, 0.55, 0.55), (0.0, 1.0, 0.0), False),
        ((0.2, 0.55, 0.55, 0.55), (0.0, 1.0, 0.0), True),  # in a door, as the hand sets out
        ((0.55, 0.4, 0.55, 0.55), (0.0, 1.0, 0.0), True),
        ((0.55, 0.55, 0.55, 0.4), (0.0, 1.0, 0.0), True),  # while the arm swings back
        ((0.55, 0.55, 0.4, 0.55), (0.0, 0.98, -0.2), True),  # seen a little aslant
        ((0.3, 0.3, 0.3, 0.3), (0.0, 0.0, 1.0), False),  # a table: arms swing over it
    ],
)
def test_hands_leave_walls_alone_that_elbows_would_strike(
    away: tuple[float, ...], normal: tuple[float, float, float], near: bool
) -> None:
    """Nearer than 0.7 of the arm, 0.51 m, the body sways into the wall in slow steps with hands."""
    assert pytest.approx(0.510, abs=1e-3) == RULES.aside
    stances = new_records(Standing, 3)
    stances["place"] = [[0.3 * k, each, 0.0] for k, each in enumerate(away[1:])]
    before = Standing(np.array([-0.3, away[0], 0.0]), 0.0, 0, 0.0)
    touch = Touch(0.0, np.array([0.2, 0.0, 1.1]), np.array(normal), 1.0, 0)
    assert bool(too_near(touch, RULES, before, stances, 0)) is near


def test_an_arm_does_not_go_around_a_post_and_has_room_to_come_back() -> None:
    """A wall from x = 0 on, to the right of a robot that comes through the door before it: its face is y = 0, the robot
    is on the side of positive y and looks along x. A shoulder beside the wall may, one beside the door may not, unless
    it is farther away than elbows get. Where another wall is next to the shoulder there is no room to come back."""
    x, z = np.meshgrid(np.arange(0.0, 2.0, 0.1), np.arange(0.8, 1.4, 0.1))
    first = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)
    wall = new_records(TouchTriangle, 2 * len(first))
    for name, one, other in (
        ("a", (0.0, 0.0), (0.1, 0.0)),
        ("b", (0.1, 0.0), (0.1, 0.1)),
        ("c", (0.0, 0.1), (0.0, 0.1)),
    ):
        for half, (ahead, up) in enumerate((one, other)):
            wall["corners"][name][half::2] = first + np.array([ahead, 0.0, up])
    things = Touchables(wall, np.zeros(len(wall), np.int64))
    touch = Touch(0.0, np.array([0.3, 0.0, 1.1]), np.array([0.0, 1.0, 0.0]), 1.0, 0)
    arms = TABLES.arms

    def at(x: float, y: float) -> Standing:
        return Standing(np.array([x, y, 0.0]), 0.0, 0, 0.0)

    assert not around_edge(things, touch, at(0.5, 0.45), arms, 0)
    assert around_edge(things, touch, at(-0.05, 0.45), arms, 0)
    assert not around_edge(things, touch, at(-0.05, 0.7), arms, 0)
    assert not narrows(things, touch, at(0.2, 0.45), arms, 0)  # that is the wall itself
    other = touch._replace(owner=1)
    assert narrows(things, other, at(0.2, 0.45), arms, 0)
    assert not narrows(things, other, at(0.2, 0.7), arms, 0)
