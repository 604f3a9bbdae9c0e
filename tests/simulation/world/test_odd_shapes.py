"""Shapes that nobody means to have: flat, open and degenerate meshes, shapes without size, things inside each other."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh

import footfall
from footfall import (
    Box,
    Capsule,
    Cylinder,
    Mesh,
    Plane,
    Scene,
    SceneObject,
    Simulation,
    Sphere,
)
from footfall.errors import GeometryError, MissingPackage, SimulationWarning

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
    with pytest.warns(SimulationWarning, match="deep in"):
        trajectory = simulation.run(simulation.zero_command, 1.0)
    assert np.isfinite(trajectory.q).all()
    assert np.abs(trajectory.v[:, [0, 1, 2, 6, 7, 8, 12, 13, 14]]).max() < 0.5
    assert trajectory.q[-1, [2, 9, 16]].min() > 0.099


def ball_in_an_elbow(folder: Path) -> Scene:
    """An L of two bars, 1 m long and 0.2 m thick, that lies on the floor, and a ball over its corner."""
    lower, upper = trimesh.creation.box([1.0, 0.2, 0.2]), trimesh.creation.box([0.2, 0.2, 1.0])
    upper.apply_translation([0.4, 0.0, 0.4])
    trimesh.util.concatenate([lower, upper]).export(folder / "elbow.stl")
    bars = SceneObject(
        "elbow", Mesh(str(folder / "elbow.stl")), placed(0.1), free=footfall.free_body(CUBE, 20.0)
    )
    ball = Sphere(0.05)
    above = footfall.Transform(np.eye(3), np.array([0.2, 0.0, 0.6]))
    return Scene("elbow", (FLOOR, bars, SceneObject("ball", ball, above, free=footfall.free_body(ball, 0.1))))


def test_a_ball_falls_into_the_corner_of_a_mesh_that_is_divided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the bar, at 0.25 m, but for the 5 % of hollow that parts may keep; it would begin inside of the hull."""
    scene = ball_in_an_elbow(tmp_path)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "coacd", None)
        with pytest.warns(SimulationWarning):
            Simulation(None, scene).run(Simulation(None, scene).zero_command, 0.01)
    pytest.importorskip("coacd")
    simulation = Simulation(None, scene, divided_meshes=True)
    simulation.run(simulation.zero_command, 0.6)
    assert simulation.q[9] == pytest.approx(0.25, abs=0.03)


def ring_over_a_peg(folder: Path) -> Scene:
    """A ring of 10 cm inside, 40 cm over the floor, and a peg of 6 cm and 30 cm below it."""
    trimesh.creation.annulus(r_min=0.05, r_max=0.08, height=0.03, sections=8).export(folder / "ring.stl")
    shape = Mesh(str(folder / "ring.stl"))
    above = footfall.Transform(np.eye(3), np.array([0.004, 0.0, 0.4]))
    ring = SceneObject("ring", shape, above, free=footfall.free_body(shape, 0.2))
    peg = SceneObject("peg", Cylinder(0.03, 0.3), placed(0.15))
    return Scene("ring", (FLOOR, peg, ring))


def test_a_ring_falls_over_a_peg_and_says_so_where_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Down to the floor in parts, where the library is; on top of the peg as a hull, which is told but for who asks
    for it."""
    scene = ring_over_a_peg(tmp_path)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "coacd", None)
        with pytest.warns(SimulationWarning, match="'ring.*as its convex hull, of which .* % are empty"):
            hull = Simulation(None, scene)
    hull.run(hull.zero_command, 1.0)
    assert hull.q[2] > 0.3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation(None, scene, divided_meshes=False)
    pytest.importorskip("coacd")
    ring = Simulation(None, scene)
    ring.run(ring.zero_command, 1.0)
    assert ring.q[2] == pytest.approx(0.015, abs=1e-3)
    assert np.abs(ring.v).max() < 1e-6


def test_dividing_meshes_without_the_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(MissingPackage, match="pip install coacd"):
        Simulation(None, ball_in_an_elbow(tmp_path), divided_meshes=True)
