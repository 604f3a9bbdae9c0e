"""Where a hand gets, seen from its shoulder: what planner and generator ask before they send a hand anywhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array, Flags


class HandSpace(NamedTuple):
    """Cells that a right hand reaches within the limits of its arm's joints and without touching the robot.

    corner (3,): lowest corner of the first cell from the shoulder, axes of the upper body, m. size: of a cell, m. cells
    (x, y, z): whether the hand gets there. The left hand gets to the mirrored places.
    """

    corner: Array
    size: float
    cells: Flags

    def contains(self, points: Array, *, left: bool = False, within: float = 0.0) -> Flags:
        """Whether the right (or left) hand reaches points (n, 3) from its shoulder, m, or one that is off by up to
        `within` along each axis: (n,)."""
        points = np.asarray(points) * ([1.0, -1.0, 1.0] if left else [1.0, 1.0, 1.0])
        found = np.zeros(len(points), dtype=np.bool_)
        for shift in np.stack(np.meshgrid(*[(-within, 0.0, within)] * 3), axis=-1).reshape(-1, 3):
            places = np.floor((points + shift - self.corner) / self.size).astype(np.int64)
            inside = ((places >= 0) & (places < self.cells.shape)).all(axis=1)
            x, y, z = np.where(inside[:, None], places, 0).T
            found |= inside & self.cells[x, y, z]
        return found
