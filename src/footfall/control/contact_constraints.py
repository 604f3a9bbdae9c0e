"""Contacts that hold: which points of the robot may not move, and their Jacobians, RSL 2022, (2.269)-(2.272).

All that control needs of a stance (mass matrix, bias forces, Jacobian and bias of the contacts) comes from one native
call, made for the robot and the geometry of the contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_velocities
from footfall.control.tasks.points import FramePoint
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_attachment, frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import InvalidInput
from footfall.math.generalised_inverses import RANK_TOLERANCE, decompose
from footfall.math.spatial import cross, skew
from footfall.robot.model import Robot

Geometry = tuple[tuple[str, tuple[float, ...], tuple[int, ...]], ...]

POINT = (0, 1, 2)
SURFACE = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Contact:
    """Something of the robot that may not move.

    frame: of a body or frame. point: (3,) in its axes, m. rows: which of the six directions [x, y, z; about x, y, z],
    world axes, are held; `POINT` by default, `SURFACE` for a foot that may not turn either. normal: (3,) from the
    surface towards the robot, world axes. friction: coefficient. half_size: of a rectangular sole around the point,
    along the frame's own x and y, m; what limits the moments of a `SURFACE` contact.
    """

    frame: str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rows: tuple[int, ...] = POINT
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    friction: float = 0.7
    half_size: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        point, normal = (tuple(float(x) for x in values) for values in (self.point, self.normal))
        if len(point) != 3 or not np.isfinite(point).all():
            raise InvalidInput(f"contact of {self.frame!r}: point is {point}; it must be 3 finite numbers")
        length = float(np.linalg.norm(normal))
        if len(normal) != 3 or not (np.isfinite(length) and length > 0.0):
            raise InvalidInput(f"contact of {self.frame!r}: normal is {normal}; it must be a direction")
        rows = tuple(int(row) for row in self.rows)
        if not rows or sorted(set(rows)) != list(rows) or rows[0] < 0 or rows[-1] > 5:
            raise InvalidInput(
                f"contact of {self.frame!r}: rows are {rows}; they must be some of 0 to 5, in order"
            )
        if not (np.isfinite(self.friction) and self.friction >= 0.0):
            raise InvalidInput(
                f"contact of {self.frame!r}: friction is {self.friction}; it must not be negative"
            )
        half = tuple(float(x) for x in self.half_size)
        if len(half) != 2 or not (np.isfinite(half).all() and min(half) >= 0.0):
            raise InvalidInput(
                f"contact of {self.frame!r}: half_size is {half}; it must be 2 lengths of at least zero"
            )
        object.__setattr__(self, "half_size", half)
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "normal", tuple(component / length for component in normal))
        object.__setattr__(self, "rows", rows)


class ConstrainedSystem(NamedTuple):
    """Equation of motion with contacts: `M a + h = S^T tau + J^T f` and `J a + bias = 0`.

    mass (nv, nv), forces (nv,): h, N m and N; jacobian (rows, nv); jacobian_bias (rows,): dJ/dt v; positions
    (contacts, 3) m. Forces f act on the robot.
    """

    mass: Array
    forces: Array
    jacobian: Array
    jacobian_bias: Array
    positions: Array


def build_constrained_system(
    robot: Robot, q: Array, v: Array, *, contacts: Sequence[Contact]
) -> ConstrainedSystem:
    """The equation of motion and the constraints in the state q (nq,), v (nv,)."""
    result: ConstrainedSystem = constrained_system(robot, q, v, geometry=geometry_of(robot, contacts))
    return result


def geometry_of(robot: Robot, contacts: Sequence[Contact]) -> Geometry:
    """What of contacts decides their Jacobian; unknown frames are refused here."""
    for contact in contacts:
        frame_attachment(robot, contact.frame)
    return tuple((contact.frame, contact.point, contact.rows) for contact in contacts)


@algorithm(q="nq", v="nv")
def constrained_system(robot: Robot, q: Array, v: Array, *, geometry: Geometry) -> ConstrainedSystem:
    """The same for what of contacts decides their Jacobian; also inside a trace."""
    held = held_velocities(robot, q, v, geometry=geometry)
    return ConstrainedSystem(mass_matrix(robot, q), bias_forces(robot, q, v), *held)


class HeldVelocities(NamedTuple):
    """jacobian (rows, nv), bias (rows,): dJ/dt v, and positions (contacts, 3), m, of contacts."""

    jacobian: Array
    bias: Array
    positions: Array


@algorithm(q="nq", v="nv")
def held_velocities(robot: Robot, q: Array, v: Array, *, geometry: Geometry) -> HeldVelocities:
    """What contacts hold, q (nq,), v (nv,)."""
    jacobians, biases, positions = [np.zeros((0, robot.nv))], [np.zeros(0)], []
    for frame, point, rows in geometry:
        pose, jacobian, bias = (
            frame_pose(robot, q, frame),
            frame_jacobian(robot, q, frame),
            frame_jacobian_bias(robot, q, v, frame),
        )
        lever = pose.rotation @ np.array(point)
        turning = jacobian[3:] @ v
        at_point = np.concatenate([jacobian[:3] - skew(lever) @ jacobian[3:], jacobian[3:]])
        linear = bias[:3] + cross(bias[3:], lever) + cross(turning, cross(turning, lever))
        jacobians.append(at_point[list(rows)])
        biases.append(np.concatenate([linear, bias[3:]])[list(rows)])
        positions.append(pose.translation + lever)
    return HeldVelocities(
        np.concatenate(jacobians), np.concatenate(biases), np.array(positions).reshape(-1, 3)
    )


def sole_axes(robot: Robot, q: Array, contact: Contact) -> Array:
    """Axes (3, 3) of the sole of a `SURFACE` contact at q (nq,), as rows in world axes: along the frame's x, across,
    and the normal."""
    normal = np.array(contact.normal)
    along = frame_pose(robot, q, contact.frame).rotation[:, 0]
    along = along - (along @ normal) * normal
    length = float(np.linalg.norm(along))
    if length < 1e-6:
        raise InvalidInput(f"contact of {contact.frame!r}: its normal lies along the frame's x axis")
    return np.array([along / length, np.cross(normal, along / length), normal])


class ContactRanks(NamedTuple):
    """Independent constraints, those that bind undriven velocities (six hold a floating base), and the rest: those
    that bind the joints among themselves, so that forces act inside the robot, RSL 2022, (2.269)-(2.272)."""

    constraints: int
    base: int
    internal: int


def contact_jacobian(robot: Robot, q: Array, contacts: Sequence[Contact | FramePoint | str]) -> Array:
    """J (rows, nv) of contacts at q (nq,): it maps v to their velocities, m/s and rad/s, world axes.

    The name of a frame and a `FramePoint` stand for a contact that holds that point.
    """
    given = [_contact_at(each) for each in contacts]
    geometry = geometry_of(robot, given)
    jacobian: Array = held_velocities(robot, q, np.zeros(robot.nv), geometry=geometry).jacobian
    return jacobian


def contact_ranks(
    robot: Robot,
    q: Array,
    contacts: Sequence[Contact | FramePoint | str],
    *,
    tolerance: float = RANK_TOLERANCE,
) -> ContactRanks:
    """Rank analysis of a stance at q (nq,); contacts as in `contact_jacobian`."""
    jacobian = contact_jacobian(robot, q, contacts)
    undriven = np.setdiff1d(np.arange(robot.nv), driven_velocities(robot))
    every, base = (decompose(part, tolerance=tolerance).rank for part in (jacobian, jacobian[:, undriven]))
    return ContactRanks(every, base, every - base)


def _contact_at(place: Contact | FramePoint | str) -> Contact:
    if isinstance(place, Contact):
        return place
    if isinstance(place, str):
        return Contact(place)
    if isinstance(place, FramePoint):
        return Contact(place.frame, place.offset)
    raise InvalidInput(f"{place!r} is no contact; give a Contact, a FramePoint or the name of a frame")
