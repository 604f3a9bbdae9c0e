"""Containers as messages: what is sent is checked when it comes, by the same rules as what is made here."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from footfall.environment.model import EnvironmentUpdate
from footfall.environment.objects import EnvironmentObject, ObjectSurface, elements_of, volume_from
from footfall.environment.patch import SIDE, Patch
from footfall.environment.terrain import MOST_PATCHES
from footfall.environment.vision.containers import (
    ControlToVision,
    FrameMotion,
    ImuReading,
    MotionCapture,
    VisionToControl,
    checked_vector,
)
from footfall.errors import DescriptionError, InvalidMessage
from footfall.geometry.mesh import TriangleMesh
from footfall.math.rotations import matrix_from_quaternion, quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.messages.content import PackedArray, packed, read_record, record_bytes, unpacked
from footfall.messages.frames import Message
from footfall.messages.signals import Signal, SignalRecord

CONTROL_TO_VISION, VISION_TO_CONTROL, MOTION_CAPTURE = 16, 17, 18
_MOST_LISTED = 10_000
_LONGEST_NORMAL = 1e9  # of its parts: squares must not overflow
_LONGEST_TEXT = 4096  # characters of a signal's text

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Container = ControlToVision | VisionToControl | MotionCapture


class PoseRecord(msgspec.Struct, array_like=True, frozen=True):
    position: Vector
    quaternion: Quaternion


class MotionRecord(msgspec.Struct, array_like=True, frozen=True):
    position: Vector
    quaternion: Quaternion
    velocity: Vector
    angular_velocity: Vector


class ImuRecord(msgspec.Struct, array_like=True, frozen=True):
    angles: Vector
    angular_velocity: Vector
    acceleration: Vector


class ControlRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    time: float
    acquired: float
    camera: MotionRecord
    imu: MotionRecord
    reading: ImuRecord | None = None
    signals: list[SignalRecord] = []


class PatchRecord(msgspec.Struct, array_like=True, frozen=True):
    index: tuple[int, int]
    heights: PackedArray
    confidence: PackedArray


class ElementRecord(msgspec.Struct, array_like=True, frozen=True):
    corners: list[Vector]
    radius: float


class ObjectRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    category: str
    rotation: tuple[Vector, Vector, Vector]
    position: Vector
    vertices: PackedArray
    triangles: PackedArray
    normals: PackedArray
    confidence: PackedArray
    colors: PackedArray | None
    volume: list[ElementRecord]


class UpdateRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reset: list[tuple[int, int]] = []
    patches: list[PatchRecord] = []
    remove: list[str] = []
    objects: list[ObjectRecord] = []
    everything: bool = False


class VisionRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    acquired: float
    planning_camera: PoseRecord
    vision_camera: PoseRecord
    update: UpdateRecord
    signals: list[SignalRecord] = []


class CaptureRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    time: float
    bodies: dict[str, PoseRecord]


def container_message(container: Container) -> Message:
    """A container as a message."""
    match container:
        case ControlToVision():
            return Message(CONTROL_TO_VISION, record_bytes(_control(container)))
        case VisionToControl():
            return Message(VISION_TO_CONTROL, record_bytes(_vision(container)))
        case MotionCapture():
            bodies = {name: _pose(pose) for name, pose in container.bodies.items()}
            return Message(MOTION_CAPTURE, record_bytes(CaptureRecord(container.time, bodies)))


def read_container(message: Message) -> Container:
    """The container of a message; whatever is wrong with it is an `InvalidMessage`."""
    try:
        match message.kind:
            case 16:
                return _read_control(read_record(message.content, ControlRecord))
            case 17:
                return _read_vision(read_record(message.content, VisionRecord))
            case 18:
                record = read_record(message.content, CaptureRecord)
                _check_count(len(record.bodies), _MOST_LISTED, "bodies")
                return MotionCapture(
                    record.time, {name: _read_pose(pose) for name, pose in record.bodies.items()}
                )
    except DescriptionError as error:
        raise InvalidMessage(f"describes what cannot be: {error}") from None
    raise InvalidMessage(f"is of kind {message.kind}, which is none of vision's: 16, 17 and 18")


def _control(container: ControlToVision) -> ControlRecord:
    reading = container.reading
    imu = None
    if reading is not None:
        imu = ImuRecord(
            _tuple(reading.angles), _tuple(reading.angular_velocity), _tuple(reading.acceleration)
        )
    return ControlRecord(
        container.time,
        container.acquired,
        _motion(container.camera),
        _motion(container.imu),
        imu,
        [SignalRecord(*signal) for signal in container.signals],
    )


def _read_control(record: ControlRecord) -> ControlToVision:
    reading = record.reading
    imu = None
    if reading is not None:
        imu = ImuReading(
            np.array(reading.angles), np.array(reading.angular_velocity), np.array(reading.acceleration)
        )
    camera, sensor = (
        FrameMotion(
            np.array(m.position), np.array(m.quaternion), np.array(m.velocity), np.array(m.angular_velocity)
        )
        for m in (record.camera, record.imu)
    )
    return ControlToVision(record.time, record.acquired, camera, sensor, imu, _signals(record.signals))


def _vision(container: VisionToControl) -> VisionRecord:
    update = container.update
    patches = [
        PatchRecord(index, packed(patch.heights), packed(patch.confidence))
        for index, patch in update.patches.items()
    ]
    record = UpdateRecord(
        sorted(update.reset),
        patches,
        sorted(update.remove),
        [_object(each) for each in update.objects],
        update.everything,
    )
    return VisionRecord(
        container.acquired,
        _pose(container.planning_camera),
        _pose(container.vision_camera),
        record,
        [SignalRecord(*signal) for signal in container.signals],
    )


def _read_vision(record: VisionRecord) -> VisionToControl:
    update = record.update
    _check_count(len(update.patches) + len(update.reset), 2 * MOST_PATCHES, "patches")
    _check_count(len(update.objects) + len(update.remove), _MOST_LISTED, "objects")
    patches = {}
    for each in update.patches:
        heights = unpacked(each.heights, np.int16, (SIDE, SIDE))
        patches[each.index] = Patch(heights, unpacked(each.confidence, np.uint8, (SIDE, SIDE)))
    objects = tuple(_read_object(each) for each in update.objects)
    change = EnvironmentUpdate(
        frozenset(update.reset), patches, frozenset(update.remove), objects, update.everything
    )
    return VisionToControl(
        record.acquired,
        _read_pose(record.planning_camera),
        _read_pose(record.vision_camera),
        _signals(record.signals),
        change,
    )


def _object(each: EnvironmentObject) -> ObjectRecord:
    surface, mesh = each.surface, each.surface.mesh
    return ObjectRecord(
        each.id,
        each.category,
        tuple(_tuple(row) for row in each.placement.rotation),
        _tuple(each.placement.translation),
        packed(mesh.vertices),
        packed(mesh.triangles.astype(np.int32)),
        packed(surface.normals),
        packed(surface.confidence),
        None if surface.colors is None else packed(surface.colors),
        [
            ElementRecord([_tuple(row) for row in corners], radius)
            for corners, radius in elements_of(each.volume)
        ],
    )


def _read_object(record: ObjectRecord) -> EnvironmentObject:
    vertices = unpacked(record.vertices, np.float64, (None, 3))
    count = len(vertices)
    mesh = TriangleMesh(vertices, unpacked(record.triangles, np.int32, (None, 3)), record.id[:80])
    normals = unpacked(record.normals, np.float64, (count, 3))
    if not (np.abs(normals) <= _LONGEST_NORMAL).all():
        raise InvalidMessage(
            f"normals of object {record.id[:80]!r} are beyond {_LONGEST_NORMAL:g}, or no numbers"
        )
    surface = ObjectSurface(
        mesh,
        normals,
        None if record.colors is None else unpacked(record.colors, np.uint8, (count, 3)),
        unpacked(record.confidence, np.float32, (count,)),
    )
    volume = volume_from([(each.corners, each.radius) for each in record.volume])
    placement = Transform(np.array(record.rotation), np.array(record.position))
    return EnvironmentObject(record.id, record.category, surface, volume, placement)


def _motion(motion: FrameMotion) -> MotionRecord:
    return MotionRecord(
        _tuple(motion.position),
        _tuple(motion.quaternion),
        _tuple(motion.velocity),
        _tuple(motion.angular_velocity),
    )


def _pose(pose: Transform) -> PoseRecord:
    return PoseRecord(_tuple(pose.translation), _tuple(quaternion_from_matrix(np.asarray(pose.rotation))))


def _read_pose(record: PoseRecord) -> Transform:
    quaternion = checked_vector(record.quaternion, 4, "quaternion")
    if abs(float(np.linalg.norm(quaternion)) - 1.0) > 1e-6:
        raise InvalidMessage(f"quaternion is {quaternion.tolist()}; it must have length 1")
    return Transform(matrix_from_quaternion(quaternion), checked_vector(record.position, 3, "position"))


def _signals(records: list[SignalRecord]) -> tuple[Signal, ...]:
    _check_count(len(records), _MOST_LISTED, "signals")
    for each in records:
        texts = (each.name, each.payload) if isinstance(each.payload, str) else (each.name,)
        _check_count(max(map(len, texts)), _LONGEST_TEXT, "characters in a signal")
    return tuple(Signal(each.name, each.payload) for each in records)


def _check_count(count: int, most: int, what: str) -> None:
    if count > most:
        raise InvalidMessage(f"has {count} {what}; at most {most} are taken")


def _tuple(values: Any) -> Any:
    return tuple(float(value) for value in values)
