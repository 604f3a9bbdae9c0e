"""Gaits of four legs as phase tables: when each foot comes down within the cycle, and for how long it stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.values import Value

LEGS = ("RB", "LB", "RF", "LF")  # right back, left back, right front, left front: the order of all outputs


@dataclass(frozen=True)
class Gait(Value):
    """A periodic pattern of footfalls.

    offsets: for each leg the part of the cycle, in [0, 1), at which its foot comes down. duty: part of the cycle that
    a foot stays on the ground, in (0, 1).
    """

    name: str
    offsets: Mapping[str, float]
    duty: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", MappingProxyType(dict(self.offsets)))
        for leg, offset in self.offsets.items():
            if not 0.0 <= offset < 1.0:
                raise InvalidInput(f"gait {self.name!r}: offset of {leg} is {offset}; it must be in [0, 1)")
        if not 0.0 < self.duty < 1.0:
            raise InvalidInput(f"gait {self.name!r}: duty is {self.duty}; it must be in (0, 1)")

    @property
    def legs(self) -> tuple[str, ...]:
        """The legs in the order of all arrays."""
        return tuple(self.offsets)

    def leg_phases(self, phase: Any) -> Array:
        """Phase of each leg in [0, 1), (..., legs), zero where its foot comes down; phase: (...,) of the cycle."""
        shifted: Array = np.asarray(phase, dtype=np.float64)[..., None] - np.array([*self.offsets.values()])
        return shifted % 1.0

    def stance(self, phase: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether each foot is on the ground, (..., legs); phase: (...,) of the cycle."""
        result: np.ndarray[Any, np.dtype[np.bool_]] = self.leg_phases(phase) < self.duty
        return result

    def fewest_feet(self) -> int:
        """Smallest number of feet on the ground at once; zero where there is a flight."""
        # The number only falls where a foot lifts off: look just behind each of these instants.
        lifts = np.array([(offset + self.duty) % 1.0 for offset in self.offsets.values()])
        return int(self.stance(lifts + 1e-9).sum(axis=-1).min())


def _table(name: str, duty: float, **offsets: float) -> Gait:
    return Gait(name, {leg: offsets[leg] for leg in LEGS}, duty)


# Ayit 2015, chapter 2; canter (hind, diagonal pair, fore) and transverse gallop with phases as horses have them.
GAITS: Mapping[str, Gait] = MappingProxyType(
    {
        gait.name: gait
        for gait in (
            _table("crawl", 0.8, LF=0.0, RB=0.25, RF=0.5, LB=0.75),
            _table("trot", 0.5, LF=0.0, RB=0.0, RF=0.5, LB=0.5),
            _table("pace", 0.5, LF=0.0, LB=0.0, RF=0.5, RB=0.5),
            _table("canter", 0.3, RB=0.4, LB=0.7, RF=0.7, LF=0.0),
            _table("gallop", 0.25, RB=0.5, LB=0.6, RF=0.8, LF=0.0),
        )
    }
)


def gait(name: str) -> Gait:
    """The gait of that name: crawl, trot, pace, canter or gallop."""
    if name not in GAITS:
        raise UnknownName("gait", name, GAITS)
    return GAITS[name]
