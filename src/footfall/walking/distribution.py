"""How feet and hands share the wrench that the robot needs: a small quadratic program, Seiwald (2023) section 4.6.

    min (w - w0)^T R (w - w0) / 2 + (G w - W)^T Q (G w - W) / 2
    0 <= F_z <= load F_max,  |F_x|, |F_y| <= mu / sqrt(2) F_z,  centre of pressure in the sole,  |T_z| <= mu r F_z

Feet give a wrench in their frame (6), hands a force in axes whose z is the normal of what they touch (3). Whoever bears
no load is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Matrix3, Vector3, Vector6
from footfall.control.dual_active_set import RowLimits, inverse_factor, minimise
from footfall.walking.gains import ControlGains, Sole

_LEAST_LOAD = 1e-3  # of an end effector that counts
_FOOT_ROWS, _HAND_ROWS = 11, 5
_FORCE_WEIGHT, _TORQUE_WEIGHT = 1.0, 1e2  # Q
_SMALL, _HAND = 1e-3, 2e-2  # R of feet, and of hands: these stay near what is planned
_TOLERANCE = 1e-9


class FootSupport(NamedTuple):
    """A foot that may push: where it is seen from the centre of mass, m, its rotation, its sole that touches, and its
    load factor."""

    arm: Vector3
    rotation: Matrix3
    sole: Sole
    load: float


class HandSupport(NamedTuple):
    """A hand that may push: where it is seen from the centre of mass, m, axes with z along the normal towards the
    robot, the force that was planned along it, N, and its load factor."""

    arm: Vector3
    axes: Matrix3
    planned: float
    load: float


class Shares(NamedTuple):
    """What right and left shall give: wrenches (6,) of feet in their frames, forces (3,) of hands in world axes; N
    and Nm. missed: how far the sum is off, N or Nm. status: of the quadratic program, 0 if solved."""

    feet: tuple[Vector6, Vector6]
    hands: tuple[Vector3, Vector3]
    missed: float
    status: int


class WrenchProgram(NamedTuple):
    """The quadratic program: `x H x / 2 + gradient x` within limits; map (6, n): of x to the wrench of all."""

    hessian: Array
    gradient: Array
    limits: RowLimits
    map: Array


def wrench_program(
    wrench: Vector6,
    feet: tuple[FootSupport, FootSupport],
    hands: tuple[HandSupport, HandSupport],
    gains: ControlGains,
) -> WrenchProgram:
    """The program for a wrench [f; n] (6,) about the centre of mass."""
    n, m = 0, 0
    for foot in feet:
        if foot.load > _LEAST_LOAD:
            n, m = n + 6, m + _FOOT_ROWS
    for hand in hands:
        if hand.load > _LEAST_LOAD:
            n, m = n + 3, m + _HAND_ROWS
    grip, rows = np.zeros((6, n)), np.zeros((m, n))
    lower, upper, usual, small = np.zeros(m), np.full(m, np.inf), np.zeros(n), np.full(n, _SMALL)
    column, row = 0, 0
    for foot in feet:
        if foot.load > _LEAST_LOAD:
            _put_force(grip, column, foot.rotation, foot.arm)
            for i in (0, 1, 2):
                for j in (0, 1, 2):
                    grip[3 + i, column + 3 + j] = foot.rotation[i, j]
            upper[row] = foot.load * gains.foot_force_limit
            _put_friction(rows, row, column, gains.foot_friction)
            _put_sole(rows, row + 5, column, foot.sole, gains.foot_friction)
            column, row = column + 6, row + _FOOT_ROWS
    for hand in hands:
        if hand.load > _LEAST_LOAD:
            _put_force(grip, column, hand.axes, hand.arm)
            upper[row] = hand.load * gains.hand_force_limit
            _put_friction(rows, row, column, gains.hand_friction)
            usual[column + 2] = hand.load * hand.planned
            small[column : column + 3] = _HAND
            column, row = column + 3, row + _HAND_ROWS
    hessian, gradient = np.zeros((n, n)), np.zeros(n)
    for c in range(6):
        weight = _FORCE_WEIGHT if c < 3 else _TORQUE_WEIGHT
        for i in range(n):
            gradient[i] -= weight * grip[c, i] * wrench[c]
            hessian[i] += (weight * grip[c, i]) * grip[c]
    for i in range(n):
        hessian[i, i] += small[i]
        gradient[i] -= small[i] * usual[i]
    return WrenchProgram(hessian, gradient, RowLimits(rows, lower, upper), grip)


def distribute(
    wrench: Vector6,
    feet: tuple[FootSupport, FootSupport],
    hands: tuple[HandSupport, HandSupport],
    gains: ControlGains,
) -> Shares:
    """Solve the program; without a solution nobody is asked for anything."""
    program = wrench_program(wrench, feet, hands, gains)
    given = np.zeros((4, 6))  # what each foot and each hand is asked for
    if len(program.gradient) == 0:
        return _shares(given, 0.0, 0)
    factor = inverse_factor(program.hessian, 0.0)
    if len(factor) == 0:
        return _shares(given, np.inf, 3)
    found = minimise(factor, program.gradient, program.limits, _TOLERANCE)
    x, column, missed = found.x, 0, 0.0
    for number, foot in enumerate(feet):
        if foot.load > _LEAST_LOAD:
            given[number] = x[column : column + 6]
            column += 6
    for number, hand in enumerate(hands):
        if hand.load > _LEAST_LOAD:
            force = hand.axes @ np.array([x[column], x[column + 1], x[column + 2]])
            for i in (0, 1, 2):
                given[2 + number, i] = force[i]
            column += 3
    for c in range(6):
        missed = max(missed, abs(program.map[c] @ x - wrench[c]))
    return _shares(given, missed, found.status)


def _shares(given: Array, missed: float, status: int) -> Shares:
    return Shares(
        (_wrench(given[0]), _wrench(given[1])), (_force(given[2]), _force(given[3])), missed, status
    )


def _wrench(row: Array) -> Vector6:
    return np.array([row[0], row[1], row[2], row[3], row[4], row[5]])


def _force(row: Array) -> Vector3:
    return np.array([row[0], row[1], row[2]])


def _put_force(grip: Array, column: int, axes: Matrix3, arm: Vector3) -> None:
    """A force along axes, at an arm from the centre of mass."""
    for j in (0, 1, 2):
        moment = np.cross(arm, axes[:, j])
        for i in (0, 1, 2):
            grip[i, column + j] = axes[i, j]
            grip[3 + i, column + j] = moment[i]


def _put_friction(rows: Array, row: int, column: int, friction: float) -> None:
    """The normal force itself, and four sides of a pyramid inside of the cone."""
    slope = friction / np.sqrt(2.0)
    rows[row, column + 2] = 1.0
    for k in (0, 1):
        for side in (0, 1):
            place = row + 1 + 2 * k + side
            rows[place, column + 2] = slope
            rows[place, column + k] = 1.0 if side == 0 else -1.0


def _put_sole(rows: Array, row: int, column: int, sole: Sole, friction: float) -> None:
    """Centre of pressure within a sole, and what friction can turn: its mean arm under even pressure."""
    force, about_x, about_y, about_z = column + 2, column + 3, column + 4, column + 5
    rows[row, about_x], rows[row, force] = 1.0, -sole.right  # T_x >= right F_z
    rows[row + 1, about_x], rows[row + 1, force] = -1.0, sole.left
    rows[row + 2, about_y], rows[row + 2, force] = 1.0, sole.front  # T_y >= -front F_z
    rows[row + 3, about_y], rows[row + 3, force] = -1.0, -sole.rear
    # The mean distance from the middle of a rectangle is about 0.266 of its diagonal; the torque is taken there.
    arm = 0.266 * np.hypot(sole.length, sole.width)
    for side in (0, 1):
        sign = 1.0 if side == 0 else -1.0
        rows[row + 4 + side, about_z] = sign
        rows[row + 4 + side, column + 1] = -sign * sole.middle
        rows[row + 4 + side, force] = friction * arm
