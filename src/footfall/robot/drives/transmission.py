"""How evenly a mechanism transmits over the range of its joints."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from footfall.arrays import Array
from footfall.robot.drives.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class TransmissionRange:
    """Singular values of the motor Jacobian over a range of joint positions.

    smallest, largest: over all positions, motor radians a joint radian. local_condition: the greatest ratio of the two
    singular values in one position (one for a single joint). smallest_at, largest_at (n,): where, rad.
    """

    smallest: float
    largest: float
    local_condition: float
    smallest_at: Array
    largest_at: Array

    @property
    def condition(self) -> float:
        """Largest through smallest transmission anywhere in the range; never below `local_condition`."""
        return self.largest / self.smallest if self.smallest > 0.0 else float("inf")


def transmission_range(
    mechanism: Mechanism, lower: Array, upper: Array, *, samples: int = 33
) -> TransmissionRange:
    """Scan all joint positions between `lower` and `upper` (n,), rad, on a grid that includes the limits.

    A change of sign between neighbours is a dead centre, which no grid need hit: it counts as transmission zero.
    """
    axes = [np.linspace(low, high, samples) for low, high in zip(lower, upper, strict=True)]
    smallest, largest, local = np.inf, 0.0, 1.0
    smallest_at = largest_at = np.asarray(lower, dtype=float)
    signs = set()
    for point in itertools.product(*axes):
        q = np.array(point)
        jacobian = mechanism.motor_jacobian(q)
        singular_values = np.linalg.svd(jacobian, compute_uv=False)
        signs.add(float(np.sign(np.linalg.det(jacobian))))
        if singular_values[0] > largest:
            largest, largest_at = float(singular_values[0]), q
        if singular_values[-1] < smallest:
            smallest, smallest_at = float(singular_values[-1]), q
        local = max(local, float(singular_values[0] / max(singular_values[-1], 1e-300)))
    if len(signs) > 1:
        smallest, local = 0.0, float("inf") if mechanism.size > 1 else local
    return TransmissionRange(smallest, largest, local, smallest_at, largest_at)
