"""A walk that runs in another process, as a session of this one: it shows what happens there, and what it is told it
passes on."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import msgspec

from footfall.errors import FootfallError, PeerGone
from footfall.walking import signals as kinds
from footfall.walking.hardware import Stage
from footfall.walking.live.command_link import Address, CommandLink
from footfall.walking.live.planner import decide
from footfall.walking.live.window import EVERY, Links, News, WindowLink, row_type, take_row
from footfall.walking.operator import Operator
from footfall.walking.session import WalkSession


class _FollowedOperator(Operator):
    """The operator's state as the walk told it."""

    shown = Stage.ACTIVE

    @property
    def stage(self) -> Stage:
        return self.shown


class FollowedSession(WalkSession):
    """Shows a live walk; it goes on with it, and never by itself. address: see `running_walks`.

    Signals are sent to the walk; why it has refused some is in `refusals`. links: who is connected to the walk.
    """

    def __init__(self, address: Address) -> None:
        self._window = WindowLink(address.window)
        try:
            asked = self._window.begin.request
            shown = msgspec.structs.replace(
                asked,
                live=False,
                goal=None,
                goal_height=None,
                route=None,
                vision=None,
                perception=None,
                signals=(),
            )
            super().__init__(shown, log_every=EVERY)
            self.links, self._heard = Links(), False
            self._row = row_type(self.walker)
            self.operator = _FollowedOperator(self.walker, self.pilot.settings)
            self._commands = CommandLink(address)
        except BaseException:
            self._window.close()
            raise

    def refusals(self) -> list[str]:
        """Why signals were refused, since this was asked last."""
        return self._commands.refusals()

    def send(self, signal: kinds.AnySignal) -> None:
        """Pass a signal on: now, or at its time if that is to come."""
        if signal.time > self.time + 1e-9:
            self._signals.append(signal)
            self._signals.sort(key=lambda each: each.time)
        else:
            self._commands.send(signal)

    def run(self, seconds: float) -> bool:
        """Show what has happened meanwhile, however much that is."""
        while not self._window.news.empty():
            self._take_news(self._window.news.get())
        for row in self._window.rows(self._row):
            take_row(self.walker, row)
        while self._signals and self._signals[0].time <= self.time + 1e-9:
            self._commands.send(self._signals.pop(0))
        if self._window.ended:
            raise PeerGone("the walk has ended")
        return not self.fallen

    def run_until(self, end: float) -> bool:
        """It goes on by itself; this shows how far it has come."""
        return self.run(math.inf)

    def close(self) -> None:
        """Look no more."""
        self._commands.close()
        self._window.close()

    def _take_news(self, news: News) -> None:
        pilot = self.pilot
        if not self._heard:  # its own plan was to stand
            self._heard = True
            pilot.versions.clear()
        pilot.versions += news.versions
        if news.motion is not None:
            pilot.motion = self.walker.motion = replace(news.motion, body=self.code.whole)
        decide(pilot, news.decisions)
        pilot.settings, self.links = news.settings, news.links
        assert isinstance(self.operator, _FollowedOperator)
        self.operator.shown = news.stage
        self.walker.fallen, self.walker.lost = news.fallen, news.lost
        for signal in news.signals:
            self._hear(signal)

    def _hear(self, signal: kinds.AnySignal) -> None:
        """Something was told there, or has happened: things come and go here too."""
        if isinstance(signal, kinds.EVENTS) and not isinstance(signal, kinds.PushBody):
            with suppress(FootfallError):  # it is only shown
                self._let_happen(signal)
        if self.walker.scene is not self.scenes[-1][1]:
            self.scenes.append((self.time, self.walker.scene))
        self.sent.append(signal)
