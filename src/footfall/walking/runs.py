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
