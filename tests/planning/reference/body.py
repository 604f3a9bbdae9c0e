"""What hands reach and what the body must not touch, by coal: volumes of the robot against those of objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import coal
import numpy as np

from footfall.environment import Environment, EnvironmentObject
from footfall.volumes import SweptVolume
from tests.peers.volumes import coal_shape
from tests.planning.reference.grid import LEFT, RIGHT, Pose


@dataclass(frozen=True)
class BodyVolumes:
    """Volumes in the frame midway between the feet, m. arms, reach: right and left; reach is where a hand can be
    during a whole step."""

    base: SweptVolume
    arms: tuple[SweptVolume, SweptVolume]
    reach: tuple[SweptVolume, SweptVolume]


@dataclass
class Surroundings:
    """Objects that hands may touch, and those that nothing may touch. known: of places that were asked for."""

    environment: Environment
    body: BodyVolumes
    classes: tuple[str, ...]
    known: dict[tuple[Pose, float, int | None], tuple[int, bool]] = field(default_factory=dict)

    @cached_property
    def obstacles(self) -> list[list[tuple[Any, Any]]]:
        """Everything but floors."""
        return [
            _placed_object(each) for each in self.environment.objects.values() if each.category != "floor"
        ]

    @cached_property
    def supports(self) -> list[list[tuple[Any, Any]]]:
        """What hands may be put on."""
        return [
            _placed_object(each)
            for each in self.environment.objects.values()
            if each.category in self.classes
        ]

    def support(self, middle: Pose, height: float, stance: int | None) -> tuple[int, bool]:
        """How many hands find support, and whether all else is free. stance: foot that carries the robot, whose
        opposite hand must take part; None if any may (the guide path)."""
        asked = middle, height, stance
        if asked not in self.known:
            self.known[asked] = self._support(middle, height, stance)
        return self.known[asked]

    def _support(self, middle: Pose, height: float, stance: int | None) -> tuple[int, bool]:
        reached = {
            hand
            for hand in (RIGHT, LEFT)
            if any(meet(self.body.reach[hand], middle, height, each) for each in self.supports)
        }
        if stance is not None and (LEFT if stance == RIGHT else RIGHT) not in reached:
            reached = set()
        # The source leaves out arms whose hands find support; their elbows strike walls on the way there and back.
        parts = [self.body.base, *(self.body.arms[hand] for hand in (RIGHT, LEFT))]
        free = not any(meet(part, middle, height, each) for part in parts for each in self.obstacles)
        return len(reached), free


def meet(volume: SweptVolume, middle: Pose, height: float, other: list[tuple[Any, Any]]) -> bool:
    """Whether a volume of the robot and an object overlap."""
    c, s = np.cos(middle.yaw), np.sin(middle.yaw)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    place = np.array([middle.x, middle.y, height])
    for element in volume.elements:
        shape, pose = coal_shape(element)
        moved = coal.Transform3s(turn @ pose.getRotation(), place + turn @ pose.getTranslation())
        for each, at in other:
            result = coal.DistanceResult()
            if coal.distance(shape, moved, each, at, coal.DistanceRequest(), result) <= 0.0:
                return True
    return False


def _placed_object(each: EnvironmentObject) -> list[tuple[Any, Any]]:
    turn, place = each.placement.rotation, each.placement.translation
    parts = []
    for element in each.volume.elements:
        shape, pose = coal_shape(element)
        parts.append(
            (shape, coal.Transform3s(turn @ pose.getRotation(), place + turn @ pose.getTranslation()))
        )
    return parts
