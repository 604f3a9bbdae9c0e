"""A robot in MuJoCo, and vectors in its order: the one place where it and ours meet.

State vectors have the same conventions (scalar-first quaternions, linear rates in world axes, angular rates in body
axes), for joints that are made up as our MJCF writer does. Only the order of the bodies may differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.robot.mjcf_writer import part_names
from footfall.robot.model import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


class MujocoModel:
    """MuJoCo's model of a robot with joints named as by our MJCF writer.

    order_q, order_v: (nq,) and (nv,), where our coordinates and velocities stand in MuJoCo's vectors.
    """

    def __init__(self, robot: Robot, model: Any) -> None:
        self.robot = robot
        self.model = model
        q: list[int] = []
        v: list[int] = []
        for joint in robot.joints:
            for name in part_names(joint)[:1]:  # the others of the same body follow on it
                first = model.joint(name)
                q += range(first.qposadr[0], first.qposadr[0] + joint.type.coordinates)
                v += range(first.dofadr[0], first.dofadr[0] + joint.type.velocities)
        self.order_q, self.order_v = np.array(q, dtype=int), np.array(v, dtype=int)

    def q(self, q: Array) -> Array:
        """Our configurations (..., nq) in MuJoCo's order."""
        result = np.empty_like(q)
        result[..., self.order_q] = q
        return result

    def v(self, v: Array) -> Array:
        """Our tangent or force vectors (..., nv) in MuJoCo's order."""
        result = np.empty_like(v)
        result[..., self.order_v] = v
        return result

    def vector(self, theirs: Array) -> Array:
        """MuJoCo's tangent or force vector (nv,), or columns (k, nv), in our order."""
        ours: Array = np.array(theirs)[..., self.order_v]
        return ours

    def matrix(self, theirs: Array) -> Array:
        """MuJoCo's (nv, nv) in our order."""
        ours: Array = np.array(theirs)[np.ix_(self.order_v, self.order_v)]
        return ours
