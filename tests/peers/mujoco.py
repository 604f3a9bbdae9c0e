"""What our functions compute, computed by MuJoCo.

State vectors have the same conventions (scalar-first quaternions, linear rates in world axes, angular rates in body
axes), for joints that are made up as our MJCF writer does; only the order of the bodies may differ. MuJoCo orders
6-vectors angular part first, counts gravity as an acceleration of the world in `cacc`, and
diagonalises inertias when it compiles, so agreement is to about 1e-8.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from footfall.arrays import Array
from footfall.math.transform import Transform, identity_transform
from footfall.robot.mjcf_writer import part_names, parts
from footfall.robot.model import WORLD, Joint, JointType, Robot
from footfall.robot.orientation import quaternion_from_matrix
from footfall.robot.tree import merge_inertias


class MujocoModel:
    """MuJoCo's model of a robot with joints named as by our MJCF writer.

    order_q, order_v: (nq,) and (nv,), where our coordinates and velocities stand in MuJoCo's vectors.
    """

    def __init__(self, robot: Robot, model: Any) -> None:
        self.robot = robot
        self.model = model
        q: list[int] = []
        v: list[int] = []
        for joint in robot.joints:
            for name in part_names(joint)[:1]:  # the others of the same body follow on it
                first = model.joint(name)
                q += range(first.qposadr[0], first.qposadr[0] + joint.type.coordinates)
                v += range(first.dofadr[0], first.dofadr[0] + joint.type.velocities)
        self.order_q, self.order_v = np.array(q, dtype=int), np.array(v, dtype=int)

    def q(self, q: Array) -> Array:
        """Our configurations (..., nq) in MuJoCo's order."""
        result = np.empty_like(q)
        result[..., self.order_q] = q
        return result

    def v(self, v: Array) -> Array:
        """Our tangent or force vectors (..., nv) in MuJoCo's order."""
        result = np.empty_like(v)
        result[..., self.order_v] = v
        return result

    def vector(self, theirs: Array) -> Array:
        """MuJoCo's tangent or force vector (nv,), or columns (k, nv), in our order."""
        ours: Array = np.array(theirs)[..., self.order_v]
        return ours

    def matrix(self, theirs: Array) -> Array:
        """MuJoCo's (nv, nv) in our order."""
        ours: Array = np.array(theirs)[np.ix_(self.order_v, self.order_v)]
        return ours


def _add_joints(body: Any, joint: Joint) -> None:
    for part, name in zip(parts(joint), part_names(joint), strict=True):
        kind = getattr(mujoco.mjtJoint, f"mjJNT_{part.type.upper()}")
        axis = np.array(part.axis or (0.0, 0.0, 1.0))
        body.add_joint(name=name, type=kind, axis=axis, armature=joint.armature)


class MujocoPeer(MujocoModel):
    """A MuJoCo model that takes and gives vectors in our order and conventions.

    MuJoCo refuses robots with moving bodies without mass or with impossible inertias.
    """

    def __init__(self, robot: Robot) -> None:
        spec = mujoco.MjSpec()
        spec.option.gravity = np.asarray(robot.gravity, dtype=float)
        spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        spec.compiler.alignfree = False  # would move the body frame into the centre of mass
        spec.compiler.degree = False
        bodies = {WORLD: spec.worldbody}
        carriers: dict[str, tuple[str, Transform]] = {WORLD: (WORLD, identity_transform())}
        members: dict[str, list[tuple[Transform, float, Array, Array]]] = {}
        for body, joint in zip(robot.bodies, robot.joints, strict=True):
            made = bodies[joint.parent].add_body(
                name=body.name,
                pos=joint.placement.translation,
                quat=quaternion_from_matrix(joint.placement.rotation),
            )
            bodies[body.name] = made
            _add_joints(made, joint)
            carrier, pose = carriers[joint.parent]
            carriers[body.name] = carrier, pose @ joint.placement
            if joint.type is not JointType.FIXED:
                carriers[body.name] = body.name, identity_transform()
            carrier, pose = carriers[body.name]
            members.setdefault(carrier, []).append((pose, body.mass, body.center_of_mass, body.inertia))
        members.pop(WORLD, None)  # what cannot move is no part of our centre of mass
        for carrier, fixed in members.items():  # of what is fixed together: a part alone may be impossible
            mass, center, i = merge_inertias(fixed)
            if mass > 0.0:
                bodies[carrier].explicitinertial = True
                bodies[carrier].mass = mass
                bodies[carrier].ipos = center
                bodies[carrier].fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        for frame in robot.frames:
            bodies[frame.body].add_site(
                name=frame.name,
                pos=frame.placement.translation,
                quat=quaternion_from_matrix(frame.placement.rotation),
            )
        super().__init__(robot, spec.compile())
        self.data = mujoco.MjData(self.model)

    def _at(self, q: Array, v: Array | None = None, a: Array | None = None) -> None:
        """Evaluate all of MuJoCo's quantities at a state."""
        self.data.qpos[:] = self.q(q)
        self.data.qvel[:] = 0.0 if v is None else self.v(v)
        self.data.qacc[:] = 0.0 if a is None else self.v(a)
        mujoco.mj_inverse(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        mujoco.mj_subtreeVel(self.model, self.data)
        mujoco.mj_rnePostConstraint(self.model, self.data)

    def _object(self, frame: str) -> tuple[Any, int, int]:
        """Kind, index and carrying body of a body or frame."""
        site = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SITE, frame)
        if site >= 0:
            return mujoco.mjtObj.mjOBJ_SITE, site, int(self.model.site_bodyid[site])
        body = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, frame)
        if body < 0:
            raise KeyError(frame)
        return mujoco.mjtObj.mjOBJ_XBODY, body, body

    def _pose(self, frame: str) -> Transform:
        kind, index, _ = self._object(frame)
        if kind == mujoco.mjtObj.mjOBJ_SITE:
            rotation, translation = self.data.site_xmat[index], self.data.site_xpos[index]
        else:
            rotation, translation = self.data.xmat[index], self.data.xpos[index]
        return Transform(rotation.reshape(3, 3).copy(), translation.copy())

    # Kinematics

    def frame_pose(self, q: Array, frame: str) -> Transform:
        self._at(q)
        return self._pose(frame)

    def frame_velocity(self, q: Array, v: Array, frame: str) -> Array:
        self._at(q, v)
        result = np.zeros(6)
        kind, index, _ = self._object(frame)
        mujoco.mj_objectVelocity(self.model, self.data, kind, index, result, 0)
        return np.concatenate([result[3:], result[:3]])

    def frame_acceleration(self, q: Array, v: Array, a: Array, frame: str) -> Array:
        self._at(q, v, a)
        result = np.zeros(6)
        kind, index, body = self._object(frame)
        if self.model.body_weldid[body] == 0:  # some versions leave gravity out of what stands still
            return result
        mujoco.mj_objectAcceleration(self.model, self.data, kind, index, result, 0)
        return np.concatenate([result[3:] + self.model.opt.gravity, result[:3]])

    def _jacobian(self, function: Any, frame: str) -> Array:
        linear, angular = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        _, _, body = self._object(frame)
        point = self._pose(frame).translation
        if function is mujoco.mj_jac:
            function(self.model, self.data, linear, angular, point, body)
        else:
            function(self.model, self.data, linear, angular, point.reshape(3, 1), body)
        return self.vector(np.vstack([linear, angular]))

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        self._at(q)
        return self._jacobian(mujoco.mj_jac, frame)

    def frame_jacobian_rate(self, q: Array, v: Array, frame: str) -> Array:
        self._at(q, v)
        return self._jacobian(mujoco.mj_jacDot, frame)

    def center_of_mass(self, q: Array) -> Array:
        self._at(q)
        return np.array(self.data.subtree_com[0])

    # Momentum and energy

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        self._at(q, v)
        mass = float(self.model.body_mass.sum())
        return np.concatenate([mass * self.data.subtree_linvel[0], self.data.subtree_angmom[0]])

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        """Column by column, from unit velocities: MuJoCo has no function for it."""
        return np.column_stack([self.centroidal_momentum(q, unit) for unit in np.eye(self.model.nv)])

    def kinetic_energy(self, q: Array, v: Array) -> float:
        self._at(q, v)
        return float(self.data.energy[1])

    def potential_energy(self, q: Array) -> float:
        self._at(q)
        return float(self.data.energy[0])

    # Dynamics

    def mass_matrix(self, q: Array) -> Array:
        self._at(q)
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return self.matrix(full)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        self._at(q, v, a)
        return self.vector(self.data.qfrc_inverse)

    def bias_forces(self, q: Array, v: Array) -> Array:
        self._at(q, v)
        return self.vector(self.data.qfrc_bias)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self.data.qpos[:], self.data.qvel[:] = self.q(q), self.v(v)
        self.data.qfrc_applied[:] = self.v(tau)
        mujoco.mj_forward(self.model, self.data)
        self.data.qfrc_applied[:] = 0.0
        return self.vector(self.data.qacc)

    # The manifold

    def integrate(self, q: Array, step: Array) -> Array:
        position = self.q(q)
        mujoco.mj_integratePos(self.model, position, self.v(step), 1.0)
        return np.array(position[self.order_q])

    def difference(self, q0: Array, q1: Array) -> Array:
        result = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, result, 1.0, self.q(q0), self.q(q1))
        return self.vector(result)
