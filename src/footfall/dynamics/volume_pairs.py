"""Which of a robot's volumes can meet: the pairs that are worth looking at, and why the others are not."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import random_configuration
from footfall.dynamics.volume_distances import volume_distances
from footfall.errors import RobotError
from footfall.geometry.swept_sphere import SweptVolume
from footfall.robot.model import WORLD, Joint, JointType, Robot
from footfall.robot.start import start_of
from footfall.robot.volumes import Pair, movable_pairs

_ALWAYS = 0.95  # of the configurations, in which a pair that always touches overlaps


class PairChoice(NamedTuple):
    """pairs: of volumes that can meet. left_out: the other pairs, with the reason."""

    pairs: tuple[Pair, ...]
    left_out: dict[Pair, str]


def choose_volume_pairs(
    robot: Robot, *, samples: int = 2000, margin: float = 0.05, seed: int = 0
) -> PairChoice:
    """The pairs of a robot's volumes that can come closer than a margin (m) but do not always touch.

    Left out are neighbours, pairs whose joints keep them apart whatever their angles, pairs that overlap where the
    robot starts or nearly everywhere, and pairs that stayed apart in as many random configurations within the limits as
    samples say. seed: of these.
    """
    if not isinstance(samples, int) or samples < 1:
        raise RobotError(
            f"samples are {samples}; there must be at least 1", subject=("volume pairs", robot.name)
        )
    movable = movable_pairs(robot)
    everything = [(one.name, other.name) for one, other in combinations(robot.volumes, 2)]
    left_out = {pair: "neighbours, or fixed to each other" for pair in everything if pair not in set(movable)}
    reach = _Reach(robot)
    near = []
    for pair in movable:
        gap = reach.gap(*pair)
        if gap > margin:
            left_out[pair] = f"at least {gap:.3g} m apart, whatever the angles of their joints"
        else:
            near.append(pair)
    if not near:
        return PairChoice((), left_out)
    start = volume_distances(robot, start_of(robot).q, pairs=near, threshold=margin).distance
    states = random_configuration(robot, seed=seed, count=samples)
    distances = volume_distances(robot, states, pairs=near, threshold=margin).distance
    touching, least = (distances < 0.0).mean(axis=0), distances.min(axis=0)
    kept = []
    for k, pair in enumerate(near):
        if start[k] < 0.0:
            left_out[pair] = f"overlap by {-start[k]:.3g} m where the robot starts"
        elif touching[k] > _ALWAYS:
            left_out[pair] = f"overlap in {touching[k]:.0%} of {samples} random configurations"
        elif least[k] > margin:
            left_out[pair] = f"farther apart than {margin:g} m in {samples} random configurations"
        else:
            kept.append(pair)
    return PairChoice(tuple(kept), left_out)


class _Reach:
    """Balls that hold a volume whatever the angles between it and an ancestor."""

    def __init__(self, robot: Robot) -> None:
        self.volumes = {volume.name: volume for volume in robot.volumes}
        self.carrier = {joint.child: joint for joint in robot.joints}

    def gap(self, first: str, second: str) -> float:
        """How far two volumes are apart at the least, m, as far as lengths tell; zero if they do not.

        Up to the joint below the last common ancestor a limb lies in a ball about that joint, and the ancestor keeps
        the two joints at a fixed distance.
        """
        one, other = (self._path(self.volumes[name].body) for name in (first, second))
        while one and other and one[0] is other[0]:
            one, other = one[1:], other[1:]
        ends = []
        for name, path in ((first, one), (second, other)):
            if not path:  # the volume is on the ancestor itself: a ball about its middle
                middle, radius = _ball(self.volumes[name].shape)
                ends.append((middle, radius))
            else:
                ends.append((path[0].placement.translation, self._radius(name, path)))
        (start, first_radius), (end, second_radius) = ends
        return max(0.0, float(np.linalg.norm(start - end)) - first_radius - second_radius)

    def _path(self, body: str) -> list[Joint]:
        path: list[Joint] = []
        while body != WORLD and body in self.carrier:
            path.insert(0, self.carrier[body])
            body = self.carrier[body].parent
        return path

    def _radius(self, name: str, path: list[Joint]) -> float:
        middle, radius = _ball(self.volumes[name].shape)
        total = radius + float(np.linalg.norm(middle))
        for joint in path[1:]:
            total += float(np.linalg.norm(joint.placement.translation))
        return total + sum(_travel(joint) for joint in path)


def _ball(shape: SweptVolume) -> tuple[Array, float]:
    middle = shape.bounds.mean(axis=0)
    radius = max(
        float(np.linalg.norm(each.corners - middle, axis=1).max()) + each.radius for each in shape.elements
    )
    return middle, radius


def _travel(joint: Joint) -> float:
    """How far a joint can move the origin of its child, m."""
    if joint.type in (JointType.FLOATING, JointType.PLANAR):
        return math.inf
    if joint.type is not JointType.PRISMATIC:
        return 0.0
    if not joint.lower or not joint.upper:
        return math.inf
    return max(abs(joint.lower[0]), abs(joint.upper[0]))
