"""The direction of imports: data flows one way, and a package knows only what lies before it."""

from __future__ import annotations

import ast
import builtins
import functools
import re
from pathlib import Path

import pytest

import footfall
from benchmarks.lines import budgets, lines_of_code, rows

SOURCE = Path(footfall.__file__).parent

# Public modules that have no package of their own: they give names of several.
DOORS = ("drives", "hybrid", "ik", "tasks", "volumes")

# A package imports only from packages before it in this order, see docs/architecture.md.
ORDER = (
    "version",
    "foreign_names",
    "renamed",
    "public_names",
    "arrays",
    "errors",
    "option_checks",
    "whole_file",
    "output_file",
    "compiler",
    "math",
    "messages",
    "geometry",
    "robot",
    "dynamics",
    "scene",
    "recording",
    "contact",
    "simulation",
    "control",
    "gait",
    "motion",
    "environment",
    "planning",
    "walking",
    "learning",
    "studies",
    "workspace",
    "scenarios",
    "viewer",
    "bench",
    "cli",
    *DOORS,
)
FILES = sorted(SOURCE.rglob("*.py"))


def package_of(path: Path) -> str:
    """First part of the path below footfall/: the package, or the module's own name."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported_packages(path: Path, text: str | None = None) -> set[str]:
    """Packages of footfall that a file imports, at its top or inside functions; the type checker's count too."""
    found = set()
    for node in ast.walk(ast.parse(text or path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "footfall":
                found.add(parts[1] if len(parts) > 1 and parts[1] in ORDER else "footfall")
    return found


def wrong_imports(path: Path, text: str | None = None) -> set[str]:
    package = package_of(path)
    if package in ("__init__", "__main__"):
        return set()
    place = ORDER.index(package)
    # `import footfall` brings everything, so only what stands after all of it may do that.
    free = place >= ORDER.index("viewer")
    known = {*ORDER[: place + 1], *(["footfall"] if free else [])}
    return imported_packages(path, text) - known


def test_every_package_has_its_place() -> None:
    packages = {package_of(path) for path in FILES} - {"__init__", "__main__"}
    assert packages <= set(ORDER), f"not in ORDER: {packages - set(ORDER)}"
    assert {"errors", "compiler", "math", "robot", "dynamics", "bench", "cli"} <= packages


@pytest.mark.parametrize("package", ORDER)
def test_imports_point_to_the_left(package: str) -> None:
    wrong = {
        str(path.relative_to(SOURCE)): sorted(names)
        for path in FILES
        if package_of(path) == package and (names := wrong_imports(path))
    }
    assert wrong == {}


def import_graph() -> list[str]:
    """The table of docs/architecture.md: packages, and the packages that they import."""
    rows = ["| package | imports |", "|---|---|"]
    packages = ORDER[ORDER.index("compiler") : ORDER.index("cli") + 1]
    for package in packages:
        files = [path for path in FILES if package_of(path) == package]
        used = set().union(*(imported_packages(path) for path in files)) - {package}
        names = ", ".join(f"`{each}`" for each in packages if each in used)
        rows += [f"| `{package}` | {names or 'none'} |"] if files else []
    return rows


def test_the_graph_of_imports_is_told() -> None:
    text = (SOURCE.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert "\n".join(import_graph()) in text, "docs/architecture.md must have:\n" + "\n".join(import_graph())


def test_compiler_knows_nothing_of_robots() -> None:
    used = set().union(*(imported_packages(path) for path in FILES if package_of(path) == "compiler"))
    assert used <= {"compiler", "errors", "arrays", "whole_file", "public_names", "renamed"}


def test_a_wrong_import_is_found() -> None:
    """The checks above can fail."""
    path = SOURCE / "robot" / "model.py"
    assert wrong_imports(path, "from footfall.dynamics.jacobians import joint_motions") == {"dynamics"}
    assert wrong_imports(path, "def f():\n    import footfall.cli.demo") == {"cli"}
    assert wrong_imports(path, "from footfall import load") == {"footfall"}
    assert wrong_imports(path, "from footfall import math, compiler") == set()
    with pytest.raises(AssertionError, match="relative import"):
        imported_packages(path, "from .tree import Tree")


def test_files_say_what_they_are_about() -> None:
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path} has no docstring"


def test_packages_keep_to_their_budget_of_lines() -> None:
    """One budget a package, not one a file: code goes where a reader looks for it."""
    counted = rows()
    over = [
        f"{row.package}: {row.code} lines of code, budget {row.budget}" for row in counted if row.excess > 0
    ]
    assert over == [], "make it simpler, or raise the budget in pyproject.toml and say why in the commit"
    assert {row.package for row in counted} == set(budgets()), "pyproject.toml has a budget for every package"


def test_lines_of_code_are_counted_without_words_about_them() -> None:
    text = '"""A file."""\n\n# why\nx = (\n    1,\n\n    2,  # two\n)\n\n\ndef f():\n    """Docs.\n\n    More."""\n'
    text += '    return """a\nb"""\n'
    assert lines_of_code(text) == 4 + 1 + 2


def test_tests_mirror_the_source() -> None:
    """Every package with code has a folder of tests of the same name."""
    tests = Path(__file__).parent
    packages = {package_of(path) for path in FILES if path.parent != SOURCE}
    missing = [package for package in packages if not (tests / package).is_dir()]
    assert missing == []


@functools.cache
def exceptions() -> frozenset[str]:
    """Names of Python's and of our own errors and warnings."""
    from footfall import errors

    everything = {**vars(builtins), **vars(errors)}
    return frozenset(
        name
        for name, value in everything.items()
        if isinstance(value, type) and issubclass(value, BaseException)
    )


def error_classes(path: Path, text: str | None = None) -> set[str]:
    """Classes of a file that are errors or warnings, by the names of their bases."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text or path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & (
            exceptions() | found
        ):
            found.add(node.name)
    return found


def test_errors_stand_once_in_one_file_and_are_few() -> None:
    """`footfall/errors.py` has the rules; who catches an error finds it in `footfall.errors`."""
    elsewhere = {
        str(path.relative_to(SOURCE)): sorted(found)
        for path in FILES
        if package_of(path) != "errors" and (found := error_classes(path))
    }
    assert elsewhere == {}
    names = [name for path in FILES if package_of(path) == "errors" for name in error_classes(path)]
    assert 30 < len(names) == len(set(names)) <= 45


def test_an_error_elsewhere_is_found() -> None:
    path = SOURCE / "robot" / "model.py"
    assert error_classes(path, "class Odd(RobotError):\n    pass\n\nclass Odder(Odd):\n    pass") == {
        "Odd",
        "Odder",
    }
    assert error_classes(path, "class Loud(UserWarning):\n    pass") == {"Loud"}
    assert error_classes(path, "class Plain(dict):\n    pass") == set()


def test_types_of_arrays_are_named_once() -> None:
    """`footfall/arrays.py` has them."""
    alias = re.compile(r"^(Array|Integers|Indices|Flags)\b[^=\n]*= (np\.ndarray|NDArray)", re.MULTILINE)
    copies = [
        str(path.relative_to(SOURCE))
        for path in FILES
        if package_of(path) != "arrays"
        and not path.name.startswith("native_")  # waiting to become routines
        and alias.search(path.read_text(encoding="utf-8"))
    ]
    assert copies == []
