"""Accelerations of looped robots against Pinocchio's constrained dynamics, and MuJoCo towards its stiff limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.dynamics.loops import Coupling
from footfall.robot.mjcf_writer import mjcf_text
from footfall.robot.model import Loop, LoopType, Robot
from tests.looped_robots import four_bar, random_looped_robot, six_bar, slider_crank


def constrained_by_pinocchio(robot: Robot, q: Array, v: Array, tau: Array) -> Array:
    """Accelerations of all joints, in our order; points and welds only."""
    pin = pytest.importorskip("pinocchio")
    from tests.peers.pinocchio import PinocchioPeer

    peer = PinocchioPeer.from_robot(robot.spanning)
    models = pin.StdVec_RigidConstraintModel()
    for loop in robot.loops:
        kind = pin.ContactType.CONTACT_3D if loop.type is LoopType.POINT else pin.ContactType.CONTACT_6D
        places: list[Any] = []
        for name in (loop.frame, loop.against):
            frame = peer.model.frames[peer.frame_id(name)]
            places += [frame.parentJoint, frame.placement]
        models.append(pin.RigidConstraintModel(kind, peer.model, *places, pin.ReferenceFrame.LOCAL))
    datas = pin.StdVec_RigidConstraintData()
    for model in models:
        datas.append(model.createData())
    pin.initConstraintDynamics(peer.model, peer.data, models, datas)
    settings = pin.ProximalSettings(1e-14, 1e-10, 200)
    state = peer.q(q), peer.v(v), peer.v(tau)
    return peer.vector(pin.constraintDynamics(peer.model, peer.data, *state, models, datas, settings))


def scattered(robot: Robot, values: Array) -> Array:
    assert robot.tree.loops is not None
    result = np.zeros(robot.tree.nv)
    result[list(robot.tree.loops.independent)] = values
    return result


def only_points_and_welds(seed: int) -> Robot:
    robot = random_looped_robot(seed, loops=3, joints=14)
    kept = tuple(loop for loop in robot.loops if loop.type in (LoopType.POINT, LoopType.WELD))
    return replace(robot, loops=kept)


ROBOTS = [four_bar(), six_bar(), *(only_points_and_welds(seed) for seed in (5, 17, 23, 101))]


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot.loops], ids=lambda robot: robot.name)
def test_accelerations_are_those_of_pinocchio(robot: Robot) -> None:
    rng = np.random.default_rng(0)
    q, v, tau = footfall.neutral(robot), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    coupling = Coupling(robot, q)
    ours = coupling.acceleration(v, footfall.forward_dynamics.textbook(robot, q, v, tau))
    theirs = constrained_by_pinocchio(robot, q, coupling.velocity(v), scattered(robot, tau))
    assert np.abs(ours - theirs).max() < 1e-8 * (1.0 + np.abs(ours).max())


def test_mujoco_comes_closer_the_stiffer_its_constraints_are() -> None:
    """The acceleration of the crank, with constraints of falling time constant and impedance near one."""
    mujoco = pytest.importorskip("mujoco")
    robot = slider_crank()
    pin_frame = footfall.Frame("slider_pin", "slider")
    loops = (Loop("pin", LoopType.POINT, "rod_tip", "slider_pin"),)
    robot = replace(robot, frames=(*robot.frames, pin_frame), loops=loops)
    q, v, tau = footfall.neutral(robot), np.array([2.0]), np.array([0.5])
    ours = footfall.forward_dynamics(robot, q, v, tau)[0]
    errors = []
    for softness in (1e-1, 1e-2, 1e-3, 1e-4):
        # dmin, dmax: impedance of the constraint, 1 is rigid; no restoring force, as the loop is closed.
        impedance = f"{1 - softness} {1 - softness} 1 0.5 2"
        text = mjcf_text(robot).replace("<connect", f'<connect solimp="{impedance}"')
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = q, Coupling(robot, q).velocity(v)
        data.qfrc_applied[0] = tau[0]
        mujoco.mj_forward(model, data)
        errors.append(abs(float(data.qacc[0]) - ours))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 2e-3 * errors[0]
