"""Recordings as MCAP files with ROS 2 messages, for rosbag2, Foxglove, Lichtblick and Rerun (the extra `ros2`).

| topic | message |
|---|---|
| `/robot_description` | `std_msgs/String`, the URDF |
| `/joint_states` | `sensor_msgs/JointState`: position, velocity, effort of joints with one coordinate |
| `/tf`, `/tf_static` | `tf2_msgs/TFMessage`: bodies on their parents; what never moves is static |
| `/base_pose` | `geometry_msgs/PoseStamped` of a floating root |
| `/contact_wrench/BODY` | `geometry_msgs/WrenchStamped` of all contacts of a body, at its origin, in its axes |
| `/contact_forces`, `/plan`, `/scene` | `visualization_msgs/MarkerArray`: arrows, footholds and hands, objects |
| `/signals/NAME` | `std_msgs/Float64` or `Float64MultiArray` |
| `/events` | `std_msgs/String`, JSON |

Definitions of ROS 2 messages (common_interfaces, Humble to Jazzy), as rosbag2 writes them into MCAP files.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import Poses, forward_kinematics
from footfall.errors import InvalidInput, MissingPackage, UnsupportedFeature
from footfall.math.transform import Transform
from footfall.recording import foxglove
from footfall.recording.format import nanoseconds
from footfall.recording.reader import Recording
from footfall.robot.mesh_files import BY_URDF, Meshes, MeshFolder, with_mesh_paths
from footfall.robot.model import WORLD, JointType, Robot
from footfall.robot.orientation import quaternion_from_matrix
from footfall.robot.urdf_writer import urdf_text
from footfall.robot.validation import warn_of
from footfall.whole_file import write_text, written_whole

_DEFINITIONS = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec",
    "builtin_interfaces/Duration": "int32 sec\nuint32 nanosec",
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    "std_msgs/ColorRGBA": "float32 r\nfloat32 g\nfloat32 b\nfloat32 a",
    "std_msgs/String": "string data",
    "std_msgs/Float64": "float64 data",
    "std_msgs/MultiArrayDimension": "string label\nuint32 size\nuint32 stride",
    "std_msgs/MultiArrayLayout": "std_msgs/MultiArrayDimension[] dim\nuint32 data_offset",
    "std_msgs/Float64MultiArray": "std_msgs/MultiArrayLayout layout\nfloat64[] data",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z",
    "geometry_msgs/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1",
    "geometry_msgs/Pose": "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation",
    "geometry_msgs/PoseStamped": "std_msgs/Header header\ngeometry_msgs/Pose pose",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation",
    "geometry_msgs/TransformStamped": (
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform"
    ),
    "geometry_msgs/Wrench": "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque",
    "geometry_msgs/WrenchStamped": "std_msgs/Header header\ngeometry_msgs/Wrench wrench",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "sensor_msgs/JointState": (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
    ),
    "sensor_msgs/CompressedImage": "std_msgs/Header header\nstring format\nuint8[] data",
    "visualization_msgs/UVCoordinate": "float32 u\nfloat32 v",
    "visualization_msgs/MeshFile": "string filename\nuint8[] data",
    "visualization_msgs/Marker": (
        "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\n"
        "geometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\nbuiltin_interfaces/Duration lifetime\n"
        "bool frame_locked\ngeometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\n"
        "string texture_resource\nsensor_msgs/CompressedImage texture\n"
        "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\nstring mesh_resource\n"
        "visualization_msgs/MeshFile mesh_file\nbool mesh_use_embedded_materials"
    ),
    "visualization_msgs/MarkerArray": "visualization_msgs/Marker[] markers",
}


def type_name(name: str) -> str:
    """With its namespace: sensor_msgs/msg/JointState."""
    package, _, message = name.partition("/")
    return f"{package}/msg/{message}"


def definition(name: str) -> str:
    """Of a message and all that it is made of, in the form of rosbag2: parts behind lines of equal signs."""
    parts = [_DEFINITIONS[name]]
    for each in _needed(name):
        parts.append(f"{'=' * 80}\nMSG: {each}\n{_DEFINITIONS[each]}")
    return "\n".join(parts)


def _needed(name: str) -> list[str]:
    found: dict[str, None] = {}
    pending = [name]
    while pending:
        for line in _DEFINITIONS[pending.pop()].splitlines():
            kind = line.split()[0].removesuffix("[]")
            if kind in _DEFINITIONS and kind not in found:
                found[kind] = None
                pending.append(kind)
    return list(found)


RATE = 100.0  # Hz of recorded time
LAYOUT = "ros2_layout.json"

_ARROW, _CUBE, _SPHERE, _CYLINDER, _MESH = 0, 1, 2, 3, 10  # of visualization_msgs/Marker
_DELETE_ALL = 3
_FOOTHOLD = (0.2, 0.09, 0.01)  # m, of a marker
_RIGHT, _LEFT, _HAND = (0.9, 0.3, 0.2, 0.8), (0.2, 0.7, 0.3, 0.8), (0.2, 0.4, 0.9, 0.8)

Message = tuple[float, str, str, dict[str, Any]]  # time in s, topic, type, content


def write_ros2(recording: Recording, path: str | os.PathLike[str], *, rate: float = RATE) -> list[Path]:
    """Write a recording as MCAP with ROS 2 messages; gives the files: it, a layout, and a folder of meshes if any.

    rate: Hz, at most; what was recorded more often is thinned. The file appears whole or not at all.
    """
    path = Path(path)
    if not (math.isfinite(rate) and rate > 0.0):
        raise InvalidInput(f"rate is {rate}; it must be above 0 Hz")
    _writer_class()
    meshes = MeshFolder(path, Meshes.COPY, BY_URDF)
    description = _description(recording.robot, meshes)
    meshes.write()
    with written_whole(path) as file:
        _write(file, _messages(recording, description, 1.0 / rate))
    layout = path.with_suffix(".layout.json")
    write_text(layout, layout_text(recording))
    return [path, layout, *([meshes.folder] if meshes.folder.is_dir() else [])]


def layout_text(recording: Recording) -> str:
    """A layout for Foxglove and Lichtblick: the robot in its scene, plots of joints and of contact forces."""
    text = files("footfall.recording").joinpath(LAYOUT).read_text()
    layout = msgspec.json.decode(text)
    bodies = _bodies_in_contact(recording)
    paths = [
        {
            "value": f"/contact_wrench/{_word(name)}.wrench.force.z",
            "enabled": True,
            "timestampMethod": "headerStamp",
        }
        for name in bodies[:6]
    ]
    layout["configById"]["Plot!forces"]["paths"] = paths
    joints = [joint.name for joint in recording.robot.joints if joint.type.coordinates == 1]
    layout["configById"]["Plot!joints"]["paths"] = [
        {
            "value": f"/joint_states.position[{index}]",
            "label": name,
            "enabled": True,
            "timestampMethod": "headerStamp",
        }
        for index, name in enumerate(joints[:12])
    ]
    return msgspec.json.format(msgspec.json.encode(layout), indent=2).decode() + "\n"


def _write(file: IO[bytes], messages: Iterator[Message]) -> None:
    writer = _writer_class()(file)
    schemas: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for time, topic, kind, content in messages:
        if kind not in schemas:
            schemas[kind] = writer.register_msgdef(type_name(kind), definition(kind))
        stamp = nanoseconds(time)
        counts[topic] = counts.get(topic, -1) + 1
        writer.write_message(topic, schemas[kind], content, stamp, stamp, counts[topic])
    writer.finish()


def _messages(recording: Recording, description: str | None, period: float) -> Iterator[Message]:
    """In the order of time."""
    import heapq

    start = float(recording.time[0]) if len(recording.time) else 0.0
    if description is not None:
        yield start, "/robot_description", "std_msgs/String", {"data": description}
    yield start, "/tf_static", "tf2_msgs/TFMessage", {"transforms": list(_fixed(recording.robot, start))}
    scene = _scene_markers(recording, start)
    if scene:
        yield start, "/scene", "visualization_msgs/MarkerArray", {"markers": scene}
    sources = (
        _states(recording, period),
        _contacts(recording, period),
        _signals(recording, period),
        _events(recording),
    )
    yield from heapq.merge(*sources, key=lambda message: message[0])


def _states(recording: Recording, period: float) -> Iterator[Message]:
    robot = recording.robot
    moving = [joint for joint in robot.joints if joint.type is not JointType.FIXED]
    index = {body.name: number for number, body in enumerate(robot.bodies)}
    root = next((j for j in robot.joints if j.type is JointType.FLOATING and j.parent == WORLD), None)
    for row in _thinned(recording.time, period):
        time, q, v, tau = (getattr(recording, name)[row] for name in ("time", "q", "v", "tau"))
        if not np.isfinite(q).all():
            continue
        time = float(time)
        poses = forward_kinematics(robot, np.ascontiguousarray(q))
        states = foxglove.joint_states(time, robot, q, v, tau)
        names = list(states.position)
        content = {
            "header": _header(time, ""),
            "name": names,
            "position": list(states.position.values()),
            "velocity": [states.velocity.get(name, math.nan) for name in names],
            "effort": [states.effort.get(name, math.nan) for name in names],
        }
        yield time, "/joint_states", "sensor_msgs/JointState", content
        transforms = [
            _transform(time, joint.parent, joint.child, _relative(poses, index, joint.parent, joint.child))
            for joint in moving
        ]
        yield time, "/tf", "tf2_msgs/TFMessage", {"transforms": transforms}
        if root is not None:
            pose = _pose(_placed(poses, index[root.child]))
            yield (
                time,
                "/base_pose",
                "geometry_msgs/PoseStamped",
                {"header": _header(time, WORLD), "pose": pose},
            )


def _contacts(recording: Recording, period: float) -> Iterator[Message]:
    """Resultants of the bodies, which need where they are: the last state before."""
    table, robot = recording.contacts, recording.robot
    bodies = sorted({int(body) for body in table.body if body >= 0})
    for instant in _thinned(table.time, period):
        time, rows = float(table.time[instant]), table.at(instant)
        position, force, body = table.position[rows], table.force[rows], table.body[rows]
        good = np.isfinite(force).all(axis=1) & np.isfinite(position).all(axis=1)
        position, force, body = position[good], force[good], body[good]
        arrows = [
            _arrow_marker(time, number, p, f)
            for number, (p, f) in enumerate(zip(position, force, strict=True))
        ]
        markers = [_marker(time, 0, _CUBE, action=_DELETE_ALL), *arrows]
        yield time, "/contact_forces", "visualization_msgs/MarkerArray", {"markers": markers}
        row = int(np.searchsorted(recording.time, time + 1e-9, side="right")) - 1
        if row < 0 or not np.isfinite(recording.q[row]).all():
            continue
        poses = forward_kinematics(robot, np.ascontiguousarray(recording.q[row]))
        for number in bodies:
            here = body == number
            arms = position[here] - poses.position[number]
            turn = poses.rotation[number].T
            total, torque = turn @ force[here].sum(axis=0), turn @ np.cross(arms, force[here]).sum(axis=0)
            wrench = {"force": _xyz(total), "torque": _xyz(torque)}
            name = robot.bodies[number].name
            content = {"header": _header(time, name), "wrench": wrench}
            yield time, f"/contact_wrench/{_word(name)}", "geometry_msgs/WrenchStamped", content


def _signals(recording: Recording, period: float) -> Iterator[Message]:
    table = recording.signals
    for row in _thinned(table.time, period):
        time = float(table.time[row])
        for name, values in table.values.items():
            if values.ndim == 1:
                content: dict[str, Any] = {"data": float(values[row])}
                yield time, f"/signals/{_word(name)}", "std_msgs/Float64", content
            else:
                content = {"layout": {"dim": [], "data_offset": 0}, "data": values[row].tolist()}
                yield time, f"/signals/{_word(name)}", "std_msgs/Float64MultiArray", content


def _events(recording: Recording) -> Iterator[Message]:
    for event in recording.events:
        text = msgspec.json.encode({"name": event.name, "data": dict(event.data)}).decode()
        yield event.time, "/events", "std_msgs/String", {"data": text}
        markers = _plan_markers(event.time, event.data) if event.name == "plan" else []
        if markers:
            first = _marker(event.time, 0, _CUBE, action=_DELETE_ALL)
            yield event.time, "/plan", "visualization_msgs/MarkerArray", {"markers": [first, *markers]}


def _plan_markers(time: float, data: Any) -> list[dict[str, Any]]:
    """Footholds and hand contacts of a plan, as walks record it."""
    markers = []
    for number, foot in enumerate(data.get("feet", ())):
        w, x, y, z = foot["rotation"]
        pose = {"position": _xyz(foot["position"]), "orientation": {"x": x, "y": y, "z": z, "w": w}}
        color = _RIGHT if str(foot.get("foot", "")).lower().startswith("r") else _LEFT
        markers.append(_marker(time, number, _CUBE, "feet", pose=pose, scale=_FOOTHOLD, color=color))
    for number, hand in enumerate(data.get("hands", ())):
        pose = {"position": _xyz(hand["position"]), "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}}
        markers.append(_marker(time, number, _SPHERE, "hands", pose=pose, scale=(0.1, 0.1, 0.1), color=_HAND))
    return markers


def _scene_markers(recording: Recording, time: float) -> list[dict[str, Any]]:
    """Of what rests, as Foxglove's own messages have it."""
    if recording.scene is None:
        return []
    markers: list[dict[str, Any]] = []
    for entity in foxglove.scene_shapes(time, recording.scene).entities:
        shapes = [(_CUBE, each.pose, each.size, each.color, "") for each in entity.cubes]
        shapes += [(_SPHERE, each.pose, each.size, each.color, "") for each in entity.spheres]
        shapes += [(_CYLINDER, each.pose, each.size, each.color, "") for each in entity.cylinders]
        shapes += [(_MESH, each.pose, each.scale, each.color, each.url) for each in entity.models]
        for kind, pose, size, color, mesh in shapes:
            marker = _marker(
                time,
                len(markers),
                kind,
                entity.id,
                pose=msgspec.to_builtins(pose),
                scale=(size.x, size.y, size.z),
                color=(color.r, color.g, color.b, color.a),
            )
            markers.append({**marker, "mesh_resource": mesh})
    return markers


def _arrow_marker(time: float, number: int, position: Array, force: Array) -> dict[str, Any]:
    tip = position + force / foxglove.NEWTONS_PER_METRE
    marker = _marker(time, number, _ARROW, "forces", scale=(0.015, 0.035, 0.05), color=(0.9, 0.3, 0.1, 1.0))
    return {**marker, "points": [_xyz(position), _xyz(tip)]}


def _marker(
    time: float,
    number: int,
    kind: int,
    space: str = "",
    *,
    action: int = 0,
    pose: dict[str, Any] | None = None,
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0),
    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0),
) -> dict[str, Any]:
    x, y, z = scale
    r, g, b, a = color
    here = {"position": _xyz((0.0, 0.0, 0.0)), "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}}
    header = _header(time, WORLD)
    return {
        "header": header,
        "ns": space,
        "id": number,
        "type": kind,
        "action": action,
        "pose": pose or here,
        "scale": {"x": x, "y": y, "z": z},
        "color": {"r": r, "g": g, "b": b, "a": a},
        "lifetime": {"sec": 0, "nanosec": 0},
        "frame_locked": False,
        "points": [],
        "colors": [],
        "texture_resource": "",
        "texture": {"header": header, "format": "", "data": b""},
        "uv_coordinates": [],
        "text": "",
        "mesh_resource": "",
        "mesh_file": {"filename": "", "data": b""},
        "mesh_use_embedded_materials": False,
    }


def _fixed(robot: Robot, time: float) -> Iterator[dict[str, Any]]:
    """Bodies on fixed joints, and frames."""
    for joint in robot.joints:
        if joint.type is JointType.FIXED:
            yield _transform(time, joint.parent, joint.child, joint.placement)
    for frame in robot.frames:
        yield _transform(time, frame.body, frame.name, frame.placement)


def _relative(poses: Poses, index: dict[str, int], parent: str, child: str) -> Transform:
    here = _placed(poses, index[child])
    return here if parent == WORLD else _placed(poses, index[parent]).inverse() @ here


def _placed(poses: Poses, number: int) -> Transform:
    return Transform(poses.rotation[number], poses.position[number])


def _transform(time: float, parent: str, child: str, pose: Transform) -> dict[str, Any]:
    place = _pose(pose)
    return {
        "header": _header(time, parent),
        "child_frame_id": child,
        "transform": {"translation": place["position"], "rotation": place["orientation"]},
    }


def _pose(pose: Transform) -> dict[str, Any]:
    w, x, y, z = (float(part) for part in quaternion_from_matrix(pose.rotation))
    return {"position": _xyz(pose.translation), "orientation": {"x": x, "y": y, "z": z, "w": w}}


def _xyz(vector: Any) -> dict[str, float]:
    x, y, z = (float(part) for part in vector)
    return {"x": x, "y": y, "z": z}


def _header(time: float, frame: str) -> dict[str, Any]:
    seconds, rest = divmod(nanoseconds(time), 1_000_000_000)
    return {"stamp": {"sec": seconds, "nanosec": rest}, "frame_id": frame}


def _thinned(times: Array, period: float) -> Iterator[int]:
    """Rows at most every `period`; a hair early, so that rounding of times skips none."""
    due = -math.inf
    for row, time in enumerate(times.tolist()):
        if time >= due:
            due = (math.floor(time / period + 1e-6) + 1.0 - 1e-6) * period
            yield row


def _bodies_in_contact(recording: Recording) -> list[str]:
    bodies = recording.robot.bodies
    return [
        bodies[index].name for index in sorted({int(body) for body in recording.contacts.body if body >= 0})
    ]


def _word(name: str) -> str:
    """As a part of a topic's name."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return word if not word[:1].isdigit() else f"_{word}"


def _description(robot: Robot, meshes: MeshFolder) -> str | None:
    """The URDF, its meshes by addresses that viewers follow; None, with a warning, if it cannot be one."""

    def address(path: str, visual: bool) -> str | None:
        saved = meshes.saved(path, visual=visual)
        if saved is None or "://" in saved.reference:
            return None if saved is None else saved.reference
        return f"file://{(meshes.target.parent / saved.reference).absolute()}"

    try:
        return urdf_text(with_mesh_paths(robot.spanning, address))
    except UnsupportedFeature as problem:
        warn_of([UnsupportedFeature(f"/robot_description is left out: {problem}")], stacklevel=3)
        return None


def _writer_class() -> Any:
    try:
        from mcap_ros2.writer import Writer
    except ImportError:
        raise MissingPackage("ROS 2 messages need mcap-ros2-support: pip install 'footfall[ros2]'") from None
    return Writer
