"""Distances of a robot's volumes from each other and from obstacles, for those who ask at many configurations.

Obstacles are numbers: other ones, or other places for them, compile nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.dynamics.volume_distances import carried_kernel, independent_rows
from footfall.errors import RobotError, UnknownName
from footfall.geometry.swept_distance import checked_threshold
from footfall.geometry.swept_pairs import VolumeDistances, distances_at, pack_model
from footfall.geometry.swept_sphere import SweptVolume
from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Robot
from footfall.robot.obstacles import Obstacle
from footfall.robot.volumes import Pair, as_pairs, changing_velocities, checked_pairs


def robot_obstacles(robot: Robot, q: Array) -> tuple[Obstacle, ...]:
    """The volumes of another robot at its configuration q (nq,), named after it and them."""
    bodies = tuple(dict.fromkeys(volume.body for volume in robot.volumes))
    positions, rotations = forward_kinematics(robot, q, frames=bodies)
    return tuple(
        Obstacle(
            f"{robot.name}/{volume.name}",
            volume.shape,
            Transform(rotations[bodies.index(volume.body)], positions[bodies.index(volume.body)]),
        )
        for volume in robot.volumes
    )


def _wanted_pairs(
    robot: Robot, obstacles: Sequence[Obstacle], pairs: Sequence[Pair] | None, touching: Sequence[Pair]
) -> list[Pair]:
    """Names of volumes and obstacles that are measured, two and two, see `CollisionModel`."""
    own, others = [volume.name for volume in robot.volumes], [each.name for each in obstacles]
    if not own:
        message = "has no volumes; give them in its file or use footfall.volumes.fit_volumes"
        raise RobotError(message, subject=("robot", robot.name))
    known = {*own, *others}
    if len(known) < len(own) + len(others):
        message = "two obstacles, or an obstacle and a volume of the robot, have the same name"
        raise RobotError(message, subject=("robot", robot.name))
    allowed = {frozenset(pair) for pair in as_pairs(touching)}
    chosen = checked_pairs(robot) if pairs is None else as_pairs(pairs)
    for name in (name for pair in (*chosen, *allowed) for name in pair):
        if name not in known:
            raise UnknownName("volume", name, sorted(known), f"robot {robot.name!r}")
    between = [(name, other) for name in own for other in others]
    return [pair for pair in (*chosen, *between) if frozenset(pair) not in allowed]


class CollisionModel:
    """Pairs of elements of a robot's volumes, and of these with obstacles.

    Every element counts by itself: of volumes, only the closest elements would be known, and while these are kept
    apart others could close the gap within a step.
    pairs: names of own volumes, two and two; None: those that the robot names, or all that can meet. obstacles: all
    of the robot's volumes are kept off them. touching: pairs of names, of own volumes and obstacles, that may touch.
    threshold: m; pairs farther apart are not measured. `pairs` has the names of the volumes of each pair of elements.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        pairs: Sequence[Pair] | None = None,
        obstacles: Sequence[Obstacle] = (),
        touching: Sequence[Pair] = (),
        threshold: float = np.inf,
    ) -> None:
        wanted = _wanted_pairs(robot, obstacles, pairs, touching)
        self.robot, self.obstacles = robot, tuple(obstacles)
        self.bodies = tuple(dict.fromkeys(volume.body for volume in robot.volumes))
        # Own volumes first, then obstacles: what each is, on which body, and the number of its pose.
        names = [*(volume.name for volume in robot.volumes), *(each.name for each in obstacles)]
        shapes = [*(volume.shape for volume in robot.volumes), *(each.shape for each in obstacles)]
        carriers = [*(volume.body for volume in robot.volumes), *(WORLD for _ in obstacles)]
        poses = [self.bodies.index(volume.body) for volume in robot.volumes]
        poses += range(len(self.bodies), len(self.bodies) + len(obstacles))
        starts = np.cumsum([0, *(len(shape) for shape in shapes)]).tolist()
        elements = {name: range(starts[k], starts[k + 1]) for k, name in enumerate(names)}
        pairs_of_elements, places, columns = [], [], []
        for first, second in wanted:
            own = [(i, j) for i in elements[first] for j in elements[second]]
            ends = carriers[names.index(first)], carriers[names.index(second)]
            places += own
            columns += [changing_velocities(robot.tree, *ends)] * len(own)
            pairs_of_elements += [(first, second)] * len(own)
        self.pairs = tuple(pairs_of_elements)
        self._model = pack_model(
            [SweptVolume((element,)) for shape in shapes for element in shape.elements],
            [pose for pose, shape in zip(poses, shapes, strict=True) for _ in shape.elements],
            places,
            threshold=checked_threshold(threshold),
            columns=columns,
        )
        self._kernel = carried_kernel(robot, self.bodies)
        self._positions = np.array([each.placement.translation for each in obstacles]).reshape(-1, 3)
        self._rotations = np.array([each.placement.rotation for each in obstacles]).reshape(-1, 3, 3)

    def measure(self, q: Array, placements: Mapping[str, Transform] | None = None) -> VolumeDistances:
        """Distances of all pairs of elements at q (nq,).

        placements: where obstacles stand now, by name; others have not moved.
        """
        positions, rotations, motions = self._kernel(q)
        if self.obstacles:
            own_positions, own_rotations = self._positions, self._rotations
            if placements:
                own_positions, own_rotations = self._moved(placements)
            positions = np.concatenate([positions, own_positions])
            rotations = np.concatenate([rotations, own_rotations])
        found = distances_at(self._model, positions, rotations, motions)
        return found._replace(jacobian=independent_rows(self.robot, q, found.jacobian))

    def _moved(self, placements: Mapping[str, Transform]) -> tuple[Array, Array]:
        names = [each.name for each in self.obstacles]
        positions, rotations = self._positions.copy(), self._rotations.copy()
        for name, pose in placements.items():
            if name not in names:
                raise UnknownName("obstacle", name, names, f"robot {self.robot.name!r}")
            positions[names.index(name)], rotations[names.index(name)] = pose.translation, pose.rotation
        return positions, rotations
