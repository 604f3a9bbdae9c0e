"""A motion whose torso is still to be found: what stages 3 to 13 give to the torso stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.trajectories import PolynomialTrajectory

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Draft:
    """Trajectories of a sequence in world axes, m and rad.

    zmp (3,), feet and hands (3,) each. toes (2,): joint angles of the right and left toe. selection (2,): of RH, LH.
    load (16,): load factors and wrenches, see `plan_load`. pose_times (K + 1,): begin of the first transition and end
    of each, s. com_heights (K + 1,): wanted height of the centre of mass in the world at these times. last_duration: of
    the last transition, s. torso_start (3, 3): value, velocity and acceleration of the torso to continue from.
    """

    zmp: PolynomialTrajectory
    right_foot: PolynomialTrajectory
    left_foot: PolynomialTrajectory
    right_hand: PolynomialTrajectory
    left_hand: PolynomialTrajectory
    right_toe: PolynomialTrajectory
    left_toe: PolynomialTrajectory
    right_selection: PolynomialTrajectory
    left_selection: PolynomialTrajectory
    load: PolynomialTrajectory
    upper_body: QuaternionTrajectory
    head: QuaternionTrajectory
    right_foot_rotation: QuaternionTrajectory
    left_foot_rotation: QuaternionTrajectory
    pose_times: Array
    com_heights: Array
    last_duration: float
    torso_start: Array | None = None

    @property
    def begin_time(self) -> float:
        """First time, s."""
        return float(self.pose_times[0])

    @property
    def end_time(self) -> float:
        """Last time, s."""
        return float(self.pose_times[-1])
