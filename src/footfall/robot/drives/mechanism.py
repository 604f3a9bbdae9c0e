"""What all drive mechanisms have in common: the map from joint to motor positions, forwards and backwards.

A mechanism has as many motors as joints, one or two. All methods are written for numbers and symbols alike, so
they can be part of traced code; on numbers they say what is wrong, on symbols the result is NaN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import (
    Kernel,
    Symbol,
    absolute,
    build_kernel,
    less,
    less_equal,
    maximum,
    minimum,
    repeat,
    where,
)
from footfall.errors import InvalidInput

_GREATEST_STEP = 0.2  # rad or m a Newton step; the maps turn back on themselves farther away
_SINGULAR = 1e-9  # share of the product of the rows' lengths below which a determinant counts as zero


class Mechanism(ABC):
    """A map from joint coordinates q (n,) to motor angles (n,), rad, and its derivatives."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of joints, and of motors."""

    @abstractmethod
    def motor_position(self, q: Array) -> Array:
        """Motor angles (n,), rad, at joint coordinates q (n,)."""

    @abstractmethod
    def motor_jacobian(self, q: Array) -> Array:
        """Derivative (n, n) of the motor angles by q: the transmission ratios."""

    @abstractmethod
    def motor_jacobian_rate(self, q: Array, v: Array) -> Array:
        """Derivative (n, n) of the Jacobian by time, 1/s, at joint rates v (n,)."""

    def motor_velocity(self, q: Array, v: Array) -> Array:
        """Motor speeds (n,), rad/s."""
        return self.motor_jacobian(q) @ v

    def motor_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        """Motor accelerations (n,), rad/s2."""
        result: Array = self.motor_jacobian(q) @ a + self.motor_jacobian_rate(q, v) @ v
        return result

    def joint_torque(self, q: Array, motor_torque: Array) -> Array:
        """Torques (n,) at the joints of motor torques (n,), N m, without losses: equal power on both sides."""
        return self.motor_jacobian(q).T @ motor_torque

    def motor_torque(self, q: Array, joint_torque: Array) -> Array:
        """Motor torques (n,) that stand for torques (n,) at the joints, N m, without losses."""
        return self._solved(self.motor_jacobian(q).T, joint_torque, q)

    def joint_velocity(self, q: Array, motor_velocity: Array) -> Array:
        """Joint rates (n,) of motor speeds (n,), rad/s."""
        return self._solved(self.motor_jacobian(q), motor_velocity, q)

    def reflected_inertia(self, q: Array, rotor_inertia: Any) -> Array:
        """Inertia (n, n) of the rotors seen at the joints, kg m2; rotor_inertia one number, or one a motor.

        It holds where the body that carries the motors does not turn; Schwienbacher 2014, chapter 3.
        """
        jacobian = self.motor_jacobian(q)
        result: Array = jacobian.T @ (np.ones(self.size) * rotor_inertia * jacobian.T).T
        return result

    def inertial_torque(self, q: Array, v: Array, a: Array, rotor_inertia: Any) -> Array:
        """Torques (n,) at the joints that accelerate the rotors, N m, velocity terms included."""
        return self.joint_torque(q, rotor_inertia * self.motor_acceleration(q, v, a))

    def joint_position(self, motor_position: Array, *, start: Array, iterations: int = 30) -> Array:
        """Joint coordinates q (n,) at motor angles (n,), rad: Newton's method from `start` (n,), the last known q.

        It finds the solution on the branch of `start`. On numbers, InvalidInput or InvalidInput says
        why there is none.
        """

        def error(q: Array) -> Array:
            return motor_position - self.motor_position(q)

        tolerance = 1e-13 * (1.0 + _largest(motor_position))

        def improved(q: Array, _: Array) -> tuple[Array, Array]:
            step = _newton_step(self.motor_jacobian(q), error(q))
            following = q + minimum(maximum(step, -_GREATEST_STEP), _GREATEST_STEP)
            return following, error(following)

        def settled(_: Array, left: Array) -> Any:
            return less_equal(_largest(left), tolerance)

        begin = np.asarray(start)
        q, left = repeat(improved, (begin, error(begin)), count=iterations, until=settled)
        if not is_symbolic(q, left) and not _largest(left) <= 1e-9 * (1.0 + _largest(motor_position)):
            self._explain(np.asarray(q, dtype=float), np.asarray(motor_position, dtype=float))
        return np.asarray(q)

    def native(self) -> Kernel:
        """The map as machine code: kernel(q, v) gives (position, jacobian, jacobian_rate), also for batches."""

        def motor_map(q: Array, v: Array) -> dict[str, Array]:
            return {
                "position": self.motor_position(q),
                "jacobian": self.motor_jacobian(q),
                "jacobian_rate": self.motor_jacobian_rate(q, v),
            }

        return build_kernel(motor_map, {"q": self.size, "v": self.size})

    def native_inverse(self, *, iterations: int = 30) -> Kernel:
        """The inverse as machine code: kernel(motor_position, start) gives q, also for batches."""

        def joint_map(motor_position: Array, start: Array) -> dict[str, Array]:
            return {"q": self.joint_position(motor_position, start=start, iterations=iterations)}

        return build_kernel(joint_map, {"motor_position": self.size, "start": self.size})

    def _solved(self, matrix: Array, right: Array, q: Array) -> Array:
        if not is_symbolic(matrix, q) and _is_singular(matrix):
            raise InvalidInput(
                f"{self}: the transmission {np.round(matrix, 6).tolist()} at q = {np.round(q, 6).tolist()} "
                "is singular; motor and joint do not determine each other there"
            )
        determinant = _determinant(matrix)
        result: Array = _adjugate(matrix) @ right / determinant
        return result

    def _explain(self, q: Array, motor_position: Array) -> None:
        place = f"{self}: no joint position for motor angles {np.round(motor_position, 6).tolist()} rad"
        if _is_singular(self.motor_jacobian(q), share=1e-3):
            raise InvalidInput(f"{place}; the search ends at the dead centre q = {q.tolist()}")
        raise InvalidInput(
            f"{place}; the search ends at q = {q.tolist()}: they are out of reach, or the start is too far away"
        )


def is_symbolic(*values: Any) -> bool:
    """Whether a trace is under way in any of the values."""
    return any(
        isinstance(value, Symbol) or (isinstance(value, np.ndarray) and value.dtype == object)
        for value in values
    )


def _largest(values: Array) -> Any:
    entries = [absolute(value) for value in values]
    largest = entries[0]
    for entry in entries[1:]:
        largest = maximum(largest, entry)
    return largest


def _determinant(matrix: Array) -> Any:
    if len(matrix) == 1:
        return matrix[0, 0]
    return matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]


def _adjugate(matrix: Array) -> Array:
    if len(matrix) == 1:
        return np.ones((1, 1))
    return np.array([[matrix[1, 1], -matrix[0, 1]], [-matrix[1, 0], matrix[0, 0]]])


def _scale(matrix: Array) -> Any:
    """What the determinant would be at most, up to a factor of two."""
    scale = _largest(matrix.ravel())
    return scale if len(matrix) == 1 else scale * scale


def _newton_step(matrix: Array, error: Array) -> Array:
    """No step at a dead centre: the search then ends with what is wrong, not in overflow."""
    determinant = _determinant(matrix)
    dead = less(absolute(determinant), _SINGULAR * _scale(matrix) + 1e-12)
    result: Array = where(dead, 0.0, 1.0) * (_adjugate(matrix) @ error) / where(dead, 1.0, determinant)
    return result


def _is_singular(matrix: Array, *, share: float = _SINGULAR) -> bool:
    """Whether the determinant is a tiny share of what it could be; of a single ratio, whether it is tiny."""
    largest = 1.0 if len(matrix) == 1 else _scale(matrix)
    return not np.isfinite(matrix).all() or bool(abs(_determinant(matrix)) <= share * largest)
