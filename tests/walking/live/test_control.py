"""The loop in a thread of its own: what lies in its boxes is taken at its period, as if Python had done it there."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from footfall.motion.packed_curves import own_types
from footfall.walking.live.control import ControlThread
from footfall.walking.log import LogKeeper
from footfall.walking.mailbox import NEVER, Word
from footfall.walking.plan_sampling import plan_table
from footfall.walking.session import WalkSession
from footfall.walking.step_ground import StepGround
from footfall.walking.walker import Walker, WalkerOptions

_SHIFT = np.array([0.002, -0.001, 0.0])


@pytest.fixture(scope="module")
def session() -> WalkSession:
    session = WalkSession(scene="flat")
    session.drive(0.2)
    session.run(0.02)
    return session


def _walker(session: WalkSession) -> Walker:
    return Walker(session.code, session.walker.scene, session.walker.motion, WalkerOptions(noise=True))


def _ground() -> StepGround:
    free = np.zeros((2, 5, 5))
    free[:, 1:3, 2:] = 1.0
    return StepGround(free, np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([5]))


def test_a_box_gives_the_same_bits_as_python_at_that_period(session: WalkSession):
    moved = session.pilot.coming.motion if session.pilot.coming else session.walker.motion
    by_hand, by_box = _walker(session), _walker(session)
    by_hand.run_until(0.03)
    by_hand.brain.state.walls[:] += 0.5
    by_hand.know_ground(_ground())
    by_hand.run_until(0.05)
    by_hand.brain.state.body["plan_shift"][0] -= _SHIFT
    by_hand.follow(moved)
    by_hand.run_until(0.1)

    by_box.run_until(0.01)
    by_box.have_boxes()
    control = ControlThread(by_box, until=0.1)  # not started: boxes are filled while it stands
    walls = by_box.brain.state.walls + 0.5
    by_box.mail.walls[:] = walls
    by_box.mail.ground.free[:, :5, :5], by_box.mail.ground.origin[:] = _ground().free, _ground().origin
    by_box.mail.ground.cells[0] = 5
    by_box.mail.words[Word.GROUND_AT] = 30
    assert control.put_plan(plan_table(moved), _SHIFT, 50)
    by_box.run_until(0.04)
    assert by_box.brain.state.ground.cells[0] == 5
    assert np.array_equal(by_box.brain.state.ground.free, by_hand.brain.state.ground.free)
    assert by_box.mail.words[Word.PLAN_AT] == 50
    by_box.run_until(0.1)
    assert by_box.mail.words[Word.SLOT] == 1
    assert np.array_equal(by_hand.log.q, by_box.log.q)
    # The comparison can fail: the shift alone makes another walk.
    by_hand = _walker(session)
    by_hand.run_until(0.1)
    assert not np.array_equal(by_hand.log.q, by_box.log.q)


def test_what_comes_too_late_is_refused(session: WalkSession):
    walker = _walker(session)
    walker.run_until(0.02)
    control = ControlThread(walker, until=1.0)
    assert not control.put_plan(plan_table(walker.motion), _SHIFT, 20)
    assert walker.mail.words[Word.PLAN_AT] == NEVER
    assert control.put_plan(plan_table(walker.motion), _SHIFT, 40)


def test_surroundings_that_find_a_full_box_are_known_even_if_it_is_emptied_meanwhile(
    session: WalkSession, monkeypatch: pytest.MonkeyPatch
):
    walker = _walker(session)
    walker.run_until(0.02)
    control = ControlThread(walker, until=1.0)
    walker.mail.words[Word.GROUND_AT] = 25  # of others

    @contextmanager
    def standing(self: ControlThread) -> Iterator[Walker]:
        walker.mail.words[Word.GROUND_AT] = NEVER  # the loop has taken them before it stood
        yield walker

    monkeypatch.setattr(ControlThread, "standing", standing)
    walls = walker.brain.state.walls + 0.5
    assert control.put_surroundings(walls, _ground()) == walker.period
    assert np.array_equal(walker.brain.state.walls, walls)
    assert walker.brain.state.ground.cells[0] == 5


def test_a_thread_walks_stands_and_goes_on(session: WalkSession):
    walker = _walker(session)
    walker.run_until(0.001)
    control = ControlThread(walker, until=0.5)
    control.start()
    with control.standing() as stands:
        here = stands.period
        assert not walker.fallen
    at = control.put_surroundings(walker.brain.state.walls.copy(), _ground())
    assert at > here
    while not control.over:
        placed = control.placed()
        assert placed.period % 10 == 0
    control.finish()
    assert walker.period == 500
    assert walker.brain.state.ground.cells[0] == 5
    again = _walker(session)
    again.run_until(0.5)
    assert np.array_equal(again.log.q, walker.log.q)  # walls that are none change nothing
    row = np.array(again.log.q[placed.period - 1])
    assert np.array_equal(placed.q, row)


def test_curves_of_another_process_are_taken_like_own_ones(session: WalkSession):
    curves = session.walker.motion.curves.packed
    others = pickle.loads(pickle.dumps(curves))
    assert (
        others.times.dtype is not curves.times.dtype
    )  # equal, but another object: native calls are slow then
    own = own_types(others)
    for one, other in zip(own, curves, strict=True):
        assert one.dtype is other.dtype
        assert np.array_equal(one, other)


def test_a_log_has_its_next_chunk_ready(session: WalkSession):
    left: list[int] = []
    keeper = LogKeeper(session.walker._new_log, rows=10, memory=0.0)
    keeper.leaving.append(lambda log: left.append(log.first))
    keeper.lengthen(20)
    for row in range(200):
        keeper.make_room(row)
        assert keeper.chunk.first <= row < keeper.end
        keeper.prepare()
    assert left == sorted(left)
    assert left[:2] == [0, 10]
    assert len(keeper.rows_from(150, 200).q) == 50
