"""Tasks that we ship: robots that follow a velocity, as from a joystick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from footfall.errors import UnknownName
from footfall.learning import terms
from footfall.learning.task import LearningTask, Term


def quadruped_velocity(robot: Any, **changes: Any) -> LearningTask:
    """A robot on four feet that follows a velocity on level ground. changes: of the task's fields."""
    fields: dict[str, Any] = {
        "observations": {
            "base_velocity": Term(terms.base_velocity, noise=0.1),
            "base_rate": Term(terms.base_rate, noise=0.05),
            "gravity": Term(terms.gravity, noise=0.05),
            "command": terms.command,
            "joint_position": Term(terms.joint_position, noise=0.01),
            "joint_rate": Term(terms.joint_rate, noise=0.075),
            "last_action": terms.last_action,
        },
        "rewards": {
            "track_velocity": Term(terms.track_velocity, 2.0, options={"width": 0.2}),
            "come_near": Term(terms.track_velocity, 1.0, options={"width": 1.0}),
            "track_rate": Term(terms.track_rate, 1.0),
            "vertical_velocity": Term(terms.vertical_velocity, -3.0),
            "tumbling": Term(terms.tumbling, -0.1),
            "tilt": Term(terms.tilt, -2.5),
            "effort": Term(terms.effort, -2e-4),
            "action_rate": Term(terms.action_rate, -0.02),
            "posture": Term(terms.posture, -0.1),
            "sinking": Term(terms.height_error, -20.0),
            "stepping": Term(terms.stepping, 25.0),
        },
        "terminations": {"fallen": terms.fallen, "too_low": terms.too_low},
        "command": terms.twist,
        "resets": {
            "q": terms.start_pose,
            "v": terms.start_velocity,
            "friction": Term(terms.uniform, options={"low": 0.4, "high": 1.2}),
            "base_mass": Term(terms.uniform, options={"low": -0.5, "high": 1.5}),
            "base_shift": Term(terms.shift, options={"most": 0.02}),
            "kp_factor": Term(terms.uniform, options={"low": 0.9, "high": 1.1}),
            "kd_factor": Term(terms.uniform, options={"low": 0.9, "high": 1.1}),
            "encoder_bias": Term(terms.each_uniform, options={"low": -0.01, "high": 0.01}),
        },
        "kick": terms.kick,
    }
    return LearningTask(robot=robot, **{**fields, **changes})


def biped_velocity(robot: Any, **changes: Any) -> LearningTask:
    """A robot on two feet that follows a velocity on level ground, in step with a clock that it sees."""
    quadruped = quadruped_velocity(robot)
    rewards = {
        "track_velocity": Term(terms.track_velocity, 1.5),
        "come_near": Term(terms.track_velocity, 0.7, options={"width": 1.0}),
        "track_rate": Term(terms.track_rate, 1.0),
        "alive": Term(terms.alive, 0.3),
        "in_step": Term(terms.in_step, 0.5),
        "swing_height": Term(terms.swing_height, 2.5),
        "vertical_velocity": Term(terms.vertical_velocity, -1.0),
        "tumbling": Term(terms.tumbling, -0.05),
        "tilt": Term(terms.tilt, -2.0),
        "sinking": Term(terms.height_error, -10.0),
        "action_rate": Term(terms.action_rate, -0.01),
        "posture": Term(terms.posture, -0.2),
        "joint_limits": Term(terms.joint_limits, -1.0),
        "slip": Term(terms.slip, -0.2),
    }
    return LearningTask(
        robot=robot,
        **{
            "observations": {**quadruped.observations, "gait_phase": terms.gait_phase},
            "rewards": rewards,
            "terminations": {
                "fallen": Term(terms.fallen, options={"angle": 0.9}),
                "too_low": Term(terms.too_low, options={"share": 0.7}),
            },
            "command": Term(terms.twist, options={"forwards": 0.8, "sideways": 0.3, "turning": 0.6}),
            "resets": {
                **quadruped.resets,
                "q": Term(terms.start_pose, options={"joints": 0.05}),
                "v": Term(terms.start_velocity, options={"linear": 0.1, "angular": 0.1}),
            },
            "kick": Term(terms.kick, options={"linear": 0.3}),
            **changes,
        },
    )


def _go2() -> LearningTask:
    return quadruped_velocity("go2", kp=30.0, kd=0.8)


def _anymal() -> LearningTask:
    return quadruped_velocity("anymal", kp=80.0, kd=2.0)


_G1_POSTURE = {
    "hip_pitch": -0.2,
    "knee": 0.42,
    "ankle_pitch": -0.23,
    "shoulder_pitch": 0.2,
    "left_shoulder_roll": 0.25,  # hands hang beside the hips, not on them
    "right_shoulder_roll": -0.25,
    "elbow": 0.9,
}


# Legs walk; waist and arms stay where they are.
_G1_SCALE = {"hip": 0.25, "hip_pitch": 0.3, "knee": 0.35, "ankle": 0.3}

# Legs are stiff enough for a knee that carries the robot, and damped: a swinging leg is as heavy as a motor is not.
_G1_KP = {
    "hip": 100.0,
    "knee": 150.0,
    "ankle": 50.0,
    "waist": 150.0,
    "shoulder": 40.0,
    "elbow": 40.0,
    "wrist": 10.0,
}
_G1_KD = {"hip": 4.0, "knee": 5.0, "ankle": 2.5, "waist": 5.0, "shoulder": 2.0, "elbow": 2.0, "wrist": 0.5}


def _g1() -> LearningTask:
    return biped_velocity("g1", posture=_G1_POSTURE, action_scale=_G1_SCALE, kp=_G1_KP, kd=_G1_KD)


def _lola() -> LearningTask:
    return biped_velocity("lola", action_scale=0.2)


# Environments by name, of which Gymnasium makes `footfall/NAME-v0`.
TASKS: Mapping[str, Callable[[], LearningTask]] = {
    "Go2-Velocity": _go2,
    "ANYmal-Velocity": _anymal,
    "G1-Velocity": _g1,
    "LOLA-Velocity": _lola,
}


def velocity_task(name: str) -> LearningTask:
    """A task that we ship, by its name."""
    if name not in TASKS:
        raise UnknownName("task", name, TASKS, "footfall.learning")
    return TASKS[name]()


def scan_grid(length: float = 1.6, width: float = 1.0, spacing: float = 0.1) -> Any:
    """Points (n, 2) of a scan around the base, m."""
    x, y = (np.arange(-size / 2, size / 2 + spacing / 2, spacing) for size in (length, width))
    return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
