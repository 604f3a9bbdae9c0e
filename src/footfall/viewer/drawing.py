"""Robots, scenes and contact forces as nodes of viser's scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.dynamics.kinematics import Poses
from footfall.geometry.height_map import HeightMap
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.scene.model import Scene, SceneObject
from footfall.viewer.surfaces import Color, Surface, object_surface, robot_surfaces

if TYPE_CHECKING:
    import viser


FORCE_COLOR = (214, 60, 10)
_SCHEMA_LINE, _SCHEMA_JOINT = (64, 74, 92), (0, 92, 184)
_LENGTH_OF_WEIGHT = 0.5  # length of the arrow for a force as large as the robot's weight, of the robot's size
_LONGEST_ARROW = 0.8  # of the robot's size; impacts would fill the picture
_BELOW = 0.01  # m from the lowest place of terrain to the grid
_LEAST_FORCE = 1e-3  # of the weight; smaller ones are no arrows


class RobotDrawing:
    """The bodies of a robot under one node of the scene. tint: colour and opacity of a ghost, in place of its own."""

    def __init__(
        self, scene: viser.SceneApi, robot: Robot, *, node: str = "/robot", tint: Color | None = None
    ) -> None:
        self.surfaces = robot_surfaces(robot)
        self.root: Any = scene.add_frame(node, show_axes=False)
        self._frames: list[Any] = []
        self.meshes: list[list[Any]] = []  # nodes of each body
        self._schema: Schema | None = None
        self._scene, self._robot, self._node = scene, robot, node
        for body, surfaces in zip(robot.bodies, self.surfaces, strict=True):
            place = f"{node}/{node_name(body.name)}"
            self._frames.append(scene.add_frame(place, show_axes=False))
            drawn = surfaces if tint is None else [each._replace(color=tint) for each in surfaces]
            self.meshes.append(_add_surfaces(scene, place, drawn, shadow=tint is None))

    def place(self, positions: Array, quaternions: Array) -> None:
        """Put the bodies to positions (bodies, 3) in m and quaternions (bodies, 4)."""
        for frame, position, quaternion in zip(self._frames, positions, quaternions, strict=True):
            frame.position = position
            frame.wxyz = quaternion
        if self._schema is not None and self._schema.lines.visible:
            self._schema.place(positions)

    @property
    def schematic(self) -> bool:
        """Whether lines between joints are drawn in place of shapes, from the next `place` on."""
        return self._schema is not None and bool(self._schema.lines.visible)

    @schematic.setter
    def schematic(self, shown: bool) -> None:
        if shown == self.schematic:
            return
        if self._schema is None:
            self._schema = Schema(self._scene, self._robot, f"{self._node} schema")
        self._schema.lines.visible = self._schema.joints.visible = shown
        for mesh in (each for meshes in self.meshes for each in meshes):
            mesh.visible = not shown

    def bounds(self, poses: Poses) -> Array:
        """Least and greatest coordinates (2, 3) of the robot with its bodies at these poses, m."""
        corners = [poses.position]
        for position, rotation, surfaces in zip(*poses, self.surfaces, strict=True):
            corners += [surface.vertices @ rotation.T + position for surface in surfaces]
        points = np.concatenate(corners)
        return np.array([points.min(axis=0), points.max(axis=0)])


class Schema:
    """Lines from the joint of each body to those of its children, and the joints."""

    def __init__(self, scene: viser.SceneApi, robot: Robot, node: str) -> None:
        places = {body.name: k for k, body in enumerate(robot.bodies)}
        links = [(places[each.parent], places[each.child]) for each in robot.joints if each.parent in places]
        self._ends = np.array(links, np.intp).reshape(-1, 2)
        self.lines: Any = scene.add_line_segments(
            f"{node}/lines",
            np.zeros((max(len(links), 1), 2, 3), np.float32),
            _SCHEMA_LINE,
            thickness=5.0,
            thickness_units="screen",
        )
        self.joints: Any = scene.add_point_cloud(
            f"{node}/joints",
            np.zeros((len(robot.bodies), 3), np.float32),
            _SCHEMA_JOINT,
            point_size=0.03,
            point_shape="circle",
        )

    def place(self, positions: Array) -> None:
        """Draw bodies whose origins are at positions (bodies, 3), m."""
        if len(self._ends):
            self.lines.points = positions[self._ends].astype(np.float32)
        self.joints.points = positions.astype(np.float32)


class SceneDrawing:
    """The objects of a scene whose motion is given; free bodies are bodies of the robot. colors: by name, of objects
    that are marked."""

    def __init__(
        self,
        scene: viser.SceneApi,
        objects: Sequence[SceneObject],
        *,
        node: str = "/scene",
        colors: Mapping[str, Color] | None = None,
    ) -> None:
        self._moved: list[tuple[SceneObject, Any]] = []
        self.meshes: dict[str, list[Any]] = {}  # nodes of each object
        for each in objects:
            if not each.visible or _is_floor(each):
                continue
            place = f"{node}/{node_name(each.name)}"
            frame = scene.add_frame(place, show_axes=False)
            set_pose(frame, each.placement)
            color = (colors or {}).get(each.name, each.color)
            self.meshes[each.name] = _add_surfaces(scene, place, [object_surface(each.shape, color)])
            if each.motion is not None:
                self._moved.append((each, frame))

    def place(self, time: float) -> None:
        """Put moved objects to where they are at an instant, s."""
        for each, frame in self._moved:
            assert each.motion is not None
            set_pose(frame, each.motion.pose(time))


class ForceDrawing:
    """Contact forces as arrows. weight, size: of the robot, N and m, which set their length."""

    def __init__(self, scene: viser.SceneApi, weight: float, size: float, *, node: str = "/forces") -> None:
        self._weight = weight
        self._longest = _LONGEST_ARROW * size
        self._per_newton = _LENGTH_OF_WEIGHT * size / weight  # m
        self._arrows: Any = scene.add_arrows(
            node,
            np.zeros((0, 2, 3), dtype=np.float32),
            FORCE_COLOR,
            shaft_radius=0.008 * size,
            head_radius=0.02 * size,
            head_length=0.05 * size,
        )

    @property
    def scale(self) -> str:
        """What the length of an arrow means."""
        return (
            f"an arrow of 1 m is a force of {1.0 / self._per_newton:.4g} N; {self._weight:.4g} N is the weight of the "
            f"robot; arrows end at {self._longest:.3g} m"
        )

    @property
    def visible(self) -> bool:
        return bool(self._arrows.visible)

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._arrows.visible = shown

    def show(self, positions: Array, forces: Array) -> None:
        """Forces (n, 3) in N at positions (n, 3) in m."""
        sizes = np.linalg.norm(forces, axis=1)
        drawn = np.isfinite(sizes) & (sizes > _LEAST_FORCE * self._weight)
        starts = positions[drawn]
        lengths = np.minimum(sizes[drawn] * self._per_newton, self._longest)
        ends = starts + forces[drawn] * (lengths / sizes[drawn])[:, None]
        self._arrows.points = np.stack([starts, ends], axis=1).astype(np.float32)


def forces_by_body(positions: Array, forces: Array, bodies: Integers) -> tuple[Array, Array]:
    """One force (n, 3) for each body, at the mean (n, 3) of where its contacts press; those without a body as they are.

    positions (m, 3), forces (m, 3), bodies (m,): -1 where none is known.
    """
    known = bodies >= 0
    if not known.any():
        return positions, forces
    numbers, owner = np.unique(bodies[known], return_inverse=True)
    weight = np.linalg.norm(forces[known], axis=1)
    weight = np.where(np.isfinite(weight), weight, 0.0) + 1e-12
    total, places, sums = np.zeros(len(numbers)), np.zeros((len(numbers), 3)), np.zeros((len(numbers), 3))
    np.add.at(total, owner, weight)
    np.add.at(places, owner, weight[:, None] * positions[known])
    np.add.at(sums, owner, forces[known])
    places /= total[:, None]
    return np.concatenate([positions[~known], places]), np.concatenate([forces[~known], sums])


def are_same(one: Sequence[SceneObject], other: Sequence[SceneObject]) -> bool:
    """Whether two lists hold the same objects: the values themselves, whose arrays are not compared."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def node_name(name: str) -> str:
    """A name that viser does not take for a path."""
    return name.replace("/", "∕")


def ground_height(scene: Scene | None, bounds: Array) -> float:
    """Where the grid lies, m: in the level plane of a scene, below its terrain, or under a robot in bounds (2, 3)."""
    objects = [each for each in scene.fixed_objects if each.visible] if scene else []
    floors = [float(each.placement.translation[2]) for each in objects if _is_floor(each)]
    if floors:
        return floors[0]
    terrain = [
        float((surface.vertices @ each.placement.rotation.T + each.placement.translation)[:, 2].min())
        for each in objects
        if isinstance(each.shape, HeightMap)
        for surface in [object_surface(each.shape, each.color)]
    ]
    return min(terrain) - _BELOW if terrain else min(0.0, float(bounds[0, 2]))


def _is_floor(each: SceneObject) -> bool:
    level = np.abs(each.placement.rotation[:, 2] - (0.0, 0.0, 1.0)).max() < 1e-9
    return isinstance(each.shape, Plane) and each.motion is None and bool(level)


def set_pose(frame: Any, pose: Transform) -> None:
    """Put a node to a pose."""
    frame.position = pose.translation
    frame.wxyz = quaternion_from_matrix(pose.rotation)


def _add_surfaces(
    scene: viser.SceneApi, node: str, surfaces: Sequence[Surface], *, shadow: bool = True
) -> list[Any]:
    return [
        scene.add_mesh_simple(
            f"{node}/{index}",
            vertices.astype(np.float32),
            triangles.astype(np.uint32),
            color=color[:3],
            opacity=None if color[3] >= 1.0 else color[3],
            side="front",  # drawn from both sides a surface would shade itself
            cast_shadow=shadow,
        )
        for index, (vertices, triangles, color) in enumerate(surfaces)
    ]
