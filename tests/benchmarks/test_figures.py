"""Figures in documents are those of the reports in `benchmarks/`, and texts for users name authors, not our notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.figures import QUOTES, ROOT, Quote, brought_up_to_date, documents, is_row, quoted, words

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
    (tmp_path / "benchmarks" / "speed.md").write_text(f"{report}| call | 4.5 |\n")
    assert "more than one" in brought_up_to_date(f"{head}| call | 3.5 |\n", tmp_path)[1][0]


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: quote.sentence)
def test_sentences_quote_the_reports(quote: Quote) -> None:
    assert quoted(quote, (ROOT / quote.page).read_text(encoding="utf-8"))[1] == []


def test_wrong_quotes_are_found_and_mended(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text(
        "| | us | ms |\n|---|---|---|\n| call of 8 | 3.45 (3.1 to 3.6) | 7 |\n"
    )
    quote = Quote("page.md", "a call takes {} us", "report.md", "call of 8")
    assert quoted(quote, "Here a call takes 3.5 us.", tmp_path) == ("Here a call takes 3.5 us.", [])
    mended, wrong = quoted(quote, "Here a call takes 2.50 us.", tmp_path)
    assert mended == "Here a call takes 3.45 us."
    assert wrong == ["'a call takes 2.50 us' is 3.45 in report.md"]
    assert "mend QUOTES" in quoted(quote, "Nothing is said.", tmp_path)[1][0]
    assert "mend QUOTES" in quoted(quote._replace(row="other"), "a call takes 1 us", tmp_path)[1][0]


def test_no_two_pages_disagree() -> None:
    """A row that several pages show, by its words under the same header, has the same numbers on all of them."""
    seen: dict[tuple[str, ...], tuple[str, Path]] = {}
    for path in (*documents(), *sorted((ROOT / "benchmarks").glob("*.md"))):
        head = ""
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line.startswith("|"):
                head = ""
            elif not head:
                head = line
            elif is_row(line) and len(words(line)) > 1:
                key = (re.sub(r"\s", "", head), *words(line))
                before, where = seen.setdefault(key, (line.rstrip(), path))
                if where != path:
                    assert before == line.rstrip(), f"{path} and {where} disagree: {line}"
    assert len(seen) > 100


def test_users_read_of_authors() -> None:
    """Row numbers of our notes say nothing to those who do not have them."""
    for path in (*documents(), *sorted((ROOT / "examples").glob("*.py"))):
        found = _LABELS.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found[0]!r}; name author, year and chapter (docs/references.md)"
