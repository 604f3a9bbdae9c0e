"""Threads that share work: errors, interrupts, forks."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from footfall.compiler import threads
from footfall.compiler.threads import InTurn, Job, Task, begin, share, share_rows
from tests.eventually import eventually


def test_every_row_once() -> None:
    done: list[int] = []
    share_rows(lambda part: done.extend(range(part.start, part.stop)), 1000, piece=7, threads=3)
    assert sorted(done) == list(range(1000))
    share_rows(lambda part: done.append(-1), 0, piece=7, threads=3)
    assert -1 not in done


def test_helpers_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts meet, each waits for the other."""
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=240.0)
    share(lambda job: meeting.wait(), 2)
    assert not meeting.broken


def test_errors_of_helpers_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=240.0)

    def part(job: Job) -> None:
        meeting.wait()
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("in a helper")

    with pytest.raises(ValueError, match="in a helper"):
        share(part, 2)
    with pytest.raises(ZeroDivisionError):
        Task(lambda: 1 / 0).result()


def test_an_error_waits_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller fails while a helper is at a piece: the call ends after it."""
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    meeting, ended = threading.Barrier(2, timeout=240.0), threading.Event()
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
    Task(lambda: share(lambda inner: names.append(threading.current_thread().name), 2)).result()
    assert len(names) == 1
    assert names[0].startswith("footfall-")


def test_finished_work_is_not_kept() -> None:
    class Content:
        pass

    content = Content()
    gone = weakref.ref(content)
    Task(lambda content=content: None).result()
    del content
    gc.collect()
    assert eventually(lambda: gone() is None)  # when the helper has come back


def test_helpers_that_come_late_keep_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call has ended, its job waits in the queue of a helper that is busy: the caller's arrays are free."""
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    monkeypatch.setattr(threads, "_HELPERS", threads._Helpers("busy"))
    free = threading.Event()
    threads._HELPERS.ask(Job(lambda job: free.wait(240.0)), 1, threads=1)

    class Content:
        def part(self, job: Job) -> None:
            pass

    content = Content()
    gone = weakref.ref(content)
    share(content.part, 2)
    del content
    assert gone() is None
    free.set()


def test_without_threads_the_caller_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No memory for a thread, or the interpreter is about to end."""

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_HELPERS", threads._Helpers("none"))
    monkeypatch.setattr(threads, "_COMPILERS", threads._Helpers("none"))
    monkeypatch.setattr(threading.Thread, "start", refuse)
    done: list[int] = []
    Task(lambda: done.append(1)).result()
    begin(lambda: done.append(7))  # who needs it does it
    share_rows(lambda part: done.append(part.start), 3, piece=1, threads=2)
    assert done == [1, 0, 1, 2]


def test_tasks_go_on_while_others_wait() -> None:
    """A task is begun when it is made; threads that wait for it all get what it gives."""
    gate = threading.Event()
    task = Task(lambda: gate.wait(240.0))
    found: list[bool] = []
    waiting = [threading.Thread(target=lambda: found.append(task.result())) for _ in range(2)]
    for thread in waiting:
        thread.start()
    assert not task.is_done
    gate.set()
    for thread in waiting:
        thread.join(240.0)
    assert found == [True, True]


def test_the_same_thing_is_made_once() -> None:
    turns, made, inside = InTurn(), dict[str, int](), list[int]()

    def make(name: str) -> None:
        with turns.of(name), turns.of(name):  # a thread may come again
            inside.append(1)
            if name not in made:
                made[name] = len(made)
            assert len(inside) == 1 or name == "other"
            inside.pop()

    threads_ = [threading.Thread(target=make, args=("same",)) for _ in range(8)]
    for thread in threads_:
        thread.start()
    for thread in threads_:
        thread.join(240.0)
    assert made == {"same": 0}
    assert not turns._turns
