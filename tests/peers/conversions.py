"""A converted robot in MuJoCo against the original file as others read it.

Pinocchio reads the original URDF with its own parser and coal's reader of meshes: mass matrix and lowest points of what
touches, at random configurations. MuJoCo reads URDF as well (but no COLLADA): where both robots come to rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import coal
import mujoco
import numpy as np
import pinocchio as pin

from footfall.arrays import Array


class Original:
    """A URDF as Pinocchio has it. floating: its root link is free."""

    def __init__(self, path: Path, packages: list[Path], *, floating: bool = True) -> None:
        self.floating = floating
        root = [pin.JointModelFreeFlyer()] if floating else []
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.data = self.model.createData()
        places = [str(place) for place in packages]
        self.shapes = pin.buildGeomFromUrdf(self.model, str(path), pin.GeometryType.COLLISION, places)
        self.placed = self.shapes.createData()

    def random(self, generator: np.random.Generator) -> Array:
        """A configuration of Pinocchio: any orientation of the base, angles up to 1 rad within the limits."""
        q = pin.neutral(self.model)
        if self.floating:
            quaternion = generator.normal(size=4)
            q[:7] = [*generator.uniform(-1.0, 1.0, 3), *(quaternion / np.linalg.norm(quaternion))]
        for joint in list(self.model.joints)[1 + self.floating :]:
            angle = generator.uniform(-1.0, 1.0)
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(angle), np.sin(angle)
            else:
                low, high = (
                    x[joint.idx_q] for x in (self.model.lowerPositionLimit, self.model.upperPositionLimit)
                )
                q[joint.idx_q] = np.clip(angle, low, high)
        return q

    def mass_matrix(self, q: Array) -> Array:
        """In MuJoCo's tangent space of the base: linear rates in world axes, which Pinocchio has in body axes."""
        matrix = pin.crba(self.model, self.data, q)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        turn = np.eye(self.model.nv)
        if self.floating:
            x, y, z, w = q[3:7]
            turn[:3, :3] = pin.Quaternion(w, x, y, z).matrix()
        return np.asarray(turn @ matrix @ turn.T)

    def lowest(self, q: Array) -> Array:
        """Height of the lowest point of each shape that touches."""
        pin.updateGeometryPlacements(self.model, self.data, self.shapes, self.placed, q)
        heights = []
        for shape, place in zip(self.shapes.geometryObjects, self.placed.oMg, strict=True):
            down = place.rotation.T @ np.array([0.0, 0.0, 1.0])
            heights.append(place.translation[2] + _lowest_of(shape.geometry, down))
        return np.sort(heights)


def _lowest_of(shape: Any, up: Array) -> float:
    """Least height of a shape of coal over its own origin, `up` in its axes."""
    side = np.hypot(up[0], up[1])
    match shape:
        case coal.Sphere():
            return -float(shape.radius)
        case coal.Box():
            return -float(np.abs(up) @ shape.halfSide)
        case coal.Cylinder():
            return -float(abs(up[2]) * shape.halfLength + side * shape.radius)
        case coal.Capsule():
            return -float(abs(up[2]) * shape.halfLength + shape.radius)
    points = shape.vertices() if isinstance(shape, coal.BVHModelBase) else shape.points()
    return float((np.array(points) @ up).min())


class Converted:
    """A model that MuJoCo has of a written file."""

    def __init__(self, path: Path) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)

    def at(self, original: Original, q: Array) -> Array:
        """Set Pinocchio's configuration; gives the places of Pinocchio's velocities in MuJoCo's."""
        order = []
        if original.floating:
            x, y, z, w = q[3:7]
            self.data.qpos[:7] = [*q[:3], w, x, y, z]
            order = list(range(6))
        for index in range(1 + original.floating, original.model.njoints):
            joint, name = original.model.joints[index], original.model.names[index]
            angle = np.arctan2(q[joint.idx_q + 1], q[joint.idx_q]) if joint.nq == 2 else q[joint.idx_q]
            mine = self.model.joint(name)
            self.data.qpos[mine.qposadr[0]] = angle
            order.append(int(mine.dofadr[0]))
        mujoco.mj_forward(self.model, self.data)
        return np.array(order)

    def mass_matrix(self, order: Array) -> Array:
        """In Pinocchio's order."""
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return full[np.ix_(order, order)]

    def lowest(self) -> Array:
        """Height of the lowest point of each geom that touches."""
        heights = []
        for index in range(self.model.ngeom):
            if self.model.geom_contype[index] == 0 or self.model.geom_bodyid[index] == 0:
                continue
            rotation = self.data.geom_xmat[index].reshape(3, 3)
            up, size = rotation.T @ np.array([0.0, 0.0, 1.0]), self.model.geom_size[index]
            side = np.hypot(up[0], up[1])
            match int(self.model.geom_type[index]):
                case mujoco.mjtGeom.mjGEOM_SPHERE:
                    depth = size[0]
                case mujoco.mjtGeom.mjGEOM_BOX:
                    depth = np.abs(up) @ size
                case mujoco.mjtGeom.mjGEOM_CYLINDER:
                    depth = abs(up[2]) * size[1] + side * size[0]
                case mujoco.mjtGeom.mjGEOM_CAPSULE:
                    depth = abs(up[2]) * size[1] + size[0]
                case _:
                    mesh = self.model.geom_dataid[index]
                    start, count = self.model.mesh_vertadr[mesh], self.model.mesh_vertnum[mesh]
                    depth = -(self.model.mesh_vert[start : start + count] @ up).min()
            heights.append(self.data.geom_xpos[index][2] - depth)
        return np.sort(heights)


def differences(original: Original, converted: Converted, seed: int, samples: int = 3) -> tuple[float, float]:
    """Largest relative difference of the mass matrix, and of lowest points in m (infinite if shapes are missing)."""
    generator = np.random.default_rng(seed)
    inertia = heights = 0.0
    for _ in range(samples):
        q = original.random(generator)
        order = converted.at(original, q)
        theirs = original.mass_matrix(q)
        ours = converted.mass_matrix(order)
        inertia = max(inertia, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
        low, mine = original.lowest(q), converted.lowest()
        heights = max(
            heights, float(np.abs(low - mine).max(initial=0.0)) if low.shape == mine.shape else np.inf
        )
    return inertia, heights


def resting_height(spec: Any, seconds: float = 1.5) -> float:
    """Of the root body's origin after a fall from just above a plane, all joints held at their neutral place.

    spec: an `MjSpec` whose first body floats, or is fixed and gets a free joint.
    """
    spec.option.timestep = 0.002
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    for joint in spec.joints:
        if joint.type not in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            joint.stiffness, joint.damping = [1e5, 0.0, 0.0], [1e3, 0.0, 0.0]
            joint.armature, joint.springref, joint.frictionloss = 1.0, 0.0, 0.0
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for key in list(spec.keys):
        spec.delete(key)
    for equality in list(spec.equalities):
        spec.delete(equality)
    for geom in spec.geoms:  # the robot touches the plane, not itself
        if geom.contype or geom.conaffinity:
            geom.contype, geom.conaffinity = 1, 0
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], contype=0, conaffinity=1, name="the ground"
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    holder = Converted.__new__(Converted)
    holder.model, holder.data = model, data
    data.qpos[2] -= float(holder.lowest().min()) - 0.01
    for _ in range(int(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return float(data.qpos[2])
