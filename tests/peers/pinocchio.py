"""A robot in Pinocchio: the one place where its conventions and ours meet.

Ours: quaternions scalar first; the tangent space of a floating base is R3 x SO(3), linear rates in world
axes. Pinocchio: quaternions scalar last; its free flyer lives on SE(3), so the base is a translation and a
ball joint on it here; continuous joints of a URDF have coordinates (cos, sin); children of a URDF come
alphabetically.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from footfall.math.transform import Transform
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.tree import rotation_with_z_along

Array = NDArray[np.float64]
ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def _se3(pose: Transform) -> Any:
    return pin.SE3(np.asarray(pose.rotation, dtype=float), np.asarray(pose.translation, dtype=float))


def _inertia(body: Body) -> Any:
    """By its ten parameters: the constructor refuses the impossible inertias that some publications have."""
    mass, c = body.mass, np.asarray(body.center_of_mass)
    if mass == 0.0:
        return pin.Inertia(0.0, c, np.asarray(body.inertia))
    i = body.inertia + mass * (c @ c * np.eye(3) - np.outer(c, c))
    entries = [i[0, 0], i[0, 1], i[1, 1], i[0, 2], i[1, 2], i[2, 2]]
    return pin.Inertia.FromDynamicParameters(np.array([mass, *(mass * c), *entries]))


def _mirrored(upper: Array) -> Array:
    """The symmetric matrix of which Pinocchio fills the upper triangle; a 1 x 1 one comes as a vector."""
    square = np.array(upper).reshape(np.size(upper) if np.ndim(upper) < 2 else len(upper), -1)
    return np.triu(square) + np.triu(square, 1).T


def _elementary(joint: Joint) -> list[Any]:
    """The joint as a chain of Pinocchio's joints.

    No composites: Pinocchio takes their motion subspaces for constant where it differentiates Jacobians.
    """
    axis, second = np.array(joint.axis), np.array(joint.second_axis)
    match joint.type:
        case JointType.REVOLUTE | JointType.CONTINUOUS:
            return [pin.JointModelRevoluteUnaligned(axis)]
        case JointType.PRISMATIC:
            return [pin.JointModelPrismaticUnaligned(axis)]
        case JointType.UNIVERSAL:
            return [pin.JointModelRevoluteUnaligned(axis), pin.JointModelRevoluteUnaligned(second)]
        case JointType.PLANAR:
            slides = [
                pin.JointModelPrismaticUnaligned(direction) for direction in rotation_with_z_along(axis).T[:2]
            ]
            return [*slides, pin.JointModelRevoluteUnaligned(axis)]
        case JointType.SPHERICAL:
            return [pin.JointModelSpherical()]
        case JointType.FLOATING:
            return [pin.JointModelTranslation(), pin.JointModelSpherical()]
    raise ValueError(f"no counterpart of joint type {joint.type}")


def _add_chain(model: Any, parent: int, joints: Sequence[Any], pose: Any, name: str) -> int:
    """Add joints one on the other; the last has the name itself. Gives its index."""
    for number, joint in enumerate(joints):
        last = number == len(joints) - 1
        parent = model.addJoint(parent, joint, pose, name if last else f"{name}:{number}")
        pose = pin.SE3.Identity()
    return parent


def _on_floating_base(fixed: Any) -> Any:
    """A model read with its root fixed, on a translation and a ball joint."""
    model = pin.Model()
    base = [pin.JointModelTranslation(), pin.JointModelSpherical()]
    root = _add_chain(model, 0, base, pin.SE3.Identity(), "root_joint")
    model.appendBodyToJoint(root, fixed.inertias[0], pin.SE3.Identity())
    for index in range(1, fixed.njoints):
        parent = fixed.parents[index] + root
        model.addJoint(parent, fixed.joints[index], fixed.jointPlacements[index], fixed.names[index])
        model.appendBodyToJoint(index + root, fixed.inertias[index], pin.SE3.Identity())
    for frame in fixed.frames[1:]:
        model.addFrame(pin.Frame(frame.name, frame.parentJoint + root, 0, frame.placement, frame.type), False)
    return model


class Derivatives(NamedTuple):
    """Partial derivatives (nv, nv) on our tangent space."""

    dq: Array
    dv: Array
    da: Array


class PinocchioPeer:
    """A Pinocchio model that takes and gives vectors in our order and conventions.

    `from_robot` converts joint by joint; `from_urdf` uses Pinocchio's own reader, so that ours is tested too.
    """

    def __init__(self, robot: Robot, model: Any) -> None:
        self.robot = robot
        self.model = model
        self.data = model.createData()
        self._joints: list[Any] = []  # Pinocchio's, in the order of our coordinates
        for joint in robot.joints:
            if joint.type is JointType.FIXED:
                continue
            name = joint.name if model.existJointName(joint.name) else "root_joint"
            last = model.getJointId(name)
            chain = [k for k in range(1, last) if model.names[k].startswith(f"{name}:")] + [last]
            self._joints += [model.joints[k] for k in chain]
        positions = [range(joint.idx_v, joint.idx_v + joint.nv) for joint in self._joints]
        self.v_index = np.array([k for places in positions for k in places], dtype=int)  # of our velocities
        if sorted(self.v_index) != list(range(model.nv)) or model.nv != robot.nv:
            raise ValueError(f"{robot.nv} velocities of ours, {model.nv} of Pinocchio's")

    @classmethod
    def from_robot(cls, robot: Robot) -> PinocchioPeer:
        model = pin.Model()
        model.name = robot.name
        carriers: dict[str, tuple[int, Any]] = {WORLD: (0, pin.SE3.Identity())}
        for body, joint in zip(robot.bodies, robot.joints, strict=True):
            parent, pose = carriers[joint.parent]
            pose = pose * _se3(joint.placement)
            if joint.type is not JointType.FIXED:
                parent = _add_chain(model, parent, _elementary(joint), pose, joint.name)
                pose = pin.SE3.Identity()
            carriers[body.name] = (parent, pose)
            model.appendBodyToJoint(parent, _inertia(body), pose)
            model.addFrame(pin.Frame(body.name, parent, 0, pose, pin.FrameType.BODY))
        for frame in robot.frames:
            parent, pose = carriers[frame.body]
            model.addFrame(
                pin.Frame(frame.name, parent, 0, pose * _se3(frame.placement), pin.FrameType.OP_FRAME)
            )
        return cls._finished(robot, model)

    @classmethod
    def from_urdf(cls, robot: Robot, path: Path | str, *, floating_base: bool) -> PinocchioPeer:
        """Pinocchio's reading of the file that `robot` was read from."""
        model = pin.buildModelFromUrdf(str(path))
        return cls._finished(robot, _on_floating_base(model) if floating_base else model)

    @classmethod
    def _finished(cls, robot: Robot, model: Any) -> PinocchioPeer:
        model.gravity.linear = np.asarray(robot.gravity)
        peer = cls(robot, model)
        model.armature = peer.v(robot.armature)
        peer.data = model.createData()
        return peer

    # Conversions

    def q(self, q: Array) -> Array:
        """Our configuration (nq,) in Pinocchio's coordinates."""
        result = np.zeros(self.model.nq)
        start = 0
        for joint in self._joints:
            if joint.shortname() == "JointModelSpherical":
                theirs, used = np.roll(q[start : start + 4], -1), 4
            elif joint.shortname().startswith("JointModelRUB"):  # a continuous joint read from a file
                theirs, used = np.array([np.cos(q[start]), np.sin(q[start])]), 1
            elif joint.nq == joint.nv:
                theirs, used = q[start : start + joint.nq], joint.nq
            else:
                raise ValueError(f"no conversion of coordinates for {joint.shortname()}")
            result[joint.idx_q : joint.idx_q + joint.nq] = theirs
            start += used
        return result

    def v(self, v: Array) -> Array:
        """Our tangent or force vector (nv,) in Pinocchio's order."""
        result = np.zeros(self.model.nv)
        result[self.v_index] = v
        return result

    def vector(self, theirs: Array) -> Array:
        """Pinocchio's tangent or force vector (nv,) in our order."""
        return np.array(theirs).reshape(self.model.nv)[self.v_index]

    def columns(self, theirs: Array) -> Array:
        """Pinocchio's (k, nv) with the columns in our order; its bindings drop the axis where nv is 1."""
        return np.array(theirs).reshape(-1, self.model.nv)[:, self.v_index]

    def matrix(self, theirs: Array) -> Array:
        """Pinocchio's (nv, nv) in our order."""
        return np.array(theirs).reshape(self.model.nv, self.model.nv)[np.ix_(self.v_index, self.v_index)]

    def frame_id(self, name: str) -> int:
        """Index of a body or frame by our name."""
        if self.model.existFrame(name, pin.FrameType.BODY):
            return int(self.model.getFrameId(name, pin.FrameType.BODY))
        if not self.model.existFrame(name):
            raise KeyError(name)
        return int(self.model.getFrameId(name))

    def _wrenches(self, q: Array, wrenches: Mapping[str, Array] | None) -> Any:
        """Wrenches [f; n], world axes at the frame's origin, as Pinocchio's, joint by joint in joint axes."""
        forces = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            forces.append(pin.Force.Zero())
        if wrenches:
            pin.framesForwardKinematics(self.model, self.data, q)
        for name, wrench in (wrenches or {}).items():
            index = self.frame_id(name)
            rotation = self.data.oMf[index].rotation
            local = pin.Force(rotation.T @ wrench[:3], rotation.T @ wrench[3:])
            frame = self.model.frames[index]
            forces[frame.parentJoint] = forces[frame.parentJoint] + frame.placement.act(local)
        return forces

    # Kinematics

    def frame_pose(self, q: Array, frame: str) -> Transform:
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        pose = self.data.oMf[self.frame_id(frame)]
        return Transform(pose.rotation.copy(), pose.translation.copy())

    def frame_velocity(self, q: Array, v: Array, frame: str) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v))
        pin.updateFramePlacements(self.model, self.data)
        return np.array(pin.getFrameVelocity(self.model, self.data, self.frame_id(frame), ALIGNED).vector)

    def frame_acceleration(self, q: Array, v: Array, a: Array, frame: str) -> Array:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v), self.v(a))
        pin.updateFramePlacements(self.model, self.data)
        acceleration = pin.getFrameClassicalAcceleration(self.model, self.data, self.frame_id(frame), ALIGNED)
        return np.array(acceleration.vector)

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        return self.columns(
            pin.computeFrameJacobian(self.model, self.data, self.q(q), self.frame_id(frame), ALIGNED)
        )

    def frame_jacobian_rate(self, q: Array, v: Array, frame: str) -> Array:
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.v(v))
        pin.updateFramePlacements(self.model, self.data)
        rate = pin.getFrameJacobianTimeVariation(self.model, self.data, self.frame_id(frame), ALIGNED)
        return self.columns(rate)

    def joint_motions(self, q: Array) -> Array:
        return self.columns(pin.computeJointJacobians(self.model, self.data, self.q(q)))

    def center_of_mass(self, q: Array) -> Array:
        return np.array(pin.centerOfMass(self.model, self.data, self.q(q)))

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        pin.centerOfMass(self.model, self.data, self.q(q), self.v(v))
        return np.array(self.data.vcom[0])

    def center_of_mass_bias(self, q: Array, v: Array) -> Array:
        pin.centerOfMass(self.model, self.data, self.q(q), self.v(v), np.zeros(self.model.nv))
        return np.array(self.data.acom[0])

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return self.columns(pin.jacobianCenterOfMass(self.model, self.data, self.q(q)))

    # Momentum and energy

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return np.array(pin.computeCentroidalMomentum(self.model, self.data, self.q(q), self.v(v)).vector)

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        return self.columns(pin.computeCentroidalMap(self.model, self.data, self.q(q)))

    def centroidal_momentum_bias(self, q: Array, v: Array) -> Array:
        zero = np.zeros(self.model.nv)
        pin.computeCentroidalMomentumTimeVariation(self.model, self.data, self.q(q), self.v(v), zero)
        return np.array(self.data.dhg.vector)

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return 0.5 * float(v @ self.mass_matrix(q) @ v)

    def potential_energy(self, q: Array) -> float:
        return float(pin.computePotentialEnergy(self.model, self.data, self.q(q)))

    # Dynamics

    def mass_matrix(self, q: Array) -> Array:
        return self.matrix(_mirrored(pin.crba(self.model, self.data, self.q(q))))

    def inverse_dynamics(
        self, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None = None
    ) -> Array:
        forces = self._wrenches(self.q(q), wrenches)
        return self.vector(pin.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a), forces))

    def bias_forces(self, q: Array, v: Array) -> Array:
        return self.vector(pin.nonLinearEffects(self.model, self.data, self.q(q), self.v(v)))

    def gravity_forces(self, q: Array) -> Array:
        return self.vector(pin.computeGeneralizedGravity(self.model, self.data, self.q(q)))

    def forward_dynamics(
        self, q: Array, v: Array, tau: Array, wrenches: Mapping[str, Array] | None = None
    ) -> Array:
        forces = self._wrenches(self.q(q), wrenches)
        return self.vector(pin.aba(self.model, self.data, self.q(q), self.v(v), self.v(tau), forces))

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array) -> Derivatives:
        """Of the joint forces; no wrenches (Pinocchio holds them fixed in joint axes, we in world axes)."""
        dq, dv, da = pin.computeRNEADerivatives(self.model, self.data, self.q(q), self.v(v), self.v(a))
        return Derivatives(self.matrix(dq), self.matrix(dv), self.matrix(_mirrored(da)))

    def forward_dynamics_derivatives(self, q: Array, v: Array, tau: Array) -> Derivatives:
        """Of the accelerations; the last entry is the inverse of the mass matrix."""
        dq, dv, dtau = pin.computeABADerivatives(self.model, self.data, self.q(q), self.v(v), self.v(tau))
        return Derivatives(self.matrix(dq), self.matrix(dv), self.matrix(_mirrored(dtau)))

    # The manifold

    def integrate(self, q: Array, step: Array) -> Array:
        """Pinocchio's coordinates of our `integrate`, see `q`."""
        return np.array(pin.integrate(self.model, self.q(q), self.v(step)))

    def difference(self, q0: Array, q1: Array) -> Array:
        return self.vector(pin.difference(self.model, self.q(q0), self.q(q1)))
