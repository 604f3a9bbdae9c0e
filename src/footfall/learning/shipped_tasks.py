"""Tasks that we ship, by name: robots with their posture and gains, on level and on rough ground."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from footfall.errors import UnknownName
from footfall.learning.task import LearningTask
from footfall.learning.terrains import rough_velocity
from footfall.learning.velocity_tasks import biped_velocity, quadruped_velocity


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


def _go2_rough() -> LearningTask:
    return rough_velocity("go2", kp=30.0, kd=0.8)


def _anymal_rough() -> LearningTask:
    return rough_velocity("anymal", kp=80.0, kd=2.0)


def _g1() -> LearningTask:
    return biped_velocity("g1", posture=_G1_POSTURE, action_scale=_G1_SCALE, kp=_G1_KP, kd=_G1_KD)


def _lola() -> LearningTask:
    return biped_velocity("lola", action_scale=0.2)


# Environments by name, of which Gymnasium makes `footfall/NAME-v0`.
TASKS: Mapping[str, Callable[[], LearningTask]] = {
    "Go2-Velocity": _go2,
    "ANYmal-Velocity": _anymal,
    "Go2-Rough": _go2_rough,
    "ANYmal-Rough": _anymal_rough,
    "G1-Velocity": _g1,
    "LOLA-Velocity": _lola,
}


def velocity_task(name: str) -> LearningTask:
    """A task that we ship, by its name."""
    if name not in TASKS:
        raise UnknownName("task", name, TASKS, "footfall.learning")
    return TASKS[name]()
