"""Scenes from names and files, and back into files."""

from __future__ import annotations

import os
import re
from pathlib import Path

from footfall.errors import SceneError, UnknownName
from footfall.scene import library
from footfall.scene.catalogue import SCENES, make_scene
from footfall.scene.model import Scene
from footfall.scene.toml import SIZE_LIMIT, read_scene
from footfall.scene.toml_writer import scene_text
from footfall.whole_file import is_file, open_file, write_text

_SUFFIXES = (".toml", ".xml")


def load_scene(source: str | os.PathLike[str] | Scene) -> Scene:
    """Scene of a shipped name or of one in the catalogue, or of a file at a path; a scene stays as it is. One of the
    catalogue may have measures of its own behind its name: "ramps?slope=0.2&width=2".

    Files are .toml, or .xml (MJCF) for the shapes of its world; its bodies are what `footfall.load` gives.
    """
    if isinstance(source, Scene):
        return source
    if isinstance(source, str):
        shipped = library.find(source)
        if shipped is not None:
            return read_scene(shipped)
        if source in SCENES:
            return SCENES[source]()
        if "?" in source:
            return _measured(source)
        if (
            Path(source).suffix.lower() not in _SUFFIXES
            and os.sep not in source
            and not is_file(Path(source))
        ):
            known = sorted({*library.names(), *SCENES})
            raise UnknownName("shipped scene", source, known, "footfall (and no file of that name)")
    path = Path(source)
    if path.suffix.lower() == ".xml":
        from footfall.scene.mjcf import read_mjcf_world

        return read_mjcf_world(path)
    if path.suffix.lower() != ".toml":
        message = f"suffix {path.suffix!r} is unknown; scenes are in .toml files, or in .xml files of MuJoCo"
        raise SceneError(message, source=str(path))
    return read_scene(path)


def _measured(source: str) -> Scene:
    """A scene of the catalogue by its name and measures, as they stand in the address of a page."""
    name, _, rest = source.partition("?")
    measures: dict[str, float] = {}
    for each in rest.split("&"):
        measure, _, value = each.partition("=")
        try:
            number = float(value)
        except ValueError:
            raise SceneError(
                f"{each!r} is no measure; it must be NAME=NUMBER, as in ramps?slope=0.2&width=2",
                subject=("scene", name),
            ) from None
        measures[measure] = int(number) if number.is_integer() and abs(number) < 2**53 else number
    return make_scene(name, **measures)


def is_scene(source: str | os.PathLike[str]) -> bool:
    """Whether it is the name of a shipped scene, or a .toml file with objects or robots in it."""
    if isinstance(source, str) and (library.find(source) is not None or source.partition("?")[0] in SCENES):
        return True
    path = Path(source)
    if path.suffix.lower() != ".toml" or not is_file(path):
        return False
    with open_file(path) as file:
        content = file.read(SIZE_LIMIT)
    return re.search(rb"^[ \t]*+\[\[(object|robot)\]\]", content, re.MULTILINE) is not None


def save_scene(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene as .toml; the file appears whole or not at all."""
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise SceneError(f"suffix {path.suffix!r} is unknown; scenes are in .toml files", source=str(path))
    write_text(path, scene_text(scene))
