"""Hands in null space keep off what they have touched until their arms are where they are comfortable.

The plan takes a hand off a wall along the normal and hands it over to the null space, where joints come back on a
straight way. An arm whose elbow is behind its hand swings through the wall on that way. So what the hand has left
pushes it off for a while: the elbow folds where the shoulder is at its limit. The same holds for what a swinging hand
strikes unexpectedly, such as the post of a door.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.compiler.routines import Vector3
from footfall.walking.gains import ControlGains
from footfall.walking.task_space import Kinematics

_CLEARANCE = 0.11  # of the height of the centre of mass, that a hand keeps off
_RATE = 45.0  # 1/s, at which it goes off while it is there
_FORGETTING = 1.5  # s, until it has forgotten what it touched
_WEAK = 0.01  # m2: below it an arm can hardly move that way


class LastTouch(NamedTuple):
    """What a hand has touched last: normal, towards the robot, and how far along it the hand was, m. share: 1 while it
    touches, less and less afterwards."""

    normal: Vector3
    level: float
    share: float


def forget_touch(touch: LastTouch, gains: ControlGains) -> LastTouch:
    """A period later, if the hand does not touch it any more."""
    return touch._replace(share=max(touch.share - gains.period / _FORGETTING, 0.0))


def keep_off(touch: LastTouch, place: Vector3, found: Kinematics, row: int, gains: ControlGains) -> None:
    """Take a push off what a hand has left off the slope of the null-space cost. place: of the hand, m. row: its first
    one among the tasks. Joints at their limits leave it to the others."""
    far = _CLEARANCE * gains.height
    near = min(max(far - (float(touch.normal @ place) - touch.level), 0.0), far)
    if touch.share * near <= 0.0:
        return
    way, square = np.zeros(len(found.slope)), 0.0
    for k in range(6, len(way)):  # the base is where other tasks have it
        for axis in range(3):
            way[k] += touch.normal[axis] * found.jacobian[row + axis, k]
        mobile = found.mobility[1, k] if way[k] > 0.0 else found.mobility[0, k]
        square += mobile * way[k] * way[k]
        way[k] *= mobile
    push = touch.share * _RATE * near * near / far
    found.slope[:] -= (push / max(square, _WEAK)) * way
