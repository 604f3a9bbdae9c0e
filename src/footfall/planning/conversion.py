"""From stances to walking transitions with heights, timing and hands (Seiwald 2023, 5.5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.environment.terrain import PackedTerrain
from footfall.errors import InvalidTransition
from footfall.gait.poses import FootContact, FootState, Quaternion, RobotPose, Vector
from footfall.gait.step_parameters import step_parameters, wrapped
from footfall.gait.walking_transitions import HandTarget, WalkingTransition
from footfall.math.rotations import matrix_from_quaternion, quaternion_from_matrix, roll_pitch_yaw, yaw_of
from footfall.planning.contacts import FootPlacement, HandContact, Stance
from footfall.planning.parameters import PlannerParameters
from footfall.planning.refinement import Refinement, swing_top

_FINER = 0.02  # m, by which cells of 1 cm may show more than those of the search


def foot_rotation(yaw: float, normal: Array) -> Quaternion:
    """Rotation of a foot that stands on a plane and whose x axis, seen from above, has this yaw (rad)."""
    c, s = np.cos(yaw), np.sin(yaw)
    ahead = np.array([c, s, -(normal[0] * c + normal[1] * s) / normal[2]])
    ahead /= np.linalg.norm(ahead)
    matrix = np.stack([ahead, np.cross(normal, ahead), normal], axis=1)
    rotation: Quaternion = _tuple(quaternion_from_matrix(matrix))
    return rotation


def walking_transitions(
    start: RobotPose,
    stances: Sequence[Stance],
    parameters: PlannerParameters,
    terrain: PackedTerrain,
    refinement: Refinement,
    foot_distance: float,
) -> list[WalkingTransition]:
    """The steps between stances; the first one swings the foot that is not the stance foot of `start`."""
    timing, noticeable = parameters.timing, parameters.step.noticeable_m
    swinging, standing = start.foot(start.swing), start.stance_foot
    holding = any(hand.closed for hand in start.hands)
    side = 1.0 if start.stance == "RF" else -1.0
    steps: list[WalkingTransition] = []
    for stance in stances:
        landed = stance.placement
        base = max(swinging.position[2], landed.position[2])
        over = _swing_over(swinging, landed, base, terrain, refinement)
        if over > parameters.step.obstacle_m + _FINER:
            raise InvalidTransition(len(steps), f"its foot would swing over something {over:.3f} m high")
        rise = abs(landed.position[2] - standing.position[2])
        careful = rise > noticeable or over > noticeable
        # Not in the source: the zero-moment point of a quick step leaves a toe pad that stands alone. It stands on an
        # edge, which the other foot passes when it comes from below: that rises before it goes on.
        pad = standing.contact is FootContact.PARTIAL
        factor = timing.careful_factor if careful or pad else 1.0
        if stance.hands or holding:
            factor = max(factor, timing.hands_factor)
        steps.append(
            WalkingTransition(
                **_step_numbers(standing, landed, side * foot_distance / 2),
                duration=factor * timing.transition_s,
                step_height=over + timing.clearance_m if over > noticeable else None,
                swing_timing=timing.careful_timing if careful else float(pad),
                contact=landed.contact,
                right_hand=_target(stance.hand("RH"), landed, parameters),
                left_hand=_target(stance.hand("LH"), landed, parameters),
            )
        )
        swinging, standing = standing, FootState(landed.position, landed.rotation, True, landed.contact)
        holding, side = bool(stance.hands), -side
    return steps


def _swing_over(
    swinging: FootState, landed: FootPlacement, base: float, terrain: PackedTerrain, refinement: Refinement
) -> float:
    first, last = (float(yaw_of(np.array(foot.rotation))) for foot in (swinging, landed))
    yaws = np.array([first, first + float(wrapped(last - first))])
    begin, end = np.array(swinging.position[:2]), np.array(landed.position[:2])
    return float(swing_top(terrain, refinement, begin, end, yaws, base))


def _step_numbers(standing: FootState, landed: FootPlacement, half: float) -> dict[str, Any]:
    angles = roll_pitch_yaw(np.array(landed.rotation))
    yaw = float(yaw_of(np.array(standing.rotation)))
    lengths, turned = step_parameters(
        np.array(standing.position), yaw, np.array(landed.position), angles, half
    )
    names = ("forward", "left", "up", "roll", "pitch", "yaw")
    return dict(zip(names, [*lengths.tolist(), *turned.tolist()], strict=True))


def _target(
    contact: HandContact | None, landed: FootPlacement, parameters: PlannerParameters
) -> HandTarget | None:
    if contact is None:
        return None
    inward = matrix_from_quaternion(np.array(landed.rotation)).T
    position: Vector = _tuple(inward @ (np.array(contact.position) - np.array(landed.position)))
    force: Vector = _tuple(parameters.hand.force_N * inward @ np.array(contact.normal))
    return HandTarget(position, force)


def contact_of(partial: bool, drop: float, parameters: PlannerParameters, has_toes: bool) -> FootContact:
    """What of a foot touches the ground; drop: how far it is below the other one, m."""
    if has_toes and drop > parameters.foothold.tiptoe_drop_m:
        return FootContact.TIPTOE
    return FootContact.PARTIAL if partial else FootContact.FULL


def _tuple(values: Any) -> Any:
    return tuple(np.asarray(values, dtype=np.float64).tolist())
