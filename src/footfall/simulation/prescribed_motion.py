"""A robot whose joints move as they are told, in a time step: only its floating base is free.

Ideal drives: with `M_bb (v_b' - v_b) = -dt h_b - M_bj (v_j' - v_j) + J_b^T p` the base follows from contact and from
what the joints do, Seiwald (2023), section 7.4. The step of a world then has six unknown velocities for the robot,
whatever it consists of; how links move with the joints is given (`Workspace.given_linear`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.configuration import integrate
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.kinematics import link_poses, world_velocities
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.errors import InvalidInput
from footfall.math.block_sparse import WIDTH
from footfall.math.positive_definite import solve_positive_definite
from footfall.robot.model import JointType
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.joint_axes import actuated_velocities
from footfall.simulation.robot_motion import Piece, RobotMotion
from footfall.simulation.velocity_nodes import VelocityNodes


@dataclass(frozen=True)
class PrescribedMotion(RobotMotion):
    """See `RobotMotion`. Commands give the velocities that joints have at the end of a step; nothing else of them
    counts."""

    def __post_init__(self) -> None:
        floating = [joint for joint in self.robot.joints if joint.type is JointType.FLOATING]
        driven = {velocity for _, velocity in actuated_velocities(self.robot)}
        if self.robot.loops or len(floating) != 1 or len(driven) + 6 != self.robot.nv:
            raise InvalidInput(
                f"joints of {self.robot.name!r} cannot be prescribed: that needs one floating base, single joint axes "
                "and no loops"
            )

    @cached_property
    def base(self) -> tuple[int, ...]:
        """The velocities of the floating base."""
        driven = {velocity for _, velocity in actuated_velocities(self.robot)}
        return tuple(velocity for velocity in range(self.robot.nv) if velocity not in driven)

    @cached_property
    def nodes(self) -> VelocityNodes:
        return VelocityNodes((self.base,), ())

    @cached_property
    def pieces(self) -> tuple[tuple[Piece, ...], ...]:
        """All links move with the base as one body; those before it, which have no mass, are never touched."""
        return ((Piece(0, 0, WIDTH),),) * len(self.robot.tree.links)

    def _approach(self, **given: Any) -> Mapping[str, Any]:
        """As `RobotMotion`, and given (links, 6): the velocity [v; w] of each link's origin while the base rests."""
        robot, tree, dt = self.robot, self.robot.tree, given["dt"]
        q, v, wanted = given["q"], given["v"], given["command_velocity"]
        after = [v[k] for k in range(robot.nv)]
        alone: list[Any] = [0.0] * robot.nv
        for k, (_, velocity) in enumerate(actuated_velocities(robot)):
            after[velocity] = alone[velocity] = wanted[k]
        base = list(self.base)
        middle, change = 0.5 * (v + np.array(after)), np.array(after) - v
        bias = newton_euler(robot, q, middle, np.zeros(robot.nv), None, gravity=given["gravity"])
        mass = composite_bodies(robot, q)
        own = np.array([[mass[i, j] for j in base] for i in base])
        driven = [k for k in range(robot.nv) if k not in base]
        pushed = np.array(
            [dt * -bias[i] - sum((mass[i, j] * change[j] for j in driven), 0.0 * dt) for i in base]
        )
        for i, moved in zip(base, solve_positive_definite(own, pushed), strict=True):
            after[i] = v[i] + moved
        free = np.array(after)
        poses = link_poses(tree, q)
        velocities = world_velocities(tree, poses, free)
        by_joints = world_velocities(tree, poses, np.array(alone))
        origin = self._origin(poses)
        return {
            "mass": self._blocks(mass),
            "pivots": self._by_node(self._at_base(np.array([1.0 / own[k, k] for k in range(len(base))]))),
            "free": free,
            "integral": given["integral"],
            "rotations": np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3),
            "positions": np.array([pose.translation for pose in poses]).reshape(-1, 3),
            "linear": np.array([row[:3] for row in velocities]).reshape(-1, 3),
            "angular": np.array([row[3:] for row in velocities]).reshape(-1, 3),
            "motions": self._rigid(LinkMotion(tree, poses, Coupling(robot, q)), origin),
            "origin": origin,
            "given": np.array(by_joints).reshape(-1, 6),
        }

    def _settle(self, **given: Any) -> Mapping[str, Any]:
        """As `RobotMotion`; what joints give is not known here: contact has a part in it (effort is zero)."""
        robot = self.robot
        q = integrate(robot, given["q"], given["dt"] * given["v_after"])
        return {"q": q, "effort": np.zeros(robot.nv), "drives": given["drives"]}

    def _at_base(self, values: Array) -> Array:
        """Values (6,) of the base among those of all velocities (nv,)."""
        result: list[Any] = [0.0] * self.robot.nv
        for k, velocity in enumerate(self.base):
            result[velocity] = values[k]
        return np.array(result)

    def _rigid(self, motion: LinkMotion, origin: Array) -> Array:
        """Motion (6, 8) of all links with the base, about the origin."""
        tree = self.robot.tree
        last = max(
            index for index, link in enumerate(tree.links) if set(range(tree.nv)[link.v]) & {*self.base}
        )
        rows = motion.rows_at(last, origin)
        return np.array([[row.get(velocity, 0.0) for velocity in self._padded(0)] for row in rows])
