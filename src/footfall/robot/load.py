"""Robots from names and files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from footfall.errors import RobotError, UnknownName
from footfall.robot.installed import find_installed, installed_names
from footfall.robot.model import Robot
from footfall.robot.variants import with_fixed_base, with_floating_base
from footfall.whole_file import is_file, open_file

_SUFFIXES = (".toml", ".urdf", ".xml", ".sdf", ".xacro")


def load(
    source: str | os.PathLike[str],
    *,
    floating_base: bool | None = None,
    strict: bool = True,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    literal_angles: bool = False,
    srdf: str | os.PathLike[str] | bool = True,
) -> Robot:
    """Robot of a shipped name, of one that an installed package knows, or of a description at a path.

    Packages are example-robot-data ("talos", "g1") and robot_descriptions ("cassie_description"), see
    `footfall robots`; nothing is fetched. Descriptions are .toml, .urdf, .sdf, .xml (MJCF, URDF or SDF by its root)
    and .xacro files.

    floating_base: true sets the root body free, false fixes it to the world, None leaves it as described (the
    root of a URDF is fixed). strict: false turns errors about impossible or missing inertias into warnings,
    to load what others wrote; joints that move nothing get the least inertia. package_dirs: where `package://` paths
    of a URDF are looked for first. literal_angles: angles of a URDF are as written; otherwise those within 5e-12 rad of
    a right angle, such as 1.57079632679, are one. srdf: a file with groups, named configurations and pairs of bodies
    that never touch; true looks for it beside a URDF and in a folder `srdf`, false does not.
    """
    robot = _shipped(source) if isinstance(source, str) else None
    shipped = robot is not None
    if robot is None and isinstance(source, str) and not _is_path(source):
        found = find_installed(source)
        if found is None:
            from footfall.robot import library

            known = [*library.names(), *installed_names()]
            raise UnknownName(
                "robot", source, known, "footfall and example-robot-data (and no file of that name)"
            )
        source, package_dirs = found.path, (*package_dirs, *found.package_dirs)
        floating_base = found.floating_base if floating_base is None else floating_base
    if robot is None:
        robot = _read(Path(source), strict=strict, package_dirs=package_dirs, literal_angles=literal_angles)
    if floating_base is not None:
        robot = with_floating_base(robot) if floating_base else with_fixed_base(robot)
    if srdf is False or (srdf is True and (shipped or Path(source).suffix.lower() == ".toml")):
        return robot
    return _with_srdf(robot, None if srdf is True else Path(srdf), Path(source))


def _is_path(name: str) -> bool:
    return Path(name).suffix.lower() in _SUFFIXES or os.sep in name or "/" in name or is_file(Path(name))


def _shipped(name: str) -> Robot | None:
    """The shipped robot of that name, None if there is none."""
    from footfall.robot import library

    found = library.find(name)
    if found is None:
        return None
    if callable(found):
        return found()
    from footfall.robot.toml import read_toml

    return read_toml(found)


def _read(
    path: Path, *, strict: bool, package_dirs: Iterable[str | os.PathLike[str]], literal_angles: bool
) -> Robot:
    if path.suffix.lower() not in _SUFFIXES:
        raise _unknown_suffix(path)
    open_file(path).close()
    if path.suffix.lower() == ".toml":
        from footfall.robot.toml import read_toml

        return read_toml(path, strict=strict)
    if path.suffix.lower() == ".xacro":
        from footfall.robot.xacro import read_xacro

        return read_xacro(path, strict=strict, package_dirs=package_dirs, literal_angles=literal_angles)
    from footfall.robot.xml_tree import read_xml

    root = read_xml(path)
    if root.tag == "robot":
        from footfall.robot.urdf import read_urdf

        return read_urdf(path, strict=strict, package_dirs=package_dirs, literal_angles=literal_angles)
    if root.tag == "mujoco":
        from footfall.robot.mjcf import read_mjcf

        return read_mjcf(path, strict=strict)
    if root.tag == "sdf":
        from footfall.robot.sdf import read_sdf

        return read_sdf(path, strict=strict, package_dirs=package_dirs)
    message = f"root element is <{root.tag}>; it must be <robot> (URDF), <mujoco> (MJCF) or <sdf>"
    raise RobotError(message, source=str(path), line=root.line)


def _with_srdf(robot: Robot, given: Path | None, source: Path) -> Robot:
    """With what an SRDF says, which is given or found; then also where a free root stands."""
    from footfall.robot.srdf import find_srdf, read_srdf, with_semantics

    semantic = find_srdf(source, robot) if given is None else read_srdf(given)
    return robot if semantic is None else with_semantics(robot, semantic)


def _unknown_suffix(path: Path) -> RobotError:
    message = f"suffix {path.suffix!r} is unknown; robots are in {', '.join(_SUFFIXES)} files"
    if path.suffix == ".mcap":
        message += " (a recording: footfall view, plot, export; footfall.read_recording)"
    return RobotError(message, source=str(path))
