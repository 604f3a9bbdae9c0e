"""Where the meshes of a description lie on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from footfall.whole_file import is_file


class MeshPaths:
    """Resolves the mesh paths of one description; what is not found stays as written.

    directory: of the description, None if it came as text. package_dirs: looked through first for `package://`
    paths; then come the directories above the description and those in ROS_PACKAGE_PATH.
    """

    def __init__(self, directory: Path | None, package_dirs: Iterable[str | os.PathLike[str]] = ()) -> None:
        self._directory = directory
        self._package_dirs = [Path(each) for each in package_dirs]
        self._packages: dict[str, list[Path]] = {}

    def resolve(self, written: str) -> str:
        """Path of an existing file, or `written`."""
        for candidate in self._candidates(written):
            if is_file(candidate):
                return str(candidate)
        return written

    def package(self, name: str) -> Path | None:
        """Directory of the package of that name, None if it is not found."""
        return next((place.absolute() for place in self._package(name) if place.is_dir()), None)

    def _candidates(self, written: str) -> Iterator[Path]:
        scheme, separator, rest = written.partition("://")
        if not separator:
            if self._directory is not None:
                yield self._directory / written
        elif scheme == "file":
            yield Path(rest)
        elif scheme in ("package", "model"):
            package, _, inner = rest.partition("/")
            for directory in self._package(package):
                yield directory / inner

    def _package(self, name: str) -> list[Path]:
        """Directories that may be the package of that name."""
        if name not in self._packages:
            above: list[Path] = []
            if self._directory is not None:
                absolute = self._directory.absolute()
                above = [absolute, *absolute.parents]
            ros = [Path(each) for each in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if each]
            found = []
            for directory in (*self._package_dirs, *above, *ros):
                found += [directory] if directory.name == name else []
                try:
                    found += [directory / name] if (directory / name).is_dir() else []
                except (OSError, ValueError):
                    continue
            self._packages[name] = found
        return self._packages[name]
