"""Walks that go on from where another one is: what many of them have in common is walked once.

A session is arrays and values. What never changes (native code, motions, what is believed of the surroundings) is
shared, all else is copied; so a branch has the same bits as a walk from the start that is asked for the same.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import msgspec

from footfall.errors import InvalidInput
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession


def branch(session: WalkSession, asked: WalkRequest) -> WalkSession:
    """A session that goes on from here by itself as a request asks which has been the same until now, but for its end.

    Its log begins here; `session` can go on, and branch again.
    """
    walker, pilot, now = session.walker, session.pilot, session.time
    require_same_begin(session.asked, asked, now)
    session.tally()  # takes the rows of the log that the branch will not have
    code, engine = session.code, walker.engine.copy()
    kept: list[Any] = [
        code,
        code.body,
        code.body.robot,
        code.body.model,
        code.whole,
        walker.engine.setting.robot,
        pilot.motion,
        walker.motion,
    ]
    kept += [session.asked, walker.options, pilot.settings, pilot.environment, session.surroundings]
    kept += [*pilot.versions, *(scene for _, scene in session.scenes), *session.happened]
    kept += [] if pilot.coming is None else [pilot.coming.motion, pilot.coming.version]
    shared = {id(each): each for each in kept} | {id(walker.engine): engine}
    followers, session.followers = session.followers, []
    full, walker.recent = walker.recent, deque()
    try:
        twin = copy.deepcopy(session, shared)
    finally:
        session.followers, walker.recent = followers, full
    engine.contacts.keep(twin.walker.plant.state.memory)
    twin.go_on_as(asked)
    return twin


def require_same_begin(walked: WalkRequest, asked: WalkRequest, now: float) -> None:
    """Refuse to go on as something else than what was walked until a time, s."""
    one, other = (
        msgspec.structs.replace(
            each, seconds=None, signals=tuple(s for s in each.ordered_signals if s.time < now - 1e-9)
        )
        for each in (walked, asked)
    )
    if one != other:
        names = [name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name)]
        raise InvalidInput(
            f"the walk cannot go on as what is asked for: {', '.join(names)} differ before {now:g} s; walk it from the "
            "start"
        )
