"""What a joint that is free to move hands on to its parent: the step of every articulated-body recursion."""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.arrays import Array
from footfall.math.spatial import symmetric


class JointResponse(NamedTuple):
    """A free joint axis moves with `free_acceleration - gain @ a` while its parent carries the link with a."""

    free_acceleration: Any
    gain: Array


def free_joint_axis(
    axis: int, armature: float, tau: Any, inertia: Array, force: Array
) -> tuple[JointResponse, Array, Array]:
    """Let one axis of a joint move freely under tau: its response, and the inertia and force it hands on.

    Along the axis a joint hands on no inertia but the armature's and no force but tau. These entries are written
    down as such, not computed: so they are exact, and vanish from traced code where there is no armature.
    """
    column = inertia[:, axis]
    inverse = 1 / (column[axis] + armature)
    free_acceleration = (tau - force[axis]) * inverse  # Schwienbacher 2014, (2.68)
    gain = column * inverse  # Schwienbacher 2014, (2.67)
    gain[axis] = 1 - armature * inverse

    def handed_on(i: int, j: int) -> Any:  # I^A - U U^T / D, Schwienbacher 2014, (2.71)
        if axis in (i, j):
            return armature * gain[j if i == axis else i]
        return inertia[i, j] - column[i] * gain[j]

    force_handed_on = force + column * free_acceleration  # p^A + U u / D, Schwienbacher 2014, (2.72)
    force_handed_on[axis] = tau - armature * free_acceleration
    return JointResponse(free_acceleration, gain), symmetric(6, handed_on), force_handed_on
