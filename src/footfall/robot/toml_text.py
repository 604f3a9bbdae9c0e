"""What the writers of TOML files share: values, names, poses and shapes as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere

Value = float | str | Iterable["Value"] | Mapping[str, "Value"]


def shape_lines(shape: Shape) -> list[str]:
    """Fields of a shape."""
    lines = [f"shape = {toml_string(type(shape).__name__.lower())}"]
    match shape:
        case Box(size):
            lines.append(f"size = {toml_value(size)}")
        case Sphere(radius):
            lines.append(f"radius = {toml_value(radius)}")
        case Cylinder(radius, length) | Capsule(radius, length):
            lines += [f"radius = {toml_value(radius)}", f"length = {toml_value(length)}"]
        case Mesh(path, scale):
            lines += [f"path = {toml_string(path)}", f"scale = {toml_value(scale)}"]
    return lines


def placement_lines(placement: Transform) -> list[str]:
    """Fields of a pose, those that differ from nothing."""
    lines = []
    if np.any(placement.translation):
        lines.append(f"position = {toml_value(placement.translation.tolist())}")
    if not np.array_equal(placement.rotation, np.eye(3)):
        lines.append(f"rotation = {toml_value(placement.rotation.tolist())}")
    return lines


def toml_value(value: Value) -> str:
    """A number, text, list or inline table; numbers are written so that they read back the same."""
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, Iterable):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return repr(float(value))


def toml_key(name: str) -> str:
    """A key, quoted where it must be."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_string(name)


def toml_string(text: str) -> str:
    """A basic string: quotes, backslashes and control characters escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\u{ord(match.group()):04x}", escaped) + '"'
