"""Pairs of geoms that a MuJoCo model names: they touch whatever their masks say.

A pair becomes a bit that nothing else has, in the group of one geom and the mask of the other. A geom that is paired
with one of the world touches what is in a scene. Bodies next to each other and those that an `exclude` names still do
not touch; MuJoCo lets pairs of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_BITS = 2**31 - 1  # that groups and masks may have
_SCENE = 1  # group of what is in a scene
_FRICTIONLESS, _TORSION, _ROLLING = 1, 4, 6  # condim


@dataclass
class PairedGeoms:
    """What pairs add. groups, masks: bits by geom. friction: Coulomb's coefficient by geom, of its first pair;
    moments: rolling and torsional friction likewise, m. left:
    how many pairs have no counterpart."""

    groups: dict[int, int] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)
    friction: dict[int, float] = field(default_factory=dict)
    moments: dict[int, tuple[float, float]] = field(default_factory=dict)
    left: int = 0

    def __contains__(self, geom: object) -> bool:
        return geom in self.groups or geom in self.masks


def paired_geoms(model: Any) -> PairedGeoms:
    """The pairs of a compiled model."""
    found = PairedGeoms()
    used = _SCENE
    for values in (model.geom_contype, model.geom_conaffinity):
        for value in values:
            used |= int(value) & _BITS
    free = [1 << k for k in range(31) if not used & (1 << k)]
    for number in range(model.npair):
        geoms = int(model.pair_geom1[number]), int(model.pair_geom2[number])
        bodies = [int(model.geom_bodyid[geom]) for geom in geoms]
        if 0 in bodies:
            own = [geom for geom, body in zip(geoms, bodies, strict=True) if body]
            for geom in own:
                found.masks[geom] = found.masks.get(geom, 0) | _SCENE
        elif _never_touch(model, *bodies) or not (free or geoms[0] in found.groups):
            found.left += 1
            continue
        else:
            first, second = geoms
            if first not in found.groups:
                found.groups[first] = free.pop(0)
            found.masks[second] = found.masks.get(second, 0) | found.groups[first]
        sliding = float(model.pair_friction[number, 0])
        for geom in geoms:
            slippery = int(model.pair_dim[number]) == _FRICTIONLESS
            found.friction.setdefault(geom, 0.0 if slippery else sliding)
            # those of pairs have two of sliding and two of rolling
            torsional, rolling = float(model.pair_friction[number, 2]), float(model.pair_friction[number, 3])
            found.moments.setdefault(
                geom, moment_friction(int(model.pair_dim[number]), (sliding, torsional, rolling))
            )
    return found


def moment_friction(condim: int, friction: Sequence[float]) -> tuple[float, float]:
    """Rolling and torsional friction, m, of contacts of so many dimensions with MuJoCo's numbers (sliding, torsional,
    rolling)."""
    return (
        float(friction[2]) if condim >= _ROLLING else 0.0,
        float(friction[1]) if condim >= _TORSION else 0.0,
    )


def _never_touch(model: Any, first: int, second: int) -> bool:
    """Whether two bodies are fixed to each other, next to each other, or excluded."""
    welded = [int(model.body_weldid[body]) for body in (first, second)]
    parents = [int(model.body_weldid[model.body_parentid[body]]) for body in welded]
    excluded = {(int(each) >> 16, int(each) & 0xFFFF) for each in model.exclude_signature}
    return (
        welded[0] == welded[1]
        or welded[0] == parents[1]
        or welded[1] == parents[0]
        or not {(first, second), (second, first)}.isdisjoint(excluded)
    )
