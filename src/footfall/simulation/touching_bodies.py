"""Which bodies may touch something, and a warning where these are many."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from footfall.contact.candidates import Candidate
from footfall.errors import ManyContactsWarning, UnknownName
from footfall.robot.model import Robot
from footfall.scene.model import Scene

_MANY = 256  # places that may touch


def touched_by(
    bodies: Sequence[str], candidates: Sequence[Candidate], robot: Robot, scene: Scene
) -> tuple[Candidate, ...]:
    """Candidates without those of bodies of robots that are not named."""
    named = {bodies} if isinstance(bodies, str) else set(bodies)
    known = [body.name for body in robot.bodies]
    for name in sorted(named.difference(known)):
        raise UnknownName("body", name, known, "the simulation, for touching")
    silent = set(known) - {thing.name for thing in scene.free_objects} - named
    return tuple(each for each in candidates if not {each.body, each.surface.body} & silent)


def warn_of_many(candidates: Sequence[Candidate]) -> None:
    """If native code for all of them takes minutes to compile."""
    if len(candidates) > _MANY:
        warnings.warn(
            f"{len(candidates)} places may touch, and native code is made for all of them, which may take minutes the "
            "first time; name the bodies that matter: Simulation(..., touching=['left_foot', 'right_foot'])",
            ManyContactsWarning,
            stacklevel=3,
        )
