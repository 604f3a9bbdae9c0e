"""What the planner finds: where feet and hands touch, step by step, or why there is no way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from footfall.arrays import Array
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import Foot, FootContact, Hand, Quaternion, RobotPose, Vector
from footfall.gait.walking_transitions import WalkingTransition

if TYPE_CHECKING:
    from footfall.planning.kept_guide import KeptGuide


@dataclass(frozen=True)
class Goal:
    """Where the middle between both feet shall be in the end: x, y in m, heading in rad, and z, m, about the height of
    the ground there, which tells storeys apart; None: whatever ground is seen there."""

    x: float
    y: float
    yaw: float = 0.0
    z: float | None = None


@dataclass(frozen=True)
class FootPlacement:
    """A foot on the ground: position (m) and unit quaternion of its frame in the world; what of it touches."""

    foot: Foot
    position: Vector
    rotation: Quaternion
    contact: FootContact = FootContact.FULL


@dataclass(frozen=True)
class HandContact:
    """A hand on a surface.

    position: of the hand's centre, m. normal: of the surface, outwards. object: id of what it touches. confidence: of
    the surface there, in [0, 1]. held: kept from the stance before.
    """

    hand: Hand
    position: Vector
    normal: Vector
    object: str
    confidence: float
    held: bool = False


@dataclass(frozen=True)
class Stance:
    """The robot after a step: the foot that has landed, and the hands that touch something while it stands there.

    cost: of the way from the start, in units of one step. can_stop: whether the other foot finds ground beside, so that
    the robot can come to rest there.
    """

    placement: FootPlacement
    hands: tuple[HandContact, ...] = ()
    cost: float = 0.0
    can_stop: bool = True

    def hand(self, name: Hand) -> HandContact | None:
        """The contact of RH or LH."""
        return next((contact for contact in self.hands if contact.hand == name), None)


@dataclass(frozen=True)
class Blockage:
    """What closes the way: kind is "object", "limit", "ground" (too narrow for feet), "unknown ground", "goal", "start"
    or "search"; name: id of the object or name of the parameter. need: value of a limit with which there is a way,
    or by how much the ground had to be wider on either side, m."""

    kind: str
    name: str
    text: str
    need: float | None = None


@dataclass(frozen=True)
class SearchEffort:
    """What a plan took. guide_nodes: states of the guide. nodes: explored by the search of footsteps. repairs: how
    often it was searched again. milliseconds: by stage, CPU time of the thread. bound: cost of the plan over a bound
    for the best one, as far as it is known, else infinite. guide: "full" if the middle between the feet finds a path to
    the goal, "none" if it does not."""

    guide_nodes: int = 0
    nodes: int = 0
    repairs: int = 0
    milliseconds: dict[str, float] = field(default_factory=dict)
    bound: float = float("inf")
    guide: str = "full"


@dataclass(frozen=True)
class PlannedContacts:
    """The plan, or as much of it as there is.

    found: whether there is a plan; complete: whether it leads to the goal, and not only to the horizon. cost: in units
    of one step, of the search (before refinement). start: pose in which it begins, with the stance foot of the first
    step. stances: after each step, in order. steps: the same as walking transitions. why_not: what closes the way if it
    was not found; then stances lead as near as possible.
    explored: (n, 3) x, y in m and cost so far of stances in the order in which the search took them up, if asked for.
    guide: what it has learnt of the way, for `plan_contacts(previous=)`.
    """

    found: bool
    cost: float
    start: RobotPose
    goal: Goal
    stances: tuple[Stance, ...]
    steps: tuple[WalkingTransition, ...]
    motion_plan: MotionPlan | None
    effort: SearchEffort
    complete: bool = True
    why_not: Blockage | None = None
    warnings: tuple[str, ...] = ()
    explored: Array = field(default_factory=lambda: np.empty((0, 3)), repr=False, compare=False)
    guide: KeptGuide | None = field(default=None, repr=False, compare=False)

    @property
    def hand_contacts(self) -> tuple[HandContact, ...]:
        """Hands that touch something new, in order; held ones count once."""
        return tuple(contact for stance in self.stances for contact in stance.hands if not contact.held)

    @property
    def nodes(self) -> int:
        """Nodes of guide and search together."""
        return self.effort.guide_nodes + self.effort.nodes

    @property
    def milliseconds(self) -> float:
        """CPU time of the planning thread without pre-processing."""
        return sum(
            value for name, value in self.effort.milliseconds.items() if not name.startswith("environment")
        )
