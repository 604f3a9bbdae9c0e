"""What our functions compute, computed by Pinocchio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from footfall.arrays import Array
from footfall.bench.pinocchio import PinocchioModel
from footfall.math.transform import Transform
from tests.peers.robots import RealRobot, load_real

ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Derivatives(NamedTuple):
    """Partial derivatives (nv, nv) on our tangent space."""

    dq: Array
    dv: Array
    da: Array


class PinocchioPeer(PinocchioModel):
    """A Pinocchio model that takes and gives vectors in our order and conventions.

    `from_robot` converts joint by joint; `from_real` uses Pinocchio's own reader, so that ours is tested too.
    """

    @classmethod
    def from_real(cls, real: RealRobot) -> PinocchioPeer:
        return cls.from_urdf(load_real(real), real.file(), floating_base=real.floating_base)

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
        return self.symmetric(pin.crba(self.model, self.data, self.q(q)))

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
        return Derivatives(self.matrix(dq), self.matrix(dv), self.symmetric(da))

    def forward_dynamics_derivatives(self, q: Array, v: Array, tau: Array) -> Derivatives:
        """Of the accelerations; the last entry is the inverse of the mass matrix."""
        dq, dv, dtau = pin.computeABADerivatives(self.model, self.data, self.q(q), self.v(v), self.v(tau))
        return Derivatives(self.matrix(dq), self.matrix(dv), self.symmetric(dtau))

    # The manifold

    def integrate(self, q: Array, step: Array) -> Array:
        """Pinocchio's coordinates of our `integrate`, see `q`."""
        return np.array(pin.integrate(self.model, self.q(q), self.v(step)))

    def difference(self, q0: Array, q1: Array) -> Array:
        return self.vector(pin.difference(self.model, self.q(q0), self.q(q1)))
