"""Bring figures of documents up to date: tables under a comment `rows of benchmarks/X.md` have rows of that report, and
sentences quote cells of reports (`QUOTES`).

    python -m benchmarks.figures [--check]

A row is known by its words, the cells before its first number; a document chooses which rows it shows. A quoted number
is rounded to as many digits as the sentence has. With --check nothing is written, and what is not as in the report is
told of.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_MARK = re.compile(r"<!-- rows of (benchmarks/[\w.]+\.md) -->")
_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?( .*)?")


class Quote(NamedTuple):
    """A sentence of a page with a number, {}, that a report has: behind which words of a row, and which one there."""

    page: str
    sentence: str
    report: str
    row: str
    place: int = 0


_MOTION, _LOOPS, _FIRST_USE = "benchmarks/motion.md", "benchmarks/loops.md", "benchmarks/first_use.md"
_DRIFT = "benchmarks/quadruped_drift.md"
_CASSIE, _FOUR_BAR = (
    "cassie | 20/30 | O(n) with sub-systems",
    "four-bar-leg | 2/4 | O(n) with sub-systems",
)
QUOTES = (
    Quote("README.md", "A motion of 26 steps is generated and checked in {} ms", _MOTION, "**total, ms**", 2),
    Quote("README.md", "one of 9 in {} ms, where", _MOTION, "**total, ms**"),
    Quote("README.md", "the C++ of the source needs {} and 1.9", _MOTION, "source, ms", 2),
    Quote("docs/motion.md", "(0.12 ms of the {})", _MOTION, "**total, ms**"),
    Quote("docs/benchmarks.md", "Cassie: {} times faster than Pinocchio a call", _LOOPS, _CASSIE, 5),
    Quote("docs/benchmarks.md", "Pinocchio a call, {} times in batches", _LOOPS, _CASSIE, 8),
    Quote("docs/benchmarks.md", "the four-bar leg {} and", _LOOPS, _FOUR_BAR, 5),
    *(
        Quote("docs/benchmarks.md", sentence, _FIRST_USE, use, place)
        for sentence, use, place in (
            ("import {} s,", "import", 0),
            ("forward dynamics of LOLA {} s the first time", "forward dynamics, LOLA", 0),
            ("the first time and {} s again", "forward dynamics, LOLA", 2),
            ("a simulation of the quadruped {} and", "simulation, quadruped", 0),
            ("inverse kinematics {} and", "inverse kinematics, LOLA", 0),
            ("the motion generator {} and", "motion generator, LOLA", 0),
            ("whole-body control {} and", "whole-body control and its kinematics, LOLA", 0),
        )
    ),
    Quote("docs/quadruped.md", "0.7 m penalty | {} m, mean of eight", _DRIFT, "as shipped"),
    Quote(
        "docs/quadruped.md",
        "{} m with the body 7 mm beside its feet",
        _DRIFT,
        "body 7 mm to the left for good",
        2,
    ),
)


def quoted(quote: Quote, text: str, root: Path = ROOT) -> tuple[str, list[str]]:
    """The text of a page with the number that its report has, and what was wrong before."""
    rows = [row for row in (root / quote.report).read_text(encoding="utf-8").split("\n") if is_row(row)]
    found = [row.split(quote.row, 1)[1] for row in rows if row.startswith(f"| {quote.row} |")]
    numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", found[0]) if found else []
    pattern = re.escape(quote.sentence).replace(r"\{\}", r"(\d+(?:\.\d+)?)")
    match = re.search(pattern, text)
    if match is None or len(numbers) <= quote.place:
        where = quote.page if match is None else quote.report
        return text, [f"{where} does not have what {quote.sentence!r} quotes; mend QUOTES"]
    digits = Decimal(1).scaleb(Decimal(match[1]).as_tuple().exponent)  # type: ignore[arg-type]  # finite
    known = str(Decimal(numbers[quote.place]).quantize(digits, ROUND_HALF_UP))
    if known == match[1]:
        return text, []
    wrong = f"{quote.sentence.format(match[1])!r} is {known} in {quote.report}"
    return text[: match.start(1)] + known + text[match.end(1) :], [wrong]


def documents() -> Iterator[Path]:
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").glob("*.md"))


def words(row: str) -> tuple[str, ...]:
    """What a row is known by."""
    found = []
    for cell in (cell.strip() for cell in row.strip().strip("|").split("|")):
        if _NUMBER.fullmatch(cell):
            break
        found.append(cell)
    return tuple(found)


def is_row(line: str) -> bool:
    return line.startswith("|") and not set(line.strip()) <= set("|-: ")


def _by_words(report: str) -> dict[tuple[str, ...], str]:
    """The rows of a report that are known by their words."""
    rows = [row.rstrip() for row in report.split("\n") if is_row(row)]
    several = Counter(words(row) for row in rows)
    return {words(row): row for row in rows if several[words(row)] == 1}


def brought_up_to_date(text: str, root: Path = ROOT) -> tuple[str, list[str]]:
    """The text of a document with the rows of its reports, and what was wrong before."""
    lines, wrong, rows = text.split("\n"), [], None
    report = ""
    for k, line in enumerate(lines):
        if mark := _MARK.fullmatch(line.strip()):
            report = mark[1]
            content = (root / report).read_text(encoding="utf-8")
            rows = _by_words(content)
        elif rows is not None and is_row(line):
            known = rows.get(words(line))
            if known is None:
                wrong.append(f"{report} has no row {' | '.join(words(line))!r}, or more than one")
            elif known != line.rstrip():
                wrong.append(f"{' | '.join(words(line))!r} is not as in {report}")
                lines[k] = known
        elif rows is not None and line.strip() and not line.startswith("|"):
            rows = None
    return "\n".join(lines), wrong


def main() -> int:
    failed = 0
    for path in documents():
        text, wrong = brought_up_to_date(path.read_text(encoding="utf-8"))
        for quote in (each for each in QUOTES if ROOT / each.page == path):
            text, more = quoted(quote, text)
            wrong += more
        failed += len(wrong)
        for problem in wrong:
            print(f"{path.relative_to(ROOT)}: {problem}")
        if wrong and "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
