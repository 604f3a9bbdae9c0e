"""What a run gives to a recorder while it goes on: many control periods at once, which costs a tenth of one by one."""

from __future__ import annotations

from time import monotonic
from types import TracebackType
from typing import Any

from footfall.arrays import Array
from footfall.simulation.engine import Course

_INTERVAL = 0.02  # s of wall time that periods wait


class RunRecording:
    """Around a run: `with RunRecording(...) as recording:`, and `recording.done(last)` after each stretch of it.

    recorder: a `RecordingWriter`, or None. times: (periods,) s, at which the periods end. currents: whether there are
    any. What was computed is recorded also if the run ends with an error.
    """

    def __init__(self, recorder: Any, course: Course, times: Array, *, currents: bool) -> None:
        self._recorder = recorder
        self._course = course
        self._times = times
        self._currents = currents
        self._recorded = self._done = 0  # periods
        self._due = monotonic() + _INTERVAL

    def __enter__(self) -> RunRecording:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._recorder is not None and self._done > self._recorded:
            self._record()

    def done(self, last: int) -> None:
        """The periods before `last` are computed."""
        self._done = last
        if self._recorder is not None and monotonic() >= self._due:
            self._record()
            self._due = monotonic() + _INTERVAL

    def _record(self) -> None:
        first, last = self._recorded, self._done
        course, times, rows = self._course, self._times[first:last], self._course.rows(first, last)
        currents = rows.currents if self._currents else None
        self._recorded = last
        self._recorder.states(
            times, course.q[first:last], course.v[first:last], rows.effort, currents=currents
        )
        self._recorder.contacts_at(times, rows.counts, rows.positions, rows.forces, bodies=rows.bodies)
