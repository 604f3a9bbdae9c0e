"""What the actuators and springs of a compiled MuJoCo model say of joints: efforts, rotors, gains, springs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.robot.drives.spring import Spring

# MuJoCo's enumerations
_ACTS_ON_JOINT = (0, 1)  # directly, or in the axes of the parent
_FIXED_GAIN, _NO_BIAS, _AFFINE_BIAS, _NO_DYNAMICS = 0, 0, 1, 0
_SCALAR = (2, 3)  # slide and hinge


@dataclass
class Actuators:
    """By number of the joint: greatest effort (N m or N), inertia of rotors, and gains (kp, kd) of servos for position
    or velocity. left_out: names of actuators that are none of these."""

    efforts: dict[int, float] = field(default_factory=dict)
    rotors: dict[int, float] = field(default_factory=dict)
    gains: dict[int, tuple[float, float]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def read_actuators(model: Any) -> Actuators:
    """Of all actuators that act on a hinge or a slide."""
    found = Actuators()
    for index in range(model.nu):
        name = model.actuator(index).name or f"actuator {index}"
        on_joint = int(model.actuator_trntype[index]) in _ACTS_ON_JOINT
        joint = int(model.actuator_trnid[index, 0]) if on_joint else -1
        if joint < 0 or int(model.jnt_type[joint]) not in _SCALAR:
            found.left_out.append(name)
            continue
        gear = abs(float(model.actuator_gear[index, 0]))
        found.rotors[joint] = found.rotors.get(joint, 0.0) + float(model.actuator_armature[index]) * gear**2
        limit = _greatest_effort(model, index, gear)
        if math.isfinite(limit):
            found.efforts[joint] = found.efforts.get(joint, 0.0) + limit
        gains = _gains(model, index)
        if gains is None:
            found.left_out.append(name)
        elif any(gains):
            before = found.gains.get(joint, (0.0, 0.0))
            found.gains[joint] = before[0] + gear**2 * gains[0], before[1] + gear**2 * gains[1]
    for joint in np.flatnonzero(model.jnt_actfrclimited).tolist():
        greatest = float(np.abs(model.jnt_actfrcrange[joint]).max())
        found.efforts[joint] = min(found.efforts.get(joint, math.inf), greatest)
    return found


def _greatest_effort(model: Any, index: int, gear: float) -> float:
    """At the joint, N m or N; infinite without a limit. A motor's control is its force, before the gear."""
    if model.actuator_forcelimited[index]:
        return float(np.abs(model.actuator_forcerange[index]).max()) * gear
    is_motor = int(model.actuator_biastype[index]) == _NO_BIAS and _is_plain(model, index)
    if is_motor and model.actuator_ctrllimited[index]:
        gain = abs(float(model.actuator_gainprm[index, 0]))
        return float(np.abs(model.actuator_ctrlrange[index]).max()) * gain * gear
    return math.inf


def _is_plain(model: Any, index: int) -> bool:
    """Whether its force is its control times a number, without a state of its own."""
    fixed = int(model.actuator_gaintype[index]) == _FIXED_GAIN
    return fixed and int(model.actuator_dyntype[index]) == _NO_DYNAMICS


def _gains(model: Any, index: int) -> tuple[float, float] | None:
    """Stiffness and damping before the gear, zero for a motor; None for what is no servo: muscles, cylinders.

    A position servo has the force kp (control - length) - kv rate, a velocity servo kv (control - rate).
    """
    if not _is_plain(model, index):
        return None
    bias = int(model.actuator_biastype[index])
    if bias == _NO_BIAS:
        return 0.0, 0.0
    if bias != _AFFINE_BIAS:
        return None
    gain = float(model.actuator_gainprm[index, 0])
    offset, stiffness, damping = (float(value) for value in model.actuator_biasprm[index, :3])
    if offset == 0.0 and gain > 0.0 and stiffness == -gain:
        return gain, max(-damping, 0.0)
    if offset == 0.0 and stiffness == 0.0 and gain > 0.0 and damping == -gain:
        return 0.0, gain
    return None


def read_springs(model: Any, joints: Sequence[str]) -> tuple[list[Spring], list[str]]:
    """Springs of hinges and slides, and the names of other joints that have one. joints: names by number."""
    springs, left_out = [], []
    for index in np.flatnonzero(model.jnt_stiffness).tolist():
        if int(model.jnt_type[index]) not in _SCALAR:
            left_out.append(joints[index])
            continue
        rest = float(model.qpos_spring[model.jnt_qposadr[index]])
        springs.append(Spring(joints[index], float(model.jnt_stiffness[index]), 0.0, rest))
    return springs, left_out
