"""Walks with a name: what `footfall walk --list` shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from footfall.walking.request import Push, WalkRequest
from footfall.walking.signals import (
    Add,
    Balance,
    Bow,
    Drive,
    Load,
    LookAround,
    OneLeg,
    PushBody,
    Set,
    Stamp,
    Stop,
    Surface,
    WalkStraight,
    WalkTo,
    Wave,
)


class NamedRun(NamedTuple):
    """A walk and what it shows."""

    about: str
    request: WalkRequest


# A wall beside a robot that stands in the origin, at the reach of its right hand.
_WALL: dict[str, Any] = {
    "name": "wall",
    "size": (1.2, 0.05, 2.0),
    "position": (0.0, -0.725, 1.0),
    "kind": "wall",
}

# A wall of 0.8 m to the left of a robot that walks ahead.
_LEFT_WALL: dict[str, Any] = {
    "name": "left-wall",
    "size": (0.8, 0.05, 2.0),
    "position": (1.5, 0.725, 1.0),
    "kind": "wall",
}


def _pushes(first: float, count: int) -> tuple[PushBody, ...]:
    """Pushes of 6 to 10 N s from directions that do not repeat, 1.3 s apart."""
    angles = [2.4 * number for number in range(count)]  # the golden angle
    return tuple(
        PushBody(
            time=first + 1.3 * number,
            body="torso",
            force=((60.0 + 5.0 * number) * math.cos(angle), (60.0 + 5.0 * number) * math.sin(angle), 0.0),
        )
        for number, angle in enumerate(angles)
    )


RUNS: Mapping[str, NamedRun] = MappingProxyType(
    {
        "platform": NamedRun(
            "up and down a platform of 12.5 cm, with the left hand on a wall", WalkRequest(route="platform")
        ),
        "straight": NamedRun("3 m straight ahead", WalkRequest(scene="flat", route="straight")),
        "curve": NamedRun("along an arc", WalkRequest(scene="flat", route="curve")),
        "sideways": NamedRun("to the left", WalkRequest(scene="flat", route="sideways")),
        "turning": NamedRun("turn on the spot", WalkRequest(scene="flat", route="turn")),
        "boards": NamedRun(
            "over boards of 1 and 2 cm that the robot does not see, sensors with errors",
            WalkRequest(scene="boards", route="straight", noise=True),
        ),
        "obstacles": NamedRun(
            "around and over obstacles, to the goal of the scene", WalkRequest(scene="obstacles")
        ),
        "ramps": NamedRun("over ramps, to the goal of the scene", WalkRequest(scene="ramps")),
        "trap": NamedRun("out of a dead end, to the goal of the scene", WalkRequest(scene="trap")),
        "right-wall": NamedRun("along a wall, the right hand on it", WalkRequest(scene="right-wall")),
        "corridor": NamedRun("between two walls, a hand on each", WalkRequest(scene="corridor")),
        "fast-corridor": NamedRun(
            "between two walls, a hand on each, with steps of 0.4 m in 0.8 s: 1.8 km/h",
            WalkRequest(
                scene="corridor",
                noise=True,
                signals=(
                    Set(name="planner.timing.hands_factor", value=1.0),
                    WalkTo(time=0.1, x=3.0, y=0.0, yaw=0.0),
                ),
            ),
        ),
        "stairs": NamedRun("up and down stairs", WalkRequest(scene="stairs")),
        "short-stairs": NamedRun(
            "up stairs with treads shorter than a foot", WalkRequest(scene="stairs-partial")
        ),
        "right-table": NamedRun("along a table, the right hand on it", WalkRequest(scene="right-table")),
        "pushed": NamedRun(
            "3 m straight ahead, with pushes of 10 N s against the upper body on the way",
            WalkRequest(
                scene="flat",
                route="straight",
                pushes=(
                    Push("torso", (0.0, 100.0, 0.0), 3.0, 0.1),
                    Push("torso", (100.0, 0.0, 0.0), 6.0, 0.1),
                ),
            ),
        ),
        "stamping": NamedRun(
            "steps on the spot, the right hand on a wall, pushed from all sides",
            WalkRequest(scene="flat", route="stamping", noise=True, signals=(Add(**_WALL), *_pushes(3.0, 7))),
        ),
        "uneven-ground": NamedRun(
            "through a corridor, both hands on the walls, over boards that the robot does not see",
            WalkRequest(scene="uneven-corridor", noise=True, sight="exact"),
        ),
        "rolling-board": NamedRun(
            "through a corridor, both hands on the walls, onto a board on rollers that it does not see",
            WalkRequest(scene="rolling-board", noise=True, sight="exact"),
        ),
        "fast": NamedRun(
            "8 m straight ahead, with steps of up to 0.63 m in 0.67 s: 3.4 km/h",
            WalkRequest(
                scene="flat",
                signals=(
                    Set(name="motion.phase.transition_s", value=0.67),
                    WalkStraight(time=0.8, distance=8.6, longest=0.63),
                ),
            ),
        ),
        # A foot must be twice as fast as the robot, and more the later it starts and the earlier it is there: hips
        # come to the no-load speed of their motors first. So feet swing for 88 % of a step, and go ahead until they
        # land; steps are short, since legs have an end.
        "fastest": NamedRun(
            "8 m straight ahead on its drives, with steps of up to 0.51 m in 0.4 s: 4.6 km/h",
            WalkRequest(
                scene="flat",
                mode="full",
                signals=(
                    Set(name="motion.phase.transition_s", value=0.4),
                    Set(name="motion.phase.load_switch_share", value=0.12),
                    Set(name="motion.foot.lead", value=[0.0, 0.25]),
                    WalkStraight(time=0.8, distance=8.05, longest=0.51),
                ),
            ),
        ),
        "replanning": NamedRun(
            "to a goal that changes on the way, around a box that is put before the robot",
            WalkRequest(
                scene="flat",
                goal=(4.0, 0.0, 0.0),
                noise=True,
                signals=(
                    Add(time=2.5, name="box", size=(0.4, 0.8, 0.5), position=(2.6, 0.0, 0.25)),
                    WalkTo(time=7.0, x=3.0, y=1.0, yaw=0.8),
                ),
            ),
        ),
        "vision": NamedRun(
            "through a corridor by the camera in the robot's head alone",
            WalkRequest(scene="corridor", sight="camera", noise=True),
        ),
        "vision-wall": NamedRun(
            "along a wall by the camera in the robot's head alone, the left hand on it",
            WalkRequest(
                scene="flat", sight="camera", goal=(3.0, 0.0, 0.0), noise=True, signals=(Add(**_LEFT_WALL),)
            ),
        ),
        "vision-obstacles": NamedRun(
            "around and over obstacles by the camera in the robot's head alone",
            WalkRequest(scene="obstacles", sight="camera", noise=True),
        ),
        "driven": NamedRun(
            "by velocities as from a joystick: ahead, along a curve, aside, back",
            WalkRequest(
                scene="flat",
                noise=True,
                signals=(
                    Drive(time=0.8, forward=0.4),
                    Drive(time=4.0, forward=0.3, turn=0.25),
                    Drive(time=7.0, left=0.08),
                    Drive(time=10.0, forward=-0.15),
                    Stop(time=13.0),
                ),
            ),
        ),
        "gestures": NamedRun(
            "bow, look around, stand on one leg, wave, stamp",
            WalkRequest(
                scene="flat",
                signals=(
                    Bow(time=0.8),
                    LookAround(time=0.9),
                    OneLeg(time=1.0),
                    Wave(time=1.1),
                    Stamp(time=1.2),
                ),
            ),
        ),
        "lean": NamedRun(
            "put the right hand on a wall, lean on it, and come back",
            WalkRequest(
                scene="flat",
                signals=(
                    Add(**_WALL),
                    Balance(time=0.8, hand="RH", position=(0.1, -0.5125, 1.25), force=(0.0, 30.0, 0.0)),
                ),
            ),
        ),
        "set-down": NamedRun(
            "set down from 2 cm above the ground", WalkRequest(scene="flat", drop=0.02, seconds=2.0)
        ),
        "surprises": NamedRun(
            "3 m straight ahead, over ground that becomes soft and slippery, with a load of 5 kg",
            WalkRequest(
                scene="flat",
                route="straight",
                noise=True,
                signals=(
                    Load(time=2.0, body="torso", mass=5.0),
                    Surface(time=4.0, stiffness=1e4),
                    Surface(time=6.0, friction=0.3),
                ),
            ),
        ),
        "long": NamedRun(
            "30 m, planned in pieces on the way", WalkRequest(scene="flat", goal=(30.0, 0.0, 0.0))
        ),
    }
)
