"""A robot on contact layers, before contact in a time step: as `RobotMotion`, with how some links move as matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.dynamics.factorisation import factorise, solve_factored
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.robot_motion import RobotMotion


@dataclass(frozen=True)
class LayerMotion(RobotMotion):
    """links: numbers of those that carry layers."""

    links: tuple[int, ...] = ()

    @property
    def _options(self) -> str:
        return f"{super()._options} {self.links}"

    def _approach(self, **given: Any) -> Mapping[str, Any]:
        """inertia (nv, nv): what an impulse moves in the step. free (nv,): velocity after it without contact. integral
        (joints,). rotations (links, 3, 3), positions (links, 3): of the links that carry layers; jacobian (6 links,
        nv): of their motions [v; w] at their origins, world axes."""
        robot, tree, q = self.robot, self.robot.tree, given["q"]
        control, action = self._acting(given)
        coupling = Coupling(robot, q)
        acting, inertia = self._forces(given, control, action, coupling)
        free = given["v"] + solve_factored(tree, factorise(tree, inertia), given["dt"] * acting)
        poses = link_poses(tree, q)
        motion = LinkMotion(tree, poses, coupling)
        rows = [
            [row.get(velocity, 0.0) for velocity in range(robot.nv)]
            for link in self.links
            for row in motion.link_rows(link)
        ]
        return {
            "inertia": inertia,
            "free": free,
            "integral": control.integral,
            "rotations": np.array([poses[link].rotation for link in self.links]).reshape(-1, 3, 3),
            "positions": np.array([poses[link].translation for link in self.links]).reshape(-1, 3),
            "jacobian": np.array(rows).reshape(-1, robot.nv),
        }
