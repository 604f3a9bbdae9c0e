"""What recordings tell of a walk besides its signals: plans that it followed, and what the robot came to believe."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.environment.model import Environment, difference
from footfall.environment.objects import EnvironmentObject
from footfall.environment.patch import CELL, UNSEEN
from footfall.gait.poses import HANDS
from footfall.walking.pilot import PlanVersion


def plan_data(version: PlanVersion) -> dict[str, Any]:
    """A plan: what it is for, from when on, s, and where feet and hands touch, m."""
    return {
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
