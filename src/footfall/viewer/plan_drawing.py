"""A plan as nodes of viser's scene: footprints, hands, the course of the centre of mass, a goal with its heading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.gait.poses import FootContact, RobotPose
from footfall.math.quaternions import from_axis_angle
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.motion import Motion
from footfall.motion.reduced_model import ReducedModel

RIGHT, LEFT, CENTER, GOAL = (196, 78, 82), (76, 114, 176), (46, 139, 87), (122, 92, 176)
LIFT = 0.006  # m of footprints above the ground
_COURSE_RATE = 25.0  # points a second of a course
_MOST_HANDS = 40


def sole_corners(foot: Any, model: ReducedModel) -> Array:
    """Corners (4, 3) of what of a foot touches the ground, m, a little above it."""
    rear, front, right, left = model.sole if foot.contact is FootContact.FULL else model.toe_sole
    local = np.array([[rear, right, LIFT], [front, right, LIFT], [front, left, LIFT], [rear, left, LIFT]])
    corners: Array = np.array(foot.position) + rotate_by_quaternion(np.array(foot.rotation), local)
    return corners


class PlanDrawing:
    """Where feet and hands go, under one node. fading: how opaque the prints are."""

    def __init__(self, scene: Any, model: ReducedModel, node: str, *, opacity: float = 0.55) -> None:
        self._scene, self._model, self._node, self._opacity = scene, model, node, opacity
        self.frame: Any = scene.add_frame(node, show_axes=False)
        self._nodes: list[Any] = []

    def clear(self) -> None:
        """Show nothing."""
        for each in self._nodes:
            each.remove()
        self._nodes.clear()

    def show(self, poses: Sequence[RobotPose], motion: Motion | None = None) -> None:
        """Show the feet and hands of poses, and the course of a motion's centre of mass."""
        self.clear()
        for name, color, feet in (
            ("right", RIGHT, [pose.right_foot for pose in poses]),
            ("left", LEFT, [pose.left_foot for pose in poses]),
        ):
            prints = {foot.position: sole_corners(foot, self._model) for foot in feet if foot.closed}
            if prints:
                place, corners = f"{self._node}/{name}", np.array(list(prints.values()))
                self._nodes += add_prints(self._scene, place, corners, color, self._opacity)
        hands = {hand.position: k for pose in poses for k, hand in enumerate(pose.hands) if hand.closed}
        placed = [(place, LEFT if side else RIGHT) for place, side in hands.items()]
        self._nodes += add_hands(self._scene, f"{self._node}/hand", placed)
        if motion is not None:
            self._add_course(motion)

    def _add_course(self, motion: Motion) -> None:
        count = max(int(_COURSE_RATE * motion.duration), 2)
        times = np.linspace(motion.begin_time, motion.end_time, count)
        course = motion.sample(times).center_of_mass[:, 0].copy()
        points = np.stack([course[:-1], course[1:]], axis=1).astype(np.float32)
        self._nodes.append(
            self._scene.add_line_segments(
                f"{self._node}/course", points, CENTER, thickness=3.0, thickness_units="screen"
            )
        )


def add_prints(
    scene: Any, node: str, corners: Array, color: tuple[int, int, int], opacity: float
) -> list[Any]:
    """Soles with corners (n, 4, 3), m, as surfaces with edges."""
    first = 4 * np.arange(len(corners))[:, None]
    triangles = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    return [
        scene.add_mesh_simple(
            node,
            corners.reshape(-1, 3).astype(np.float32),
            triangles.astype(np.uint32),
            color=color,
            opacity=opacity,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        ),
        scene.add_line_segments(
            f"{node} edges", edges.astype(np.float32), color, thickness=2.0, thickness_units="screen"
        ),
    ]


def add_hands(scene: Any, node: str, hands: Sequence[tuple[Any, tuple[int, int, int]]]) -> list[Any]:
    """Balls where hands touch: places (3,), m, with their colours."""
    return [
        scene.add_icosphere(f"{node} {number}", radius=0.045, color=color, position=place, opacity=0.8)
        for number, (place, color) in enumerate(hands[:_MOST_HANDS])
    ]


class GoalMarker:
    """A ring on the ground with an arrow, which says where to and in which heading."""

    def __init__(self, scene: Any, node: str = "/goal") -> None:
        self.frame: Any = scene.add_frame(node, show_axes=False, visible=False)
        vertices, triangles = _ring_and_arrow()
        self.mesh: Any = scene.add_mesh_simple(
            f"{node}/mark",
            vertices.astype(np.float32),
            triangles.astype(np.uint32),
            color=GOAL,
            opacity=0.85,
            side="double",
            cast_shadow=False,
        )

    def put(self, place: Array, yaw: float, color: tuple[int, int, int] = GOAL) -> None:
        """Show it at a place (3,), m, with a heading, rad."""
        self.frame.position = place + np.array([0.0, 0.0, 2 * LIFT])
        self.frame.wxyz = from_axis_angle(np.array([0.0, 0.0, 1.0]), yaw)
        self.mesh.color = color
        self.frame.visible = True

    def hide(self) -> None:
        """Take it away."""
        self.frame.visible = False


def _ring_and_arrow() -> tuple[Array, Array]:
    """A flat ring of 0.2 m with an arrow along x."""
    angles = np.linspace(0.0, 2 * np.pi, 49)
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(49)])
    ring = np.concatenate([0.16 * circle, 0.21 * circle])
    k = np.arange(48)[:, None]
    triangles = np.concatenate([k + np.array([0, 49, 1]), k + np.array([1, 49, 50])])
    arrow = np.array(
        [[0.05, 0.03], [0.05, -0.03], [0.3, -0.03], [0.3, 0.03], [0.3, 0.09], [0.3, -0.09], [0.45, 0.0]]
    )
    points = np.column_stack([arrow, np.full(len(arrow), 1e-3)])
    pieces = len(ring) + np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]])
    return np.concatenate([ring, points]), np.concatenate([triangles, pieces])
