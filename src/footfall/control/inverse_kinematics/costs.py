"""Costs for what tasks leave free: comfort and stops, volumes that come close, poses that lose a direction.

Schwienbacher 2014, chapters 4 and 5. A rate solver uses minus the gradient as a velocity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from footfall.arrays import Array, Integers
from footfall.compiler import less, maximum, where
from footfall.control.inverse_kinematics.limits import Limits, position_limits, single_coordinates
from footfall.control.tasks.rows import AXES, chosen_rows, row_places
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_rate
from footfall.dynamics.volume_distances import volume_distances
from footfall.errors import InvalidInput
from footfall.geometry.swept_pairs import VolumeDistances
from footfall.math.positive_definite import solve_positive_definite
from footfall.math.spatial import symmetric
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair


class NullSpaceCost(Protocol):
    """What can be made small by motion that no task sees."""

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,), whose negative is used as a velocity; q (nq,) may be symbols."""


@dataclass(frozen=True)
class CostSum:
    """Several costs as one."""

    costs: tuple[NullSpaceCost, ...]

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""
        return sum(cost.value(robot, q) for cost in self.costs)

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,)."""
        total: Array = np.sum([cost.gradient(robot, q) for cost in self.costs], axis=0)
        return total


@dataclass(frozen=True)
class RepulsiveCost:
    """Pushes volumes apart that are closer than `reach` (m), the more the closer, Schwienbacher 2014, (5.10) to (5.15).

    strength: slope of the cost where volumes touch, large enough to beat other costs; the joints' velocities are it
    times the Jacobian of the distance (m/rad). blend: of the slope's course, in [0, 1]: 0 is quadratic, smooth at the
    reach but steep near zero, 1 linear with a kink at the reach; between them linear near zero, then quadratic. pairs:
    names of volumes; by default those that the robot names. step: s; where a step of this length would overshoot, the
    pushes of pairs that move the same joints are weakened until it does not (without a step nothing is weakened, and
    `GuardedRate` warns).
    """

    reach: float = 0.1
    strength: float = 2.0
    blend: float = 0.5
    pairs: tuple[Pair, ...] | None = None
    step: float | None = None

    def __post_init__(self) -> None:
        if not (0.0 < self.reach < np.inf and 0.0 <= self.strength < np.inf and 0.0 <= self.blend <= 1.0):
            raise InvalidInput(
                f"reach is {self.reach}, strength {self.strength}, blend {self.blend}; "
                "they must be above zero, at least zero, and from 0 to 1"
            )
        if self.step is not None and not 0.0 < self.step < np.inf:
            raise InvalidInput(f"step is {self.step} s; it must be finite and above zero, or None")

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,): the sum over all pairs."""
        return self.potential(
            volume_distances(robot, q, pairs=self.pairs, threshold=self.reach).distance
        ).sum()

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,); q (nq,) may be symbols."""
        found = volume_distances(robot, q, pairs=self.pairs, threshold=self.reach)
        weaker = 1.0 if self.step is None else maximum(self.step * self._stiffness(found), 1.0)
        pushed: Array = (self.slope(found.distance) / weaker) @ found.jacobian
        return -pushed  # Schwienbacher 2014, (5.9), its sign corrected

    def stiffness(self, robot: Robot, q: Array) -> Any:
        """How fast pushes fade as volumes part, 1/s: steps longer than one over it overshoot, longer than two ring."""
        return self._stiffness(volume_distances(robot, q, pairs=self.pairs, threshold=self.reach)).max()

    def _stiffness(self, found: VolumeDistances) -> Any:
        """Of each pair (m,), with what others add that move the same joints.

        Pushes that fade by f a metre change distances by `J J^T f`. Divided by at least the row sums of
        `sqrt(f) |J| |J^T| sqrt(f)` no eigenvalue of that is above one, also of what a projection leaves of it.
        """
        roots, ways = np.sqrt(self.fading(found.distance)), np.abs(found.jacobian)
        return roots * (ways @ (roots @ ways))

    def fading(self, distance: Any) -> Any:
        """Minus the derivative of the slope at signed distances (...), 1/m."""
        s, a, t = self.strength, self.reach, self.blend
        smooth = 0.0 if t == 1.0 else 2.0 * s * (a - distance) / (a**2 * (1.0 - t**2))
        return where(less(distance, t * a), 2.0 * s / (a * (1.0 + t)), where(less(distance, a), smooth, 0.0))

    def slope(self, distance: Any) -> Any:
        """Minus dH/dd of a pair at signed distances (...), m: `strength` at zero, none from `reach` on."""
        s, a, t = self.strength, self.reach, self.blend
        linear = s - 2.0 * s * distance / (a * (1.0 + t))  # Schwienbacher 2014, (5.15)
        smooth = 0.0 if t == 1.0 else s * (a - distance) ** 2 / (a**2 * (1.0 - t**2))
        return where(less(distance, t * a), linear, where(less(distance, a), smooth, 0.0))

    def potential(self, distance: Any) -> Any:
        """H of a pair at signed distances (...), m."""
        s, a, t = self.strength, self.reach, self.blend
        at_blend = s * a * (1.0 - t) ** 2 / (3.0 * (1.0 + t))
        depth = t * a - distance
        near = at_blend + s * depth - s * depth * (t * a + distance) / (a * (1.0 + t))
        far = 0.0 if t == 1.0 else s * (a - distance) ** 3 / (3.0 * a**2 * (1.0 - t**2))
        return where(less(distance, t * a), near, where(less(distance, a), far, 0.0))


@dataclass(frozen=True)
class ComfortCost:
    """A cost that pulls joints to a comfortable pose and away from their stops, Schwienbacher 2014, (4.6)-(4.16).

    `H = k_c (q - q_c)^2 / 2`, and `k_l d^2 / 2` for the way d that a joint is beyond a soft limit, which lies `margin`
    (rad or m) inside the hard one. comfort: q_c (nq,) as a tuple. comfort_gain, limit_gain: in 1/s, since the gradient
    is used as a velocity.
    """

    comfort: tuple[float, ...]
    comfort_gain: float = 0.1
    limit_gain: float = 1.0
    margin: float = 0.1

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""
        at, comfort, below, above = self._terms(robot, q)
        return (self.comfort_gain * (at - comfort) ** 2 + self.limit_gain * (below**2 + above**2)).sum() / 2

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,): zero for floating bases and ball joints."""
        at, comfort, below, above = self._terms(robot, q)
        slopes = self.comfort_gain * (at - comfort) + self.limit_gain * (above - below)
        result: list[Any] = [0.0] * robot.nv
        for index, slope in zip(self._places(robot)[1], slopes, strict=True):
            result[index] = slope
        return np.array(result)

    def _places(self, robot: Robot) -> tuple[Integers, Integers]:
        in_q, in_v = single_coordinates(robot)
        joints = np.isin(in_v, _joint_velocities(robot))
        return in_q[joints], in_v[joints]

    def _terms(self, robot: Robot, q: Array) -> tuple[Array, Array, Array, Array]:
        if len(self.comfort) != robot.nq:
            raise InvalidInput(
                f"comfort has {len(self.comfort)} entries; robot {robot.name!r} has nq {robot.nq}"
            )
        in_q, in_v = self._places(robot)
        lower, upper = position_limits(robot, Limits(velocity=None))
        at = q[in_q]
        # Infinite limits have no slope: far away but finite, so that symbols stay finite.
        below = maximum(np.maximum(lower[in_v], -1e9) + self.margin - at, 0.0)
        above = maximum(at - np.minimum(upper[in_v], 1e9) + self.margin, 0.0)
        return at, np.array(self.comfort)[in_q], below, above


@dataclass(frozen=True)
class ManipulabilityCost:
    """`H = -gain log w` of the manipulability `w = sqrt(det(J J^T))` of a frame, Yoshikawa 1985.

    Schwienbacher 2014, (4.22).
    The logarithm makes it a matter of ratios: units of length, and lengths against angles, play no part. gain: 1/s,
    since the gradient is used as a velocity. rows: of the motion that should stay possible, by axes of the world.
    damping: added to the singular values, m or 1, so that the cost has an end in singular poses. Only joints count: a
    floating base could move the frame anywhere.
    """

    frame: str
    gain: float = 0.1
    rows: str | Sequence[str] = AXES
    damping: float = 1e-3

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", chosen_rows(self.rows, AXES, "manipulability"))
        if not (0.0 <= self.gain < np.inf and 0.0 < self.damping < np.inf):
            raise InvalidInput(
                f"gain is {self.gain}, damping {self.damping}; they must be at least zero and above zero"
            )

    def value(self, robot: Robot, q: Array) -> Any:
        """H at q (nq,)."""
        pivots = _pivots(self._square(self._jacobian(robot, q)))
        return -self.gain / 2 * sum(np.log(pivot) for pivot in pivots)

    def gradient(self, robot: Robot, q: Array) -> Array:
        """dH/dv (nv,): zero for the velocities of a floating base."""
        jacobian = self._jacobian(robot, q)
        square, places = self._square(jacobian), _joint_velocities(robot)
        # d log det(A) = tr(A^-1 dA), A = J J^T + damping^2
        solved = np.stack([solve_positive_definite(square, column) for column in jacobian.T], axis=1)
        slopes: list[Any] = [0.0] * robot.nv
        for velocity in places:
            turned = frame_jacobian_rate.textbook(robot, q, np.eye(robot.nv)[velocity], self.frame)
            slopes[velocity] = -self.gain * (solved * turned[row_places(self.rows, AXES)][:, places]).sum()
        return np.array(slopes)

    def _jacobian(self, robot: Robot, q: Array) -> Array:
        every = frame_jacobian.textbook(robot, q, self.frame)
        result: Array = every[row_places(self.rows, AXES)][:, _joint_velocities(robot)]
        return result

    def _square(self, jacobian: Array) -> Array:
        size, added = len(jacobian), self.damping**2
        return symmetric(size, lambda i, j: jacobian[i] @ jacobian[j] + (added if i == j else 0.0))


def _pivots(matrix: Array) -> list[Any]:
    """Of Gauss' elimination of a positive definite matrix (n, n): their product is its determinant."""
    rows = [list(row) for row in matrix]
    for i, pivot_row in enumerate(rows):
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / pivot_row[i]
            rows[j] = [entry - factor * above for entry, above in zip(rows[j], pivot_row, strict=True)]
    return [rows[i][i] for i in range(len(rows))]


def _joint_velocities(robot: Robot) -> list[int]:
    """Places in v of all joints but floating bases."""
    base = {
        index
        for joint in robot.joints
        if joint.type == "floating"
        for index in range(robot.nv)[robot.v_slice(joint.name)]
    }
    return [index for index in range(robot.nv) if index not in base]
