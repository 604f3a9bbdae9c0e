"""Which limits whole-body control keeps: torques, friction, joints, distances; `whole_body_program` makes rows of
them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.control.collision_limits import CollisionLimits, CollisionRows
from footfall.dynamics.configuration import integrate
from footfall.errors import InvalidInput
from footfall.robot.model import Robot

_AHEAD = 1e-5  # s, over which the change of a rate is measured
_SHARPEST = 100.0  # m/s2, that a distance changes by its curvature


@dataclass(frozen=True)
class WholeBodyLimits:
    """torque: whether the efforts of the drives are limited, as the robot says. friction: whether contacts only push
    and hold by friction; otherwise they may pull as well, like bolts. facets: of friction pyramids, inside the cones.
    least_force: that every contact must press with, N. joints: whether positions and velocities of the joints are
    limited, so that they are kept at the end of a horizon (s) of constant acceleration. collisions: what must stay
    apart, in the same way; `approach` and dt do not matter here.
    """

    torque: bool = True
    friction: bool = True
    joints: bool = True
    facets: int = 4
    least_force: float = 0.0
    horizon: float = 0.05
    collisions: CollisionLimits | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.least_force < np.inf:
            raise InvalidInput(f"least_force is {self.least_force} N; it must be finite and at least zero")
        if not isinstance(self.facets, int) or self.facets < 3:
            raise InvalidInput(f"facets is {self.facets}; a pyramid has at least 3, a whole number")
        if self.least_force > 0.0 and not self.friction:
            raise InvalidInput(
                f"least_force is {self.least_force} N; contacts without friction limits may pull"
            )
        if not 0.0 < self.horizon < np.inf:
            raise InvalidInput(f"horizon is {self.horizon} s; it must be finite and above zero")

    def distance_rows(self, robot: Robot, q: Array, v: Array) -> tuple[CollisionRows, Array]:
        """Pairs within reach, and what their distances' `jacobian @ a` must be at least (m,), m/s2.

        A distance stays above the clearance to the end of the horizon; one that is below grows with `recovery`.
        """
        assert self.collisions is not None
        rows, h = self.collisions.rows(robot, q), self.horizon
        if not len(rows.distance):
            return rows, np.zeros(0)
        rate = rows.jacobian @ v
        ahead = self.collisions.model(robot).measure(integrate(robot, q, _AHEAD * v))
        later = np.where(ahead.exact[rows.places], ahead.jacobian[rows.places] @ v, rate)
        # Where the closest elements change, rates jump: that is no acceleration.
        turning = np.clip((later - rate) / _AHEAD, -_SHARPEST, _SHARPEST)
        keeping = 2 * (self.collisions.clearance - rows.distance - rate * h) / h**2
        return rows, np.minimum(keeping, (self.collisions.recovery - rate) / h) - turning
