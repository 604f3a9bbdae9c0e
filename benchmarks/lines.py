"""Lines of code of every package, without blanks, comments and docstrings, beside its budget in pyproject.toml.

python -m benchmarks.lines                 # this checkout
python -m benchmarks.lines ../other        # another one, such as a worktree of an older commit
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class PackageLines(NamedTuple):
    """Size of a package. budget: 0 where none is set."""

    package: str
    files: int
    code: int
    budget: int

    @property
    def excess(self) -> int:
        return self.code - self.budget


def lines_of_code(text: str) -> int:
    """Lines on which something stands that Python runs."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            words = node.body[0]
            lines.difference_update(range(words.lineno, (words.end_lineno or words.lineno) + 1))
    return len(lines)


def budgets(root: Path = ROOT) -> dict[str, int]:
    """Lines of code that each package may have."""
    with (root / "pyproject.toml").open("rb") as file:
        return dict(tomllib.load(file)["tool"].get("lines-of-code", {}))


def rows(root: Path = ROOT) -> list[PackageLines]:
    """One row a package; modules beside the packages are one row, "footfall"."""
    source = root / "src" / "footfall"
    counts: dict[str, list[int]] = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        package = parts[0] if len(parts) > 1 else "footfall"
        counts.setdefault(package, []).append(lines_of_code(path.read_text(encoding="utf-8")))
    allowed = budgets(root)
    return [
        PackageLines(name, len(each), sum(each), allowed.get(name, 0))
        for name, each in sorted(counts.items())
    ]


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    table = rows(root)
    for row in [*table, PackageLines("all", *(sum(column) for column in list(zip(*table, strict=True))[1:]))]:
        print(f"{row.package:12} {row.files:4} files {row.code:6} lines of code, budget {row.budget:6}")


if __name__ == "__main__":
    main()
