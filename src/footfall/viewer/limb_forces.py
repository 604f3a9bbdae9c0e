"""Forces of feet and hands, where they act, and what they act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.geometry.plane import Plane
from footfall.robot.model import Robot
from footfall.scene.model import SceneObject
from footfall.viewer.surfaces import object_surface
from footfall.viewer.walk_layers import PARTS, FrictionCones
from footfall.walking.body import FEET

_ON_TOP = 0.05  # m
_LEAST_FORCE = 0.01  # of the weight, from which on a cone is drawn


class FootAndHandForces(NamedTuple):
    """Of feet and hands, (4, 3) each: places where they are pushed, m (at the centres of pressure of feet), forces, N,
    normals of soles, and where their frames are, m. turns (4, 3, 3): of their frames."""

    places: Array
    forces: Array
    normals: Array
    frames: Array
    turns: Array


def foot_and_hand_forces(
    robot: Robot, frames: Mapping[str, str], q: Array, signals: Mapping[str, Any]
) -> FootAndHandForces:
    """What pushes feet and hands at a configuration q (nq,), by signals of the same instant. frames: by landmark."""
    q = np.ascontiguousarray(q[: robot.nq])
    places, forces, normals, origins, turns = [], [], [], [], []
    for landmark, part in zip((*FEET, *HANDS), PARTS, strict=True):
        wrench = np.array(signals[part])
        pose = frame_pose(robot, q, frames[landmark])
        place = np.array(pose.translation)
        origins.append(place.copy())
        if landmark in FEET:
            load = max(float(wrench[2]), 1.0)
            place[0] -= wrench[4] / load
            place[1] += wrench[3] / load
        places.append(place)
        forces.append(wrench[:3])
        normals.append(pose.rotation[:, 2])
        turns.append(pose.rotation)
    return FootAndHandForces(*(np.array(each) for each in (places, forces, normals, origins, turns)))


def show_cones(
    cones: FrictionCones, contacts: FootAndHandForces, ground: Ground, *, friction: float, weight: float
) -> None:
    """Draw the cones of what presses. friction: where nothing is known. weight: of the robot, N."""
    count = len(FEET)
    feet = [ground.friction(place, friction) for place in contacts.places[:count]]
    sides = [ground.side(place, friction) for place in contacts.places[count:]]
    cones.show(
        contacts.places,
        contacts.forces,
        np.array([*contacts.normals[:count], *(side[0] for side in sides)]),
        np.array([*feet, *(side[1] for side in sides)]),
        least=_LEAST_FORCE * weight,
    )


class Ground:
    """Coefficients of friction of what feet stand on: boxes of objects that lie level, and the floor."""

    def __init__(self, objects: Sequence[SceneObject]) -> None:
        floors = [each.material.friction for each in objects if isinstance(each.shape, Plane)]
        self._floor = floors[0] if floors else None
        self._boxes = []
        for each in objects:
            if each.visible and not isinstance(each.shape, Plane):
                vertices = object_surface(each.shape, None).vertices
                corners = vertices @ each.placement.rotation.T + each.placement.translation
                self._boxes.append((each.material.friction, corners.min(axis=0), corners.max(axis=0)))

    def friction(self, place: Array, otherwise: float) -> float:
        """Under a place (3,), m."""
        for friction, lower, upper in self._boxes:
            above = (lower[:2] <= place[:2]).all() and (place[:2] <= upper[:2]).all()
            if above and abs(place[2] - upper[2]) < _ON_TOP:
                return float(friction)
        return otherwise if self._floor is None else float(self._floor)

    def side(self, place: Array, otherwise: float) -> tuple[Array, float]:
        """Normal (3,) of the side of an object that is nearest to a place (3,), m, and its friction."""
        nearest, found = np.inf, (np.array([0.0, 0.0, 1.0]), self.friction(place, otherwise))
        for friction, lower, upper in self._boxes:
            away = place - np.clip(place, lower, upper)
            far = float(np.linalg.norm(away))
            if far < nearest:
                if far == 0.0:  # a hand that presses is in it, as springs are: out by the shortest way
                    depths = np.array([place - lower, upper - place])
                    side, axis = np.unravel_index(int(np.argmin(depths)), depths.shape)
                    away = np.eye(3)[axis] * (1.0 if side else -1.0)
                nearest, found = far, (away / np.linalg.norm(away), float(friction))
        return found
