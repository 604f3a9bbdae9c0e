"""Robots that follow a velocity, as from a joystick: what they see, what is rewarded, how they begin."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def scan_grid(length: float = 1.6, width: float = 1.0, spacing: float = 0.1) -> Any:
    """Points (n, 2) of a scan around the base, m."""
    x, y = (np.arange(-size / 2, size / 2 + spacing / 2, spacing) for size in (length, width))
    return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
