"""Random walks over random ground, within what a robot can do: for tests and studies of the motion generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.gait.plan import MotionPlan
from footfall.gait.poses import FootContact
from footfall.gait.walking_transitions import (
    GaitDimensions,
    HandTarget,
    WalkingTransition,
    idle_pose,
    walking_sequence,
)

Generator = Any


def random_walk(generator: Generator, dimensions: GaitDimensions, *, steps: int = 8) -> MotionPlan:
    """A walk with steps of random length, direction, height, clearance, duration, timing and contact, and now and then
    a hand on a wall. generator: of NumPy. Lengths are parts of the robot's leg: robots of any size can walk it."""
    scale = dimensions.leg_length / 0.87  # LOLA's
    forward = generator.random() < 0.85  # backward walks are shorter
    straight = generator.random() < 0.5
    walk, height = [], 0.0
    for number in range(steps):
        right = number % 2 == 0  # which foot swings; outward only, so that feet do not meet
        outward = -1.0 if right else 1.0
        length = scale * (generator.uniform(0.0, 0.4) if forward else -generator.uniform(0.0, 0.2))
        left = 0.0 if straight else outward * scale * generator.uniform(0.0, 0.06)
        yaw = 0.0 if straight else outward * generator.uniform(0.0, 0.12)
        up = 0.0
        if generator.random() < 0.15:
            up = scale * generator.uniform(-0.06, 0.06) if height == 0.0 else -height
            height += up
            length = float(np.clip(length, -0.2 * scale, 0.3 * scale))
        slow = up != 0.0 or generator.random() < 0.2
        # The last step stands on whole soles.
        partial = forward and up > 0.0 and number < steps - 1 and generator.random() < 0.5
        hand = None
        if straight and right and generator.random() < 0.15:
            ahead, beside, above = (0.0, 0.7875, 1.25)
            force = generator.uniform(10.0, 50.0)
            hand = HandTarget((ahead * scale, beside * scale, above * scale), (0.0, -force, 0.0))
        walk.append(
            WalkingTransition(
                forward=float(length),
                left=float(left),
                up=float(up),
                yaw=float(yaw),
                duration=float(generator.uniform(1.0, 1.4)) if slow or hand is not None else None,
                step_height=float(generator.uniform(0.0, 0.06)) if generator.random() < 0.3 else None,
                # Fast feet that wait before they move would need too much force.
                swing_timing=0.5 if slow else 0.0,
                contact=FootContact.PARTIAL if partial else FootContact.FULL,
                left_hand=hand,
            )
        )
    return MotionPlan((walking_sequence(walk, idle_pose(dimensions), dimensions, first_swing="RF"),))


def broad_walk(generator: Generator, dimensions: GaitDimensions, *, steps: int = 6) -> MotionPlan:
    """A walk of steps that may be too long, too fast, too high or too steep: about a third cannot be walked.

    generator: of NumPy, or anything with its `uniform`. Lengths are parts of the robot's leg."""
    scale = dimensions.leg_length / 0.87  # LOLA's

    def now_and_then(share: float, low: float, high: float, usual: float | None = 0.0) -> Any:
        return float(generator.uniform(low, high)) if generator.uniform(0.0, 1.0) < share else usual

    walk = []
    for number in range(steps):
        outward = -1.0 if number % 2 == 0 else 1.0
        contact = FootContact.FULL
        if generator.uniform(0.0, 1.0) < 0.25:
            contact = FootContact.PARTIAL if generator.uniform(0.0, 1.0) < 0.5 else FootContact.TIPTOE
        hand = None
        if generator.uniform(0.0, 1.0) < 0.1:
            # In the frame of the right foot, so that only its steps have a hand on the wall.
            place = (0.0, 0.7875 * scale, 1.25 * scale)
            hand = (
                HandTarget(place, (0.0, -float(generator.uniform(0.0, 150.0)), 0.0))
                if outward < 0.0
                else None
            )
        walk.append(
            WalkingTransition(
                forward=scale * float(generator.uniform(-0.3, 0.6)),
                left=outward * scale * now_and_then(0.5, -0.01, 0.2),
                up=scale * now_and_then(0.2, -0.12, 0.12),
                roll=now_and_then(0.2, -0.15, 0.15),
                pitch=now_and_then(0.2, -0.15, 0.15),
                yaw=outward * now_and_then(0.5, -0.02, 0.2),
                duration=now_and_then(0.6, 0.5, 1.5, None),
                step_height=now_and_then(0.4, 0.0, 0.1, None),
                swing_timing=now_and_then(0.4, 0.0, 1.0),
                contact=contact,
                left_hand=hand,
                com_shift=scale * now_and_then(0.1, -0.05, 0.02),
            )
        )
    return MotionPlan((walking_sequence(walk, idle_pose(dimensions), dimensions, first_swing="RF"),))
