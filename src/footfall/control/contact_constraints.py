"""Contacts that hold: which points of the robot may not move, their Jacobians, what they carry, RSL 2022, chapter 2.

All that control needs of a stance (mass matrix, bias forces, Jacobian and bias of the contacts) comes from one native
call, made for the robot and the geometry of the contacts. Constraints give whatever forces they need, pulling and
beyond friction if they must: look at their loads (`contact_loads`) before you believe them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.features import contact_points
from footfall.control.actuation import driven_velocities
from footfall.control.requests import checked_array
from footfall.control.tasks.points import FramePoint
from footfall.control.wrench_cone import rectangular_rows
from footfall.dynamics.algorithm import algorithm
from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.jacobians import frame_jacobian, frame_jacobian_bias
from footfall.dynamics.kinematics import frame_attachment, frame_pose
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import InvalidInput
from footfall.math.generalised_inverses import RANK_TOLERANCE, decompose
from footfall.math.spatial import cross, skew
from footfall.robot.model import Robot
from footfall.robot.shapes import Sphere

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
        raise InvalidInput(
            f"contact of {contact.frame!r}: its normal lies along the frame's x axis, which must lie in the sole"
        )
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


class ContactLoad(NamedTuple):
    """What one contact carries, on the robot.

    frame: it is on. normal: force along its normal, N; negative if it would have to pull. sideways: across, N.
    friction: coefficient that it takes not to slip; infinite where it pulls. pulls, slips, tips: what it cannot do:
    push only, hold with its own friction, keep the wrench of a `SURFACE` contact inside its sole.
    """

    frame: str
    normal: float
    sideways: float
    friction: float
    pulls: bool
    slips: bool
    tips: bool

    @property
    def holds(self) -> bool:
        """Whether the contact can give this load."""
        return not (self.pulls or self.slips or self.tips)


def contact_loads(
    robot: Robot, q: Array, contacts: Sequence[Contact], forces: Array, *, tolerance: float = 1e-6
) -> tuple[ContactLoad, ...]:
    """Loads of contacts at q (nq,) from their forces (rows,) on the robot, N and N m, one after the other.

    tolerance: by which limits may be missed, relative to the greatest force. Contacts that hold single directions only
    are mere constraints: they may pull, and have no friction to exceed.
    """
    count = sum(len(contact.rows) for contact in contacts)
    given = checked_array("forces", forces, (count,))
    slack = tolerance * max(1.0, float(np.abs(given).max(initial=0.0)))
    loads, start = [], 0
    for contact in contacts:
        wrench = np.zeros(6)
        wrench[list(contact.rows)] = given[start : start + len(contact.rows)]
        start += len(contact.rows)
        loads.append(_load(robot, q, contact, wrench, slack))
    return tuple(loads)


def _load(robot: Robot, q: Array, contact: Contact, wrench: Array, slack: float) -> ContactLoad:
    direction = np.array(contact.normal)
    normal = float(wrench[:3] @ direction)
    sideways = float(np.linalg.norm(wrench[:3] - normal * direction))
    needed = (
        sideways / normal if normal > slack else (0.0 if sideways <= slack and normal >= -slack else np.inf)
    )
    if contact.rows not in (POINT, SURFACE):
        return ContactLoad(contact.frame, normal, sideways, needed, False, False, False)
    pulls = normal < -slack
    slips = not pulls and sideways > contact.friction * normal + slack
    tips = False
    axes = _axes(robot, q, contact) if contact.rows == SURFACE and not pulls else None
    if axes is not None:
        local = np.concatenate([axes @ wrench[:3], axes @ wrench[3:]])
        # The first four rows are those of friction along the edges; the others keep the moments in the sole.
        tips = bool((rectangular_rows(contact.friction, *contact.half_size)[4:] @ local).min() < -slack)
    return ContactLoad(contact.frame, normal, sideways, needed, pulls, slips, tips)


def _axes(robot: Robot, q: Array, contact: Contact) -> Array | None:
    """Of its sole; None if that has no direction, so that tipping is undefined."""
    try:
        return sole_axes(robot, q, contact)
    except InvalidInput:
        return None


def failures_of(loads: Sequence[ContactLoad]) -> str:
    """What contacts cannot do, for messages; empty if they can."""
    words = {"pulls": "would have to pull", "slips": "would slip", "tips": "would tip or twist"}
    return ", ".join(f"{load.frame} {words[name]}" for load in loads for name in words if getattr(load, name))


_FLATNESS = 1e-3  # m, within which points of a shape are its underside


class Footing(NamedTuple):
    """Where a body touches the ground: point (3,) in its axes, and the radius of a ball around it, m."""

    point: Array
    radius: float


def footings(robot: Robot, q: Array, body: str) -> list[Footing]:
    """Where a body touches level ground at q (nq,), one point a shape.

    A ball touches with its centre, which stays in place when it rolls on the spot; any other shape with the middle of
    its underside.
    """
    pose, found = frame_pose(robot, q, body), []
    for geometry in robot.body(body).collisions:
        points = contact_points(geometry).positions
        if isinstance(geometry.shape, Sphere):
            found.append(Footing(points[0], geometry.shape.radius))
            continue
        heights = np.array([pose.apply(point)[2] for point in points])
        found.append(Footing(points[heights < heights.min() + _FLATNESS].mean(axis=0), 0.0))
    if not found:
        raise InvalidInput(f"body {body!r} has no collision geometry; give its contacts as `Contact(...)`")
    return found


def foot_contacts(
    robot: Robot, q: Array, bodies: Sequence[str], *, friction: float = 0.6
) -> tuple[Contact, ...]:
    """Contacts of bodies that stand on level ground at q (nq,), all with a friction coefficient."""
    return tuple(
        Contact(body, tuple(each.point.tolist()), friction=friction)
        for body in bodies
        for each in footings(robot, q, body)
    )
