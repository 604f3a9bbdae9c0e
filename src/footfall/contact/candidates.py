"""Candidate contacts: which points of the robot may touch which surfaces.

The native time step is made for a fixed list of candidates; which of them carry force is decided when it runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from footfall.math.transform import Transform, identity_transform
from footfall.robot.model import WORLD


@dataclass(frozen=True, slots=True)
class Surface:
    """A shape with a signed distance that points may touch.

    shape: see `footfall.contact.distance_functions`. body: name of the body that carries it, at `placement`.
    friction: Coulomb coefficient; viscous_friction: N s/m, 001 (4.22); restitution in [0, 1].
    stiffness (N/m) and damping (N s/m): of a soft surface, per contact point; infinite stiffness: rigid.
    """

    shape: Any
    placement: Transform = None  # type: ignore[assignment]
    body: str = WORLD
    friction: float = 0.8
    viscous_friction: float = 0.0
    restitution: float = 0.0
    stiffness: float = float("inf")
    damping: float = 0.0

    def __post_init__(self) -> None:
        if self.placement is None:
            object.__setattr__(self, "placement", identity_transform())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A point of a body, with a radius around it (m), and the surface that it may touch."""

    body: str
    point: tuple[float, float, float]
    radius: float
    surface: Surface
