"""The worlds of `world_scenes` in MuJoCo: the same shapes, inertias, joints, servos, friction and step."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from benchmarks.lab.contact_mujoco import add_servos
from benchmarks.lab.world_scenes import WorldScene
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix
from footfall.robot.mjcf_writer import mjcf_text
from footfall.robot.shapes import Box, Capsule, Cylinder, Sphere
from footfall.scene.model import SceneObject

FLAGS = "elliptic cones, impratio 10, implicitfast, solver Newton with 100 iterations and tolerance 1e-10"


class WorldPeer:
    """A world in MuJoCo; contacts have a margin of 1 mm, as ours."""

    def __init__(self, world: WorldScene) -> None:
        text = "<mujoco/>" if world.robot is None else mjcf_text(world.robot, meshes=True)
        spec = mujoco.MjSpec.from_string(text)
        spec.option.timestep = world.dt
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 10.0
        spec.option.tolerance = 1e-10
        for motor in list(spec.actuators):
            spec.delete(motor)
        for thing in world.scene.objects:
            add_thing(spec, thing)
        controlled: list[int] = []
        if world.robot is not None and world.kp > 0.0:
            controlled = add_servos(spec, world.robot, world.kp, world.kd)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.start = np.array(self.data.qpos)
        q = world.start()
        if q is not None:
            self.start[: len(q)] = q  # our order of coordinates is that of the file
        self.control = self.start[controlled]
        self.velocity = np.zeros(self.model.nv)
        self.velocity[self.model.nv - 6 * len(world.scene.free_objects) :] = np.ravel(
            [thing.free.velocity for thing in world.scene.free_objects if thing.free is not None]
        )
        self.reset()

    def reset(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = self.start, self.velocity, self.control

    def run(self, steps: int) -> None:
        mujoco.mj_step(self.model, self.data, steps)


def add_thing(spec: Any, thing: SceneObject, *, margin: float = 1e-3) -> None:
    """An object; margin: m from which on it touches."""
    shape, pose = thing.shape, thing.placement
    place = {"pos": pose.translation, "quat": quaternion_from_matrix(np.asarray(pose.rotation))}
    common: dict[str, Any] = {"friction": [thing.material.friction, 0.0, 0.0], "condim": 3, "margin": margin}
    if thing.free is None:
        spec.worldbody.add_geom(**_geometry(shape), **place, **common)
        return
    body = spec.worldbody.add_body(name=thing.name, **place)
    body.add_freejoint()
    body.add_geom(**_geometry(shape), mass=thing.free.mass, **common)


def _geometry(shape: Any) -> dict[str, Any]:
    kinds = mujoco.mjtGeom
    if isinstance(shape, Plane):
        return {"type": kinds.mjGEOM_PLANE, "size": [0, 0, 1]}
    if isinstance(shape, Box):
        return {"type": kinds.mjGEOM_BOX, "size": np.array(shape.size) / 2}
    if isinstance(shape, Sphere):
        return {"type": kinds.mjGEOM_SPHERE, "size": [shape.radius, 0, 0]}
    if isinstance(shape, Capsule | Cylinder):
        kind = kinds.mjGEOM_CAPSULE if isinstance(shape, Capsule) else kinds.mjGEOM_CYLINDER
        return {"type": kind, "size": [shape.radius, shape.length / 2, 0]}
    raise TypeError(f"no {type(shape).__name__} here")
