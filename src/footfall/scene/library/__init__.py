"""The scenes we ship: `load_scene` finds them by name."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def names() -> list[str]:
    """Names of the shipped scenes."""
    entries = (entry.name for entry in files(__name__).iterdir())
    return sorted(name.removesuffix(".toml") for name in entries if name.endswith(".toml"))


def find(name: str) -> Path | None:
    """The path of a shipped scene's file; None if there is no such scene."""
    return Path(str(files(__name__).joinpath(f"{name}.toml"))) if name in names() else None


def about(name: str) -> str:
    """What a shipped scene is: the first sentence of its file."""
    path = find(name)
    if path is None:
        return ""
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    return first.removeprefix("#").partition(" Made by:")[0].strip()
