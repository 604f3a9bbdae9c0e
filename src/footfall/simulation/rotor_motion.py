"""How rotors turn along with the bodies that carry them: spins, and what they do to these bodies.

A rotor that turns by an angle against its carrier, about an axis e fixed in it, has the angular momentum
`I (angle' + e . w) e` along the axis. Bodies have the inertia of their rotors as if locked, so `I e . w` is theirs
already; what is left couples `angle'` with the carrier's rotation, one part in the ratio of the gear, Schwienbacher
2014, chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.loops import Coupling
from footfall.math.spatial import cross
from footfall.math.transform import Transform
from footfall.robot.drives.drive import Drive
from footfall.robot.drives.rotor_bodies import rotor_axes
from footfall.robot.model import Robot


class Carrier(NamedTuple):
    """Where a rotor sits: the link, and its axis (3,) in the axes of that link."""

    link: int
    axis: Array


class CarrierMotion(NamedTuple):
    """A carrier's rotation along a rotor's axis e. spin: row of velocities, `e . w` a unit of each. bias: `e . w'` at
    accelerations of zero, rad/s2. turning: row, generalised forces of the torque `w x e`, which a spinning rotor has
    for each unit of angular momentum."""

    spin: dict[int, Any]
    bias: Any
    turning: dict[int, Any]


def rotor_carriers(robot: Robot, drive: Drive) -> list[Carrier | None]:
    """Of each motor of a drive; None where the carrier stands still or the rotor's axis is not known."""
    joint = robot.joint(drive.joints[0])
    attachment = robot.tree.attachments[joint.parent]
    axes = rotor_axes(robot, drive)
    if axes is None or attachment.link < 0:
        return [None] * len(drive.joints)
    return [Carrier(attachment.link, attachment.placement.rotation @ axis) for axis in axes]


class TurningLinks:
    """Rotations of a robot's links in one state, world axes, computed as far as they are asked for."""

    def __init__(self, coupling: Coupling, poses: Sequence[Transform], v: Array) -> None:
        self.coupling = coupling
        self.tree = coupling.tree
        self.poses = poses
        self.rates = coupling.velocity(v)  # of all joints
        self.drift = coupling.bias(v)  # their accelerations while v stays as it is
        self._known: dict[int, tuple[dict[int, Array], Array, Array]] = {}

    def along(self, carrier: Carrier) -> CarrierMotion:
        """The rotation of a carrier along the rotor's axis."""
        columns, velocity, bias = self._rotation(carrier.link)
        axis = self.poses[carrier.link].rotation @ carrier.axis
        across = cross(velocity, axis)
        spin = {index: column @ axis for index, column in columns.items()}
        turning = {index: column @ across for index, column in columns.items()}
        following = sum((entry * self.drift[index] for index, entry in spin.items()), start=bias @ axis)
        return CarrierMotion(self.coupling.row(spin), following, self.coupling.row(turning))

    def _rotation(self, link: int) -> tuple[dict[int, Array], Array, Array]:
        """Columns (3,) of the angular Jacobian, angular velocity, and angular acceleration while v stays as it is."""
        if link < 0:
            return {}, np.zeros(3), np.zeros(3)
        if link not in self._known:
            joint, turn = self.tree.links[link], self.poses[link].rotation
            columns, velocity, bias = self._rotation(joint.parent)
            own = {
                index: turn @ motion[3:]
                for index, motion in zip(range(self.tree.nv)[joint.v], joint.subspace.T, strict=True)
                if motion[3:].any()
            }
            relative = sum((column * self.rates[index] for index, column in own.items()), start=np.zeros(3))
            # The axes of a joint turn with its parent, and with the child by what only turns along them.
            self._known[link] = (
                {**columns, **own},
                velocity + relative,
                bias + cross(velocity, relative),
            )
        return self._known[link]
