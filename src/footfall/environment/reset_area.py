"""The ground under the robot, which no camera sees: a disc that is believed in from the start."""

from __future__ import annotations

import numpy as np

from footfall.environment.model import EnvironmentUpdate
from footfall.environment.patch import CELL, SIDE, Patch, quantised
from footfall.environment.terrain import Terrain, empty_patch
from footfall.errors import InvalidEnvironment


def reset_area(
    terrain: Terrain,
    center: tuple[float, float],
    height: float,
    *,
    radius: float = 0.6,
    rim: float = 0.1,
) -> EnvironmentUpdate:
    """Update that puts a level disc at `center` (x, y) and `height`, all in m.

    Within `radius` - `rim` the confidence is 1, from there it falls to 0 at `radius`. A cell that is better known
    than the disc stays as it is; if it was equally known the disc counts.
    """
    numbers = (*center, height, radius, rim)
    if not np.isfinite(numbers).all() or not 0.0 <= rim <= radius or not 0.0 < radius <= 20.0:
        raise InvalidEnvironment(
            f"center is {center}, height {height:g}, radius {radius:g}, rim {rim:g}; all must be finite, rim from 0 "
            "to radius, radius up to 20 m",
            subject=("terrain", "reset area"),
        )
    first, last = (
        np.floor((np.array(center) + side * radius) / (CELL * SIDE)).astype(int) for side in (-1, 1)
    )
    patches = {}
    for i in range(first[0], last[0] + 1):
        for j in range(first[1], last[1] + 1):
            x = (i * SIDE + np.arange(SIDE) + 0.5) * CELL - center[0]
            y = (j * SIDE + np.arange(SIDE) + 0.5) * CELL - center[1]
            inside = radius - np.hypot(x[:, None], y[None, :])
            sure = np.clip(inside / rim, 0.0, 1.0) if rim > 0.0 else (inside > 0.0).astype(np.float64)
            heights, confidence = quantised(np.full((SIDE, SIDE), height), sure)
            index = (int(i), int(j))
            old = terrain.patches.get(index, None) or empty_patch()
            better = (confidence > 0) & (confidence >= old.confidence)
            if better.any():
                patches[index] = Patch(
                    np.where(better, heights, old.heights), np.where(better, confidence, old.confidence)
                )
    return EnvironmentUpdate(patches=patches)
