"""Playing, seeking, looping."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.viewer.timeline import Timeline, latest_row

TIMES = np.array([1.0, 1.5, 2.0, 3.0])


def test_plays_at_its_speed_and_stops_at_the_end() -> None:
    timeline = Timeline(TIMES, speed=2.0)
    timeline.advance(0.3)
    assert timeline.now == 1.0  # it does not play yet
    timeline.play()
    timeline.advance(0.3)
    assert timeline.now == pytest.approx(1.6)
    assert timeline.row == 1
    timeline.advance(10.0)
    assert (timeline.now, timeline.playing, timeline.row) == (3.0, False, 3)
    timeline.play()
    assert (timeline.now, timeline.playing) == (1.0, True)


def test_loop_starts_again() -> None:
    timeline = Timeline(TIMES, loop=True)
    timeline.play()
    timeline.advance(2.5)
    assert timeline.now == pytest.approx(1.5)
    assert timeline.playing


def test_loop_of_a_single_state_stops() -> None:
    timeline = Timeline(np.array([4.0]), loop=True)
    timeline.play()
    timeline.advance(1.0)
    assert (timeline.now, timeline.playing) == (4.0, False)


@given(st.floats(-10.0, 10.0))
def test_seek_stays_inside_and_finds_the_row(time: float) -> None:
    timeline = Timeline(TIMES)
    timeline.seek(time)
    assert 1.0 <= timeline.now <= 3.0
    assert TIMES[timeline.row] <= timeline.now
    assert timeline.row == 3 or timeline.now < TIMES[timeline.row + 1]


def test_no_row_before_the_first() -> None:
    assert latest_row(TIMES, 0.5) == -1
    assert latest_row(np.zeros(0), 0.5) == -1
