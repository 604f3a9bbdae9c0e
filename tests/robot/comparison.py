"""When two robots are the same: as the algorithms see them, and field by field."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from footfall.robot.model import Robot


def difference(a: Any, b: Any) -> float:
    """Largest difference of the numbers in two values; infinite if anything else differs."""
    if is_dataclass(a) and type(a) is type(b):
        return max((difference(getattr(a, f.name), getattr(b, f.name)) for f in fields(a)), default=0.0)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and len(a) == len(b):
        return max((difference(x, y) for x, y in zip(a, b, strict=True)), default=0.0)
    if hasattr(a, "items") and hasattr(b, "items"):
        if list(a) != list(b):
            return np.inf
        return max((difference(a[key], b[key]) for key in a), default=0.0)
    if isinstance(a, bool) or isinstance(b, bool):
        return 0.0 if a is b else np.inf
    numeric = (int, float, np.ndarray, np.floating)
    if isinstance(a, numeric) and isinstance(b, numeric) and np.shape(a) == np.shape(b):
        same = np.equal(a, b)  # infinities
        with np.errstate(invalid="ignore"):
            return float(np.max(np.where(same, 0.0, np.abs(np.subtract(a, b))), initial=0.0))
    return 0.0 if a == b else np.inf


_OF_LINKS = ("parent", "kind", "neutral", "mass", "center_of_mass", "inertia", "armature")


def tree_difference(a: Robot, b: Robot) -> float:
    """Largest difference of what the algorithms see; infinite if links or coordinates are not the same.

    Names of links do not count; frames of `a` must be in `b`.
    """
    if len(a.tree.links) != len(b.tree.links):
        return np.inf
    worst = difference(a.gravity, b.gravity)
    for ours, theirs in zip(a.tree.links, b.tree.links, strict=True):
        worst = max(worst, *(difference(getattr(ours, name), getattr(theirs, name)) for name in _OF_LINKS))
        if (ours.q, ours.v) != (theirs.q, theirs.v):
            return np.inf
    for name, attachment in a.tree.attachments.items():
        worst = max(worst, difference(attachment, b.tree.attachments.get(name)))
    return worst
