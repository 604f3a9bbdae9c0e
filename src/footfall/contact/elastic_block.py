"""How an elastic block between a rigid plate and the ground gives way, by finite elements.

Bricks with eight corners and trilinear displacements, integrated at 2 x 2 x 2 points (Hughes 1987, chapter 3). The
upper face is bonded to the plate; loads act on the lower face only, so that all other nodes are eliminated (Guyan
1965). Such bricks are for foam and soft plastics: nearly incompressible rubber would lock in them.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput

_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))  # of a brick, (8, 3)
_MOST_NODES = 6_000  # dense matrices
_MOST_POISSON = 0.45  # from here on bricks begin to lock


class Elastic(NamedTuple):
    """An isotropic material. young: modulus, Pa. poisson: ratio, above -1 and up to 0.45."""

    young: float
    poisson: float

    def stiffness(self) -> Array:
        """Stresses (6,) of strains (xx, yy, zz, xy, yz, zx), (6, 6), Pa."""
        shear = self.young / (2.0 * (1.0 + self.poisson))
        volume = self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
        result = np.diag([2.0 * shear] * 3 + [shear] * 3)
        result[:3, :3] += volume
        return result


def brick_stiffness(edges: Array, material: Elastic) -> Array:
    """Forces of displacements of the corners (24, 24), N/m, of a brick with edges (3,), m; the last coordinate
    of its corners changes first."""
    share, stress = float(np.prod(edges)) / len(_CORNERS), material.stiffness()
    result = np.zeros((24, 24))
    for place in _CORNERS / np.sqrt(3.0):  # of Gauss' second-order rule
        strain = _strains(_slopes(place, edges))
        result += share * (strain.T @ stress @ strain)
    return result


def _slopes(place: Array, edges: Array) -> Array:
    """Derivatives (8, 3) of the corners' shape functions along the axes at a place (3,) in [-1, 1], 1/m."""
    factors = 0.5 * (1.0 + _CORNERS * place)
    rows = [0.5 * _CORNERS[:, k] * np.prod(np.delete(factors, k, axis=1), axis=1) for k in range(3)]
    return np.stack(rows, axis=1) * (2.0 / edges)


def _strains(slope: Array) -> Array:
    """Strains (6, 24) of displacements of the corners."""
    result = np.zeros((6, 8, 3))
    for k, other in ((0, 1), (1, 2), (2, 0)):
        result[k, :, k] = slope[:, k]
        result[3 + k, :, k], result[3 + k, :, other] = slope[:, other], slope[:, k]
    return result.reshape(6, 24)


def block_stiffness(size: Array, cells: tuple[int, int, int], material: Elastic) -> Array:
    """Forces of displacements of all nodes (3 n, 3 n), N/m: of a block with edges (3,), m, in so many bricks each way.

    Nodes are numbered layer by layer from the lower face up, in each of them along y, then x.
    """
    counts = np.array(cells) + 1
    if not (0.0 < material.young < np.inf and -1.0 < material.poisson <= _MOST_POISSON):
        raise InvalidInput(
            f"{material}: young must be positive and finite, poisson above -1 and at most {_MOST_POISSON}"
        )
    if min(cells) < 1 or np.prod(counts) > _MOST_NODES:
        raise InvalidInput(
            f"a block of {cells} bricks; one each way is needed, and at most {_MOST_NODES} nodes"
        )
    brick = brick_stiffness(np.asarray(size, dtype=np.float64) / cells, material)
    result = np.zeros((3 * int(np.prod(counts)),) * 2)
    corners = (_CORNERS > 0.0).astype(np.int64)
    for x, y, z in product(*(range(count) for count in cells)):
        along, across, up = (corners + np.array([x, y, z])).T
        nodes = (up * counts[0] + along) * counts[1] + across
        rows = (3 * nodes[:, None] + np.arange(3)).ravel()
        result[np.ix_(rows, rows)] += brick
    return result


def sole_stiffness(size: Array, cells: tuple[int, int, int], material: Elastic) -> Array:
    """Forces of displacements of the lower face's nodes (3 m, 3 m), N/m, the upper face held.

    size: edges (3,), m. cells: bricks each way. Nodes are numbered along y, then x.
    """
    whole = block_stiffness(size, cells, material)
    face = 3 * (cells[0] + 1) * (cells[1] + 1)
    held = len(whole) - face
    lower, inside = slice(0, face), slice(face, held)
    if held <= face:
        return whole[lower, lower]
    eliminated = np.linalg.solve(whole[inside, inside], whole[inside, lower])
    result = whole[lower, lower] - whole[lower, inside] @ eliminated
    return np.asarray(0.5 * (result + result.T))
