"""Robots from tables of Denavit and Hartenberg, in Craig's notation (which Seiwald 2023 uses) or the classic one."""

from __future__ import annotations

import math
from typing import Literal

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.transform import Transform
from footfall.robot.orientation import matrix_from_axis_angle
from footfall.robot.parts import Body, Frame, Joint, JointType
from footfall.robot.shapes import Capsule, Geometry, Sphere
from footfall.robot.tree import rotation_with_z_along
from footfall.robot.validation import WORLD

BASE, TOOL = "base", "tool"
_MASS = 1.0  # kg of a link that the table says nothing about
_THICK = 0.03  # m, radius of the rods by which links are shown
_SHORTEST = 1e-6  # m: a shorter link is a joint only


class RowSchema(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A link: lengths a and d, m; angles alpha and theta, deg; theta or d is where the joint begins to count."""

    type: Literal["revolute", "prismatic", "continuous"] = "revolute"
    a: float = 0.0
    alpha_deg: float = 0.0
    d: float = 0.0
    theta_deg: float = 0.0
    lower_deg: float | None = None
    upper_deg: float | None = None
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    mass: float = _MASS
    name: str = ""


class TableSchema(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A table. convention: `craig` has a and alpha of the link before, `classic` of the own one. tool: m, in axes of
    the last frame."""

    convention: Literal["craig", "classic"] = "craig"
    tool: tuple[float, float, float] = (0.0, 0.0, 0.0)
    row: list[RowSchema]


class TableParts(msgspec.Struct):
    """What a table gives."""

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...]


def read_table(table: TableSchema) -> TableParts:
    """Bodies `link1`, `link2` and so on, on joints `joint1`, ..., on a body `base`; and a frame `tool`."""
    if not table.row:
        raise RobotError(
            "has no row; a chain has one joint at least", subject=("table", "denavit_hartenberg")
        )
    names = [row.name or f"link{k + 1}" for k, row in enumerate(table.row)]
    before = [(row.a, row.alpha_deg) for row in table.row]
    if table.convention == "classic":
        before = [(0.0, 0.0), *before]
    placements = [
        _across(*before[k]) @ Transform(_turn((0, 0, 1), row.theta_deg), np.array([0.0, 0.0, row.d]))
        for k, row in enumerate(table.row)
    ]
    tool = Transform(np.eye(3), np.array(table.tool))
    if table.convention == "classic":
        tool = _across(*before[-1]) @ tool
    parents = [BASE, *names[:-1]]
    joints = [Joint(BASE, JointType.FIXED, WORLD, BASE)]
    bodies = [Body(BASE, _MASS, np.zeros(3), 1e-2 * np.eye(3), (Geometry(Sphere(1.5 * _THICK)),))]
    for k, row in enumerate(table.row):
        end = placements[k + 1].translation if k + 1 < len(placements) else tool.translation
        joints.append(
            _joint(row, f"joint{k + 1}" if not row.name else row.name, parents[k], names[k], placements[k])
        )
        bodies.append(rod_body(names[k], row.mass, np.asarray(end)))
    return TableParts(tuple(bodies), tuple(joints), (Frame(TOOL, names[-1], tool),))


def _across(a: float, alpha_deg: float) -> Transform:
    return Transform(_turn((1, 0, 0), alpha_deg), np.array([a, 0.0, 0.0]))


def _turn(axis: tuple[int, int, int], degrees: float) -> Array:
    turn = matrix_from_axis_angle(axis, math.radians(degrees))
    return np.round(turn) if degrees % 90.0 == 0.0 else turn


def _joint(row: RowSchema, name: str, parent: str, child: str, placement: Transform) -> Joint:
    degrees, plain = (row.lower_deg, row.upper_deg), (row.lower, row.upper)
    if row.type == "prismatic" and degrees != (None, None):
        raise RobotError("slides; give lower and upper in m, not in degrees", subject=("joint", name))
    if degrees != (None, None) and plain != (None, None):
        raise RobotError("has limits in degrees and in rad; give one of them", subject=("joint", name))
    limits = tuple(None if each is None else math.radians(each) for each in degrees)
    lower, upper = limits if degrees != (None, None) else plain
    if (lower is None) != (upper is None):
        raise RobotError("has one limit; give both or none", subject=("joint", name))
    return Joint(
        name,
        JointType(row.type),
        parent,
        child,
        placement,
        lower=() if lower is None else (lower,),
        upper=() if upper is None else (upper,),
        effort=() if row.effort is None else (row.effort,),
        velocity=() if row.velocity is None else (row.velocity,),
    )


def rod_body(name: str, mass: float, end: Array) -> Body:
    """A rod from the joint to where the next one is; a ball where that is at the same place."""
    length = float(np.linalg.norm(end))
    if length < _SHORTEST:
        return Body(name, mass, np.zeros(3), 0.4 * mass * _THICK**2 * np.eye(3), (Geometry(Sphere(_THICK)),))
    rotation = rotation_with_z_along(end / length)
    across = mass * (3.0 * _THICK**2 + length**2) / 12.0
    inertia = rotation @ np.diag([across, across, 0.5 * mass * _THICK**2]) @ rotation.T
    shape = Geometry(Capsule(_THICK, length), Transform(rotation, 0.5 * end))
    return Body(name, mass, 0.5 * end, 0.5 * (inertia + inertia.T), (shape,))
