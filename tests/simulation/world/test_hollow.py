"""Hollow meshes in convex parts: ring on peg, cup on hook, chain of links, and MuJoCo with the same parts.

The library that divides meshes (CoACD) is not everywhere: here another one stands in its place, which knows the parts
of what was put together from them. All else is as users have it: closed meshes, divided by default.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
import trimesh

from footfall import Cylinder, Material, Mesh, Plane, Scene, SceneObject, Simulation, Transform, free_body
from footfall.arrays import Array
from footfall.contact.detection import pools
from footfall.contact.detection.hulls import convex_hull
from footfall.math.rotations import quaternion_from_matrix, rotation_x, rotation_z

G, SIDES = 9.81, 12
MATERIAL = Material(friction=0.5)
FLOOR = SceneObject("floor", Plane(), material=MATERIAL)


def closed(corners: Array) -> trimesh.Trimesh:
    """The mesh of a convex part."""
    hull = convex_hull(corners)
    triangles = [(face[0], face[k], face[k + 1]) for face in hull.faces for k in range(1, len(face) - 1)]
    return trimesh.Trimesh(hull.points, triangles, process=False)


class Hollow:
    """Convex parts (corners (n, 3) each, m), and the closed mesh that they make."""

    def __init__(self, name: str, *parts: Array) -> None:
        self.name, self.parts = name, parts
        self.mesh = trimesh.util.concatenate([closed(each) for each in parts])
        self.mass, self.middle = 0.2, self.mesh.center_mass
        self.inertia = self.mesh.moment_inertia * self.mass / self.mesh.volume

    def loose(self, folder: Path, name: str, pose: Transform) -> SceneObject:
        path = folder / f"{self.name}.stl"
        self.mesh.export(path)
        shape = Mesh(str(path))
        free = free_body(shape, self.mass, center_of_mass=tuple(self.middle), inertia=self.inertia)
        return SceneObject(name, shape, pose, MATERIAL, free=free)


def ring(inner: float, outer: float, height: float) -> list[Array]:
    """Its sectors, about z."""
    turns = 2.0 * np.pi * np.arange(SIDES + 1) / SIDES
    around = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return [
        np.array(
            [
                (*r * around[k + i], z)
                for i in (0, 1)
                for r in (inner, outer)
                for z in (-height / 2, height / 2)
            ]
        )
        for k in range(SIDES)
    ]


def upright(parts: list[Array], move: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> list[Array]:
    """Turned about x, so that the hole looks along y."""
    return [each @ rotation_x(np.pi / 2).T + np.array(move) for each in parts]


RING = Hollow("ring", *ring(0.05, 0.08, 0.03))
LINK = Hollow("link", *upright(ring(0.03, 0.04, 0.01)))
CUP = Hollow(
    "cup",
    *ring(0.03, 0.035, 0.08),
    np.concatenate(ring(0.0, 0.034, 0.005)) - np.array([0.0, 0.0, 0.037]),
    *upright(ring(0.015, 0.02, 0.008), (0.052, 0.0, 0.0)),
)


@pytest.fixture(autouse=True)
def divides(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Something in the place of the library."""

    def run(mesh: SimpleNamespace, **_: object) -> list[tuple[Array, None]]:
        size = np.ptp(mesh.vertices, axis=0)
        hollow = next(h for h in (RING, LINK, CUP) if np.allclose(size, h.mesh.extents, atol=1e-6))
        return [(part, None) for part in hollow.parts]

    stand_in = SimpleNamespace(
        set_log_level=lambda _: None,
        Mesh=lambda vertices, triangles: SimpleNamespace(vertices=vertices, triangles=triangles),
        run_coacd=run,
    )
    monkeypatch.setitem(sys.modules, "coacd", stand_in)
    monkeypatch.setattr(pools, "kept_arrays", lambda made, *_: made())  # nothing of it stays on disk
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def peer(things: list[tuple[Hollow, Transform]], fixed: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The same parts in MuJoCo, whose meshes are convex hulls."""
    assets, bodies = [], []
    for number, (hollow, pose) in enumerate(things):
        geoms = []
        for k, part in enumerate(hollow.parts):
            corners = " ".join(f"{x:.9g}" for x in part.ravel())
            assets.append(f'<mesh name="m{number}_{k}" vertex="{corners}"/>')
            geoms.append(f'<geom type="mesh" mesh="m{number}_{k}" friction="0.5"/>')
        inertia = hollow.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        own = f'<inertial pos="{_text(hollow.middle)}" mass="{hollow.mass}" fullinertia="{_text(inertia)}"/>'
        place = f'pos="{_text(pose.translation)}" quat="{_text(quaternion_from_matrix(pose.rotation))}"'
        bodies.append(f"<body {place}><freejoint/>{own}{''.join(geoms)}</body>")
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="0.001" cone="elliptic" impratio="10" integrator="implicitfast"/>'
        f"<asset>{''.join(assets)}</asset><worldbody>{fixed}{''.join(bodies)}</worldbody></mujoco>"
    )
    return model, mujoco.MjData(model)


def _text(numbers: Array) -> str:
    return " ".join(f"{x:.12g}" for x in np.ravel(numbers))


def test_a_ring_falls_over_a_peg(tmp_path: Path) -> None:
    """And lies on the floor; as a hull it lies on the peg."""
    pose = Transform(np.eye(3), np.array([0.004, 0.0, 0.4]))
    peg = SceneObject("peg", Cylinder(0.03, 0.3), Transform(np.eye(3), np.array([0.0, 0.0, 0.15])), MATERIAL)
    scene = Scene("peg", (FLOOR, peg, RING.loose(tmp_path, "ring", pose)))
    simulation = Simulation(None, scene, dt=1e-3)
    simulation.run(simulation.zero_command, 1.0)
    assert simulation.q[2] == pytest.approx(0.015, abs=1e-6)
    fixed = '<geom type="plane" size="1 1 1" friction="0.5"/><geom type="cylinder" size="0.03 0.15" pos="0 0 0.15"/>'
    model, data = peer([(RING, pose)], fixed)
    mujoco.mj_step(model, data, 1000)
    assert data.qpos[2] == pytest.approx(simulation.q[2], abs=1e-3)
    hull = Simulation(None, scene, dt=1e-3, divided_meshes=False)
    hull.run(hull.zero_command, 1.0)
    assert hull.q[2] > 0.3


def test_a_cup_swings_on_a_hook(tmp_path: Path) -> None:
    """It hangs on its handle from a bar and swings, for a fifth of a second by 100 degrees, as in MuJoCo to one degree;
    then slip and the give of MuJoCo's contacts tell. It stays there."""
    bar, height = 0.005, 0.5
    pose = Transform(np.eye(3), np.array([-0.052, 0.0, height + bar - 0.015 * np.cos(np.pi / SIDES)]))
    turned = rotation_x(np.pi / 2)
    hook = SceneObject("hook", Cylinder(bar, 0.1), Transform(turned, np.array([0.0, 0.0, height])), MATERIAL)
    simulation = Simulation(None, Scene("hook", (FLOOR, hook, CUP.loose(tmp_path, "cup", pose))), dt=1e-3)
    course = simulation.run(simulation.zero_command, 0.3)
    fixed = f'<geom type="cylinder" size="{bar} 0.05" pos="0 0 {height}" euler="90 0 0" friction="0.5"/>'
    model, data = peer([(CUP, pose)], fixed)
    tilts = np.empty(300)
    for k in range(300):
        mujoco.mj_step(model, data)
        tilts[k] = 2.0 * np.arctan2(data.qpos[5], data.qpos[3])
    ours = 2.0 * np.arctan2(course.q[:, 5], course.q[:, 3])
    assert np.ptp(ours[:200]) > np.radians(90.0)
    assert np.abs(ours - tilts)[:200].max() < np.radians(1.0)
    simulation.run(simulation.zero_command, 2.0)
    assert simulation.q[2] > 0.4


def test_links_of_a_chain_hang_in_each_other(tmp_path: Path) -> None:
    """The bar carries all of them; each hangs where faces of the inner rims touch, or by a corner of a rim at the most
    lower. MuJoCo has the upper ones there to 1 mm; the lowest it lets in by half of its thickness."""
    inner, wide, count = 0.03 * np.cos(np.pi / SIDES), 0.01, 3
    bar = SceneObject("bar", Cylinder(0.005, 0.1), Transform(rotation_x(np.pi / 2), np.zeros(3)), MATERIAL)
    poses = [
        Transform(
            rotation_z(np.pi / 2 * (k % 2)),
            np.array([0.0, 0.0, 0.005 - inner - k * (2 * inner - 1.2 * wide)]),
        )
        for k in range(count)
    ]
    links = [LINK.loose(tmp_path, f"link{k}", pose) for k, pose in enumerate(poses)]
    simulation = Simulation(None, Scene("chain", (bar, *links)), dt=1e-3)
    course = simulation.run(simulation.zero_command, 1.5)
    load = course.force_on("bar")[-1]
    np.testing.assert_allclose(load, [0.0, 0.0, -count * LINK.mass * G], atol=1e-6)
    heights = simulation.q[2::7]
    assert (-np.diff(heights) > 2 * inner - wide / 10).all()
    assert (-np.diff(heights) < 2 * 0.03 + 1e-9).all()
    assert np.abs(simulation.v).max() < 1e-6
    fixed = '<geom type="cylinder" size="0.005 0.05" euler="90 0 0" friction="0.5"/>'
    model, data = peer([(LINK, pose) for pose in poses], fixed)
    mujoco.mj_step(model, data, 1500)
    np.testing.assert_allclose(data.qpos[2:16:7], heights[:2], atol=1e-3)
