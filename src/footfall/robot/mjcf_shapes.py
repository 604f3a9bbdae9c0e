"""Geometries of a compiled MuJoCo model."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from footfall.math.transform import Transform
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.mjcf_pairs import PairedGeoms, moment_friction
from footfall.robot.model import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from footfall.robot.orientation import matrix_from_quaternion

_DEFAULT_COLOR = (0.5, 0.5, 0.5, 1.0)
_DEFAULT_FRICTION = 1.0
_FRICTIONLESS = 1  # condim
_BITS = 2**31 - 1  # that groups and masks may have


class Geom(IntEnum):
    """MuJoCo's numbers; ellipsoids and distance fields have no counterpart here, planes and fields only in scenes."""

    PLANE = 0
    FIELD = 1
    SPHERE = 2
    CAPSULE = 3
    CYLINDER = 5
    BOX = 6
    MESH = 7


def body_geometries(
    model: Any, meshes: MeshPaths, pairs: PairedGeoms
) -> dict[int, tuple[list[Geometry], list[Geometry]]]:
    """Visual and collision geometries by body; what touches nothing is visual."""
    geometries: dict[int, tuple[list[Geometry], list[Geometry]]] = {}
    for index in range(model.ngeom):
        shape = geom_shape(model, index, meshes)
        if shape is None:
            continue
        geometry = Geometry(
            shape,
            geom_placement(model, index),
            model.geom(index).name,
            geom_color(model, index),
            _friction(model, index, pairs),
            *_groups(model, index, pairs),
            *_moment_friction(model, index, pairs),
        )
        visuals, collisions = geometries.setdefault(int(model.geom_bodyid[index]), ([], []))
        touches = model.geom_contype[index] or model.geom_conaffinity[index] or index in pairs
        (collisions if touches else visuals).append(geometry)
    return geometries


def shapes_of_the_world(model: Any) -> list[str]:
    """Names of geoms of the world that things touch, planes aside: a robot has none, a scene does."""
    names = []
    for index in range(model.ngeom):
        touches = model.geom_contype[index] or model.geom_conaffinity[index]
        if touches and model.geom_bodyid[index] == 0 and model.geom_type[index] != Geom.PLANE:
            names.append(model.geom(index).name or f"geom {index}")
    return names


def shapes_without_counterpart(model: Any, meshes: MeshPaths) -> list[str]:
    """Names of geoms of bodies that touch in MuJoCo, and of which there is no such shape here."""
    names = []
    for index in range(model.ngeom):
        touches = model.geom_contype[index] or model.geom_conaffinity[index]
        if touches and model.geom_bodyid[index] != 0 and geom_shape(model, index, meshes) is None:
            names.append(
                model.geom(index).name or f"geom {index} of {model.body(model.geom_bodyid[index]).name}"
            )
    return names


def geom_shape(model: Any, index: int, meshes: MeshPaths) -> Shape | None:
    """The shape of a geom, None if bodies have no such shape here."""
    x, y, z = model.geom_size[index].tolist()
    match int(model.geom_type[index]):
        case Geom.SPHERE:
            return Sphere(x)
        case Geom.CAPSULE:
            return Capsule(x, 2 * y)
        case Geom.CYLINDER:
            return Cylinder(x, 2 * y)
        case Geom.BOX:
            return Box((2 * x, 2 * y, 2 * z))
        case Geom.MESH:
            return _mesh(model, int(model.geom_dataid[index]), meshes)
    return None


def _mesh(model: Any, mesh: int, meshes: MeshPaths) -> Mesh | None:
    start = int(model.mesh_pathadr[mesh])
    if start < 0:  # made of vertices in the text
        return None
    path = model.paths[start:].split(b"\0", 1)[0].decode(errors="replace")
    x, y, z = model.mesh_scale[mesh].tolist()
    return Mesh(meshes.resolve(path), (x, y, z))


def geom_pose(model: Any, index: int) -> Transform:
    """Of a geom on its body, as MuJoCo has it."""
    return Transform(matrix_from_quaternion(model.geom_quat[index].tolist()), np.array(model.geom_pos[index]))


def geom_placement(model: Any, index: int) -> Transform:
    """Of a geom on its body; of a mesh as it is in its file."""
    placement = geom_pose(model, index)
    if int(model.geom_type[index]) != Geom.MESH:
        return placement
    # the compiler moves meshes into their principal axes
    mesh = int(model.geom_dataid[index])
    moved = Transform(matrix_from_quaternion(model.mesh_quat[mesh].tolist()), np.array(model.mesh_pos[mesh]))
    return placement @ moved.inverse()


def geom_color(model: Any, index: int) -> tuple[float, float, float, float] | None:
    """Its own colour, else that of its material; MuJoCo keeps them in single precision."""
    color = _rounded(model.geom_rgba[index])
    if color == _DEFAULT_COLOR:
        material = int(model.geom_matid[index])
        return _rounded(model.mat_rgba[material]) if material >= 0 else None
    return color


def _friction(model: Any, index: int, pairs: PairedGeoms) -> float | None:
    """Coulomb's coefficient, of its pair if nothing else lets it touch; None for MuJoCo's default."""
    if not (model.geom_contype[index] or model.geom_conaffinity[index]):
        known = pairs.friction.get(index)
        return None if known == _DEFAULT_FRICTION else known
    sliding = sliding_friction(model, index)
    return None if sliding == _DEFAULT_FRICTION else sliding


def sliding_friction(model: Any, index: int) -> float:
    """Coulomb's coefficient of a geom by itself."""
    return 0.0 if int(model.geom_condim[index]) == _FRICTIONLESS else float(model.geom_friction[index, 0])


def _moment_friction(model: Any, index: int, pairs: PairedGeoms) -> tuple[float, float]:
    """Rolling and torsional friction, m, of its pair if nothing else lets it touch."""
    if not (model.geom_contype[index] or model.geom_conaffinity[index]):
        return pairs.moments.get(index, (0.0, 0.0))
    return moment_friction(int(model.geom_condim[index]), model.geom_friction[index])


def _groups(model: Any, index: int, pairs: PairedGeoms) -> tuple[int, int]:
    """Group and mask; those of what touches nothing do not matter."""
    group, mask = (int(values[index]) & _BITS for values in (model.geom_contype, model.geom_conaffinity))
    group, mask = group | pairs.groups.get(index, 0), mask | pairs.masks.get(index, 0)
    return (group, mask) if group or mask else (1, 1)


def _rounded(color: Any) -> tuple[float, float, float, float]:
    red, green, blue, alpha = (round(float(part), 6) for part in color)
    return red, green, blue, alpha
