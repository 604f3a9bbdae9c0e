"""A safety frame: a gantry on wheels that follows the robot, and a rope between them that is slack until it falls.

The rope holds the upper body above the centre of mass, so that who hangs comes to hang upright. Its force is that of a
spring and a damper along the rope, and never a push: `f = max(k (l - l0) + d l', 0)`, l: its length, l0: what the winch
has let out. The gantry is pushed by a person: it rolls after the robot, and stands while the rope is taut. The force
is found anew at every hundredth of a second of the walk, however the walk is cut into pieces: it replays to the same
bits.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.walking.body import WalkingBody

INTERVAL = 0.01  # s, between two looks at the rope
STEEPEST = np.deg2rad(75.0)  # tilt of a robot that hangs, from which on it has fallen nevertheless
_ANCHOR = 1.35  # heights of the centre of mass, where the rope holds the upper body
_ABOVE = 0.7  # heights of the centre of mass, from there to the gantry's bar
_STRETCH = 0.03  # m, by which the robot's weight stretches the rope
_DAMPING = 0.5  # of the critical one of robot and rope
_ROLLING, _LAG = 1.0, 0.25  # m/s, of the gantry at most, and s, by which it comes after the robot
_WINCH = 0.1  # m/s


class SafetyFrame:
    """The frame of one robot. slack: m, by which it may sink before the rope is taut; below zero the winch lifts it.
    q (nq,): where the robot stands as the frame comes. bar (3,): where the rope hangs from, anchor (3,): where it
    holds the robot, m. tension: N, now; wrench (6,): on the upper body about its origin, N and Nm, world axes."""

    def __init__(self, body: WalkingBody, mass: float, gravity: float, q: Array) -> None:
        self._robot, self._mass, self._weight = body.robot, mass, mass * gravity
        name = body.body_of("UB")
        self.body = name
        self._index = next(k for k, each in enumerate(self._robot.bodies) if each.name == name)
        position, rotation = self._pose(q)
        height = body.model.com_height
        poses = forward_kinematics(self._robot, np.ascontiguousarray(q[: self._robot.nq]))
        ground = float(np.min(poses.position[:, 2]))
        top = np.array([position[0], position[1], ground + _ANCHOR * height])
        self._local = rotation.T @ (top - position)
        self.anchor, self.bar = top, top + np.array([0.0, 0.0, _ABOVE * height])
        self._length = self._rest = _ABOVE * height  # m, of the rope: now, and from where on slack counts
        self.slack = self._out = math.inf  # what is wanted, and what the winch has let out
        self.tension, self.wrench = 0.0, np.zeros(6)
        self._looked = -1

    def let_out(self, slack: float) -> None:
        """Let the rope have a slack, m, from now on; the winch takes its time to lift."""
        self._out = min(self._out, max(slack, self._length - self._rest))
        self.slack = slack

    @property
    def is_taut(self) -> bool:
        """Whether it bears some of the robot."""
        return self.tension > 0.05 * self._weight

    @property
    def share(self) -> float:
        """Of the robot's weight that it bears."""
        return self.tension / self._weight

    @property
    def room(self) -> float:
        """By which the rope is slack now, m."""
        return max(self._rest + self._out - self._length, 0.0)

    def look(self, period: int, q: Array) -> None:
        """Act in a period of the walk, once, however often it is asked. q (nq,): where the robot is."""
        if period != self._looked:
            self._looked = period
            self.act(q)

    def act(self, q: Array) -> None:
        """Roll and wind for an interval, and pull. q (nq,): where the robot is."""
        position, rotation = self._pose(q)
        arm = rotation @ self._local
        self.anchor = position + arm
        if not self.is_taut:
            way = self.anchor[:2] - self.bar[:2]
            far = float(np.linalg.norm(way))
            self.bar[:2] += INTERVAL * way * min(1.0 / _LAG, _ROLLING / max(far, 1e-12))
        self._out += float(np.clip(self.slack - self._out, -_WINCH * INTERVAL, _WINCH * INTERVAL))
        rope = self.bar - self.anchor
        length = float(np.linalg.norm(rope))
        rate, self._length = (length - self._length) / INTERVAL, length
        stretched = length - self._rest - self._out
        stiffness = self._weight / _STRETCH
        damping = 2.0 * _DAMPING * math.sqrt(stiffness * self._mass)
        self.tension = max(stiffness * stretched + damping * rate, 0.0) if stretched > 0.0 else 0.0
        force = self.tension / max(length, 1e-9) * rope
        self.wrench = np.concatenate([force, np.cross(arm, force)])

    def _pose(self, q: Array) -> tuple[Array, Array]:
        poses = forward_kinematics(self._robot, np.ascontiguousarray(q[: self._robot.nq]))
        return np.array(poses.position[self._index]), np.array(poses.rotation[self._index])
