"""What a robot cannot do: rows `A x >= b` for torques, friction and joints, in the x of `whole_body_tasks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.control.actuation import driven_coordinates, driven_names, driven_velocities
from footfall.control.collision_limits import CollisionLimits, CollisionRows
from footfall.control.contact_constraints import POINT, SURFACE, Contact, sole_axes
from footfall.control.friction_pyramid import pyramid_rows
from footfall.control.rectangular_contact import rectangular_rows
from footfall.control.tasks.forces import Situation
from footfall.dynamics.configuration import integrate
from footfall.errors import InvalidRequest
from footfall.robot.model import Robot

_AHEAD = 1e-5  # s, over which the change of a rate is measured
_SHARPEST = 100.0  # m/s2, that a distance changes by its curvature


class LimitRows(NamedTuple):
    """`matrix x >= value`: (m, n) and (m,); labels (m,): what each row is about."""

    matrix: Array
    value: Array
    labels: tuple[str, ...]


@dataclass(frozen=True)
class WholeBodyLimits:
    """torque: whether the efforts of the drives are limited, as the robot says. friction: whether contacts only push
    and hold by friction; otherwise they may pull as well, like bolts. facets: of friction pyramids, inside the cones.
    least_force: that every contact must press with, N. joints: whether positions and velocities of the joints are
    limited, so that they are kept at the end of a horizon (s) of constant acceleration. collisions: what must stay
    apart, in the same way; `approach` and dt do not matter here.
    """

    torque: bool = True
    friction: bool = True
    joints: bool = True
    facets: int = 4
    least_force: float = 0.0
    horizon: float = 0.05
    collisions: CollisionLimits | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.least_force < np.inf:
            raise InvalidRequest(f"least_force is {self.least_force} N; it must be finite and at least zero")
        if not isinstance(self.facets, int) or self.facets < 3:
            raise InvalidRequest(f"facets is {self.facets}; a pyramid has at least 3, a whole number")
        if self.least_force > 0.0 and not self.friction:
            raise InvalidRequest(
                f"least_force is {self.least_force} N; contacts without friction limits may pull"
            )
        if not 0.0 < self.horizon < np.inf:
            raise InvalidRequest(f"horizon is {self.horizon} s; it must be finite and above zero")

    def rows(self, situation: Situation) -> LimitRows:
        """All limits in a situation."""
        blocks = [
            part
            for wanted, part in (
                (self.torque, _torque_rows),
                (self.friction, self._friction_rows),
                (self.joints, self._joint_rows),
                (self.collisions is not None, self._collision_rows),
            )
            if wanted
        ]
        parts = [block(situation) for block in blocks]
        size = situation.layout.size
        return LimitRows(
            np.vstack([np.zeros((0, size)), *(part.matrix for part in parts)]),
            np.concatenate([np.zeros(0), *(part.value for part in parts)]),
            tuple(label for part in parts for label in part.labels),
        )

    def _friction_rows(self, situation: Situation) -> LimitRows:
        layout = situation.layout
        matrices, values, labels = [np.zeros((0, layout.size))], [np.zeros(0)], []
        for index, contact in enumerate(situation.contacts):
            cone = _cone(situation, contact, self.facets)
            if cone is None:
                continue
            pressing = np.zeros(len(contact.rows))
            pressing[:3] = contact.normal
            local = np.vstack([cone, pressing])
            place = situation.force_rows(index)
            matrix = np.zeros((len(local), layout.size))
            matrix[:, layout.f][:, place] = local
            matrices.append(matrix)
            values.append(np.concatenate([np.zeros(len(cone)), [self.least_force]]))
            labels += [f"friction of contact {index} ({contact.frame})"] * len(local)
        return LimitRows(np.vstack(matrices), np.concatenate(values), tuple(labels))

    def distance_rows(self, robot: Robot, q: Array, v: Array) -> tuple[CollisionRows, Array]:
        """Pairs within reach, and what their distances' `jacobian @ a` must be at least (m,), m/s2.

        A distance stays above the clearance to the end of the horizon; one that is below grows with `recovery`.
        """
        assert self.collisions is not None
        rows, h = self.collisions.rows(robot, q), self.horizon
        if not len(rows.distance):
            return rows, np.zeros(0)
        rate = rows.jacobian @ v
        ahead = self.collisions.model(robot).measure(integrate(robot, q, _AHEAD * v))
        later = np.where(ahead.exact[rows.places], ahead.jacobian[rows.places] @ v, rate)
        # Where the closest elements change, rates jump: that is no acceleration.
        turning = np.clip((later - rate) / _AHEAD, -_SHARPEST, _SHARPEST)
        keeping = 2 * (self.collisions.clearance - rows.distance - rate * h) / h**2
        return rows, np.minimum(keeping, (self.collisions.recovery - rate) / h) - turning

    def _collision_rows(self, situation: Situation) -> LimitRows:
        rows, value = self.distance_rows(situation.robot, situation.q, situation.v)
        matrix = np.zeros((len(value), situation.layout.size))
        matrix[:, situation.layout.a] = rows.jacobian
        return LimitRows(
            matrix, value, tuple(f"distance of {first!r} and {second!r}" for first, second in rows.pairs)
        )

    def _joint_rows(self, situation: Situation) -> LimitRows:
        robot, layout, h = situation.robot, situation.layout, self.horizon
        velocity, coordinate = driven_velocities(robot), driven_coordinates(robot)
        v, q = situation.v[velocity], situation.q[coordinate]
        fastest = robot.velocity_limits[velocity]
        slowing, stopping = (-fastest - v) / h, 2 * (robot.lower_limits[coordinate] - q - v * h) / h**2
        lower, lower_stops = np.maximum(slowing, stopping), stopping > slowing
        slowing, stopping = (fastest - v) / h, 2 * (robot.upper_limits[coordinate] - q - v * h) / h**2
        upper, upper_stops = np.minimum(slowing, stopping), stopping < slowing
        select, names = np.eye(layout.size)[velocity], driven_names(robot)
        labels = [
            f"{'stop' if stops else 'speed'} of joint {name!r}"
            for side in (lower_stops, upper_stops)
            for name, stops in zip(names, side.tolist(), strict=True)
        ]
        return _finite(np.vstack([select, -select]), np.concatenate([lower, -upper]), tuple(labels))


def _torque_rows(situation: Situation) -> LimitRows:
    layout = situation.layout
    driven = driven_velocities(situation.robot)
    most = situation.robot.effort_limits[driven]
    select = np.eye(layout.size)[layout.tau]
    labels = [f"torque of joint {name!r}" for name in driven_names(situation.robot)]
    return _finite(np.vstack([select, -select]), np.concatenate([-most, -most]), (*labels, *labels))


def _finite(matrix: Array, value: Array, labels: tuple[str, ...]) -> LimitRows:
    """Only rows that limit anything."""
    kept = np.isfinite(value)
    return LimitRows(matrix[kept], value[kept], tuple(np.array(labels, dtype=object)[kept]))


def _cone(situation: Situation, contact: Contact, facets: int) -> Array | None:
    """Rows (m, rows) of the forces that a contact can give; None where it is a mere constraint."""
    if contact.rows == POINT:
        return pyramid_rows(contact.normal, contact.friction, facets=facets)
    if contact.rows != SURFACE:
        return None
    axes = sole_axes(situation.robot, situation.q, contact)
    rows = rectangular_rows(contact.friction, *contact.half_size)
    return np.hstack([rows[:, :3] @ axes, rows[:, 3:] @ axes])
