"""Definitions of ROS 2 messages (common_interfaces, Humble to Jazzy), as rosbag2 writes them into MCAP files."""

from __future__ import annotations

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
