"""Marks on a time line: plans, signals and falls, with words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from footfall.recording.reader import Recording
from footfall.viewer.fall_reason import Reason, reason_of_fall

_MOST_MARKS = 400
_LONGEST_TEXT = 300  # characters
_KINDS = ("plan", "signal", "fallen")

Mark = dict[str, Any]  # time, s, kind and text


def event_marks(
    events: Iterable[tuple[float, str, Mapping[str, Any]]], reason: Reason | None = None
) -> list[Mark]:
    """Of what happened: time, name and data; the latest of many. reason: of a fall, where it began. A mouse that pulls
    is one mark."""
    found: list[Mark] = []
    pulls = False
    for time, name, data in events:
        pushed = name == "signal" and data.get("do") == "push"
        if pushed and pulls:
            continue
        pulls = pushed
        about = ", ".join(
            f"{key} {round(value, 3) if isinstance(value, float) else value}"
            for key, value in data.items()
            if isinstance(value, (str, int, float))
        )
        kind = name if name in _KINDS else "other"
        found.append({"time": time, "kind": kind, "text": f"{name}: {about}"[:_LONGEST_TEXT]})
    if reason is not None:
        found.append({"time": reason.time, "kind": "fallen", "text": reason.text[:_LONGEST_TEXT]})
    return sorted(found, key=lambda each: float(each["time"]))[-_MOST_MARKS:]


def recorded_marks(recording: Recording) -> list[Mark]:
    """Of a recording, with the reason of its fall."""
    events = ((event.time, event.name, event.data) for event in recording.events)
    return event_marks(events, reason_of_fall(recording))
