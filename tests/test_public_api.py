"""What users may rely on: names that resolve, are documented, have one import path, and load fast."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import footfall
from footfall.dynamics.algorithm import Algorithm
from footfall.foreign_names import FOREIGN
from footfall.public_names import listing_of, names_of, public_modules

ROOT = Path(__file__).parent.parent
MODULES = public_modules()


@pytest.mark.parametrize("module", MODULES)
def test_names_resolve_and_are_documented(module: str) -> None:
    loaded = importlib.import_module(module)
    assert inspect.getdoc(loaded)
    for name in loaded.__all__:
        value = getattr(loaded, name)
        if not (inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, Algorithm)):
            continue  # constants and types
        documentation = inspect.getdoc(value) or ""
        assert documentation, f"{module}.{name} has no docstring"
        if inspect.isclass(value):
            assert documentation != inspect.getdoc(value.__mro__[1]), (
                f"{module}.{name} has no docstring of its own"
            )


@pytest.mark.parametrize("module", MODULES)
def test_names_are_listed_once_and_found(module: str) -> None:
    loaded = importlib.import_module(module)
    names = loaded.__all__
    assert list(names) == sorted(set(names), key=lambda name: (not name.isupper(), name))
    assert set(names) == set(names_of(module))
    assert set(names) <= set(dir(loaded))


def test_the_root_has_what_everybody_uses() -> None:
    assert 50 <= len(footfall.__all__) <= 70
    assert {
        "load",
        "Robot",
        "Plane",
        "forward_dynamics",
        "Simulation",
        "free_body",
        "export_recording",
    } <= set(footfall.__all__)


def repeated(names: dict[str, list[str]]) -> dict[str, int]:
    """Names that more than one module gives."""
    counts = Counter(name for listed in names.values() for name in listed)
    return {name: count for name, count in counts.items() if count > 1}


def test_a_name_has_one_path() -> None:
    """No name is given by two public modules, and nothing under two names."""
    assert repeated({module: names_of(module) for module in MODULES}) == {}
    assert repeated({"footfall": ["load"], "footfall.robot": ["load"]}) == {"load": 2}
    things: dict[int, str] = {}
    for module in MODULES:
        for name in names_of(module):
            value = getattr(importlib.import_module(module), name)
            if inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, Algorithm):
                assert id(value) not in things, f"{module}.{name} is {things[id(value)]}"
                things[id(value)] = f"{module}.{name}"


def test_submodules_do_not_hide_names() -> None:
    """`dynamics/configuration.py` and the function that it is made for have the same name."""
    importlib.import_module("footfall.dynamics.configuration")
    assert isinstance(footfall.dynamics.joint_rates, Algorithm)
    importlib.import_module("footfall.dynamics.forward_dynamics")
    with pytest.raises(AttributeError, match=r"it is footfall\.forward_dynamics"):
        _ = footfall.dynamics.forward_dynamics


def test_every_algorithm_is_public() -> None:
    """Functions decorated with @algorithm are what the package is for; private ones begin with an underscore."""
    public = {
        getattr(importlib.import_module(module), name) for module in MODULES for name in algorithms(module)
    }
    folder = Path(footfall.__file__).parent / "dynamics"
    for each in pkgutil.iter_modules([str(folder)]):
        module = importlib.import_module(f"footfall.dynamics.{each.name}")
        for label, value in vars(module).items():
            if isinstance(value, Algorithm) and not label.startswith("_"):
                assert value in public, f"{label} is not public"


def algorithms(module: str) -> list[str]:
    loaded = importlib.import_module(module)
    return [name for name in loaded.__all__ if isinstance(getattr(loaded, name), Algorithm)]


@pytest.mark.parametrize("module", ["footfall", "footfall.dynamics", "footfall.hybrid"])
def test_algorithms_state_shapes_and_take_options_by_name(module: str) -> None:
    """Arrays, and the frame that a function is about, stand in order; everything else is given by name."""
    assert algorithms(module)
    for name in algorithms(module):
        value = getattr(importlib.import_module(module), name)
        assert "(n" in (value.__doc__ or "") or "(6,)" in (value.__doc__ or ""), f"{name}: no shapes"
        positional = [p for p in value.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert {p.name for p in positional} <= {*value.shapes, "frame"}, name


# What a wrong name says


@pytest.mark.parametrize(
    ("module", "name", "told"),
    [
        ("footfall", "solve_ik", "footfall.ik.solve_ik"),
        ("footfall", "WholeBodyControl", "footfall.control.WholeBodyControl"),
        ("footfall.control", "solve_ik", "footfall.ik.solve_ik"),
        ("footfall.math", "Transform", "footfall.Transform"),
        ("footfall", "rnea", "footfall.inverse_dynamics"),
        ("footfall", "aba", "footfall.forward_dynamics"),
        ("footfall", "crba", "footfall.mass_matrix"),
        ("footfall", "mj_step", "footfall.Simulation"),
        ("footfall", "InvalidTransition", "footfall.errors.InvalidTransition"),
        ("footfall", "forward_dynamic", "forward_dynamics"),
        ("footfall", "contrl", "control"),
    ],
)
def test_a_wrong_name_says_where_the_right_one_is(module: str, name: str, told: str) -> None:
    loaded = importlib.import_module(module)
    with pytest.raises(AttributeError, match=re.escape(told)):
        getattr(loaded, name)
    with pytest.raises(ImportError, match=re.escape(told)):
        exec(f"from {module} import {name}", {})
    assert not hasattr(loaded, name)


def test_nonsense_is_told_without_a_guess() -> None:
    with pytest.raises(AttributeError, match=r"^footfall has no 'zqxj'$"):
        _ = footfall.zqxj


@pytest.mark.parametrize("name", FOREIGN)
def test_names_of_others_lead_to_public_ones(name: str) -> None:
    module, _, ours = FOREIGN[name].rpartition(".")
    assert ours in names_of(module)
    assert name == name.casefold()
    assert name not in names_of("footfall")


# What documents and examples may import


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Modules and names that a program imports from footfall; a module by itself has no name."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "footfall":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "footfall")


def private_imports(code: str) -> list[str]:
    """Imports that are not of public names."""
    return [
        f"{module}.{name}"
        for module, name in imported(code)
        if module not in MODULES
        or (name and name not in names_of(module) and f"{module}.{name}" not in listing_of(module).modules)
    ]


EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_import_public_names(path: Path) -> None:
    assert private_imports(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_documents_import_public_names(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        assert private_imports(block) == []
    for line in re.findall(r"^\s*((?:from|import) footfall[^\n]*)$", text, re.MULTILINE):
        assert private_imports(line) == []


def wrong_paths(text: str) -> list[str]:
    """What looks like a path of footfall in a text and is none."""
    modules = {name.rpartition(".")[2] for name in MODULES[1:]}
    wrong = []
    for path in re.findall(r"(?<![\w/.'-])(?<!-m )footfall((?:\.\w+)+)", text):
        first, *rest = path[1:].split(".")
        if first in modules:
            known = not rest or rest[0] in names_of(f"footfall.{first}")
        else:
            known = first in names_of("footfall")
        if not known:
            wrong.append(f"footfall{path}")
    return wrong


@pytest.mark.parametrize("path", [*PAGES, *EXAMPLES], ids=lambda path: path.stem)
def test_paths_that_texts_name_are_public(path: Path) -> None:
    assert wrong_paths(path.read_text(encoding="utf-8")) == []


def test_a_deeper_import_is_found() -> None:
    """The checks above can fail."""
    assert private_imports("from footfall.simulation.simulation import Simulation") == [
        "footfall.simulation.simulation.Simulation"
    ]
    assert private_imports("from footfall.control import solve_ik") == ["footfall.control.solve_ik"]
    assert private_imports("import footfall.robot.model") == ["footfall.robot.model."]
    assert (
        private_imports("import footfall\nfrom footfall import load, ik\nfrom footfall.ik import solve_ik")
        == []
    )
    assert wrong_paths("`footfall.robot.model`, footfall.solve_ik") == [
        "footfall.robot.model",
        "footfall.solve_ik",
    ]
    assert wrong_paths("`footfall.load`, footfall.ik.solve_ik, footfall.Simulation.run") == []


# What an import costs


def run_alone(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


HEAVY = ["scipy", "trimesh", "mujoco", "pinocchio", "matplotlib", "numba", "typer", "rich", "viser"]


def test_import_brings_no_other_package() -> None:
    """Not even NumPy: everything is loaded when it is needed."""
    others = ["numpy", "llvmlite", *HEAVY]
    program = f"import sys, footfall; print([name for name in {others!r} if name in sys.modules])"
    assert run_alone(program) == "[]"


def test_robots_and_their_dynamics_bring_no_optional_package() -> None:
    program = (
        f"import sys, footfall; footfall.load('double-pendulum'), footfall.forward_dynamics; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert run_alone(program) == "[]"


def test_importing_all_of_footfall_compiles_nothing(tmp_path: Path) -> None:
    """Public modules and all that they give, with an empty cache."""
    program = (
        f"import os; os.environ['FOOTFALL_CACHE_DIR'] = {str(tmp_path)!r}\n"
        "import importlib, footfall\n"
        "from footfall.compiler import cache\n"
        "from footfall.public_names import names_of, public_modules\n"
        "for module in public_modules():\n"
        "    for name in names_of(module):\n"
        "        getattr(importlib.import_module(module), name)\n"
        "print(cache.usage()[0])"
    )
    assert run_alone(program) == "0"


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert version("footfall") == footfall.__version__
