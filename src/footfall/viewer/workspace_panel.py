"""Shows a workspace in the browser: its surface, cut open by a slider, coloured by an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh

from footfall.arrays import Array, Flags
from footfall.dynamics.configuration import neutral
from footfall.dynamics.kinematics import forward_kinematics, frame_pose
from footfall.errors import FootfallError
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform, identity_transform
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.viewer.drawing import RobotDrawing
from footfall.viewer.stage import Stage
from footfall.workspace.files import colors_of
from footfall.workspace.surface import CrossSection, WorkspaceSurface, cross_section, workspace_surface
from footfall.workspace.workspace import REACHABILITY, STATISTICS, Workspace

_MOST_TRIANGLES = 60_000
_OPEN = "cut open"


class WorkspacePanel:
    """A workspace with its robot, if that is one that can be loaded by its name."""

    def __init__(self, stage: Stage, workspace: Workspace) -> None:
        self._workspace, self._scene = workspace, stage.server.scene
        self._nodes: list[Any] = []
        self._surfaces: dict[tuple[str, str], WorkspaceSurface] = {}
        self._place, around = self._draw_robot()
        self._bounds = np.array(workspace.box)
        corners = np.array(np.meshgrid(*self._bounds.T, indexing="ij")).reshape(3, -1).T
        world = np.concatenate(
            [corners @ np.asarray(self._place.rotation).T + self._place.translation, around]
        )
        stage.look_at(np.array([world.min(axis=0), world.max(axis=0)]))
        stage.set_ground(float(world[:, 2].min()))
        gui: Any = stage.server.gui
        self._index: Any = gui.add_dropdown(
            "Colour by", (REACHABILITY, *workspace.names), initial_value="condition"
        )
        self._statistic: Any = gui.add_dropdown("Of each cell the", STATISTICS, initial_value="greatest")
        self._axis: Any = gui.add_dropdown("Cut normal to", ("x", "y", "z"), initial_value="x")
        self._at: Any = gui.add_slider("At, % of the way", min=0, max=100, step=1, initial_value=50)
        self._solid: Any = gui.add_checkbox(f"Surface, {_OPEN}", initial_value=True)
        self._legend: Any = gui.add_markdown("")
        about = workspace.description
        lines = [
            f"{about.hand} from {about.root}",
            f"{workspace.volume:.3f} m3, compactness {workspace.compactness:.2f}",
            f"{workspace.samples:.3g} samples, cells of {100 * workspace.size:g} cm",
        ]
        stage.add_text(about.robot, lines)
        for control in (self._index, self._statistic, self._axis, self._at, self._solid):
            control.on_update(lambda _: self.draw())
        self.draw()

    def draw(self) -> None:
        """Surface and cut as the controls say."""
        workspace, index, statistic = self._workspace, self._index.value, self._statistic.value
        across = "xyz".index(self._axis.value)
        low, high = self._bounds[:, across]
        at = float(low + 0.01 * self._at.value * (high - low))
        values = workspace.values(index, statistic)[workspace.counts > 0.0]
        least, most = float(values.min()), float(values.max())
        meshes = []
        if self._solid.value:
            surface = self._surface(index, statistic)
            behind = surface.vertices[:, across][surface.triangles].max(axis=1) <= at
            meshes.append(
                _mesh(surface.vertices, surface.triangles[behind], colors_of(surface.values, least, most))
            )
        cut = cross_section(workspace, index, axis=self._axis.value, at=at, statistic=statistic)
        meshes.append(_cut_mesh(cut, at, least, most))
        before, self._nodes = (
            self._nodes,
            [
                self._scene.add_mesh_trimesh(
                    f"/workspace/{name}",
                    mesh,
                    wxyz=quaternion_from_matrix(np.asarray(self._place.rotation)),
                    position=np.asarray(self._place.translation),
                )
                for name, mesh in zip(("cut", "surface")[: len(meshes)], reversed(meshes), strict=True)
                if len(mesh.faces)
            ],
        )
        kept = {node.name for node in self._nodes}
        for node in before:
            if node.name not in kept:
                node.remove()
        self._legend.content = (
            f"{index}: dark {least:.3g} to bright {most:.3g}; cut at {self._axis.value} = {at:.3f} m"
        )

    def _surface(self, index: str, statistic: str) -> WorkspaceSurface:
        """The finest that a browser shows without waiting."""
        if (index, statistic) not in self._surfaces:
            for level in range(3):
                surface = workspace_surface(self._workspace, index, statistic=statistic, level=level)
                if len(surface.triangles) <= _MOST_TRIANGLES:
                    break
            self._surfaces[index, statistic] = surface
        return self._surfaces[index, statistic]

    def _draw_robot(self) -> tuple[Transform, Array]:
        """Draw the robot, if it is known; where the root frame is in the world, and corners (k, 3) of the robot, m."""
        about = self._workspace.description
        try:
            robot: Robot = load(about.robot, strict=False)
            q = neutral(robot)
            place: Transform = frame_pose(robot, q, about.root)
        except (FootfallError, OSError):  # of a file that is not at hand, or has changed
            return identity_transform(), np.empty((0, 3))
        poses = forward_kinematics(robot, q)
        drawing = RobotDrawing(self._scene, robot)
        drawing.place(poses.position, quaternion_from_matrix(poses.rotation))
        return place, np.asarray(drawing.bounds(poses))


def _mesh(vertices: Array, triangles: Any, colors: Any) -> trimesh.Trimesh:
    return trimesh.Trimesh(vertices, triangles, vertex_colors=colors, process=False)


def _cut_mesh(cut: CrossSection, at: float, least: float, most: float) -> trimesh.Trimesh:
    """Two triangles for each point of a cut that is reached, seen from where it is cut open."""
    others = ["xyz".index(axis) for axis in cut.axes]
    there: Flags = np.isfinite(cut.values)
    places = np.argwhere(there)
    step = (cut.high - cut.low) / np.array(cut.values.shape)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    vertices = np.full((len(places), 4, 3), at)
    vertices[..., others] = cut.low + (places[:, None] + corners) * step
    # z and x, in this order, have y as their normal
    triangles = ([2, 1, 0], [3, 2, 0]) if cut.axes == "xz" else ([0, 1, 2], [0, 2, 3])
    first = 4 * np.arange(len(places))[:, None]
    colors = np.repeat(colors_of(cut.values[there], least, most), 4, axis=0)
    return _mesh(vertices.reshape(-1, 3), np.concatenate([first + each for each in triangles]), colors)
