"""The robots of the contact scenes in MuJoCo: the same joints, inertias, feet, drives and step, by our MJCF writer."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.lab.contact_scenes import DT, FRICTION, ContactScene
from footfall.arrays import Array
from footfall.robot.mjcf_writer import mjcf_text, part_names
from footfall.robot.model import Robot
from footfall.simulation.joint_control import actuated_velocities
from tests.peers.mujoco import MujocoModel


class ContactPeer(MujocoModel):
    """A contact scene in MuJoCo.

    Position servos with the scene's gains hold the standing posture, the integrator is `implicitfast`, which takes
    their damping implicitly. elliptic: the round friction cone instead of MuJoCo's default pyramid. impratio: how much
    harder friction is than the normal direction; with 1, MuJoCo's default, feet creep. time_constant: of the soft
    contact, s. Feet touch the ground and nothing else.
    """

    def __init__(
        self,
        scene: ContactScene,
        *,
        elliptic: bool = False,
        impratio: float = 1.0,
        time_constant: float = 0.02,
        dt: float = DT,
    ) -> None:
        import mujoco

        spec = mujoco.MjSpec.from_string(mjcf_text(scene.robot))
        spec.option.timestep = dt
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.impratio = impratio
        if elliptic:
            spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        for geom in spec.geoms:
            touches = bool(geom.contype or geom.conaffinity)
            geom.contype, geom.conaffinity = 0, int(touches)
            geom.friction[0] = FRICTION
            geom.solref[0] = time_constant
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[0, 0, 1],
            friction=[FRICTION, 0.005, 1e-4],
            solref=[time_constant, 1.0],
            conaffinity=0,
        )
        for motor in list(spec.actuators):
            spec.delete(motor)
        self.scene = scene
        self._controlled = add_servos(spec, scene.robot, scene.kp, scene.kd)
        super().__init__(scene.robot, spec.compile())
        self.data = mujoco.MjData(self.model)
        self.reset()

    def reset(self) -> None:
        """To the start of the scene."""
        import mujoco

        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.q(self.scene.start())
        self.data.ctrl[:] = self.control()
        mujoco.mj_forward(self.model, self.data)

    def control(self) -> Array:
        """Positions (actuators,) of the standing posture."""
        return np.array([self.scene.q[k] for k in self._controlled])

    def contact_forces(self) -> tuple[Array, Array]:
        """Positions (contacts, 3) and forces (contacts, 3) on the robot in world axes at the present state."""
        import mujoco

        positions, forces, wrench = [], [], np.zeros(6)
        for k in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, k, wrench)
            contact = self.data.contact[k]
            # The frame's first row points from the first geom to the second; the force acts on the second.
            on_plane = self.model.geom_type[contact.geom1] == mujoco.mjtGeom.mjGEOM_PLANE
            force = contact.frame.reshape(3, 3).T @ wrench[:3]
            positions.append(contact.pos.copy())
            forces.append(force if on_plane else -force)
        return np.array(positions).reshape(-1, 3), np.array(forces).reshape(-1, 3)

    def batch_states(self, q: Array) -> Array:
        """Full-physics states (batch, n) at rest in our configurations (batch, nq), for `mujoco.rollout`."""
        import mujoco

        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        states = np.empty((len(q), mujoco.mj_stateSize(self.model, kind)))
        self.reset()
        for row, qpos in zip(states, self.q(q), strict=True):
            self.data.qpos[:] = qpos
            mujoco.mj_getState(self.model, self.data, row, kind)
        self.reset()
        return states


def add_servos(spec: Any, robot: Robot, kp: float | Array, kd: float | Array) -> list[int]:
    """Add a position servo for each driven joint; our coordinates of them. kp, kd: of all joints, or one each."""
    import mujoco

    driven = actuated_velocities(robot)
    stiffness, damping = (np.broadcast_to(gain, (len(driven),)) for gain in (kp, kd))

    names = {}
    for joint in robot.joints:
        for k, name in enumerate(part_names(joint)):
            names[robot.v_slice(joint.name).start + k] = name
    coordinates = []
    for (coordinate, velocity), stiff, damped in zip(driven, stiffness, damping, strict=True):
        servo = spec.add_actuator(
            name=names[velocity],
            target=names[velocity],
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        )
        servo.gainprm[0] = stiff
        servo.biasprm[1], servo.biasprm[2] = -stiff, -damped
        limit = float(robot.effort_limits[velocity])
        if np.isfinite(limit):
            servo.forcerange = [-limit, limit]
            servo.forcelimited = 1
        coordinates.append(coordinate)
    return coordinates
