"""Which velocities drives act on, and commands that apply joint torques in a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.robot.model import Robot
from footfall.simulation.step_values import Command
from footfall.simulation.time_step import actuated_velocities

Array = np.ndarray[Any, np.dtype[np.float64]]


class NotFullyActuated(FootfallError, ValueError):
    """A controller that needs a drive on every velocity was given a robot without."""

    def __init__(self, robot: Robot, controller: str) -> None:
        driven = set(driven_velocities(robot).tolist())
        free = [
            joint.name
            for joint in robot.joints
            if not set(range(robot.nv)[robot.v_slice(joint.name)]) <= driven
        ]
        super().__init__(
            f"{controller} needs a drive on every velocity; robot {robot.name!r} has none on: {', '.join(free)}"
        )


class InvalidRequest(FootfallError, ValueError):
    """An array that a controller cannot work with: of the wrong shape, or not finite."""


def driven_velocities(robot: Robot) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Indices (joints,) into `v` of the axes with a drive, in order."""
    return np.array([velocity for _, velocity in actuated_velocities(robot)], dtype=np.int64)


def driven_coordinates(robot: Robot) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Indices (joints,) into `q` of the axes with a drive, in order."""
    return np.array([coordinate for coordinate, _ in actuated_velocities(robot)], dtype=np.int64)


def selection_matrix(robot: Robot) -> Array:
    """S (joints, nv), 002 (3.56): `S v` are the rates of the driven axes, `S^T tau` the forces of their drives."""
    matrix: Array = np.eye(robot.nv)[driven_velocities(robot)]
    return matrix


def require_full_actuation(robot: Robot, controller: str) -> None:
    """Refuse robots with velocities that no drive acts on."""
    if len(driven_velocities(robot)) != robot.nv:
        raise NotFullyActuated(robot, controller)


def checked_array(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A read-only copy of finite numbers of that shape."""
    array = np.array(value, dtype=np.float64)
    if array.shape != shape:
        raise InvalidRequest(f"{name} has shape {array.shape}, needed is {shape}")
    if not np.isfinite(array).all():
        raise InvalidRequest(f"{name} is not finite: {array}")
    array.flags.writeable = False
    return array


def checked_state(robot: Robot, q: Any, v: Any) -> tuple[Array, Array]:
    """One state of a robot, q (nq,) and v (nv,), of finite numbers."""
    return checked_array("q", q, (robot.nq,)), checked_array("v", v, (robot.nv,))


def check_directions(label: str, directions: Sequence[int], count: int) -> None:
    """Refuse directions that are not some of the first few numbers, each once."""
    chosen = tuple(directions)
    if not chosen or not set(chosen) <= set(range(count)) or len(set(chosen)) != len(chosen):
        raise InvalidRequest(
            f"{label}: directions are {chosen}; they must be some of 0 to {count - 1}, each once"
        )


def torque_command(torque: Array) -> Command:
    """A command that applies torques (joints,), N m or N, as they are."""
    zero = np.zeros(len(torque))
    return Command(zero, zero, torque, zero, zero, zero)
