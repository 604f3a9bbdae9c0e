"""What a row of a batch adds to its robot's base: a mass, and a push."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from footfall.arrays import Array
from footfall.math.rotations import matrix_from_quaternion
from footfall.math.spatial import cross, skew
from footfall.robot.model import Robot
from footfall.simulation.joint_action import JointAction, JointEntries
from footfall.simulation.step_values import Command


@dataclass(frozen=True)
class BaseLoad:
    """On a robot whose first joint is its floating base. Ten values say how large it is: mass, kg; shift (3,) of the
    base's centre of mass in its axes, m; push (6,), force and moment at its origin, world axes, N and N m.

    In a robot's motion it stands where drives do, whose state are these values.
    """

    robot: Robot
    size: ClassVar[int] = 10
    key: ClassVar[str] = "base load"

    @cached_property
    def _base(self) -> tuple[float, Array, Array]:
        """Mass of the base, its centre of mass (3,) and moments of inertia (3, 3) about it, in its axes."""
        attachment = self.robot.tree.attachments[self.robot.joints[0].child]
        link, turn = self.robot.tree.links[attachment.link], attachment.placement.rotation
        center = turn.T @ (link.center_of_mass - attachment.placement.translation)
        return link.mass, np.asarray(center), np.asarray(turn.T @ link.inertia @ turn)

    def action(self, load: Array, q: Array, v: Array) -> JointAction:
        """Of a load (10,) at q (nq,), v (nv,).

        With the mass m at c instead of m0 at c0, and the inertia grown with the mass: differences of mass, first moment
        and inertia about the origin, of which the kinetic energy `m v^2/2 + v R (w x h) + w I w/2` is linear.
        """
        added, shift, push = load[0], load[1:4], load[4:]
        mass, center, inertia = self._base
        total = mass + added
        at = center + shift
        first = total * at - mass * center
        second = (added / mass) * inertia + total * _second(at) - mass * _second(center)
        rotation, w = matrix_from_quaternion(q[3:7]), v[3:6]
        block = np.zeros((self.robot.nv, self.robot.nv), dtype=object)
        block[:3, :3] = added * np.eye(3)
        block[:3, 3:6] = -(rotation @ skew(first))
        block[3:6, :3] = block[:3, 3:6].T
        block[3:6, 3:6] = second
        gravity = np.asarray(self.robot.gravity)
        forces = np.zeros(self.robot.nv, dtype=object)
        forces[:3] = added * gravity - rotation @ cross(w, cross(w, first)) + push[:3]
        forces[3:6] = cross(first, rotation.T @ gravity) - cross(w, second @ w) + rotation.T @ push[3:]
        return JointAction(block, forces)

    def entries(
        self, state: Array, command: Command, q: Array, v: Array
    ) -> tuple[list[JointEntries], Callable[[Array], Array]]:
        """See `DriveTrain.entries`; the load stays."""
        action, made = self.action(state, q, v), JointEntries()
        made.inertia = {(i, j): action.inertia[i, j] for i in range(6) for j in range(6)}
        made.forces = {i: action.forces[i] for i in range(6)}
        return [made], lambda _: state

    def undriven(self, command: Command) -> Command:
        """See `DriveTrain.undriven`: all of it."""
        return command


def _second(point: Array) -> Any:
    """Moments of inertia (3, 3) of a unit mass at a point (3,), m2."""
    return (point @ point) * np.eye(3) - np.outer(point, point)
