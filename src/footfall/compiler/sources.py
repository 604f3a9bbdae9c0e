"""The source that a function depends on: kernels that are found by a key are found until it changes."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(
    rb"^\s*(?:from\s+(footfall[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+(footfall[\w.]+))", re.M
)


def source_hash(module: str) -> str:
    """A hash of the package of footfall that a module belongs to, and of all modules that it imports, directly or not;
    of modules of others, their name.

    What the compiler itself does is no part of it: that is known by its own source.
    """
    return _package_hash(".".join(module.split(".")[:2]))


@cache
def _package_hash(package: str) -> str:
    digest = sha256(package.encode())
    pending, seen, files = _modules(package), set[str](), dict[str, bytes]()
    while pending:
        name = pending.pop()
        if name in seen or name.startswith("footfall.compiler"):
            continue
        seen.add(name)  # most names are imported many times, and most are of no module
        if (path := _file(name)) is not None:
            files[name] = path.read_bytes()
            pending += _imported(files[name])
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name])
    return digest.hexdigest()


def _modules(package: str) -> list[str]:
    """All modules of a package: what it is given may be of any of them."""
    folder = _PACKAGE.joinpath(*package.split(".")[1:])
    if not package.startswith("footfall.") or not folder.is_dir():
        return [package]
    inside = [path.relative_to(_PACKAGE).with_suffix("").parts for path in folder.rglob("*.py")]
    return [".".join(("footfall", *parts)).removesuffix(".__init__") for parts in inside]


def _file(module: str) -> Path | None:
    """The file of a module of footfall, if there is one."""
    parts = module.split(".")
    if parts[0] != "footfall" or len(parts) == 1:  # the root only gives other modules' names
        return None
    path = _PACKAGE.joinpath(*parts[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imported(content: bytes) -> list[str]:
    """Modules of footfall that a source names in its imports, wherever they stand."""
    names = []
    for package, listed, module in _IMPORT.findall(content):
        base = (package or module).decode()
        names.append(base)
        names += [f"{base}.{word.decode()}" for word in re.findall(rb"\w+", listed)]
    return names
