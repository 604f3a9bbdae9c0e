"""Ways to write a position, and how their rates relate to the linear velocity (Robotic Systems Lab 2022).

- `cartesian`: (x, y, z)
- `cylindrical`: (radius, azimuth, z)
- `spherical`: (radius, azimuth, polar angle from +z)

Lengths in m, angles in rad. All functions work on floats and on symbols; on floats the maps to rates raise
`InvalidInput` where the azimuth is undefined, on symbols their entries are then infinite.

Where a set of parameters cannot follow every motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import atan2
from footfall.errors import InvalidInput, UnknownName

POSITION_KINDS: tuple[str, ...] = ("cartesian", "cylindrical", "spherical")


def position_from_parameters(kind: str, parameters: Array) -> Array:
    """Cartesian position (3,) of the parameters (3,), RSL 2022, (2.3)-(2.8)."""
    match kind:
        case "cartesian":
            return np.asarray(parameters)
        case "cylindrical":
            radius, azimuth, z = parameters
            return np.array([radius * np.cos(azimuth), radius * np.sin(azimuth), z])
        case "spherical":
            radius, azimuth, polar = parameters
            across = radius * np.sin(polar)
            return np.array([across * np.cos(azimuth), across * np.sin(azimuth), radius * np.cos(polar)])
    raise UnknownName("position parameterisation", kind, POSITION_KINDS)


def parameters_from_position(kind: str, position: Array) -> Array:
    """Parameters (3,) of a Cartesian position (3,)."""
    x, y, z = position
    match kind:
        case "cartesian":
            return np.asarray(position)
        case "cylindrical":
            return np.array([np.sqrt(x * x + y * y), atan2(y, x), z])
        case "spherical":
            across = x * x + y * y
            return np.array([np.sqrt(across + z * z), atan2(y, x), atan2(np.sqrt(across), z)])
    raise UnknownName("position parameterisation", kind, POSITION_KINDS)


def linear_velocity_map(kind: str, parameters: Array) -> Array:
    """E_P (3, 3): linear velocity = E_P @ rates of the parameters, RSL 2022, (2.12)-(2.16)."""
    match kind:
        case "cartesian":
            return np.eye(3)
        case "cylindrical":
            radius, azimuth, _ = parameters
            c, s = np.cos(azimuth), np.sin(azimuth)
            return np.array([[c, -radius * s, 0.0], [s, radius * c, 0.0], [0.0, 0.0, 1.0]])
        case "spherical":
            radius, azimuth, polar = parameters
            c, s = np.cos(azimuth), np.sin(azimuth)
            cp, sp = np.cos(polar), np.sin(polar)
            return np.array(
                [
                    [c * sp, -radius * sp * s, radius * cp * c],
                    [s * sp, radius * sp * c, radius * cp * s],
                    [cp, 0.0, -radius * sp],
                ]
            )
    raise UnknownName("position parameterisation", kind, POSITION_KINDS)


def position_rate_map(kind: str, parameters: Array) -> Array:
    """Inverse of E_P (3, 3): rates of the parameters = this @ linear velocity, RSL 2022, (2.12)-(2.17)."""
    match kind:
        case "cartesian":
            return np.eye(3)
        case "cylindrical":
            radius, azimuth, _ = parameters
            refuse_singular(kind, "the radius", radius)
            c, s = np.cos(azimuth), np.sin(azimuth)
            return np.array([[c, s, 0.0], [-s / radius, c / radius, 0.0], [0.0, 0.0, 1.0]])
        case "spherical":
            radius, azimuth, polar = parameters
            c, s = np.cos(azimuth), np.sin(azimuth)
            cp, sp = np.cos(polar), np.sin(polar)
            across = radius * sp
            refuse_singular(kind, "radius * sin(polar angle)", across)
            return np.array(
                [
                    [c * sp, s * sp, cp],
                    [-s / across, c / across, 0.0],
                    [cp * c / radius, cp * s / radius, -sp / radius],
                ]
            )
    raise UnknownName("position parameterisation", kind, POSITION_KINDS)


THRESHOLD = 1e-9


def refuse_singular(kind: str, quantity: str, value: Any) -> None:
    """Raise if `value` is a number that vanishes; a symbol passes, its kernel then gives infinite entries."""
    if isinstance(value, (int, float, np.integer, np.floating)) and abs(float(value)) < THRESHOLD:
        raise InvalidInput(
            f"{kind} parameters have no rates here: {quantity} is {float(value):.3g} and must not vanish; "
            "use a parameterisation without a singularity at this pose, such as 'cartesian' or 'quaternion'"
        )
