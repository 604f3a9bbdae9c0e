"""Wheels on the ground as constraints of hybrid dynamics: base, wheels and ground are a closed chain.

The chain is cut where a wheel touches: its point there has no velocity along the directions that the wheel holds.
Accelerations are classical, so that the rate of this needs no term for the turning of the wheel; but the directions
turn with the axle while the point slides along the others (Mecanum and omni wheels), which the set-points count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from footfall.errors import InvalidInput
from footfall.math.spatial import cross
from footfall.robot.model import JointType, Robot

WheelKind = Literal["standard", "mecanum", "omni", "spherical"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel that stands on the ground.

    body: turns on its joint's axis; its origin is the centre. radius: m. kind: "standard" rolls along and holds
    across (steered and caster wheels are standard ones on a steering joint); "mecanum" and "omni" hold only along
    the axis of the roller that touches; "spherical" holds nothing. roller: angle from the rolling direction to that
    axis, about the ground's normal, rad; 0 for omni wheels.
    """

    body: str
    radius: float
    kind: WheelKind = "standard"
    roller: float = 0.0

    def __post_init__(self) -> None:
        for name, value, good in (
            ("radius", self.radius, "a finite number above zero, m"),
            ("roller", self.roller, "a finite number, rad"),
        ):
            number = isinstance(value, int | float | np.number) and np.isfinite(value)
            if not number or (name == "radius" and value <= 0.0):
                raise InvalidInput(f"wheel {self.body!r}: {name} is {value!r}; it must be {good}")
        if self.kind not in ("standard", "mecanum", "omni", "spherical"):
            raise InvalidInput(
                f"wheel {self.body!r}: kind {self.kind!r}; there are: standard, mecanum, omni, spherical"
            )
        if self.kind == "mecanum" and self.roller == 0.0:
            raise InvalidInput(
                f"wheel {self.body!r}: a Mecanum wheel needs the angle of its rollers, roller=math.pi / 4 or the other "
                "way round say; with rollers along the rolling direction it is an omni wheel"
            )

    @property
    def angles(self) -> tuple[float, ...]:
        """Of the directions that it holds, from the rolling direction, rad."""
        held = {"standard": (0.0, np.pi / 2), "mecanum": (self.roller,), "omni": (0.0,), "spherical": ()}
        return held[self.kind]


class RollingRows(NamedTuple):
    """Arguments of `hybrid_dynamics` for k rows.

    directions: (6, k). setpoints: (k,) m/s2, of the touching points along the directions as they are now.
    slips: (k,) m/s, velocities along the held directions.
    """

    directions: Array
    setpoints: Array
    slips: Array


def rolling_constraints(wheels: Sequence[Wheel]) -> tuple[Constraint, ...]:
    """Constraints of wheels on the ground; their directions and set-points come from `rolling_rows`."""
    return tuple(
        Constraint(wheel.body, len(wheel.angles), name=f"{wheel.body} on the ground")
        for wheel in wheels
        if wheel.angles
    )


def rolling_rows(
    robot: Robot,
    q: Array,
    v: Array,
    wheels: Sequence[Wheel],
    *,
    normal: Sequence[float] = (0.0, 0.0, 1.0),
    stiffness: float = 20.0,
) -> RollingRows:
    """Directions and set-points of `rolling_constraints` in the state q (nq,), v (nv,).

    normal: of the ground, unit vector in world axes. stiffness: 1/s, with which slip that is there decays.
    """
    n = np.asarray(normal, dtype=float)
    directions, setpoints, slips = [], [], []
    for wheel in wheels:
        if not wheel.angles:
            continue
        velocity = frame_velocity(robot, q, v, wheel.body)
        rolling = _rolling_direction(_axle(robot, q, wheel), velocity[3:], n)
        contact = -wheel.radius * n  # from the centre
        for angle in wheel.angles:
            held, turning = (np.cos(angle) * t + np.sin(angle) * cross(n, t) for t in rolling)
            direction = np.concatenate([held, cross(contact, held)])
            slip = direction @ velocity
            # d/dt (t . v_c) = t' . v_c + t . a_c = -stiffness t . v_c, v_c and a_c of the touching point
            sliding = turning @ (velocity[:3] + cross(velocity[3:], contact))
            directions.append(direction)
            slips.append(slip)
            setpoints.append(-stiffness * slip - sliding)
    return RollingRows(np.array(directions).reshape(-1, 6).T, np.array(setpoints), np.array(slips))


def _axle(robot: Robot, q: Array, wheel: Wheel) -> Array:
    """Unit vector (3,) in world axes, about which the wheel turns."""
    joint = next(joint for joint in robot.joints if joint.child == robot.body(wheel.body).name)
    if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS):
        raise InvalidInput(f"wheel {wheel.body!r} hangs on a {joint.type} joint; it needs a revolute one")
    return np.asarray(frame_pose(robot, q, wheel.body).rotation @ np.asarray(joint.axis))


def _rolling_direction(axle: Array, turning: Array, normal: Array) -> tuple[Array, Array]:
    """Where a wheel rolls to when it turns about its axle, unit vector (3,), and its rate (3,), rad/s."""
    along = cross(axle, normal)
    length = np.sqrt(along @ along)
    unit = along / length
    rate = cross(cross(turning, axle), normal) / length
    return unit, rate - unit * (unit @ rate)
