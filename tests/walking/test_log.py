"""Logs of walks: bounded, handed on before rows go, written as the walk goes on; a walk that is killed replays."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InvalidInput
from footfall.recording.reader import read_recording
from footfall.scenarios.walk_outputs import WalkRecorder
from footfall.walking.journal import Journal, read_journal
from footfall.walking.log import cut
from footfall.walking.loop import WalkLog
from footfall.walking.request import WalkMode
from footfall.walking.session import WalkSession
from footfall.walking.summary import Stretches, WalkTally
from footfall.walking.walk import summarise
from footfall.walking.walker import WalkingCode

ONE_CHUNK = 2.2e6  # bytes and more: LOLA's chunk of 500 rows has 1.8e6


def test_only_the_latest_rows_are_kept_and_all_are_handed_on(code: WalkingCode) -> None:
    sessions = [WalkSession(code=code, log_memory=memory) for memory in (1e9, ONE_CHUNK)]
    left: list[WalkLog] = []
    sessions[1].walker.leaving_log.append(left.append)
    for session in sessions:
        session.drive(0.3)
        assert session.run(2.3)
    whole, latest = (session.walker.log for session in sessions)
    assert (whole.first, len(whole.q)) == (0, 2300)
    assert (latest.first, len(latest.q)) == (1000, 1300)  # three chunks, one of them begun
    assert latest.q.tobytes() == whole.q[1000:].tobytes()
    assert latest.signals.tobytes() == whole.signals[1000:].tobytes()
    assert b"".join(each.q.tobytes() for each in left) == whole.q[:1000].tobytes()
    # A summary knows of rows that are gone.
    one, two = (summarise(session) for session in sessions)
    assert one.steps == two.steps > 0
    assert one.peak_torques == two.peak_torques
    np.testing.assert_allclose(
        [one.energy, one.tilt, one.dcm_error_rms], [two.energy, two.tilt, two.dcm_error_rms]
    )


@pytest.mark.parametrize("every", [1, 7])
def test_rows_stand_for_as_many_periods_as_asked(code: WalkingCode, every: int) -> None:
    session = WalkSession(code=code, log_every=every)
    for _ in range(20):
        session.run(1 / 30)
    log = session.walker.log
    assert len(log.q) == -(-session.walker.period // every)
    np.testing.assert_allclose(np.diff(log.signals["time"]), every * 1e-3, atol=1e-3 * (every - 1) + 1e-9)
    assert session.walker.latest == log.signals[-1]


def test_bad_bounds_are_refused(code: WalkingCode) -> None:
    with pytest.raises(InvalidInput, match="log_every is 0"):
        WalkSession(code=code, log_every=0)
    with pytest.raises(InvalidInput, match="log_memory is -1"):
        WalkSession(code=code, log_memory=-1.0)


def test_a_tally_does_not_depend_on_the_pieces(code: WalkingCode) -> None:
    session = WalkSession(code=code, noise=True, seed=3)
    session.drive(0.3)
    assert session.run(2.0)
    log, weight = session.walker.log, code.body.model.mass * 9.81
    tallies = []
    for piece in (2000, 333, 1):
        tally = WalkTally(code.body, weight, 1e-3)
        for first in range(0, 2000 if piece > 1 else 50, piece):
            tally.take(cut(log, first, first + piece))
        tally.take(log)  # rows that were taken are not taken twice
        tallies.append(tally)
    for other in tallies[1:]:
        assert other.steps == tallies[0].steps > 0
        assert other.peaks.tobytes() == tallies[0].peaks.tobytes()
        assert other.power == pytest.approx(tallies[0].power, rel=1e-12)
        assert other.zmp.root == pytest.approx(tallies[0].zmp.root, rel=1e-12)


def test_stretches_are_those_of_all_flags() -> None:
    rng = np.random.default_rng(4)
    flags = np.repeat(rng.random(200) < 0.5, rng.integers(1, 9, 200))
    stretches, first = Stretches(), 0
    while first < len(flags):
        piece = int(rng.integers(1, 40))
        stretches.take(flags[first : first + piece])
        first += piece
    for begin, end in stretches.lasting(1):
        assert flags[begin:end].all()
    assert stretches.count(0, len(flags)) == flags.sum() == sum(b - a for a, b in stretches.lasting(1))
    assert stretches.count(13, 57) == flags[13:57].sum()
    # Gaps of less than 4 rows do not count, nor do stretches that are shorter with them.
    closed = flags.copy()
    for begin, end in stretches.lasting(4):
        closed[begin:end] = True
        assert end - begin >= 4
        assert not flags[max(begin - 3, 0) : begin].any()
    assert closed.sum() > flags.sum()


def test_a_recorder_writes_as_the_walk_goes_on(code: WalkingCode, tmp_path: Path) -> None:
    session = WalkSession(code=code, log_memory=ONE_CHUNK)
    with WalkRecorder(session, tmp_path, name="walk") as recorder:
        session.run(1.2)
        session.happen("add", name="box", size=(0.2, 0.2, 0.2), position=(2.0, 0.0, 0.1))
        session.run(1.2)
        recorder.close()
        session.run(0.1)  # is no longer recorded
    recording = read_recording(tmp_path / "walk.mcap")
    assert recording.complete
    np.testing.assert_allclose(recording.time, 0.01 * np.arange(1, 241))
    assert recording.signals.values["zmp"].shape == (240, 3)
    assert len(recording.contacts.time) == 240
    # The scene is the one with the box, which came.
    assert recording.scene is not None
    box = recording.scene.object("box").motion
    assert box is not None
    assert (box.pose(1.0).translation[2], box.pose(2.0).translation[2]) == (-50.0, 0.1)
    # States are those of the log.
    np.testing.assert_array_equal(recording.q[-1], session.walker.log_from(2399).q[0])


@pytest.mark.parametrize("mode", ["reduced", "full"])
def test_set_points_are_recorded_to_the_bit(code: WalkingCode, tmp_path: Path, mode: WalkMode) -> None:
    session, seen = WalkSession(code=code, mode=mode, noise=True, seed=2), []
    with WalkRecorder(session, tmp_path, name="walk"):
        session.drive(0.3)
        for _ in range(130):
            session.run(0.01)
            seen.append(session.walker.brain.state.q.copy())
    values = read_recording(tmp_path / "walk.mcap").signals.values
    recorded = np.concatenate([values["wanted_base"], values["wanted_joints"]], axis=1)
    log, count = session.walker.log, code.body.robot.nq
    np.testing.assert_array_equal(recorded, log.wanted[9::10])
    np.testing.assert_array_equal(recorded, seen)  # what the controller itself held then
    assert np.ptp(recorded[:, 7:], axis=0).max() > 0.03
    off = log.wanted[:, 7:] - log.q[:, 7:count]
    # Prescribed joints go by the mean of a velocity that rises in two steps, which lags by dt / 4 v; drives lag more.
    known = 0.25e-3 * log.v[:, 6 : count - 1]
    assert (np.abs(off - known).max() < 1e-12) == (mode == "reduced")


KILLED = """
import sys
from pathlib import Path
from footfall.scenarios.walk_outputs import WalkRecorder
from footfall.walking.session import WalkSession
session = WalkSession(scene="flat", noise=True, seed=7)
WalkRecorder(session, Path(sys.argv[1]), name="walk")
session.drive(0.3)
while True:
    session.run(1 / 30)
    if session.time > 1.0 and len(session.sent) < 2:
        session.happen("push", body="torso", force=(0.0, 60.0, 0.0))
    print(session.time, flush=True)
"""


def test_a_walk_that_is_killed_replays_until_a_second_before(code: WalkingCode, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        reached = 0.0
        while reached < 2.0:
            reached = float(process.stdout.readline())
        time.sleep(0.7)  # the recording is handed over to the disk twice a second
        process.send_signal(signal.SIGKILL)
        reached = float(process.stdout.read().split()[-1])
    request = read_journal(tmp_path / "walk.walk.jsonl")
    assert request.seconds is not None
    assert reached - 1.0 < request.seconds <= reached + 1e-3
    assert [each.word for each in request.signals] == ["drive", "push"]
    recording = read_recording(tmp_path / "walk.mcap")
    assert not recording.complete
    assert recording.time[-1] > 1.9
    again = WalkSession(request, code=code)
    again.run_until(2.0)
    rows = np.arange(9, 1990, 10)
    assert again.walker.log.q[rows].tobytes() == recording.q[: len(rows)].tobytes()
    # Without the push the bits are others.
    other = WalkSession(scene="flat", noise=True, seed=7, code=code, signals=request.signals[:1])
    other.run_until(2.0)
    assert other.walker.log.q[rows].tobytes() != recording.q[: len(rows)].tobytes()


def test_a_line_that_was_cut_off_does_not_count(code: WalkingCode, tmp_path: Path) -> None:
    session = WalkSession(code=code)
    with Journal(tmp_path / "a.walk.jsonl") as journal:
        session.follow(journal)
        session.drive(0.2)
        session.run(0.6)
    content = (tmp_path / "a.walk.jsonl").read_bytes()
    whole = read_journal(tmp_path / "a.walk.jsonl")
    (tmp_path / "b.walk.jsonl").write_bytes(content[:-5])
    assert read_journal(tmp_path / "b.walk.jsonl").signals == whole.signals
    assert (whole.seconds or 0.0) > (read_journal(tmp_path / "b.walk.jsonl").seconds or 0.0)
    for bad in (b"", b"{}{\n", content.replace(b"drive", b"dive")):
        (tmp_path / "c.walk.jsonl").write_bytes(bad)
        with pytest.raises(InvalidInput, match="no journal of a walk"):
            read_journal(tmp_path / "c.walk.jsonl")
