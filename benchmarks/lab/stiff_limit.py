"""MuJoCo's soft loops against ours: its accelerations as its equality constraints become stiffer."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import footfall
from benchmarks.lab.loop_robots import closed_states, load_looped
from benchmarks.lab.loops import all_joint_state
from footfall.bench.states import BenchState
from footfall.robot.save import save

IMPEDANCES = (0.9, 0.99, 0.999, 0.9999)  # MuJoCo takes no more than the last


@dataclass(frozen=True)
class StiffLimit:
    """impedance: MuJoCo's d, one for a hard constraint. difference: of its accelerations from ours, relative."""

    impedance: float
    difference: float


def measure_stiff_limit(name: str = "cassie", impedances: Sequence[float] = IMPEDANCES) -> list[StiffLimit]:
    """The greatest relative difference over a few states, for each impedance; without joint damping and springs."""
    import mujoco

    from tests.peers.mujoco import MujocoModel

    robot = load_looped(name)
    robot = replace(
        robot, springs=(), joints=tuple(replace(joint, damping=0.0, friction=0.0) for joint in robot.joints)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        save(robot, path)
        model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(
        mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    model.opt.solver, model.opt.tolerance, model.opt.iterations = mujoco.mjtSolver.mjSOL_NEWTON, 0.0, 200
    model.opt.gravity[:] = robot.gravity
    peer = MujocoModel(robot.spanning, model)
    data = mujoco.MjData(model)
    states = closed_states(robot, 4)
    rows = [BenchState(*(column[k] for column in states)) for k in range(4)]
    limits = []
    for impedance in impedances:
        model.eq_solimp[:, :2] = impedance
        worst = 0.0
        for row in rows:
            ours = all_joint_state(
                robot, row._replace(a=footfall.forward_dynamics(robot, row.q, row.v, row.tau))
            )
            data.qpos[:], data.qvel[:] = peer.q(row.q), peer.v(ours.v)
            data.qfrc_applied[:] = peer.v(ours.tau)
            mujoco.mj_forward(model, data)
            difference = np.linalg.norm(peer.vector(data.qacc) - ours.a) / np.linalg.norm(ours.a)
            worst = max(worst, float(difference))
        limits.append(StiffLimit(impedance, worst))
    return limits
