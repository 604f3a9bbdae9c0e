"""A robot's swept-sphere volumes over its bodies, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.volume_distances import volume_distances
from footfall.geometry.swept_sphere import SweptSphere
from footfall.robot.model import Robot
from footfall.robot.volumes import Pair, checked_pairs
from footfall.viewer.drawing import node_name

if TYPE_CHECKING:
    import viser


_COLOR = (0.95, 0.55, 0.15)
_OPACITY = 0.4
_LIFTED = 1e-3  # m; surfaces that coincide with those of the body would flicker
_NEAR_OPACITY = 0.9
_SHADES = 30  # that are told apart
CLOSE = 0.15  # m; distances below have a line and a color
_NEAR_COLOR, _FAR_COLOR = np.array([214, 20, 20]), np.array([60, 160, 60])


class VolumeDrawing:
    """Volumes as nodes below those of a robot's bodies, so that they move along, and lines of shortest distance."""

    def __init__(self, scene: viser.SceneApi, robot: Robot, *, node: str = "/robot") -> None:
        self._scene, self._robot = scene, robot
        self._lines = f"{node} distances"
        self._visible = True
        self._meshes: list[Any] = []
        self._starts: dict[str, int] = {}  # where the elements of each volume begin
        self.closest: tuple[Pair, float] | None = None
        for volume in robot.volumes:
            self._starts[volume.name] = len(self._meshes)
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
        self._shades = [-1] * len(self._meshes)

    @property
    def visible(self) -> bool:
        return self._visible

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._visible = shown
        for mesh in self._meshes:
            mesh.visible = shown

    def show(self, q: Array) -> None:
        """Draw the shortest distances at q (nq,), and the closest element of each volume opaque: red where volumes
        touch, green where they are `CLOSE` apart (Schwienbacher 2014, figure 6.15)."""
        points, near = np.zeros((0, 2, 3)), np.zeros(0)
        gaps = np.full(len(self._meshes), np.inf)
        self.closest = None
        pairs = checked_pairs(self._robot)
        if self._visible and pairs:
            found = volume_distances(self._robot, q, threshold=CLOSE)
            points = np.stack([found.first_point, found.second_point], axis=1)[found.exact]
            near = found.distance[found.exact]
            for k in np.flatnonzero(found.exact).tolist():
                for name, element in zip(pairs[k], found.elements[k].tolist(), strict=True):
                    place = self._starts[name] + element
                    gaps[place] = min(gaps[place], found.distance[k])
            if found.exact.any():
                least = int(np.argmin(np.where(found.exact, found.distance, np.inf)))
                self.closest = pairs[least], float(found.distance[least])
        self._color(gaps)
        self._scene.add_line_segments(
            self._lines,
            points.astype(np.float32),
            np.repeat(distance_colors(near)[:, None], 2, axis=1).astype(np.uint8),
            thickness=0.006,
            thickness_units="world",
        )

    def _color(self, gaps: Array) -> None:
        """Color elements by their distance (n,), m; what has not changed much stays as it is."""
        for place, gap in enumerate(gaps.tolist()):
            shade = -1 if gap > CLOSE else round(_SHADES * max(gap, 0.0) / CLOSE)
            if shade != self._shades[place]:
                self._shades[place] = shade
                mesh = self._meshes[place]
                if shade < 0:
                    mesh.color, mesh.opacity = _bytes(np.array(_COLOR) * 255.0), _OPACITY
                else:
                    mesh.color = _bytes(distance_colors(np.array([shade * CLOSE / _SHADES]))[0])
                    mesh.opacity = _NEAR_OPACITY


class VolumeSwitch:
    """A box to tick for a robot's volumes, and a scale of their distances; nothing for a robot that has none.

    shown: whether they are drawn at first. redraw: called when somebody ticks the box.
    """

    def __init__(
        self, server: viser.ViserServer, robot: Robot, *, shown: bool, redraw: Callable[[], None]
    ) -> None:
        self._server, self._robot = server, robot
        self._shown = shown and bool(robot.volumes)
        self._drawing: VolumeDrawing | None = None
        if not robot.volumes:
            return
        box: Any = server.gui.add_checkbox(
            "Volumes", self._shown, hint="the closest ones coloured by distance"
        )
        self._scale: Any = server.gui.add_html(distance_scale(None), visible=self._shown)

        def turn(_: Any) -> None:
            self._shown = bool(box.value)
            redraw()

        box.on_update(turn)

    @property
    def scale(self) -> str:
        """The scale of distances as it stands on the page; empty for a robot without volumes."""
        return str(self._scale.content) if self._robot.volumes else ""

    def show(self, q: Array) -> None:
        """Draw volumes and distances at q (nq,), if they are wanted."""
        if self._shown and self._drawing is None:  # made when they are first asked for
            self._drawing = VolumeDrawing(self._server.scene, self._robot)
        if self._drawing is not None:
            self._drawing.visible = self._shown
            self._drawing.show(q)
            self._scale.visible = self._shown
            self._scale.content = distance_scale(self._drawing.closest)


def distance_colors(distance: Array) -> Array:
    """Colors (n, 3) from 0 to 255 of distances (n,), m: red where volumes touch, green from `CLOSE` on."""
    near = 1.0 - np.clip(distance / CLOSE, 0.0, 1.0)
    return np.asarray(near[:, None] * _NEAR_COLOR + (1.0 - near)[:, None] * _FAR_COLOR)


def distance_scale(closest: tuple[Pair, float] | None) -> str:
    """A scale of the colors as HTML, with a mark at the closest pair."""
    ends = [f"rgb({', '.join(str(int(c)) for c in color)})" for color in (_NEAR_COLOR, _FAR_COLOR)]
    text, mark = f"no pair within {1e3 * CLOSE:.0f} mm", ""
    if closest is not None:
        (first, second), distance = closest
        text = f"{escape(first)} and {escape(second)}: {1e3 * distance:.0f} mm"
        share = 100 * min(max(distance / CLOSE, 0.0), 1.0)
        mark = f'<div style="position:absolute;left:{share:.0f}%;top:-2px;width:2px;height:14px;background:#222"></div>'
    bar = f"background:linear-gradient(to right, {ends[0]}, {ends[1]})"
    return (
        f'<div style="margin:0 1em"><div style="position:relative;height:10px;{bar}">{mark}</div>'
        f'<div style="display:flex;justify-content:space-between;font-size:0.8em"><span>0 mm</span>'
        f"<span>{1e3 * CLOSE:.0f} mm</span></div>{text}</div>"
    )


def _bytes(color: Array) -> tuple[int, int, int]:
    red, green, blue = (int(each) for each in np.clip(color, 0, 255))
    return red, green, blue


def element_surface(element: SweptSphere) -> tuple[Array, Array]:
    """Vertices (n, 3), m, and triangles (m, 3) of an element: the hull of the spheres at its corners."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=3, radius=max(element.radius, 1e-4))
    points = np.concatenate([ball.vertices + corner for corner in element.corners])
    hull = trimesh.convex.convex_hull(points)
    return np.asarray(hull.vertices), np.asarray(hull.faces)
