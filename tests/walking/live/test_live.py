"""Live walks: a planner beside the loop, commands from outside, planners that die, and replays to the same bits."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np
import pytest

from footfall.errors import InvalidInput, PeerGone, UnknownName
from footfall.motion.motion import Motion
from footfall.planning.contacts import Goal
from footfall.walking import WalkRequest, walk
from footfall.walking.arrival import distance, middle_of
from footfall.walking.clock import Counted, Level, start_clock, stop_clock, timing
from footfall.walking.live.command_link import running_walks, send_command
from footfall.walking.live.commands import CommandServer
from footfall.walking.live.planner import Answer, Handover, Question
from footfall.walking.live.ports import InlinePlanner, PlannerProcess
from footfall.walking.live.runner import run_live
from footfall.walking.live.session import LiveSession, session_for
from footfall.walking.mailbox import BORDER
from footfall.walking.session import WalkSession
from footfall.walking.signals import COURSE, Activate, Deactivate, Halted, PlannerLost, Served, Stop, command
from footfall.walking.walker import WalkingCode

_REQUEST = WalkRequest(scene="flat", goal=(0.8, 0.0, 0.0), noise=True, seed=1004, live=True)


class SlowPlanner:
    """A planner whose answers come so many looks later, as they are listed; None: its process dies instead."""

    def __init__(self, request: WalkRequest, code: WalkingCode, delays: list[int | None]) -> None:
        self._inner = InlinePlanner(request, code)
        self.delays, self._left = deque(delays), 0
        self.informed = 0
        self.cancelled = 0

    @property
    def motion(self) -> Motion:
        """That the planner takes the robot to follow."""
        return self._inner._session.pilot.motion

    def ask(self, question: Question) -> None:
        delay = self.delays.popleft() if self.delays else 1
        self._left = -1 if delay is None else delay
        self._inner.ask(question)

    def answer(self) -> Answer | None:
        if self._left < 0:
            raise PeerGone("the planner's process has ended")
        self._left -= 1
        return self._inner.answer() if self._left <= 0 else None

    def cancel(self) -> None:
        self.cancelled += 1

    def inform(self, handover: Handover) -> None:
        self.informed += 1
        self._inner.inform(handover)

    def replace(self, handover: Handover) -> bool:
        return self._inner.replace(handover)

    def close(self) -> None: ...


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkSession(msgspec.structs.replace(_REQUEST, live=False)).code


def _same(one: WalkSession, other: WalkSession) -> bool:
    return np.array_equal(one.walker.log.q, other.walker.log.q) and one.walker.period == other.walker.period


def test_a_live_walk_comes_to_its_goal_and_replays_to_the_same_bits(code: WalkingCode):
    session = LiveSession(_REQUEST, planner=SlowPlanner(_REQUEST, code, [3, 1, 4, 2, 7, 1]), code=code)
    assert session.run_to_rest(20.0)
    assert session.succeeded
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)
    # The comparison can fail: answers that are there at other times make another walk.
    served = [each for each in session.request.signals if isinstance(each, Served)]
    assert len(served) > 5


def test_times_of_answers_matter(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    walks = []
    for delay in (1, 10):  # 0.06 s for a velocity are six looks
        session = LiveSession(asked, planner=SlowPlanner(asked, code, [delay] * 400), code=code)
        session.run(0.05)
        session.drive(0.3)
        session.run(2.0)
        session.stop()
        session.run(1.5)
        assert not session.fallen
        again = LiveSession(session.request, code=code)
        again.run_until(session.time)
        assert _same(session, again)
        walks.append(session)
    assert not _same(*walks)


def test_a_plan_that_is_late_is_left_and_planned_again(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(1.5)  # it stands
    planner.delays.append(10)  # 0.06 s for a velocity are six looks
    session.drive(0.3)
    session.run(2.0)
    assert session.late == 1
    assert "late plan" in [name for _, name, _ in session.happened]
    assert session.walker.arrays[0].q[0] > 0.05  # it walks all the same
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert again.late == 1
    assert _same(session, again)


def test_an_answer_about_a_motion_that_was_taken_up_meanwhile_is_not_late(code: WalkingCode):
    """A planner that is asked before its motion is taken up, and answers after that, still says that it comes. Taken
    for late, it would plan on from a motion that the robot does not follow."""
    asked = msgspec.structs.replace(_REQUEST, goal=(2.0, 0.0, 0.0), sight="camera")
    planner = SlowPlanner(
        asked, code, [22] * 400
    )  # looks; a goal's motion is taken up 0.4 s after it was asked for
    session = LiveSession(asked, planner=planner, code=code)
    session.run(3.0)
    taken = [data["asked"] for _, name, data in session.happened if name == "plan" and data["asked"] > 0.0]
    served = [each for each in session.sent if isinstance(each, Served)]
    between = [each for each in served if any(each.asked < when + 0.4 < each.time for when in taken)]
    assert between  # it did happen
    assert session.late == 0
    assert planner.motion.end_time == session.pilot.motion.end_time
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def test_a_robot_that_walks_to_a_goal_stops_when_its_plan_is_late(code: WalkingCode):
    """And goes on to its goal from there. It does so by itself: the planner has no time to say it."""
    asked = msgspec.structs.replace(_REQUEST, goal=(2.0, 0.0, 0.0))
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(2.0)
    assert not session.pilot.rests(session.time)
    planner.delays.append(80)
    session.walk_to(2.0, 0.3)
    session.run(0.5)
    assert session.late == 0
    session.run(0.5)
    assert session.late == 1
    halted = [each for each in session.sent if isinstance(each, Halted)]
    assert [each.keeps for each in halted] == [True]
    assert [each.about for each in session.pilot.versions][-1] == "stop"
    assert session.run_to_rest(20.0)
    assert session.succeeded
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def test_a_walking_robot_whose_planner_is_silent_stops(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=(3.0, 0.0, 0.0))
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(1.0)
    planner.delays.append(450)  # looks: four and a half seconds
    asked_at = session.time
    session.walk_to(2.0, 0.8)
    session.run(1.2)
    assert planner.cancelled >= 1
    (halted,) = [each for each in session.sent if isinstance(each, Halted)]
    assert halted.keeps
    assert halted.time < asked_at + 1.1
    session.run(3.0)
    assert session.pilot.rests(session.time)
    assert session.run_to_rest(30.0)
    assert session.succeeded
    assert (
        _away(session, 2.0, 0.8) < 0.1
    )  # what it was told is not forgotten, though the answer to it was left
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def test_a_planner_that_does_not_even_give_up_gets_a_successor(
    code: WalkingCode, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("footfall.walking.live.session._HANGS", 4.0)
    asked = msgspec.structs.replace(_REQUEST, goal=(3.0, 0.0, 0.0))
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(1.0)
    planner.delays.append(10**6)
    session.walk_to(3.0, 0.1)
    session.run(4.5)  # a second until it is told to give up
    assert session.lost == 0
    assert session.pilot.rests(session.time)
    session.run(1.0)
    assert session.lost == 1
    assert session.planner_up
    session.walk_to(0.8)
    assert session.run_to_rest(20.0)
    assert session.succeeded
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def test_a_successor_that_dies_too_is_followed_by_another(monkeypatch: pytest.MonkeyPatch):
    begun: list[str] = []

    def begin(self: PlannerProcess):
        begun.append("planner")
        pipe, other = multiprocessing.Pipe()
        (other.close if len(begun) in (2, 3) else lambda: other.send(True))()
        return pipe, SimpleNamespace(other=other), SimpleNamespace(join=lambda wait: None, is_alive=bool)

    monkeypatch.setattr(PlannerProcess, "_begin", begin)
    planner = PlannerProcess(_REQUEST)
    handover = cast(Handover, "all that it takes over")
    assert [planner.replace(handover) for _ in range(3)] == [False, False, True]
    assert len(begun) == 4
    planner.close()


def test_a_planner_that_dies_brings_the_robot_to_rest_and_another_takes_over(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(0.05)
    session.drive(0.3)
    session.run(1.5)
    planner.delays.append(None)
    session.run(3.5)
    assert session.lost == 1
    assert session.planner_up
    assert session.pilot.rests(session.time)
    assert not session.fallen
    here = float(session.walker.arrays[0].q[0])
    session.drive(0.3)
    session.run(2.5)
    assert session.walker.arrays[0].q[0] > here + 0.2
    assert any(isinstance(each, PlannerLost) for each in session.request.signals)
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def _away(session: LiveSession, x: float, y: float) -> float:
    """m, from a place to the middle between the feet at the end of the motion."""
    return distance(middle_of(session.pilot.motion.given.end), Goal(x, y, 0.0)).away


@pytest.mark.parametrize("told", [False, True])
def test_a_successor_goes_on_to_the_goal(code: WalkingCode, told: bool):
    """Also to one that the planner was told of when it died."""
    asked = msgspec.structs.replace(_REQUEST, goal=(2.0, 0.0, 0.0))
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(2.0)
    assert not session.pilot.rests(session.time)
    planner.delays.append(None)
    if told:
        session.walk_to(1.5, -0.8)
    session.run(0.2)
    assert session.lost == 1
    assert not session.resting
    assert session.run_to_rest(30.0)
    assert "stop" in [each.about for each in session.pilot.versions]
    assert session.succeeded
    assert _away(session, *((1.5, -0.8) if told else (2.0, 0.0))) < 0.1
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def test_a_goal_that_planners_die_of_is_forgotten(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(0.5)
    planner.delays += [None, None]
    session.walk_to(1.0)
    session.run(2.0)
    assert session.lost == 2
    assert session.planner_up
    assert session.resting
    session.walk_to(1.0)  # asked for again it is tried again
    assert session.run_to_rest(20.0)
    assert _away(session, 1.0, 0.0) < 0.1


def test_a_goal_does_not_outlive_a_stop_while_the_planner_is_gone(
    code: WalkingCode, monkeypatch: pytest.MonkeyPatch
):
    asked = msgspec.structs.replace(_REQUEST, goal=(2.0, 0.0, 0.0))
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(2.0)
    planner.delays.append(None)
    with monkeypatch.context() as patched:
        patched.setattr(planner, "replace", lambda handover: False)  # its successor takes its time
        session.run(1.0)
        with pytest.raises(InvalidInput, match="planner is gone"):
            session.walk_to(1.0)
        session.stop()
        session.run(3.0)
        assert not session.planner_up
    session.run(1.0)
    assert session.planner_up
    assert session.resting
    here = _away(session, 2.0, 0.0)
    session.run(1.0)
    assert abs(_away(session, 2.0, 0.0) - here) < 0.01


def test_a_robot_that_has_just_been_told_to_walk_is_not_deactivated(code: WalkingCode):
    """Its planner has not answered yet: it would walk though it is not active."""
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(0.5)
    for delay in (0.0, 0.05):  # the planner has not been asked yet, and it has
        planner.delays.append(20)
        session.walk_to(0.8)
        session.run(delay)
        with pytest.raises(InvalidInput, match="the robot walks"):
            session.send(Deactivate(time=session.time))
        session.stop()
        session.run(1.0)
    session.send(Deactivate(time=session.time))


def test_a_robot_that_is_deactivated_forgets_its_goal(code: WalkingCode):
    """So that it does not walk back when somebody has moved it; neither it nor its planner has it in mind."""
    planner = InlinePlanner(_REQUEST, code)
    session = LiveSession(_REQUEST, planner=planner, code=code)
    assert session.run_to_rest(20.0)
    assert session.pilot.order is not None
    session.send(Deactivate(time=session.time))
    session.run(0.5)
    assert session.pilot.order is None
    assert planner._session.pilot.order is None
    plans = len(session.pilot.versions)
    session.send(Activate(time=session.time))
    session.run(0.5)
    assert len(session.pilot.versions) == plans
    session.walk_to(1.2)
    assert session.run_to_rest(20.0)
    assert _away(session, 1.2, 0.0) < 0.1
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


def test_a_stop_does_not_wait_for_a_plan(code: WalkingCode):
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    planner = SlowPlanner(asked, code, [])
    session = LiveSession(asked, planner=planner, code=code)
    session.run(0.05)
    session.drive(0.3)
    session.run(1.5)
    planner.delays.append(100)  # a second for a plan
    session.walk_to(2.0)
    session.run(0.05)
    told_at = session.time
    session.stop()
    session.run(0.001)
    assert planner.cancelled == 1
    assert session.pilot.coming is not None
    assert session.pilot.coming.version.about == "stop"
    assert session.pilot.coming.version.ready <= told_at + 0.2  # though the plan takes a second
    assert session.run_to_rest(10.0)
    assert not session.fallen
    # Afterwards the planner goes on from where the robot stands.
    here = float(session.walker.arrays[0].q[0])
    session.drive(0.3)
    session.run(2.0)
    assert planner.informed == 1
    assert session.walker.arrays[0].q[0] > here + 0.1
    again = LiveSession(session.request, code=code)
    again.run_until(session.time)
    assert _same(session, again)


@pytest.mark.parametrize("phase", [0.0, 0.2, 0.4, 0.6])
def test_a_stop_changes_set_points_within_a_fifth_of_a_second(code: WalkingCode, phase: float):
    """In every phase of a step, not from its landing on, which may be 0.9 s away."""
    asked = msgspec.structs.replace(_REQUEST, goal=None)
    session = LiveSession(asked, code=code)
    session.run(0.05)
    session.drive(0.3)
    session.run(1.5 + phase)
    before, now = session.pilot.motion, session.time
    session.stop()
    session.run(0.2)
    after = session.pilot.motion
    assert after is not before
    changed = [
        k
        for k in range(1, 60)
        if not np.allclose(*(_set_points(each, now + 0.005 * k) for each in (before, after)))
    ]
    assert 0.005 * changed[0] <= 0.2
    assert session.run_to_rest(5.0)
    assert not session.fallen


def _set_points(motion: Motion, time: float) -> np.ndarray:
    return np.concatenate([np.ravel(each) for each in motion.sample(time).values])


def test_live_requests_are_walked_by_walk_and_refused_by_others(code: WalkingCode):
    assert isinstance(session_for(_REQUEST, code=code), LiveSession)
    assert walk(_REQUEST, code=code).summary.reached
    with pytest.raises(InvalidInput, match="not live"):
        LiveSession(msgspec.structs.replace(_REQUEST, live=False), code=code)
    with pytest.raises(InvalidInput, match="served"):
        WalkSession(scene="flat", signals=(Served(time=0.0, asked=0.0, holds=0.0),)).run(0.01)


def test_the_clock_paces_a_walk_and_counts_what_it_takes(code: WalkingCode):
    session = WalkSession(msgspec.structs.replace(_REQUEST, live=False), code=code)
    session.run(0.001)
    clock = session.walker.brain.clock
    before = np.array(clock.sums)
    session.run(0.01)
    assert np.array_equal(before, clock.sums)  # a clock that stands is never read
    start_clock(clock, 1e-3, done=session.walker.period)
    session.run(0.1)
    stop_clock(clock)
    assert clock.counts[Counted.PERIODS] == 100
    whole = timing(clock, Level.PERIOD)
    parts = [timing(clock, level) for level in (Level.PATTERN, Level.STABILISATION, Level.PLANT)]
    assert whole.number == 100
    assert sum(each.mean for each in parts) <= (1.0 + 1e-12) * whole.mean  # sums of 100 in other orders
    assert whole.sigma <= whole.largest
    assert whole.mean <= whole.most <= max(whole.largest, 10.0)


def test_a_walk_takes_commands_from_its_planner_process_and_from_others():
    asked = msgspec.structs.replace(_REQUEST, goal=None, seconds=None)
    planner = PlannerProcess(asked)
    session = LiveSession(asked, planner=planner)
    planner.wait()
    killed = planner.pid
    try:
        with CommandServer("test") as server:
            address = next(each for each in running_walks() if each == server.address)
            sent: list[str] = []

            def tell(now: float) -> None:
                if now > 0.3 and not sent:
                    sent.append("drive")
                    session.drive(0.2)
                if now > 1.5 and len(sent) == 1:
                    sent.append("kill")
                    os.kill(killed, signal.SIGKILL)

            # Until it is noticed, however seldom this process comes to its turn.
            run_live(session, ended=lambda: session.lost > 0, commands=server, progress=tell)
            assert session.lost == 1
            # Commands are refused where they are wrong, and answered by the loop where they are right.
            with pytest.raises(InvalidInput, match="no body 'nobody'"):
                _while_walking(
                    session, server, lambda: send_command(address, _push("nobody"), patience=240.0)
                )
            _while_walking(session, server, lambda: send_command(address, Stop(), patience=240.0))
            assert any(isinstance(each, Stop) for each in session.sent)
            with pytest.raises(PeerGone, match="not answered"):
                send_command(msgspec.structs.replace(address, token="wrong"), Stop(), patience=0.5)
        assert address not in list(running_walks())
    finally:
        session.close()
    again = LiveSession(session.request)
    again.run_until(session.time)
    assert _same(session, again)


def _push(body: str):
    return command("push", {"body": body, "force": [0.0, 1.0, 0.0]})


def _while_walking(session: LiveSession, server: CommandServer, do) -> None:
    """Do something in another thread while the loop runs, for as long as that waits."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(do)
        while not done.done():
            server.serve(session)
            session.run(BORDER * 1e-3)
            time.sleep(1e-3)  # who asks must come to its turn
        done.result()


def test_commands_are_checked():
    with pytest.raises(UnknownName, match="no signal 'jump'"):
        command("jump", {})
    with pytest.raises(UnknownName, match="no signal 'served'"):
        command(str(COURSE[0].__struct_config__.tag), {})
    with pytest.raises(InvalidInput, match="from now on"):
        command("stop", {"time": 3.0})


def test_walks_do_not_listen_behind_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What a link leads to is another folder of this user, whose files are no walks that have ended."""
    elsewhere, runtime = tmp_path / "elsewhere", tmp_path / "runtime"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "mine.json").write_text("{}")
    runtime.mkdir()
    (runtime / "footfall").symlink_to(elsewhere)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with pytest.raises(InvalidInput, match="can be reached by others"):
        list(running_walks())
    assert (elsewhere / "mine.json").exists()
