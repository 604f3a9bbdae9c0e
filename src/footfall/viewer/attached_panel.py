"""The panel of a live walk that runs in another process: it shows that walk, and what a page asks for it passes on."""

from __future__ import annotations

from typing import Any

from footfall.errors import InvalidInput
from footfall.viewer.lamps import Lamp, lamps
from footfall.viewer.page_link import PageLink
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.live.followed import FollowedSession
from footfall.walking.session import WalkSession

_SHOWN = 5.0  # s of the walk, for which a refusal is shown


class AttachedPanel(WalkPanel):
    """A walk that goes on whether or not somebody looks; pauses, speed and RESET are not its panel's."""

    session: FollowedSession

    def __init__(self, stage: Stage, session: FollowedSession, *, link: PageLink) -> None:
        self._refused = 0.0  # s, when something was refused
        super().__init__(stage, session, link=link, make=_no_other)

    def step(self) -> None:
        """Show what has happened since the last picture."""
        super().step()
        for text in self.session.refusals():
            self.message, self._refused = ("bad", text[:400]), self.session.time
        if self.message[0] == "bad" and self.session.time > self._refused + _SHOWN and self.failed is None:
            self._forget_message()

    def _lamps(self) -> list[Lamp]:
        """Those of the robot, and connection flags of the running system."""
        links = self.session.links
        found = lamps(self.session, 0.0)
        found.append(
            ("planner process", "good" if links.planner else "bad", "up" if links.planner else "gone")
        )
        if links.vision is not None:
            found.append(("vision", "good" if links.vision else "bad", "up" if links.vision else "silent"))
        found.append(("connected", "good", f"{links.clients} commanding, {links.viewers} looking on"))
        return found


def _no_other(*_: Any, **__: Any) -> WalkSession:
    raise InvalidInput(
        "this panel shows a live walk; end that by Ctrl-C where it runs and begin another there"
    )
