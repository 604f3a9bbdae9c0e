"""What can go wrong with contact and while time passes."""

from __future__ import annotations

from typing import Any

from footfall.errors.base import FootfallError, FootfallWarning


class InvalidContact(FootfallError, ValueError):
    """Contacts, or a contact problem, with a value that has no meaning."""


class InvalidOption(FootfallError, ValueError):
    """An option of a simulation that has no meaning."""


class SimulationDiverged(FootfallError, ArithmeticError):
    """A simulation left the numbers. state: the last good `SimulationState`. quantity: what went wrong first."""

    def __init__(self, quantity: str, state: Any) -> None:
        self.quantity = quantity
        self.state = state
        super().__init__(
            f"the simulation diverged after t = {state.time:.6g} s: {quantity}; the last good state is kept"
        )


class LoopAtDeadPoint(SimulationDiverged):
    """A loop came to a dead point: the joints that lead it cannot go on. `state` is the last one before."""


class DivergedWarning(FootfallWarning):
    """Robots of a rollout that left the numbers."""


class ConvergenceWarning(FootfallWarning):
    """Contact impulses that were not found as exactly as asked for."""


class PenaltyWarning(FootfallWarning):
    """A penalty law beyond its limit of stability: expect forces without bound."""


class TooManyCandidates(FootfallWarning):
    """Robots with so many shapes that some ways in which they could touch are left out."""


class ManyContactsWarning(FootfallWarning):
    """So many places that may touch that native code for them takes minutes to compile."""


class MissingMeshWarning(FootfallWarning):
    """Collision meshes that were not found; their bodies touch with their other shapes."""


class StartsInside(FootfallWarning):
    """Something starts deep inside of something else, and is lifted out of it slowly."""


class BelowGroundWarning(FootfallWarning):
    """Bodies without shapes that are below the ground, where nothing holds them."""


class RestlessJointsWarning(FootfallWarning):
    """Joints at their greatest efforts, or swinging to and fro, under gains that do not fit the robot."""


class SingularLoopWarning(FootfallWarning):
    """A loop that comes near a position where the joints that follow from others are not determined."""
