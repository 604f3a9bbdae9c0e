"""Robots into files: .toml, .urdf (with an .srdf beside it) and .xml (MJCF), and their meshes."""

from __future__ import annotations

import os
from pathlib import Path

from footfall.errors import RobotError, UnsupportedFeature
from footfall.robot.left_out import lost_in_mjcf, lost_in_urdf
from footfall.robot.mesh_files import BY_MUJOCO, BY_TOML, BY_URDF, MeshFolder, meshes_option, with_mesh_paths
from footfall.robot.model import Mesh, Robot
from footfall.robot.validation import warn_of
from footfall.whole_file import write_text

SUFFIXES = (".toml", ".urdf", ".xml")


def save(robot: Robot, path: str | os.PathLike[str], *, meshes: str = "copy") -> None:
    """Write a robot as .toml, .urdf or .xml (MJCF); each file appears whole or not at all, the description last.

    meshes: "copy" puts their files into a folder beside the description, named `<file>_meshes`; "reference" names them
    where they are; "none" leaves shapes that are meshes out. What readers of a format do not open is converted into
    that folder. Beside a .urdf, groups, configurations and pairs that never touch stand in an .srdf, which `load`
    finds. A `RobotWarning` lists what the format has no word for.
    """
    path = Path(path)
    how = meshes_option(meshes)
    match path.suffix.lower():
        case ".toml":
            _save_toml(robot, MeshFolder(path, how, BY_TOML))
        case ".urdf":
            _save_urdf(robot, MeshFolder(path, how, BY_URDF))
        case ".xml":
            _save_mjcf(robot, MeshFolder(path, how, BY_MUJOCO))
        case _:
            message = f"suffix {path.suffix!r} is unknown; robots are written to {', '.join(SUFFIXES)} files"
            raise RobotError(message, source=str(path))


def _save_toml(robot: Robot, files: MeshFolder) -> None:
    from footfall.robot.toml_writer import toml_text

    _finish(toml_text(_with_saved_meshes(robot, files)), files, [])


def _save_urdf(robot: Robot, files: MeshFolder) -> None:
    from footfall.robot.srdf_writer import srdf_text
    from footfall.robot.urdf_writer import urdf_text

    text = urdf_text(_with_saved_meshes(robot, files))
    semantic = srdf_text(robot)
    _finish(text, files, lost_in_urdf(robot))
    if semantic is not None:
        write_text(files.target.with_suffix(".srdf"), semantic)


def _save_mjcf(robot: Robot, files: MeshFolder) -> None:
    from footfall.robot.mjcf_writer import mjcf_text

    assets: dict[Mesh, str] = {}
    for body in robot.bodies:
        for geometries, visual in ((body.visuals, True), (body.collisions, False)):
            for shape in (each.shape for each in geometries if isinstance(each.shape, Mesh)):
                saved = files.saved(shape.path, visual=visual)
                if saved is not None:
                    assets[shape] = saved.reference
    # A flat mesh may be seen but not touch.
    kept = with_mesh_paths(
        robot, lambda path, visual: path if files.saved(path, visual=visual) is not None else None
    )
    _finish(mjcf_text(kept, meshes=assets), files, lost_in_mjcf(robot))


def _with_saved_meshes(robot: Robot, files: MeshFolder) -> Robot:
    def renamed(path: str, visual: bool) -> str | None:
        saved = files.saved(path, visual=visual)
        return None if saved is None else saved.reference

    return with_mesh_paths(robot, renamed)


def _finish(text: str, files: MeshFolder, lost: list[str]) -> None:
    files.write()
    write_text(files.target, text)
    lost = [*lost, *files.left_out]
    if lost:
        finding = UnsupportedFeature(f"left out: {'; '.join(lost)}", source=str(files.target))
        warn_of([finding], stacklevel=4)
