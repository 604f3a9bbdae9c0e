"""Live walks that vision leads: to their goals, and to the same bits again without it; planners that give up."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from footfall.environment import read_perception
from footfall.scene.load import load_scene
from footfall.walking import WalkRequest
from footfall.walking.live.planner import Answer, Question
from footfall.walking.live.ports import InlinePlanner
from footfall.walking.live.session import LiveSession
from footfall.walking.session import WalkSession
from footfall.walking.signals import Served
from footfall.walking.vision.service import SceneSeer, SeeingOptions, VisionService
from footfall.walking.walker import WalkingCode, soft_scene

_REQUEST = WalkRequest(scene="flat", goal=(1.0, 0.1, 0.1), noise=True, seed=1005, live=True)


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkSession(msgspec.structs.replace(_REQUEST, live=False)).code


def _replayed(session: LiveSession, code: WalkingCode) -> LiveSession:
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    again.close()
    return again


def _same(one: WalkSession, other: WalkSession) -> bool:
    return np.array_equal(one.walker.log.q, other.walker.log.q) and one.walker.period == other.walker.period


def test_vision_leads_a_live_walk_and_its_file_replays_it(code: WalkingCode, tmp_path: Path):
    place = tmp_path / "seen.mcap"
    scene = soft_scene(load_scene("flat"))
    with VisionService(lambda: SceneSeer(scene, SeeingOptions(sight="exact", seed=4))) as service:
        vision = "{}:{}".format(*service.address)
        asked = msgspec.structs.replace(_REQUEST, vision=vision, perception=str(place))
        session = LiveSession(asked, code=code)
        assert session.run_to_rest(30.0)
        assert session.sees
        assert service.served == 1  # the planner alone is led
        session.close()
    assert session.succeeded
    assert session.request.vision is None
    assert len(list(read_perception(place))) > 10
    assert _same(session, _replayed(session, code))


class _Hurried(InlinePlanner):
    """Gives up its first plan to its second goal at once."""

    goals = 0

    def ask(self, question: Question) -> None:
        super().ask(question)
        self.goals += any(each.word == "walk_to" for each in question.signals)
        self.gives_up_at = 1 if self.goals == 2 else None

    def answer(self) -> Answer | None:
        answer = super().answer()
        self.goals += answer is not None and answer.gave_up_at is not None
        return answer


def test_a_planner_gives_up_in_time_and_the_robot_stops_and_goes_on(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    session = LiveSession(asked, planner=_Hurried(asked, code), code=code)
    session.run(0.05)
    session.walk_to(2.0)
    session.run(2.5)
    session.walk_to(1.5, 0.8)
    session.run(1.0)
    served = [each for each in session.sent if isinstance(each, Served)]
    assert [each.looks for each in served if each.cancelled] == [1]
    assert "stop" in [version.about for version in session.pilot.versions]
    assert session.run_to_rest(30.0)
    assert session.succeeded
    assert _same(session, _replayed(session, code))
