"""The code in docs/ runs, page by page; that of the README is run by `test_examples.py`."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any

import pytest

from footfall.public_names import names_of

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = [
    path for path in sorted((ROOT / "docs").glob("*.md")) if BLOCK.search(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its blocks one after the other, in an empty folder: a reader can copy them."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": page.stem}
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1):
        name = f"{page.name}, block {number}"
        linecache.cache[name] = (len(block), None, block.splitlines(keepends=True), name)  # routines read it
        exec(compile(block, name, "exec"), namespace)
    assert namespace


GUIDES = [
    "benchmarks",
    "contact-solvers",
    "control",
    "drives",
    "hybrid",
    "inverse-kinematics",
    "loops",
    "motion",
    "planning",
    "quadruped",
    "recordings",
    "robot-format",
    "routines",
    "scenes",
    "simulation",
    "volumes",
]


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_begins_with_what_a_reader_can_do(name: str) -> None:
    """A command or a block of code within its first ten lines."""
    head = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").splitlines()[:10]
    assert any(line.startswith(("```", "    footfall")) for line in head)


def links(page: Path) -> list[str]:
    """Relative links and pictures of a page, without anchors."""
    found = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|src=\"([^\"]+)\"", page.read_text(encoding="utf-8"))
    return [link for pair in found for link in pair if link and "://" not in link]


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ],
    ids=lambda page: page.stem,
)
def test_links_lead_somewhere(page: Path) -> None:
    missing = [link for link in links(page) if not (page.parent / link).exists()]
    assert missing == []


def test_every_page_is_linked_from_the_readme() -> None:
    linked = {(ROOT / link).resolve() for link in links(ROOT / "README.md")}
    assert set((ROOT / "docs").glob("*.md")) - linked == set()


def test_files_that_the_architecture_names_exist() -> None:
    """Whatever looks like a file or a package of ours there is one."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text))
    assert len(named) > 40
    source = ROOT / "src" / "footfall"
    known = {path.relative_to(ROOT) for path in [*source.rglob("*"), *(ROOT / "tests").rglob("*.py")]}

    def exists(name: str) -> bool:
        wanted = Path(name).parts
        return (ROOT / name).exists() or any(path.parts[-len(wanted) :] == wanted for path in known)

    assert {name for name in named if not exists(name)} == set()
    assert not exists("dynamics/nothing.py")


def test_the_glossary_names_what_is_there() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "in code" not in line]
    assert len(rows) >= 60
    for row in rows:
        term, _, code = (cell.strip() for cell in row.strip("|").split("|"))
        path = code.strip("`")
        module, _, name = path.rpartition(".")
        assert name in names_of(module), f"{term}: {path} is not public"
