"""The ground that never ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plane:
    """Half space below the x-y plane of its frame: z > 0 is outside (003a SIM-3)."""
