"""A policy that commands a robot in a scene: contacts are found, and all of the robot may touch."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.ground import Clearance, lowered
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput
from footfall.learning.observer import Felt, Observer
from footfall.learning.policy import Policy
from footfall.learning.policy_note import PolicyNote
from footfall.robot.model import Robot
from footfall.scene.model import Scene
from footfall.simulation.commands import holding_gains
from footfall.simulation.run_values import Trajectory
from footfall.simulation.simulation import Simulation
from footfall.simulation.start import without_missing_meshes

_LEAN = 1.2  # rad, from which on it has fallen
_LOW = 0.45  # of the height of its base above its lowest foot at the start
_FEELS = {"foot_force", "foot_touching", "landing", "air_time"}
_CLEARANCE = 0.002  # m above the ground at the start
_TOUCHING = 1e-3  # of the weight


class PolicyRun:
    """A robot in a scene under a policy, one control period after the other.

    policy: or its file. note: what it sees and moves, by default what its file says. robot, scene: by default the one
    of the note, on a plane. dt: s, of a step. command (3,): wanted velocity, ahead and to the left, m/s, and turning,
    rad/s; may be set at any time. simulation: in which contacts are found; self_contact: whether the robot touches
    itself, as it did not while it learned.
    """

    def __init__(
        self,
        policy: Policy | str | Path,
        *,
        note: PolicyNote | None = None,
        robot: Robot | None = None,
        scene: Scene | str | Path | None = "flat",
        dt: float | None = None,
        self_contact: bool = False,
    ) -> None:
        self.policy = policy if isinstance(policy, Policy) else Policy(policy)
        known = note or self.policy.note
        if known is None:
            raise InvalidInput(
                "the policy's file does not say what it sees and moves; say it in a TOML file: read_policy_note(path), "
                "or --observations on the command line (docs/learning.md)"
            )
        self.note = known
        self.observer = Observer(known, robot=robot)
        self._require_sizes()
        steps = known.period / (known.dt if dt is None else dt)
        if round(steps) < 1 or abs(steps - round(steps)) > 1e-6:
            raise InvalidInput(
                f"dt is {known.dt if dt is None else dt} s; the policy's period, {known.period} s, must be "
                "a whole number of it"
            )
        self.simulation = Simulation(
            self.observer.robot,
            scene,
            dt=known.period / round(steps),
            substeps=round(steps),
            self_contact=self_contact,
        )
        driven = [coordinate for coordinate, _ in self.observer._setup.step.joints]
        self._moved = [driven.index(coordinate) for coordinate, _ in self.observer.joints]
        self._kp, self._kd = (np.array(gain) for gain in holding_gains(self.observer.robot))
        self._kp[self._moved], self._kd[self._moved] = known.kp, known.kd
        self._rest = self.observer.default[driven]
        used = {
            name
            for function, _ in self.observer.terms.values()
            for name in inspect.signature(function).parameters
        }
        self._feels = bool(used & _FEELS)
        self.command = np.zeros(3)
        self.reset()

    def reset(self) -> None:
        """Stand at the default configuration on the ground, at rest."""
        simulation, count, feet = self.simulation, len(self.note.joints), len(self.observer.feet)
        clearance = Clearance(without_missing_meshes(self.observer.robot), simulation.scene)
        q = lowered(np.array(self.observer.default), clearance, _CLEARANCE)
        simulation.reset(np.concatenate([q, simulation.q[len(q) :]]))
        self.action, self._last = np.zeros(count), np.zeros(count)
        self._felt = Felt(np.zeros((feet, 3)), np.ones(feet), np.zeros(feet), np.zeros(feet))
        self._periods = 0
        self._height = self._height_now()

    def observe(self) -> Array:
        """What the policy sees now, (size,)."""
        robot = self.observer.robot
        seen = self.observer(
            self.simulation.q[None, : robot.nq],
            self.simulation.v[None, : robot.nv],
            command=np.asarray(self.command, dtype=np.float64)[None],
            action=self.action[None],
            last_action=self._last[None],
            elapsed=np.array([float(self._periods)]),
            felt=Felt(*(each[None] for each in self._felt)),
        )
        return np.asarray(seen[0])

    def step(self, *, recorder: Any = None) -> Trajectory:
        """One control period."""
        action = self.policy(self.observe()[None])[0]
        if not np.isfinite(action).all():
            joint = int(np.flatnonzero(~np.isfinite(action))[0])
            raise InvalidInput(
                f"the policy's action for joint {self.note.joints[joint]!r} is {action[joint]} at "
                f"{self.simulation.time:.3f} s; its weights or what it sees are not finite"
            )
        self._last, self.action = (
            self.action,
            np.clip(action, -self.note.action_limit, self.note.action_limit),
        )
        goal = self._rest.copy()
        goal[self._moved] += np.array(self.note.action_scale) * self.action
        command = self.simulation.pd(goal, kp=self._kp, kd=self._kd)
        path = self.simulation.run(command, self.note.period, recorder=recorder)
        self._periods += 1
        if self._feels:
            self._feel(path)
        return path

    @property
    def fallen(self) -> bool:
        """Whether the base leans by more than 1.2 rad or is low above the feet."""
        _, x, y, _ = self.simulation.q[3:7]
        return bool(1.0 - 2.0 * (x * x + y * y) < np.cos(_LEAN) or self._height_now() < _LOW * self._height)

    @property
    def velocity(self) -> Array:
        """Of the base, ahead and to the left, m/s, and turning, rad/s, in axes that have its yaw; (3,)."""
        v, (w, x, y, z) = self.simulation.v, self.simulation.q[3:7]
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        ahead, left = np.cos(yaw), np.sin(yaw)
        return np.array([ahead * v[0] + left * v[1], ahead * v[1] - left * v[0], v[5]])

    def _height_now(self) -> float:
        robot = self.observer.robot
        bodies = tuple(foot.body for foot in self.observer.feet)
        q = self.simulation.q[: robot.nq]
        return float(q[2] - forward_kinematics(robot, q, frames=bodies).position[:, 2].min())

    def _feel(self, path: Trajectory) -> None:
        """Forces on the feet, and how long they were in the air, as environments count it."""
        least = _TOUCHING * self.observer.robot.mass * 9.81
        forces = np.array([path.force_on(foot.body).mean(axis=0) for foot in self.observer.feet])
        touching = (np.linalg.norm(forces, axis=1) > least).astype(np.float64)
        landing = np.where(touching > 0.0, self._felt.air_time, 0.0)
        air = np.where(touching > 0.0, 0.0, self._felt.air_time + self.note.period)
        self._felt = Felt(forces, touching, landing, air)

    def _require_sizes(self) -> None:
        size, count = self.observer.size, len(self.note.joints)
        if isinstance(self.policy.inputs, int) and self.policy.inputs != size:
            raise InvalidInput(
                f"the policy takes {self.policy.inputs} numbers; the observations it names have {size} on robot "
                f"{self.observer.robot.name!r}: {self.observer.sizes}"
            )
        if isinstance(self.policy.outputs, int) and self.policy.outputs != count:
            raise InvalidInput(
                f"the policy gives {self.policy.outputs} actions; it names {count} joints: "
                f"{', '.join(self.note.joints)}"
            )
