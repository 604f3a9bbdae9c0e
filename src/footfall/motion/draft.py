"""A motion whose torso is still to be found: what stages 3 to 13 give to the torso stages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.curves import LimbCurves, numbers_of
from footfall.motion.packed_curves import PackedCurves, packed
from footfall.motion.samples import column_of

_WITHOUT_HANDS = numbers_of("zmp", "right_foot", "left_foot", "upper_body")
_HANDS = numbers_of("right_selection", "left_selection", "right_hand", "left_hand", "load")
_MOMENTUM = np.array([len(LimbCurves.places)])
_WITH_HANDS = np.concatenate([_WITHOUT_HANDS, _HANDS])


@dataclass(frozen=True, eq=False)
class Draft(LimbCurves):
    """Trajectories of a sequence, and what the torso shall do.

    pose_times (K + 1,): begin of the first transition and end of each, s. com_heights (K + 1,): wanted height of the
    centre of mass in the world at these times. last_duration: of the last transition, s. torso_start (3, 3): value,
    velocity and acceleration of the torso to continue from. momentum (3,): see `momentum_excess`; None if there is no
    whole robot. momentum_start (3, 3): value, rate and second derivative of it to continue from.
    upper_body_start (10,): orientation and angular velocity of the upper body where it is continued, if a model lets it
    lean.
    """

    pose_times: Array
    com_heights: Array
    last_duration: float
    torso_start: Array | None = None
    momentum: PolynomialTrajectory | None = None
    momentum_start: Array | None = None
    upper_body_start: Array | None = None

    @property
    def begin_time(self) -> float:
        """First time, s."""
        return float(self.pose_times[0])

    @property
    def end_time(self) -> float:
        """Last time, s."""
        return float(self.pose_times[-1])

    @cached_property
    def packed(self) -> PackedCurves:
        """All trajectories for native loops, the momentum last."""
        limbs: list[tuple[Any, int]] = [(getattr(self, name), place) for name, place in self.places.items()]
        if self.momentum is not None:
            limbs.append((self.momentum, column_of("momentum")))
        return packed(limbs)

    @cached_property
    def masses(self) -> PackedCurves:
        """What the five masses depend on, and the zero-moment point; hands count only if they are ever in task
        space."""
        used = np.count_nonzero(self.right_selection.coefficients) or np.count_nonzero(
            self.left_selection.coefficients
        )
        return self.packed.only(
            np.concatenate([_WITH_HANDS if used else _WITHOUT_HANDS, _MOMENTUM[: self.momentum is not None]])
        )
