"""Reader of xacro, macros of which a URDF is made (the extra `xacro`).

Expressions in such a file are computed by xacro, and it includes other files: open those that you trust.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from footfall.errors import MissingPackage, RobotError
from footfall.robot.description import read_bytes
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.model import Robot
from footfall.robot.urdf import parse_urdf

_SIZE_LIMIT = 16 * 2**20  # bytes


def read_xacro(
    path: str | Path,
    *,
    strict: bool = True,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    literal_angles: bool = False,
) -> Robot:
    """Robot described by a xacro file, with the arguments that the file itself gives; see `read_urdf` for options.

    `$(find package)` is looked for where meshes are.
    """
    path = Path(path)
    meshes = MeshPaths(path.parent, package_dirs)
    text = expand_xacro(path, meshes)
    return parse_urdf(text, source=str(path), strict=strict, literal_angles=literal_angles, meshes=meshes)


def expand_xacro(path: Path, meshes: MeshPaths) -> str:
    """The URDF that a xacro file stands for."""
    xacrodoc = _xacrodoc()
    text = read_bytes(path, limit=_SIZE_LIMIT)

    def find(package: str) -> str:
        folder = meshes.package(package)
        if folder is None:
            raise LookupError(package)
        return str(folder)

    finder = xacrodoc.packages._finder  # it has one for all documents
    functions, known = list(finder.finder_funcs), dict(finder.package_cache)
    before = Path.cwd()
    try:
        finder.finder_funcs.insert(0, (find, LookupError))
        os.chdir(path.parent)  # included files are named from here
        document = xacrodoc.XacroDoc.from_string(text.decode(), resolve_packages=False)
        return str(document.dom.toxml())
    except Exception as error:  # xacro raises its own, those of its expressions and of minidom
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RobotError(f"xacro: {type(error).__name__}: {reason}", source=str(path)) from None
    finally:
        os.chdir(before)
        finder.finder_funcs[:], finder.package_cache = functions, known


def _xacrodoc() -> Any:
    try:
        import xacrodoc
        import xacrodoc.packages
    except ImportError:
        raise MissingPackage(
            "reading xacro needs xacrodoc: pip install 'footfall[xacro]'; or expand the file with the tool of ROS: "
            "xacro robot.urdf.xacro > robot.urdf"
        ) from None
    return xacrodoc
