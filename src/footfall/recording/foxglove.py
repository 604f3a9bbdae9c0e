"""Messages that Foxglove draws: the frames of the bodies, their shapes, contact forces, and joints to plot.

Field names and meanings are those of Foxglove's well-known schemas (foxglove.SceneUpdate and others).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.recording.format import nanoseconds
from footfall.robot.model import WORLD, Body, JointType, Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from footfall.scene.model import Scene
from footfall.scene.shapes import Circle, Cone, Icosphere, MeshShape, Rectangle

TRANSFORMS = "/tf"
BODIES = "/bodies"
OBJECTS = "/objects"
FORCES = "/contact_forces"
JOINTS = "/joints"

NEWTONS_PER_METRE = 1000.0  # length of a force's arrow
_GREY = (0.62, 0.65, 0.70, 1.0)
_SAND = (0.78, 0.74, 0.66, 1.0)
_THIN = 1e-3  # m, of what has no thickness
_PLANE_SIZE = (40.0, 40.0, 0.02)  # m of a plane that is drawn, as a box


class Time(msgspec.Struct):
    sec: int = 0
    nsec: int = 0


class Vector3(msgspec.Struct):
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


class Quaternion(msgspec.Struct):
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 1.0


class Pose(msgspec.Struct):
    position: Vector3
    orientation: Quaternion


class Color(msgspec.Struct):
    r: float
    g: float
    b: float
    a: float


class FrameTransform(msgspec.Struct):
    timestamp: Time
    parent_frame_id: str
    child_frame_id: str
    translation: Vector3
    rotation: Quaternion


class FrameTransforms(msgspec.Struct):
    transforms: list[FrameTransform]


class ArrowPrimitive(msgspec.Struct):
    pose: Pose
    shaft_length: float
    shaft_diameter: float
    head_length: float
    head_diameter: float
    color: Color


class CubePrimitive(msgspec.Struct):
    pose: Pose
    size: Vector3
    color: Color


class SpherePrimitive(msgspec.Struct):
    pose: Pose
    size: Vector3
    color: Color


class CylinderPrimitive(msgspec.Struct):
    pose: Pose
    size: Vector3
    bottom_scale: float
    top_scale: float
    color: Color


class ModelPrimitive(msgspec.Struct):
    pose: Pose
    scale: Vector3
    color: Color
    override_color: bool
    url: str
    media_type: str
    data: bytes


class SceneEntity(msgspec.Struct):
    timestamp: Time
    frame_id: str
    id: str
    lifetime: Time = msgspec.field(default_factory=Time)
    frame_locked: bool = True
    arrows: list[ArrowPrimitive] = msgspec.field(default_factory=list)
    cubes: list[CubePrimitive] = msgspec.field(default_factory=list)
    spheres: list[SpherePrimitive] = msgspec.field(default_factory=list)
    cylinders: list[CylinderPrimitive] = msgspec.field(default_factory=list)
    models: list[ModelPrimitive] = msgspec.field(default_factory=list)


class SceneEntityDeletion(msgspec.Struct):
    timestamp: Time
    type: int
    id: str


class SceneUpdate(msgspec.Struct):
    deletions: list[SceneEntityDeletion]
    entities: list[SceneEntity]


class JointStates(msgspec.Struct):
    """Joints with one coordinate, by name: rad or m, rad/s or m/s, N m or N."""

    timestamp: Time
    position: dict[str, float]
    velocity: dict[str, float]
    effort: dict[str, float]


FOXGLOVE_MESSAGES: dict[str, tuple[str, type[msgspec.Struct]]] = {
    TRANSFORMS: ("foxglove.FrameTransforms", FrameTransforms),
    BODIES: ("foxglove.SceneUpdate", SceneUpdate),
    OBJECTS: ("foxglove.SceneUpdate", SceneUpdate),
    FORCES: ("foxglove.SceneUpdate", SceneUpdate),
    JOINTS: ("footfall.JointStates", JointStates),
}


def frame_transforms(
    time: float, names: Sequence[str], positions: Array, rotations: Array
) -> FrameTransforms:
    """Poses in the world of named bodies: positions (n, 3) in m, rotations (n, 3, 3)."""
    stamp = _time(time)
    quaternions = quaternion_from_matrix(rotations)[:, [1, 2, 3, 0]].tolist()
    return FrameTransforms(
        [
            FrameTransform(stamp, WORLD, name, Vector3(*position), Quaternion(*quaternion))
            for name, position, quaternion in zip(names, positions.tolist(), quaternions, strict=True)
        ]
    )


def robot_shapes(time: float, robot: Robot) -> SceneUpdate:
    """The shapes of all bodies, each in the frame of its body; visual ones before those for contact."""
    entities = [_body_entity(_time(time), body) for body in robot.bodies if body.visuals or body.collisions]
    return SceneUpdate([], entities)


def scene_shapes(time: float, scene: Scene) -> SceneUpdate:
    """Visible objects that rest, in the world; height maps and triangles, which Foxglove has no shape for, are left
    out."""
    entities = []
    for each in scene.fixed_objects:
        if not each.visible or each.motion is not None or isinstance(each.shape, HeightMap):
            continue
        color, placement = each.color or _SAND, each.placement
        if isinstance(each.shape, Plane):
            below = Transform(np.eye(3), np.array([0.0, 0.0, -_PLANE_SIZE[2] / 2]))
            geometry = Geometry(Box(_PLANE_SIZE), placement @ below, color=color)
        else:
            geometry = Geometry(each.shape, placement, color=color)  # type: ignore[arg-type]
        entity = SceneEntity(_time(time), WORLD, each.name)
        _add_shape(entity, geometry)
        entities.append(entity)
    return SceneUpdate([], entities)


def force_arrows(time: float, positions: Array, forces: Array) -> SceneUpdate:
    """Contact forces (n, 3) in N at positions (n, 3) in m as arrows that replace the earlier ones."""
    arrows = [
        _arrow(position, force)
        for position, force in zip(positions, forces, strict=True)
        if np.any(force) and np.isfinite(force).all() and np.isfinite(position).all()
    ]
    return SceneUpdate([], [SceneEntity(_time(time), WORLD, "forces", frame_locked=False, arrows=arrows)])


def joint_states(time: float, robot: Robot, q: Array, v: Array, tau: Array) -> JointStates:
    """The joints with one coordinate at a state q (nq,), v (nv,), tau (nv,); without what is missing or not finite."""
    states = JointStates(_time(time), {}, {}, {})
    for joint in robot.joints:
        if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC):
            at_q, at_v = robot.q_slice(joint.name), robot.v_slice(joint.name)
            for values, value in (
                (states.position, q[at_q]),
                (states.velocity, v[at_v]),
                (states.effort, tau[at_v]),
            ):
                if value.size and np.isfinite(value[0]):  # joints that follow from others have none in v
                    values[joint.name] = float(value[0])
    return states


def _body_entity(stamp: Time, body: Body) -> SceneEntity:
    entity = SceneEntity(stamp, body.name, body.name)
    for geometry in body.visuals or body.collisions:
        _add_shape(entity, geometry)
    return entity


def _add_shape(entity: SceneEntity, geometry: Geometry) -> None:
    pose, color = _pose(geometry.placement), Color(*(geometry.color or _GREY))
    shape: Shape | MeshShape = geometry.shape
    match shape:
        case Box(size):
            entity.cubes.append(CubePrimitive(pose, Vector3(*size), color))
        case Sphere(radius):
            entity.spheres.append(SpherePrimitive(pose, _cube(2 * radius), color))
        case Cylinder(radius, length):
            entity.cylinders.append(_cylinder(pose, radius, length, color))
        case Capsule(radius, length):
            entity.cylinders.append(_cylinder(pose, radius, length, color))
            for side in (-0.5, 0.5):
                end = Transform(np.eye(3), np.array([0.0, 0.0, side * length]))
                entity.spheres.append(
                    SpherePrimitive(_pose(geometry.placement @ end), _cube(2 * radius), color)
                )
        case Mesh(path, scale):
            url = path if "://" in path else f"file://{path}"
            model = ModelPrimitive(
                pose, Vector3(*scale), color, geometry.color is not None, url, media_type="", data=b""
            )
            entity.models.append(model)
        case Rectangle((x, y)):
            entity.cubes.append(CubePrimitive(pose, Vector3(x, y, _THIN), color))
        case Circle(radius):
            entity.cylinders.append(_cylinder(pose, radius, _THIN, color))
        case Cone(radius, length):
            entity.cylinders.append(
                msgspec.structs.replace(_cylinder(pose, radius, length, color), top_scale=0.0)
            )
        case Icosphere(radius):
            entity.spheres.append(SpherePrimitive(pose, _cube(2 * radius), color))


def _arrow(position: Array, force: Array) -> ArrowPrimitive:
    size = float(np.linalg.norm(force))
    length, head = size / NEWTONS_PER_METRE, 0.05
    pose = Pose(_vector(position), _turn_of_x(force / size))
    return ArrowPrimitive(
        pose, max(length - head, 0.0), 0.015, min(head, length), 0.035, Color(0.9, 0.3, 0.1, 1.0)
    )


def _turn_of_x(direction: Array) -> Quaternion:
    """The shortest turn of the x axis into a unit vector."""
    if direction[0] < -1.0 + 1e-12:
        return Quaternion(0.0, 0.0, 1.0, 0.0)
    x, y, z, w = 0.0, -direction[2], direction[1], 1.0 + direction[0]
    size = float(np.sqrt(y * y + z * z + w * w))
    return Quaternion(x, float(y / size), float(z / size), float(w / size))


def _cylinder(pose: Pose, radius: float, length: float, color: Color) -> CylinderPrimitive:
    return CylinderPrimitive(pose, Vector3(2 * radius, 2 * radius, length), 1.0, 1.0, color)


def _cube(edge: float) -> Vector3:
    return Vector3(edge, edge, edge)


def _time(time: float) -> Time:
    return Time(*divmod(nanoseconds(time), 1_000_000_000))


def _vector(values: Any) -> Vector3:
    return Vector3(*(float(value) for value in values))


def _quaternion(rotation: Array) -> Quaternion:
    w, x, y, z = (float(value) for value in quaternion_from_matrix(rotation))
    return Quaternion(x, y, z, w)


def _pose(placement: Transform) -> Pose:
    return Pose(_vector(placement.translation), _quaternion(placement.rotation))
