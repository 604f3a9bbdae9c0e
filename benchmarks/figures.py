"""Bring figures of documents up to date: tables under a comment `rows of benchmarks/X.md` have rows of that report.

    python -m benchmarks.figures [--check]

A row is known by its words, the cells before its first number; a document chooses which rows it shows. With --check
nothing is written, and rows that are not those of the report are told of.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_MARK = re.compile(r"<!-- rows of (benchmarks/[\w.]+\.md) -->")
_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?( .*)?")


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


def brought_up_to_date(text: str, root: Path = ROOT) -> tuple[str, list[str]]:
    """The text of a document with the rows of its reports, and what was wrong before."""
    lines, wrong, rows = text.split("\n"), [], None
    report = ""
    for k, line in enumerate(lines):
        if mark := _MARK.fullmatch(line.strip()):
            report = mark[1]
            content = (root / report).read_text(encoding="utf-8")
            rows = {words(row): row.rstrip() for row in content.split("\n") if is_row(row)}
        elif rows is not None and is_row(line):
            known = rows.get(words(line))
            if known is None:
                wrong.append(f"{report} has no row {' | '.join(words(line))!r}")
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
        failed += len(wrong)
        for problem in wrong:
            print(f"{path.relative_to(ROOT)}: {problem}")
        if wrong and "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
