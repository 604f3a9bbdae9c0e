"""Shows what a robot believes: terrain coloured by height or by confidence, and objects with their volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.environment.height_images import palette
from footfall.environment.model import Environment
from footfall.environment.patch import FINEST, PATCH
from footfall.environment.terrain import TerrainWindow
from footfall.viewer.drawing import node_name, set_pose
from footfall.viewer.stage import Stage
from footfall.viewer.volumes import element_surface

BY_HEIGHT, BY_CONFIDENCE = "height", "confidence"
_MOST_NODES = 400  # of terrain along an edge; larger maps are drawn from a coarser level
_COLORS = {"floor": (0.70, 0.72, 0.74), "wall": (0.85, 0.60, 0.45), "table": (0.60, 0.45, 0.75)}
_OTHER = (0.80, 0.35, 0.35)
_LEAST_RANGE = 0.05  # m of height that the colours span at least
_LOWERED = 0.004  # m; terrain that coincides with the surface of an object would flicker
_VOLUME, _OPACITY = (0.95, 0.55, 0.15), 0.25

_WELL_KNOWN = 0.3  # confidence of terrain that the camera is pointed at


class EnvironmentPanel:
    """Terrain, objects and volumes of an environment, with boxes to choose among them.

    confidence: whether terrain is coloured by it at the start, instead of by height. volumes: whether they are drawn.
    """

    def __init__(
        self, stage: Stage, environment: Environment, *, confidence: bool = False, volumes: bool = False
    ) -> None:
        self.drawing = EnvironmentDrawing(stage.server.scene)
        window = self.drawing.show(environment)
        gui = stage.server.gui
        first = BY_CONFIDENCE if confidence else BY_HEIGHT
        self._color: Any = gui.add_dropdown("Terrain by", (BY_HEIGHT, BY_CONFIDENCE), initial_value=first)
        self._shown: Any = gui.add_checkbox("Objects", True)
        self._around: Any = gui.add_checkbox("Volumes", volumes)
        for control in (self._color, self._shown, self._around):
            control.on_update(lambda _: self._choose())
        self._choose()
        bounds = shown_bounds(environment, window)
        stage.look_at(bounds)
        stage.set_ground(float(bounds[0, 2]) - 0.01)
        seen = sum(int((patch.confidence > 0).sum()) for patch in environment.terrain.patches.values())
        lines = [f"{len(environment.terrain.patches)} patches, {seen * 1e-4:.1f} m2 seen"]
        if window is not None:
            low, high = colored_heights(window)
            lines.append(f"heights from {low:.3f} (blue) to {high:.3f} m (yellow), confidence from 0 to 1")
        lines += [f"{each.id}: {each.category or 'object'}" for each in environment.objects.values()]
        stage.add_text(f"environment {environment.version}", lines)

    def _choose(self) -> None:
        chosen = BY_CONFIDENCE if self._color.value == BY_CONFIDENCE else BY_HEIGHT
        self.drawing.choose(chosen, objects=bool(self._shown.value), volumes=bool(self._around.value))


class EnvironmentDrawing:
    """What a robot believes, as nodes of viser's scene. opacity: of terrain and objects."""

    def __init__(self, scene: Any, *, node: str = "", opacity: float | None = None) -> None:
        self._scene, self._node, self._opacity = scene, node, opacity
        self._terrain: dict[str, Any] = {}
        self._objects: list[Any] = []
        self._volumes: list[Any] = []

    def clear(self) -> None:
        """Show nothing."""
        for each in (*self._terrain.values(), *self._objects, *self._volumes):
            each.remove()
        self._terrain, self._objects, self._volumes = {}, [], []

    def show(
        self,
        environment: Environment,
        *,
        by: Sequence[str] = (BY_HEIGHT, BY_CONFIDENCE),
        most: int = _MOST_NODES,
        volumes: bool = True,
    ) -> TerrainWindow | None:
        """Draw an environment; gives the terrain that is drawn. most: nodes of it along an edge."""
        self.clear()
        window = shown_window(environment, most)
        if window is not None:
            self._terrain = {
                name: add_terrain(
                    self._scene, f"{self._node}/terrain {name}", window, name, opacity=self._opacity
                )
                for name in by
            }
        things = list(environment.objects.values())
        self._objects = [self._add_object(each) for each in things]
        self._volumes = [node for each in things for node in self._add_volume(each)] if volumes else []
        return window

    def choose(self, by: str | None, *, objects: bool, volumes: bool) -> None:
        """Show terrain by height, by confidence or not at all."""
        for name, node in self._terrain.items():
            node.visible = name == by
        for node in self._objects:
            node.visible = objects
        for node in self._volumes:
            node.visible = volumes

    def _add_object(self, each: Any) -> Any:
        mesh = each.surface.mesh
        node = self._scene.add_mesh_simple(
            f"{self._node}/objects/{node_name(each.id)}",
            mesh.vertices.astype(np.float32),
            mesh.triangles.astype(np.uint32),
            color=_COLORS.get(each.category, _OTHER),
            opacity=self._opacity,
            flat_shading=True,
            side="double",
            cast_shadow=self._opacity is None,
        )
        set_pose(node, each.placement)
        return node

    def _add_volume(self, each: Any) -> list[Any]:
        nodes = []
        for k, element in enumerate(each.volume.elements):
            vertices, triangles = element_surface(element)
            node = self._scene.add_mesh_simple(
                f"{self._node}/volumes/{node_name(each.id)} {k}",
                vertices.astype(np.float32),
                triangles.astype(np.uint32),
                color=_VOLUME,
                opacity=_OPACITY,
            )
            set_pose(node, each.placement)
            nodes.append(node)
        return nodes


def add_terrain(
    scene: Any, node: str, window: TerrainWindow, by: str, *, opacity: float | None = None
) -> Any:
    """A surface of terrain in colours of its heights or confidences; a translucent one lies a little above the truth,
    others a little below."""
    import trimesh

    vertices, triangles, place = terrain_surface(window)
    values = window.mean if by == BY_HEIGHT else window.sure
    low, high = (0.0, 1.0) if by == BY_CONFIDENCE else colored_heights(window)
    share = (values.reshape(-1)[place].astype(np.float64) - low) / (high - low)
    opaque = 255 if opacity is None else round(255 * opacity)
    colors = np.column_stack([palette(share), np.full(len(share), opaque)]).astype(np.uint8)
    mesh = trimesh.Trimesh(vertices, triangles, process=False, vertex_colors=colors)
    return scene.add_mesh_trimesh(node, mesh, position=(0.0, 0.0, -_LOWERED if opacity is None else _LOWERED))


def shown_window(environment: Environment, most: int = _MOST_NODES) -> TerrainWindow | None:
    """The whole terrain at the finest level that is not too large to draw; None if nothing was seen."""
    if not environment.terrain.patches:
        return None
    (x0, y0), (x1, y1) = environment.terrain.bounds.tolist()
    level = FINEST
    while level > 0 and max(x1 - x0, y1 - y0) / PATCH * 2**level > most:
        level -= 1
    window = environment.terrain.window((x0, y0), (x1, y1), level=level)
    return window if np.isfinite(window.mean).any() else None


def colored_heights(window: TerrainWindow) -> tuple[float, float]:
    """Heights (m) of the first and the last colour, of almost all nodes: a few walls would take all colours."""
    low, high = (float(value) for value in np.nanpercentile(window.mean, (1.0, 97.0)))
    return low, max(high, low + _LEAST_RANGE)


def terrain_surface(window: TerrainWindow) -> tuple[Array, Integers, Integers]:
    """Vertices (n, 3) in the middle of seen nodes, m, triangles between neighbours, and the node of each vertex."""
    nx, ny = window.mean.shape
    seen = np.isfinite(window.mean)
    place = np.flatnonzero(seen)
    i, j = np.divmod(place, ny)
    x, y = window.x + (i + 0.5) * window.cell, window.y + (j + 0.5) * window.cell
    vertices = np.column_stack([x, y, window.mean.reshape(-1)[place]])
    number = np.full(nx * ny, -1)
    number[place] = np.arange(len(place))
    first = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).reshape(-1)
    squares = [
        np.column_stack([first, first + ny, first + ny + 1]),
        np.column_stack([first, first + ny + 1, first + 1]),
    ]
    triangles = number[np.concatenate(squares)]
    return vertices, triangles[(triangles >= 0).all(axis=1)], place


def shown_bounds(environment: Environment, window: TerrainWindow | None) -> Array:
    """Least and greatest coordinates (2, 3) of all, m; of terrain, of what is known well if there is such."""
    points = [each.world_vertices for each in environment.objects.values()]
    if window is not None:
        vertices, _, place = terrain_surface(window)
        well = window.sure.reshape(-1)[place] >= _WELL_KNOWN
        vertices = vertices[well] if well.any() else vertices
        points.append(np.array([vertices.min(axis=0), vertices.max(axis=0)]))
    if not points:
        return np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]])
    joined = np.concatenate(points)
    return np.array([joined.min(axis=0), joined.max(axis=0)])
