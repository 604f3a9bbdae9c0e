"""Where an arm can reach, and how well it moves there: cells of space filled by samples of its joints.

    python examples/arm_workspace.py

All joint angles on a grid are put through forward kinematics in batches. Each cell of space that the hand comes to
keeps how often, and the least, mean and greatest of three indices (Seiwald 2023, section 3.3):

    condition        smallest over largest singular value of the hand's Jacobian: 0 singular, 1 alike in all directions
    manipulability   the product of the singular values, in m for each row
    joint room       geometric mean of the rooms that joints have to their stops: 0 at a stop, 1 in the middle

Then the same is asked of arms that do not exist yet: which lengths of two links reach most (`best_lengths`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import footfall
from footfall import JointType, Robot, lock_joints
from footfall.arrays import Array, Integers

BATCH = 1 << 16  # samples at once
RIGHT_ARM = ("afr", "aar", "arr", "efr")  # of LOLA


class Indices(NamedTuple):
    """How well samples (n,) move: see above."""

    condition: Array
    manipulability: Array
    joint_room: Array


class Workspace(NamedTuple):
    """cells (m, 3): places on a grid of `size` (m) that are reached. count (m,): by how many samples. least, mean,
    greatest: the indices of those."""

    size: float
    cells: Integers
    count: Integers
    least: Indices
    mean: Indices
    greatest: Indices

    @property
    def volume(self) -> float:
        """Of all cells, m3; too large by what cells stick out."""
        return len(self.cells) * self.size**3

    @property
    def centers(self) -> Array:
        """(m, 3), m."""
        return np.asarray((self.cells + 0.5) * self.size)

    @property
    def compactness(self) -> float:
        """Mean squared distance from the middle of a ball of the same volume, 3/5 R^2, over that of the cells."""
        radius = np.cbrt(3.0 * self.volume / (4.0 * np.pi))
        spread = np.square(self.centers - self.centers.mean(axis=0)).sum(axis=1).mean()
        return float(0.6 * radius**2 / spread)


def indices_of(jacobian: Array, q: Array, lower: Array, upper: Array, *, length: float = 1.0) -> Indices:
    """jacobian: (..., rows, joints) of linear velocities, m/rad; q, lower, upper: (..., joints), rad. length: m, by
    which the rows are divided, of the stretched arm say."""
    values = np.linalg.svd(jacobian / length, compute_uv=False)
    room = np.minimum(upper - q, q - lower) / (0.5 * (upper - lower))  # Seiwald 2023, (3.5)
    geometric = np.exp(np.log(np.maximum(room, 1e-300)).mean(axis=-1))
    return Indices(values[..., -1] / values[..., 0], values.prod(axis=-1), geometric)


def joint_range(robot: Robot) -> tuple[Array, Array]:
    """Least and greatest angles (joints,), rad; half a turn either way where there is no stop."""
    return np.maximum(robot.lower_limits, -np.pi), np.minimum(robot.upper_limits, np.pi)


def sample_counts(robot: Robot, frame: str, step: float) -> list[int]:
    """How many samples each joint gets so that none moves the frame by more than a step, m, at its farthest: chords of
    the circle about its axis whose radius is all that follows."""
    joints = [joint for joint in robot.joints if joint.type is not JointType.FIXED]
    neutral = footfall.neutral(robot)
    points = [
        footfall.frame_pose(robot, neutral, name).translation for name in (*[j.child for j in joints], frame)
    ]
    levers = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)[::-1])[::-1]
    lower, upper = joint_range(robot)
    ranges = np.minimum(upper - lower, np.pi)
    return [max(1, int(np.ceil(chord / step))) for chord in 2.0 * levers * np.sin(ranges / 2.0)]


def joint_grid(robot: Robot, counts: list[int]) -> Iterator[Array]:
    """All combinations of the joints' angles, batch by batch (n, joints): each in the middle of its share."""
    lower, upper = joint_range(robot)
    width = (upper - lower) / counts
    for first in range(0, int(np.prod(counts)), BATCH):
        numbers = np.arange(first, min(first + BATCH, int(np.prod(counts))))
        places = np.stack(np.unravel_index(numbers, counts), axis=1)
        yield lower + (places + 0.5) * width


def analyse(robot: Robot, frame: str, *, size: float, step: float, rows: int = 3) -> Workspace:
    """The workspace of a frame of an arm whose base is fixed, in cells of a size, m.

    step: m, the farthest that the frame moves from one sample to the next. rows: 2 for an arm in the xy plane.
    """
    found = _Gathered(size)
    for q in joint_grid(robot, sample_counts(robot, frame, step)):
        position = np.asarray(footfall.frame_pose(robot, q, frame).translation)
        jacobian = np.asarray(footfall.frame_jacobian(robot, q, frame))[:, :rows]
        found.add(position, indices_of(jacobian, q, *joint_range(robot)))
    return found.workspace()


class _Gathered:
    """Cells while samples come in: rows [count, sum, least, greatest of each index] by cell."""

    def __init__(self, size: float) -> None:
        self._size = size
        self._rows: dict[tuple[int, ...], Array] = {}

    def add(self, positions: Array, indices: Indices) -> None:
        cells, which = np.unique(
            np.floor(positions / self._size).astype(np.int64), axis=0, return_inverse=True
        )
        which = which.reshape(-1)
        order = np.argsort(which, kind="stable")
        starts = np.searchsorted(which[order], np.arange(len(cells)))
        values = np.stack(indices, axis=1)[order]
        count = np.bincount(which, minlength=len(cells))[:, None]
        parts = [
            count, np.add.reduceat(values, starts), np.minimum.reduceat(values, starts),
            np.maximum.reduceat(values, starts),
        ]  # fmt: skip
        for cell, row in zip(map(tuple, cells.tolist()), np.hstack(parts), strict=True):
            known = self._rows.get(cell)
            self._rows[cell] = row if known is None else _joined(known, row)

    def workspace(self) -> Workspace:
        cells = np.array(list(self._rows), dtype=np.int64).reshape(-1, 3)
        table = np.array(list(self._rows.values())).reshape(-1, 10)
        mean, least, greatest = table[:, 1:4] / table[:, :1], table[:, 4:7], table[:, 7:10]
        kinds = (Indices(*part.T) for part in (least, mean, greatest))
        return Workspace(self._size, cells, table[:, 0].astype(np.int64), *kinds)


def _joined(one: Array, other: Array) -> Array:
    sums, least = one[:4] + other[:4], np.minimum(one[4:7], other[4:7])
    return np.concatenate([sums, least, np.maximum(one[7:], other[7:])])


def spiral_points(count: int) -> Array:
    """Directions (count, 3) spread evenly over all, two at least (Saff and Kuijlaars 1997): to come from to a cell."""
    height = np.linspace(-1.0, 1.0, count)
    turn = np.zeros(count)
    inner = 3.6 / np.sqrt(count) / np.sqrt(1.0 - height[1:-1] ** 2)
    turn[1:-1] = np.cumsum(inner)
    radius = np.sqrt(1.0 - height**2)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)


def best_lengths(
    value: Callable[[Array], float], lower: Array, upper: Array, *, rounds: int = 30, seed: int = 0
) -> Array:
    """Parameters (n,) within bounds (n,) whose value is greatest, by a swarm of 16 particles (Kennedy and Eberhart)."""
    random = np.random.default_rng(seed)
    place = random.uniform(lower, upper, size=(16, len(lower)))
    speed = np.zeros_like(place)
    own, values = place.copy(), np.array([value(each) for each in place])
    for _ in range(rounds):
        best = own[values.argmax()]
        to_own, to_best = random.random((2, *place.shape))
        speed = 0.7 * speed + 1.5 * to_own * (own - place) + 1.5 * to_best * (best - place)
        place = np.clip(place + speed, lower, upper)
        now = np.array([value(each) for each in place])
        better = now > values
        own[better], values[better] = place[better], now[better]
    return np.asarray(own[values.argmax()])


def lola_arm() -> Robot:
    """LOLA with a fixed torso, of which only the right arm moves."""
    lola = footfall.load("lola", floating_base=False)
    return lock_joints(lola, [name for name in lola.joint_names if name not in RIGHT_ARM])


def main() -> None:
    arm = lola_arm()
    fine = analyse(arm, "RH", size=0.1, step=0.04)
    # The three axes of the shoulder meet: what is reached is a shell around it, 0.15 to 0.73 m from the shoulder.
    print(f"volume {fine.volume:.2f} m3 in cells of 10 cm; the shell has 1.61 m3")
    print(f"compactness {fine.compactness:.2f}; a ball has 1")
    best = fine.centers[fine.greatest.condition.argmax()]
    print(f"moves most alike in all directions at {best.round(2)} m: {fine.greatest.condition.max():.2f}")


if __name__ == "__main__":
    main()
