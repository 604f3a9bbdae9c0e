"""How public modules give their names: each name has one path, and is loaded when it is first used.

A public module lists its names once, as imports that only type checkers run:

    if TYPE_CHECKING:
        from footfall.robot.load import load as load

    open_to_users(__name__)

`open_to_users` reads these lines, and lets the module find its names, list them (`__all__`, `dir`) and say of a wrong
name where the right one is. `import footfall` so loads next to nothing. What no public module lists is private.
"""

from __future__ import annotations

import ast
import dis
import importlib
import sys
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from footfall.renamed import RENAMED, warn_renamed

ROOT = "footfall"


class Listing(NamedTuple):
    """What a public module gives. names: the module that each comes from. modules: other public modules."""

    names: dict[str, str]
    modules: tuple[str, ...]


class PublicModule(ModuleType):
    """A module that gives names of other modules; `__all__` has them."""

    def __getattr__(self, name: str) -> Any:
        listing = listing_of(self.__name__)
        if name in listing.names:
            value = getattr(importlib.import_module(listing.names[name]), name)
        elif f"{self.__name__}.{name}" in listing.modules:
            value = importlib.import_module(f"{self.__name__}.{name}")
        elif f"{self.__name__}.{name}" in RENAMED:
            return _renamed(f"{self.__name__}.{name}")
        else:
            raise _wrong_name(self.__name__, name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing `dynamics/configuration.py` would hide the function `joint_rates` that it is made for.
        if isinstance(value, ModuleType) and {name} & {
            *listing_of(self.__name__).names,
            *listing_of(ROOT).names,
        }:
            return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *listing_of(self.__name__).names})


def open_to_users(module: str) -> None:
    """Let a module give the names that it imports for type checkers."""
    opened = sys.modules[module]
    opened.__class__ = PublicModule
    names = sorted(listing_of(module).names, key=lambda name: (not name.isupper(), name))
    opened.__dict__["__all__"] = names


@cache
def listing_of(module: str) -> Listing:
    """The names under `if TYPE_CHECKING:` in the source of a module, without loading it."""
    spec = find_spec(module)
    loader: Any = None if spec is None else spec.loader
    source = loader.get_source(module) if hasattr(loader, "get_source") else None
    names: dict[str, str] = {}
    modules: list[str] = []
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module == module:
                    modules += [f"{module}.{each.name}" for each in line.names]
                elif isinstance(line, ast.ImportFrom) and line.module is not None:
                    names.update({each.name: line.module for each in line.names})
    return Listing(names, tuple(modules))


def public_modules() -> tuple[str, ...]:
    """The root and the modules that it opens."""
    return (ROOT, *listing_of(ROOT).modules)


def names_of(module: str) -> list[str]:
    """Names that a public module gives; plain modules, such as `footfall.errors`, say so in `__all__`."""
    return list(listing_of(module).names) or list(importlib.import_module(module).__all__)


def public_name(name: str) -> Any:
    """What a name stands for, whichever public module gives it."""
    for module in public_modules():
        if name in names_of(module):
            return getattr(importlib.import_module(module), name)
    raise _wrong_name(ROOT, name)


def _renamed(old: str) -> Any:
    """What an old path stands for now. It is not kept, so that every use warns."""
    new = RENAMED[old]
    warn_renamed(old, new, depth=4)
    module, _, name = new.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _wrong_name(module: str, name: str) -> Exception:
    """An error that says where the name is, or what is close to it."""
    message = f"{module} has no {name!r}{_hint(module, name)}"
    caller = sys._getframe(2)
    if caller.f_lasti >= 0 and caller.f_code.co_code[caller.f_lasti] == dis.opmap["IMPORT_FROM"]:
        # `from ... import` would drop the words of an AttributeError.
        return ImportError(message, name=module)
    return AttributeError(message, name=name, obj=sys.modules[module])


def _hint(module: str, name: str) -> str:
    if name.startswith("_"):
        return ""
    from difflib import get_close_matches

    from footfall.foreign_names import FOREIGN

    paths = {other: f"{place}.{other}" for place in public_modules() for other in names_of(place)}
    if name in paths:
        return f": it is {paths[name]}"
    if name.casefold() in FOREIGN:
        return f": see {FOREIGN[name.casefold()]}"
    own = [*names_of(module), *(each.rpartition(".")[2] for each in listing_of(module).modules)]
    if close := get_close_matches(name, own, n=1):
        return f"; did you mean {close[0]!r}?"
    lower = {other.casefold(): path for other, path in paths.items()}
    close = get_close_matches(name.casefold(), list(lower), n=1, cutoff=0.75)
    return f"; did you mean {lower[close[0]]}?" if close else ""
