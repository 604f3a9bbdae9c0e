"""LOLA's shells: closed, where her bodies are, the same on both sides, and as long as her limbs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh

import footfall
from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.viewer.lola_shells import SEGMENTS, lola_parts
from footfall.viewer.surfaces import body_surfaces, robot_surfaces

_FARTHEST = 0.075  # m that shells reach beyond boxes and capsules: computers, drives and brackets of ankles


@pytest.fixture(scope="module")
def lola() -> Robot:
    return footfall.load("lola")


def bounds(parts: Any) -> Array:
    points = np.concatenate([part[0] for part in parts])
    return np.array([points.min(axis=0), points.max(axis=0)])


def test_every_part_is_closed_with_its_outside_outside(lola: Robot) -> None:
    parts = lola_parts(lola)
    assert set(parts) == SEGMENTS
    for name, each in parts.items():
        for vertices, triangles, _ in each:
            mesh = trimesh.Trimesh(vertices, triangles, process=True)
            assert mesh.is_watertight, name
            assert mesh.volume > 0.0, name


def test_shells_are_where_boxes_and_capsules_are(lola: Robot) -> None:
    for body, surfaces in zip(lola.bodies, robot_surfaces(lola), strict=True):
        if body.name in SEGMENTS:
            plain, dressed = bounds(body_surfaces(body)), bounds(surfaces)
            assert (dressed[0] > plain[0] - _FARTHEST).all(), body.name
            assert (dressed[1] < plain[1] + _FARTHEST).all(), body.name
    assert sum(len(each.triangles) for surfaces in robot_surfaces(lola) for each in surfaces) < 70_000


def test_left_and_right_are_mirrored(lola: Robot) -> None:
    poses = forward_kinematics(lola, np.zeros(lola.nq) + np.eye(lola.nq)[3])
    places = {body.name: k for k, body in enumerate(lola.bodies)}
    parts = lola_parts(lola)
    for name in SEGMENTS:
        if not name.endswith("r") or name[:-1] + "l" not in SEGMENTS:
            continue
        boxes = []
        for each in (name, name[:-1] + "l"):
            k = places[each]
            turned = [(part[0] @ poses.rotation[k].T + poses.position[k],) for part in parts[each]]
            boxes.append(bounds(turned))
        right, left = boxes
        mirrored = np.array([[left[0, 0], -left[1, 1], left[0, 2]], [left[1, 0], -left[0, 1], left[1, 2]]])
        assert right == pytest.approx(mirrored, abs=1e-9), name


def test_shells_are_as_long_as_limbs(lola: Robot) -> None:
    longer = [
        replace(joint, placement=Transform(joint.placement.rotation, 1.2 * joint.placement.translation))
        if joint.child in ("kfr", "kfl")
        else joint
        for joint in lola.joints
    ]
    tall = replace(lola, joints=tuple(longer), volumes=(), volume_pairs=())
    usual, more = bounds(lola_parts(lola)["hfr"]), bounds(lola_parts(tall)["hfr"])
    assert more[1, 1] - usual[1, 1] == pytest.approx(0.2 * 0.44, abs=1e-9)  # y is down


def test_other_robots_keep_their_shapes() -> None:
    robot = footfall.load("quadruped")
    assert lola_parts(robot) == {}
    for body, surfaces in zip(robot.bodies, robot_surfaces(robot), strict=True):
        for one, other in zip(surfaces, body_surfaces(body), strict=True):
            assert np.array_equal(one.vertices, other.vertices)
