"""Things that a robot must not touch, as volumes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from footfall.errors import RobotError
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.math.transform import Transform, identity_transform
from footfall.robot.values import Value


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle(Value):
    """Something that a robot must not touch: a volume, and where its frame stands in the world."""

    name: str
    shape: SweptVolume
    placement: Transform = field(default_factory=identity_transform)

    def __post_init__(self) -> None:
        subject = ("obstacle", self.name)
        shape: object = self.shape
        if isinstance(shape, SweptSphere):
            object.__setattr__(self, "shape", SweptVolume((shape,)))
        elif not isinstance(shape, SweptVolume):
            raise RobotError(f"shape is {shape!r}; it must be a SweptVolume", subject=subject)
        numbers = np.concatenate([np.ravel(self.placement.rotation), np.ravel(self.placement.translation)])
        if not np.isfinite(numbers).all():
            raise RobotError(f"placement is {self.placement}; it must be finite", subject=subject)

    def moved(self, placement: Transform) -> Obstacle:
        """The same thing somewhere else."""
        return replace(self, placement=placement)
