"""What may be drawn around a robot that walks: friction cones, traces of feet and hands, ghosts."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.gait.poses import HANDS
from footfall.math.quaternions import from_axis_angle
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.viewer.drawing import RobotDrawing
from footfall.viewer.plan_drawing import LEFT, RIGHT
from footfall.viewer.surfaces import Color
from footfall.walking.body import FEET
from footfall.walking.safety_frame import SafetyFrame

PARTS = ("right_foot", "left_foot", "right_hand", "left_hand")  # signals of their wrenches
GHOST: Color = (0.25, 0.5, 0.95, 0.28)
_HOLDS, _NEARLY, _SLIPS = (70, 160, 90), (240, 168, 31), (214, 40, 31)
_NEARLY_SLIPS = 0.8  # of what friction can bear: from there on it is told
_ROPE, _STEEL = (60, 64, 72), (236, 178, 52)
_GANTRY = (0.85, 0.6, 0.05)  # m: half of its width and of its depth, and how thick its tubes are
_ABOVE_FOOT = 0.12  # m, of words
_MARKS = {"centre of mass": (46, 139, 87), "zero-moment point": (20, 20, 20)}
_CONE_HEIGHT = 0.22  # m
_SIDES = 28
TRACE_SECONDS, TRACE_STEP = 12.0, 0.05  # s, that are drawn, and between two points


def add_marks(scene: Any) -> dict[str, Any]:
    """Balls at the centre of mass and at the zero-moment point."""
    return {
        name: scene.add_icosphere(f"/marks/{name}", radius=0.022, color=color, cast_shadow=False)
        for name, color in _MARKS.items()
    }


class FrictionCones:
    """A cone at each foot and hand that presses: forces inside of it do not slip. Green, and red at its border."""

    def __init__(self, scene: Any, count: int, *, node: str = "/cones") -> None:
        self.root: Any = scene.add_frame(node, show_axes=False)
        vertices, triangles = _cone()
        self._cones = [
            scene.add_mesh_simple(
                f"{node}/{k}",
                vertices.astype(np.float32),
                triangles.astype(np.uint32),
                color=_HOLDS,
                opacity=0.22,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
                visible=False,
            )
            for k in range(count)
        ]

    def show(self, places: Array, forces: Array, normals: Array, frictions: Array, *, least: float) -> None:
        """At places (n, 3), m, for forces (n, 3), N, on surfaces with these normals (n, 3) and coefficients (n,).
        least: force that is drawn, N."""
        for cone, place, force, normal, friction in zip(
            self._cones, places, forces, normals, frictions, strict=True
        ):
            pressing = float(force @ normal)
            cone.visible = pressing > least
            if pressing <= least:
                continue
            used = float(np.linalg.norm(force - pressing * normal)) / (friction * pressing)
            cone.color = _HOLDS if used < _NEARLY_SLIPS else _NEARLY if used < 1.0 else _SLIPS
            cone.position, cone.wxyz = place, _upright_to(normal)
            cone.scale = (friction, friction, 1.0)


class Traces:
    """Where feet and hands have been in the last seconds."""

    def __init__(self, scene: Any, *, node: str = "/traces") -> None:
        self.root: Any = scene.add_frame(node, show_axes=False)
        colors = (RIGHT, LEFT, RIGHT, LEFT)
        self._lines = [
            scene.add_line_segments(
                f"{node}/{k}",
                np.zeros((1, 2, 3), np.float32),
                color,
                thickness=2.0,
                thickness_units="screen",
            )
            for k, color in enumerate(colors)
        ]
        self._points: deque[Array] = deque(maxlen=round(TRACE_SECONDS / TRACE_STEP))
        self._last = -np.inf

    def clear(self) -> None:
        """Another walk begins."""
        self._points.clear()
        self._last = -np.inf

    def take(self, time: float, places: Array) -> bool:
        """Feet and hands are at places (4, 3), m; whether that is a new point."""
        if time < self._last + TRACE_STEP - 1e-9:
            return False
        self._last = time
        self._points.append(places.copy())
        return True

    def show(self) -> None:
        """Draw what was taken."""
        if len(self._points) >= 2:
            self.draw(np.array(self._points))

    def draw(self, points: Array) -> None:
        """Draw where they were, (n, 4, 3), m."""
        pieces = np.stack([points[:-1], points[1:]], axis=2).astype(np.float32)
        for k, line in enumerate(self._lines):
            line.points = pieces[:, k]


class Ghost:
    """A robot as a shade of itself, at another place or time; made when it is first shown. color: with its opacity.
    size: only bodies are drawn that the first so many numbers of q move; all by default."""

    def __init__(
        self, scene: Any, robot: Robot, node: str, color: Color = GHOST, *, size: int | None = None
    ) -> None:
        self._scene, self._node, self._color, self._size = scene, node, color, size
        self.robot = robot
        self._drawing: RobotDrawing | None = None

    def show(self, q: Array, aside: float = 0.0) -> None:
        """Draw it at q (nq,), moved aside, m, to its left."""
        if self._drawing is None:
            self._drawing = RobotDrawing(self._scene, self.robot, node=self._node, tint=self._color)
            for body, meshes in zip(self.robot.bodies, self._drawing.meshes, strict=True):
                for mesh in meshes:
                    mesh.visible = self._is_drawn(body.name)
        poses = forward_kinematics(self.robot, np.ascontiguousarray(q))
        left = poses.rotation[0][:, 1] * (1.0, 1.0, 0.0)
        self._drawing.root.visible = True
        self._drawing.place(poses.position + aside * left, quaternion_from_matrix(poses.rotation))

    def _is_drawn(self, body: str) -> bool:
        link = self.robot.tree.attachments[body].link
        return self._size is None or (link >= 0 and self.robot.tree.links[link].q.stop <= self._size)

    def hide(self) -> None:
        """Draw it no more."""
        if self._drawing is not None:
            self._drawing.root.visible = False


def limb_ends(robot: Robot, frames: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Of bodies that are feet or hands: the signal of their wrench, and their frame. A foot with a toe is both of them.
    frames: by landmark."""
    carriers = {frame.name: frame.body for frame in robot.frames}
    parents = {joint.child: joint.parent for joint in robot.joints}
    found: dict[str, tuple[str, str]] = {}
    for landmark, signal in zip((*FEET, *HANDS), PARTS, strict=True):
        if landmark in frames:
            body = carriers.get(frames[landmark], frames[landmark])
            found[body] = (signal, frames[landmark])
            if landmark in FEET and body in parents:
                found[parents[body]] = found[body]
    return found


class WrenchLabel:
    """The wrench of a foot or hand in words beside it, and the centre of pressure of a foot."""

    def __init__(self, scene: Any, *, node: str = "/wrench") -> None:
        self._label: Any = scene.add_label(node, "", visible=False)

    def show(self, part: str, wrench: Array, frame: Transform) -> None:
        """part: "right_foot" or the like. wrench (6,): N and Nm, at its frame, world axes."""
        force, torque = wrench[:3], wrench[3:]
        lines = [
            part.replace("_", " "),
            f"force {force[0]:.0f}, {force[1]:.0f}, {force[2]:.0f} N",
            f"torque {torque[0]:.1f}, {torque[1]:.1f}, {torque[2]:.1f} Nm",
        ]
        if part.endswith("foot") and force[2] > 1.0:
            off = frame.rotation.T @ np.array([-torque[1], torque[0], 0.0]) / force[2]
            lines.append(f"pressure at {1e3 * off[0]:.0f} mm ahead, {1e3 * off[1]:.0f} mm to the left")
        self._label.text = "\n".join(lines)
        self._label.position = frame.translation + np.array([0.0, 0.0, _ABOVE_FOOT])
        self._label.visible = True

    def hide(self) -> None:
        """Tell of none."""
        self._label.visible = False


class Gantry:
    """The safety frame that follows a robot, and its rope: red while it holds; made when there is one."""

    def __init__(self, scene: Any, *, node: str = "/gantry") -> None:
        self._scene, self._node = scene, node
        self._root: Any = None
        self._rope: Any = None
        self._taut = False

    def show(self, frame: SafetyFrame | None, ground: float) -> None:
        """Draw it where it is, on wheels at a height, m; without one, nothing."""
        if frame is None:
            if self._root is not None:
                self._root.visible = self._rope.visible = False
            return
        if self._root is None:
            self._make(float(frame.bar[2]) - ground)
        self._root.position = np.array([frame.bar[0], frame.bar[1], ground])
        self._rope.points = np.array([[frame.bar, frame.anchor]], np.float32)
        if frame.is_taut != self._taut:
            self._taut = frame.is_taut
            self._rope.colors = np.tile(np.array(_SLIPS if self._taut else _ROPE, np.uint8), (1, 2, 1))
        self._root.visible = self._rope.visible = True

    def _make(self, height: float) -> None:
        scene, node = self._scene, self._node
        self._root = scene.add_frame(node, show_axes=False)
        wide, deep, thick = _GANTRY
        pieces = [
            ((x, y, 0.5 * height), (thick, thick, height)) for x in (-deep, deep) for y in (-wide, wide)
        ]
        pieces += [((x, 0.0, height), (thick, 2.0 * wide + thick, thick)) for x in (-deep, deep)]
        pieces += [((0.0, y, 0.12), (2.0 * deep, thick, thick)) for y in (-wide, wide)]
        pieces += [((0.0, y, height), (2.0 * deep, thick, thick)) for y in (-wide, 0.0, wide)]
        for k, (place, size) in enumerate(pieces):
            scene.add_box(f"{node}/{k}", color=_STEEL, dimensions=size, position=place)
        self._rope = scene.add_line_segments(
            "/rope", np.zeros((1, 2, 3), np.float32), _ROPE, thickness=4.0, thickness_units="screen"
        )


def _cone() -> tuple[Array, Array]:
    """An open cone along z with its tip at the origin; its radius is its height."""
    angles = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False)
    rim = _CONE_HEIGHT * np.column_stack([np.cos(angles), np.sin(angles), np.ones(_SIDES)])
    k = np.arange(_SIDES)
    return np.concatenate([np.zeros((1, 3)), rim]), np.column_stack([0 * k, 1 + k, 1 + (k + 1) % _SIDES])


def _upright_to(normal: Array) -> Array:
    """Quaternion that turns z into a unit vector."""
    axis = np.cross([0.0, 0.0, 1.0], normal)
    length = float(np.linalg.norm(axis))
    angle = float(np.arctan2(length, normal[2]))
    return from_axis_angle(axis / length if length > 1e-9 else np.array([1.0, 0.0, 0.0]), angle)
