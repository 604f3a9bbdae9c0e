"""Pictures of a workspace: its surface and a cut through it, a row for each index (as Seiwald 2023, Fig. 3.6)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.workspace.surface import CrossSection, WorkspaceSurface, cross_section, workspace_surface
from footfall.workspace.workspace import REACHABILITY, Workspace

_TITLES = {
    REACHABILITY: "share of directions",
    "condition": "condition",
    "manipulability": "manipulability, m3",
    "rotational": "rotational manipulability",
    "joint_range": "room to joint limits",
    "joint_distance": "distance from middles of ranges",
    "load": "share of torque limits",
    "push": "push, N",
}
_MOST_TRIANGLES = 20_000
_LIGHT = np.array([0.3, -0.5, 0.8])


def draw_workspace(
    workspace: Workspace,
    path: Path,
    *,
    indices: Sequence[str] | None = None,
    axis: str = "x",
    at: float | None = None,
    statistic: str = "greatest",
) -> Path:
    """Draw the surface and a cut normal to an axis at a place along it, m; a row for each index."""
    pyplot = load_pyplot()
    shown = list(indices or (REACHABILITY, "condition", "manipulability", "joint_range"))
    figure = pyplot.figure(figsize=(9.0, 3.9 * len(shown)))
    for row, index in enumerate(shown):
        cut = cross_section(workspace, index, axis=axis, at=at, statistic=statistic)
        values = workspace.values(index, statistic)[workspace.counts > 0.0]
        low, high = float(values.min()), float(values.max())
        solid = figure.add_subplot(len(shown), 2, 2 * row + 1, projection="3d")
        _draw_surface(solid, _light_enough(workspace, index, statistic), low, high, pyplot)
        _draw_cut(
            figure, figure.add_subplot(len(shown), 2, 2 * row + 2), cut, low, high, _TITLES.get(index, index)
        )
        solid.set_title(f"{_TITLES.get(index, index)}, {statistic} of each cell", fontsize=9)
    about = workspace.description
    figure.suptitle(
        f"{about.robot}: {about.hand} from {about.root}, {workspace.volume:.3f} m3, cut normal to {axis}",
        y=0.995,
    )
    figure.tight_layout()
    save_figure(figure, path, dpi=100)
    pyplot.close(figure)
    return path


def _light_enough(workspace: Workspace, index: str, statistic: str) -> WorkspaceSurface:
    """The finest surface that is drawn in a few seconds."""
    for level in range(3):
        surface = workspace_surface(workspace, index, statistic=statistic, level=level)
        if len(surface.triangles) <= _MOST_TRIANGLES:
            break
    return surface


def _draw_surface(axes: Any, surface: WorkspaceSurface, low: float, high: float, pyplot: Any) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    corners = surface.vertices[surface.triangles]
    values = surface.values[surface.triangles].mean(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    shade = 0.65 + 0.35 * np.clip(normals @ (_LIGHT / np.linalg.norm(_LIGHT)), -1.0, 1.0)
    colors = pyplot.get_cmap("viridis")((values - low) / max(high - low, 1e-300))
    colors[:, :3] *= shade[:, None]
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colors, edgecolors=colors, linewidths=0.3))
    lowest, highest = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    middle, half = 0.5 * (lowest + highest), 0.5 * float((highest - lowest).max())
    for name, here in zip("xyz", middle, strict=True):
        getattr(axes, f"set_{name}lim")(here - half, here + half)
        getattr(axes, f"set_{name}label")(f"{name}, m", fontsize=7)
    axes.set_box_aspect((1, 1, 1))
    axes.tick_params(labelsize=6)


def _draw_cut(figure: Any, axes: Any, cut: CrossSection, low: float, high: float, title: str) -> None:
    picture = axes.imshow(
        cut.values.T,
        origin="lower",
        extent=(cut.low[0], cut.high[0], cut.low[1], cut.high[1]),
        vmin=low,
        vmax=high,
        cmap="viridis",
        interpolation="nearest",
    )
    axes.set_xlabel(f"{cut.axes[0]}, m", fontsize=7)
    axes.set_ylabel(f"{cut.axes[1]}, m", fontsize=7)
    axes.tick_params(labelsize=6)
    axes.set_aspect("equal")
    bar = figure.colorbar(picture, ax=axes, shrink=0.8)
    bar.set_label(title, fontsize=7)
    bar.ax.tick_params(labelsize=6)
