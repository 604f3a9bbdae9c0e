"""Who runs: this process, processes of this machine, or a Dask cluster.

Runs are sent in chunks, so that short ones do not wait for the way. A chunk carries the fingerprint of the code that
sent it: a worker with other code refuses it.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from footfall.compiler.threads import available_cores
from footfall.errors import FootfallError, InvalidInput, MissingPackage, ProgramFailed, UnknownName
from footfall.studies.experiments import EXPERIMENTS, Experiment, Outcome, own_experiment
from footfall.studies.study import FUNCTION, Value
from footfall.version import __version__

_DEATHS = 2  # of workers that had nothing but this run, until it counts as failed
CONNECTING = 15.0  # s, until a scheduler counts as not there


class Task(NamedTuple):
    """One run. cell, number and round name it; parameters and seed decide about its result."""

    cell: int
    number: int
    round: int
    level: float | None
    parameters: dict[str, Value]
    seed: int


class Result(NamedTuple):
    """What a run came to. error: why it has no measures. seconds: of CPU time that it took; lasted: by the clock, s,
    which is more if it waits for other processes. product: what else came out, of runs that are no study."""

    task: Task
    measures: dict[str, Value]
    replay: str | None
    error: str | None
    seconds: float
    product: Any = None
    lasted: float = 0.0


class Work(NamedTuple):
    """What is run: an experiment by name, a function, or FILE.py:NAME; fingerprint: of the code that asks for it. text:
    of that file."""

    what: str | Callable[..., Any]
    fingerprint: str
    text: str = ""

    def experiment(self) -> Experiment:
        if not isinstance(self.what, str):
            return own_experiment(self.what)
        if ".py:" in self.what:
            return own_experiment(_function_of(self.what, self.text))
        if self.what == FUNCTION:
            raise InvalidInput(
                f"the study does not say what is run: give it experiment = one of {', '.join(EXPERIMENTS)}, or give a "
                "function of your own by --function FILE.py:NAME"
            )
        if self.what not in EXPERIMENTS:
            raise UnknownName("experiment", self.what, EXPERIMENTS)
        return EXPERIMENTS[self.what]


def work_for(what: str | Callable[..., Any]) -> Work:
    """Work of this code. A file's text comes along: workers on other machines may not have it, and those that stay
    would go on with what it was when they first read it."""
    if not isinstance(what, str) or ".py:" not in what:
        return Work(what, code_fingerprint())
    file, _, name = what.rpartition(":")
    path = Path(file).resolve()
    if not path.is_file():
        raise InvalidInput(f"no file {file!r}; give the function as FILE.py:NAME")
    return Work(f"{path}:{name}", code_fingerprint(), path.read_text())


@cache
def _function_of(source: str, text: str) -> Callable[..., Any]:
    """The function of FILE.py:NAME, whose text is this. It may import what lies beside it."""
    file, _, name = source.rpartition(":")
    path = Path(file)
    module = ModuleType(f"study_{path.stem}")
    module.__file__ = file
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except Exception as error:
        line = (
            error.lineno
            if isinstance(error, SyntaxError)
            else traceback.extract_tb(error.__traceback__)[-1].lineno
        )
        raise InvalidInput(f"{file}, line {line}: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, each in vars(module).items() if inspect.isfunction(each)]
        raise UnknownName("function", name, known, file)
    return function  # type: ignore[no-any-return]


@cache
def code_fingerprint() -> str:
    """Of the version and all source files of footfall."""
    root = Path(__file__).parents[1]
    found = hashlib.sha256(__version__.encode())
    for path in sorted(root.rglob("*.py")):
        found.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return found.hexdigest()


def require_same_code(fingerprint: str) -> None:
    """Refuse to work for other code than one's own."""
    if code_fingerprint() != fingerprint:
        raise ProgramFailed(
            f"a worker (process {os.getpid()}) has other code of footfall ({__version__}); "
            "install the same version there"
        )


def run_chunk(work: Work, tasks: Sequence[Task]) -> list[Result]:
    """Run in whatever process this is called."""
    require_same_code(work.fingerprint)
    experiment = work.experiment()
    return [run_task(experiment, task) for task in tasks]


def run_task(experiment: Experiment, task: Task) -> Result:
    """One run; whatever it raises is its result."""
    begin, clock = time.process_time(), time.perf_counter()
    outcome, text = Outcome({}), None
    try:
        outcome = experiment(task.parameters, task.seed)
    except Exception as error:  # the study goes on: the row says what happened
        own = isinstance(error, FootfallError)
        place = "" if own else f" ({_place(error)})"
        text = f"{type(error).__name__}: {error}{place}"[:2000]
    seconds, lasted = time.process_time() - begin, time.perf_counter() - clock
    return Result(task, outcome.measures, outcome.replay, text, seconds, lasted=lasted)


def _place(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


Run = Callable[
    [Any, Sequence[Task]], list[Result]
]  # what workers call, with the work that they were made with


class Workers(Protocol):
    """count: how many run at once."""

    @property
    def count(self) -> int: ...

    def submit(self, tasks: Sequence[Task]) -> None:
        """Give them a chunk."""

    def results(self, seconds: float) -> list[Result]:
        """Runs that have ended; waits for some at most."""

    def close(self) -> None:
        """Give up what still runs."""


def new_workers(work: Any, workers: int | None, cluster: str | None, run: Run = run_chunk) -> Workers:
    """A cluster, if there is an address; else processes, all cores if there is no number; 1 is this process."""
    if cluster is not None:
        return Cluster(work, cluster, run)
    count = workers or available_cores()
    return OneProcess(work, run) if count == 1 else Processes(work, count, run)


class OneProcess:
    """Runs here, one after the other."""

    count = 1

    def __init__(self, work: Any, run: Run = run_chunk) -> None:
        self._work, self._run = work, run
        self._waiting: deque[Sequence[Task]] = deque()

    def submit(self, tasks: Sequence[Task]) -> None:
        self._waiting.extend(
            [task] for task in tasks
        )  # what has ended is there when the next one is interrupted

    def results(self, seconds: float) -> list[Result]:
        return self._run(self._work, self._waiting.popleft()) if self._waiting else []

    def close(self) -> None:
        self._waiting.clear()


def _begin_worker() -> None:
    """Interrupts are left to the parent; if it is killed, there is nobody left to work for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class Processes:
    """Processes of this machine. One that dies is replaced. What was running then runs again, one after the other, so
    that who kills workers is found and takes nothing else along."""

    def __init__(self, work: Any, count: int, run: Run = run_chunk) -> None:
        self.count = count
        self._work, self._run = work, run
        self._pool = self._new_pool()
        self._waiting: deque[Sequence[Task]] = deque()
        self._suspects: deque[Task] = deque()
        self._flying: dict[Future[list[Result]], Sequence[Task]] = {}
        self._deaths: dict[tuple[int, int, int], int] = {}

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.count, mp_context=get_context("spawn"), initializer=_begin_worker)

    def submit(self, tasks: Sequence[Task]) -> None:
        self._waiting.append(tasks)
        self._feed()

    def _feed(self) -> None:
        if self._suspects and not self._flying:
            self._send([self._suspects[0]])
        while self._waiting and not self._suspects:
            self._send(self._waiting.popleft())

    def _send(self, tasks: Sequence[Task]) -> None:
        # A process that begins here takes the mask over: Ctrl-C before it leaves interrupts to us would be its end.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._flying[self._pool.submit(self._run, self._work, tasks)] = tasks
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def results(self, seconds: float) -> list[Result]:
        done, _ = wait_for(self._flying, timeout=seconds, return_when=FIRST_COMPLETED)
        found: list[Result] = []
        try:
            for future in done:
                found += future.result()
                tasks = self._flying.pop(future)
                if self._suspects:
                    self._suspects.remove(tasks[0])
        except BrokenProcessPool:
            found += self._blame()
        self._feed()
        return found

    def _blame(self) -> list[Result]:
        """A worker died. Its run has failed if it was alone, and the second time; otherwise all are suspects."""
        lost = [task for chunk in self._flying.values() for task in chunk]
        self._flying.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._new_pool()
        if not self._suspects:
            self._suspects.extend(lost)
            return []
        (alone,) = lost
        key = alone.cell, alone.number, alone.round
        self._deaths[key] = self._deaths.get(key, 0) + 1
        if self._deaths[key] < _DEATHS:
            return []
        self._suspects.remove(alone)
        return [Result(alone, {}, None, f"its worker died {_DEATHS} times", 0.0)]

    def close(self) -> None:
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(5.0)


class Cluster:
    """The workers of a Dask cluster. Dask gives the runs of a lost worker to another one. Runs whose results were lost
    with the way to the scheduler are asked for again when it is back."""

    def __init__(self, work: Any, address: str, run: Run = run_chunk) -> None:
        self._work, self._address, self._run = work, address, run
        self._flying: dict[Any, Sequence[Task]] = {}
        self._count = 1
        self._client = self._connected(f"no Dask scheduler at {address!r}")

    def _connected(self, otherwise: str) -> Any:
        try:
            from distributed import Client
        except ImportError:
            raise MissingPackage("a cluster needs Dask: pip install 'footfall[studies]'") from None
        try:
            return Client(self._address, timeout=CONNECTING, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ProgramFailed(f"{otherwise}: {error}") from None

    def _connect_again(self) -> None:
        lost = list(self._flying.values())
        self._flying.clear()
        self.close()
        self._client = self._connected(
            f"the Dask scheduler at {self._address!r} is gone; what has run is kept, and the same command goes on when "
            "it is back"
        )
        for tasks in lost:
            self.submit(tasks)

    @property
    def count(self) -> int:
        """Threads of all workers there are now, or were when the scheduler was heard of last."""
        with suppress(OSError):
            self._count = max(1, sum(int(each) for each in self._client.nthreads().values()))
        return self._count

    def submit(self, tasks: Sequence[Task]) -> None:
        future = self._client.submit(self._run, self._work, list(tasks), pure=False, retries=_DEATHS)
        self._flying[future] = tasks

    def results(self, seconds: float) -> list[Result]:
        from distributed import TimeoutError as TooLong
        from distributed import wait as wait_for_dask
        from distributed.scheduler import KilledWorker

        found: list[Result] = []
        try:
            with suppress(TooLong), self._client.as_current():
                wait_for_dask(list(self._flying), timeout=seconds, return_when="FIRST_COMPLETED")
            for future in [each for each in self._flying if each.done()]:
                try:
                    found += future.result()
                except KilledWorker:
                    tasks = self._flying[future]
                    found += [Result(task, {}, None, "its worker died several times", 0.0) for task in tasks]
                del self._flying[future]
        except (CancelledError, OSError):  # the way to the scheduler is lost, and all that it was to tell
            self._connect_again()
        if self._client.status not in ("running", "connecting"):
            self._connect_again()
        return found

    def close(self) -> None:
        with suppress(Exception):  # of a scheduler that is gone
            self._client.cancel(list(self._flying), force=True)
        with suppress(Exception):
            self._client.close(timeout=5)
