"""What the planner knows of a biped: soles, volumes around body and arms, and where its hands reach while it steps.

All of it follows from the reduced model, in the frame midway between parallel feet: x ahead, y left, z up from the
ground. A model that was derived from a description knows the robot's shapes and where its hands get. One that does not
has the proportions that Seiwald 2023 (5.3.2 and figures 5.2, 5.3) shows for a robot with legs of 0.87 m and arms of
0.73 m: they grow with its legs, shoulders and arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.arrays import Array
from footfall.geometry.swept_sphere import SweptVolume, swept_line
from footfall.motion.reduced_model import CapsuleShape, Rectangle, ReducedModel
from footfall.planning.parameters import PRINTED_LEG
from footfall.planning.reach_volume import reach_volume

_PRINTED_ARM = 0.728  # m
# Of the body, with legs of 0.87 m: it begins where obstacles may be straddled.
_BODY_RADIUS, _BODY_BOTTOM = 0.20, 0.40
_ARM_RADIUS, _FOREARM_RADIUS = 0.13, 0.10
_TORSO_WAY = 0.35  # m that the torso moves to either side of a stance during a step
_SHOULDER_OUT = 0.077  # m, how far the arm's volume begins outside of the shoulder
# Where a right hand reaches during a whole step, seen from the shoulder, in lengths of the stretched arm: two capsules,
# for tables and for walls. They are inside of what the arm reaches from a torso that moves by +-0.35 m.
_LOW = ((-0.0584, -0.3187, -0.4299), (-0.0172, -0.4835, -0.3475), 0.2060)
_HIGH = ((0.0652, -0.4011, -0.4712), (0.0652, -0.6071, -0.1415), 0.1786)


@dataclass(frozen=True)
class Biped:
    """A robot as the planner sees it.

    foot_distance: lateral, of parallel feet, m. sole, toe_sole: (rear, front, right, left) in the frame of a foot, m.
    body: volume of legs and torso. arms, reach: of the right and the left side, the volume of a hanging arm and where
    the hand touches things; empty for a robot without hands. hand_radius: m. shoulder: of the right arm, m; arm: its
    length, m.
    """

    foot_distance: float
    sole: Rectangle
    toe_sole: Rectangle
    body: SweptVolume
    arms: tuple[SweptVolume, ...]
    reach: tuple[SweptVolume, ...]
    hand_radius: float
    shoulder: tuple[float, float, float]
    arm: float

    @cached_property
    def has_toes(self) -> bool:
        """Whether it can stand on less than its whole sole."""
        return self.sole != self.toe_sole

    @property
    def hands(self) -> int:
        """How many hands it has."""
        return len(self.reach)


def biped_of(model: ReducedModel) -> Biped:
    """The planner's view of a robot."""
    leg = model.leg.lower_leg + model.leg.upper_leg
    scale, arm = leg / PRINTED_LEG, model.upper_arm + model.lower_arm
    middle = (model.sole[0] + model.sole[1]) / 2
    # At rest the torso's mass is above the hips, where five masses have their centre at the right height.
    hips = model.com_height / (1.0 - 2.0 * model.foot_share) - model.leg.hip_to_torso
    behind = middle / (1.0 - 2.0 * model.foot_share)
    shoulder = np.array([behind, -model.shoulder_width / 2, hips + model.shoulder_height])
    x, top = middle, shoulder[2] - 0.03 * scale
    body = SweptVolume(
        tuple(
            swept_line(
                (x, y, _BODY_BOTTOM * scale),
                (x, y, top),
                _BODY_RADIUS * scale,
            )
            for y in (-model.hip_width / 2, model.hip_width / 2)
        )
    )
    if model.bulk is not None:
        body = _capsules(model.bulk.body)
    arms: tuple[SweptVolume, ...] = ()
    reach: tuple[SweptVolume, ...] = ()
    right_reach = _reach_volume(model, shoulder, scale) if arm > 0.0 else None
    if right_reach is not None:
        right_arm = _arm_volume(model, shoulder, arm) if model.bulk is None else _capsules(model.bulk.arm)
        arms = (right_arm, right_arm.mirrored("y"))
        reach = (right_reach, right_reach.mirrored("y"))
    return Biped(
        model.foot_distance,
        model.sole,
        model.toe_sole,
        body,
        arms,
        reach,
        model.hand_radius,
        (float(shoulder[0]), float(shoulder[1]), float(shoulder[2])),
        arm,
    )


def _arm_volume(model: ReducedModel, shoulder: Array, arm: float) -> SweptVolume:
    """Upper arm and forearm of the right side at rest: the elbow a little behind and outside of the hand."""
    scale = arm / _PRINTED_ARM
    ahead, outside, above = model.hand_offset
    hand = np.array([ahead, -model.foot_distance / 2 - outside, above])
    begin = shoulder - _SHOULDER_OUT * scale * np.array([0.0, 1.0, 0.0])
    elbow = np.array([begin[0] + 0.07 * scale, hand[1] - 0.02 * scale, begin[2] - 0.33 * scale])
    return SweptVolume(
        (
            swept_line(begin, elbow, _ARM_RADIUS * scale),
            swept_line(elbow, hand, _FOREARM_RADIUS * scale),
        )
    )


def _capsules(shapes: tuple[CapsuleShape, ...]) -> SweptVolume:
    return SweptVolume(tuple(swept_line(each.first, each.second, each.radius) for each in shapes))


def _reach_volume(model: ReducedModel, shoulder: Array, scale: float) -> SweptVolume | None:
    """Where the right hand touches things; None if it reaches nothing during a whole step."""
    arm = model.upper_arm + model.lower_arm
    if model.hand_reach is not None:
        rows = np.array(model.hand_reach)
        return SweptVolume(
            tuple(swept_line(shoulder + row[:3], shoulder + row[3:6], float(row[6])) for row in rows)
        )
    if model.hand_space is not None:
        return reach_volume(
            model.hand_space, shoulder, shift=_TORSO_WAY * scale, outside=_SHOULDER_OUT * scale
        )
    return SweptVolume(
        tuple(
            swept_line(shoulder + arm * np.array(a), shoulder + arm * np.array(b), arm * radius)
            for a, b, radius in (_LOW, _HIGH)
        )
    )
