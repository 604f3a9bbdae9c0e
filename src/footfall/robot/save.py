"""Robots into files: .toml, .urdf (with an .srdf beside it) and .xml (MJCF), and their meshes.

What a robot has and a format has no word for is listed when it is written; an .srdf keeps what a URDF cannot say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from footfall.errors import RobotError, UnsupportedFeature
from footfall.robot.description import free_name
from footfall.robot.mesh_files import BY_MUJOCO, BY_TOML, BY_URDF, MeshFolder, meshes_option, with_mesh_paths
from footfall.robot.model import STANDARD_GRAVITY, JointType, Mesh, Robot
from footfall.robot.urdf_writer import urdf_joints
from footfall.robot.validation import warn_of
from footfall.robot.xml_writer import Node
from footfall.whole_file import write_text

_SHOWN = 4


def lost_in_urdf(robot: Robot) -> list[str]:
    """Of what stands neither in a URDF nor in the SRDF beside it."""
    planar = [j.name for j in robot.joints if j.type is JointType.PLANAR and (j.lower or j.upper)]
    springs = [spring.joint for spring in robot.springs]
    servos = [joint.name for joint in robot.joints if joint.kp or joint.kd]
    return [
        *([] if robot.gravity == STANDARD_GRAVITY else [f"gravity {robot.gravity}"]),
        *_named("limits of planar joints", planar),
        *_named("springs of", springs),
        *_named("servo gains of", servos),
        *_named("friction of shapes of", _with_friction(robot)),
        *_named("contact groups of shapes of", _with_groups(robot)),
        *_of_footfall(robot),
    ]


def lost_in_mjcf(robot: Robot) -> list[str]:
    """Of what stands not in an MJCF."""
    velocities = [j.name for j in robot.joints if j.velocity and j.type is not JointType.FLOATING]
    return [
        *_named("velocity limits of", velocities),
        *_named("groups", list(robot.groups)),
        *_of_footfall(robot),
    ]


def _of_footfall(robot: Robot) -> Iterator[str]:
    """What only footfall's own files have."""
    drives = [", ".join(drive.joints) for drive in robot.drives]
    for words, names in (
        ("drives of", drives),
        ("volumes", [volume.name for volume in robot.volumes]),
        ("limit sets", list(robot.limit_sets)),
        ("regions", list(robot.regions)),
        ("notes", list(robot.notes)),
    ):
        yield from _named(words, names)


def _with_friction(robot: Robot) -> list[str]:
    return [body.name for body in robot.bodies if any(g.friction is not None for g in body.collisions)]


def _with_groups(robot: Robot) -> list[str]:
    return [body.name for body in robot.bodies if any((g.group, g.mask) != (1, 1) for g in body.collisions)]


def _named(words: str, names: list[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"{words} {', '.join(names[:_SHOWN])}{more}"]


def srdf_text(robot: Robot) -> str | None:
    """Groups, named configurations and pairs that never touch; None if there are none."""
    if not (robot.groups or robot.configurations or robot.apart):
        return None
    root = Node("robot", {"name": robot.name})
    written = urdf_joints(robot)
    names = {joint: [part.name for part in parts] for joint, parts in written.items()}
    groups = {name: tuple(members) for name, members in robot.groups.items()}
    everything = ""
    if robot.configurations:
        # A state belongs to a group.
        everything = next(
            (name for name, members in groups.items() if set(members) == set(robot.joint_names)), ""
        )
        if not everything:
            everything = free_name("all", groups)
            groups[everything] = robot.joint_names
    for name, members in groups.items():
        group = root.add("group", name=name)
        for member in members:
            for part in names.get(member, [member]):
                group.add("joint", name=part)
    for name, q in robot.configurations.items():
        state = root.add("group_state", name=name, group=everything)
        for joint in robot.joints:
            values = q[robot.q_slice(joint.name)].tolist()
            if joint.type.has_quaternion:  # scalar last, as ROS has it
                values = [*values[:-4], *values[-3:], values[-4]]
            parts = names.get(joint.name, [joint.name])
            if joint.type is JointType.UNIVERSAL:
                for part, value in zip(parts, values, strict=True):
                    state.add("joint", name=part, value=value)
            elif values:
                state.add("joint", name=joint.name, value=values)
    for first, second in robot.apart:
        root.add("disable_collisions", link1=first, link2=second, reason="Never")
    return root.text()


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
    from footfall.robot.save import srdf_text
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
