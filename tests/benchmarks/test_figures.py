"""Figures in documents are those of the reports in `benchmarks/`, and texts for users name authors, not our notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.figures import ROOT, brought_up_to_date, documents

_LABELS = re.compile(r"\b[Ss]pec 00\d|\bR-\d\d\b|^\| [RC]\d+[a-z]? ", re.MULTILINE)


@pytest.mark.parametrize("path", list(documents()), ids=lambda path: path.stem)
def test_figures_are_those_of_the_reports(path: Path) -> None:
    """`python -m benchmarks.figures` brings them up to date."""
    _, wrong = brought_up_to_date(path.read_text(encoding="utf-8"))
    assert not wrong


def test_some_documents_have_such_figures() -> None:
    marked = [path for path in documents() if "<!-- rows of benchmarks/" in path.read_text(encoding="utf-8")]
    assert len(marked) >= 2


def test_wrong_figures_are_found_and_mended(tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    report = "| | us |\n|---|---|\n| call | 3.5 |\n| batch of 8 | 0.5 |\n"
    (tmp_path / "benchmarks" / "speed.md").write_text(report)
    head = "<!-- rows of benchmarks/speed.md -->\n\n| | us |\n|---|---|\n"
    text, wrong = brought_up_to_date(f"{head}| call | 2.5 |\n\nMore\n| call | 1 |\n", tmp_path)
    assert wrong == ["'call' is not as in benchmarks/speed.md"]
    assert text == f"{head}| call | 3.5 |\n\nMore\n| call | 1 |\n"
    assert brought_up_to_date(f"{head}| batch of 8 | 0.5 |\n", tmp_path)[1] == []
    assert "has no row" in brought_up_to_date(f"{head}| other | 0.5 |\n", tmp_path)[1][0]


def test_users_read_of_authors() -> None:
    """Row numbers of our notes say nothing to those who do not have them."""
    for path in (*documents(), *sorted((ROOT / "examples").glob("*.py"))):
        found = _LABELS.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found[0]!r}; name author, year and chapter (docs/references.md)"
