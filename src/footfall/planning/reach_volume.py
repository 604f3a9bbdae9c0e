"""Where a hand touches things during a whole step: capsules inside of what it reaches wherever its shoulder is then.

Seiwald 2023 (5.3.2) shifts the space of a hand along the way of the torso during a step, takes what is common to all,
and inscribes two volumes. Here they are found by trying all pairs of places: the capsule with most of the cells that
are common, then the one that adds most.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import distance_transform_edt

from footfall.arrays import Array, Flags
from footfall.geometry.swept_sphere import SweptVolume, swept_line
from footfall.motion.hand_space import HandSpace

_CAPSULES = 2
_ENDS = 160  # places that are tried as ends, the roomiest ones
_ALONG = 7  # places between them at which there must be room


def common_cells(space: HandSpace, shift: float) -> Flags:
    """Cells (x, y, z) that the hand reaches from all shoulders that are up to `shift` ahead or behind, m."""
    common = space.cells.copy()
    for cells in range(1, round(shift / space.size) + 1):
        ahead, behind = np.zeros_like(common), np.zeros_like(common)
        ahead[cells:], behind[:-cells] = space.cells[:-cells], space.cells[cells:]
        common &= ahead & behind
    return common


def reach_volume(space: HandSpace, shoulder: Array, *, shift: float, outside: float) -> SweptVolume | None:
    """Capsules where a right hand touches things, whose shoulder is at a place (3,), m; None if there is no room.

    shift: how far the shoulder moves to either side of its place during a step, m. outside: how far outside of it hands
    are sought, m: nearer the robot's own body is in the way.
    """
    common = common_cells(space, shift)
    middle = [space.corner[k] + space.size * (np.arange(common.shape[k]) + 0.5) for k in range(3)]
    common &= (middle[1] < -outside)[None, :, None]
    # From the middle of a cell to the middle of the nearest one outside; half a cell of it is not known.
    room = space.size * (distance_transform_edt(np.pad(common, 1))[1:-1, 1:-1, 1:-1] - 0.5)
    cells = np.argwhere(common)
    if len(cells) == 0:
        return None
    cells = cells[np.argsort(-room[tuple(cells.T)], kind="stable")][:_ENDS]
    first, second = np.triu_indices(len(cells))
    shares = np.linspace(0.0, 1.0, _ALONG)[None, :, None]
    between = np.rint(cells[first][:, None] * (1.0 - shares) + cells[second][:, None] * shares).astype(int)
    radii = room[tuple(np.moveaxis(between, 2, 0))].min(axis=1)
    within = radii > 0.0  # ways between others lead out of what is common
    radii, corner = radii[within], space.corner + 0.5 * space.size
    ends = [corner + space.size * cells[chosen[within]] for chosen in (first, second)]
    lengths = np.linalg.norm(ends[1] - ends[0], axis=1)
    sizes = np.pi * radii**2 * lengths + 4.0 / 3.0 * np.pi * radii**3
    points = corner + space.size * np.argwhere(common)
    free = np.ones(len(points), dtype=np.bool_)
    found = []
    for _ in range(_CAPSULES):
        best = _most(ends, radii, sizes, points[free])
        found.append(swept_line(shoulder + ends[0][best], shoulder + ends[1][best], float(radii[best])))
        free &= ~_inside(ends[0][best], ends[1][best], float(radii[best]), points)
    return SweptVolume(tuple(found))


def _most(ends: list[Array], radii: Array, sizes: Array, points: Array) -> int:
    """Number of the capsule with most points, of the largest ones."""
    chosen = np.argsort(-sizes, kind="stable")[:400]
    counts = [_inside(ends[0][n], ends[1][n], float(radii[n]), points).sum() for n in chosen]
    return int(chosen[int(np.argmax(counts))])


def _inside(first: Array, second: Array, radius: float, points: Array) -> Flags:
    way = second - first
    square = max(float(way @ way), 1e-12)
    share = np.clip((points - first) @ way / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - first - share[:, None] * way, axis=1) <= radius)
