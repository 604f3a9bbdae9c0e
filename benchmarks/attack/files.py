"""Feed mutated files to every reader: a value or a typed error must come out, in 5 s and 1 GB.

    python -m benchmarks.attack.files [READER ...] [--count 50000] [--seed 0] [--first 0] [--keep FOLDER]

Case number i of a seed is always the same. A crash of the process (MuJoCo's parser is C++) counts as a failure, and the
run goes on behind it. First come the extremes: files that were too much once.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.attack.binary_mutations import BINARY
from benchmarks.attack.extremes import EXTREMES
from benchmarks.attack.mutations import MUTATIONS, mutated_text
from benchmarks.attack.readers import READERS, grammar
from footfall.errors import FootfallError, FootfallWarning

SECONDS = 5.0
BYTES = 2**30
_STOP = 2 * BYTES  # more is not given at all: the machine has others to serve

Case = Mapping[str, bytes]


def mutated(name: str, seed: int, index: int) -> Case:
    """The files of a case: those of the seed, one of them changed."""
    reader = READERS[name]
    rng = random.Random(f"{name} {seed} {index}")
    case = dict(_seed(name))
    chosen = rng.choice([*case, *[next(iter(case))] * len(case)])  # the first one every other time
    kind = grammar(reader, chosen)
    if kind in MUTATIONS:
        case[chosen] = mutated_text(kind, case[chosen].decode(), rng)
    else:
        case[chosen] = BINARY[kind](case[chosen], rng)
    return case


_seeds: dict[str, Case] = {}


def _seed(name: str) -> Case:
    if name not in _seeds:
        _seeds[name] = READERS[name].seed()
    return _seeds[name]


def complaint(name: str, case: Case, folder: Path, seconds: float = SECONDS) -> str:
    """What is wrong with the reader's answer to a case; empty if it is a value or a typed error.

    seconds: of the processor that it may take.
    """
    for file, content in case.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
    _reset_peak()
    before, started = _peak(), time.process_time()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(None):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", FootfallWarning)
            READERS[name].read(folder / next(iter(case)))
    except FootfallError as error:
        if len(str(error)) > 10_000:
            return f"a message of {len(str(error))} characters"
    except BaseException:
        return "".join(traceback.format_exc(limit=-2))
    spent, used = time.process_time() - started, _peak()
    if spent > seconds:
        return f"took {spent:.1f} s"
    return f"used {(used - before) / 2**20:.0f} MiB" if used - before > BYTES else ""


def _reset_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Most memory that the process has had since the last reset, bytes."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Job(NamedTuple):
    """A case to be run: the reader, its number, or the name of an extreme."""

    reader: str
    case: int | str

    def files(self, seed: int) -> Case:
        return (
            mutated(self.reader, seed, self.case) if isinstance(self.case, int) else EXTREMES[self.case][1]()
        )


def _work(jobs: Sequence[Job], start: int, seed: int, seconds: float, position: Any, failures: Any) -> None:
    """Run cases in this process; `position` says how far it is."""
    os.environ["OMP_NUM_THREADS"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="footfall-attack-", dir=_fast_folder()))
    os.chdir(folder)  # MuJoCo leaves a log where it runs
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for reader in dict.fromkeys(job.reader for job in jobs[start:]):
        complaint(reader, _seed(reader), folder)  # imports, and kernels into the cache
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    for index in range(start, len(jobs)):
        position.value = index
        case = jobs[index].files(seed)
        resource.setrlimit(resource.RLIMIT_AS, (taken + _STOP, -1))
        problem = complaint(jobs[index].reader, case, folder, seconds)
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        if problem:
            failures.put((jobs[index], problem))
    position.value = len(jobs)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)


def _fast_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def attack(
    jobs: Sequence[Job],
    *,
    seed: int = 0,
    seconds: float = SECONDS,
    report: Callable[[int, int], None] = lambda *_: None,
) -> list[tuple[Job, str]]:
    """Run cases in worker processes; the failures, by case. seconds: for each. report: takes progress and failures."""
    context = multiprocessing.get_context("spawn")
    failures: list[tuple[Job, str]] = []
    start = 0
    while start < len(jobs):
        position, queue = context.Value("q", start), context.Queue()
        worker = context.Process(target=_work, args=(jobs, start, seed, seconds, position, queue))
        worker.start()
        seen, since, hung = -1, _clock(worker.pid), False
        while worker.is_alive():
            worker.join(0.1)
            failures.extend(_emptied(queue))
            if position.value != seen:
                seen, since = position.value, _clock(worker.pid)
                report(seen, len(failures))
            elif _clock(worker.pid) - since > 12 * SECONDS + (120 if seen == start else 0):
                failures.append((jobs[seen], "does not end"))
                hung = True
                worker.kill()
                worker.join()
        failures.extend(_emptied(queue))
        if worker.exitcode and not hung:
            code = worker.exitcode
            what = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            failures.append((jobs[position.value], f"the process died: {what}"))
        start = position.value + (1 if position.value < len(jobs) else 0)
        report(start, len(failures))
    return failures


def _clock(process: int | None) -> float:
    """Time of the processor that a process has had, s; where the system does not tell, the time of day."""
    if not Path("/proc/self/stat").exists():
        return time.monotonic()
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0  # it has ended
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _emptied(queue: Any) -> Iterator[tuple[Job, str]]:
    while not queue.empty():
        yield queue.get()


def _told(name: str, jobs: list[Job], given: Any) -> int:
    """Run cases, print what became of them and give the number of failures."""
    started = time.monotonic()
    found = attack(jobs, seed=given.seed)
    spent = time.monotonic() - started
    print(f"{name:30}{len(jobs):9} cases {spent:8.0f} s  {len(found)} failures", flush=True)
    kinds: dict[str, list[Job]] = {}
    for job, problem in found:
        kinds.setdefault(problem.strip().splitlines()[-1][:150], []).append(job)
        if given.keep is not None:
            for file, content in job.files(given.seed).items():
                path = given.keep / f"{name}-{given.seed}-{job.case}".replace(" ", "-") / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    for kind, same in sorted(kinds.items(), key=lambda each: -len(each[1])):
        print(f"    {len(same):6} x {kind}   (case {same[0].case})", flush=True)
    return len(found)


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("readers", nargs="*", default=list(READERS))
    arguments.add_argument("--count", type=int, default=50_000, help="mutations for each reader")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--first", type=int, default=0, help="number of the first case")
    arguments.add_argument("--keep", type=Path, help="folder for the files of failures")
    given = arguments.parse_args()
    failed = 0
    if given.readers == list(READERS):
        failed += _told("extremes", [Job(reader, name) for name, (reader, _) in EXTREMES.items()], given)
    for name in given.readers:
        failed += _told(name, [Job(name, k) for k in range(given.first, given.first + given.count)], given)
    print(f"{failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
