"""Which velocities drives act on, and commands that apply joint torques in a simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import UnsuitableRobot
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.simulation.joint_control import actuated_velocities
from footfall.simulation.step_values import Command


def driven_velocities(robot: Robot) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Indices (joints,) into `v` of the axes with a drive, in order."""
    return np.array([velocity for _, velocity in actuated_velocities(robot)], dtype=np.int64)


def driven_coordinates(robot: Robot) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Indices (joints,) into `q` of the axes with a drive, in order."""
    return np.array([coordinate for coordinate, _ in actuated_velocities(robot)], dtype=np.int64)


def driven_names(robot: Robot) -> tuple[str, ...]:
    """Names (joints,) of the axes with a drive: those of their joints, with a number where a joint has several."""
    names: dict[int, str] = {}
    for joint in robot.joints:
        places = range(robot.nv)[robot.v_slice(joint.name)]
        several = len(places) > 1
        names |= {place: f"{joint.name}[{k}]" if several else joint.name for k, place in enumerate(places)}
    return tuple(names[place] for place in driven_velocities(robot).tolist())


def selection_matrix(robot: Robot) -> Array:
    """S (joints, nv), RSL 2022, (3.56): `S v` are the rates of the driven axes, `S^T tau` the forces of their
    drives."""
    matrix: Array = np.eye(robot.nv)[driven_velocities(robot)]
    return matrix


def require_full_actuation(robot: Robot, controller: str) -> None:
    """Refuse robots with velocities that no drive acts on."""
    require_robot(controller, robot)
    driven = set(driven_velocities(robot).tolist())
    free = [
        joint.name for joint in robot.joints if not set(range(robot.nv)[robot.v_slice(joint.name)]) <= driven
    ]
    if free:
        raise UnsuitableRobot(
            f"{controller} needs a drive on every velocity; robot {robot.name!r} has none on: {', '.join(free)}"
        )


def torque_command(torque: Array) -> Command:
    """A command that applies torques (joints,), N m or N, as they are."""
    zero = np.zeros(len(torque))
    return Command(zero, zero, torque, zero, zero, zero)
