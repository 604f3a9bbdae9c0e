"""What can be wrong with the dynamics of a robot and its constraints."""

from __future__ import annotations

from collections.abc import Mapping

from footfall.errors.base import FootfallError


class NoMass(FootfallError, ValueError):
    """A centre of mass was asked for of a robot none of whose moving bodies has mass."""

    def __init__(self, robot: str) -> None:
        super().__init__(f"robot {robot!r} has no centre of mass: none of its moving bodies has mass")


class InvalidConstraint(FootfallError, ValueError):
    """A constraint that has no meaning; the message names it."""


class ConflictingConstraints(FootfallError, ArithmeticError):
    """Constraints that no motion fulfils. residuals: m/s2 or rad/s2, by name of the component."""

    def __init__(self, residuals: Mapping[str, float]) -> None:
        self.residuals = dict(residuals)
        missed = ", ".join(f"{label} by {residual:.3g}" for label, residual in self.residuals.items())
        super().__init__(f"no motion fulfils all constraints; missed: {missed} (m/s2 or rad/s2)")


class InvalidWheel(FootfallError, ValueError):
    """A wheel that cannot roll; the message names it."""
