"""Shapes that nobody means to have: flat, open and degenerate meshes, shapes without size, things inside each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall import Box, Capsule, Cylinder, Mesh, Plane, Scene, SceneObject, Simulation, Sphere
from footfall.errors import GeometryError, StartsInside

CUBE = Box((0.2, 0.2, 0.2))
FLOOR = SceneObject("floor", Plane())


def placed(z: float) -> footfall.Transform:
    return footfall.Transform(np.eye(3), np.array([0.0, 0.0, z]))


def cube(name: str, z: float) -> SceneObject:
    return SceneObject(name, CUBE, placed(z), free=footfall.free_body(CUBE, 1.0))


def sheet(path: Path, rows: list[str]) -> Mesh:
    """A file of vertices and faces."""
    path.write_text("\n".join(rows) + "\n")
    return Mesh(str(path))


SQUARE = ["v -1 -1 0", "v 1 -1 0", "v 1 1 0", "v -1 1 0", "f 1 2 3", "f 1 3 4"]


@pytest.mark.parametrize("turned", [False, True])
def test_a_flat_open_mesh_carries_things_whichever_way_its_triangles_turn(
    tmp_path: Path, turned: bool
) -> None:
    faces = ["f 3 2 1", "f 4 3 1"] if turned else SQUARE[4:]
    mesh = sheet(tmp_path / "sheet.obj", SQUARE[:4] + faces)
    simulation = Simulation(None, Scene("sheet", (SceneObject("sheet", mesh), cube("cube", 0.15))))
    simulation.run(simulation.zero_command, 0.5)
    assert simulation.q[2] == pytest.approx(0.1, abs=1e-9)


def test_a_loose_flat_mesh_needs_an_inertia_and_then_lies_flat(tmp_path: Path) -> None:
    mesh = sheet(tmp_path / "sheet.obj", SQUARE)
    with pytest.raises(GeometryError, match=r"not closed.*give its inertia"):
        footfall.free_body(mesh, 1.0)
    thing = SceneObject("sheet", mesh, placed(0.05), free=footfall.free_body(Box((2.0, 2.0, 0.01)), 1.0))
    simulation = Simulation(None, Scene("loose", (FLOOR, thing)))
    simulation.run(simulation.zero_command, 0.5)
    assert simulation.q[2] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(simulation.v).max() < 1e-9


def test_a_mesh_without_area_is_refused(tmp_path: Path) -> None:
    mesh = sheet(tmp_path / "line.obj", ["v 0 0 0", "v 1 0 0", "v 2 0 0", "f 1 2 3"])
    with pytest.raises(GeometryError, match="has no triangle with an area"):
        Simulation(None, Scene("line", (SceneObject("line", mesh), cube("cube", 0.15))))


@pytest.mark.parametrize(
    "shape",
    [
        Box((0.0, 0.2, 0.2)),
        Box((0.0, 0.0, 0.2)),
        Box((0.0, 0.0, 0.0)),
        Sphere(0.0),
        Cylinder(0.0, 0.2),
        Cylinder(0.1, 0.0),
        Capsule(0.0, 0.2),
    ],
)
def test_shapes_without_size_touch_as_points_lines_and_plates(shape: footfall.Box) -> None:
    """They rest on the floor, upright as they came, and carry a cube that falls onto them when they are fixed."""
    half = {Box: lambda: shape.size[2], Sphere: lambda: 0.0}.get(type(shape), lambda: shape.length)() / 2  # type: ignore[attr-defined]
    free = footfall.free_body(CUBE, 1.0)
    loose = Simulation(None, Scene("loose", (FLOOR, SceneObject("thing", shape, placed(0.2), free=free))))
    loose.run(loose.zero_command, 0.4)
    assert loose.q[2] == pytest.approx(half, abs=1e-6)
    fixed = Simulation(
        None, Scene("fixed", (FLOOR, SceneObject("thing", shape, placed(0.2)), cube("cube", 0.5)))
    )
    fixed.run(fixed.zero_command, 0.4)
    assert fixed.q[2] == pytest.approx(0.2 + half + 0.1, abs=1e-6)


def test_things_inside_each_other_come_apart_slowly() -> None:
    scene = Scene("inside", (FLOOR, cube("a", 0.1), cube("b", 0.1), cube("c", 0.12)))
    simulation = Simulation(None, scene)
    with pytest.warns(StartsInside, match="deep in"):
        trajectory = simulation.run(simulation.zero_command, 1.0)
    assert np.isfinite(trajectory.q).all()
    assert np.abs(trajectory.v[:, [0, 1, 2, 6, 7, 8, 12, 13, 14]]).max() < 0.5
    assert trajectory.q[-1, [2, 9, 16]].min() > 0.099
