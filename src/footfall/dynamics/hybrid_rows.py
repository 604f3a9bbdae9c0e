"""Components of constraints as one block of arrays, with bounds of their forces: what an active set works on.

A contact can only push, a task only as hard as it may: such a component holds its set-point as long as its force is
within bounds, else the bound acts in its place, Devaramani 2019, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.math.spatial import cross
from footfall.robot.model import Robot


class BoundedRows(NamedTuple):
    """k components: constraints that take their directions with the call.

    directions: (6, k) world axes. setpoints: (k,) m/s2 or rad/s2. lower, upper: (k,) bounds of the forces, N or N m.
    compliance: (k,) see `hybrid_dynamics`. on: (k,) 1 or 0, components that take part at all.
    """

    constraints: tuple[Constraint, ...]
    directions: Array
    setpoints: Array
    lower: Array
    upper: Array
    compliance: Array
    on: Array


def bounded_rows(
    constraints: Sequence[Constraint],
    directions: Array,
    setpoints: Array,
    *,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
    compliance: Array | float = 0.0,
    on: Array | float = 1.0,
) -> BoundedRows:
    """Rows whose bounds may be one number for all."""
    count = len(setpoints)

    def full(value: Array | float) -> Array:
        return np.broadcast_to(np.asarray(value, dtype=float), count).copy()

    return BoundedRows(
        tuple(constraints),
        directions,
        np.asarray(setpoints, dtype=float),
        full(lower),
        full(upper),
        full(compliance),
        full(on),
    )


def stacked_rows(blocks: Sequence[BoundedRows]) -> BoundedRows:
    """Blocks of rows one after the other: the first are the most important."""
    return BoundedRows(
        tuple(constraint for block in blocks for constraint in block.constraints),
        np.concatenate([np.zeros((6, 0)), *(block.directions for block in blocks)], axis=1),
        *(
            np.concatenate([np.zeros(0), *(getattr(block, name) for block in blocks)])
            for name in BoundedRows._fields[2:]
        ),
    )


@dataclass(frozen=True, slots=True)
class Touch:
    """A point of a body near something that it may touch or must not cross.

    body, point: (3,) in it, m. normal: (3,) unit vector in world axes, towards the robot. gap: m. curvature: 1/m, of a
    boundary that is bent around the other side (a corner at distance d has 1 / d). on: whether it takes part.
    """

    body: str
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    gap: float
    curvature: float = 0.0
    on: bool = True


def touch_rows(
    robot: Robot,
    q: Array,
    v: Array,
    touches: Sequence[Touch],
    *,
    approach: float = 40.0,
    stiffness: float = 400.0,
    most_force: float = np.inf,
    name: str = "touch",
) -> BoundedRows:
    """Rows along the normals that only push: gaps g close no faster than `g'' = -approach g' - stiffness g`.

    q (nq,), v (nv,). approach: 1/s, stiffness: 1/s2, most_force: N.
    """
    directions, setpoints = np.zeros((6, len(touches))), np.zeros(len(touches))
    poses = {each.body: frame_pose(robot, q, each.body) for each in touches}
    velocities = {each.body: frame_velocity(robot, q, v, each.body) for each in touches}
    for k, each in enumerate(touches):
        normal, velocity = np.array(each.normal), velocities[each.body]
        arm = poses[each.body].rotation @ np.array(each.point)
        moving = velocity[:3] + cross(velocity[3:], arm)
        rate = normal @ moving
        turning = normal @ cross(velocity[3:], cross(velocity[3:], arm))
        bending = each.curvature * (moving @ moving - rate * rate)
        directions[:, k] = np.concatenate([normal, cross(arm, normal)])
        # Devaramani 2019, chapter 4.
        setpoints[k] = -turning - bending - approach * rate - stiffness * each.gap
    constraints = [Constraint(each.body, 1, name=f"{name} {k}") for k, each in enumerate(touches)]
    on = np.array([float(each.on) for each in touches])
    return bounded_rows(constraints, directions, setpoints, lower=0.0, upper=most_force, on=on)
