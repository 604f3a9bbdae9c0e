"""Joint references for the robots of the contact scenes: they trot and sway, in ours and in MuJoCo."""

from __future__ import annotations

import numpy as np

from benchmarks.lab.contact_scenes import ContactScene
from footfall.arrays import Array
from footfall.simulation.joint_control import actuated_velocities

CYCLE = 0.5  # s, of a trot
_LIFT = 0.35  # rad, of a hip in swing; the knee turns back by twice as much, so the foot goes up
_SWAY = 0.03  # rad, of hips and ankles
_BEGIN = 0.5  # s, in which the robot just stands


def trot(scene: ContactScene, time: float) -> Array:
    """Joint positions (joints,) of ANYmal at a time (s): diagonal legs lift in turn, on the spot."""
    phase = max(0.0, time - _BEGIN) / CYCLE
    shifts = np.zeros(scene.robot.nq)
    for joint in scene.robot.joints:
        leg, _, kind = joint.name.partition("_")
        if kind in ("HFE", "KFE"):
            own = phase + (0.0 if leg in ("LF", "RH") else 0.5)
            swing = max(0.0, np.sin(2 * np.pi * own)) ** 2 if phase > 0.0 else 0.0
            side = 1.0 if leg.endswith("F") else -1.0
            shifts[scene.robot.q_slice(joint.name)] = side * _LIFT * swing * (1.0 if kind == "HFE" else -2.0)
    return _driven(scene, scene.q + shifts)


def sway(scene: ContactScene, time: float) -> Array:
    """Joint positions (joints,) of LOLA at a time (s): hips and ankles roll the body from side to side, soles level."""
    angle = _SWAY * np.sin(2 * np.pi * max(0.0, time - _BEGIN) / (2 * CYCLE)) * min(1.0, time / _BEGIN)
    shifts = np.zeros(scene.robot.nq)
    for name, sign in _LOLA_ROLL.items():
        shifts[scene.robot.q_slice(name)] = sign * angle
    return _driven(scene, scene.q + shifts)


# hip and ankle adduction turn against each other; those of the left leg count the other way round
_LOLA_ROLL = {"har": 1.0, "hal": -1.0, "sar": -1.0, "sal": 1.0}


def _driven(scene: ContactScene, q: Array) -> Array:
    return np.array([q[coordinate] for coordinate, _ in actuated_velocities(scene.robot)])
