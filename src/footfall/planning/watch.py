"""Who watches a search: times of its stages, who may stop it, what hears of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """How far planning has come.

    nodes: explored so far. cost_to_go: from the best stance so far, in units of one step. share: of the cost of the
    whole way that the best stance has behind it. seconds: how long it has taken.
    """

    nodes: int
    cost_to_go: float
    share: float
    seconds: float


@dataclass
class Watch:
    """Times of the stages, ms of a thread's CPU. cancelled, deadline (s): what stops it. report: gets how far it is."""

    cancelled: Callable[[], bool] | None = None
    report: Callable[[Progress], None] | None = None
    deadline: float | None = None
    milliseconds: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=time.thread_time)
    began: float = field(default_factory=time.monotonic)

    def done(self, stage: str) -> None:
        """A stage ends that began when the one before ended."""
        now = time.thread_time()
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + 1e3 * (now - self.last)
        self.last = now

    def tell(self, nodes: int, cost_to_go: float, whole: float) -> None:
        """Tell how far a search has come; whole: estimated cost of the whole way."""
        if self.report is not None:
            share = min(max(1.0 - cost_to_go / whole, 0.0), 1.0) if whole > 0.0 else 1.0
            self.report(Progress(nodes, cost_to_go, share, time.monotonic() - self.began))

    @property
    def stopped(self) -> bool:
        """Whether to give up."""
        late = self.deadline is not None and time.monotonic() - self.began > self.deadline
        return late or (self.cancelled is not None and self.cancelled())
