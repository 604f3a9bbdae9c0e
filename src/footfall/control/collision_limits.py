"""Limits that keep a robot off itself and off obstacles: how fast distances may shrink (Faverjon and Tournassoud 1987).

A distance d of two volumes may not fall faster than in proportion to what is left above the clearance, so that it
never gets there. Below the clearance it must grow, as far as that can be had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Integers
from footfall.control.inverse_kinematics.limits import Bounds
from footfall.dynamics.collision_distances import CollisionModel
from footfall.errors import InvalidInput
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.obstacles import Obstacle
from footfall.robot.volumes import Pair, as_pairs

_ROUNDING = 1e-6  # m/s, by which solvers miss rates
_MODELS = 8  # that are kept with a robot


@dataclass(frozen=True)
class CollisionLimits:
    """What must stay apart, and how.

    pairs: names of the robot's own volumes, two and two; None: those that the robot names, or all that can meet; ():
    none. obstacles: kept off all of the robot's volumes. touching: pairs of names, of volumes and obstacles, that may
    touch, as a hand and the wall it leans on. clearance: m, that is kept. reach: m; pairs farther apart do not count.
    approach: what part of the way to the clearance one step may use. recovery: m/s, with which pairs that are closer
    than the clearance are parted at most. farthest: rad or m, that a step may move a coordinate; beyond, rates say
    nothing about distances.
    """

    pairs: tuple[Pair, ...] | None = None
    obstacles: tuple[Obstacle, ...] = ()
    touching: tuple[Pair, ...] = ()
    clearance: float = 0.01
    reach: float = 0.1
    approach: float = 0.3
    recovery: float = 0.5
    farthest: float = 0.1

    def __post_init__(self) -> None:
        if self.pairs is not None:
            object.__setattr__(self, "pairs", as_pairs(self.pairs))
        object.__setattr__(self, "touching", as_pairs(self.touching))
        object.__setattr__(self, "obstacles", tuple(self.obstacles))
        for each in self.obstacles:
            if not isinstance(each, Obstacle):
                raise InvalidInput(f"obstacles have {each!r}; each must be an Obstacle of footfall.volumes")
        if not 0.0 <= self.clearance < self.reach < np.inf:
            raise InvalidInput(
                f"clearance is {self.clearance} m, reach {self.reach} m; the clearance must be at least zero and the "
                "reach larger and finite"
            )
        if not self.farthest > 0.0:
            raise InvalidInput(f"farthest is {self.farthest}; it must be above zero")
        if not (0.0 < self.approach <= 1.0 and 0.0 < self.recovery < np.inf):
            raise InvalidInput(
                f"approach is {self.approach}, recovery {self.recovery} m/s; they must be above zero, the approach "
                "at most 1"
            )

    def model(self, robot: Robot) -> CollisionModel:
        """What measures these pairs of a robot; kept with the robot."""
        kept = robot.tree.kernels.setdefault("collision models", {})
        found = kept.get(self)
        if found is None:
            while len(kept) >= _MODELS:
                del kept[next(iter(kept))]
            found = kept[self] = CollisionModel(
                robot,
                pairs=self.pairs,
                obstacles=self.obstacles,
                touching=self.touching,
                threshold=self.reach,
            )
        model: CollisionModel = found
        return model

    def rows(
        self, robot: Robot, q: Array, placements: Mapping[str, Transform] | None = None
    ) -> CollisionRows:
        """The pairs within reach at q (nq,). placements: where obstacles stand now, by name."""
        model = self.model(robot)
        found = model.measure(q, placements)
        near = np.flatnonzero(found.exact)
        return CollisionRows(
            found.jacobian[near], found.distance[near], tuple(model.pairs[k] for k in near.tolist()), near
        )

    def slowed(self, lower: Array, upper: Array, dt: float, rows: CollisionRows) -> Bounds:
        """Bounds (nv,) on v with those of a step of dt, s, where any pair is within reach."""
        if not len(rows.distance):
            return Bounds(lower, upper)
        fastest = self.farthest / dt
        return Bounds(np.clip(lower, -fastest, fastest), np.clip(upper, -fastest, fastest))

    def least_rates(self, distance: Array, dt: float) -> Array:
        """How fast distances (m,) must at least grow, m/s; negative: how fast they may shrink. dt: s, of a step."""
        return np.minimum(self.approach / dt * (self.clearance - distance), self.recovery)


class CollisionRows(NamedTuple):
    """Pairs of elements within reach: rates of their distances are `jacobian @ v` (m, nv); distance (m,), m; pairs: the
    names of their volumes; places (m,): which of the model's pairs they are."""

    jacobian: Array
    distance: Array
    pairs: tuple[Pair, ...]
    places: Integers

    def missing(self, v: Array, least: Array) -> dict[Pair, float]:
        """By how much rates at v (nv,) stay below the least ones (m,), m/s, where they do."""
        left = (least - self.jacobian @ v).tolist()
        found: dict[Pair, float] = {}
        for pair, missed in zip(self.pairs, left, strict=True):
            if missed > _ROUNDING:
                found[pair] = max(missed, found.get(pair, 0.0))
        return found

    def least_distances(self) -> dict[Pair, float]:
        """The least distance of each pair of volumes, m."""
        found: dict[Pair, float] = {}
        for pair, distance in zip(self.pairs, self.distance.tolist(), strict=True):
            found[pair] = min(distance, found.get(pair, np.inf))
        return found
