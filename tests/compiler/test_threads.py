"""Threads that share work: errors, interrupts, forks."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from footfall.compiler import threads
from footfall.compiler.threads import Job, share, share_rows, wait_for


def test_every_row_once() -> None:
    done: list[int] = []
    share_rows(lambda part: done.extend(range(part.start, part.stop)), 1000, piece=7, threads=3)
    assert sorted(done) == list(range(1000))
    share_rows(lambda part: done.append(-1), 0, piece=7, threads=3)
    assert -1 not in done


def test_helpers_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts meet, each waits for the other."""
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=60.0)
    share(lambda job: meeting.wait(), 2)
    assert not meeting.broken


def test_errors_of_helpers_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=60.0)

    def part(job: Job) -> None:
        meeting.wait()
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("in a helper")

    with pytest.raises(ValueError, match="in a helper"):
        share(part, 2)
    with pytest.raises(ZeroDivisionError):
        wait_for(lambda job: 1 / 0)


def test_an_error_waits_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller fails while a helper is at a piece: the call ends after it."""
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    meeting, ended = threading.Barrier(2, timeout=60.0), threading.Event()
    caller = threading.current_thread()

    def part(job: Job) -> None:
        meeting.wait()
        if threading.current_thread() is caller:
            raise KeyboardInterrupt
        while not job.stopped:
            pass
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        share(part, 2)
    assert ended.is_set()


def test_helpers_do_not_ask_for_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them could wait for each other otherwise."""
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    names: list[str] = []
    wait_for(lambda job: share(lambda inner: names.append(threading.current_thread().name), 2))
    assert len(names) == 1
    assert names[0].startswith("footfall-")


def test_finished_work_is_not_kept() -> None:
    class Content:
        pass

    content = Content()
    gone = weakref.ref(content)
    wait_for(lambda job, content=content: None)
    del content
    wait_for(lambda job: None)  # the helper has come back from the first one
    gc.collect()
    assert gone() is None


def test_without_threads_the_caller_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No memory for a thread, or the interpreter is about to end."""

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_HELPERS", threads._Helpers())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    done: list[int] = []
    wait_for(lambda job: done.append(1))
    share_rows(lambda part: done.append(part.start), 3, piece=1, threads=2)
    assert done == [1, 0, 1, 2]
