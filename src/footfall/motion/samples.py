"""All that moves at some time: a sample of a motion, as routines take it and as users see it.

A sample is one record of floats, so that many of them are an array with a row each; `MotionSamples` gives its parts by
name, as arrays.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.compiler.routines import ArrayOf, Vector3, record_dtype
from footfall.compiler.routines.types import Fixed
from footfall.math.quaternion_splines import Turning

Loads = Annotated[Array, Fixed((4,))]  # factors of RF, LF, RH, LH
# Whether RF and LF stand, 1 or 0, and on what of their soles, see `contacts`.
Contacts = Annotated[Array, Fixed((4,))]


class Quantities(NamedTuple):
    """All that is no rotation, or its velocity or acceleration; world axes, m, rad, N, Nm."""

    zmp: Vector3
    right_foot: Vector3
    left_foot: Vector3
    right_hand: Vector3
    left_hand: Vector3
    right_toe: float
    left_toe: float
    right_selection: float
    left_selection: float
    load: Loads
    right_force: Vector3  # on the hand
    right_torque: Vector3
    left_force: Vector3
    left_torque: Vector3
    torso: Vector3
    center_of_mass: Vector3
    momentum: Vector3  # angular, of the whole robot beyond five masses, kg m2/s
    contact: Contacts  # does not change within a phase
    time: float  # s


class Sample(NamedTuple):
    """All that moves, with two derivatives in time."""

    value: Quantities
    rate: Quantities
    second: Quantities
    upper_body: Turning
    head: Turning
    right_foot_rotation: Turning
    left_foot_rotation: Turning


SIZE = record_dtype(Sample).itemsize // 8
WIDTH = record_dtype(Quantities).itemsize // 8
ROTATIONS = Sample._fields[3:]
_TURNING = record_dtype(Turning).itemsize // 8
VALUES, TURNINGS = (3, WIDTH), (len(ROTATIONS), _TURNING)  # shapes of both parts of a sample
MOVING = 3 * WIDTH


def column_of(name: str) -> int:
    """Where one of the quantities begins among all of them."""
    fields = record_dtype(Quantities).fields
    assert fields is not None
    return int(fields[name][1]) // 8


def rotation_column(name: str) -> int:
    """Where one of the rotations begins among the numbers of a sample."""
    return MOVING + _TURNING * ROTATIONS.index(name)


def _columns(first: str, after: str) -> slice:
    """Those from one quantity up to another."""
    return slice(column_of(first), column_of(after))


_ZMP = _columns("zmp", "right_foot")
_FEET = _columns("right_foot", "right_hand")
_HANDS = _columns("right_hand", "right_toe")
_TOES = _columns("right_toe", "right_selection")
SELECTION = _columns("right_selection", "load")
LOAD = _columns("load", "right_force")
WRENCHES = _columns("right_force", "torso")
_TORSO = _columns("torso", "center_of_mass")
_CENTER_OF_MASS = _columns("center_of_mass", "momentum")
_MOMENTUM = _columns("momentum", "contact")
_CONTACT = _columns("contact", "time")
TIME = column_of("time")


def as_records(numbers: Array) -> ArrayOf[Sample]:
    """Rows (k, SIZE) of numbers as samples (k,), in the same memory."""
    return np.ndarray(len(numbers), record_dtype(Sample), numbers)


class MotionSamples(NamedTuple):
    """Values of all trajectories. values (..., 3, 49): value, velocity and acceleration of what the properties name.
    rotations (..., 4, 10): of upper body, head, RF and LF: quaternion, angular velocity, angular acceleration."""

    values: Array
    rotations: Array

    @staticmethod
    def of(numbers: Array) -> MotionSamples:
        """Of rows (..., SIZE) of numbers, in the same memory."""
        head = numbers.shape[:-1]
        values, rotations = numbers[..., :MOVING], numbers[..., MOVING:]
        return MotionSamples(values.reshape(*head, *VALUES), rotations.reshape(*head, *TURNINGS))

    @property
    def zmp(self) -> Array:
        """Zero-moment point (..., 3 derivatives, 3), m."""
        return self.values[..., _ZMP]

    @property
    def feet(self) -> Array:
        """Positions of RF and LF (..., 3 derivatives, 2, 3), m."""
        return _pair(self.values[..., _FEET])

    @property
    def hands(self) -> Array:
        """Positions of RH and LH (..., 3 derivatives, 2, 3), m."""
        return _pair(self.values[..., _HANDS])

    @property
    def toes(self) -> Array:
        """Angles of the right and left toe joint (..., 3 derivatives, 2), rad."""
        return self.values[..., _TOES]

    @property
    def selection(self) -> Array:
        """Task-space selection factors of RH and LH (..., 3 derivatives, 2)."""
        return self.values[..., SELECTION]

    @property
    def load(self) -> Array:
        """Load factors of RF, LF, RH, LH (..., 3 derivatives, 4)."""
        return self.values[..., LOAD]

    @property
    def wrenches(self) -> Array:
        """Wrenches on RH and LH (..., 3 derivatives, 2, 6), N and Nm, before weighting with the selection factor."""
        return _pair(self.values[..., WRENCHES])

    @property
    def torso(self) -> Array:
        """Torso of the reduced model (..., 3 derivatives, 3), m."""
        return self.values[..., _TORSO]

    @property
    def center_of_mass(self) -> Array:
        """Centre of mass (..., 3 derivatives, 3), m."""
        return self.values[..., _CENTER_OF_MASS]

    @property
    def momentum(self) -> Array:
        """Angular momentum of the whole robot beyond that of five masses (..., 3 derivatives, 3), kg m2/s."""
        return self.values[..., _MOMENTUM]

    @property
    def closed(self) -> Flags:
        """Whether RF and LF stand on the ground (..., 2)."""
        return np.asarray(self.values[..., 0, _CONTACT][..., :2] > 0.5)

    @property
    def contact(self) -> Integers:
        """What of RF and LF stands or will stand on the ground (..., 2), in the order of `FootContact`."""
        return np.asarray(self.values[..., 0, _CONTACT][..., 2:].astype(np.int64))

    @property
    def times(self) -> Array:
        """When that is (...), s."""
        return self.values[..., 0, TIME]

    @property
    def quaternions(self) -> Array:
        """Of upper body, head, RF and LF (..., 4, 4)."""
        return self.rotations[..., 0:4]

    @property
    def angular_velocities(self) -> Array:
        """Of upper body, head, RF and LF (..., 4, 3), world axes, rad/s."""
        return self.rotations[..., 4:7]

    @property
    def angular_accelerations(self) -> Array:
        """Of upper body, head, RF and LF (..., 4, 3), world axes, rad/s2."""
        return self.rotations[..., 7:10]


def _pair(part: Array) -> Array:
    """Right and left."""
    return part.reshape(*part.shape[:-1], 2, part.shape[-1] // 2)
