"""The ground that never ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plane:
    """Half space below the x-y plane of its frame: z > 0 is outside (Seiwald 2023, section 7.4)."""
