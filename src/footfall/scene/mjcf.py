"""The world of an MJCF file as a scene: floors, boxes, meshes and height fields that stand around its bodies.

What has joints, and bodies that are fixed without any, belong to the robot that `footfall.load` makes of the same file.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import SceneWarning
from footfall.geometry.plane import Plane
from footfall.robot.description import Source, free_name
from footfall.robot.mesh_paths import MeshPaths
from footfall.robot.mjcf import compiled_model, model_name
from footfall.robot.mjcf_pairs import moment_friction
from footfall.robot.mjcf_shapes import (
    Geom,
    geom_color,
    geom_placement,
    geom_pose,
    geom_shape,
    sliding_friction,
)
from footfall.robot.model import WORLD, Mesh
from footfall.robot.xml_tree import read_xml
from footfall.scene.model import Material, Scene, SceneObject, SceneShape
from footfall.scene.shapes import MOST_TRIANGLES, triangles_shape


def read_mjcf_world(path: str | Path) -> Scene:
    """Geoms of the world of an MJCF file, with the gravity of the file; one warning lists what has no counterpart."""
    path = Path(path)
    root = read_xml(path)
    model = compiled_model(root, path.parent)
    meshes, taken = MeshPaths(path.parent), {WORLD, *(model.body(k).name for k in range(model.nbody))}
    objects, missing = list[SceneObject](), list[str]()
    with Source(root.source).located():
        for index in np.flatnonzero(model.geom_bodyid == 0).tolist():
            name = free_name(model.geom(index).name or f"geom {index}", taken)
            taken.add(name)
            made = _object(model, index, name, meshes)
            if made is not None:
                objects.append(made)
            elif _touches(model, index):
                missing.append(name)
    left_out = (
        [f"{', '.join(missing)} (ellipsoids, and more than {MOST_TRIANGLES} triangles)"] if missing else []
    )
    if _grouped(model):
        left_out.append("groups of the world (contype, conaffinity): it touches all of group 1")
    if left_out:
        warnings.warn(SceneWarning(f"{root.source}: left out: {'; '.join(left_out)}"), stacklevel=2)
    return Scene(model_name(root, path.parent), tuple(objects), gravity=tuple(model.opt.gravity.tolist()))


def world_of(path: str | Path) -> Scene | None:
    """The world of an MJCF file; None if it is none, or nothing in its world can be touched."""
    path = Path(path)
    if path.suffix.lower() != ".xml" or read_xml(path).tag != "mujoco":
        return None
    scene = read_mjcf_world(path)
    return scene if any(each.contact for each in scene.objects) else None


def _object(model: Any, index: int, name: str, meshes: MeshPaths) -> SceneObject | None:
    shape: SceneShape | None
    pose = geom_pose(model, index)
    match int(model.geom_type[index]):
        case Geom.PLANE:
            shape = Plane()
        case Geom.FIELD:
            shape = _triangles(*_field(model, int(model.geom_dataid[index])))
        case _:
            shape = geom_shape(model, index, meshes)
            pose = geom_placement(model, index) if isinstance(shape, Mesh) else pose
            if shape is None and int(model.geom_type[index]) == Geom.MESH:
                shape = _triangles(*_written_mesh(model, int(model.geom_dataid[index])))
    if shape is None:
        return None
    level = isinstance(shape, Plane) and pose.rotation[2, 2] > 1.0 - 1e-9
    rolling, torsional = moment_friction(int(model.geom_condim[index]), model.geom_friction[index])
    made = SceneObject(
        name,
        shape,
        pose,
        Material(
            friction=sliding_friction(model, index), rolling_friction=rolling, torsional_friction=torsional
        ),
        category="floor" if level else "",
        contact=_touches(model, index),
    )
    color = geom_color(model, index)
    return made if color is None else replace(made, color=color)


def _touches(model: Any, index: int) -> bool:
    return bool(model.geom_contype[index] or model.geom_conaffinity[index])


def _grouped(model: Any) -> bool:
    """Whether geoms of bodies touch those of the world here, where they are in group 1, and not in MuJoCo, or there
    and not here."""
    group, mask = model.geom_contype.astype(np.int64), model.geom_conaffinity.astype(np.int64)
    world, bodies = model.geom_bodyid == 0, (model.geom_bodyid != 0) & ((group | mask) != 0)
    world &= (group | mask) != 0
    there = (group[world, None] & mask[bodies]) | (group[bodies] & mask[world, None])
    here = np.broadcast_to((group[bodies] | mask[bodies]) & 1, there.shape)
    return bool(((there != 0) != (here != 0)).any())


def _field(model: Any, field: int) -> tuple[Array, Integers]:
    """The upper side of a height field: rows along y, columns along x, each cell two triangles as MuJoCo cuts it."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    x, y, height, _ = model.hfield_size[field].tolist()
    begin = int(model.hfield_adr[field])
    heights = height * model.hfield_data[begin : begin + rows * columns].astype(np.float64)
    grid = np.meshgrid(np.linspace(-x, x, columns), np.linspace(-y, y, rows))
    corners = np.column_stack([grid[0].ravel(), grid[1].ravel(), heights])
    number = np.arange(rows * columns).reshape(rows, columns)
    near, right = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    left, far = number[1:, :-1].ravel(), number[1:, 1:].ravel()
    return corners, np.concatenate([np.column_stack([near, right, far]), np.column_stack([near, far, left])])


def _written_mesh(model: Any, mesh: int) -> tuple[Array, Integers]:
    """Vertices and faces of a mesh that stands in the text, in the axes that MuJoCo gives it."""
    vertex, face = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
    vertices = model.mesh_vert[vertex : vertex + int(model.mesh_vertnum[mesh])]
    faces = model.mesh_face[face : face + int(model.mesh_facenum[mesh])]
    return vertices.astype(np.float64), faces.astype(np.int64)


def _triangles(vertices: Array, triangles: Integers) -> SceneShape | None:
    return triangles_shape(vertices, triangles) if len(triangles) <= MOST_TRIANGLES else None
