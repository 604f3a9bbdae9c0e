"""Walks with a name: what `footfall walk --list` shows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from footfall.walking.request import Push, WalkRequest


class NamedRun(NamedTuple):
    """A walk and what it shows."""

    about: str
    request: WalkRequest


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
        "stairs": NamedRun("up and down stairs", WalkRequest(scene="stairs")),
        "short-stairs": NamedRun(
            "up stairs with treads shorter than a foot", WalkRequest(scene="stairs-partial")
        ),
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
    }
)
