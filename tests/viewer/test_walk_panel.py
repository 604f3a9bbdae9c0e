"""The control panel of a walk: wishes of pages become signals, and a walk by hand replays to the same bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import footfall
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.body import walking_body
from footfall.walking.session import WalkSession
from footfall.walking.walker import WalkingCode


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkingCode(walking_body(footfall.load("lola")))


@pytest.fixture
def panel(code: WalkingCode) -> Iterator[WalkPanel]:
    stage = Stage(port=0)
    yield WalkPanel(stage, WalkSession(code=code, scene="flat"))
    stage.close()


def test_controls_drive_the_robot_and_it_replays(panel: WalkPanel, code: WalkingCode) -> None:
    session = panel.session
    panel._forward.value = 0.3  # as a page would set it
    panel._drive()
    panel._push()
    while session.time < 1.5:
        panel.step()
    words = [signal.word for signal in session.sent]
    assert words == ["drive", "push"]
    assert "drive 0.30" in panel._doing.value
    assert panel._clock.value.endswith(" s")
    panel._stop()
    panel._motion.value = "bow"
    panel._perform()
    panel.step()
    assert [signal.word for signal in session.sent][2:] == ["stop", "bow"]
    again = WalkSession(session.request, code=code)
    again.run_until(session.time)
    assert again.walker.log.q.tobytes() == session.walker.log.q.tobytes()


def test_a_paused_walk_stands_still_and_refusals_are_shown(panel: WalkPanel) -> None:
    panel._pause.value = True
    panel.step()
    assert panel.paused
    assert panel.session.time == 0.0
    panel.wish(lambda session: session.set("gains.step_shar", 1.0))
    panel.step()
    assert "step_share" in panel._status.value
    for _ in range(300):  # more than are kept
        panel._drive()
    assert "too many" in panel._status.value
    panel._pause.value = False
    panel.run(lambda: False, most=0.1)
    assert panel.session.time == pytest.approx(0.1, abs=0.034)
    assert np.isfinite(panel.session.walker.log.q).all()
