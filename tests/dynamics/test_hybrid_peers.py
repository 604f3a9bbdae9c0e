"""Hybrid dynamics of TALOS on its feet and hands against Pinocchio's constrained dynamics."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.dynamics.hybrid import hybrid_dynamics
from footfall.dynamics.hybrid_constraints import Constraint
from footfall.dynamics.kinematics import frame_pose, frame_velocity
from tests.random_robots import random_state

pytest.importorskip("pinocchio")

import pinocchio as pin

from footfall.bench.pinocchio import PinocchioModel, build_peer
from footfall.bench.robots import load_measured
from footfall.errors import MissingFile

SEGMENTS = ("leg_left_6_link", "leg_right_6_link", "arm_left_7_link", "arm_right_7_link")


def theirs(
    peer: PinocchioModel, q: Array, v: Array, tau: Array, segments: tuple[str, ...]
) -> tuple[Array, Array]:
    """Accelerations (nv,) and wrenches (k, 6) in frame axes."""
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for name in segments:
        frame = peer.model.frames[peer.frame_id(name)]
        models.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_6D,
                peer.model,
                frame.parentJoint,
                frame.placement,
                pin.ReferenceFrame.LOCAL,
            )
        )
        data.append(models[-1].createData())
    pin.initConstraintDynamics(peer.model, peer.data, models, data)
    a = pin.constraintDynamics(peer.model, peer.data, peer.q(q), peer.v(v), peer.v(tau), models, data)
    return peer.vector(a), np.array([each.contact_force.vector for each in data])


@pytest.mark.parametrize("count", [1, 2, 4])
def test_feet_and_hands(count: int) -> None:
    try:
        robot = load_measured("talos")
    except MissingFile:
        pytest.skip("example-robot-data is not installed")
    peer = build_peer("talos", robot).exact
    segments = SEGMENTS[:count]
    constraints = [Constraint(name, axes="frame") for name in segments]
    for seed in range(3):
        q, v, _, tau = random_state(robot, seed)
        setpoints = []
        for name in segments:  # theirs is the spatial acceleration, which lacks w x v
            motion = np.asarray(frame_velocity.textbook(robot, q, v, name))
            turn = np.asarray(frame_pose.textbook(robot, q, name).rotation)
            setpoints.append(np.append(turn.T @ np.cross(motion[3:], motion[:3]), np.zeros(3)))
        ours = hybrid_dynamics.textbook(
            robot, q, v, tau, constraints=constraints, setpoints=np.concatenate(setpoints)
        )
        a, wrenches = theirs(peer, q, v, tau, segments)
        assert np.linalg.norm(ours.accelerations - a) < 1e-8 * np.linalg.norm(a)
        assert np.linalg.norm(ours.forces - wrenches.ravel()) < 1e-8 * np.linalg.norm(wrenches)
        loose = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints)
        assert np.linalg.norm(loose.accelerations - a) > 1e-4 * np.linalg.norm(a)  # w x v is seen
