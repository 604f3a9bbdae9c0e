"""Reader of MJCF, through MuJoCo's own compiler (the extra `mujoco`).

Coordinates are MuJoCo's: `q` is `qpos`, `v` is `qvel`. Bodies with several joints, or with a joint that is
not at their origin, get massless bodies before them, one for each joint. What a robot has not here, such as tendons,
sensors and parameters of MuJoCo's solver, is left out; one warning lists it. Shapes of the world are those of a scene
(`footfall.scene.mjcf`).
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from footfall.errors import MissingPackage, RobotError, SceneWarning
from footfall.robot.description import Source, check_bodies
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.mjcf_files import assembled
from footfall.robot.mjcf_guard import check_demands
from footfall.robot.mjcf_left_out import listed
from footfall.robot.mjcf_model import check_numbers, model_fields
from footfall.robot.mjcf_shapes import shapes_of_the_world
from footfall.robot.model import Robot
from footfall.robot.xml_tree import Element, parse_xml, read_xml, xml_text


def read_mjcf(path: str | Path, *, strict: bool = True) -> Robot:
    """Robot described by an MJCF file.

    strict: false turns errors about impossible or missing inertias into warnings.
    """
    path = Path(path)
    return _robot(read_xml(path), path.parent, strict=strict)


def parse_mjcf(text: str, *, source: str = "<text>", strict: bool = True) -> Robot:
    """Robot described by MJCF text without included files; `source` names it in errors."""
    return _robot(parse_xml(text, source=source), None, strict=strict)


def _robot(root: Element, directory: Path | None, *, strict: bool) -> Robot:
    model = compiled_model(root, directory)
    check_bodies(model.nbody, source=root.source)
    origin = Source(root.source, _lines(root))
    with origin.located():
        fields, findings = model_fields(model, MeshPaths(directory))
    name = model_name(root, directory)
    robot = origin.robot(strict=strict, foreign=True, findings=findings, name=name, **fields)
    world = shapes_of_the_world(model)
    if world:
        message = (
            f"{root.source}: shapes of the world are no part of a robot: {listed(world)}; load_scene has them"
        )
        warnings.warn(SceneWarning(message), stacklevel=3)
    return robot


def model_name(root: Element, directory: Path | None) -> str:
    """Of the model, else of its file."""
    return root.attributes.get("model") or (Path(root.source).stem if directory else "robot")


def compiled_model(root: Element, directory: Path | None) -> Any:
    """MuJoCo's `MjModel` of a description; afterwards `root` has the elements of included files in it."""
    if root.tag != "mujoco":
        raise root.error(f"root element is <{root.tag}>; an MJCF has <mujoco>")
    check_demands(assembled(root, directory))
    mujoco = _mujoco()
    try:
        model = mujoco.MjModel.from_xml_string(xml_text(root))
    except Exception as error:  # MuJoCo raises ValueError, FatalError, UnexpectedError and more
        place = re.search(r"line (\d+)", str(error))
        message = " ".join(str(error).split())
        line = int(place.group(1)) if place else None
        raise RobotError(f"MuJoCo: {message}", source=root.source, line=line) from None
    with Source(root.source).located():
        check_numbers(model)
    return model


_KINDS = {"body": "body", "joint": "joint", "freejoint": "joint", "site": "frame", "key": "configuration"}


def _lines(root: Element) -> dict[tuple[str, str], int]:
    lines: dict[tuple[str, str], int] = {}
    pending = [root]
    while pending:
        element = pending.pop()
        if element.tag in _KINDS and "name" in element.attributes:
            lines.setdefault((_KINDS[element.tag], element.attributes["name"]), element.line)
        pending.extend(element.children)
    return lines


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingPackage("reading MJCF needs MuJoCo: pip install footfall[mujoco]") from None
    return mujoco
