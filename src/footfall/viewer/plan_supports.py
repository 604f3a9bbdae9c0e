"""What a plan stands and leans on, as far as it tells: blocks under raised soles, plates behind hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.gait.poses import FootContact
from footfall.math.quaternions import from_axis_angle
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.motion import Motion

_COLOR = (205, 205, 200)
_HARDLY = 0.01  # m above the lowest sole: the ground itself
_PLATE, _THICK = 0.16, 0.015  # m


def draw_supports(scene: Any, motion: Motion) -> None:
    """Add the blocks and plates of a motion's plan to a scene of viser."""
    for number, (size, center, turn) in enumerate([*_blocks(motion), *_plates(motion)]):
        scene.add_box(
            f"/plan/supports/{number}", dimensions=size, position=center, wxyz=turn, color=_COLOR, opacity=0.7
        )


def _blocks(motion: Motion) -> list[tuple[Any, Array, Array]]:
    """Size, centre and rotation of a block under each sole that stands higher than the ground."""
    feet = [foot for pose in motion.plan.poses for foot in pose.feet]
    ground = min(foot.position[2] for foot in feet)
    found = {}
    for foot in feet:
        if foot.closed and foot.position[2] >= ground + _HARDLY:
            place, whole = np.array(foot.position), foot.contact is FootContact.FULL
            rear, front, right, left = motion.model.sole if whole else motion.model.toe_sole
            ahead = rotate_by_quaternion(np.array(foot.rotation), np.array([1.0, 0.0, 0.0]))
            turn = from_axis_angle(np.array([0.0, 0.0, 1.0]), float(np.arctan2(ahead[1], ahead[0])))
            center = place + rotate_by_quaternion(
                turn, np.array([(rear + front) / 2, (right + left) / 2, 0.0])
            )
            center[2] = (ground + place[2]) / 2
            found[tuple(place.round(4))] = ((front - rear, left - right, place[2] - ground), center, turn)
    return list(found.values())


def _plates(motion: Motion) -> list[tuple[Any, Array, Array]]:
    """Size, centre and rotation of a plate behind each place where a hand is pushed."""
    found = {}
    for hand in (hand for pose in motion.plan.poses for hand in pose.hands):
        strength = float(np.linalg.norm(hand.wrench[:3]))
        if hand.closed and strength > 0.0:
            normal, place = np.array(hand.wrench[:3]) / strength, np.array(hand.position)
            axis = np.cross([0.0, 0.0, 1.0], normal)
            length = float(np.linalg.norm(axis))
            angle = float(np.arctan2(length, normal[2]))
            turn = from_axis_angle(axis / length if length > 1e-9 else np.array([1.0, 0.0, 0.0]), angle)
            center = place - normal * (motion.model.hand_radius + _THICK / 2)
            found[tuple(place.round(4))] = ((_PLATE, _PLATE, _THICK), center, turn)
    return list(found.values())
