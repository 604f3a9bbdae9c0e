"""What recordings tell of a walk besides its signals: plans that it followed, and what the robot came to believe."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from footfall.environment.model import Environment, difference
from footfall.environment.objects import EnvironmentObject
from footfall.environment.patch import CELL, FINEST, PATCH, UNSEEN
from footfall.environment.terrain import TerrainWindow
from footfall.gait.poses import HANDS
from footfall.walking.pilot import PlanVersion

_MAP_NODES = 256  # of a map that is recorded, along an edge


def plan_data(version: PlanVersion, sole: Sequence[float] = ()) -> dict[str, Any]:
    """A plan: what it is for, from when on, s, and where feet and hands touch, m. sole: of a foot, from its rear to its
    front and from right to left, m."""
    return {
        "sole": list(sole),
        "version": version.number,
        "about": version.about,
        "asked": version.asked,
        "begins": version.begins,
        "milliseconds": round(version.milliseconds, 3),
        "warnings": list(version.warnings),
        "feet": [
            {
                "foot": pose.stance,
                "position": pose.stance_foot.position,
                "rotation": pose.stance_foot.rotation,
            }
            for pose in version.poses
        ],
        "hands": [
            {"step": step, "hand": name, "position": pose.hand(name).position}
            for step, pose in enumerate(version.poses)
            for name in HANDS
            if pose.hand(name).closed
        ],
    }


def environment_data(before: Environment, after: Environment) -> dict[str, Any]:
    """An update of what the robot believes: objects that came, changed or went, with the boxes around them, m; and the
    terrain whose heights changed: its area, m2, a box around it and its lowest and highest ground, m."""
    update = difference(before, after)
    return {
        "version": after.version,
        "objects": sorted(after.objects),
        "changed": [_object_data(each) for each in update.objects],
        "removed": sorted(update.remove),
        "forgotten_patches": len(update.reset),
        "terrain": _terrain_data(update.patches),
    }


def belief_map(environment: Environment) -> dict[str, Any] | None:
    """The terrain that a robot believes in, as a coarse map of heights and confidences; None if it knows none."""
    if not environment.terrain.patches:
        return None
    lower, upper = environment.terrain.bounds.tolist()
    level = FINEST
    while level > 0 and max(upper[0] - lower[0], upper[1] - lower[1]) / PATCH * 2**level > _MAP_NODES:
        level -= 1
    window = environment.terrain.window(lower, upper, level=level)
    heights = np.where(np.isfinite(window.mean), np.rint(1e3 * np.nan_to_num(window.mean)), UNSEEN)
    return {
        "version": environment.version,
        "corner": (window.x, window.y),
        "cell": window.cell,
        "shape": window.mean.shape,
        "heights": _packed(heights.astype("<i2")),
        "confidence": _packed(np.rint(255 * window.sure).astype(np.uint8)),
    }


def read_belief_map(data: Mapping[str, Any]) -> TerrainWindow | None:
    """What `belief_map` made, of a recording; None where that is something else."""
    try:
        (x, y), cell, (nx, ny) = data["corner"], float(data["cell"]), data["shape"]
        if not (0 < nx <= _MAP_NODES + 64 and 0 < ny <= _MAP_NODES + 64 and 0.0 < cell <= PATCH):
            return None
        heights = np.frombuffer(_unpacked(data["heights"], 2 * nx * ny), "<i2").reshape(nx, ny)
        shares = np.frombuffer(_unpacked(data["confidence"], nx * ny), np.uint8).reshape(nx, ny)
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error):
        return None
    mean = np.where(heights == UNSEEN, np.nan, 1e-3 * heights).astype(np.float32)
    sure = (shares / 255.0).astype(np.float32)
    return TerrainWindow(float(x), float(y), cell, mean, mean, mean, sure, sure, sure)


def _packed(values: Any) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 6)).decode()


def _unpacked(text: str, size: int) -> bytes:
    content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    if len(content) != size:
        raise ValueError(f"{len(content)} bytes where {size} are needed")
    return content


def _object_data(thing: EnvironmentObject) -> dict[str, Any]:
    corners = thing.surface.mesh.vertices @ thing.placement.rotation.T + thing.placement.translation
    return {
        "id": thing.id,
        "class": thing.category,
        "lower": corners.min(axis=0).tolist(),
        "upper": corners.max(axis=0).tolist(),
    }


def _terrain_data(patches: Any) -> dict[str, Any]:
    """Of patches by their indices."""
    if not patches:
        return {}
    places = np.array(list(patches))
    heights = np.array([patch.heights for patch in patches.values()])
    seen = heights[heights != UNSEEN]
    side = heights.shape[1] * CELL
    found: dict[str, Any] = {
        "seen_area": len(seen) * CELL**2,
        "lower": (places.min(axis=0) * side).tolist(),
        "upper": ((places.max(axis=0) + 1) * side).tolist(),
    }
    if len(seen):
        found |= {"lowest": float(seen.min()) * 1e-3, "highest": float(seen.max()) * 1e-3}
    return found
