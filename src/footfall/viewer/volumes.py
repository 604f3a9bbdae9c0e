"""A robot's swept-sphere volumes over its bodies, and how far they are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.volume_distances import volume_distances
from footfall.geometry.swept_sphere import SweptSphere
from footfall.robot.model import Robot
from footfall.robot.volumes import checked_pairs
from footfall.viewer.drawing import node_name

if TYPE_CHECKING:
    import viser


_COLOR = (0.95, 0.55, 0.15)
_OPACITY = 0.4
_LIFTED = 1e-3  # m; surfaces that coincide with those of the body would flicker
_CLOSE = 0.15  # m; distances below have a line
_NEAR_COLOR, _FAR_COLOR = np.array([214, 20, 20]), np.array([60, 160, 60])


class VolumeDrawing:
    """Volumes as nodes below those of a robot's bodies, so that they move along, and lines of shortest distance."""

    def __init__(self, scene: viser.SceneApi, robot: Robot, *, node: str = "/robot") -> None:
        self._scene, self._robot = scene, robot
        self._lines = f"{node} distances"
        self._visible = True
        self._meshes: list[Any] = []
        for volume in robot.volumes:
            for k, element in enumerate(volume.shape.elements):
                vertices, triangles = element_surface(SweptSphere(element.corners, element.radius + _LIFTED))
                mesh = scene.add_mesh_simple(
                    f"{node}/{node_name(volume.body)}/volume {node_name(volume.name)} {k}",
                    vertices.astype(np.float32),
                    triangles.astype(np.uint32),
                    color=_COLOR,
                    opacity=_OPACITY,
                )
                self._meshes.append(mesh)

    @property
    def visible(self) -> bool:
        return self._visible

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._visible = shown
        for mesh in self._meshes:
            mesh.visible = shown

    def show(self, q: Array) -> None:
        """Draw the shortest distances at q (nq,): red where volumes touch, green where they are farther apart."""
        points = np.zeros((0, 2, 3))
        near = np.zeros(0)
        if self._visible and checked_pairs(self._robot):
            found = volume_distances(self._robot, q, threshold=_CLOSE)
            points = np.stack([found.first_point, found.second_point], axis=1)[found.exact]
            near = 1.0 - np.clip(found.distance[found.exact] / _CLOSE, 0.0, 1.0)
        colors = near[:, None] * _NEAR_COLOR + (1.0 - near)[:, None] * _FAR_COLOR
        self._scene.add_line_segments(
            self._lines,
            points.astype(np.float32),
            np.repeat(colors[:, None], 2, axis=1).astype(np.uint8),
            thickness=0.006,
            thickness_units="world",
        )


def element_surface(element: SweptSphere) -> tuple[Array, Array]:
    """Vertices (n, 3), m, and triangles (m, 3) of an element: the hull of the spheres at its corners."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=3, radius=max(element.radius, 1e-4))
    points = np.concatenate([ball.vertices + corner for corner in element.corners])
    hull = trimesh.convex.convex_hull(points)
    return np.asarray(hull.vertices), np.asarray(hull.faces)
