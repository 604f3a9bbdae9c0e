"""Walking by hand: from wanted velocities to steps that the next foot can make, on level ground.

Seiwald 2023, section 5.4, names the mode and its limits; how commands become steps is ours. A command is clipped to the
limits of a step, and a foot goes aside or turns only outwards: what its side cannot do the other foot does in the next
step, and the foot that follows only comes back beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from footfall.errors import InvalidAction
from footfall.gait.poses import Foot, RobotPose, other_foot
from footfall.gait.walking_transitions import WalkingTransition
from footfall.planning.parameters import PlannerParameters

STEPS_AHEAD = 4  # planned with a command: while the first of them runs there is time for the next command


@dataclass(frozen=True)
class VelocityCommand:
    """What an operator wants: forward and left in m/s, turn to the left in rad/s."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        for name in ("forward", "left", "turn"):
            if not math.isfinite(getattr(self, name)):
                raise InvalidAction(
                    f"{name} of a command is {getattr(self, name)}; it must be a finite number"
                )

    @property
    def stands(self) -> bool:
        """Whether nothing is wanted."""
        return self.forward == self.left == self.turn == 0.0


def commanded_step(
    command: VelocityCommand, moving: Foot, parameters: PlannerParameters | None = None
) -> WalkingTransition:
    """The step of a foot that comes nearest to a command.

    Two steps make the way of two: the foot that may go aside or turn does so for both of them.
    """
    parameters = PlannerParameters() if parameters is None else parameters
    limits, seconds = parameters.step, parameters.timing.transition_s
    outward = 1.0 if moving == "LF" else -1.0
    forward = min(max(seconds * command.forward, -limits.backward_m), limits.forward_m)
    aside = min(max(2.0 * seconds * outward * command.left, 0.0), limits.outward_m)
    most = math.radians(limits.turn_deg)
    turn = min(max(2.0 * seconds * outward * command.turn, 0.0), most)
    # forward and aside bound each other, as for all steps of the planner
    longest = limits.forward_m if forward >= 0.0 else max(limits.backward_m, 1e-9)
    share = abs(forward) / longest + aside / limits.outward_m
    scale = 1.0 / share if share > 1.0 else 1.0
    return WalkingTransition(forward=scale * forward, left=outward * scale * aside, yaw=outward * turn)


def commanded_steps(
    command: VelocityCommand,
    moving: Foot,
    parameters: PlannerParameters | None = None,
    *,
    count: int = STEPS_AHEAD,
) -> list[WalkingTransition]:
    """Steps for a command that holds, the first of them with a foot; none if it wants to stand."""
    if count < 0:
        raise InvalidAction(f"count of steps is {count}; it must not be negative")
    if command.stands:
        return []
    feet = [moving if k % 2 == 0 else other_foot(moving) for k in range(count)]
    return [commanded_step(command, foot, parameters) for foot in feet]


def first_foot(command: VelocityCommand, begin: RobotPose) -> Foot:
    """The foot that moves first from rest: the outer one of a way aside or a turn, else the swing foot."""
    for wanted in (command.left, command.turn):
        if wanted != 0.0:
            return "LF" if wanted > 0.0 else "RF"
    return begin.swing
