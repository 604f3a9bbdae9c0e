"""Feed mutated robot descriptions to the readers: only typed errors may come out.

    python benchmarks/fuzz_readers.py [--count 100000] [--seed 0] [--format toml|urdf|mjcf] [--keep FOLDER]

Case number i of a seed is always the same text. Each case must end within 5 s and leave the process below
1 GB, either with a robot or with a FootfallError; a crash of the process (MuJoCo's parser is C++) counts as a
failure and the run goes on behind it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError, RobotWarning
from footfall.robot.mjcf import parse_mjcf
from footfall.robot.toml import parse_toml
from footfall.robot.urdf import parse_urdf

SECONDS = 5.0
BYTES = 2**30

_SEEDS = Path(__file__).with_name("fuzz_seeds")

Parser = Callable[[Any], object]
FORMATS: dict[str, tuple[Parser, str]] = {
    "toml": (parse_toml, (_SEEDS / "seed.toml").read_text()),
    "urdf": (parse_urdf, (_SEEDS / "seed.urdf").read_text()),
    "mjcf": (parse_mjcf, (_SEEDS / "seed.xml").read_text()),
}

_NUMBERS = [
    *(
        "0",
        "-0",
        "1",
        "-1",
        "0.5",
        "3",
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1e308",
        "1e-320",
        "1e9",
        "-1e9",
        "1e29",
    ),
    *("100000", "65536", "4294967296", "1e400", "0x10", "1_0", "1.5.2", "-", "", "1,5", "true", '"1"', "1 2"),
    *("[1, 2]", "2024-02-30", "\u0663", "9" * 400),
]
_FRAGMENTS = {
    "toml": [
        *("[[body]]\n", "[body.joint]\n", 'name = "base"\n', 'type = "planar"\n', "= ", "'''", '"""', "#"),
        *(
            "a.b.c.d = 1\n",
            "\x00",
            "\ud800",
            "\\u0000",
            "{" * 50,
            "[" * 3000,
            "limit_sets = 3\n",
            "mass = -1\n",
        ),
    ],
    "urdf": [
        *(
            "<!DOCTYPE a [<!ENTITY b 'c'>]>",
            "&b;",
            "&#0;",
            "<a>" * 3000,
            "</robot>",
            "<link name='x'/>",
            "<!--",
        ),
        *("<![CDATA[", "]]>", "\x00", "\ud800", "<?xml version='1.0' encoding='utf-16'?>"),
        *("<mimic joint='hip'/>", 'type="planar"', 'type="floating"'),
    ],
    "mjcf": [
        *("<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<!--", "\x00", "\ud800", "<body>" * 600, "<freejoint/>"),
        *(
            "<joint type='ball'/>",
            "<joint/>" * 7,
            'type="slide"',
            "<geom type='mesh'/>",
            "<include file='x'/>",
        ),
        *("<replicate count='9999999'>", "<size nuser_body='99999999'/>"),
        "<texture builtin='flat' type='cube' width='99999' height='99999'/>",
        "<composite type='cable' count='99999 1 1'/>",
    ],
}


def mutated(kind: str, seed: int, index: int) -> str:
    """Text of a case: the seed text after one to four mutations, each cheap and blunt."""
    rng = random.Random(f"{kind} {seed} {index}")
    text = FORMATS[kind][1]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(_MUTATIONS)(text, rng, kind)
    return text


def _exchange_number(text: str, rng: random.Random, kind: str) -> str:
    found = list(re.finditer(r"-?\d+\.?\d*(?:e-?\d+)?", text))
    if not found:
        return text
    place = rng.choice(found)
    plain = f"{rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-6, 6):.6g}"
    return text[: place.start()] + rng.choice((plain, plain, rng.choice(_NUMBERS))) + text[place.end() :]


def _exchange_word(text: str, rng: random.Random, kind: str) -> str:
    found = list(re.finditer(r"[A-Za-z_]+", text))
    if not found:
        return text
    place = rng.choice(found)
    # of the same first letter, and so rather of the same kind
    other = rng.choice([word for word in found if rng.random() < 0.1 or word.group()[0] == place.group()[0]])
    return text[: place.start()] + other.group() + text[place.end() :]


def _span(text: str, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.choice((1, 2, 5, 20, 100, 400)))


def _delete(text: str, rng: random.Random, kind: str) -> str:
    start, stop = _span(text, rng)
    return text[:start] + text[stop:]


def _copy(text: str, rng: random.Random, kind: str) -> str:
    start, stop = _span(text, rng)
    target = rng.randrange(len(text) + 1)
    return text[:target] + text[start:stop] * rng.choice((1, 1, 1, 2, 50)) + text[target:]


def _exchange_character(text: str, rng: random.Random, kind: str) -> str:
    place = rng.randrange(len(text) + 1)
    character = chr(rng.choice((rng.randrange(128), rng.randrange(128), rng.randrange(0x3000))))
    return text[:place] + character + text[place + 1 :]


def _insert_fragment(text: str, rng: random.Random, kind: str) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(_FRAGMENTS[kind]) + text[place:]


def _change_lines(text: str, rng: random.Random, kind: str) -> str:
    lines = text.split("\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case _:
            lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def _truncate(text: str, rng: random.Random, kind: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


_MUTATIONS: tuple[Callable[[str, random.Random, str], str], ...] = (
    *(_exchange_number,) * 12,
    *(_exchange_word, _change_lines) * 4,
    *(_delete, _copy, _exchange_character, _insert_fragment),
    _truncate,
)


def complaint(kind: str, text: str) -> str:
    """What is wrong with the reader's answer to a text; empty if it is a robot or a typed error."""
    parse = FORMATS[kind][0]
    started = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RobotWarning)
            parse(text)
    except FootfallError as error:
        if len(str(error)) > 10_000:
            return f"a message of {len(str(error))} characters"
    except BaseException:
        return "".join(traceback.format_exc(limit=-2))
    spent = time.monotonic() - started
    if spent > SECONDS:
        return f"took {spent:.1f} s"
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return f"the process used {used / 2**20:.0f} MiB" if used > BYTES else ""


def _work(kind: str, seed: int, first: int, count: int, position: Any, failures: Any) -> None:
    """Run cases from `first` on in this process; `position` says how far it is."""
    folder = tempfile.mkdtemp(prefix="footfall-fuzz-")  # MuJoCo leaves a log where it runs
    os.chdir(folder)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for index in range(first, count):
        position.value = index
        problem = complaint(kind, mutated(kind, seed, index))
        if problem:
            failures.put((index, problem))
            if "process used" in problem:
                return  # the maximum does not go down again
    position.value = count


def fuzz(kind: str, *, seed: int, count: int, report: Callable[[int, int], None]) -> list[tuple[int, str]]:
    """Run `count` cases in worker processes; the failures, by case. report: takes progress and failures."""
    context = multiprocessing.get_context("spawn")
    failures: list[tuple[int, str]] = []
    next_case = 0
    while next_case < count:
        position, queue = context.Value("q", next_case), context.Queue()
        worker = context.Process(target=_work, args=(kind, seed, next_case, count, position, queue))
        worker.start()
        seen, since = -1, time.monotonic()
        while worker.is_alive():
            worker.join(0.2)
            while not queue.empty():
                failures.append(queue.get())
            if position.value != seen:
                seen, since = position.value, time.monotonic()
                report(seen, len(failures))
            elif time.monotonic() - since > 4 * SECONDS + (10 if seen == next_case else 0):
                failures.append((seen, "does not end"))
                worker.kill()
                worker.join()
        while not queue.empty():
            failures.append(queue.get())
        if worker.exitcode and not (failures and failures[-1] == (position.value, "does not end")):
            code = worker.exitcode
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            failures.append((position.value, f"the process died: {name}"))
        next_case = position.value + (1 if position.value < count else 0)
        report(next_case, len(failures))
    return failures


def main() -> int:
    arguments = argparse.ArgumentParser(description="Fuzz the robot readers.")
    arguments.add_argument("--count", type=int, default=100_000, help="mutations for each format")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--format", choices=tuple(FORMATS), action="append", help="only these formats")
    arguments.add_argument("--keep", type=Path, help="folder for the texts of failures")
    given = arguments.parse_args()
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    failed = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns) as progress:
        for kind in given.format or tuple(FORMATS):
            FORMATS[kind][0](FORMATS[kind][1])  # the seed itself must be a robot
            task = progress.add_task(kind, total=given.count)

            def report(done: int, bad: int, task: Any = task, kind: str = kind) -> None:
                progress.update(task, completed=done, description=f"{kind}: {bad} failures")

            for index, problem in fuzz(kind, seed=given.seed, count=given.count, report=report):
                failed += 1
                progress.console.print(f"{kind}, seed {given.seed}, case {index}: {problem}", markup=False)
                if given.keep is not None:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    text = mutated(kind, given.seed, index)
                    path = given.keep / f"{kind}-{given.seed}-{index}.txt"
                    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    print(f"{failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
