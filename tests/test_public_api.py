"""What users may rely on: names that resolve, are documented, have one import path, and load fast."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import footfall
import footfall.compiler
from footfall.dynamics.algorithm import Algorithm

MODULES = ("footfall", "footfall.compiler", "footfall.control", "footfall.control.inverse_kinematics")


@pytest.mark.parametrize("module", MODULES)
def test_names_resolve_and_are_documented(module: str) -> None:
    loaded = importlib.import_module(module)
    assert inspect.getdoc(loaded)
    names = loaded.__all__
    assert list(names) == sorted(set(names), key=names.index), "a name stands twice"
    for name in names:
        value = getattr(loaded, name)
        documentation = inspect.getdoc(value) or ""
        assert documentation, f"{module}.{name} has no docstring"
        if inspect.isclass(value):
            assert documentation != inspect.getdoc(value.__mro__[1]), (
                f"{module}.{name} has no docstring of its own"
            )


@pytest.mark.parametrize("module", MODULES)
def test_all_is_sorted(module: str) -> None:
    """Constants first, then classes, then functions."""
    names = importlib.import_module(module).__all__
    assert list(names) == sorted(names, key=lambda name: (not name.isupper(), name))


def test_one_import_path_each() -> None:
    assert not set(footfall.__all__) & set(footfall.compiler.__all__)


def test_every_algorithm_is_public() -> None:
    """Functions decorated with @algorithm are what the package is for; private ones begin with an underscore."""
    for path in sorted(importlib.import_module("footfall.dynamics").__path__):
        for name in _modules(path):
            module = importlib.import_module(f"footfall.dynamics.{name}")
            for label, value in vars(module).items():
                if isinstance(value, Algorithm) and not label.startswith("_"):
                    assert getattr(footfall, label, None) is value, f"footfall.{label} is not public"


def test_algorithms_state_units_and_shapes() -> None:
    for name in footfall.__all__:
        value = getattr(footfall, name)
        if isinstance(value, Algorithm):
            assert "(n" in (value.__doc__ or "") or "(6,)" in (value.__doc__ or ""), f"{name}: no shapes"


def test_options_are_keywords() -> None:
    """Arrays, and the frame that a function is about, stand in order; everything else is given by name."""
    for name in footfall.__all__:
        value = getattr(footfall, name)
        if isinstance(value, Algorithm):
            positional = [p for p in value.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
            assert {p.name for p in positional} <= {*value.shapes, "frame"}, name


def test_import_brings_no_optional_package() -> None:
    """The costly ones load when they are needed."""
    heavy = ["scipy", "trimesh", "mujoco", "pinocchio", "matplotlib", "numba", "typer", "rich", "viser"]
    program = f"import sys, footfall; print([name for name in {heavy!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert version("footfall") == footfall.__version__


def _modules(folder: str) -> list[str]:
    import pkgutil

    return [module.name for module in pkgutil.iter_modules([folder])]
