"""A policy in the browser: the robot as it walks, commanded by held keys, stick or gamepad.

One thread walks, in real time, and takes what pages hold; a page that says nothing for 0.3 s holds nothing.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.learning.policy_run import PolicyRun
from footfall.viewer.held_drive import HeldDrive, SpeedLimits
from footfall.viewer.live import LivePanel
from footfall.viewer.page_link import AnyMessage, Hold, PageLink, Press, Speed
from footfall.viewer.stage import Stage

_LOG = logging.getLogger("footfall")
_NEWS = 0.1  # s between two states that pages are told
_LAG = 0.25  # s: who is farther behind real time does not try to catch up


class PolicyPanel:
    """A run of a policy with its controls on a page. usual (3,): the command while nothing is held."""

    def __init__(
        self, stage: Stage, run: PolicyRun, *, link: PageLink | None = None, usual: Any = (0.0, 0.0, 0.0)
    ) -> None:
        ahead, side, turn = run.note.speeds
        self.held = HeldDrive(SpeedLimits(ahead, ahead, side, turn))
        self.policy_run, self.paused, self.speed = run, False, 1.0
        self.failed: str | None = None
        self._usual = np.array(usual, dtype=np.float64)
        self._link = link or PageLink()
        self._link.received, self._link.lost = self._on_message, self.held.forget
        self._begin_again, self._steps_due = False, 0
        self._refreshed, self._busy = -math.inf, 0.0
        stage.set_sky()
        self._view = LivePanel(stage, run.simulation)
        self._tell()

    def close(self) -> None:
        """Draw no more."""
        self._view.close()

    def run(self, ended: Callable[[], bool], *, most: float = math.inf, recorder: Any = None) -> None:
        """Walk in real time until `ended` says so, or `most` simulated seconds are over."""
        due = time.monotonic()
        while not ended() and self.policy_run.simulation.time < most:
            self.step(recorder=recorder)
            due += self.policy_run.note.period / self.speed
            ahead = due - time.monotonic()
            if ahead < -_LAG:
                due = time.monotonic()
            if ahead > 0.0:
                time.sleep(ahead)
        self._tell()

    def step(self, *, recorder: Any = None) -> None:
        """One control period, unless it pauses or lies on the ground."""
        run = self.policy_run
        if self._begin_again:
            self._begin_again, self.failed = False, None
            run.reset()
        if self.failed is None and (not self.paused or self._steps_due):
            self._steps_due = max(0, self._steps_due - 1)
            wanted = np.array(self.held.wanted(time.monotonic()))
            run.command = wanted if wanted.any() else self._usual
            began = time.thread_time()
            try:
                run.step(recorder=recorder)
            except Exception as problem:  # the page lives on, and says what was wrong
                _LOG.exception("the policy failed at %.3f s", run.simulation.time)
                self.failed = f"{type(problem).__name__}: {problem}"
            self._busy += 0.1 * ((time.thread_time() - began) / run.note.period - self._busy)
            if self.failed is None and run.fallen:
                self.failed = "it has fallen"
        if time.monotonic() - self._refreshed > _NEWS:
            self._tell()

    def _on_message(self, page: int, message: AnyMessage) -> None:
        """What the script in a page says; in the server's thread."""
        match message:
            case Hold():
                self.held.hear(page, message, time.monotonic())
            case Speed(value=value):
                self.speed = value
            case Press(name="pause"):
                self.paused = not self.paused
            case Press(name="step"):
                self.paused, self._steps_due = True, self._steps_due + 1
            case Press(name="reset"):
                self._begin_again = True
            case Press(name="stop"):
                self.held.forget()
                self._usual = np.zeros(3)

    def _tell(self) -> None:
        self._refreshed = time.monotonic()
        run = self.policy_run
        ahead, left, turn = (float(each) for each in run.command)
        moving = np.round(run.velocity, 2) + 0.0
        state = "walking" if np.any(run.command) else "standing"
        detail = f"moves at {moving[0]:.2f} m/s ahead, {moving[1]:.2f} m/s left, {moving[2]:.2f} rad/s"
        if self.failed is not None:
            state, detail = ("fallen" if run.fallen else "failed"), self.failed[:300]
        elif self.paused:
            state = "paused"
        busy = "good" if self._busy < 0.6 else "fair" if self._busy < 1.0 else "bad"
        message: dict[str, Any] = {"kind": "", "text": "", "buttons": []}
        if self.failed is not None:
            message = {"kind": "bad", "text": self.failed[:400], "buttons": [("reset", "RESET")]}
        self._link.tell(
            "state",
            {
                "state": state,
                "detail": detail,
                "clock": f"{run.simulation.time:.2f} s",
                "velocity": f"{ahead:.2f} m/s ahead, {left:.2f} left, {turn:.2f} rad/s",
                "paused": self.paused,
                "speed": self.speed,
                "tool": "",
                "no_plans": True,
                "lamps": [
                    ("policy", "good" if self.failed is None else "bad", run.note.robot.rpartition("/")[2]),
                    ("real time", busy, f"{100.0 * self._busy:.0f} % of a core"),
                ],
                "message": message,
            },
        )
