"""What a use case of hybrid dynamics comes to: the simulated course, its criteria, and curves to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.math.rotations import yaw_of
from footfall.robot.model import Robot
from footfall.scene.model import Scene
from footfall.simulation.run_values import Trajectory


class Criterion(NamedTuple):
    """A number that must lie between two bounds; `what` has its unit."""

    what: str
    value: float
    low: float = -np.inf
    high: float = np.inf

    @property
    def passed(self) -> bool:
        return bool(self.low <= self.value <= self.high)

    @property
    def demand(self) -> str:
        """The bounds as text."""
        if np.isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if np.isinf(self.high) else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, eq=False)
class HybridRun:
    """A use case that has run.

    robot: all that moves, as simulated. trajectory: one row a step of dt (s). criteria: of Devaramani 2019, chapter 1.
    panels: by title, curves (n,) by label. paths: curves (n, 2) in the plane by label, m. outlines: polygons (k, 2), m.
    """

    name: str
    title: str
    robot: Robot
    scene: Scene
    dt: float
    trajectory: Trajectory
    criteria: tuple[Criterion, ...]
    panels: Mapping[str, Mapping[str, Array]]
    paths: Mapping[str, Array] = field(default_factory=dict)
    outlines: Mapping[str, Array] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether all criteria hold."""
        return all(criterion.passed for criterion in self.criteria)


def yaw_angles(quaternions: Array) -> Array:
    """Angles (n,) about z of quaternions (n, 4) of bodies that stand upright, rad, unwrapped."""
    return np.unwrap(yaw_of(quaternions))
