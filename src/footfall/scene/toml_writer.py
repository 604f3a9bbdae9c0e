"""Writer of scene files: what `footfall.scene.toml` reads back to the same numbers."""

from __future__ import annotations

import base64
import math
import zlib
from dataclasses import fields
from typing import Any

import numpy as np

from footfall.errors import SceneError
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.robot.toml_text import placement_lines, shape_lines, toml_key, toml_string, toml_value
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Mass, Material, Perception, Scene, SceneObject, SceneRobot, SceneShape
from footfall.scene.shapes import Icosphere, MeshShape, Triangles


def scene_text(scene: Scene) -> str:
    """The scene as text; paths stay as they are in it."""
    lines = [f"name = {toml_string(scene.name)}"]
    if scene.gravity is not None:
        lines.append(f"gravity = {toml_value(scene.gravity)}")
    for name, pose in (("start", scene.start), ("goal", scene.goal)):
        if pose is not None:
            turned = [line for line in placement_lines(pose) if not line.startswith("position")]
            lines += ["", f"[{name}]", f"position = {toml_value(pose.translation.tolist())}", *turned]
    for each in scene.objects:
        lines += ["", *_object_lines(each)]
    for robot in scene.robots:
        lines += ["", *_robot_lines(robot)]
    if scene.notes:
        lines += [
            "",
            "[notes]",
            *(f"{toml_key(key)} = {toml_string(text)}" for key, text in scene.notes.items()),
        ]
    return "\n".join(lines) + "\n"


def _object_lines(each: SceneObject) -> list[str]:
    lines = ["[[object]]", f"name = {toml_string(each.name)}"]
    lines += [f"class = {toml_string(each.category)}"] if each.category else []
    lines += [*_shape_lines(each.shape), *placement_lines(each.placement), *_material_lines(each.material)]
    lines += [f"{name} = false" for name in ("contact", "visible") if not getattr(each, name)]
    lines += [f"color = {toml_value(each.color)}"] if each.color is not None else []
    lines += _mass_lines(each.free) if each.free is not None else []
    lines += _motion_lines(each.motion) if each.motion is not None else []
    return lines + _perception_lines(each.perception)


def _shape_lines(shape: SceneShape) -> list[str]:
    match shape:
        case Plane():
            return ['shape = "plane"']
        case HeightMap():
            content = zlib.compress(np.ascontiguousarray(shape.heights, dtype="<f8").tobytes(), 9)
            rows, columns = shape.heights.shape
            data = base64.b64encode(content).decode("ascii")
            assert shape.origin is not None
            return [
                'shape = "height_map"',
                f"spacing = {toml_value(shape.spacing)}",
                f"origin = {toml_value(shape.origin)}",
                f'heights = {{ shape = [{rows}, {columns}], data = "{data}" }}',
            ]
        case MeshShape():
            return _mesh_lines(shape)
    return shape_lines(shape)


def _mesh_lines(shape: MeshShape) -> list[str]:
    lines = [f"shape = {toml_string(type(shape).__name__.lower())}"]
    match shape:
        case Triangles(vertices, triangles):
            corners = ", ".join(str(list(each)) for each in triangles)
            return [*lines, f"vertices = {toml_value(vertices)}", f"triangles = [{corners}]"]
        case Icosphere(radius, subdivisions):
            return [*lines, f"radius = {toml_value(radius)}", f"subdivisions = {subdivisions}"]
    return [*lines, *(f"{each.name} = {toml_value(getattr(shape, each.name))}" for each in fields(shape))]


def _perception_lines(perception: Perception) -> list[str]:
    numbers = [(name, getattr(perception, name)) for name in ("voxel", "noise")]
    lines = [f"{name} = {toml_value(value)}" for name, value in numbers if value is not None]
    if perception.volume is not None:
        rows: list[Any] = [
            {"corners": each.corners.tolist(), "radius": each.radius} for each in perception.volume.elements
        ]
        lines.append(f"volume = {toml_value(rows)}")
    return ["[object.perception]", *lines] if lines else []


def _material_lines(material: Material) -> list[str]:
    usual = Material()
    changed = {
        each.name: getattr(material, each.name)
        for each in fields(material)
        if getattr(material, each.name) != getattr(usual, each.name)
    }
    return [f"{name} = {toml_value(number)}" for name, number in changed.items() if math.isfinite(number)]


def _mass_lines(free: Mass) -> list[str]:
    i = free.inertia
    lines = [
        f"mass = {toml_value(free.mass)}",
        f"center_of_mass = {toml_value(free.center_of_mass.tolist())}",
        f"inertia = {toml_value([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])}",
    ]
    parts = (("velocity", free.velocity[:3]), ("angular_velocity", free.velocity[3:]))
    return lines + [f"{name} = {toml_value(part)}" for name, part in parts if any(part)]


def _motion_lines(motion: GivenMotion) -> list[str]:
    assert motion.quaternions is not None
    lines = ["[object.motion]", f"times = {toml_value(motion.times.tolist())}"]
    lines.append(f"positions = {toml_value(motion.positions.tolist())}")
    if not np.array_equal(motion.quaternions, np.tile([1.0, 0.0, 0.0, 0.0], (len(motion.times), 1))):
        lines.append(f"quaternions = {toml_value(motion.quaternions.tolist())}")
    return [*lines, "periodic = true"] if motion.periodic else lines


def _robot_lines(robot: SceneRobot) -> list[str]:
    if not isinstance(robot.source, str):
        message = "is a robot in memory; save it with footfall.save and give the path as its source"
        raise SceneError(message, subject=("robot", robot.name))
    lines = ["[[robot]]", f"name = {toml_string(robot.name)}", f"source = {toml_string(robot.source)}"]
    if robot.configuration is not None:
        lines.append(f"configuration = {toml_value(robot.configuration)}")
    if robot.floating_base is not None:
        lines.append(f"floating_base = {'true' if robot.floating_base else 'false'}")
    return lines + placement_lines(robot.placement)
