"""Threads that share the work of a call, stop when it is interrupted, and know their process.

Python answers Ctrl-C in its main thread, between two of its own instructions. So native work is done in pieces of a
few milliseconds (`share`), or by another thread while the main one waits (`Task`). A call ends when all have ended
that write to its arrays, also when it is interrupted. No thread outlives a fork: a child starts its own.

There are two pools, since who shares a call may have to wait for code that others compile: threads that compile never
wait for anybody.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")

_AGAIN = 0.05  # s after which a waiting thread looks by itself


class Gate:
    """Opens once. Waiting for it can be interrupted without harm, which is not so of a thread or an event."""

    def __init__(self) -> None:
        self.is_open = False
        self._lock = threading.Lock()
        self._lock.acquire()

    def open(self) -> None:
        if not self.is_open:
            self.is_open = True
            self._lock.release()

    def wait(self, *others: Gate) -> None:
        """Until it is open, or another one is."""
        while not (self.is_open or any(other.is_open for other in others)):
            if self._lock.acquire(timeout=_AGAIN):
                self._lock.release()


class Job:
    """Work that several threads do: each runs `part(job)`, which takes pieces until there are none.

    lock: to take a piece under. stopped: set when the caller is interrupted or a part has failed; parts look at it
    before each piece. A job holds what its parts use until it has ended, so that nothing is freed under them; helpers
    that come later find it empty.
    """

    def __init__(self, part: Callable[[Job], object]) -> None:
        self.lock = threading.Lock()
        self.stopped = False
        self._part = part
        self._over = False  # nobody may begin any more
        self._helpers = 0  # that run now
        self._left = threading.Lock()  # free when a helper has left
        self._error: BaseException | None = None

    def help(self) -> None:
        """Run a part in a thread that helps, unless the job is over."""
        with self.lock:
            if self._over:
                return
            self._helpers += 1
        try:
            if not self.stopped:
                self._part(self)
        except BaseException as error:
            self.stopped, self._error = True, error
        with self.lock:
            self._helpers -= 1
            self._over = True  # a part ends when no piece is left
            if self._left.locked():
                self._left.release()

    def wait(self) -> None:
        """Until it is over and no helper runs. Ctrl-C ends the waiting."""
        self._left.acquire(blocking=False)
        while self._helpers or not self._over:
            self._left.acquire(timeout=_AGAIN)

    def end(self) -> None:
        """Let no call begin any more, and wait for those that did. Ctrl-C only makes them stop earlier."""
        interrupt: BaseException | None = None
        while True:
            try:
                with self.lock:
                    self._over = True
                self.wait()
                break
            except BaseException as error:
                self.stopped, interrupt = True, error
        self._part = _nothing  # it may stay in the queue of helpers for a while, the caller's arrays need not
        if interrupt is not None:
            raise interrupt

    def raise_error(self) -> None:
        """What went wrong in a helper, if anything did."""
        if self._error is not None:
            raise self._error


def _nothing(job: Job) -> None:
    """The part of a job that has ended."""


class _Helpers:
    """Threads of this process that help, started when they are first needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self.threads: list[threading.Thread] = []
        self.busy: set[Job] = set()
        self.closed = False  # the process ends: nothing more is begun

    def ask(self, job: Job, count: int, *, threads: int) -> bool:
        """Ask some of them to help, which they do when they are free; tells whether there are any.

        threads: how many there may be.
        """
        with self._lock, suppress(RuntimeError):  # no memory for a thread, or the interpreter ends
            while len(self.threads) < threads:
                name = f"{self.name}-{len(self.threads)}"
                thread = threading.Thread(target=self._run, name=name, daemon=True)
                thread.start()
                self.threads.append(thread)
        for _ in range(count):
            self._jobs.put(job)
        return bool(self.threads)

    def _run(self) -> None:
        while True:
            self._help(self._jobs.get())  # a name here would keep the last job and its arrays

    def _help(self, job: Job) -> None:
        self.busy.add(job)
        job.help()
        self.busy.discard(job)

    def close(self) -> None:
        """Begin nothing more, and wait for what is being done."""
        self.closed = True
        for job in list(self.busy):
            job.stopped = True
            job.end()


_HELPERS = _Helpers("footfall")
_COMPILERS = _Helpers("footfall-compiler")
_AHEAD: set[threading.Thread] = set()  # that do what will be needed
_LOCK_OWNERS: WeakSet[Any] = WeakSet()


def share(part: Callable[[Job], object], threads: int) -> None:
    """Run `part(job)` in this thread and, if they come in time, in helpers: at most as many threads as are given.

    Returns or raises only when no part runs any more.
    """
    job = Job(part)
    try:
        ask_for_help(job, threads - 1)
        part(job)
    except BaseException:
        job.stopped = True
        job.end()
        raise
    job.end()
    job.raise_error()


def ask_for_help(job: Job, count: int) -> None:
    """Ask so many helpers to come, if there are cores for them and this is none itself."""
    count = min(count, available_cores() - 1)
    if count > 0 and not _is_helper():
        _HELPERS.ask(job, count, threads=count)


def share_rows(work: Callable[[slice], object], count: int, *, piece: int, threads: int | None) -> None:
    """Do `work` on slices of `count` rows, each of `piece` rows: some milliseconds of native code at most.

    threads: how many share it, if there is more than one piece (default: all cores).
    """
    starts = iter(range(0, count, piece))

    def part(job: Job) -> None:
        while not job.stopped:
            with job.lock:
                start = next(starts, None)
            if start is None:
                return
            work(slice(start, min(start + piece, count)))

    share(part, min(threads or available_cores(), -(-count // piece)))


class Task(Generic[T]):
    """Work of a thread that compiles, begun at once; `result` waits for it. Ctrl-C ends the waiting, not the work."""

    def __init__(self, work: Callable[[], T]) -> None:
        results: list[T] = []
        self._results = results  # no part of the job holds the task
        self._job = Job(lambda job: results.append(_unless_closed(work)))
        # Without another thread this one does it, which then is not interrupted.
        if _is_helper(_COMPILERS) or not _COMPILERS.ask(self._job, 1, threads=available_cores()):
            self._job.help()

    def result(self) -> T:
        self._job.wait()
        self._job.raise_error()
        return self._results[0]

    @property
    def is_done(self) -> bool:
        return bool(self._results)

    def cancel(self) -> None:
        """Do not begin it any more; nothing may wait for it."""
        self._job.stopped = True


def _unless_closed(work: Callable[[], T]) -> T:
    if _COMPILERS.closed:
        raise RuntimeError("the process ends: nothing more is compiled")
    return work()


def begin(work: Callable[[], object]) -> None:
    """Let another thread do what will be needed, if there are cores for it, and go on.

    Errors there are not reported: whoever needs it does it again.
    """
    if available_cores() == 1:
        return

    def run() -> None:
        with suppress(Exception):
            work()
        _AHEAD.discard(threading.current_thread())

    thread = threading.Thread(target=run, name="footfall-ahead", daemon=True)
    _AHEAD.add(thread)
    try:
        thread.start()
    except RuntimeError:  # no memory for a thread, or the interpreter ends
        _AHEAD.discard(thread)


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def renew_lock_after_fork(owner: Any) -> None:
    """Give `owner` a new `_lock` in forked processes: the thread that holds the old one is not there."""
    _LOCK_OWNERS.add(owner)


class InTurn:
    """Lets threads that would make the same thing do so one after the other: `with turns.of(key):`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._turns: dict[object, tuple[threading.RLock, int]] = {}  # and how many threads want it
        renew_lock_after_fork(self)

    @contextmanager
    def of(self, key: object) -> Iterator[None]:
        key = (os.getpid(), key)  # a thread that holds one does not live on in a forked process
        with self._lock:
            lock, count = self._turns.get(key, (threading.RLock(), 0))
            self._turns[key] = lock, count + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, count = self._turns.pop(key)
                if count > 1:
                    self._turns[key] = lock, count - 1


def _is_helper(*pools: _Helpers) -> bool:
    current = threading.current_thread()
    return any(current in pool.threads for pool in pools or (_HELPERS, _COMPILERS))


def _begin_anew() -> None:
    global _HELPERS, _COMPILERS
    _HELPERS, _COMPILERS = _Helpers(_HELPERS.name), _Helpers(_COMPILERS.name)
    _AHEAD.clear()
    for owner in list(_LOCK_OWNERS):
        owner._lock = threading.RLock()


def _finish() -> None:
    """LLVM must not be at work when its library is taken down."""
    for pool in (_HELPERS, _COMPILERS):
        pool.close()
    for thread in list(_AHEAD):  # ends with the next module that it would compile
        thread.join()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
atexit.register(_finish)
